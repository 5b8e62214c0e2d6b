"""Identifiers, checked where they enter (formats.md section 1.1)."""

from __future__ import annotations

import os

HEX = frozenset("0123456789abcdef")
_TOOL_ID = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class CheckpointId(str):
    """Twelve lowercase hex digits; knows the folder (shard) where the checkpoint lives."""

    __slots__ = ()

    def __new__(cls, text: str) -> CheckpointId:
        """Check the text; raises ValueError for anything else."""
        if not is_checkpoint_id(text):
            raise ValueError(f"not a checkpoint id: {text!r}")
        return super().__new__(cls, text)

    @property
    def path(self) -> str:
        """Folder in the tree of the checkpoints branch: two digits, slash, the other ten."""
        return f"{self[:2]}/{self[2:]}"


def is_checkpoint_id(text: str) -> bool:
    """Tell whether a text is a whole checkpoint id."""
    return len(text) == 12 and HEX.issuperset(text)


def new_id() -> CheckpointId:
    """Return a fresh random id (six random bytes), used for checkpoints and turns."""
    return CheckpointId(os.urandom(6).hex())


def is_session_id(text: str) -> bool:
    """Tell whether an agent's session id can be used as a file name: no separators, no dots-only, no control
    characters.
    """
    return (
        bool(text)
        and len(text) <= 200
        and text[0] != "."
        and not any(c in "/\\" or c < " " or c == "\x7f" for c in text)
    )


def is_tool_id(text: str) -> bool:
    """Tell whether a tool-use or subagent id is safe in a path: letters, digits, ``_`` and ``-``."""
    return bool(text) and len(text) <= 200 and _TOOL_ID.issuperset(text)
