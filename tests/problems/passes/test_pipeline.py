"""The tree of a pipeline: what is read is what opt reads, and no pass hides in it."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.problems.passes.check import PassRefusedError, vet
from harness.problems.passes.pipeline import DEEPEST, Element, PipelineError, elements, parse_pipeline
from harness.problems.passes.vetted import VETTED
from harness.toolchain import Toolchain

NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
PARAMETERS = st.none() | st.from_regex(r"[a-z0-9;=-]{0,8}", fullmatch=True)
TREES = st.recursive(
    st.builds(Element, NAMES, PARAMETERS),
    lambda inner: st.builds(Element, NAMES, PARAMETERS, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=8,
)
ALLOWED = sorted(record.name for record in VETTED.values() if record.allowed and record.unless is None)
REFUSED = sorted(record.name for record in VETTED.values() if not record.allowed)


def written(pipeline: tuple[Element, ...]) -> str:
    """The tree's text."""
    return ",".join(str(e) + (f"({written(e.inner)})" if e.inner is not None else "") for e in pipeline)


@given(st.lists(TREES, min_size=1, max_size=4).map(tuple))
def test_a_written_tree_is_read_back(pipeline: tuple[Element, ...]) -> None:
    assert parse_pipeline(written(pipeline)) == pipeline


@given(st.text() | st.text("(<>),;a-b \n=", max_size=30))
def test_any_text_is_a_tree_that_gives_the_text_again_or_an_error(text: str) -> None:
    try:
        pipeline = parse_pipeline(text)
    except PipelineError:
        return
    assert written(pipeline) == text


@given(st.text("(<>),;a-b=", max_size=30))
def test_the_tree_is_the_one_that_opt_reads(text: str) -> None:
    """opt splits at commas and round brackets only: every piece between them is one element of the tree."""
    try:
        pipeline = parse_pipeline(text)
    except PipelineError:
        return
    pieces = [piece for piece in text.replace("(", ",").replace(")", ",").split(",") if piece]
    assert [str(element) for element in elements(pipeline)] == pieces


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a pass is missing or misspelt at the end"),
        ("sroa,", "a pass is missing or misspelt at the end"),
        ("sroa,,gvn", "a pass is missing or misspelt at ',gvn'"),
        ("function()", "a pass is missing or misspelt at ')'"),
        ("function(sroa", "'(' is never closed"),
        ("sroa)", "')' closes nothing at ')'"),
        ("function(sroa)gvn", "a comma is missing at 'gvn'"),
        ("function(sroa)(gvn)", "a comma is missing at '(gvn)'"),
        ("gvn<pre,lower-invoke,pre>", "a comma is missing at '<pre,lower-invoke,pre>'"),
        ("gvn<(lower-invoke)>", "a comma is missing at '<(lower-invoke)>'"),
        ("print<da><normalized-results>", "a comma is missing at '<normalized-results>'"),
        ("function(gvn )", "a comma is missing at ' )'"),
        (" gvn", "a pass is missing or misspelt at ' gvn'"),
        ("g\u0308vn", "a comma is missing at "),
    ],
)
def test_what_is_no_pipeline_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(PipelineError) as raised:
        parse_pipeline(text)
    assert message in str(raised.value)


def test_deep_nesting_is_refused_and_does_not_exhaust_the_stack() -> None:
    assert len(list(elements(parse_pipeline("module(" * DEEPEST + "no-op-module" + ")" * DEEPEST)))) == DEEPEST + 1
    with pytest.raises(PipelineError, match="nested more than"):
        parse_pipeline("module(" * 100_000 + "no-op-module" + ")" * 100_000)


@settings(max_examples=60)
@given(
    st.sampled_from(REFUSED),
    st.lists(
        st.sampled_from(["function({})", "cgscc({})", "function(loop({}))", "module({})", "devirt<2>({})"]), max_size=4
    ),
    st.lists(st.sampled_from(["gvn", "default<Oz>", "function(sroa,early-cse<memssa>)", "cgscc(inline)"]), max_size=4),
    st.integers(0, 4),
)
def test_no_pass_hides(refused: str, around: list[str], beside: list[str], place: int) -> None:
    """Wherever it stands, among whatever it stands, with whatever parameters."""
    for text in (refused, f"{refused}<x;y>"):
        for adaptor in around:
            text = adaptor.format(f"sroa,{text},gvn")
        whole = ",".join([*beside[:place], text, *beside[place:]])
        with pytest.raises(PassRefusedError, match=f"'{refused}[<']"):
            vet(whole)


@pytest.mark.parametrize("level", ["O1", "O2", "O3", "Os", "Oz", "O0"])
def test_the_text_that_opt_prints_of_its_pipelines_is_allowed(level: str, toolchain: Toolchain) -> None:
    """A list may be LLVM's own pipeline with changes: all of its steps must be there."""
    command = [toolchain.tool("opt"), f"-passes=default<{level}>", "-print-pipeline-passes", "-disable-output", "-"]
    module = 'target triple = "x86_64-unknown-linux-gnu"\n'
    done = subprocess.run(command, input=module, capture_output=True, text=True, timeout=60, check=True)
    conditions = {condition.unless.value for condition in vet(done.stdout.strip())}
    assert conditions == {"coroutines"}
