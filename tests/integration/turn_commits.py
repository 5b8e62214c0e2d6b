"""A repository whose turns Entire commits, and what the tests ask about it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.integration.story import Session, Story


def enable(story: Story) -> None:
    assert story.entire("enable", "--agent", "claude-code", "--strategy", "auto-commit") == 0


def committing(root: Path, *, first_commit: bool = True) -> Story:
    """Return a story in which what a turn changed is committed when it ends."""
    story = Story(root, enable=False, first_commit=first_commit)
    enable(story)
    if first_commit:
        story.commit("Enable entire")
    return story


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return committing(tmp_path / "repo")


@pytest.fixture
def session(story: Story) -> Session:
    return story.started()


def subjects(story: Story) -> list[str]:
    return story.git("log", "--format=%s").split("\n")[:-1]


def message(story: Story, commit: str = "HEAD") -> str:
    return story.git("log", "-1", "--format=%B", commit).rstrip("\n")


def committed(story: Story, commit: str = "HEAD") -> list[str]:
    return story.git("show", "--name-only", "--format=", commit).split()


def status(story: Story) -> str:
    return story.git("status", "--porcelain")


def state(session: Session) -> dict[str, Any]:
    """Return what is ours of a session's state."""
    folder = Path(session.story.git("rev-parse", "--git-common-dir").strip())
    path = session.story.root / folder / "entire/sessions" / f"{session.id}.json"
    value: dict[str, Any] = json.loads(path.read_text())
    return value


def uncommitted(session: Session) -> str:
    """Return why the session's last turn was not committed."""
    return str(state(session)["uncommitted"])


def hook(story: Story, name: str, script: str) -> Path:
    """Write a hook of the user's; ours runs before it, as ``entire enable`` leaves it."""
    folder = story.root / story.git("rev-parse", "--git-path", "hooks").strip()
    path = folder / name
    if path.exists():
        path = folder / f"{name}.pre-entire"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def left_behind(story: Story) -> list[str]:
    """Return the files of ours that are needed only while a commit is made."""
    git_dir = Path(story.git("rev-parse", "--absolute-git-dir").strip())
    folder = git_dir / "entire/commit"
    files = [f"commit/{name}" for name in os.listdir(folder)] if folder.is_dir() else []
    return files + [name for name in ("index.lock", "entire/pending.json") if (git_dir / name).exists()]
