"""Starting the translation in the sandbox, and looking at what comes back.

This side reads no model: the file goes into the sandbox as bytes, and comes out as C of a known kind.
"""

import importlib.metadata
import importlib.util
import json
import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from harness.base.digest import digest_bytes, digest_of, digest_tree
from harness.base.errors import CellError
from harness.base.extras import missing
from harness.base.vocabulary import Outcome
from harness.policy.forms.interface import Interface
from harness.policy.forms.onnx.dialect import unexpected
from harness.sandbox import GIB, MIB, SCRATCH, Finished, Job, Limits
from harness.sandbox.bench import Bench

__all__ = ["START", "Translation", "model_source", "translate_model", "translator_digest"]

LARGEST = 16 * MIB
"""Bytes of a model."""
SECONDS = 60.0
"""The largest model takes about five."""

_HERE = Path(__file__).parent
_INTERFACE = _HERE.parent / "interface.py"
_PACKAGE = str(__package__).replace(".", "/")
_INSIDE = (
    *("constants.py", "dialect.py", "generate.py", "graph.py", "names.py", "operators.py", "read.py", "refused.py"),
    *("tensors.py", "translate.py"),
)
"""What runs in the sandbox. Without the packages' ``__init__.py``: no other part of the harness is there."""
START = f"""
import sys
sys.path[:0] = [".", *sys.argv[1].split(":")]
del sys.argv[1]
from {_PACKAGE.replace("/", ".")}.translate import main
sys.exit(main())
"""
"""What the interpreter in the sandbox is given."""
_LIBRARIES = ("emx_onnx_cgen", "onnx", "numpy")
_REFUSED = 2
_LONGEST_MESSAGE = 1000


@dataclass(frozen=True, slots=True)
class Translation:
    """A model as C."""

    source: str
    """One C11 file: ``int64_t policy_decide(const int64_t *features)`` gives the answer to a question, as
    ``harness.policy.forms.interface`` says; ``policy_uses[i]`` is 1 when the model takes feature i."""
    features: tuple[str, ...]
    """Those that the model takes."""
    parameters: int
    """Numbers in its constants."""
    operators: int
    """Nodes that are computed at each decision."""


def model_source(content: bytes, name: str, interface: Interface, bench: Bench) -> str:
    """The C of the model ``content``, as ``translate_model`` gives it."""
    return translate_model(content, name, interface, bench).source


def translate_model(content: bytes, name: str, interface: Interface, bench: Bench) -> Translation:
    """The model ``content`` in C; ``name`` is the file's, for messages. Cached.

    Raises CellError: ``policy-error`` when the model is refused, ``policy-timeout`` when the translation is not
    through in time. Raises PrerequisiteError when the libraries that translate are missing.
    """
    if len(content) > LARGEST:
        size, most = len(content) / MIB, LARGEST / MIB
        raise CellError(
            Outcome.POLICY_ERROR, f"{name}: it has {size:.1f} MiB, {most:.0f} are allowed; train a smaller network"
        )
    kind = bench.area("models")
    key = digest_of(["model", digest_bytes(content), translator_digest(), interface.text()])
    with bench.store.lock(kind, key):
        record = bench.store.get(kind, key)
        if record is None:
            record = _translated(content, name, interface, bench)
            bench.store.put(kind, key, record)
    if "refused" in record:
        raise CellError(Outcome.POLICY_ERROR, f"{name}: {record['refused']}")
    return Translation(record["source"], tuple(record["features"]), record["parameters"], record["operators"])


def translator_digest() -> str:
    """Of all that a translation depends on but the model and the interface."""
    own = digest_tree(_HERE.parent, [_INTERFACE, *(_HERE / file for file in _INSIDE)])
    return digest_of(
        [own, START, {library: importlib.metadata.version(library) for library in ("emx-onnx-cgen", "onnx")}]
    )


