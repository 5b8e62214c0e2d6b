"""What is redacted in one repository: the rules, its own rules and exceptions, and the secrets it remembers.

``.entire/redact.toml`` holds a team's rules and exceptions, and what personal data to redact; see
docs/reference/redact-toml.md. A broken entry never stops a hook: the rest applies, and ``problems`` says what is wrong.
"""

from __future__ import annotations

import os

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.redact.memory import Memory
    from entire.redact.own_rules import Config

    IsOwn = Callable[[], bool]


SECONDS = 2.0
"""Processor time that own rules may take in one hook."""

LONGEST_LINE = 2048
"""Bytes of the longest line that a hook shows to own rules where RE2 is not installed."""


class Sources(Value):
    """Where a repository keeps its configuration and what it remembers; '' for none. ``trusted``: the hashes of the
    exceptions that this person trusts.
    """

    config: str = ""
    memory: str = ""
    trusted: str = ""


class Budget:
    """The processor time that is left for own rules, and how many bytes they did not see for want of it."""

    __slots__ = ("left", "longest_line", "unchecked")

    def __init__(self, seconds: float = SECONDS, longest_line: int = LONGEST_LINE) -> None:
        self.left = seconds
        self.longest_line = longest_line
        self.unchecked = 0


class Policy:
    """The rules that apply in this process. Configuration and memory are read when they are first needed."""

    def __init__(self, sources: Sources, is_own: IsOwn | None) -> None:
        self.sources = sources
        self.budget = Budget()
        self._is_own = is_own
        self._memory: Memory | None = None
        self._config: Config | None = None
        self._has_config = bool(sources.config) and os.path.lexists(sources.config)

    @property
    def memory(self) -> Memory:
        if self._memory is None:
            from entire.redact.memory import Memory

            self._memory = Memory(self.sources.memory)
        return self._memory

    @property
    def config(self) -> Config | None:
        """The repository's own rules and exceptions; None if it has none."""
        if self._config is None and self._has_config:
            from entire.redact.own_rules import load

            config = load(self.sources.config)
            if config.exceptions and not self._is_trusted(config):
                config = config.without_exceptions()
            self._config = config
        return self._config

    def _is_trusted(self, config: Config) -> bool:
        """Tell whether the exceptions count: no commit brought them, or this person trusts what they are now."""
        if self._is_own is None:
            return True
        from entire.redact import config_file

        return config.exceptions_id in config_file.trusted(self.sources.trusted) or self._is_own()

    @property
    def seen_config(self) -> Config | None:
        """The repository's own rules and exceptions, if something had to be redacted, so that they were read."""
        return self._config


withheld: set[bytes] = set()
"""What this process was given as a secret, by its environment."""

_current = Policy(Sources(), None)


def adopt(sources: Sources, is_own: IsOwn | None = None) -> None:
    """Let the rules of one repository apply to what this process redacts from now on. ``is_own`` tells whether the
    configuration is of this person, so that its exceptions count, unless they are trusted; None: they count.
    """
    global _current  # a process works in one repository at a time, and much of it redacts
    if sources != _current.sources:
        _current = Policy(sources, is_own)


def current() -> Policy:
    return _current
