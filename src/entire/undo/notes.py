"""What a change notes for its undo, in the ``notes`` of its ``plan.json``."""

from __future__ import annotations

from entire.errors import CorruptError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from entire.undo.transaction import Transaction


class Notes(Value):
    """The notes of any transaction. A kind of change derives a class of its own: the names of its fields are the keys
    in the JSON, where a field that has its default is left out. ``command`` is the one that makes such changes.
    """

    command = ""
    undoes: str = ""  # the id of the transaction that this one undid

    def of_undo(self, undone: Transaction) -> Notes:
        """Return the notes of the undo of a transaction that has these."""
        return Notes(undoes=undone.id)

    def to_json(self) -> dict[str, Any]:
        """Return what ``of`` reads."""
        defaults = self._defaults
        return {name: _to_json(value) for name, value in self.__dict__.items()
                if name not in defaults or value != defaults[name]}  # fmt: skip

    @classmethod
    def of(cls, done: Transaction) -> Self:
        """Return the notes of a transaction of this kind; raises CorruptError if they are not."""
        try:
            return cls(**{name: cls._field(name, done.notes[name]) for name in cls._fields if name in done.notes})
        except (TypeError, ValueError, KeyError) as error:
            raise CorruptError(f"the notes of {done.title} cannot be used: {error}; nothing was changed",
                               hint=f"it stays as the undo point {done.id}") from error  # fmt: skip

    @classmethod
    def _field(cls, name: str, value: Any) -> Any:
        """Return a field's value from its JSON; raises ValueError for another type than its default's."""
        default = cls._defaults.get(name)
        if isinstance(default, tuple) and isinstance(value, list):
            return tuple(value)
        if default is not None and not isinstance(value, (float, int) if isinstance(default, float) else type(default)):
            raise ValueError(f"{name} is {value!r}")
        return value


def _to_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value.to_json() if isinstance(value, Value) else value  # type: ignore[attr-defined]
