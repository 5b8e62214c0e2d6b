"""A repository's own rules and exceptions, from ``.entire/redact.toml``."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatchcase

from entire.model.digest import sha256
from entire.model.value import Value
from entire.redact import personal
from entire.redact.engine import LINE_END, Finding

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

    def find(self, text: bytes) -> Iterator[Finding]:
        """Yield what the repository's own rules find in a plain view, and the personal data it wants redacted."""
        for rule in self.rules:
            for match in rule.pattern.finditer(text):
                start, end = match.span(min(rule.pattern.groups, 1))
                if start < end and LINE_END not in match.group():
                    yield Finding(rule=rule.id, start=start, end=end)
        for kind in self.personal:
            for start, end in personal.KINDS[kind](text):
                yield Finding(rule=kind, start=start, end=end)

    def allows(self, rule: str, value: bytes) -> bool:
        """Tell whether a value that a rule found is an exception."""
        return rule in self.allowed_rules or (bool(self.allowed_values) and value_hash(value) in self.allowed_values)

    def allows_record(self, record: bytes) -> bool:
        """Tell whether a record of a transcript is about a file whose content is an exception."""
        if not self.allowed_paths:
            return False
        paths = (match.group(1).decode("utf-8", "replace") for match in _PATHS.finditer(record))
        return any(_matches(path, glob) for path in paths for glob in self.allowed_paths)


def value_hash(value: bytes) -> str:
    """Return what names a value in ``[allow]`` and in the output of ``entire redact``, without showing it."""
    return sha256(value).hexdigest()[:HASH_DIGITS]


def _matches(path: str, glob: str) -> bool:
    """Tell whether a path, absolute or not, ends with what ``glob`` describes."""
    parts = path.replace("\\", "/").split("/")
    tails = ("/".join(parts[at:]) for at in range(len(parts)))
    return any(fnmatchcase(tail, glob) for tail in tails)


def load(path: str) -> Config:
    """Read the file. What is wrong is left out and named in ``problems``."""
    try:
        with open(path, "rb") as file:
            return parse(file.read())
    except OSError as error:
        return Config(problems=(f"it cannot be read: {error.strerror}",))


def parse(data: bytes) -> Config:
    try:
        said = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return Config(problems=(f"it is not TOML: {error}",))
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
            personal=tuple(kind for kind in personal.KINDS if wanted.get(kind) is True),
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

    def _strings(self, table: dict[str, Any], name: str) -> list[str]:
        value = table.get(name, [])
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return value
        self._problems.append(f"`allow.{name}` must be a list of strings")
        return []

    def _rule(self, table: dict[str, Any]) -> OwnRule | None:
        name, pattern, example = (str(table.get(key, "")) for key in ("id", "pattern", "example"))
        problem = _problem_of(name, pattern, example)
        if problem:
            self._problems.append(f"rule `{name or '?'}`: {problem}")
            return None
        return OwnRule(id=name, pattern=re.compile(pattern.encode()), example=example)


def _problem_of(name: str, pattern: str, example: str) -> str:
    """Return why a rule cannot be used; '' if it can."""
    if not _ID.fullmatch(name) or len(name) > 60:
        return "its id must be words of a-z and 0-9, joined by hyphens"
    try:
        compiled = re.compile(pattern.encode())
    except (re.error, OverflowError, RecursionError) as error:
        return f"its pattern is no regular expression: {error}"
    if compiled.match(b""):
        return "its pattern also matches nothing at all"
    if _may_take_for_ever(pattern):
        return (
            "its pattern repeats a repetition without a bound, which can take for ever; write {1,100} instead of + or *"
        )
    if not example:
        return "it has no example"
    return "" if compiled.search(example.encode()) else "its pattern does not match its example"


def _may_take_for_ever(pattern: str) -> bool:
    """Tell whether an unbounded repetition stands within another one."""
    from re import _constants, _parser  # type: ignore[attr-defined]

    unbounded = _constants.MAXREPEAT

    def nested(parsed: Any, inside: bool) -> bool:
        for operator, argument in parsed:
            repeats = operator in (_constants.MAX_REPEAT, _constants.MIN_REPEAT) and argument[1] == unbounded
            if repeats and inside:
                return True
            if any(nested(part, inside or repeats) for part in _parts(argument)):
                return True
        return False

    def _parts(argument: Any) -> Iterator[Any]:
        if isinstance(argument, _parser.SubPattern):
            yield argument
        elif isinstance(argument, (list, tuple)):
            for item in argument:
                yield from _parts(item)

    return nested(_parser.parse(pattern), inside=False)
