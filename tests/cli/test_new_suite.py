"""``harness suites new``: the beginning of a suite, which is admitted as it is; of a Debian package, what apt knows."""

import tomllib
from pathlib import Path

import pytest

from harness.base.errors import UsageError
from harness.suite.load import load_suite
from tests.drive import Command, User, in_process

DIGEST = "ab" * 32
APT = f"""#!/bin/sh
case "$*" in
*--print-uris*squeeze=1:1.9-2|*--print-uris*squeeze=1:2.0-1) name=squeeze version="${{*##*=1:}}" ;;
*--print-uris*squeeze|*--print-uris*squash) name="${{*##* }}" version=2.0-1 ;;
*) exit 0 ;;
esac
echo "'http://x/one.dsc' ${{name}}_$version.dsc 9 SHA256:{"0" * 64}"
echo "'http://x/www.tar' ${{name}}_${{version%-*}}.orig-www.tar.xz 9 SHA256:{"1" * 64}"
echo "'http://x/one.tar' ${{name}}_${{version%-*}}.orig.tar.xz 9 SHA256:{DIGEST}"
"""
CACHE = """#!/bin/sh
case "$*" in *squeeze) printf 'Package: squeeze\\nVersion: 1:2.0-1\\n\\nPackage: squeeze\\nVersion: 1:1.9-2\\n' ;; esac
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    return in_process(tmp_path / "cache", monkeypatch, capsys)


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An apt that knows a package in two versions, and another; their documentation is a tarball of its own."""
    for name, text in (("apt-get", APT), ("apt-cache", CACHE)):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")


def source(file: str) -> dict[str, str]:
    content = tomllib.loads(Path(file).read_text())["sources"]
    (one,) = content.values()
    return {name: one[name] for name in ("package", "version", "tarball", "sha256")}


def test_one_of_ones_own_is_whole(run: Command) -> None:
    answer = run("suites", "new", "./mine")
    assert (answer.code, answer.out) == (0, "harness suites check mine/suite.toml\n")
    (program,) = load_suite("./mine").programs
    assert program.id == "mine/hello"
    before = Path("mine/suite.toml").read_text()
    run("suites", "new", "mine").refused(2, "there already")
    assert Path("mine/suite.toml").read_text() == before
    run("suites", "new", "Mine").refused(2, "'Mine' is no name")
    run("suites", "new", "other", "--version", "1").refused(2, "--debian")


@pytest.mark.slow
def test_it_is_admitted_as_it_is(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    user.harness("suites", "new", "mine", cwd=tmp_path, code=0)
    assert "1 of 1 programs of mine are admitted" in user.harness("suites", "check", tmp_path / "mine", code=0).err


@pytest.mark.usefixtures("apt")
def test_what_apt_knows_of_a_package_is_written(run: Command) -> None:
    assert run("suites", "new", "new", "--debian", "squeeze").code == 0
    assert source("new/suite.toml") == {
        "package": "squeeze",
        "version": "2.0",
        "tarball": "squeeze_2.0.orig.tar.xz",
        "sha256": DIGEST,
    }
    assert run("suites", "new", "old/suite.toml", "--debian", "squeeze", "--version", "1.9").code == 0
    assert source("old/suite.toml")["tarball"] == "squeeze_1.9.orig.tar.xz"
    with pytest.raises(UsageError, match="licence: still to be filled in"):
        load_suite("./new")
    written = Path("new/suite.toml").read_text()
    Path("new/suite.toml").write_text(written.replace('licence = "…"', 'licence = "MIT"'))
    (program,) = load_suite("./new").programs
    assert program.source.build is not None and program.benchmark.program == "squeeze"
    run("suites", "new", "none", "--debian", "squeeze", "--version", "3").refused(2, "no version 3", "1.9, 2.0")
    run("suites", "new", "none", "--debian", "unheard-of").refused(2, "no source package 'unheard-of'")
    assert not Path("none").exists()


@pytest.mark.usefixtures("apt")
def test_several_packages_make_one_suite(run: Command) -> None:
    assert run("suites", "new", "both", "--debian", "squeeze", "--debian", "squash,squeeze").code == 0
    content = tomllib.loads(Path("both/suite.toml").read_text())
    assert [*content["sources"]] == [one["name"] for one in content["benchmarks"]] == ["squeeze", "squash"]
    run("suites", "new", "one", "--debian", "squeeze,squash", "--version", "2.0").refused(2, "of one Debian package")


def test_without_apt_it_says_what_to_fill_in(run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = run("suites", "new", "new", "--debian", "squeeze", "--version", "2.0")
    assert answer.code == 0 and "fill in version, tarball and sha256" in answer.err and "--print-uris" in answer.err
    assert source("new/suite.toml") == {"package": "squeeze", "version": "2.0", "tarball": "…", "sha256": "…"}
