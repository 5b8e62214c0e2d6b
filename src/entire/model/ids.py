"""Identifiers, validated on entry (formats.md section 1.1), and what may stand on a command line."""

from __future__ import annotations

import os

from entire.errors import EntireError

HEX = frozenset("0123456789abcdef")
_TOOL_ID = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

_NOT_IN_NAMES = frozenset(("/", "\\", "\x7f", *map(chr, range(32))))

LONGEST_ARGUMENT = 4096  # characters: as the longest path


class Argument(str):
    """A foreign text that is safe on a command line as a value: ids, refs, names, models, paths.

    It is not an option, has no control characters and a bounded length. Every place that builds a command wraps what
    comes from a repository, a checkpoint, a transcript or a plugin in one, unless it follows ``--`` or
    ``--end-of-options``; a test checks that.
    """

    __slots__ = ()

    def __new__(cls, text: str, what: str = "a value") -> Argument:
        """Check the text; raises EntireError, which calls it ``what``."""
        if problem := argument_problem(text):
            raise EntireError(f"{what} cannot stand on a command line: {problem}", hint="nothing was run")
        return super().__new__(cls, text)


def argument_problem(text: str) -> str:
    """Return why a text may not stand on a command line, '' if it may."""
    if text[:1] == "-":
        return f"{text[:40]!r} would be an option"
    if len(text) > LONGEST_ARGUMENT:
        return f"{text[:40]!r}... has {len(text):,} characters"
    if not text.isprintable() and any(c < " " or "\x7f" <= c <= "\x9f" for c in text):
        return f"{text[:40]!r} holds a control character"
    return ""


def shell_word(text: str, instead: str) -> str:
    """Return a text as a word of a command that people copy; ``instead`` of one that may stand on none."""
    import shlex  # not for hooks, which print no command

    return instead if argument_problem(text) else shlex.quote(text)


class CheckpointId(str):
    """Twelve lowercase hex digits, which determine the checkpoint's folder (shard)."""

    __slots__ = ()

    def __new__(cls, text: str) -> CheckpointId:
        """Validate the text; raises ValueError."""
        if not is_checkpoint_id(text):
            raise ValueError(f"not a checkpoint id: {text!r}")
        return super().__new__(cls, text)

    @property
    def path(self) -> str:
        """The folder in the checkpoints branch: two digits, slash, the other ten."""
        return f"{self[:2]}/{self[2:]}"


def is_checkpoint_id(text: str) -> bool:
    return len(text) == 12 and HEX.issuperset(text)


def new_id() -> CheckpointId:
    """Return a new random id (six bytes), for checkpoints and turns."""
    return CheckpointId(os.urandom(6).hex())


def is_session_id(text: str) -> bool:
    """Tell whether a session id can be a file name: not too long, UTF-8, no separators or control characters, no
    leading dot.
    """
    try:
        length = len(text.encode())
    except UnicodeEncodeError:
        return False
    return 0 < length <= 200 and text[0] != "." and _NOT_IN_NAMES.isdisjoint(text)


def is_tool_id(text: str) -> bool:
    """Tell whether a tool-use or subagent id is safe in a path: letters, digits, ``_`` and ``-``."""
    return bool(text) and len(text) <= 200 and _TOOL_ID.issuperset(text)


def path_id(text: str) -> str:
    """Return a tool-use or subagent id as it is used in paths: itself, or a digest of one that is not safe there."""
    if not text or is_tool_id(text):
        return text
    from entire.model.digest import sha256

    return "id-" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
