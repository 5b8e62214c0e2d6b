"""What ``info`` answers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.agents.contract import Agent

# a capability of the contract: what it is called in version 1, and the extensions that an agent with it has
_CAPABILITIES = {
    "hook_installer": ("", ("entire_hooks_health",)),
    "hook_responder": ("hook_response_writer", ()),
    "session_lister": ("", ("entire_session_list",)),
    "session_resumer": ("", ("entire_restore_effects",)),
    "subagent_extractor": ("subagent_aware_extractor", ("entire_subagents",)),
    "text_generator": ("text_generator", ()),
    "token_calculator": ("token_calculator", ("entire_ranges",)),
    "transcript_analyzer": (
        "transcript_analyzer",
        ("entire_ranges", "entire_answer_boundaries", "entire_prompt_positions"),
    ),
    "transcript_preparer": ("transcript_preparer", ()),
}
_FURTHER = ("spoken_name", "project_variable", "session_variable")


def describe(agent: Agent, about: object) -> dict[str, Any]:
    """Return what a host must know of an agent; ``about`` has the attributes that its adapter need not have."""
    from entire.plugin_host.language.protocol import CAPABILITIES, EXTENSIONS, VERSION

    further = {name: value for name in _FURTHER if (value := getattr(about, name, ""))}
    has = _capabilities(agent)
    return {
        "protocol_version": VERSION,
        "name": agent.name,
        "type": agent.type,
        "description": getattr(about, "description", "") or agent.type,
        "is_preview": bool(getattr(about, "is_preview", False)),
        "protected_dirs": list(getattr(about, "protected_dirs", ())),
        "hook_names": list(agent.hook_names),
        "caller_env_vars": list(getattr(about, "caller_env_vars", ())),
        "capabilities": {name: name in has for name in (*CAPABILITIES, *EXTENSIONS)},
        **({"entire": further} if further else {}),
    }


def _capabilities(agent: Agent) -> set[str]:
    names = {"entire_positions"}
    for name in agent.capabilities:
        published, extensions = _CAPABILITIES.get(name, ("", ()))
        names |= {published, *extensions}
    if agent.hook_names:
        names.add("hooks")
    transcript = agent.transcript("", stored=b"")
    if hasattr(transcript, "messages"):
        names.add("entire_messages")
    if hasattr(transcript, "stream"):
        names.add("entire_records")
    return names
