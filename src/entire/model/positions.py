"""Where a session is kept, and places in its transcript."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Position(Value):
    """A place between two records of a transcript, made by its adapter. Elsewhere it is stored and handed back, but not
    compared or computed with: a transcript may be rewritten, and only its adapter knows what that means.

    ``count``: the records before it, in the agent's unit (lines of a JSONL file, messages of a document); metadata and
    people see it. ``byte`` and ``mark`` are the adapter's own, such as a file offset (0 with a count above 0: unknown)
    and the id of the last API answer before it, because an answer's records can be on both sides.
    """

    count: int = 0
    byte: int = 0
    mark: str = ""

    def to_json(self) -> list[int | str]:
        return [self.count, self.byte, self.mark]

    @classmethod
    def from_json(cls, value: Sequence[Any] | None) -> Position:
        """Return a position from its stored form; START for none."""
        count, byte, mark = value or (0, 0, "")
        return cls(count=count, byte=byte, mark=mark)


START = Position()


class SessionRef(str):
    """Says where the agent keeps a session: it is a file or folder, rows of a database, or what a program answers.

    Its text is what events, states and plugins carry: an absolute path, ``rows:<path of the database>#<session>``, or
    anything else, which only the agent's own program understands.
    """

    __slots__ = ()

    @classmethod
    def of_rows(cls, database: str, session: str) -> SessionRef:
        """Return the reference to what a database, which is a file, holds of a session."""
        return cls(f"{_ROWS}{database}#{session}")

    @property
    def file(self) -> str:
        """The path of the file or folder; '' if this is not a path."""
        return str(self) if self[:1] == "/" else ""

    @property
    def database(self) -> str:
        """The path of the database; '' if it is in none."""
        return self.removeprefix(_ROWS).rpartition("#")[0] if self.startswith(f"{_ROWS}/") else ""

    @property
    def key(self) -> str:
        """What names the session in its database, or to its agent's program; '' for a file."""
        return self.rpartition("#")[2] if self.database else "" if self.file else str(self)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that change with it: what is not written to its database yet is beside that."""
        database = self.database
        return (database, f"{database}-wal") if database else (self.file,) if self.file else ()


_ROWS = "rows:"


class StoredLines(Value):
    """How much of a transcript is stored in parts. ``mark``: a hash of what precedes the end."""

    lines: int = 0  # 0 if it is stored whole, in one part
    size: int = 0
    mark: str = ""
