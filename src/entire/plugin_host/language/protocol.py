"""Facts of the plugin protocol, version 1 (docs/reference/plugin-protocol.md), with our limits."""

from __future__ import annotations

from entire.errors import EntireError
from entire.model import jsontext
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1
PREFIX = "entire-agent-"
"""What a plugin's file name starts with; the rest is the agent's name."""

CALL_SECONDS = 30.0
"""How long one call may take."""
TEXT_SECONDS = 600.0
"""How long a model may take for a text. A user waits for it, with a limit of their own."""
HOOK_SECONDS = 45.0
"""How long all calls of one hook may take together."""
LOCKED_SECONDS = 10.0
"""How long they may take together once the hook holds the repository's lock: git's hooks wait twice as long for it."""
HOOK_PROCESSES = 8
"""How many processes of its plugin one hook starts."""
GRACE_SECONDS = 0.5
"""How long the output of a program that has exited is read on, because others hold its pipes."""
MAX_ERRORS = 64 << 10
"""Bytes of standard error that are read and kept; the rest is read and discarded."""
MAX_ANSWER = 10 << 20
"""Bytes of a JSON answer."""
MAX_TRANSCRIPT = 512 << 20
"""Bytes of a transcript on standard output."""
MAX_RECORDS = 128 << 20
"""Bytes of all records of a transcript."""
MAX_RECORD = 4 << 20
"""Bytes of one record; a longer line is left out."""

CAPABILITIES = (
    "hooks",
    "transcript_analyzer",
    "transcript_preparer",
    "token_calculator",
    "text_generator",
    "hook_response_writer",
    "subagent_aware_extractor",
    "compact_transcript",
)
EXTENSIONS = (
    "entire_answer_boundaries",
    "entire_hooks_health",
    "entire_messages",
    "entire_positions",
    "entire_prompt_positions",
    "entire_ranges",
    "entire_records",
    "entire_restore_effects",
    "entire_session_list",
    "entire_subagents",
)
"""Optional capabilities of Entire's own: questions that version 1 cannot carry, answered by ``entire-ask``; for
``entire_records``, by ``RECORDS``.
"""
RECORDS = "entire-records"
"""The subcommand that tells the records of a transcript, a line each."""


class PluginError(EntireError):
    """A plugin failed: the message names it, and says what it was asked and what happened.

    ``errors`` is what it printed on standard error.
    """

    def __init__(self, message: str, *, hint: str = "", errors: str = "") -> None:
        super().__init__(message, hint=hint)
        self.errors = errors


class Info(Value):
    """What a plugin says of itself: its answer to ``info``."""

    name: str
    type: str
    description: str = ""
    is_preview: bool = False
    protected_dirs: tuple[str, ...] = ()
    hook_names: tuple[str, ...] = ()
    capabilities: frozenset[str] = frozenset()
    """Those in ``CAPABILITIES`` and ``EXTENSIONS`` that it declares."""
    caller_env_vars: tuple[str, ...] = ()
    """Environment variables by which a running session of the agent can be recognised."""
    spoken_name: str = ""
    """As in ``AgentEntry``, like the two below: from the object ``entire`` of the answer."""
    project_variable: str = ""
    session_variable: str = ""


_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")


def is_name(name: str) -> bool:
    """Tell whether a plugin may have this name."""
    return 0 < len(name) <= 64 and name[0] not in "._-" and _NAME_CHARS.issuperset(name)


def parse_info(data: bytes, name: str) -> Info:
    """Return what the plugin called ``name`` answered to ``info``; raises PluginError if it cannot be used."""
    try:
        fields = jsontext.loads(data.decode("utf-8").removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        what = "UTF-8" if isinstance(error, UnicodeDecodeError) else "JSON"
        raise PluginError(f"the plugin {name} answered `info` with something that is not {what}", hint=_HINT) from error
    try:
        if not isinstance(fields, dict):
            raise ValueError("is not an object")
        return _info(fields, name)
    except ValueError as error:
        raise PluginError(f"the plugin {name} cannot be used: its answer to `info` {error}", hint=_HINT) from error


_HINT = "update the plugin, or remove it from your PATH"


def _info(fields: dict[str, Any], name: str) -> Info:
    """Check the answer's fields; raises ValueError with the end of a sentence."""
    version = fields.get("protocol_version")
    if version != VERSION or isinstance(version, bool):
        raise ValueError(f"has protocol_version {jsontext.dumps(version)}; this version of entire speaks {VERSION}")
    if fields.get("name") != name:
        raise ValueError(f"has the name {jsontext.dumps(fields.get('name'))}; its file name says {name}")
    if not _text(fields, "type"):
        raise ValueError("has no type")
    declared = _object(fields, "capabilities")
    capabilities = frozenset(word for word in (*CAPABILITIES, *EXTENSIONS) if declared.get(word) is True)
    hooks = _texts(fields, "hook_names") if "hooks" in capabilities else ()
    if "hooks" in capabilities and not hooks:
        raise ValueError("declares hooks, but has no hook_names")
    more = _object(fields, "entire")
    return Info(
        name=name,
        type=_text(fields, "type"),
        description=_text(fields, "description"),
        is_preview=fields.get("is_preview") is True,
        protected_dirs=tuple(folder for path in _texts(fields, "protected_dirs") if (folder := _folder(path))),
        hook_names=hooks,
        capabilities=capabilities,
        caller_env_vars=_texts(fields, "caller_env_vars"),
        spoken_name=_text(more, "spoken_name"),
        project_variable=_text(more, "project_variable"),
        session_variable=_text(more, "session_variable"),
    )


def _text(fields: dict[str, Any], key: str) -> str:
    value = fields.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or not (value.isprintable() and _is_unicode(value)):
        raise ValueError(f"has a {key} that is not a line of text")
    return value.strip()


def _texts(fields: dict[str, Any], key: str) -> tuple[str, ...]:
    values = fields.get(key)
    if values is None:
        return ()
    if not isinstance(values, list) or not all(isinstance(value, str) and _is_unicode(value) for value in values):
        raise ValueError(f"has {key} that are not a list of texts")
    return tuple(dict.fromkeys(value for value in values if value.strip()))


def _object(fields: dict[str, Any], key: str) -> dict[str, Any]:
    value = fields.get(key)
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"has {key} that {'are' if key.endswith('s') else 'is'} not an object")
    return value or {}


def _is_unicode(text: str) -> bool:
    """Tell whether a text can be written as UTF-8: JSON can also carry halves of surrogate pairs."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _folder(path: str) -> str:
    """Return a folder relative to the repository's root, cleaned; '' for one that is not below it."""
    if path.startswith("/"):
        return ""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return "" if ".." in parts else "/".join(parts)
