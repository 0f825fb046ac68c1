"""What a wheel carries beside the package: suites, policies, native sources, results, and the commit that it is of.

An editable installation has none of it: it is a checkout, which has all of that itself.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMMIT = Path("build", "commit.json")


class CarryHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds what ``[tool.hatch.build.hooks.custom.carried]`` names to wheels, and the commit to sources, too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is made."""
        if version == "editable":
            return
        root = Path(self.root)
        if (known := provenance(root))["commit"] or not (root / COMMIT).is_file():  # unpacked sources bring theirs
            (root / COMMIT).parent.mkdir(exist_ok=True)
            (root / COMMIT).write_text(json.dumps(known))
        carried = {str(COMMIT): str(COMMIT)}
        if self.target_name == "wheel":
            carried = {**self.config["carried"], str(COMMIT): "harness/data/commit.json"}
        build_data["force_include"] |= {str(root / source): place for source, place in carried.items()}


def provenance(root: Path) -> dict[str, str | bool | None]:
    """The commit, and whether anything but results differs from it; both null where git says nothing."""
    commit = said(root, "rev-parse", "HEAD")
    changed = said(root, "--no-optional-locks", "status", "--porcelain", "--", ".", ":!results")
    return {"commit": commit, "dirty": None if commit is None else changed != ""}


def said(root: Path, *words: str) -> str | None:
    """What git says of the checkout."""
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
