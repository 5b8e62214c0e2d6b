"""Checks of the capability ``hooks``: what is installed, and what hook calls mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from entire.plugin import is_session_id
from entire_plugin_kit.program.probe import SESSION, dumps
from entire_plugin_kit.program.sessions import is_time

if TYPE_CHECKING:
    from entire_plugin_kit.answer import Answer
    from entire_plugin_kit.program.probe import Probe

_TYPES = (1, 2, 3, 4, 5, 6, 7)
_LATER_TYPES = (8, 12)
"""What a built-in agent that is served tells beside these: other hosts leave it out."""
_NONSENSE = (
    b"null", b"[]", b"{}", b"7", b'"text"', b"{", b"nonsense", b"\x00\x01\xff", b"\xef\xbb\xbf{}", b"[" * 100_000,
    b'{"session_id": 7, "transcript_path": [], "hook_type": {}}', b'{"session_id": "\\ud800"}',
    b'{"session_id": "../../outside"}', b'{"session_id": "a/b"}', b'{"session_id": ""}', b"9" * 5000,
)  # fmt: skip


# ---------------------------------------------------------------- installing


def takes_every_flag(probe: Probe) -> None:
    """`install-hooks` takes `--force` and `--local-dev`, says how many hooks it installed, and `are-hooks-installed`
    that they are.
    """
    probe.require(not installed(probe), "`installed` is false")
    for flags in (("--force",), ("--local-dev",), ("--local-dev", "--force")):
        count = probe.field(probe.value("install-hooks", *flags), "hooks_installed", int)
        probe.require(count >= 0, "`hooks_installed` is not negative")
        probe.require(installed(probe), "`installed` is true")


def installed(probe: Probe) -> bool:
    return bool(probe.field(probe.value("are-hooks-installed"), "installed", bool))


# ---------------------------------------------------------------- hook calls


def understands_hook_calls(probe: Probe) -> None:
    """Every declared hook takes a HookInput: it answers null, nothing, or an event with a type from 1 to 7, the
    session's id, and a time with a zone if it has one.
    """
    ref = probe.ref()
    for hook in probe.plugin.hook_names:
        given = probe.hook_input(hook.replace("-", "_"), ref=ref, cwd=str(probe.top))
        _event(probe, probe.ok("parse-hook", "--hook", hook, stdin=dumps(given)), (SESSION,))


def takes_empty_hook_calls(probe: Probe) -> None:
    """Every declared hook takes empty input, and answers null, nothing or an event."""
    for hook in probe.plugin.hook_names:
        _event(probe, probe.ok("parse-hook", "--hook", hook, stdin=b""), None)


def survives_nonsense(probe: Probe) -> None:
    """No payload makes a hook crash or hang: it answers null, nothing or an event, or fails with a message."""
    for hook in probe.plugin.hook_names:
        for data in _NONSENSE:
            answer = probe.ends("parse-hook", "--hook", hook, stdin=data)
            if answer.is_ok:
                _event(probe, answer, None)
    answer = probe.ends("parse-hook", "--hook", "no-such-hook", stdin=dumps(probe.hook_input("stop")))
    if answer.is_ok:
        value = probe.json_of(answer) if answer.stdout.strip() else None
        probe.require(value is None, "an unknown hook is not an event: null, nothing or a refusal", answer)


def _event(probe: Probe, answer: Answer, ids: tuple[str, ...] | None) -> dict[str, Any] | None:
    """Return the event of an answer, which must be one, or nothing."""
    value = probe.json_of(answer) if answer.stdout.strip() else None
    if value is None:
        return None
    probe.require(isinstance(value, dict), "null, or a JSON object", answer)
    types = _TYPES + _LATER_TYPES * ("entire" in value)
    probe.require(probe.field(value, "type", int) in types, "`type` is a number from 1 to 7")
    session_id = value.get("session_id")
    if ids is not None:
        probe.require(session_id in ids, f"`session_id` is {ids[0]!r}", answer)
    else:
        is_usable = session_id in (None, "") or (isinstance(session_id, str) and is_session_id(session_id))
        probe.require(is_usable, "`session_id` could be a file's name, or is empty", answer)
    time = value.get("timestamp")
    probe.require(not time or is_time(time), "`timestamp` is RFC 3339 with a zone", answer)
    metadata = value.get("metadata")
    texts = metadata is None or (
        isinstance(metadata, dict) and all(isinstance(text, str) for text in metadata.values())
    )
    probe.require(texts, "`metadata` maps texts to texts", answer)
    return value  # type: ignore[no-any-return]
