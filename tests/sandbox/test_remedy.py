"""Where a sandbox cannot be set up, the hint is the exact command that helps."""

from pathlib import Path

import pytest

from harness.sandbox.remedy import remedy

SETTINGS = {
    "kernel/apparmor_restrict_unprivileged_userns": "0",
    "kernel/unprivileged_userns_clone": "1",
    "user/max_user_namespaces": "94000",
}
NEW_NAMESPACE = "bwrap: Creating new namespace failed: Operation not permitted"
TRUST = "or run with --trust if every policy, suite and program is your own"


def settings(folder: Path, **changed: str) -> Path:
    """A fake /proc/sys: a kernel that allows everything, but for the changes (by the setting's last name)."""
    for name, value in SETTINGS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(changed.get(path.name, value) + "\n")
    return folder


@pytest.mark.parametrize(
    ("setting", "now", "command"),
    [
        (
            "apparmor_restrict_unprivileged_userns",
            "1",
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ("unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
        ("max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=10000"),
    ],
)
@pytest.mark.parametrize("words", [NEW_NAMESPACE, "bwrap: Can't mount proc on /newroot/proc", "", "anything"])
def test_a_setting_that_forbids_is_named(tmp_path: Path, setting: str, now: str, command: str, words: str) -> None:
    hint = remedy(words, settings(tmp_path, **{setting: now}))
    assert hint == f"{command}   (now {now}; in a file below /etc/sysctl.d it outlives a restart); {TRUST}"


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined;"),
        ("bwrap: Failed to mount proc: Permission denied", "systempaths=unconfined;"),
        (NEW_NAMESPACE, "seccomp=unconfined --security-opt apparmor=unconfined;"),
        ("bwrap: No permissions to create new namespace", "seccomp=unconfined --security-opt apparmor=unconfined;"),
        ("bwrap: setting up uid map: Permission denied", "seccomp=unconfined --security-opt apparmor=unconfined;"),
    ],
)
def test_a_container_that_forbids(tmp_path: Path, words: str, option: str, there: bool) -> None:
    hint = remedy(words, settings(tmp_path) if there else tmp_path / "none")
    assert f"in a container, start it with --security-opt {option}" in hint
    assert hint.endswith(TRUST) and "sysctl" not in hint


@pytest.mark.parametrize("changed", [{}, {"apparmor_restrict_unprivileged_userns": "1"}])
def test_a_folder_that_the_sandbox_cannot_reach(tmp_path: Path, changed: dict[str, str]) -> None:
    words = "bwrap: Can't find source path /root/my llvm: Permission denied"
    hint = remedy(words, settings(tmp_path, **changed))
    assert "chmod o+rx '/root/my llvm' and the folders above it" in hint
    assert "namespace" not in hint and "sysctl" not in hint


@pytest.mark.parametrize("words", ["", "bwrap: Can't find source path /nowhere: No such file or directory"])
def test_without_a_clue_bubblewrap_itself_is_to_be_tried(tmp_path: Path, words: str) -> None:
    assert (
        remedy(words, settings(tmp_path))
        == f"`bwrap --unshare-all --ro-bind / / true` shows whether bubblewrap works at all; {TRUST}"
    )
