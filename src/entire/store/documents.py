"""Documents that an agent rewrites at every turn: messages that stand there as before are not redacted again.

Of the last document, the session remembers where its redacted form is, and a hash of its messages. If the next one
begins with the same messages, only what is around and after them is redacted, as a document of its own.
"""

from __future__ import annotations

from entire.model import jsontext
from entire.model.digest import hash_of
from entire.model.value import replace
from entire.redact import Redacted, trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Objects
    from entire.model.session import Session
    from entire.redact import Redactor

_START = rb'"messages"\s*:\s*\[\s*'


def redact(session: Session, data: bytes, objects: Objects, redactor: Redactor) -> str | Redacted:
    """Return a document as it is stored: its content, or its object id if it is the last one."""
    oid, whole, size, mark, kept = session.storage.document or ("", "", 0, "", 0)
    is_current = redactor.remembered_at(session.storage.redacted_with) is None
    known = objects.blob(oid) if oid and is_current else None
    if known is not None and hash_of(data) == whole:
        return str(oid)
    secrets, start = redactor.remembered(), _start(data)
    redacted = None
    if known is not None and size and hash_of(data[start : start + size]) == mark:
        redacted = _joined(data, start, size, known[_start(known) :][:kept], redactor)
    if redacted is None or redactor.remembered() > secrets:  # what was found just now may stand in the rest, too
        redacted = redactor.redact_json(data)
    return redacted


def remember(session: Session, data: bytes, redacted: bytes, oid: str) -> None:
    """Remember a document that goes into git as ``oid``."""
    start, end = _start(data), data.rfind(b"]")
    around, after = data[:start], data[end:]
    size = kept = 0
    if 0 < start < end and redacted.startswith(around) and redacted.endswith(after):
        size = len(data[start:end].rstrip())
        kept = len(redacted[start : len(redacted) - len(after)].rstrip())
    session.storage = replace(
        session.storage, document=[oid, hash_of(data), size, hash_of(data[start : start + size]), kept]
    )


def _joined(data: bytes, start: int, size: int, kept: bytes, redactor: Redactor) -> Redacted | None:
    """Return a document whose first messages are redacted as ``kept``; None if the rest is not a document."""
    rest = data[start + size :]
    new = rest.lstrip().removeprefix(b",").lstrip()
    try:
        jsontext.loads((data[:start] + new).decode())
    except (ValueError, RecursionError):
        return None
    redacted = redactor.redact_json(data[:start] + new)
    at = _start(redacted)
    return trusted(redacted[:at] + kept + rest[: len(rest) - len(new)] + redacted[at:])


def _start(data: bytes) -> int:
    """Return where a document's messages begin; 0 if it has none."""
    import re

    match = re.search(_START, data)
    return match.end() if match is not None else 0
