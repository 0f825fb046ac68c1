"""The small process that sandboxes are started from, one at a time.

A program of its own, started by ``slots.py`` and not imported by it. It stands in the control group
of its slot, so that what it starts is limited from the first instruction (moving a process between
groups takes the kernel some 16 ms; being born in one takes nothing). Where the harness is root it
gives up root first, for good. When the harness is gone, its socket says so, and the sandbox ends.

usage: spawner.py SOCKET UID,UID,... FOLDER=PLACE...

The user id is the first that this machine has; none: stay. Each folder is bound to its place, beside the others in a
file system that only this process and its children see.
"""

import contextlib
import json
import os
import resource  # os.wait4 needs it, and may not find it when root is given up
import select
import signal
import socket
import sys

MOST_DESCRIPTORS = 251
FIRST_DESCRIPTOR = 32
READY = b"ready"
_NEW_MOUNTS = 0x00020000
_BIND = 4096
_PRIVATE = 1 << 18 | 1 << 14
"""Of <sched.h> and <sys/mount.h>."""


def main() -> None:
    """Serve requests until the harness closes the socket."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    channel.set_inheritable(False)
    while os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) < FIRST_DESCRIPTOR:
        pass  # what is received then has numbers that no sandbox wants
    if sys.argv[3:]:
        with contextlib.suppress(OSError):  # bubblewrap will say that it is not there
            _carry(dict(word.split("=", 1) for word in sys.argv[3:]))
    _give_up_root([int(uid) for uid in sys.argv[2].split(",") if uid])
    channel.send(READY)
    while True:
        message, descriptors, _, _ = socket.recv_fds(channel, 16, MOST_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC)
        if not message:
            return
        for descriptor in descriptors:  # Python 3.11 ignores the flag
            os.set_inheritable(descriptor, False)
        channel.send(json.dumps(_serve(channel, descriptors)).encode())


def _carry(places: dict[str, str]) -> None:
    """Bind folders to places that the next user can reach."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)

    def call(name: str, *arguments: object) -> None:
        if getattr(libc, name)(*arguments) != 0:
            raise OSError(ctypes.get_errno(), name)

    above = os.path.dirname(next(iter(places.values()))).encode()  # noqa: PTH120 - pathlib takes long to import
    call("unshare", _NEW_MOUNTS)
    call("mount", b"none", b"/", None, ctypes.c_ulong(_PRIVATE), None)
    call("mount", b"none", above, b"tmpfs", ctypes.c_ulong(0), b"mode=0755,size=64k")
    for folder, place in places.items():
        os.mkdir(place)  # noqa: PTH102
        call("mount", folder.encode(), place.encode(), None, ctypes.c_ulong(_BIND), None)


def _give_up_root(candidates: list[int]) -> None:
    """Become the first of these users that can be become. A root that may not is none; the harness checks."""
    for uid in candidates:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        except OSError:  # a container may know only some user ids, or have but a name of root
            continue
        return


def _serve(channel: socket.socket, descriptors: list[int]) -> dict[str, object]:
    """One sandbox: the request is in the first descriptor, the others get the numbers that it says."""
    with open(descriptors[0], "rb", closefd=False) as file:
        file.seek(0)
        request = json.load(file)
    given = dict(zip(request["targets"], descriptors[1:], strict=True))
    actions = [(os.POSIX_SPAWN_DUP2, descriptor, target) for target, descriptor in given.items()]
    command = request["command"]
    with contextlib.suppress(OSError):  # one of them may be gone
        os.sched_setaffinity(0, request["cores"])
    try:
        child = os.posix_spawn(
            command[0],
            command,
            {},
            file_actions=actions,
            setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),  # Python ignores both, and that is inherited
        )
    except OSError as error:
        return {"error": f"{command[0]}: {error.strerror}"}
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    _wait(channel, child)
    _, status, usage = os.wait4(child, 0)
    return {"status": os.waitstatus_to_exitcode(status), "cpu": usage.ru_utime + usage.ru_stime}


def _wait(channel: socket.socket, child: int) -> None:
    """Until the child ends; it is killed when the harness is gone."""
    handle = os.pidfd_open(child)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.register(channel, select.POLLIN)
    ready = {descriptor for descriptor, _ in poll.poll()}
    if handle not in ready:  # the harness says nothing while it waits: this is the end of its socket
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGTERM)  # a guard without a sandbox has to end its job first
        os._exit(1)
    os.close(handle)


assert resource.RUSAGE_CHILDREN

if __name__ == "__main__":
    main()
