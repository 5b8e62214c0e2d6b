"""Rewinds and their undo, as a program carries them out."""

from __future__ import annotations

from typing import Any

from entire.model.requests import RewindRequest
from entire.model.views import RewindView
from entire.workspace import Workspace
from tests.integration.story import Story


def points(story: Story) -> list[str]:
    """Return the ids of all points, newest first."""
    return [point.id for point in Workspace.find(story.root).points(0)]


def rewind(story: Story, point: str, **request: Any) -> RewindView:
    with Workspace.find(story.root).rewind(RewindRequest(to=point, **request)) as planned:
        return planned.carry_out()


def undo(story: Story) -> RewindView:
    with Workspace.find(story.root).undo() as planned:
        return planned.carry_out()
