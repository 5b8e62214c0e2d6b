"""Replaces secrets before anything is stored.

What people and agents said (transcripts, prompts, metadata) passes through here on its way into git. The store accepts
only ``Redacted`` for it, so that the type checker proves that nothing bypasses redaction. See
``docs/explanation/redaction.md``.

Redaction is idempotent (``redact(redact(x)) == redact(x)``), and text without secrets stays the same bytes. A secret is
replaced by ``[REDACTED:<rule id>]``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.redact.engine import Finding

__all__ = [
    *("Redacted", "find", "redact", "redact_json", "redact_jsonl", "redact_text"),
    *("memory_size", "remembered", "remembered_at", "reveals", "rules_version", "trusted"),
]


class Redacted(bytes):
    """Bytes without known secrets: a marker for the type checker.

    Only this package creates them: ``redact``, ``redact_json`` and ``redact_jsonl`` from what a person, agent or tool
    wrote, ``trusted`` from what the program itself produced. Never call the class elsewhere.
    """

    __slots__ = ()


def redact(data: bytes) -> Redacted:
    """Replace the secrets in plain text."""
    from entire.redact import replacing

    return data if isinstance(data, Redacted) else Redacted(replacing.text(data))


def redact_json(data: bytes) -> Redacted:
    """Replace the secrets in the string values of a JSON document, which stays valid; other data is plain text."""
    from entire.redact import replacing

    return data if isinstance(data, Redacted) else Redacted(replacing.document(data))


def redact_jsonl(data: bytes) -> Redacted:
    """Replace the secrets in JSON lines, each separately; a line that is not JSON is plain text.

    Number, order and ends of lines are kept; lines without secrets are copied. Appended lines can be redacted alone: if
    ``a`` ends with a line, ``redact_jsonl(a + b) == redact_jsonl(a) + redact_jsonl(b)``, but for a secret in ``a`` that
    only ``b`` reveals.
    """
    from entire.redact import replacing

    return data if isinstance(data, Redacted) else Redacted(replacing.lines(data))


def redact_text(text: str) -> str:
    return redact(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def remembered() -> int:
    """Return how many secrets this repository remembers; see ``redact.memory``."""
    from entire.redact import policy

    return policy.current().memory.count


def memory_size() -> int:
    """Return the size of the repository's memory, in bytes of its file, as far as this process knows it."""
    from entire.redact import policy

    return policy.current().memory.seen


def remembered_at(size: int) -> int | None:
    """Return how many secrets the repository remembered when its memory had ``size`` bytes, or fewer; None if it has
    that now. Reads nothing in that case.
    """
    import os

    from entire.redact import policy

    try:
        now = os.stat(policy.current().sources.memory).st_size
    except OSError:  # there is none
        now = 0
    return None if max(size, 0) == now else policy.current().memory.count_at(size)


def reveals(data: bytes, since: int) -> bool:
    """Tell whether JSON lines contain a secret that the repository remembers, but for the first ``since`` of them."""
    from entire.redact import replacing

    return replacing.reveals(data, since)


def trusted(data: bytes) -> Redacted:
    """Mark bytes that the program made of ids, counts and times, without any text of a person, agent or tool."""
    return Redacted(data)


def find(data: bytes, *, lines: bool = False) -> list[Finding]:
    """List what would be replaced, in order: in plain text or a JSON document, or with ``lines`` in JSON lines."""
    from entire.redact import replacing

    return replacing.find(data, by_line=lines)


def rules_version() -> str:
    """Return what tells one state of the rules from another: a digest of this package's files and of the repository's
    own rules and exceptions.
    """
    import os

    from entire.model.digest import sha256
    from entire.redact import config_file, policy

    current = policy.current()
    config = current.sources.config
    try:
        digest = sha256(config_file.read(config) if config else b"")
    except OSError:  # there is none, or it cannot be read
        digest = sha256(b"")
    if current.config is not None and current.config.unfollowed:
        digest.update(b"without its exceptions")
    for top, folders, names in os.walk(os.path.dirname(__file__)):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                with open(os.path.join(top, name), "rb") as file:
                    digest.update(name.encode() + b"\0" + file.read())
    return digest.hexdigest()[:16]
