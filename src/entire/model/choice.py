"""Enumerations without ``enum``, which costs a hook 3 ms to import.

Type checkers see ordinary enumerations, so they check that a ``match`` over one is complete.
"""

from __future__ import annotations

__all__ = ["Choice"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from enum import Enum as Choice
else:

    class _ChoiceType(type):
        """Creates a Choice's members from its class body, in order."""

        def __new__(mcs, name, bases, body):
            words = {
                key: value for key, value in body.items() if not (key.startswith("_") or hasattr(value, "__get__"))
            }
            cls = super().__new__(mcs, name, bases, {key: value for key, value in body.items() if key not in words})
            cls._members = {}
            for key, value in words.items():
                member = object.__new__(cls)
                member.name, member.value = key, value
                cls._members[value] = member
                type.__setattr__(cls, key, member)
            return cls

        def __call__(cls, value):
            try:
                return cls._members[value]
            except (KeyError, TypeError):
                raise ValueError(f"{value!r} is not a valid {cls.__name__}") from None

        def __getitem__(cls, name):
            return next(member for member in cls if member.name == name)

        def __iter__(cls):
            return iter(cls._members.values())

        def __len__(cls):
            return len(cls._members)

    class Choice(metaclass=_ChoiceType):
        """A set of named values; members are singletons, compared by identity."""

        def __repr__(self):
            return f"{type(self).__name__}.{self.name}"

        def __reduce__(self):
            return type(self), (self.value,)
