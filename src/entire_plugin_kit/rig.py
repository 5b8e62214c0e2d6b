"""How an agent is described to the suite: a rig, with what was captured from the real agent, and a player."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entire.plugin import host

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from entire.plugin import Agent, AgentEntry, TokenUsage


@dataclass(frozen=True, kw_only=True)
class Payload:
    """A hook call that was captured from the agent, and the event it becomes.

    ``event``: the fields of the ``Event`` that matter, ``type`` among them; None if the framework need not know.
    """

    name: str
    verb: str
    data: bytes
    event: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class Captured:
    """A transcript that the agent wrote, and what it holds, read off by eye or by other code than the adapter's; what
    is None is not compared.

    What lies beside it, such as subagents' transcripts, is read with it. ``tokens``: all figures, or some by name.
    ``unsettled``: after these numbers of records, the agent has written only half of something, so what is there
    means more once the rest has come.
    """

    name: str
    path: Path
    prompts: Sequence[str] | None
    files: Sequence[str] | None
    tokens: TokenUsage | Mapping[str, int] | None = None
    summary: str | None = None
    count: int | None = None  # the records in it, as the agent's positions count them
    subagents: Sequence[str] = ()  # their ids
    unsettled: Sequence[int] = ()


@dataclass(frozen=True, kw_only=True)
class ConfigSample:
    """The agent's own configuration as users have it: the content of ``hook_config_paths()[0]``, or files by their
    paths in the repository and the home.

    ``data`` None: there is no such file. ``is_broken``: the adapter must refuse it and leave it alone.
    """

    name: str
    data: bytes | None = None
    is_broken: bool = False
    repository: Mapping[str, str] = field(default_factory=dict)
    home: Mapping[str, str] = field(default_factory=dict)


class Player:
    """Plays one session as the agent does: writes its transcript and calls its hooks, in the agent's own order.

    A rig derives a class from it. ``call(verb, payload)`` is a hook call; some promises only want the transcript, so
    nothing may depend on it.
    """

    has_subagents = False
    """Whether ``subagent`` works."""
    writes_unknown = False
    """Whether ``unknown`` works."""
    writes_interruptions = False
    """Whether ``interrupt`` works."""
    writes_forks = False
    """Whether ``fork`` works."""
    late = 0
    """How many records the agent writes after the hook that ends a turn."""
    names_turns = True
    """Whether the agent's hooks name the turn. A prompt that is delivered twice looks like two without that."""

    def __init__(self, agent: Agent, root: Path, session_id: str, call: Callable[[str, bytes], None]) -> None:
        self.agent: Any = agent
        self.root = root
        self.id = session_id
        self.call = call

    @property
    def ref(self) -> str:
        """The ``session_ref`` of the session; where the agent keeps it, if the adapter knows (``session_dir``)."""
        raise NotImplementedError

    def start(self) -> None:
        """Begin the session, or continue it (from what its transcript holds, if there is one)."""
        raise NotImplementedError

    def prompt(self, text: str) -> None:
        """Take a prompt: a turn starts."""
        raise NotImplementedError

    def change(self, path: str) -> None:
        """Report in an answer that a tool has changed the file at an absolute path; it is written already."""
        raise NotImplementedError

    def answer(self, text: str) -> None:
        """Write an answer without tools."""
        raise NotImplementedError

    def unknown(self, text: str) -> None:
        """Write a record of a type that the adapter does not know, with this text in it; if ``writes_unknown``."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Write what the agent writes when the user stops the turn, and run no hook; if ``writes_interruptions``."""
        raise NotImplementedError

    def fork(self, session_id: str) -> Player:
        """Begin a session that continues a copy of this one under another id, as the agent does, which may copy only at
        the next prompt; if ``writes_forks``.
        """
        raise NotImplementedError

    def stop(self) -> None:
        """End the turn."""
        raise NotImplementedError

    def end(self) -> None:
        """End the session."""
        raise NotImplementedError

    def lose(self) -> None:
        """Delete the session's transcript, as the agent or its user may do at any time."""
        Path(self.ref).unlink()

    def subagent(self, subagent_id: str, task: str, path: str) -> None:
        """Let a subagent do a task in which its tool changes a file; if ``has_subagents``."""
        raise NotImplementedError


_OF_PLAYERS = {
    "subagents": "has_subagents", "unknown": "writes_unknown", "interruptions": "writes_interruptions",
    "forks": "writes_forks"
}  # fmt: skip
_HINTS = {"hypothesis": ": `pip install 'entire[testing]'` brings it"}


def ignore(verb: str, payload: bytes) -> None:
    """Take a hook call where only the transcript matters."""


IN_OUTPUT, BESIDE_OUTPUT = "in output", "beside output"
"""Where an agent counts the tokens that its model took to think."""


class Rig:
    """An agent, described to the suite. Everything but ``entry`` is optional; without it, some promises are skipped."""

    entry: AgentEntry
    version: str = ""
    """Of the agent, where several rigs describe it."""
    payloads: Sequence[Payload] = ()
    transcripts: Sequence[Captured] = ()
    configs: Sequence[ConfigSample] = ()
    player: type[Player] | None = None
    reasoning: str = ""
    """``IN_OUTPUT`` or ``BESIDE_OUTPUT``; '' if its transcripts do not tell what the model took to think."""
    exceptions: Mapping[str, str] = {}
    """Names of promises that this agent cannot give, each with the reason."""
    thinning: int = 1
    """Of the many examples and positions that a promise tries, only one in so many: for an adapter that is slow to
    answer.
    """

    def some(self, items: Sequence[Any]) -> Sequence[Any]:
        """Return those of many items that a promise tries: all, unless they are thinned out."""
        return items if self.thinning == 1 else [*items[:: self.thinning], *items[-1:]]

    def adapter(self, metadata: Mapping[str, str] = {}) -> Agent:
        """Return a new adapter, as the directory of agents makes one."""
        module, _, name = self.entry.target.partition(":")
        agent: Agent = getattr(importlib.import_module(module), name)(metadata=metadata)
        return agent

    def known(self) -> AbstractContextManager[None]:
        """Have hooks and commands of this process know the agent, while it is asked."""
        return host.known(self.entry)

    def play(self, root: Path, session_id: str, call: Callable[[str, bytes], None] = ignore) -> Player:
        """Return a player of a new session, or of a known one as the agent would continue it."""
        assert self.player is not None
        return self.player(self.adapter(), root, session_id, call)

    def has(self, part: str) -> bool:
        """Tell whether the rig has a part, or its agent a capability."""
        if part == "hypothesis":
            return importlib.util.find_spec(part) is not None
        if part in _OF_PLAYERS:
            return self.player is not None and bool(getattr(self.player, _OF_PLAYERS[part]))
        if part in ("payloads", "transcripts", "configs", "player", "reasoning"):
            return bool(getattr(self, part))
        return part in self.adapter().capabilities

    def lack(self, part: str) -> str:
        """Return what is missing, a part or a capability, as a report says it."""
        return f"no {part}{_HINTS.get(part, '')}"
