"""The form of the table of situations: one row is a function, and what its docstring says is on the generated page."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from claude import Claude, NewestClaude
from codex import Codex
from copilot import Copilot
from driver import Driver
from gemini import Gemini
from opencode import OpenCode

if TYPE_CHECKING:
    from conftest import World

    Play = Callable[["World"], None]

AGENTS: tuple[type[Driver], ...] = (Claude, NewestClaude, Gemini, Codex, Copilot)
"""The agents with which every situation is played; see ``DIFFER``."""

PARTLY: Mapping[type[Driver], frozenset[str]] = {
    OpenCode: frozenset((
        "commit_by_the_agent", "interrupt", "new_session", "resume_in_another_clone",
    )),
}  # fmt: skip
"""Those with which only these situations are played: each start takes three seconds of a processor."""

DIFFER = frozenset((
    "compaction", "diverged_resume", "error_of_the_api", "interrupt", "interrupt_then_own_work",
    "resume_in_another_clone", "rewind_and_continue", "subagent", "turn_that_only_changes_branch",
))  # fmt: skip
"""What every agent plays in each run: there, each writes something of its own. The other situations are shared out,
unless ``ENTIRE_LONG`` is set.
"""

BOTH = pytest.mark.parametrize("world", [Claude, NewestClaude], indirect=True, ids=["oldest", "newest"])
"""Plays a story of Claude Code with both versions."""


def trailer(agent: type[Driver]) -> str:
    """Return how a person's commit is linked: the same with every agent."""
    return "trailer"


def own_commit(agent: type[Driver]) -> str:
    """Return how a commit that the agent makes is linked."""
    return "trailer" if agent.runs_git_hooks else "commit id"


@dataclass(frozen=True, kw_only=True)
class Situation:
    """One row of the table."""

    title: str
    link: Callable[[type[Driver]], str]
    play: Play

    @property
    def name(self) -> str:
        """Return its short name."""
        return self.play.__name__

    @property
    def paragraphs(self) -> list[str]:
        """Return what happens, then what must be true."""
        return inspect.cleandoc(self.play.__doc__ or "").split("\n\n")


SITUATIONS: list[Situation] = []


def situation(title: str, link: Callable[[type[Driver]], str] = trailer) -> Callable[[Play], Play]:
    """Add a situation to the table; `link` tells how its commit is linked."""

    def add(play: Play) -> Play:
        SITUATIONS.append(Situation(title=title, link=link, play=play))
        return play

    return add


def played() -> list[tuple[Situation, type[Driver]]]:
    """Return which situations are played with which agents."""
    return [
        (situation, agent)
        for number, situation in enumerate(SITUATIONS)
        for agent in (*AGENTS, *PARTLY)
        if situation.name in PARTLY.get(agent, (situation.name,)) and _has_turn(number, situation, agent)
    ]


def _has_turn(number: int, situation: Situation, agent: type[Driver]) -> bool:
    """Tell whether an agent plays a situation in this run; of those that are shared out, it plays every third one."""
    is_shared = agent in AGENTS and situation.name not in DIFFER and "ENTIRE_LONG" not in os.environ
    return not is_shared or (number + AGENTS.index(agent)) % 3 == 0
