"""What the index takes in: which stored conversations there are, and what each says."""

from __future__ import annotations

from typing import NamedTuple

from entire.model.findings import KINDS
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Read = Callable[["IndexSource"], Sequence["IndexEntry"]]

STORED, OPEN = "stored", "open"
"""Scopes: conversations in checkpoints, and those of sessions that may continue."""


class IndexSource(NamedTuple):
    """A conversation as it is stored somewhere. ``key``: changes when its content does. There may be very many."""

    key: str
    session_id: str
    subagent: str = ""  # whose conversation it is, if not the session's own
    scope: str = STORED
    agent: str = ""
    branch: str = ""
    created: float = 0.0  # the earliest that contains a message is where the message is
    checkpoint_id: str = ""
    files: tuple[str, ...] = ()

    @property
    def conversation(self) -> str:
        """Whose states these are: the session's, or its subagent's, as `entire show` names it."""
        return f"{self.session_id}/{self.subagent}" if self.subagent else self.session_id


class IndexLink(Value):
    """A commit that has a checkpoint."""

    checkpoint_id: str
    oid: str
    author: str
    time: float


class IndexEntry(NamedTuple):
    """One text of a conversation."""

    kind: str
    text: str
    position: int = 0
    turn: int = 0
    time: float = 0.0
    tool: str = ""
    failed: bool = False


ORDER = {name: number for number, name in enumerate(reversed(KINDS))}
"""The kinds as numbers: higher ones come first in results."""
