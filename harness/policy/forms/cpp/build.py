"""A submitted C++ file to a library for the process that asks: compiled in the sandbox, kept in the cache."""

from pathlib import Path

from harness.base.digest import digest_bytes, digest_of
from harness.base.errors import CellError, PrerequisiteError
from harness.base.remembered import remembered
from harness.base.vocabulary import Isolation, Outcome
from harness.policy.forms.compiled import compile_foreign, compiled
from harness.policy.forms.interface import Native
from harness.policy.forms.parameters import Hyperparameter
from harness.sandbox import Finished
from harness.sandbox.bench import Bench
from harness.toolchain.names import as_written
from harness.toolchain.native import builds

__all__ = ["FLAGS", "HEURISTIC", "build_heuristic", "judged_by", "wrapper_source"]

HEURISTIC = "heuristic.cpp"
"""The submission's file, as its compiler's messages name it."""

_WRAPPER, _LIBRARY, _PRECOMPILED = "wrapper.cpp", "policy.so", "prelude.pch"
FLAGS = ("-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-exceptions")
_SHOWN = 3


@remembered(64)
def build_heuristic(
    content: bytes, parameters: tuple[Hyperparameter, ...], native: Native, name: str, bench: Bench
) -> Path:
    """The library of this file.

    Raises CellError: ``policy-error`` with the compiler's first messages, which name the submission's file and
    line; ``policy-timeout`` when it does not compile in time.
    """
    wrapper = wrapper_source(parameters, native.entry)
    key = digest_of(["heuristic", digest_bytes(content), wrapper, FLAGS, judged_by(), *_shared_key(native, bench)])

    def make(entry: Path) -> None:
        with bench.store.scratch() as folder:
            (folder / HEURISTIC).write_bytes(content)
            (folder / _WRAPPER).write_text(wrapper)
            files = {path.name: path for path in (folder / HEURISTIC, folder / _WRAPPER, *native.headers)}
            prelude: tuple[str, ...] = ()
            if bench.isolation is Isolation.SANDBOX:  # without it each job has another folder, which is in the file
                files[_PRECOMPILED] = _precompiled(native, bench)
                prelude = ("-include-pch", _PRECOMPILED)
            else:
                prelude = ("-include", native.headers[0].name)
            done = _compile((*prelude, "-shared", _WRAPPER, "-o", _LIBRARY), files, _LIBRARY, bench)
        (entry / _LIBRARY).write_bytes(compiled(done, _LIBRARY, name))
        from harness.policy.forms.cpp.symbols import faults  # its lists take as long to prepare as a small module

        if found := list(faults(entry / _LIBRARY)):
            raise _refused(found, native, name, bench)

    return bench.store.folder(bench.area("policies"), key, make) / _LIBRARY


def judged_by() -> str:
    """Digest of the rules that a library is held to."""
    return digest_bytes(Path(__file__).with_name("symbols.py").read_bytes())


def wrapper_source(parameters: tuple[Hyperparameter, ...], entry: str) -> str:
    """The translation unit around the submission: its constants before it, what whoever asks calls after it."""
    constants = "".join(
        f"static {'int' if one.is_int else 'double'} {one.name} = {one.default!r};\n" for one in parameters
    )
    settings = "".join(
        f'  if (harness_name == "{one.name}")\n'
        f"    return {one.name} = static_cast<{'int' if one.is_int else 'double'}>(harness_value), true;\n"
        for one in parameters
    )
    return f"""{constants}
#include "{HEURISTIC}"

{entry}
extern "C" __attribute__((visibility("default"))) bool harness_set(const char *harness_text, double harness_value) {{
  [[maybe_unused]] const llvm::StringRef harness_name(harness_text);
{settings}  return false;
}}
"""


def _precompiled(native: Native, bench: Bench) -> Path:
    key = digest_of(["prelude", FLAGS, *_shared_key(native, bench)])

    def make(entry: Path) -> None:
        prelude = native.headers[0].name
        words = ("-x", "c++-header", "-Xclang", "-fno-pch-timestamp", prelude, "-o", _PRECOMPILED)
        done = _compile(words, {path.name: path for path in native.headers}, _PRECOMPILED, bench)
        if not done.ok:
            raise PrerequisiteError(
                f"LLVM's headers cannot be precompiled: {done.reason_line()}", hint="apt-get install llvm-22-dev g++"
            )
        (entry / _PRECOMPILED).write_bytes(done.results[_PRECOMPILED])

    return builds(bench.store).folder("native", key, make) / _PRECOMPILED


def _compile(words: tuple[str, ...], files: dict[str, Path], result: str, bench: Bench) -> Finished:
    include = ("-isystem", str(bench.toolchain.include))
    return compile_foreign("clang++", (*FLAGS, *include, *words), files, result, bench)


def _refused(found: list[str], native: Native, name: str, bench: Bench) -> CellError:
    """The library may not be loaded: the first reasons, with symbols as a source writes them."""
    shown = found[:_SHOWN]
    written = as_written(
        [word for reason in shown for word in reason.split() if word.startswith("_Z")], bench.toolchain
    )
    reasons = "; ".join(" ".join(written.get(word, word) for word in reason.split()) for reason in shown)
    more = f" (and {len(found) - _SHOWN} more)" if len(found) > _SHOWN else ""
    return CellError(
        Outcome.POLICY_ERROR,
        f"{name}: {reasons}{more}: {native.rules}",
    )


def _shared_key(native: Native, bench: Bench) -> list[str]:
    return [*(digest_bytes(path.read_bytes()) for path in native.headers), bench.toolchain.fingerprint.llvm]
