"""What a team adds: rules of its own, personal data that is a secret for it, and exceptions."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from entire_secrets import MARK, linear, personal
from entire_secrets.memory import sha256
from entire_secrets.text import LINE_END, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire_secrets.linear import Budget, Pattern

HASH_DIGITS = 16
"""Hex digits of a value's SHA-256 that name it in an exception."""

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_REPLACED = re.compile(re.escape(MARK) + rb"[a-z0-9-]{1,60}\]?")
_PATHS = re.compile(
    rb'"(?:file_path|filePath|path|notebook_path|filename|fileName|relative_path)"\s*:\s*"([^"\\]{1,1000})"'
)


class OwnRule:
    """A rule of a team: it is searched for in the whole text. Raises ValueError, which says why it cannot be used."""

    __slots__ = ("example", "id", "pattern")

    def __init__(self, name: str, pattern: str, example: str) -> None:
        self.id = name
        self.pattern = _compiled(name, pattern, example)
        self.example = example


class Allowed:
    """The exceptions: values by their hashes, rules by their ids, files by their globs."""

    __slots__ = ("paths", "rules", "values")

    def __init__(
        self, values: frozenset[str] = frozenset(), rules: frozenset[str] = frozenset(), paths: tuple[str, ...] = ()
    ) -> None:
        self.values = values
        self.rules = rules
        self.paths = paths

    def has(self, rule: str, value: bytes) -> bool:
        """Tell whether a value that a rule found is an exception."""
        return rule in self.rules or (bool(self.values) and value_hash(value) in self.values)

    def places(self, data: bytes) -> list[int]:
        """Return where a JSON document names a file whose content is an exception."""
        if not self.paths:
            return []
        named = ((match.start(), match.group(1).decode("utf-8", "replace")) for match in _PATHS.finditer(data))
        return [at for at, path in named if any(_matches(path, glob) for glob in self.paths)]


class OwnRules:
    """What a team adds to the rules that are built in, and the time that its patterns may still take."""

    __slots__ = ("allowed", "budget", "personal", "rules")

    def __init__(
        self, rules: tuple[OwnRule, ...] = (), personal: tuple[str, ...] = (), allowed: Allowed | None = None
    ) -> None:
        self.rules = rules
        self.personal = personal
        self.allowed = allowed or Allowed()
        self.budget = linear.Budget()

    def find(self, text: bytes) -> Iterator[Finding]:
        """Yield what the own rules find in a plain view, and the personal data that is to be redacted."""
        if self.rules:
            yield from _findings(self.rules, text, self.budget)
        for kind in self.personal:
            for start, end in personal.KINDS[kind](text):
                yield Finding(kind, start, end)


def value_hash(value: bytes) -> str:
    """Return what names a value in ``Allowed``, without showing it."""
    return sha256(value).hexdigest()[:HASH_DIGITS]


def _matches(path: str, glob: str) -> bool:
    """Tell whether a path, absolute or not, ends with what ``glob`` describes."""
    parts = path.replace("\\", "/").split("/")
    tails = ("/".join(parts[at:]) for at in range(len(parts)))
    return any(fnmatchcase(tail, glob) for tail in tails)


def _findings(rules: Sequence[OwnRule], text: bytes, budget: Budget) -> list[Finding]:
    """Return what rules find in each of the lines that are joined by ``LINE_END``, but within what was replaced."""
    findings: list[Finding] = []
    start = 0
    while start <= len(text):
        end = text.find(LINE_END, start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        taken = [match.span() for match in _REPLACED.finditer(line)] if MARK in line else []
        for rule in rules:
            for low, high in linear.spans(rule.pattern, line, budget):
                if not any(low < last and first < high for first, last in taken):  # else it is found for ever
                    findings.append(Finding(rule.id, start + low, start + high))
        start = end + len(LINE_END)
    return findings


def _compiled(name: str, pattern: str, example: str) -> Pattern:
    """Return a rule's pattern. Raises ValueError, which says why the rule cannot be used."""
    if not _ID.fullmatch(name) or len(name) > 60:
        raise ValueError("its id must be words of a-z and 0-9, joined by hyphens")
    compiled = linear.compiled(pattern.encode())
    if compiled.match(b""):
        raise ValueError("its pattern also matches nothing at all")
    if not example:
        raise ValueError("it has no example")
    if compiled.search(example.encode()) is None:
        raise ValueError("its pattern does not match its example")
    return compiled
