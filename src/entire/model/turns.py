"""Names stored as text: turns, running turns, owners of lines, and marks of snapshots.

Each is a string in a fixed form, stored unchanged, with a type that knows its parts.
"""

from __future__ import annotations

from entire.model.choice import Choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Unreported = Mapping[str, tuple[float, "TurnKey"]]
    # Path -> when it changed (0: unknown), and the turn that had a tool at work then; '' for none.


class TurnKey(str):
    """A turn of a session: ``<session>/<turn>``; '' for none."""

    __slots__ = ()

    @classmethod
    def of(cls, session_id: str, turn_id: str) -> TurnKey:
        return cls(f"{session_id}/{turn_id}")

    @property
    def session_id(self) -> str:
        return self.partition("/")[0]

    @property
    def turn_id(self) -> str:
        return self.partition("/")[2]


NO_TURN = TurnKey("")
_BACKGROUND = "?"


class RunningTurn(str):
    """A turn in progress when a snapshot was taken: its key, after ``?`` if it only works in the background.

    In the background only tool reports tell what the turn changed: a subagent works between turns, or the start of the
    turn was not seen.
    """

    __slots__ = ()

    @classmethod
    def background(cls, key: TurnKey) -> RunningTurn:
        """Return a turn for which only its tools' reports count."""
        return cls(_BACKGROUND + key)

    @property
    def is_background(self) -> bool:
        """Tell whether only the tools' reports count."""
        return self.startswith(_BACKGROUND)

    @property
    def key(self) -> TurnKey:
        return TurnKey(self.removeprefix(_BACKGROUND))


_COMMITTED = "old "


class Owner(str):
    """Who wrote a line: a turn (its ``TurnKey``, after ``old`` once a checkpoint contains the line), a person,
    ``NOBODY``, or ``BASE``, if the line is older than the first snapshot.
    """

    __slots__ = ()

    @property
    def is_turn(self) -> bool:
        """Tell whether it is a turn, of new or old content."""
        return "/" in self

    @property
    def is_new(self) -> bool:
        """Tell whether it is a turn whose content no checkpoint contains yet."""
        return "/" in self and not self.startswith(_COMMITTED)

    @property
    def turn(self) -> TurnKey:
        """The turn, of new or old content."""
        return TurnKey(self.removeprefix(_COMMITTED))

    @property
    def session_id(self) -> str:
        """The turn's session; '' for people and BASE."""
        return self.turn.session_id if self.is_turn else ""

    def committed(self) -> Owner:
        """Return the line's owner once a checkpoint contains it."""
        return Owner(_COMMITTED + self) if self.is_new else self


BASE = Owner("")
PERSON = Owner("person")
PERSON_INSTEAD = Owner("person instead")
"""A person's line that replaced another."""
NOBODY = Owner("nobody")
"""What the hooks of the commit itself changed: no turn's and no person's."""


_NONE: Unreported = {}


def owner_between(
    by: TurnKey,
    running: Sequence[RunningTurn],
    reports: Mapping[TurnKey, Sequence[str]],
    unreported: Unreported = _NONE,
) -> Callable[[str], Owner]:
    """Return a function from a path to who changed it between two snapshots.

    - A running turn whose tools report the path, else the turn that ``unreported`` names, else a person.
    - If ``unreported`` does not have the path, because no transcript tells when tools were at work: the turn whose
      event caused the snapshot, else the first one running.
    - Without a running turn: a person, except for paths that a background turn reports.
    """
    keys = [*([by] if by else []), *(turn.key for turn in running if not turn.is_background)]
    foreground = [Owner(key) for key in dict.fromkeys(keys)]
    candidates = [*foreground, *(Owner(turn.key) for turn in running if turn.is_background)]
    if len(candidates) == 1 and foreground and not unreported:
        return lambda _path: foreground[0]
    reported = {owner: frozenset(reports.get(owner.turn, ())) for owner in candidates}

    def owner(path: str) -> Owner:
        for candidate in candidates:
            if path in reported[candidate]:
                return candidate
        if path in unreported:
            return Owner(unreported[path][1] or PERSON)
        return foreground[0] if foreground else PERSON

    return owner


class MarkKind(Choice):
    """The kinds of marks."""

    NONE = ""
    STEP = "step"
    REWIND = "rewind"
    UNDO = "undo"
    STASH = "stash"


_SESSIONS, _SESSION = "sessions", "session "


class TurnMark(str):
    """A note on a snapshot: '', the commit of the step saved with it, the rewind or undo that caused it, or that it is
    a stash.

    A rewind's mark says whose changes were taken back: everyone's (nothing follows the transaction), those of all
    sessions (``sessions``), or of one (``session <id>``). Other changes were merged into the files.
    """

    __slots__ = ()

    @classmethod
    def rewind(cls, back_to: float, transaction: str, *, session_id: str = "", keep_mine: bool = False) -> TurnMark:
        """Return the mark of the snapshot after a rewind to the state at a moment."""
        taken_back = _SESSION + session_id if session_id else _SESSIONS if keep_mine else ""
        return cls(f"rewind {back_to!r} {transaction} {taken_back}".rstrip(" "))

    @classmethod
    def undo(cls, undone: str, transaction: str) -> TurnMark:
        """Return the mark of the snapshot after a transaction that undid everything since an earlier one."""
        return cls(f"undo {undone} {transaction}")

    @property
    def kind(self) -> MarkKind:
        """The kind of mark; unknown forms are taken for a step's commit."""
        words = self._words()
        if not self:
            return MarkKind.NONE
        if self == STASH_MARK:
            return MarkKind.STASH
        if len(words) == 3 and words[0] == "undo":
            return MarkKind.UNDO
        if len(words) > 2 and words[0] == "rewind" and _is_number(words[1]):
            return MarkKind.REWIND
        return MarkKind.STEP

    @property
    def moment(self) -> float:
        """The moment a rewind went back to."""
        return float(self._words()[1]) if self.kind is MarkKind.REWIND else 0.0

    @property
    def undone(self) -> str:
        """The earliest transaction that an undo took back."""
        return self._words()[1] if self.kind is MarkKind.UNDO else ""

    @property
    def transaction(self) -> str:
        """The transaction of a rewind or undo."""
        return self._words()[2] if self.kind in (MarkKind.REWIND, MarkKind.UNDO) else ""

    @property
    def is_of_one_session(self) -> bool:
        """Tell whether a rewind took back only one session's changes: its merges are based on the current file."""
        return self.kind is MarkKind.REWIND and self._taken_back().startswith(_SESSION)

    def keeps(self, session_id: str) -> bool:
        """Tell whether a rewind merged the changes of a session (a person: '') instead of taking them back."""
        taken_back = self._taken_back()
        if taken_back == _SESSIONS:
            return not session_id
        return taken_back.startswith(_SESSION) and session_id != taken_back.removeprefix(_SESSION)

    def _words(self) -> list[str]:
        return self.split(" ", 3)

    def _taken_back(self) -> str:
        return "".join(self._words()[3:])


NO_MARK = TurnMark("")
STASH_MARK = TurnMark("stash")
"""Of the tree of a stash."""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
