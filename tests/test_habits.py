"""What people expect beside the code says what is true: forms, workflow, hooks, citation, changelog, container."""

import json
import os
import re
import shutil
import subprocess
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner

import harness
from tests.drive import ROOT

GITHUB = ROOT / ".github"
GATES = ("gate", "gate-report")
WORKFLOW = GITHUB / "workflows" / "ci.yml"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
DOCUMENTS = [*ROOT.glob("*.md"), *GITHUB.rglob("*.md")]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
OPTIONS = {f"--security-opt {what}=unconfined" for what in ("seccomp", "apparmor", "systempaths")}


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text())


def slug(heading: str) -> str:
    """The anchor that the hosting site makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def made_by_check() -> list[str]:
    """The commands of `make check`, as a shell gets them."""
    rule = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert rule
    text = re.sub(r"\\\n\s*", "", rule[1]).replace("$$", "$")
    return [line.strip() for line in text.splitlines()]


def hooks() -> dict[str, dict[str, Any]]:
    [local] = read(".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"
    return {hook["id"]: hook for hook in local["hooks"]}


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", WORKFLOWS),
        ("custom.github-workflows-require-timeout", WORKFLOWS),
        ("vendor.github-issue-forms", [path for path in GITHUB.glob("ISSUE_TEMPLATE/*") if path.stem != "config"]),
        ("vendor.github-issue-config", [GITHUB / "ISSUE_TEMPLATE" / "config.yml"]),
        ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
    ],
)
def test_files_are_valid(schema: str, files: list[Path]) -> None:
    kind = ("--force-filetype", "yaml") if "citation" in schema else ()
    checked = CliRunner().invoke(check_jsonschema, ["--builtin-schema", schema, *kind, *map(str, files)])
    assert checked.exit_code == 0, checked.output


def test_zizmor_finds_nothing_in_the_workflow() -> None:
    zizmor = Path(sysconfig.get_path("scripts")) / "zizmor"
    command = [zizmor, "--offline", "--no-progress", "--persona", "auditor", GITHUB]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="actionlint is not here")
def test_actionlint_finds_nothing_in_the_workflow() -> None:
    found = subprocess.run(["actionlint", *WORKFLOWS], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_workflow_runs_ci_with_few_rights_and_no_action_of_others() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text())
    [job] = workflow["jobs"].values()
    steps = job["steps"]
    assert workflow["permissions"] == {"contents": "read"}
    assert "permissions" not in job
    assert not [step["name"] for step in steps if "uses" in step]
    assert "harness .ci/run" in steps[-1]["run"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_the_gate_has_no_rights_and_its_report_few() -> None:
    """The gate runs strangers' code, and has nothing; what may write runs nothing of the request."""
    gate, report = (yaml.safe_load((GITHUB / "workflows" / f"{name}.yml").read_text()) for name in GATES)
    assert gate["permissions"] == report["permissions"] == {}
    assert [job.get("permissions") for job in gate["jobs"].values()] == [None]
    assert [job["permissions"] for job in report["jobs"].values()] == [{"actions": "read", "pull-requests": "write"}]
    text = (GITHUB / "workflows" / "gate.yml").read_text()
    assert "secrets." not in text and "github.token" not in text
    assert "--network none" in text
    steps = [step for workflow in (gate, report) for job in workflow["jobs"].values() for step in job["steps"]]
    assert all(
        "@" not in step.get("uses", "@") or re.search(r"@[0-9a-f]{40}$", step["uses"])
        for step in steps
        if "uses" in step
    )
    checked_out = [line for step in steps for line in step.get("run", "").splitlines() if "git checkout" in line]
    assert checked_out == ["git checkout --quiet --detach FETCH_HEAD"] * 2
    for step in steps:
        lines = step.get("run", "").splitlines()
        fetched = [line for line in lines if line.startswith("git fetch")]
        if fetched:
            assert "BASE" in fetched[0] or "MAIN" in fetched[0]
            assert lines.index("git checkout --quiet --detach FETCH_HEAD") == lines.index(fetched[0]) + 1
        assert not re.search(r"\$\{\{", step.get("run", "")), "words of a request never become a script"


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not here, which stands for gh's own")
@pytest.mark.parametrize(("head", "commented"), [("b" * 40, "7"), ("c" * 40, ""), ("e" * 40, "8 9")])
def test_a_report_is_a_comment_of_the_requests_that_end_at_its_commit(
    head: str, commented: str, tmp_path: Path
) -> None:
    """Not of one that goes on behind it. GitHub lists no request of a commit that is in a fork alone, and open requests
    by pages."""
    opened = {6: "a" * 40, 7: "b" * 40, 8: "e" * 40, 9: "e" * 40}
    pages = [[{"number": number, "state": "open", "head": {"sha": sha}}] for number, sha in opened.items()]
    (tmp_path / "pulls.json").write_text("\n".join(map(json.dumps, pages)))
    (tmp_path / "none.json").write_text("[]")
    said = tmp_path / "said"
    said.write_text("")
    gh = f"""#!/bin/sh
    case "$1" in
      api)
        shift
        for word; do
          case "$word" in
            repos/a/b/pulls\\?*state=open*) answer={tmp_path}/pulls.json ;;
            repos/a/b/commits/*) answer={tmp_path}/none.json ;;
          esac
        done
        while [ "$1" != --jq ]; do shift; done
        jq --raw-output "$2" "$answer" ;;
      pr) echo "$3" >> {said} ;;
    esac
    """
    harness = tmp_path / ".venv" / "bin" / "harness"
    harness.parent.mkdir(parents=True)
    for place, text in ((tmp_path / "gh", gh), (harness, "#!/bin/sh\n")):
        place.write_text(text)
        place.chmod(0o755)
    report = yaml.safe_load((GITHUB / "workflows" / "gate-report.yml").read_text())
    step = report["jobs"]["comment"]["steps"][-1]
    words = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "GH_REPO": "a/b", "HEAD": head, "MAIN": "d" * 40}
    subprocess.run(["bash", "-e", "-c", step["run"]], cwd=tmp_path, env=words, check=True, timeout=60)
    assert said.read_text().split() == commented.split()


