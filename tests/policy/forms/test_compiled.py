"""How long the compiler of a submission's files may take."""

from pathlib import Path

import pytest

from harness.policy.forms import compiled
from harness.policy.forms.compiled import compile_foreign
from harness.sandbox import Reason
from harness.sandbox.bench import Bench

_ENDLESS = "\n".join(["#define N0", *(f"#define N{n + 1} {f'N{n} ' * 16}" for n in range(12)), "int x = N12 1;"])
"""What a compiler never comes to the end of."""


@pytest.mark.parametrize("seconds", [None, 0.4])
def test_it_is_stopped_by_its_cpu_time(
    seconds: float | None, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And has ten times as much by the clock, so that a busy machine does not fail a policy."""
    monkeypatch.setattr(compiled, "SECONDS", 0.2)
    source = tmp_path / "endless.c"
    source.write_text(_ENDLESS)
    own = Bench(bench.toolchain, bench.cache, compile_timeout=0.3)
    done = compile_foreign("clang", ("-c", "endless.c", "-o", "x.o"), {"endless.c": source}, "x.o", own, seconds)
    assert done.reason is Reason.CPU
    assert (done.limits.cpu, done.limits.wall) == ((0.4, 4.0) if seconds else (0.3, 3.0))
