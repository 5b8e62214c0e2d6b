"""What is redacted in one repository: the rules, its own rules and exceptions, and the secrets it remembers.

``.entire/redact.toml`` holds a team's rules and exceptions, and what personal data to redact; see
docs/reference/redact-toml.md. A broken entry never stops a hook: the rest applies, and ``problems`` says what is wrong.
"""

from __future__ import annotations

import os

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.redact.memory import Memory
    from entire.redact.own_rules import Config


class Sources(Value):
    """Where a repository keeps its configuration and what it remembers; '' for none."""

    config: str = ""
    memory: str = ""


class Policy:
    """The rules that apply in this process. Configuration and memory are read when they are first needed."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
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

            self._config = load(self.sources.config)
        return self._config

    @property
    def seen_config(self) -> Config | None:
        """The repository's own rules and exceptions, if something had to be redacted, so that they were read."""
        return self._config


withheld: set[bytes] = set()
"""What this process was given as a secret, by its environment."""

_current = Policy(Sources())


def adopt(sources: Sources) -> None:
    """Let the rules of one repository apply to what this process redacts from now on."""
    global _current  # a process works in one repository at a time, and much of it redacts
    if sources != _current.sources:
        _current = Policy(sources)


def current() -> Policy:
    return _current
