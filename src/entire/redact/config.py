"""Reads what ``.entire/redact.toml`` says: a repository's own rules and exceptions."""

from __future__ import annotations

import tomllib

from entire.model.digest import sha256
from entire.model.value import Value, replace
from entire.redact import config_file
from entire_secrets import personal
from entire_secrets.own_rules import Allowed, OwnRule, OwnRules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_RULES = 200
"""Own rules of one file: each is searched for in all that is stored."""


class Config(Value):
    """What ``.entire/redact.toml`` says, and what is wrong with it."""

    own: OwnRules
    problems: tuple[str, ...] = ()
    digest: str = ""  # of the file
    unfollowed: str = ""  # the exceptions that were left out, since nobody here agreed to them

    @property
    def exceptions(self) -> str:
        """The exceptions in words, '' for none."""
        allowed = self.own.allowed
        exceptions = (("value", allowed.values), ("rule", allowed.rules), ("path", allowed.paths))
        return ", ".join(f"{len(each)} {word}{'s' * (len(each) != 1)}" for word, each in exceptions if each)

    @property
    def exceptions_id(self) -> str:
        """The hash of what is excepted: whoever trusts it trusts nothing else."""
        exceptions = (self.own.allowed.values, self.own.allowed.rules, self.own.allowed.paths)
        return sha256(repr([sorted(each) for each in exceptions]).encode("utf-8", "surrogatepass")).hexdigest()

    def without_exceptions(self) -> Config:
        return replace(self, own=OwnRules(self.own.rules, self.own.personal), unfollowed=self.exceptions)


def load(path: str) -> Config:
    """Read the file. What is wrong is left out and named in ``problems``."""
    try:
        data = config_file.read(path)
    except OSError as error:
        problem = f"it is left out, since it cannot be read: {error.strerror}"
        return Config(own=OwnRules(), problems=(problem,), digest=sha256(problem.encode()).hexdigest())
    return replace(parse(data), digest=sha256(data).hexdigest())


def parse(data: bytes) -> Config:
    try:
        said = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return Config(own=OwnRules(), problems=(f"it is left out, since it is not TOML: {error}",))
    reader = _ConfigReader(said)
    return reader.config()


class _ConfigReader:
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
        own = OwnRules(
            rules,
            tuple(kind for kind in personal.KINDS if self._is_wanted(wanted, kind)),
            Allowed(
                frozenset(map(str.lower, self._strings(allow, "values"))),
                frozenset(self._strings(allow, "rules")),
                tuple(self._strings(allow, "paths")),
            ),
        )
        return Config(own=own, problems=tuple(self._problems))

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
            return OwnRule(name, pattern, example)
        except ValueError as error:
            self._problems.append(f"rule `{name or '?'}` is left out: {error}")
            return None
