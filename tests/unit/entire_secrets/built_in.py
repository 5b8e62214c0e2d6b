"""Redaction by the built-in rules alone, which remembers nothing."""

from __future__ import annotations

from entire_secrets.memory import Memory
from entire_secrets.replacing import Replacer
from entire_secrets.text import Finding

REPLACER = Replacer(Memory())


class KeptMemory(Memory):
    """Knows what it learned from then on."""

    def save(self) -> None:
        self._unsaved.clear()


def redact(data: bytes) -> bytes:
    return REPLACER.text(data)


def redact_json(data: bytes) -> bytes:
    return REPLACER.document(data)


def redact_jsonl(data: bytes) -> bytes:
    return REPLACER.lines(data)


def redact_text(text: str) -> str:
    return redact(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def find(data: bytes, *, lines: bool = False) -> list[Finding]:
    return REPLACER.find(data, by_line=lines)
