"""The comments of a commit message that a person edits: what begins them, and whether git removes them.

Git writes its own block of them at the message's end, or a line with scissors; what begins these is true, whatever the
settings say. With ``core.commentChar=auto`` git chooses a character that begins no line of the message, and only
later versions know ``core.commentString``.
"""

from __future__ import annotations

from entire.model.trailers import SCISSORS
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

AUTO = "auto"
_CHARACTERS = "#;@!$%^&|:"  # those that git chooses from, in this order


class Comments(Value):
    """``prefix`` begins a comment; ``removes``: git drops comments when the message is finished; ``has_block``: git
    has written some, so a person sees what they are.
    """

    prefix: str = "#"
    removes: bool = False
    has_block: bool = False


def may_hold(message: str) -> bool:
    """Tell whether a line of a message begins with what may begin a comment."""
    return any(line and not (line[0].isalnum() or line[0].isspace()) for line in message.split("\n"))


def find(message: str, configured: Sequence[str], cleanup: str, *, edits: bool) -> Comments:
    """Return what comments are in a message that git has written. ``configured``: the values of ``core.commentChar``
    and ``core.commentString``, in order; ``cleanup``: git's mode, '' for its default.
    """
    removes = cleanup == "strip" or (edits and cleanup in ("", "default"))
    known = [value for value in reversed(configured) if value not in ("", AUTO)]
    is_auto = AUTO in configured
    if edits:
        for prefix in [*known, *(_CHARACTERS if is_auto else "#")]:
            if _ends_in_comments(message, prefix, is_chosen=is_auto and prefix not in known):
                return Comments(prefix=prefix, removes=removes, has_block=True)
    chosen = _choose(message) if is_auto else (known or ["#"])[0]
    return Comments(prefix=chosen, removes=removes)


def _ends_in_comments(message: str, prefix: str, *, is_chosen: bool) -> bool:
    """Tell whether git's block or line with scissors begins with a prefix. ``is_chosen``: git chose it for the text."""
    lines = message.rstrip().split("\n")
    if prefix + SCISSORS in lines:
        return not is_chosen or _choose("\n".join(lines[: lines.index(prefix + SCISSORS)]), also=prefix) == prefix
    start = len(lines)
    while start and (lines[start - 1] == prefix or lines[start - 1].startswith((prefix + " ", prefix + "\t"))):
        start -= 1
    block = lines[start:]
    if prefix not in block or (start and lines[start - 1].strip()):  # git's block has empty comments, and stands alone
        return False
    return not is_chosen or _choose("\n".join(lines[:start])) == prefix


def _choose(text: str, also: str = "") -> str:
    """Return the character that git chooses: the first that begins no line; ``also``: one that is free all the same."""
    taken = {line[0] for line in text.replace("\r", "\n").split("\n") if line}
    return next((char for char in _CHARACTERS if char == also or char not in taken), "#")
