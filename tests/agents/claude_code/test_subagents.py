"""Subagents from what a transcript says of them and from the notes beside their own transcripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from entire.agents.claude_code import subagents
from entire.conversation.records import Call, Result
from entire.model.transcripts import Subagent


@pytest.fixture
def session(tmp_path: Path) -> str:
    return str(tmp_path / "s1.jsonl")


def keep_note(session: str, agent: str, value: object) -> Path:
    """Write the note that the agent keeps of a subagent."""
    path = Path(subagents.folder(session), f"agent-{agent}.meta.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def task(call: str, *, notice: bool = False, **about: Any) -> Call | Result:
    """Return a call, or with the subagent's id a result of it or a notice that it ended."""
    subagent = Subagent(**{"id": "", "tool_use_id": call, **about})
    if not subagent.id:
        return Call(position=0, id=call, task=subagent)
    return Result(position=0, call=call, task=subagent, is_notice=notice)


def test_subagents_of_a_subagent_are_its_neighbours(session: str) -> None:
    folder = subagents.folder(session)
    assert folder == session[: -len(".jsonl")] + "/subagents"
    assert subagents.folder(f"{folder}/agent-a1.jsonl") == folder
    assert subagents.transcript_of(f"{folder}/agent-a1.jsonl", "b2") == f"{folder}/agent-b2.jsonl"


def test_the_old_place_of_a_transcript_counts_only_where_it_is_the_only_one(session: str, tmp_path: Path) -> None:
    new, old = Path(subagents.folder(session), "agent-a1.jsonl"), tmp_path / "agent-a1.jsonl"
    assert subagents.transcript_of(session, "a1") == str(new)
    old.touch()
    assert subagents.transcript_of(session, "a1") == str(old)
    new.parent.mkdir(parents=True)
    new.touch()
    assert subagents.transcript_of(session, "a1") == str(new)


def test_a_note_by_our_names(session: str) -> None:
    keep_note(session, "a1", {"agentType": "Explore", "description": "Look", "toolUseId": "toolu_1", "more": 1})
    assert subagents.note(session, "a1") == {"call": "toolu_1", "type": "Explore", "description": "Look"}


@pytest.mark.parametrize("value", [b"", b"{", b"[]", b"\xff\xfe", b"null", b"[" * 20000])
def test_a_broken_note_says_nothing(session: str, value: bytes) -> None:
    keep_note(session, "a1", value)
    assert subagents.note(session, "a1") == {}


def test_odd_values_in_a_note_are_dropped(session: str) -> None:
    keep_note(session, "a1", b'{"agentType": 3, "description": "x\\ud800y", "toolUseId": "../../x"}')
    assert subagents.note(session, "a1") == {"call": "", "type": "", "description": "x?y"}


@pytest.mark.parametrize("agent", ["", "x/../../leak", "x/leak", "a\0b"])
def test_a_hostile_id_opens_no_file(session: str, tmp_path: Path, agent: str) -> None:
    folder = Path(subagents.folder(session))
    (folder / "agent-x").mkdir(parents=True)
    for place in (folder / "agent-x" / "leak", folder.parent / "leak", folder / "agent-"):
        Path(f"{place}.meta.json").write_text('{"agentType": "leak"}')
    assert subagents.note(session, agent) == {}


def test_call_and_result_are_one_subagent(session: str) -> None:
    found = subagents.collect(
        session,
        [
            task("toolu_1", type="Explore", description="Look", background=True),
            task("toolu_2", type="Plan", description="Think"),
            task("toolu_2", id="b2"),
            task("toolu_1", id="a1", background=False),
        ],
    )
    folder = subagents.folder(session)
    assert found == [
        Subagent(
            id="a1",
            session_ref=f"{folder}/agent-a1.jsonl",
            tool_use_id="toolu_1",
            type="Explore",
            description="Look",
            background=True,
        ),
        Subagent(
            id="b2",
            session_ref=f"{folder}/agent-b2.jsonl",
            tool_use_id="toolu_2",
            type="Plan",
            description="Think",
        ),
    ]


def test_an_agent_that_is_called_twice_is_listed_once(session: str) -> None:
    tasks = [task("toolu_1", id="a1", type="Explore", description="Look"), task("toolu_2", id="a1", type="Resumed")]
    assert [(one.id, one.tool_use_id) for one in subagents.collect(session, tasks)] == [("a1", "toolu_1")]


def test_what_the_transcript_does_not_say_comes_from_the_note(session: str) -> None:
    keep_note(session, "a1", {"agentType": "Explore", "description": "Noted", "toolUseId": "toolu_9"})
    (one,) = subagents.collect(session, [task("", id="a1", description="Said")])
    assert (one.tool_use_id, one.type, one.description) == ("toolu_9", "Explore", "Said")


def test_a_call_without_a_result_is_named_by_its_note(session: str) -> None:
    keep_note(session, "a1", {"toolUseId": "toolu_1"})
    keep_note(session, "b2", {"toolUseId": "toolu_other"})
    keep_note(session, "c3", b"broken")
    Path(subagents.folder(session), "notes.txt").write_text("not a note")
    found = subagents.collect(session, [task("toolu_1", type="Explore"), task("toolu_2", type="Plan")])
    assert [(one.id, one.tool_use_id, one.type) for one in found] == [("a1", "toolu_1", "Explore")]


def test_a_call_without_a_result_or_a_folder_is_not_known_yet(session: str) -> None:
    assert subagents.collect(session, [task("toolu_1", type="Explore")]) == []
    assert subagents.collect("a\0b.jsonl", [task("toolu_1", type="Explore")]) == []


def test_a_notice_of_a_shell_command_is_no_subagent(session: str) -> None:
    """Shell commands in the background end with the same notice; only a subagent has a type or a transcript."""
    notice = task("toolu_1", id="b1", notice=True)
    assert subagents.collect(session, [notice]) == []
    assert [one.id for one in subagents.collect(session, [task("toolu_1", type="Explore"), notice])] == ["b1"]
    transcript = Path(subagents.transcript_of(session, "b1"))
    transcript.parent.mkdir(parents=True)
    transcript.touch()
    assert [one.id for one in subagents.collect(session, [notice])] == ["b1"]


def test_a_call_whose_id_is_not_safe_in_a_path_is_left_out(session: str) -> None:
    (one,) = subagents.collect(session, [task("../x", id="a1", type="T", description="D")])
    assert one.tool_use_id == ""
