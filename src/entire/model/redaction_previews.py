"""What ``entire redact`` is asked and answers. No value here holds a secret."""

from __future__ import annotations

from entire.model.value import Value


class PreviewRequest(Value):
    """Try the rules on files (``-`` is standard input), or on the transcript of a session."""

    files: tuple[str, ...] = ()
    session: str = ""  # id or id prefix


class HitView(Value):
    """What would be replaced: where, by which rule, the masked value, and the hash that names it in ``[allow]``."""

    file: str  # '' for a session
    line: int  # of the file or transcript, counted from 1
    record: int  # of JSON lines or of a JSON document's list, counted from 1; 0 if there is none
    rule: str
    mask: str
    hash: str


class PreviewView(Value):
    """What would be replaced. ``problems``: of ``.entire/redact.toml``; ``unread``: files, with the reason."""

    hits: tuple[HitView, ...] = ()
    session: str = ""
    source: str = ""  # where the session's transcript was read: agent, step or checkpoint
    size: int = 0  # bytes that were read
    files: int = 0  # that were read
    unread: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    unfollowed: str = ""  # exceptions that do not count, since nobody here agreed to them
    config: str = ""  # path of the .entire/redact.toml that applies, '' for none


class RuleView(Value):
    """A rule. ``example`` is the form of what it finds: ``<hex:32>`` are 32 hex digits, ``«»`` enclose the secret."""

    id: str
    kind: str  # provider, place, name, opinion, own or personal
    source: str
    example: str