def _translated(content: bytes, name: str, interface: Interface, bench: Bench) -> dict[str, Any]:
    with bench.store.scratch() as folder:
        model = folder / "model.onnx"
        model.write_bytes(content)
        done = bench.sandbox.run(_job(model, interface))
    if done.out_of_time:
        detail = f"{name}: its translation to C is not through after {SECONDS:.0f} s; use a smaller network"
        raise CellError(Outcome.POLICY_TIMEOUT, detail, transient=True)
    if done.exit == _REFUSED:
        return {"refused": _message(done)}
    if not done.ok:
        bench.store.require_space(done.stderr)
        detail = f"{name}: the translation to C failed: {_printable(done.reason_line())}"
        raise CellError(Outcome.POLICY_ERROR, detail, done.transient)
    return _checked(done, name, interface)


def _checked(done: Finished, name: str, interface: Interface) -> dict[str, Any]:
    """What the sandbox gave, if it is what the translation writes: what ran there had read a stranger's file."""
    try:
        source = done.results["model.c"].decode("ascii")
        facts = json.loads(done.results["facts.json"])
        record = {
            "source": source,
            "features": [feature for feature in interface.names if feature in facts["features"]],
            "parameters": int(facts["parameters"]),
            "operators": int(facts["operators"]),
        }
    except (KeyError, TypeError, ValueError) as error:
        raise CellError(Outcome.POLICY_ERROR, f"{name}: its translation gave nothing usable: {error!r:.200}") from None
    if odd := unexpected(source):
        raise CellError(Outcome.POLICY_ERROR, f"{name}: its translation gave C with {odd}, which it never writes")
    return record


def _job(model: Path, interface: Interface) -> Job:
    python, folders = _interpreter()
    libraries = _library_folders()
    limits = Limits(
        wall=SECONDS, memory=2 * GIB, processes=4, files=1000, scratch=128 * MIB, file_size=64 * MIB, output=MIB
    )
    return Job(
        python,
        ("-I", "-S", "-B", "-c", START, ":".join(map(str, libraries)), interface.text()),
        files={
            f"{SCRATCH}/model.onnx": model,
            **{f"{SCRATCH}/{_PACKAGE}/{file}": _HERE / file for file in _INSIDE},
            f"{SCRATCH}/{Path(_PACKAGE).parent}/{_INTERFACE.name}": _INTERFACE,
        },
        system=True,
        folders=tuple(folder for folder in (*folders, *libraries) if not folder.is_relative_to("/usr")),
        environment={
            "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
        },
        results=("model.c", "facts.json"),
        limits=limits,
    )


@cache
def _interpreter() -> tuple[str, tuple[Path, ...]]:
    """A Python of this version that the sandbox can start, and the folders that it needs.

    The system's, where there is one: the sandbox shows it anyway, while an interpreter in somebody's home is often
    out of reach for the sandbox's user.
    """
    own = Path(sys.executable).resolve()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}{sys.abiflags}"
    for candidate in (own, Path("/usr/bin", version)):
        if candidate.is_relative_to("/usr") and os.access(candidate, os.X_OK):
            return str(candidate), ()
    return str(own), (Path(sys.base_prefix).resolve(),)


@cache
def _library_folders() -> tuple[Path, ...]:
    """Where the libraries lie, found without importing them. Raises PrerequisiteError."""
    folders: dict[Path, None] = {}
    for library in _LIBRARIES:
        found = importlib.util.find_spec(library)
        if found is None or found.origin is None:
            raise missing(library)
        folders[Path(found.origin).parent.parent] = None
    return tuple(folders)


def _message(done: Finished) -> str:
    return _printable(done.stderr.decode("ascii", "replace").strip()) or "refused without a word"


def _printable(text: str) -> str:
    kept = "".join(letter if letter.isprintable() else " " for letter in text)
    return kept if len(kept) <= _LONGEST_MESSAGE else f"{kept[:_LONGEST_MESSAGE]}…"
