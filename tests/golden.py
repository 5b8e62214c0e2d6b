"""The golden repositories: left by the Go Entire CLI of February 2026, unpacked for one test each."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

HOME = "/home/dev"
FOLDER = Path(__file__).parent / "fixtures" / "golden"
STAGES = sorted(str(path.relative_to(FOLDER))[: -len(".tar.gz")] for path in FOLDER.glob("*/*.tar.gz"))
WHOLE = (
    "auto/03-third-turn", "clones/01-two-clones-pushed", "gemini/03-user-commit", "live/05-active-agent-committed",
    "live/07-active-again", "manual/11-linked-worktree", "manual/12-amend-with-open-step",
)  # fmt: skip
"""The stages that between them hold every checkpoint there ever was: a stage begins with what the one before it has."""
TRUTH: list[dict[str, Any]] = json.loads((FOLDER / "truth.json").read_text())


def unpack(stage: str, target: Path) -> Path:
    """Unpack a stage (``manual/03-user-commit``) so that ``target`` stands for the home directory."""
    target.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-xzf", FOLDER / f"{stage}.tar.gz", "-C", target, "--no-same-owner"], check=True)
    for path in [*target.glob("*/.git/entire-sessions/*.json"), *target.glob(".claude/projects/*/**/*.jsonl")]:
        os.chmod(path, 0o600)
        path.write_text(path.read_text().replace(HOME + "/", f"{target}/"))
    for path in [*target.glob("*/.git"), *target.glob("*/.git/worktrees/*/gitdir"), *target.glob("*/.git/config")]:
        if path.is_file():  # linked worktrees and remotes name absolute paths
            path.write_text(path.read_text().replace(HOME + "/", f"{target}/"))
    return target


def repositories(home: Path) -> list[Path]:
    """Return the repositories with a worktree in an unpacked stage."""
    return sorted(path.parent for path in home.glob("*/.git") if path.is_dir())
