"""Promises about hook calls: what they mean, and that nonsense means nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from entire import plugin
from entire.plugin import Event, is_session_id
from entire_plugin_kit.adapter import malformed, questions
from entire_plugin_kit.promise import same

if TYPE_CHECKING:
    from pathlib import Path

    from entire_plugin_kit.rig import Rig

_MESSAGES = ("", "two\nlines", 'say "hi"', "it's", "ünïcödé 漢字 \U0001f600", "$HOME `x` \\ %s", "a\0b", "x" * 5000)
HOSTILE_IDS = (
    "",
    ".",
    "..",
    "../x",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "a\0b",
    "\ud800",
    "a\nb",
    "x" * 5000,
    "\u00e9" * 200,
)


def says_who_it_is(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """The adapter has the name and type of its registry entry, keeps the metadata it is given, and has the methods of
    every capability it declares.
    """
    agent = rig.adapter({"key": "value"})
    same(agent.metadata, {"key": "value"})
    same((agent.name, agent.type), (rig.entry.name, rig.entry.type))
    for name in agent.capabilities:
        protocol = getattr(plugin, "".join(word.title() for word in name.split("_")), None)
        assert protocol is not None, f"there is no capability {name}"
        subject = agent.transcript("") if plugin.Transcript in protocol.__mro__ else agent
        wanted = {
            method
            for method, declared in vars(protocol).items()
            if not method.startswith("_") and "Optional:" not in (declared.__doc__ or "")
        }
        same({method for method in wanted if not callable(getattr(subject, method, None))}, set(), name)


def becomes_the_event_it_means(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """A captured hook call becomes the event it means, or none."""
    for payload in rig.payloads:
        event = rig.adapter().parse_hook(payload.verb, payload.data)
        if payload.event is None:
            assert event is None, payload.name
            continue
        assert event is not None, payload.name
        wanted = {key: tuple(value) if isinstance(value, list) else value for key, value in payload.event.items()}
        same(event.type.name, wanted.pop("type"), payload.name)
        same({key: vars(event)[key] for key in wanted}, wanted, payload.name)


def ignores_nonsense_payloads(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """Any bytes as the payload of any verb: no exception, and no event but one with a usable session and clean texts.

    Neither has an unknown verb a meaning.
    """
    agent = rig.adapter()
    verbs = [*agent.hook_names, "no-such-verb", ""]
    known = [payload.data for payload in rig.payloads] or [b'{"session_id": "s"}']
    for verb, data in rig.some(
        [(verb, data) for verb in verbs for data in (*malformed.BYTES, *_with_hostile_ids(known))]
    ):
        _is_harmless(agent.parse_hook(verb, data))
    for data in known:
        assert agent.parse_hook("no-such-verb", data) is None

    from hypothesis import strategies as st

    from entire_plugin_kit.adapter.inventing import examples, mutated

    @examples(rig, st.sampled_from(verbs), st.binary(max_size=60) | mutated(known))
    def check(verb: str, data: bytes) -> None:
        _is_harmless(rig.adapter().parse_hook(verb, data))


def _with_hostile_ids(known: list[bytes]) -> list[bytes]:
    """Return the known payloads with each hostile id in place of the session's."""
    payloads = []
    for data in known[:4]:
        value = malformed.loads(data)
        ids = [key for key in value if key in ("session_id", "sessionId", "conversation_id", "thread_id", "id")]
        for key in ids:
            payloads += [json.dumps({**value, key: hostile}).encode() for hostile in HOSTILE_IDS]
    return payloads


def _is_harmless(event: Event | None) -> None:
    if event is None:
        return

    assert isinstance(event, Event)
    assert is_session_id(event.session_id), event
    for text in questions.texts(vars(event)):
        text.encode()
    defaults: dict[str, Any] = Event._defaults
    for key, default in defaults.items():
        if isinstance(default, (str, bool, tuple)):
            assert isinstance(vars(event)[key], type(default)), key


def answers_the_user(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """What a hook prints to show a message is made for any text, and holds the message."""
    agent: Any = rig.adapter()
    for message in _MESSAGES:
        assert agent.write_hook_response(message), message
    assert b"a message" in agent.write_hook_response("a message")
