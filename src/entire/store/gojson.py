"""JSON and times exactly as Go's encoder prints them, so files round-trip byte for byte."""

from __future__ import annotations

import time

from entire.model import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_LAST_SECOND = 253402300799  # end of the year 9999, the last one in RFC 3339


def dumps(value: Any) -> bytes:
    """Return the value as Go's ``MarshalIndent`` with two spaces prints it, with a final newline.

    Keys keep their order. ``<``, ``>``, ``&``, U+2028 and U+2029 are escaped; invalid UTF-8 (surrogates here) becomes
    U+FFFD; NaN and infinities become null.
    """
    out: list[str] = []
    _print(value, "\n", out)
    out.append("\n")
    text = "".join(out)
    for char, escape in _ESCAPES.items():  # only in strings
        text = text.replace(char, escape)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text).encode("utf-8")


def _print(value: Any, newline: str, out: list[str]) -> None:
    if isinstance(value, str):
        out.append(jsontext.quote(value))
    elif value is None or value is True or value is False:
        out.append({None: "null", True: "true", False: "false"}[value])
    elif isinstance(value, int):
        out.append(int.__repr__(value))
    elif isinstance(value, float):
        out.append(_number(value))
    elif isinstance(value, dict):
        _print_members(value, newline, out)
    elif isinstance(value, (list, tuple)):
        _print_items(value, newline, out)
    else:
        raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _print_members(value: Mapping[str, Any], newline: str, out: list[str]) -> None:
    deeper = newline + "  "
    before = "{" + deeper
    for key, member in value.items():
        out.append(before + jsontext.quote(key) + ": ")
        _print(member, deeper, out)
        before = "," + deeper
    out.append(newline + "}" if value else "{}")


def _print_items(value: Sequence[Any], newline: str, out: list[str]) -> None:
    deeper = newline + "  "
    before = "[" + deeper
    for item in value:
        out.append(before)
        _print(item, deeper, out)
        before = "," + deeper
    out.append(newline + "]" if value else "[]")


def _number(value: float) -> str:
    """Print a float64 as Go does: the shortest digits, plain between 1e-6 and 1e21, else with an exponent."""
    if value != value or value in (float("inf"), float("-inf")):
        return "null"
    mantissa, _, exponent = repr(value).partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    if fraction == "0":
        fraction = ""
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return sign + "0"
    power = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))  # the value is 0.<digits>e<power>
    digits = digits.rstrip("0")
    if power < -5 or power > 21:
        return f"{sign}{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{power - 1:+}"
    if power <= 0:
        return f"{sign}0.{'0' * -power}{digits}"
    return f"{sign}{digits[:power].ljust(power, '0')}{'.' if digits[power:] else ''}{digits[power:]}"


def rfc3339(seconds: float) -> str:
    """Return a time as Go prints it, in UTC: up to six fraction digits without trailing zeros."""
    known = min(max(0.0, seconds), _LAST_SECOND)  # a broken file may say infinity or NaN
    whole, fraction = divmod(round(known * 1_000_000), 1_000_000)
    digits = f".{fraction:06}".rstrip("0") if fraction else ""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + digits + "Z"
