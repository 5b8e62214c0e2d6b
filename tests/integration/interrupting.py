"""Lets turns end without a word of their agent, and counts whose lines a commit has."""

from __future__ import annotations

import time
from typing import Any

import pytest

from entire.model.session import Session as State
from entire.recording import liveness
from tests.integration.story import Session, Story

PERSON = {"ENTIRE_TEST_TTY": "1"}
"""In the environment of a commit: these tests' own process started the hooks, and counts as the agent otherwise."""


def attribution(story: Story, commit: str = "HEAD") -> tuple[int, int, int]:
    """Return a commit's lines: the agent's, people's, all."""
    (slot,) = story.linked(commit)["slots"].values()
    found: dict[str, Any] = slot["initial_attribution"]
    return found["agent_lines"], found["human_added"] + found["human_modified"], found["total_committed"]


def killed(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the session's agent be gone from now on."""
    known = liveness.is_running

    def is_running(state: State) -> bool | None:
        return False if state.session_id == session.id else known(state)

    monkeypatch.setattr(liveness, "is_running", is_running)


def call(session: Session, command: str = "sleep 60") -> str:
    """Begin a shell command."""
    name = f"toolu_{time.time_ns()}"
    session.answer({"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command}})
    return name
