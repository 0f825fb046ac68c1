"""LLVM 22 is found where it is, refused where it is another version or incomplete, and named by its files."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from harness.base.digest import digest_of
from harness.base.errors import PrerequisiteError
from harness.base.process import Limits, run
from harness.base.vocabulary import Target
from harness.toolchain import TARGETS, Toolchain, find_toolchain, llvm

TOOLS = (
    *("clang", "clang++", "opt", "llvm-link", "llvm-dis", "ld.lld"),
    *("llvm-ar", "llvm-ranlib", "llvm-nm", "llvm-as"),
    *("llvm-mca", "llvm-objdump", "llvm-readobj"),
)


def stub(path: Path, text: str) -> Path:
    """A program that prints the text, whatever it is asked."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n")
    path.chmod(0o755)
    return path


def installation(prefix: Path, version: str, tools: tuple[str, ...] = TOOLS) -> Path:
    """Programs that say they are LLVM of a version."""
    for tool in tools:
        stub(prefix / "bin" / tool, f"Debian clang version {version} (++20260101)\nTarget: x86_64-pc-linux-gnu")
    return prefix


def linked(prefix: Path, toolchain: Toolchain, without: str | None = None) -> Path:
    """The real tools under another prefix."""
    (prefix / "bin").mkdir(parents=True)
    for tool in TOOLS:
        if tool != without:
            (prefix / "bin" / tool).symlink_to(toolchain.tool(tool))
    return prefix


def fault(environment: dict[str, str]) -> PrerequisiteError:
    with pytest.raises(PrerequisiteError) as raised:
        find_toolchain(environment)
    assert raised.value.exit_code == 3
    assert "apt-get install clang-22" in (raised.value.hint or "")
    return raised.value


