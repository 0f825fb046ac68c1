"""Runs inside the sandbox: the compiler and the policy's process, joined by two pipes.

usage: relay.py SEED COMPILER ARGUMENT...

Ends when the compiler does, with its exit status; ``host.json`` says how the policy's process ended. It stands alone:
nothing of the harness is there.
"""

import json
import os
import subprocess
import sys

_PATIENCE = 0.5
"""Seconds that the policy's process has to end by itself when there are no more questions."""


def main(seed: str, command: list[str]) -> int:
    """Run both; the compiler's exit status."""
    questions, asked = os.pipe()
    answers, answered = os.pipe()
    with open("host.err", "wb") as errors:
        host = subprocess.Popen(
            [sys.executable, "-I", "-B", "host.py", str(questions), str(answered), seed],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=(questions, answered),
        )
    channel = [f"-inline-policy-channel-from={answers}", f"-inline-policy-channel-to={asked}"]
    options = [word for option in channel for word in ("-mllvm", option)]
    compiler = subprocess.Popen([*command, *options], pass_fds=(answers, asked))
    for descriptor in (questions, asked, answers, answered):
        os.close(descriptor)
    status = compiler.wait()
    early = host.poll()
    if early is None:
        try:
            host.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            host.kill()
            host.wait()
    with open("host.json", "w") as file:
        json.dump({"exit": early if early is not None else host.returncode, "early": early is not None}, file)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
