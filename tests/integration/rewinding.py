"""Rewinds and their undo, as a program carries them out."""

from __future__ import annotations

from typing import Any

from entire.model.requests import RewindRequest
from entire.model.views.points import RewindView
from entire.workspace import Workspace
from tests.integration.story import Story


def points(story: Story) -> list[str]:
    """Return the ids of all points, newest first."""
    return [point.id for point in Workspace.find(story.root).points.listing(0)]


def rewind(story: Story, point: str, **request: Any) -> RewindView:
    with Workspace.find(story.root).points.rewind(RewindRequest(to=point, **request)) as planned:
        return planned.carry_out()


def undo(story: Story) -> RewindView:
    with Workspace.find(story.root).undo.rewind() as planned:
        return planned.carry_out()


def commit_turns(story: Story) -> None:
    """Have the stored checkpoints say that they are of the strategy that commits each turn."""
    branch = "entire/checkpoints/v1"
    index = {"GIT_INDEX_FILE": str(story.root.parent / "index")}
    story.git("read-tree", branch, env=index)
    for name in story.git("ls-tree", "-r", "--name-only", branch).split():
        if name.endswith("metadata.json"):
            data = story.show(name).replace('"manual-commit"', '"auto-commit"')
            blob = story.git("hash-object", "-w", "--stdin", stdin=data).strip()
            story.git("update-index", "--cacheinfo", f"100644,{blob},{name}", env=index)
    tree = story.git("write-tree", env=index).strip()
    new = story.git("commit-tree", tree, "-p", branch, "-m", "Say so").strip()
    story.git("update-ref", f"refs/heads/{branch}", new)
