"""A repository's own rules and exceptions, from ``.entire/redact.toml``."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatchcase

from entire.model.digest import sha256
from entire.model.value import Value, replace
from entire.redact import config_file, linear, personal
from entire.redact.engine import LINE_END, Finding
from entire.redact.judging.heuristics import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from entire.redact.linear import Pattern
    from entire.redact.policy import Budget

MOST_RULES = 200
"""Own rules of one file: each is searched for in all that is stored."""

HASH_DIGITS = 16
"""Hex digits of a value's SHA-256 that name it in an exception."""

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_REPLACED = re.compile(re.escape(MARK) + rb"[a-z0-9-]{1,60}\]?")
_PATHS = re.compile(
    rb'"(?:file_path|filePath|path|notebook_path|filename|fileName|relative_path)"\s*:\s*"([^"\\]{1,1000})"'
)


class OwnRule(Value):
    """A rule of the repository: it is searched for in the whole text."""

    id: str
    pattern: Pattern
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
    unfollowed: str = ""  # the exceptions that were left out, since nobody here agreed to them

    @property
    def exceptions(self) -> str:
        """The exceptions in words, '' for none."""
        found = (("value", self.allowed_values), ("rule", self.allowed_rules), ("path", self.allowed_paths))
        return ", ".join(f"{len(each)} {word}{'s' * (len(each) != 1)}" for word, each in found if each)

    @property
    def exceptions_id(self) -> str:
        """The hash of what is excepted: whoever trusts it trusts nothing else."""
        found = (self.allowed_values, self.allowed_rules, self.allowed_paths)
        return sha256(repr([sorted(each) for each in found]).encode("utf-8", "surrogatepass")).hexdigest()

    def without_exceptions(self) -> Config:
        return replace(self, allowed_values=frozenset(), allowed_rules=frozenset(), allowed_paths=(),
                       unfollowed=self.exceptions)  # fmt: skip

    def find(self, text: bytes, budget: Budget) -> Iterator[Finding]:
        """Yield what the repository's own rules find in a plain view, and the personal data it wants redacted."""
        if self.rules:
            yield from _found(self.rules, text, budget)
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


def _found(rules: Sequence[OwnRule], text: bytes, budget: Budget) -> list[Finding]:
    """Return what rules find in each of the lines that are joined by ``LINE_END``, but within what was replaced."""
    found: list[Finding] = []
    start = 0
    while start <= len(text):
        end = text.find(LINE_END, start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        taken = [match.span() for match in _REPLACED.finditer(line)] if MARK in line else []
        for rule in rules:
            for low, high in linear.spans(rule.pattern, line, budget):
                if not any(low < last and first < high for first, last in taken):  # else it is found for ever
                    found.append(Finding(rule=rule.id, start=start + low, end=start + high))
        start = end + len(LINE_END)
    return found


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
        tables = self._tables("rule")
        if len(tables) > MOST_RULES:
            self._problems.append(f"{len(tables) - MOST_RULES} rules are left out: a file may have {MOST_RULES}")
        rules = tuple(filter(None, map(self._rule, tables[:MOST_RULES])))
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
        try:
            if wrong:
                raise ValueError(f"its {wrong} must be a string")
            return OwnRule(id=name, pattern=_compiled(name, pattern, example), example=example)
        except ValueError as error:
            self._problems.append(f"rule `{name or '?'}` is left out: {error}")
            return None


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
