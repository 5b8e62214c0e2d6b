"""The words of texts and queries.

SQLite's tokenizer splits at everything but letters and digits, so parts of ``snake_case`` and of paths are words,
and a whole path is a phrase of them. This module adds the parts of ``camelCase``, and splits scripts without spaces
into pairs of characters. It also makes the marks of a text: words for filters, which no text contains.
"""

from __future__ import annotations

import functools
import hashlib
import re

_MARK = "\ue000"
"""Starts every mark. It stands for nothing in Unicode, and is a blank in texts and queries."""

FAILED, REPEATED, WIDESPREAD = f"{_MARK}f", f"{_MARK}r", f"{_MARK}w"
"""Marks of texts of failed calls, of those that several messages have, and of those that many sessions have."""

EVERY = f"{_MARK}e"
"""The mark of every text."""

_PARTED = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z]*+[a-z0-9]++[A-Z]|[A-Z]{2}[A-Z]*+[a-z])[A-Za-z0-9]*+")
_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNSPACED = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff]+"
)
_NAMED = re.compile(r"(?<![A-Za-z0-9])([A-Za-z])(\+\+|#)(?![A-Za-z0-9])")
_NAMES = {"++": "plusplus", "#": "sharp"}


def columns(text: str) -> tuple[str, str]:
    """Return what the index holds of a text: its words, and the parts of those that have parts."""
    return spaced(text), "" if text.islower() else " ".join(map(parts, _PARTED.findall(text)))


def spaced(text: str) -> str:
    """Return a text in which SQLite finds the words."""
    text = spaced_names(text)
    return text if text.isascii() else _UNSPACED.sub(_pairs, text)


def spaced_names(text: str) -> str:
    """Return a text with the names of languages that are one letter and signs as words, and without marks."""
    if not text.isascii():
        text = text.replace(_MARK, " ")
    return _NAMED.sub(lambda found: f"{found[1]}{_NAMES[found[2]]}", text) if "#" in text or "++" in text else text


@functools.lru_cache(maxsize=16_384)
def parts(word: str) -> str:
    """Return the parts of a word in camel case, separated by spaces."""
    return _BORDER.sub(" ", word)


def _pairs(run: re.Match[str]) -> str:
    """Return each pair of neighbours, and the last character alone, which starts no pair."""
    text = run[0]
    return " " + " ".join([*(text[at : at + 2] for at in range(len(text) - 1)), text[-1]]) + " "


def is_unspaced(text: str) -> bool:
    return not text.isascii() and _UNSPACED.fullmatch(text) is not None


def split_unspaced(text: str) -> list[str]:
    """Return the runs of characters of scripts without spaces, and what is between them."""
    return [piece for piece in re.split(f"({_UNSPACED.pattern})", text) if piece]


# ---------------------------------------------------------------- marks


def of_tool(name: str) -> str:
    """Return the mark of texts of a tool's calls; it is the same in any case."""
    return f"{_MARK}t{_digest(name.lower())}"


def of_session(conversation: str) -> str:
    """Return the mark of texts of a session's conversation, or of one of its subagents'."""
    return f"{_MARK}s{_digest(conversation.partition('/')[0])}"


def _digest(name: str) -> str:
    return hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=6).hexdigest()
