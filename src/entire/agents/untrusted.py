"""Reads values that another program wrote: what has not the form that is expected is left out."""

from __future__ import annotations

from entire.model import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def loads(data: bytes) -> Any:
    """Parse untrusted JSON; None if it is invalid. Invalid UTF-8 is replaced."""
    try:
        return jsontext.loads(data.decode("utf-8", "replace").lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None


def clean(text: object) -> str:
    """Return ``text`` in a form that can be written as UTF-8; '' if it is not a string."""
    if not isinstance(text, str):
        return ""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, legal in JSON
        return text.encode("utf-8", "replace").decode()
    return text


def dict_of(value: object) -> dict[str, Any]:
    """Return an untrusted object, empty for anything else."""
    return value if isinstance(value, dict) else {}


def dicts_of(value: object) -> list[dict[str, Any]]:
    """Return the objects in an untrusted list."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def path_of(value: object) -> str:
    """Return an untrusted path, or '' if no file can have it."""
    path = clean(value)
    return "" if "\0" in path else path
