"""Signatures of ssh-keygen: whoever signs commits with an SSH key can sign results with it."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import PrerequisiteError, UsageError
from harness.base.process import Ended, Limits, find_tool, run

__all__ = ["Signers", "sign"]

_NAMESPACE = "llvm-harness-results"
"""What a signature is for: one that was made for something else is none of ours."""
_SECONDS = 60.0


def sign(content: bytes, key: Path) -> str:
    """A signature with the private key in the file, or with the agent's, where the file is its public half.

    Raises UsageError for what is no key, PrerequisiteError where OpenSSH is missing.
    """
    if not key.is_file():
        hint = "make one: ssh-keygen -t ed25519 -f FILE; its public half belongs in allowed_signers"
        raise UsageError("there is no such key", where=str(key), hint=hint)
    with tempfile.TemporaryDirectory(prefix="harness-sign-") as folder:
        file = Path(folder) / "entry"
        file.write_bytes(content)
        done = _keygen(Path(folder), "-Y", "sign", "-q", "-n", _NAMESPACE, "-f", str(key.resolve()), str(file))
        signature = file.with_name("entry.sig")
        if not done.ok or not signature.is_file():
            raise UsageError(f"cannot sign: {done.reason()}", where=str(key), hint="is it a private key of OpenSSH?")
        return signature.read_text()


@dataclass(frozen=True, slots=True)
class Signers:
    """Who may sign: a file of OpenSSH, ``allowed_signers``."""

    file: Path

    def signer(self, content: bytes, signature: str) -> str | None:
        """Who signed the content; None: nobody of them."""
        if not self.file.is_file() or self.file.is_symlink():
            return None
        with tempfile.TemporaryDirectory(prefix="harness-verify-") as folder:
            signed, entry = Path(folder) / "entry.sig", Path(folder) / "entry"
            signed.write_text(signature)
            entry.write_bytes(content)
            words = ("-n", _NAMESPACE, "-s", str(signed))
            allowed = ("-f", str(self.file.resolve()))
            found = _keygen(Path(folder), "-Y", "find-principals", *words[2:], *allowed)
            for principal in found.stdout.decode("utf-8", "replace").splitlines() if found.ok else ():
                done = _keygen(Path(folder), "-Y", "verify", *words, *allowed, "-I", principal, stdin=entry)
                if done.ok:
                    return principal
        return None


def _keygen(folder: Path, *words: str, stdin: Path | None = None) -> Ended:
    tool = find_tool("ssh-keygen")
    if tool is None:
        raise PrerequisiteError(
            "OpenSSH is not installed: nothing can be signed", hint="apt-get install openssh-client"
        )
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    agent = {name: os.environ[name] for name in ("SSH_AUTH_SOCK",) if name in os.environ}
    return run([tool, *words], cwd=folder, limits=Limits(wall=_SECONDS), env=environment | agent, stdin=stdin)
