"""One call of a plugin, and what a subcommand is."""

from __future__ import annotations

import os
import sys

from entire.errors import EntireError, UsageError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from entire.agents.contract import Agent, AgentFactory


class Call:
    """One call of a plugin: its subcommand, options and standard input."""

    def __init__(self, factory: AgentFactory, argv: Sequence[str], about: object) -> None:
        if not argv:
            raise UsageError("no subcommand", hint="`info` tells what this plugin is")
        self.subcommand = argv[0]
        self.about = about
        self.root = os.environ.get("ENTIRE_REPO_ROOT") or os.getcwd()
        self._factory = factory
        self._words = argv[1:]
        self._options: dict[str, str] = {}
        self._agents: list[Agent] = []

    def parse(self, options: Sequence[str], flags: Sequence[str]) -> None:
        """Read the options, of which each has a value, and the flags.

        An option that is not known is ignored, with what looks like its value: a newer host may have it. Raises
        UsageError for a word that belongs to no option.
        """
        words = list(self._words)
        while words:
            word = words.pop(0)
            name, has_value, value = word.removeprefix("--").partition("=")
            if not word.startswith("--") or (has_value and name in flags):
                raise UsageError(f"{self.subcommand} does not understand {word!r}")
            if name in options and not has_value:
                if not words:
                    raise UsageError(f"{self.subcommand} needs a value for --{name}")
                value = words.pop(0)
            elif name not in (*options, *flags) and not has_value and words and not words[0].startswith("--"):
                words.pop(0)
            self._options[name] = value

    def option(self, name: str, default: str | None = None) -> str:
        """Return the value of an option; raises UsageError if it is missing and there is no default."""
        value = self._options.get(name, default)
        if value is None:
            raise UsageError(f"{self.subcommand} needs --{name}")
        return value

    def number(self, name: str) -> int:
        """Return an option that is a whole number, not negative."""
        text = self.option(name)
        if not (text.isascii() and text.isdigit() and len(text) < 20):
            raise UsageError(f"--{name} must be a whole number, not {text!r}")
        return int(text)

    def has(self, flag: str) -> bool:
        return flag in self._options

    def agent(self, metadata: Mapping[str, str] = {}) -> Agent:
        """Return the adapter of a session with this metadata, the same one if it is asked for again."""
        if not self._agents or dict(self._agents[0].metadata) != dict(metadata):
            self._agents = [self._factory(metadata=metadata)]
        return self._agents[0]

    def stdin(self) -> bytes:
        """Return all of standard input; nothing, if that is closed."""
        return sys.stdin.buffer.read() if sys.stdin is not None else b""

    def document(self) -> dict[str, Any]:
        """Return the JSON object on standard input; raises EntireError for anything else."""
        from entire.model import jsontext

        try:
            value = jsontext.loads(self.stdin())
        except (ValueError, RecursionError) as error:
            raise EntireError(f"standard input is not JSON: {error}") from None
        if not isinstance(value, dict):
            raise EntireError("standard input is not a JSON object")
        return value


class Subcommand(Value):
    """One subcommand: its function, which returns JSON or the bytes to print, and the words that may follow it."""

    function: Any
    options: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    capability: str = ""  # of the adapter, without which there is no such subcommand
