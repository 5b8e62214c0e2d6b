"""Immutable records without ``dataclasses``, which costs a hook 15 ms to import.

Type checkers see these records as frozen, keyword-only dataclasses.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar, dataclass_transform

    V = TypeVar("V", bound="Value")
else:

    def dataclass_transform(**_):
        """Replaces ``typing.dataclass_transform``, which only type checkers need."""
        return lambda cls: cls


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Value:
    """A record whose fields are the annotations of the class body; a default makes a field optional."""

    _fields: tuple[str, ...] = ()
    _defaults: dict[str, Any] = {}
    _names: frozenset[str] = frozenset()

    if not TYPE_CHECKING:

        def __init_subclass__(cls):
            space = cls.__dict__
            own = space.get("__annotations__", ())
            cls._fields = (*cls._fields, *own)
            cls._defaults = {**cls._defaults, **{name: space[name] for name in own if name in space}}
            cls._names = frozenset(cls._fields)

        def __init__(self, **fields):
            values = self.__dict__
            if len(fields) < len(self._names):
                values.update(self._defaults)
            values.update(fields)
            if values.keys() != self._names:
                missing = [name for name in self._fields if name not in values]
                unknown = [name for name in values if name not in self._fields]
                raise TypeError(f"{type(self).__name__}: missing {missing}, unknown {unknown}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: use replace(value, {name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *(str(self.__dict__[name]) for name in self._fields)))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self._fields)
        return f"{type(self).__name__}({shown})"


def replace(value: V, /, **changes: Any) -> V:
    """Return a copy of ``value`` with some fields changed."""
    return recast(type(value), value, **changes)


def recast(kind: type[V], value: Value, /, **changes: Any) -> V:
    """Return a record of another kind with the same fields, some of them changed. Transcripts have many: this is half
    as dear as making one.
    """
    made = object.__new__(kind)
    made.__dict__.update(value.__dict__)
    made.__dict__.update(changes)
    return made if made.__dict__.keys() == kind._names else kind(**made.__dict__)