@pytest.fixture
def no_usual_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine where LLVM is in none of the usual places."""
    monkeypatch.setattr(llvm, "_USUAL_FOLDERS", ())


# --- HARNESS_LLVM


def test_the_prefix_and_its_bin_folder_are_both_accepted(tmp_path: Path, toolchain: Toolchain) -> None:
    prefix = linked(tmp_path / "llvm", toolchain)
    for configured in (prefix, prefix / "bin", f"{prefix}/"):
        found = find_toolchain({"HARNESS_LLVM": str(configured), "PATH": ""})
        assert (found.bin, found.version) == (prefix / "bin", toolchain.version)


def test_a_relative_folder_is_one_of_now(tmp_path: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    linked(tmp_path / "llvm", toolchain)
    monkeypatch.chdir(tmp_path)
    found = find_toolchain({"HARNESS_LLVM": "llvm"})
    assert run([found.tool("clang"), "--version"], cwd=Path("/"), limits=Limits(wall=20)).ok
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_toolchain({"HARNESS_LLVM": "~/llvm"}).bin == tmp_path / "llvm" / "bin"


def test_a_folder_without_clang_is_named(tmp_path: Path) -> None:
    for configured in (tmp_path, tmp_path / "nowhere", tmp_path / "nowhere" / "bin"):
        error = fault({"HARNESS_LLVM": str(configured)})
        assert (error.message, error.where) == ("there is no clang here", f"HARNESS_LLVM={configured}")


@pytest.mark.parametrize("version", ["21.1.0", "23.0.0", "2.2.0", "220.0.1"])
def test_another_version_is_refused(version: str, tmp_path: Path) -> None:
    prefix = installation(tmp_path / "llvm", version)
    error = fault({"HARNESS_LLVM": str(prefix)})
    assert error.message == f"this is LLVM {version}; results are only comparable with LLVM 22"
    assert error.where == f"HARNESS_LLVM={prefix}"


@pytest.mark.parametrize("missing", TOOLS[1:])
def test_an_incomplete_installation_is_refused(missing: str, tmp_path: Path, toolchain: Toolchain) -> None:
    prefix = linked(tmp_path / "llvm", toolchain, without=missing)
    error = fault({"HARNESS_LLVM": str(prefix)})
    assert error.message == f"LLVM {toolchain.version} lacks {missing}"
    assert error.where == str(prefix / "bin")


@pytest.mark.parametrize("what", ["not executable", "fails", "rubbish", "bytes", "folder"])
def test_a_clang_that_does_not_run_is_refused(what: str, tmp_path: Path) -> None:
    clang = stub(tmp_path / "bin" / "clang", "hello")
    if what == "not executable":
        clang.chmod(0o644)
    elif what == "fails":
        clang.write_text("#!/bin/sh\nexit 1\n")
    elif what == "bytes":
        clang.write_bytes(b"#!/bin/sh\nprintf '\\377\\376'\n")
    elif what == "folder":
        clang.unlink()
        clang.mkdir()
    assert fault({"HARNESS_LLVM": str(tmp_path)}).message == "clang does not run"


def test_a_wrong_setting_is_not_passed_over(tmp_path: Path, toolchain: Toolchain) -> None:
    """Who sets HARNESS_LLVM wants that one: no other is taken in its place."""
    environment = {"HARNESS_LLVM": str(installation(tmp_path, "21.1.0")), "PATH": str(toolchain.bin)}
    assert "21.1.0" in fault(environment).message


# --- PATH and the usual folders


def test_it_is_found_by_path(tmp_path: Path, toolchain: Toolchain, no_usual_folders: None) -> None:
    assert find_toolchain({"PATH": f"{tmp_path}:{toolchain.bin}"}) == toolchain
    (tmp_path / "clang-22").symlink_to(toolchain.tool("clang"))  # as Debian's alternatives do
    assert find_toolchain({"PATH": str(tmp_path)}).version == toolchain.version


def test_another_version_in_path_is_passed_over(tmp_path: Path, toolchain: Toolchain, no_usual_folders: None) -> None:
    older = installation(tmp_path / "old", "21.1.0") / "bin"
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "clang-22").symlink_to(toolchain.tool("clang"))
    found = find_toolchain({"PATH": f"{older}:{tmp_path / 'new'}"})
    assert found.version == toolchain.version


def test_the_usual_folders_are_looked_at_last(
    tmp_path: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = installation(tmp_path / "old", "21.1.0") / "bin"
    usual = linked(tmp_path / "usual", toolchain)
    monkeypatch.setattr(llvm, "_USUAL_FOLDERS", (str(tmp_path / "nowhere"), str(usual)))
    for path in ("", str(tmp_path), str(older)):
        assert find_toolchain({"PATH": path}).bin == usual / "bin"


def test_without_llvm_the_command_that_installs_it_is_named(tmp_path: Path, no_usual_folders: None) -> None:
    for environment in ({"PATH": ""}, {"PATH": str(tmp_path)}):
        assert fault(environment).message == "LLVM 22 is not installed"
    older = installation(tmp_path, "21.1.0") / "bin"
    assert fault({"PATH": str(older)}).message == f"LLVM 22 is not installed ({older / 'clang'} is 21.1.0)"


# --- the fingerprint


def pretended(prefix: Path) -> Toolchain:
    """An installation of small files."""
    installation(prefix, "22.1.0")
    for library in ("libLLVM.so.22.1", "libclang-cpp.so.22.1"):
        (prefix / "lib").mkdir(exist_ok=True)
        (prefix / "lib" / library).write_text(library)
    return Toolchain(prefix / "bin", "22.1.0")


def anew(toolchain: Toolchain) -> Toolchain:
    return Toolchain(toolchain.bin, toolchain.version)


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("file", "llvm_changes", "runtime_changes"),
    [
        ("bin/clang", True, False),
        ("bin/opt", True, False),
        ("bin/llvm-link", True, False),
        ("lib/libLLVM.so.22.1", True, False),
        ("lib/libclang-cpp.so.22.1", True, False),
        ("bin/ld.lld", False, True),
        ("bin/llvm-dis", False, False),
        ("lib/libother.so", False, False),
    ],
)
def test_each_family_depends_on_its_own_files(
    file: str, llvm_changes: bool, runtime_changes: bool, tmp_path: Path, empty_cache: Path
) -> None:
    toolchain = pretended(tmp_path / "llvm")
    before = toolchain.fingerprint
    path = tmp_path / "llvm" / file
    path.write_text((path.read_text() if path.exists() else "") + "# rebuilt\n")
    after = anew(toolchain).fingerprint
    assert (after.llvm != before.llvm) == llvm_changes
    for target in Target:
        assert (after.runtime[target.value] != before.runtime[target.value]) == runtime_changes


def test_a_targets_counts_depend_on_its_emulator_and_library(
    tmp_path: Path, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolchain = pretended(tmp_path / "llvm")
    library = tmp_path / "libc.a"
    library.write_text("one")
    arm = replace(TARGETS[Target.AARCH64], libc=(str(library),))
    monkeypatch.setattr(llvm, "TARGETS", {**TARGETS, Target.AARCH64: arm})
    monkeypatch.setenv("PATH", str(tmp_path))
    stub(tmp_path / "qemu-aarch64", "one")
    before = toolchain.fingerprint
    stub(tmp_path / "qemu-aarch64", "two two")
    emulated = anew(toolchain).fingerprint
    library.write_text("two two")
    linked_anew = anew(toolchain).fingerprint
    assert before.llvm == emulated.llvm == linked_anew.llvm
    assert before.runtime["x86-64"] == emulated.runtime["x86-64"] == linked_anew.runtime["x86-64"]
    assert len({f.runtime["aarch64"] for f in (before, emulated, linked_anew)}) == 3


def test_it_does_not_depend_on_where_llvm_lies(tmp_path: Path, empty_cache: Path) -> None:
    one, other = pretended(tmp_path / "one"), pretended(tmp_path / "the other")
    assert one.fingerprint == other.fingerprint
    assert Toolchain(one.bin, "22.1.1").fingerprint.llvm != one.fingerprint.llvm


def test_digests_of_files_are_remembered_while_they_are_unchanged(tmp_path: Path, empty_cache: Path) -> None:
    toolchain = pretended(tmp_path / "llvm")
    first = toolchain.fingerprint
    memory = empty_cache / "file-digests.json"
    known = json.loads(memory.read_bytes())["files"]
    assert any(name.startswith(f"{tmp_path}/llvm/bin/clang:") for name in known)
    other = dict.fromkeys(known, "remembered")
    memory.write_text(json.dumps({"sha256": digest_of(other), "files": other}))
    assert anew(toolchain).fingerprint != first  # it did not read the files again
    memory.write_text(json.dumps({"sha256": digest_of(known), "files": other}))
    assert anew(toolchain).fingerprint == first, "what was edited by hand is not believed"
    memory.write_text("{torn")
    assert anew(toolchain).fingerprint == first


def test_a_cache_that_cannot_be_written_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toolchain = pretended(tmp_path / "llvm")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / "file" / "below"))
    assert toolchain.fingerprint.llvm


def test_a_missing_emulator_or_library_names_its_packages(
    tmp_path: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert toolchain.emulator(Target.X86_64) is None
    assert os.access(toolchain.emulator(Target.AARCH64) or "", os.X_OK)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PrerequisiteError, match="qemu-aarch64 is not installed") as raised:
        anew(toolchain).runtime_fingerprint(Target.AARCH64)
    assert "qemu-user" in (raised.value.hint or "")
    assert Target.AARCH64.value not in anew(toolchain).fingerprint.runtime
    gone = {target: replace(spec, libc=("/nowhere/libc.a",)) for target, spec in TARGETS.items()}
    monkeypatch.setattr(llvm, "TARGETS", gone)
    with pytest.raises(PrerequisiteError, match="no static C library for x86-64") as raised:
        anew(toolchain).libc(Target.X86_64)
    assert "libc6-dev" in (raised.value.hint or "")
