"""Secrets out, before anything is kept.

What people and agents said (transcripts, prompts, metadata) passes through here on its way into git. The store accepts
only ``Redacted`` for it, so that the type checker proves that nothing gets past. See ``docs/explanation/redaction.md``.

Every function gives the same result for its own result (``redact(redact(x)) == redact(x)``), and a text without secrets
comes back as the bytes it was. A secret is replaced by ``[REDACTED:<rule id>]``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.redact.engine import Finding

__all__ = ["Redacted", "find", "redact", "redact_json", "redact_jsonl", "redact_text", "trusted"]


class Redacted(bytes):
    """Bytes without secrets, as far as we can tell.

    A marker for the type checker. Only this package makes them: ``redact``, ``redact_json`` and ``redact_jsonl`` from
    what a person, an agent or a tool wrote, ``trusted`` from what the program itself made. Never call it elsewhere.
    """

    __slots__ = ()


def redact(data: bytes) -> Redacted:
    """Replace the secrets in plain text."""
    from entire.redact import replacing

    return data if isinstance(data, Redacted) else Redacted(replacing.text(data))


def redact_json(data: bytes) -> Redacted:
    """Replace the secrets in the string values of one JSON document, which stays valid; else in plain text."""
    from entire.redact import replacing

    return data if isinstance(data, Redacted) else Redacted(replacing.document(data))


def redact_jsonl(data: bytes) -> Redacted:
    """Replace the secrets in JSON lines, each by itself; a line that is not JSON is plain text.

    Lines, their number, order and ends stay; lines without secrets are copied. New lines can be redacted alone: for an
    ``a`` that ends with a line, ``redact_jsonl(a + b) == redact_jsonl(a) + redact_jsonl(b)``.
    """
    from entire.redact import replacing

    return data if isinstance(data, Redacted) else Redacted(replacing.lines(data))


def redact_text(text: str) -> str:
    """Replace the secrets in a string."""
    return redact(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def trusted(data: bytes) -> Redacted:
    """Take bytes the program itself made of ids, counts and times: no word of a person, an agent or a tool."""
    return Redacted(data)


def find(data: bytes, *, lines: bool = False) -> list[Finding]:
    """List what would be replaced, in order: in plain text or one JSON document, or with ``lines`` in JSON lines."""
    from entire.redact import replacing

    return replacing.find(data, by_line=lines)
