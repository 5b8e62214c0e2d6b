"""Names that travel as text: turns, those in progress, owners of lines, and marks of snapshots.

Each is a string of a fixed form, so that it is stored as it is, and a type that knows its parts.
"""

from __future__ import annotations

from entire.model.choice import Choice


class TurnKey(str):
    """A turn of a session: ``<session>/<turn>``; '' for none."""

    __slots__ = ()

    @classmethod
    def of(cls, session_id: str, turn_id: str) -> TurnKey:
        """Return the key of a session's turn."""
        return cls(f"{session_id}/{turn_id}")

    @property
    def session_id(self) -> str:
        """The session; '' without one."""
        return self.partition("/")[0]

    @property
    def turn_id(self) -> str:
        """The turn within its session."""
        return self.partition("/")[2]


NO_TURN = TurnKey("")
_BACKGROUND = "?"


class RunningTurn(str):
    """A turn in progress when a snapshot was taken: its key, behind ``?`` if it works in the background only.

    In the background nobody but the tools' reports tells what the turn changed: a subagent works between turns, or the
    turn's beginning was not seen.
    """

    __slots__ = ()

    @classmethod
    def background(cls, key: TurnKey) -> RunningTurn:
        """Return a turn of which only what its tools reported counts."""
        return cls(_BACKGROUND + key)

    @property
    def is_background(self) -> bool:
        """Tell whether only the tools' reports count."""
        return self.startswith(_BACKGROUND)

    @property
    def key(self) -> TurnKey:
        """The turn."""
        return TurnKey(self.removeprefix(_BACKGROUND))


_COMMITTED = "old "


class Owner(str):
    """Who made a line: a turn (its ``TurnKey``, behind ``old`` once a checkpoint has the line), a person, or ``BASE``:
    the line was there before the first snapshot.
    """

    __slots__ = ()

    @property
    def is_turn(self) -> bool:
        """Tell whether it is a turn of a session, of new content or old."""
        return "/" in self

    @property
    def is_new(self) -> bool:
        """Tell whether it is a turn whose content no checkpoint has yet."""
        return "/" in self and not self.startswith(_COMMITTED)

    @property
    def turn(self) -> TurnKey:
        """The turn, of new content or old."""
        return TurnKey(self.removeprefix(_COMMITTED))

    @property
    def session_id(self) -> str:
        """The turn's session; '' for people and BASE."""
        return self.turn.session_id if self.is_turn else ""

    def committed(self) -> Owner:
        """Return the owner of the same line once a checkpoint has it."""
        return Owner(_COMMITTED + self) if self.is_new else self


BASE = Owner("")
PERSON = Owner("person")
PERSON_INSTEAD = Owner("person instead")
"""A person's line in place of another one."""


class MarkKind(Choice):
    """What a snapshot's mark says."""

    NONE = ""
    STEP = "step"
    REWIND = "rewind"
    UNDO = "undo"


_SESSIONS, _SESSION = "sessions", "session "


class Mark(str):
    """What a snapshot goes with: '', the commit of the step written with it, or the rewind or undo that caused it.

    A rewind's mark says whose changes it took back: everybody's, where nothing follows the transaction, those of all
    sessions (``sessions``), or of one (``session <id>``). The changes of others were merged into the files.
    """

    __slots__ = ()

    @classmethod
    def rewind(cls, back_to: float, transaction: str, *, session_id: str = "", keep_mine: bool = False) -> Mark:
        """Return the mark of the snapshot after a rewind to what was there at a moment."""
        taken_back = _SESSION + session_id if session_id else _SESSIONS if keep_mine else ""
        return cls(f"rewind {back_to!r} {transaction} {taken_back}".rstrip(" "))

    @classmethod
    def undo(cls, undone: str, transaction: str) -> Mark:
        """Return the mark of the snapshot after a transaction that undid all back to an earlier one."""
        return cls(f"undo {undone} {transaction}")

    @property
    def kind(self) -> MarkKind:
        """What it says; a mark in no known form is taken for a step's commit."""
        words = self._words()
        if not self:
            return MarkKind.NONE
        if len(words) == 3 and words[0] == "undo":
            return MarkKind.UNDO
        if len(words) > 2 and words[0] == "rewind" and _is_number(words[1]):
            return MarkKind.REWIND
        return MarkKind.STEP

    @property
    def moment(self) -> float:
        """Of a rewind: the moment it went back to."""
        return float(self._words()[1]) if self.kind is MarkKind.REWIND else 0.0

    @property
    def undone(self) -> str:
        """Of an undo: the earliest transaction that it took back."""
        return self._words()[1] if self.kind is MarkKind.UNDO else ""

    @property
    def transaction(self) -> str:
        """Of a rewind or an undo: its transaction."""
        return self._words()[2] if self.kind in (MarkKind.REWIND, MarkKind.UNDO) else ""

    @property
    def is_of_one_session(self) -> bool:
        """Tell whether a rewind took back only what one session did: the base of its merges is the present file."""
        return self.kind is MarkKind.REWIND and self._taken_back().startswith(_SESSION)

    def keeps(self, session_id: str) -> bool:
        """Tell whether a rewind merged the changes of a session (of a person: '') instead of taking them back."""
        taken_back = self._taken_back()
        if taken_back == _SESSIONS:
            return not session_id
        return taken_back.startswith(_SESSION) and session_id != taken_back.removeprefix(_SESSION)

    def _words(self) -> list[str]:
        return self.split(" ", 3)

    def _taken_back(self) -> str:
        return "".join(self._words()[3:])


NO_MARK = Mark("")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
