"""Parses the times of agents and the Go CLI, without the standard library's modules: hooks read many."""

from __future__ import annotations


def parse_time(text: object) -> float:
    """Return an RFC 3339 time as seconds since the epoch; 0.0 for anything else, and for Go's zero time (year 1)."""
    if not isinstance(text, str) or len(text) < 19 or text[10] not in "Tt ":
        return 0.0
    try:
        year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
        hour, minute, second = int(text[11:13]), int(text[14:16]), int(text[17:19])
        fraction, offset = _rest(text[19:])
    except ValueError:
        return 0.0
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return 0.0
    moment = _days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset + fraction
    return max(moment, 0.0)


def _rest(text: str) -> tuple[float, int]:
    """Parse what follows the seconds: a fraction, then ``Z``, an offset, or nothing (UTC)."""
    if text[-1:] == "Z" and text[0] in ".," and text[1:-1].isdigit():  # as most programs write it
        return float("0." + text[1:-1]), 0
    fraction = 0.0
    if text[:1] in (".", ","):
        end = next((n for n, char in enumerate(text[1:], 1) if not char.isdigit()), len(text))
        fraction = float("0." + text[1:end])
        text = text[end:]
    if text in ("", "Z", "z"):
        return fraction, 0
    if text[0] not in "+-":
        raise ValueError(text)
    seconds = int(text[1:3]) * 3600 + int(text[-2:]) * 60
    return fraction, -seconds if text[0] == "-" else seconds


def _days(year: int, month: int, day: int) -> int:
    """Return the days since 1970-01-01 (``calendar`` would import ``datetime``)."""
    year -= month <= 2
    era_year = year % 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return year // 400 * 146097 + era_year * 365 + era_year // 4 - era_year // 100 + day_of_year - 719468