def test_containers_are_started_as_the_sandbox_needs_it() -> None:
    for path in (WORKFLOW, ROOT / "Containerfile", ROOT / "docs" / "sandbox.md"):
        assert set(re.findall(r"--security-opt [\w=]+", path.read_text())) == OPTIONS, path.name


def test_the_container_has_the_command_where_set_up_puts_it() -> None:
    text = (ROOT / "Containerfile").read_text()
    folder = re.search(r"^WORKDIR (\S+)$", text, re.MULTILINE)
    assert folder
    assert f'PATH="{folder[1]}/.venv/bin:$PATH"' in text
    assert re.search(r'^ARG SETUP=run\nRUN scripts/setup "\$SETUP"', text, re.MULTILINE)


def test_a_container_is_made_of_whatever_set_up_the_documents_say() -> None:
    """And each of them is one that `scripts/setup` knows."""
    [usage] = re.findall(r"^# usage: scripts/setup (\S+)", (ROOT / "scripts" / "setup").read_text(), re.MULTILINE)
    for path in (ROOT / "Containerfile", ROOT / "docs" / "official.md"):
        assert set(re.findall(r"--build-arg SETUP=(\w+)", path.read_text())) == {"pinned"}, path.name
    [usual] = re.findall(r"^ARG SETUP=(\w+)$", (ROOT / "Containerfile").read_text(), re.MULTILINE)
    assert {usual, "pinned"} <= set(usage.split("|"))


def test_the_container_lacks_nothing_that_git_knows() -> None:
    """Otherwise its checkout would differ from the commit, and runs in it would be recorded as dirty."""
    ignored = set((ROOT / ".gitignore").read_text().split())
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    left_out = {line.removeprefix("**/") for line in lines if not line.startswith("#")}
    assert left_out <= ignored


def test_every_hook_is_a_command_of_make_check_and_the_other_way_round() -> None:
    entries = [hook["entry"].removeprefix("sh -c 'for source; do ").removesuffix("' --") for hook in hooks().values()]
    commands = made_by_check()
    assert [entry for entry in entries if not any(entry in command for command in commands)] == []
    assert [command for command in commands if not any(entry in command for entry in entries)] == []


@pytest.mark.parametrize(("hook", "endings"), [("clang-format", "c h cpp"), ("clang-tidy", "c cpp")])
def test_hooks_of_native_code_see_what_make_check_sees(hook: str, endings: str) -> None:
    wanted = {path for ending in endings.split() for path in ROOT.glob(f"native/*/*.{ending}")}
    pattern = re.compile(hooks()[hook]["files"])
    seen = {path for path in ROOT.glob("native/**/*") if pattern.search(path.relative_to(ROOT).as_posix())}
    assert seen == wanted


def test_the_citation_is_of_this_version() -> None:
    citation = read("CITATION.cff")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert citation["version"] == harness.__version__
    assert citation["license"] == project["license"]
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in project["authors"]]


def test_the_changelog_has_a_section_of_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    versions = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (Unreleased|\d{4}-\d\d-\d\d)", heading) for heading in headings]
    assert all(versions), headings
    numbers = [tuple(map(int, version[1].split("."))) for version in versions if version]
    assert numbers == sorted(numbers, reverse=True)
    assert headings[0].startswith(f"[{harness.__version__}]")
    assert not any("Unreleased" in heading for heading in headings[1:])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for name, anchor in LINK.findall(document.read_text()):
        target = document.parent / name if name else document
        assert target.exists(), name
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
            assert anchor in map(slug, headings), f"{name}#{anchor}"


def test_pinned_versions_are_exact_and_of_what_decides_objects_and_counts() -> None:
    lines = (ROOT / "requirements" / "debian.txt").read_text().splitlines()
    pinned = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    assert len(pinned) == len([line for line in lines if not line.startswith("#")])
    assert all(re.fullmatch(r"([0-9]+:)?[0-9][A-Za-z0-9.+~-]*", version) for version in pinned.values())
    assert {
        "clang-22",
        "llvm-22",
        "lld-22",
        "libllvm22",
        "libc6-dev",
        "qemu-user",
        "libc6-dev-arm64-cross",
    } <= pinned.keys()
    assert len({pinned[name] for name in pinned if name.endswith("-22") or "llvm22" in name}) == 1, "one LLVM"
