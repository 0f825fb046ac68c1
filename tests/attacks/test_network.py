"""No network: not to the machine itself, not by names without files, not by rare kinds of socket."""

import socket
import uuid
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from harness.sandbox import Sandbox
from tests.attacks.host import answers, attack, outside

Program = Callable[[str], Path]

RARE = {
    "netlink": "16",
    "packet": "17",
    "alg": "38",
    "vsock": "40",
    "tipc": "30",
    "can": "29",
    "rds": "21",
    "xdp": "44",
}
TRUNCATED = "4294967312"
"""Netlink, once the kernel has cut it to 32 bits."""


def _heard(listener: socket.socket) -> bool:
    listener.settimeout(0.3)
    try:
        if listener.type == socket.SOCK_STREAM:
            listener.accept()[0].close()
        else:
            listener.recv(100)
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize(("name", "kind"), [("tcp", socket.SOCK_STREAM), ("udp", socket.SOCK_DGRAM)])
def test_listener_on_the_host(sandbox: Sandbox, program: Program, name: str, kind: socket.SocketKind) -> None:
    with closing(socket.socket(socket.AF_INET, kind)) as listener:
        listener.bind(("127.0.0.1", 0))
        if kind == socket.SOCK_STREAM:
            listener.listen()
        port = str(listener.getsockname()[1])
        assert answers(outside(program("network"), name, port)) == {port: "ok"}
        assert _heard(listener)
        done = sandbox.run(attack(program("network"), name, port))
        assert done.ok
        assert answers(done) == {port: "EAFNOSUPPORT"}
        assert not _heard(listener)


def test_names_of_the_host_that_are_no_files(sandbox: Sandbox, program: Program) -> None:
    name = f"attack-{uuid.uuid4()}"
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        assert answers(outside(program("network"), "abstract", name)) == {name: "ok"}
        assert _heard(listener)
        assert answers(sandbox.run(attack(program("network"), "abstract", name))) == {name: "ECONNREFUSED"}
        assert not _heard(listener)


def test_rare_kinds_of_socket(sandbox: Sandbox, program: Program) -> None:
    netlink = RARE["netlink"]
    assert answers(outside(program("network"), "family", netlink, TRUNCATED)) == {netlink: "ok", TRUNCATED: "ok"}
    found = answers(sandbox.run(attack(program("network"), "family", "1", "2", "10", *RARE.values(), TRUNCATED)))
    assert found.pop("1") == "ok"
    assert set(found.values()) == {"EAFNOSUPPORT"}


def test_rare_kinds_of_pairs(sandbox: Sandbox, program: Program) -> None:
    """A pair of a rare kind makes the kernel load that kind's module, though it then makes no pair."""
    netlink = RARE["netlink"]
    assert answers(outside(program("network"), "pair", netlink)) == {netlink: "EOPNOTSUPP"}
    found = answers(sandbox.run(attack(program("network"), "pair", "1", *RARE.values())))
    assert found.pop("1") == "ok"
    assert set(found.values()) == {"EAFNOSUPPORT"}
