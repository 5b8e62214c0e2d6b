"""A repository's own rules and exceptions, from ``.entire/redact.toml``."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatchcase

from entire.model.digest import sha256
from entire.model.value import Value, replace
from entire.redact import config_file, patterns, personal
from entire.redact.engine import LINE_END, Finding
from entire.redact.judging.heuristics import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Pattern
    from typing import Any

HASH_DIGITS = 16
"""Hex digits of a value's SHA-256 that name it in an exception."""

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PATHS = re.compile(
    rb'"(?:file_path|filePath|path|notebook_path|filename|fileName|relative_path)"\s*:\s*"([^"\\]{1,1000})"'
)


class OwnRule(Value):
    """A rule of the repository: it is searched for in the whole text."""

    id: str
    pattern: Pattern[bytes]
    example: str


class Config(Value):
    """What ``.entire/redact.toml`` says, and what is wrong with it."""

    rules: tuple[OwnRule, ...] = ()
    personal: tuple[str, ...] = ()
    allowed_values: frozenset[str] = frozenset()
    allowed_rules: frozenset[str] = frozenset()
    allowed_paths: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    digest: str = ""  # of the file

    def find(self, text: bytes) -> Iterator[Finding]:
        """Yield what the repository's own rules find in a plain view, and the personal data it wants redacted."""
        for line_start, line_end in _lines(text) if self.rules else ():
            for rule in self.rules:
                for match in rule.pattern.finditer(text, line_start, line_end):
                    start, end = match.span(min(rule.pattern.groups, 1))
                    if start < end and MARK not in text[start:end]:  # else what was replaced is found for ever
                        yield Finding(rule=rule.id, start=start, end=end)
        for kind in self.personal:
            for start, end in personal.KINDS[kind](text):
                yield Finding(rule=kind, start=start, end=end)

    def allows(self, rule: str, value: bytes) -> bool:
        """Tell whether a value that a rule found is an exception."""
        return rule in self.allowed_rules or (bool(self.allowed_values) and value_hash(value) in self.allowed_values)

    def allowed_places(self, data: bytes) -> list[int]:
        """Return where a JSON document names a file whose content is an exception."""
        if not self.allowed_paths:
            return []
        found = ((match.start(), match.group(1).decode("utf-8", "replace")) for match in _PATHS.finditer(data))
        return [at for at, path in found if any(_matches(path, glob) for glob in self.allowed_paths)]


def value_hash(value: bytes) -> str:
    """Return what names a value in ``[allow]`` and in the output of ``entire redact``, without showing it."""
    return sha256(value).hexdigest()[:HASH_DIGITS]


def _matches(path: str, glob: str) -> bool:
    """Tell whether a path, absolute or not, ends with what ``glob`` describes."""
    parts = path.replace("\\", "/").split("/")
    tails = ("/".join(parts[at:]) for at in range(len(parts)))
    return any(fnmatchcase(tail, glob) for tail in tails)


def _lines(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each of the lines that are joined by ``LINE_END``."""
    start = 0
    while (end := text.find(LINE_END, start)) >= 0:
        yield start, end
        start = end + len(LINE_END)
    yield start, len(text)


def load(path: str) -> Config:
    """Read the file. What is wrong is left out and named in ``problems``."""
    try:
        data = config_file.read(path)
    except OSError as error:
        problem = f"it is left out, since it cannot be read: {error.strerror}"
        return Config(problems=(problem,), digest=sha256(problem.encode()).hexdigest())
    return replace(parse(data), digest=sha256(data).hexdigest())


def parse(data: bytes) -> Config:
    try:
        said = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return Config(problems=(f"it is left out, since it is not TOML: {error}",))
    reader = _Reader(said)
    return reader.config()


class _Reader:
    """Takes a parsed file apart and notes what it does not understand."""

    def __init__(self, said: dict[str, Any]) -> None:
        self._said = said
        self._problems: list[str] = []

    def config(self) -> Config:
        for key in self._said.keys() - {"rule", "allow", "personal"}:
            self._problems.append(f"`{key}` is not known; write [[rule]], [allow] or [personal]")
        rules = tuple(filter(None, map(self._rule, self._tables("rule"))))
        allow = self._table("allow", {"values", "rules", "paths"})
        wanted = self._table("personal", set(personal.KINDS))
        return Config(
            rules=rules,
            personal=tuple(kind for kind in personal.KINDS if self._is_wanted(wanted, kind)),
            allowed_values=frozenset(map(str.lower, self._strings(allow, "values"))),
            allowed_rules=frozenset(self._strings(allow, "rules")),
            allowed_paths=tuple(self._strings(allow, "paths")),
            problems=tuple(self._problems),
        )

    def _tables(self, name: str) -> list[dict[str, Any]]:
        value = self._said.get(name, [])
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return value
        self._problems.append(f"`{name}` must be written as [[{name}]]")
        return []

    def _table(self, name: str, known: set[str]) -> dict[str, Any]:
        value = self._said.get(name, {})
        if not isinstance(value, dict):
            self._problems.append(f"`{name}` must be written as [{name}]")
            return {}
        for key in value.keys() - known:
            self._problems.append(f"`{name}.{key}` is not known; choose from {', '.join(sorted(known))}")
        return value

    def _is_wanted(self, table: dict[str, Any], kind: str) -> bool:
        value = table.get(kind, False)
        if not isinstance(value, bool):
            self._problems.append(f"`personal.{kind}` must be true or false")
        return value is True

    def _strings(self, table: dict[str, Any], name: str) -> list[str]:
        value = table.get(name, [])
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return value
        self._problems.append(f"`allow.{name}` must be a list of strings")
        return []

    def _rule(self, table: dict[str, Any]) -> OwnRule | None:
        name, pattern, example = (table.get(key, "") for key in ("id", "pattern", "example"))
        wrong = next((key for key in ("id", "pattern", "example") if not isinstance(table.get(key, ""), str)), "")
        problem = f"its {wrong} must be a string" if wrong else _problem_of(name, pattern, example)
        if problem:
            self._problems.append(f"rule `{name or '?'}` is left out: {problem}")
            return None
        return OwnRule(id=name, pattern=patterns.compiled(pattern.encode()), example=example)


def _problem_of(name: str, pattern: str, example: str) -> str:
    """Return why a rule cannot be used; '' if it can."""
    if not _ID.fullmatch(name) or len(name) > 60:
        return "its id must be words of a-z and 0-9, joined by hyphens"
    try:
        compiled = patterns.compiled(pattern.encode())
    except (re.error, OverflowError, RecursionError) as error:
        return f"its pattern is no regular expression: {error}"
    if compiled.match(b""):
        return "its pattern also matches nothing at all"
    if patterns.may_take_for_ever(pattern.encode()):
        return (
            "its pattern can take for ever: in a repetition, it must be clear from each next character how to go on; "
            "end what is repeated with a separator, or give it a fixed number"
        )
    if not example:
        return "it has no example"
    return "" if compiled.search(example.encode()) else "its pattern does not match its example"
