"""What single records say about a conversation's branches, for hooks and for people."""

from __future__ import annotations

import json
from typing import Any

import pytest

from entire.agents import readings
from entire.agents.claude_code import records
from entire.agents.claude_code.agent import ClaudeCode
from entire.conversation.messages import BY_USER
from entire.model.positions import START, Position

NIL = "00000000-0000-0000-0000-000000000000"
RESTART = {"type": "last-prompt", "leafUuid": NIL, "explicit": True, "sessionId": "s"}


def shown(data: bytes) -> list[str]:
    return [message.text for message in readings.of(ClaudeCode(), data).messages() if message.who == BY_USER]


def prompt(uuid: str, parent: str | None, text: str, **more: Any) -> dict[str, Any]:
    return {"parentUuid": parent, "type": "user", "uuid": uuid, "promptSource": "typed",
            "message": {"role": "user", "content": text}, **more}  # fmt: skip


def answer(uuid: str, parent: str, text: str = "Done.") -> dict[str, Any]:
    message = {"id": f"m{uuid}", "role": "assistant", "model": "x", "content": [{"type": "text", "text": text}]}
    return {"parentUuid": parent, "type": "assistant", "uuid": uuid, "message": message}


def attachment(uuid: str, parent: str, **held: Any) -> dict[str, Any]:
    return {"parentUuid": parent, "type": "attachment", "uuid": uuid, "attachment": held}


def boundary(uuid: str, logical: str, tail: str = "") -> dict[str, Any]:
    kept = {"compactMetadata": {"preservedSegment": {"tailUuid": tail}}} if tail else {}
    return {"parentUuid": None, "logicalParentUuid": logical, "type": "system", "subtype": "compact_boundary",
            "uuid": uuid, **kept}  # fmt: skip


def leaf(uuid: str) -> dict[str, Any]:
    return {"type": "last-prompt", "lastPrompt": "x", "leafUuid": uuid, "sessionId": "s"}


def blob(text: str) -> dict[str, Any]:
    return {"type": "api-request-blob", "hash": "h", "message": {"role": "user", "content": text}}


FIRST = [prompt("a", None, "one"), answer("b", "a")]
TYPED = {"type": "queued_command", "commandMode": "prompt", "prompt": "meanwhile"}
CASES: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "what was sent is not a prompt": ([*FIRST, blob("one"), {**blob("x"), "type": "later-kind"}], ["one"]),
    "a link after the answer": ([*FIRST, attachment("c", "b", type="prompt_snapshot"), prompt("d", "c", "two")],
                                ["one", "two"]),
    "a rewind to the first prompt": (
        [*FIRST, prompt("c", "b", "two"), answer("d", "c"), prompt("e", "d", "anew"),
         attachment("f", "e", type="environment"), RESTART, answer("g", "f"), prompt("h", "g", "next")],
        ["anew", "next"]),
    "a rewind to a later prompt": (
        [*FIRST, prompt("c", "b", "two"), answer("d", "c"), prompt("e", "b", "instead"), RESTART, answer("f", "e")],
        ["one", "instead"]),
    "Esc before the answer": ([*FIRST, prompt("c", "b", "dead"), prompt("d", "b", "two"), RESTART, answer("e", "d")],
                              ["one", "two"]),
    "Esc before the first answer": (
        [prompt("a", None, "dead"), attachment("x", "a", type="environment"), prompt("b", None, "one"), RESTART,
         answer("c", "b")],
        ["one"]),
    "a second mark means nothing": ([*FIRST, prompt("c", "b", "two"), RESTART, RESTART, prompt("d", "c", "three")],
                                    ["two", "three"]),
    "a mark without a prompt": ([RESTART, *FIRST, answer("c", "b"), {**RESTART, "explicit": False}], ["one"]),
    "a leaf that is written later": ([*FIRST, leaf("d"), prompt("c", "b", "two"), answer("d", "c")], ["one", "two"]),
    "a leaf that goes back": ([*FIRST, prompt("c", "b", "two"), answer("d", "c"), leaf("b")], ["one"]),
    "a compaction after what it kept": (
        [*FIRST, prompt("c", "b", "left"), prompt("d", "b", "two"), answer("e", "d"), boundary("f", "ghost", "e"),
         prompt("g", "f", "three")],
        ["one", "two", "three"]),
    "a compaction after what was never written": (
        [*FIRST, boundary("f", "ghost"), prompt("g", "f", "two"), answer("h", "g")], ["one", "two"]),
    "typed while a tool ran": ([*FIRST, attachment("c", "b", **TYPED, origin={"kind": "human"}, humanTurn=True),
                                answer("d", "c")], ["one", "meanwhile"]),
    "typed while a tool ran, 2.1.197": ([*FIRST, attachment("c", "b", **TYPED)], ["one", "meanwhile"]),
    "a notification joined the turn": (
        [*FIRST, attachment("c", "b", **{**TYPED, "commandMode": "task-notification"}),
         attachment("d", "c", **TYPED, origin={"kind": "task-notification"})], ["one"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_both_readers_agree(case: str) -> None:
    records, expected = CASES[case]
    lines = [json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records]
    data = b"".join(lines)
    assert shown(data) == expected
    whole = ClaudeCode().transcript("/s.jsonl", data)
    assert [found.text for found in whole.prompts(START)] == expected
    for count in range(len(lines) + 1):  # in parts, and as if the file ended there
        since = Position(count=count)
        later = [found.text for found in whole.prompts(START) if found.position >= count]
        assert [found.text for found in ClaudeCode().transcript("/s.jsonl", data).prompts(since)] == later
        part = b"".join(lines[:count])
        cut = [found.text for found in ClaudeCode().transcript("/s.jsonl", part).prompts(START)]
        assert [found.text for found in whole.prompts(START, since)] == cut == shown(part)


def test_a_leaf_before_the_part_that_is_read() -> None:
    """What follows the last turn's end was taken back, and the agent was closed."""
    records = [*FIRST, prompt("c", "b", "two"), answer("d", "c"), leaf("b")]
    data = b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)
    transcript = ClaudeCode().transcript("/s.jsonl", data)
    assert transcript.prompts(Position(count=2)) == []
    assert [found.text for found in transcript.prompts(Position(count=2), Position(count=4))] == ["two"]


def test_records_that_say_nothing_to_people_are_named_by_their_types() -> None:
    data = [*FIRST, boundary("c", "b"), leaf("b"), blob("x"), attachment("d", "c", type="environment")]
    whole = readings.of(ClaudeCode(), b"".join(json.dumps(one).encode() + b"\n" for one in data))
    assert whole.unknown == [(2, "system"), (3, "last-prompt"), (4, "api-request-blob")]


@pytest.mark.parametrize("held", [None, 3, [], {}, {"type": "queued_command", "commandMode": "prompt", "prompt": []}])
def test_an_odd_attachment_is_no_prompt(held: object) -> None:
    assert records.joined_prompt({"type": "attachment", "attachment": held}) == ""
