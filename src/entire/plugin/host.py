"""Entire's own side of a plugin, for suites that test plugins and adapters (``entire_plugin_kit``): how their host
speaks, which names are taken, and how it comes to know an agent.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from entire.agents import registry
from entire.errors import UsageError
from entire.model.ids import argument_problem as argument_problem
from entire.model.value import replace
from entire.plugin_host.agent import CAPABILITIES as CAPABILITIES
from entire.plugin_host.agent import ExternalAgent as ExternalAgent
from entire.plugin_host.language import protocol as protocol
from entire.plugin_host.language import questions as questions
from entire.plugin_host.language import wire
from entire.plugin_host.plugins import PluginInventory
from entire.plugin_host.programs.program import Program as Program
from entire.plugin_host.programs.program import why_not_started as why_not_started

if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.agents.registry import AgentEntry

is_reserved = registry.is_reserved
read_event = wire.EVENT.read


def built_in() -> frozenset[str]:
    """Return the names and types of the built-in agents, which no plugin can have."""
    return frozenset(word for entry in registry.BUILTIN.values() for word in (entry.name, entry.type))


@contextmanager
def known(entry: AgentEntry) -> Iterator[None]:
    """Have this process know an agent as it knows the built-in ones."""
    before = registry.BUILTIN.get(entry.name)
    registry.BUILTIN[entry.name] = entry
    try:
        yield
    finally:
        if before is None:
            del registry.BUILTIN[entry.name]
        else:
            registry.BUILTIN[entry.name] = before


def info_with(info: protocol.Info, capabilities: frozenset[str]) -> protocol.Info:
    """Return what a plugin says of itself, with other capabilities."""
    return replace(info, capabilities=capabilities)


def allow(path: str, name: str) -> None:
    """Allow the plugin at a path, as its user does. Raises UsageError unless it is what PATH has for the name."""
    plugins = PluginInventory(None, os.environ, is_switched_on=lambda: False)
    executable = plugins.find(name)
    if executable is None or executable.problem or executable.path != path:
        reason = executable.problem if executable and executable.problem else "is not found on PATH"
        raise UsageError(f"{path} cannot be used: it {reason}")
    plugins.allow(executable)


def redacted(transcript: bytes, *, is_document: bool) -> bytes:
    """Return a transcript, one JSON document or lines, as it is stored without rules of a repository's own."""
    from entire.redact import Redactor

    built_in = Redactor()
    return bytes(built_in.redact_json(transcript) if is_document else built_in.redact_jsonl(transcript))
