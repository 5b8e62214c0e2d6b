"""Promises about hook calls: what they mean, and that nonsense means nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from entire.model.events import Event
from entire.testing.promises import odd, questions
from entire.testing.promises.reading import examples

if TYPE_CHECKING:
    from pathlib import Path

    from entire.testing.promises.rig import Rig

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
    from entire.agents import capabilities, contract

    agent = rig.adapter({"key": "value"})
    assert agent.metadata == {"key": "value"}
    assert (agent.name, agent.type) == (rig.entry.name, rig.entry.type)
    assert set(agent.capabilities) <= set(capabilities.NAMES)
    for name in agent.capabilities:
        protocol = getattr(contract, "".join(word.title() for word in name.split("_")))
        subject = agent.transcript("") if contract.Transcript in protocol.__mro__ else agent
        wanted = {
            method
            for method, declared in vars(protocol).items()
            if not method.startswith("_") and "Optional:" not in (declared.__doc__ or "")
        }
        assert {method for method in wanted if not callable(getattr(subject, method, None))} == set(), name


def becomes_the_event_it_means(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """A captured hook call becomes the event it means, or none."""
    for payload in rig.payloads:
        found = rig.adapter().parse_hook(payload.verb, payload.data)
        if payload.event is None:
            assert found is None, payload.name
            continue
        assert found is not None, payload.name
        wanted = {key: tuple(value) if isinstance(value, list) else value for key, value in payload.event.items()}
        assert found.type.name == wanted.pop("type"), payload.name
        assert {key: vars(found)[key] for key in wanted} == wanted, payload.name


def ignores_nonsense_payloads(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """Any bytes as the payload of any verb: no exception, and no event but one with a usable session and clean texts.

    Neither has an unknown verb a meaning.
    """
    agent = rig.adapter()
    verbs = [*agent.hook_names, "no-such-verb", ""]
    known = [payload.data for payload in rig.payloads] or [b'{"session_id": "s"}']
    for verb, data in rig.some([(verb, data) for verb in verbs for data in (*odd.BYTES, *_with_hostile_ids(known))]):
        _is_harmless(agent.parse_hook(verb, data))
    for data in known:
        assert agent.parse_hook("no-such-verb", data) is None

    @examples(rig)
    @given(st.sampled_from(verbs), st.binary(max_size=60) | odd.mutated(known))
    def check(verb: str, data: bytes) -> None:
        _is_harmless(rig.adapter().parse_hook(verb, data))

    check()


def _with_hostile_ids(known: list[bytes]) -> list[bytes]:
    """Return the known payloads with each hostile id in place of the session's."""
    found = []
    for data in known[:4]:
        value = odd.loads(data)
        ids = [key for key in value if key in ("session_id", "sessionId", "conversation_id", "thread_id", "id")]
        for key in ids:
            found += [json.dumps({**value, key: hostile}).encode() for hostile in HOSTILE_IDS]
    return found


def _is_harmless(event: Event | None) -> None:
    if event is None:
        return
    from entire.model.ids import is_session_id

    assert isinstance(event, Event)
    assert is_session_id(event.session_id), event
    for text in questions.texts(vars(event)):
        text.encode()
    defaults: dict[str, Any] = Event._defaults
    for key, default in defaults.items():
        if isinstance(default, (str, bool, tuple)):
            assert isinstance(vars(event)[key], type(default)), key


def answers_the_user(rig: Rig, folder: Path) -> None:  # noqa: ARG001
    """What a hook prints to show a message is never empty, holds the message, and is made for any text."""

    @examples(rig)
    @given(st.text(max_size=40))
    def check(message: str) -> None:
        agent: Any = rig.adapter()
        assert isinstance(agent.write_hook_response(message), bytes)

    check()
    agent: Any = rig.adapter()
    assert b"a message" in agent.write_hook_response("a message")
