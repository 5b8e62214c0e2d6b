r"""A secret in every form in which a transcript may hold it, and text without it.

In JSON only string values and keys change, at whole escapes, so a document stays valid. A value is looked for as it is,
escaped for JSON at several depths (``\n``, ``\u00e4``, ``\/``), percent-encoded, with HTML entities, and inside base64.
"""

from __future__ import annotations

import base64
import html
import json
import re
from urllib.parse import quote

from entire.audit import verdicts
from entire.errors import UsageError

SHORTEST = 4
_INSTEAD = "name the session or checkpoint instead: --session ID, --checkpoint ID"
_DEPTHS = 3
_BASE64_FROM = 8  # bytes: shorter ones occur by chance
_LITERAL = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_STRUCTURE = re.compile(
    rb'"(?P<key>[a-z_]+)"\s*:'
    rb'|"(?P<whole>[0-9a-f-]{12,}|\d{4}-\d\d-\d\dT[0-9:.Z+-]+)"'
)
_NAMED = re.compile(rb'"(?:phase|agent|agent_type|strategy)"\s*:\s*"([^"\\]*)"')
_ESCAPE = rb"|\\+u[0-9a-fA-F]{4}|\\."  # is passed over as a whole: a value does not start inside of one


class Secret:
    """A value to forget. A mark with the rule's name takes its place."""

    def __init__(self, value: bytes, rule: str) -> None:
        if len(value.strip()) < SHORTEST:
            raise UsageError(f"a value of fewer than {SHORTEST} characters occurs everywhere; nothing was changed",
                             hint=_INSTEAD)  # fmt: skip
        self.value = value
        self.rule = rule
        self._mark = f"[REDACTED:{rule}]".encode()
        text = value.decode("utf-8", "surrogateescape")
        escaped = _escaped(text)
        encoded = _encoded(value, text)
        self._anywhere = _longest_first({value, *escaped, *encoded})
        self._pattern = _any_of(self._anywhere)
        self._json_pattern = re.compile(
            b"(" + _any_of(_longest_first({*escaped, *encoded})).pattern + b")" + _ESCAPE, re.DOTALL
        )

    def is_in(self, data: bytes) -> bool:
        """Tell quickly whether a text may hold it."""
        return any(form in data for form in self._anywhere)

    def check_record(self, record: bytes) -> None:
        """Raise UsageError if the value is a part of a key, id, time or name in a record of ours: it would be none
        without it.
        """
        parts = [match["key"] or match["whole"] for match in _STRUCTURE.finditer(record)
                 if self.value in (match["key"] or match["whole"]) and self.value != match["whole"]]  # fmt: skip
        parts += [name for name in _NAMED.findall(record) if self.value in name]
        if parts:
            raise UsageError(f"the value is part of {parts[0].decode()}, which Entire's own records need; "
                             "nothing was changed", hint=_INSTEAD)  # fmt: skip

    def removed(self, name: str, data: bytes) -> bytes:
        """Return a file's content without the value; the same bytes if it is not there."""
        if not self.is_in(data):
            return data
        if verdicts.is_lines(name) and not _is_json(data):
            lines = data.splitlines(keepends=True)
            if any(_is_json(line) for line in lines):
                return b"".join(self._removed(line) if self.is_in(line) else line for line in lines)
        return self._removed(data)

    def _removed(self, data: bytes) -> bytes:
        if not _is_json(data):
            return self._pattern.sub(lambda _: self._mark, data)
        return _LITERAL.sub(lambda literal: self._in_literal(literal[0]), data)

    def _in_literal(self, literal: bytes) -> bytes:
        return self._json_pattern.sub(lambda found: self._mark if found[1] else found[0], literal)


def _escaped(text: str) -> set[bytes]:
    """Return a text as JSON strings hold it, in JSON in JSON too."""
    forms: set[str] = set()
    for is_ascii in (True, False):
        for slash in ("/", "\\/"):
            form = text
            for _ in range(_DEPTHS):
                form = json.dumps(form, ensure_ascii=is_ascii)[1:-1].replace("/", slash)
                forms.add(form)
    return {form.encode("utf-8", "surrogateescape") for form in forms}


def _encoded(value: bytes, text: str) -> set[bytes]:
    forms = {quote(value, safe="").encode(), html.escape(text).encode("utf-8", "surrogateescape")}
    forms |= {re.sub(rb"%[0-9A-F]{2}", lambda found: found[0].lower(), form) for form in forms}
    if len(value) >= _BASE64_FROM:
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            forms |= {_inner(encode(b"\0" * offset + value), offset, len(value)) for offset in range(3)}
    return forms


def _inner(encoded: bytes, offset: int, size: int) -> bytes:
    """Return the characters of a base64 text that depend on the value only, not on what is around it."""
    start = -(-offset * 8 // 6)
    return encoded[start : (offset + size) * 8 // 6]


def _longest_first(forms: set[bytes]) -> list[bytes]:
    return sorted(forms, key=lambda form: (-len(form), form))


def _any_of(forms: list[bytes]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(map(re.escape, forms)))


def _is_json(data: bytes) -> bool:
    if data.lstrip()[:1] not in (b"{", b"[", b'"'):
        return False
    try:
        json.loads(data.decode("utf-8", "replace"), parse_int=str, parse_float=str)
    except ValueError:
        return False
    except RecursionError:
        return True  # replacing in strings is right for JSON and for text
    return True
