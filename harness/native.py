"""Our own native programs, built from ``native/`` by the reference clang and kept in the cache.

They are built when first needed and whenever their source or the compiler changes.
"""

from pathlib import Path

from harness.digest import digest_file, digest_of
from harness.errors import PrerequisiteError
from harness.paths import ROOT
from harness.process import Limits, run
from harness.store import Store
from harness.toolchain import Toolchain

__all__ = ["native_program"]


def native_program(name: str, toolchain: Toolchain, store: Store) -> Path:
    """``native/NAME/NAME.c`` as a static program, with the flags of its ``compile_flags.txt``.

    Raises PrerequisiteError when it cannot be built.
    """
    folder = ROOT / "native" / name
    source, flags = folder / f"{name}.c", folder / "compile_flags.txt"
    key = digest_of(["native", digest_file(source), digest_file(flags), toolchain.fingerprint.llvm])

    def make(entry: Path) -> None:
        command = [toolchain.tool("clang"), *flags.read_text().split(), "-static", str(source), "-o", str(entry / name)]
        done = run(command, cwd=entry, limits=Limits(wall=120))
        if not done.ok:
            store.require_space(done.stderr)
            raise PrerequisiteError(
                f"cannot be built: {done.reason()}", where=str(source), hint="apt-get install libc6-dev"
            )

        (entry / name).chmod(0o755)  # whatever the umask: the sandbox's user starts it

    return store.folder("native", key, make) / name
