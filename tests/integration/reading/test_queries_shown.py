"""What a name means: turns by number and id, subagents."""

from __future__ import annotations

import json

import pytest

from tests.integration.shown import Shown, begun, show
from tests.integration.story import Session, Story

__all__ = ["show"]


@pytest.fixture
def session(story: Story) -> Session:
    return begun(story)


def test_a_turn_by_its_number_and_its_id(session: Session, show: Shown) -> None:
    numbered = show(f"{session.id[:8]}/2")
    assert show(f"{session.id[:8]}:2") == numbered
    assert "Say hello" in numbered
    assert "Add a greeting" not in numbered
    assert "And now the rest" not in numbered
    view = show.json(f"{session.id}:2")
    turn = view["conversations"][0]["turns"][0]["turn"]
    assert (view["kind"], view["id"]) == ("turn", f"{session.id}/{turn}")
    assert show(f"{session.id[:8]}/{turn}") == show(f"{session.id}/{turn[:6]}") == show(turn) == numbered


@pytest.mark.parametrize("name", [":0", ":4", ":99999999999999999999", ":x", "/ffffffffffff", "/", ":", ":-1"])
def test_a_turn_that_does_not_exist(session: Session, show: Shown, name: str) -> None:
    assert session.id in show.error(session.id + name)


AGENT, CALL = "a2601ff26f8fe7762", "toolu_01abcdefghij"


def delegate(session: Session) -> None:
    """Have a subagent look for something, with a transcript of its own."""
    session.answer({"type": "tool_use", "id": CALL, "name": "Task", "input": {
        "description": "look around", "prompt": "Look around, please", "subagent_type": "explorer"}})  # fmt: skip
    folder = session.file.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (folder / f"agent-{AGENT}.meta.json").write_text(
        json.dumps({"agentType": "explorer", "description": "look around", "toolUseId": CALL})
    )
    said = [("user", "Look around, please"), ("assistant", [{"type": "text", "text": "Nothing here."}])]
    records = [
        {"type": who, "isSidechain": True, "agentId": AGENT, "sessionId": session.id, "uuid": f"u{number}",
         "parentUuid": f"u{number - 1}" if number else None, "message": {"role": who, "content": text}}
        for number, (who, text) in enumerate(said)
    ]  # fmt: skip
    (folder / f"agent-{AGENT}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    result = {"tool_use_id": CALL, "type": "tool_result", "content": [{"type": "text", "text": "Nothing here."}]}
    session.record("user", message={"role": "user", "content": [result]},
                   toolUseResult={"status": "completed", "agentId": AGENT})  # fmt: skip
    session.hook("post-task", tool_name="Task", tool_use_id=CALL, tool_input={"description": "look around"},
                 tool_response={"status": "completed", "agentId": AGENT})  # fmt: skip


@pytest.mark.parametrize("is_committed", [False, True])
def test_a_subagent(story: Story, show: Shown, is_committed: bool) -> None:
    session = story.started()
    with session.turn("Delegate"):
        delegate(session)
        session.write("a.py", "a\n")
    if is_committed:
        story.commit("A")
        session.end()
    name = f"{session.id[:8]}/{AGENT[:8]}"
    folded, full = show(session.id), show(session.id, "--full")
    assert f"    subagent: look around (explorer, {AGENT})\n    entire show {name}\n" in folded
    assert "Nothing here." not in folded
    assert "\n    Task\n      Look around, please\n\n    Agent\n      Nothing here.\n" in full
    alone = show(name)
    assert alone.startswith(f"Subagent look around (explorer, {AGENT})\n")
    assert alone.endswith("\n\nTask\n  Look around, please\n\nAgent\n  Nothing here.\n")
    assert show(f"{session.id}/{CALL}") == alone
    view = show.json(session.id, "--full")
    assert [message["text"] for message in view["conversations"][0]["subagents"][0]["messages"]] == [
        "Look around, please", "Nothing here.",
    ]  # fmt: skip
    if is_committed:
        assert "look around, explorer, " in show("--short")


def test_neighbouring_lines_of_one_owner_are_one_range(story: Story, show: Shown) -> None:
    session = story.started()
    story.write("a.py", "old\n")
    story.commit("Old")
    with session.turn("Write"):
        session.write("a.py", "new\nagent\n")
    story.write("a.py", "mine instead\nagent\nmine\n")
    story.commit("Both")
    (file,) = show.json("HEAD")["checkpoints"][0]["lines"]
    assert [(lines["first"], lines["last"], bool(lines["turn"])) for lines in file["added"]] == [
        (1, 1, False), (2, 2, True), (3, 3, False),
    ]  # fmt: skip
    story.write("b.py", "x\n")
    with session.turn("More"):
        session.write("b.py", "one\ntwo\nthree\n")
    story.write("b.py", "one\ntwo\nthree, mine\nfour, mine\n")
    story.commit("More")
    assert "  b.py  lines 1-2: turn 2, lines 3-4: a person\n" in show("HEAD")
