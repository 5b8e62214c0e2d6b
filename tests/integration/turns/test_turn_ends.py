"""The ends that turns and sessions come to: without Stop, twice, cut, rewound, compacted (linking.md section 7)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest

from entire import process
from entire.model import session as model
from entire.store import sessions
from entire.workspace import Workspace
from tests.integration.commandline import Command
from tests.integration.kept import PERSON, answers, check, journal, lines, shadows, sole, tokens
from tests.integration.story import Session, Story

FIXTURES = Path(__file__).parents[2] / "fixtures/claude_code"


@pytest.fixture
def session(story: Story) -> Session:
    found = story.session()
    found.start()
    return found


def done(story: Story) -> None:
    assert story.log_errors() == []


def own_state(story: Story, session: Session) -> Path:
    (path,) = (story.root / ".git").glob(f"entire/sessions/{session.id}*.json")
    return path


def stored(story: Story, session: Session) -> model.Session:
    found = sessions.find(Workspace.find(story.root).place, session.id)
    assert found is not None
    return found


def set_process(story: Story, session: Session, pid: int, started: str) -> None:
    """Make another process the session's agent."""
    path = own_state(story, session)
    value = json.loads(path.read_text())
    assert "process" in value
    value["process"] = [pid, started] if isinstance(value["process"], list) else {"pid": pid, "started": started}
    path.write_text(json.dumps(value))


class Agent:
    """A real process in the agent's role."""

    def __init__(self) -> None:
        self._child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        self.pid = self._child.pid
        found = process.look(self.pid)
        assert found is not None
        self.started = found.started

    def end(self) -> None:
        self._child.kill()
        self._child.communicate()


# ---------------------------------------------------------------- Stop never came


def test_the_next_prompt_saves_a_turn_without_end(story: Story, session: Session) -> None:
    session.prompt("Killed")
    session.write("a.py", "a\n")
    with session.turn("Go on"):
        session.write("b.py", "b\n")
    story.commit("ab")
    record = sole(story, session, ["a.py", "b.py"])
    assert tokens(record) == answers(0, 1, 2)
    assert record["prompts"] == ["Killed", "Go on"]
    assert record["checkpoints_count"] == 2
    done(story)


def test_the_sessions_end_saves_a_turn_without_end(story: Story, session: Session) -> None:
    session.prompt("Killed")
    session.write("a.py", "a\n")
    session.end()
    assert session.state()["phase"] == "ended"
    assert session.state()["ended_at"]
    story.write("mine.py", "p\n")
    story.commit("a")
    record = sole(story, session, ["a.py"])
    assert tokens(record) == answers(0)
    assert lines(record) == (1, 1, 0, 0, 2)
    done(story)


@pytest.mark.parametrize("alive", [True, False])
def test_another_sessions_event_closes_only_what_is_gone(story: Story, session: Session, alive: bool) -> None:
    agent = Agent()
    try:
        session.prompt("Work")
        session.write("a.py", "a\n")
        set_process(story, session, agent.pid, agent.started)
        if not alive:
            agent.end()
        other = story.session()
        other.start()
        assert session.state()["phase"] == ("active" if alive else "idle")
    finally:
        agent.end()
    if alive:
        session.write("b.py", "b\n")
        session.stop()
    story.write("after.py", "p\n")
    story.commit("a")
    sole(story, session, ["a.py", "b.py"] if alive else ["a.py"])
    done(story)


def test_a_process_number_used_again_is_another_process(story: Story, session: Session) -> None:
    agent = Agent()
    try:
        session.prompt("Work")
        session.write("a.py", "a\n")
        set_process(story, session, agent.pid, "1")
        story.session().start()
        assert session.state()["phase"] == "idle"
    finally:
        agent.end()
    done(story)


def test_crash_between_commit_and_turn_end(story: Story, session: Session) -> None:
    """The checkpoint of a crashed turn is finalised at the next event of any session."""
    agent = Agent()
    session.prompt("Work")
    session.write("a.py", "a\n")  # 0
    commit = session.commit("a")  # 1
    session.write("b.py", "b\n")  # 2
    set_process(story, session, agent.pid, agent.started)
    agent.end()
    assert tokens(sole(story, session, ["a.py"], commit)) == answers(0, 1)
    other = story.session()
    other.prompt("Something else")
    record = sole(story, session, ["a.py"], commit)
    assert tokens(record) == answers(0, 1, 2)
    assert record["transcript"] == session.file.read_text()
    assert not session.state().get("turn_checkpoint_ids")
    other.stop()
    story.commit("b")
    assert tokens(sole(story, session, ["b.py"])) == (0, 0)
    done(story)


def test_checkpoints_that_wait_although_the_turn_has_ended(story: Story, session: Session) -> None:
    """As another program may leave them: the next event of any session finalises them."""
    session.prompt("Work")
    session.write("a.py", "a\n")  # 0
    commit = session.commit("a")  # 1
    session.answer({"type": "text", "text": "Done."})  # 2
    path = own_state(story, session)
    path.write_text(json.dumps({**json.loads(path.read_text()), "phase": "idle"}))
    assert tokens(sole(story, session, ["a.py"], commit)) == answers(0, 1)
    story.session().start()
    assert tokens(sole(story, session, ["a.py"], commit)) == answers(0, 1, 2)
    assert "turn_checkpoint_ids" not in session.state()
    done(story)


def test_crash_after_the_commit_and_the_session_goes_on(story: Story, session: Session) -> None:
    session.prompt("Work")
    session.write("a.py", "a\n")
    commit = session.commit("a")
    session.write("b.py", "b\n")
    session.start()  # resumed, without Stop and SessionEnd
    assert tokens(sole(story, session, ["a.py"], commit)) == answers(0, 1, 2)
    story.commit("b")
    sole(story, session, ["b.py"])
    done(story)


# ---------------------------------------------------------------- hooks in other orders


def test_stop_failure_after_session_end(story: Story, session: Session) -> None:
    session.prompt("Work")
    session.write("a.py", "a\n")
    session.end()
    session.answer({"type": "text", "text": "late"})
    session.hook("stop-failure", last_assistant_message="late")
    assert session.state()["phase"] == "ended"
    story.commit("a")
    assert tokens(sole(story, session, ["a.py"])) == answers(0, 1)
    done(story)


def test_hooks_delivered_twice(story: Story, session: Session) -> None:
    session.hook("session-start", source="startup")
    session.prompt_id = str(uuid.uuid4())
    session.hook("user-prompt-submit", prompt="Once")
    session.hook("user-prompt-submit", prompt="Once")
    session.record("user", promptId=session.prompt_id, promptSource="sdk", message={"role": "user", "content": "Once"})
    session.write("a.py", "a\n")
    session.answer({"type": "text", "text": "Done."})
    for _ in range(2):
        session.hook("stop", last_assistant_message="Done.", stop_hook_active=False)
    story.write("mine.py", "p\n")
    story.commit("a")
    record = sole(story, session, ["a.py"])
    assert tokens(record) == answers(0, 1)
    assert record["prompts"] == ["Once"]
    assert record["checkpoints_count"] == 1
    assert lines(record) == (1, 1, 0, 0, 2)
    assert len(story.linked()["lineage"]["turns"][session.id]) == 1
    done(story)


def test_what_a_person_wrote_before_the_second_stop_is_the_persons(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
    story.write("mine.py", "p\n")
    session.hook("stop", last_assistant_message="Done.", stop_hook_active=False)
    story.commit("a")
    assert lines(sole(story, session, ["a.py"])) == (1, 1, 0, 0, 2)
    done(story)


def test_stop_without_a_prompt(story: Story) -> None:
    """Enabled in the middle of a turn: what tools report is the session's."""
    session = story.session()
    session.write("a.py", "a\n")
    session.stop()
    story.write("mine.py", "p\n")
    story.commit("a")
    record = sole(story, session, ["a.py"])
    assert tokens(record) == answers(0, 1)
    assert lines(record) == (1, 1, 0, 0, 2)
    done(story)


def test_a_stop_hook_makes_the_agent_go_on(story: Story, session: Session) -> None:
    """Somebody else's Stop hook blocks: the agent works on without a new prompt and stops again."""
    session.prompt("Work")
    session.write("a.py", "a\n")  # 0
    session.stop()  # 1
    session.write("b.py", "b\n")  # 2
    session.stop()  # 3
    story.commit("ab")
    record = sole(story, session, ["a.py", "b.py"])
    assert tokens(record) == answers(0, 1, 2, 3)
    assert record["prompts"] == ["Work"]
    done(story)


def test_session_end_then_commit(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
    session.end()
    assert story.ids() == []
    assert shadows(story) != []
    story.commit("a")
    record = sole(story, session, ["a.py"])
    assert tokens(record) == answers(0, 1)
    assert session.state()["phase"] == "ended"
    assert shadows(story) == []
    done(story)


# ---------------------------------------------------------------- background work


def background(session: Session, agent: str, tool: str) -> Path:
    """Let the agent start a subagent that goes on after the turn; return its transcript."""
    folder = session.file.with_suffix("") / "subagents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"agent-{agent}.meta.json").write_text(
        json.dumps({"agentType": "worker", "description": "Do it", "toolUseId": tool})
    )
    given = {"description": "Do it", "prompt": "Do it", "subagent_type": "worker", "run_in_background": True}
    session.answer({"type": "tool_use", "id": tool, "name": "Agent", "input": given})
    session.hook("pre-task", tool_name="Agent", tool_use_id=tool, tool_input=given)
    result = {"isAsync": True, "status": "async_launched", "agentId": agent}
    answer_call(session, tool, result)
    session.hook("post-task", tool_name="Agent", tool_use_id=tool, tool_input=given, tool_response=result)
    return folder / f"agent-{agent}.jsonl"


def answer_call(session: Session, tool: str, result: Mapping[str, object]) -> None:
    """Write the result of a subagent's call."""
    block = {"tool_use_id": tool, "type": "tool_result", "content": ""}
    session.record("user", message={"role": "user", "content": [block]}, toolUseResult=result)


def inner(session: Session, path: Path, agent: str, name: str, text: str, tokens: int) -> None:
    """Let a subagent write a file."""
    target = str(session.story.root / name)
    session.story.write(name, text)
    call = f"toolu_{uuid.uuid4().hex[:20]}"
    common = {"isSidechain": True, "agentId": agent, "sessionId": session.id, "timestamp": "2026-01-01T00:00:00.000Z"}
    usage = {"input_tokens": tokens, "output_tokens": 1}
    records = [
        {**common, "type": "user", "uuid": "u1", "message": {"role": "user", "content": "Do it"}},
        {**common, "type": "assistant", "uuid": "u2", "message": {
            "id": f"msg_{uuid.uuid4().hex}", "role": "assistant", "model": "m", "usage": usage,
            "content": [{"type": "tool_use", "id": call, "name": "Write", "input": {"file_path": target}}]}},
        {**common, "type": "user", "uuid": "u3",
         "toolUseResult": {"type": "create", "filePath": target, "structuredPatch": []},
         "message": {"role": "user", "content": [{"tool_use_id": call, "type": "tool_result", "content": "ok"}]}},
    ]  # fmt: skip
    with path.open("a") as file:
        file.writelines(json.dumps(one) + "\n" for one in records)


RUNNING = [{"id": "a1b2c3", "type": "subagent", "status": "running"}]


def test_a_background_subagent_writes_between_turns(story: Story, session: Session) -> None:
    session.prompt("In the background")
    path = background(session, "a1b2c3", "toolu_bg1")  # 0
    session.answer({"type": "text", "text": "Started."})  # 1
    session.hook("stop", last_assistant_message="Started.", background_tasks=RUNNING)
    story.write("mine.py", "p\n")
    inner(session, path, "a1b2c3", "bg.py", "b\nb\n", 1000)
    session.hook("subagent-stop", agent_id="a1b2c3", agent_type="worker", background_tasks=RUNNING)
    story.commit("bg")
    record = sole(story, session, ["bg.py"])
    assert lines(record) == (2, 1, 0, 0, 3)
    assert tokens(record) == answers(0, 1)
    assert record["token_usage"]["subagent_tokens"]["input_tokens"] == 1000
    done(story)


def test_a_background_subagent_is_committed_while_it_works(story: Story, session: Session) -> None:
    session.prompt("In the background")
    path = background(session, "a1b2c3", "toolu_bg1")
    session.answer({"type": "text", "text": "Started."})
    session.hook("stop", last_assistant_message="Started.", background_tasks=RUNNING)
    story.write("mine.py", "p\n")
    inner(session, path, "a1b2c3", "bg.py", "b\nb\n", 1000)
    story.commit("bg", env=PERSON)
    assert lines(sole(story, session, ["bg.py"])) == (2, 1, 0, 0, 3)
    done(story)


def test_a_turn_by_task_notification(story: Story, session: Session) -> None:
    """The agent goes on by itself: a turn, but no prompt of anybody."""
    session.prompt("In the background")
    path = background(session, "a1b2c3", "toolu_bg1")  # 0
    session.answer({"type": "text", "text": "Started."})  # 1
    session.hook("stop", last_assistant_message="Started.", background_tasks=RUNNING)
    inner(session, path, "a1b2c3", "bg.py", "b\n", 1000)
    session.hook("subagent-stop", agent_id="a1b2c3", agent_type="worker", background_tasks=RUNNING)
    notice = (
        "<task-notification>\n<task-id>a1b2c3</task-id>\n<tool-use-id>toolu_bg1</tool-use-id>\n</task-notification>"
    )
    session.prompt_id = str(uuid.uuid4())
    session.hook("user-prompt-submit", prompt=notice)
    session.record("user", promptId=session.prompt_id, promptSource="system", origin={"kind": "task-notification"},
                   message={"role": "user", "content": notice})  # fmt: skip
    session.write("after.py", "a\n")  # 2
    session.stop()  # 3
    story.commit("all")
    record = sole(story, session, ["after.py", "bg.py"])
    assert record["prompts"] == ["In the background"]
    assert tokens(record) == answers(0, 1, 2, 3)
    done(story)


# ---------------------------------------------------------------- subagents in the turn


def test_a_subagents_folder_tokens_and_notes(story: Story, session: Session) -> None:
    session.prompt("Delegate")
    tool, agent = "toolu_fg1", "f00d"
    given = {"description": "Look around", "prompt": "x", "subagent_type": "Explore"}
    session.answer({"type": "tool_use", "id": tool, "name": "Agent", "input": given})  # 0
    session.hook("pre-task", tool_name="Agent", tool_use_id=tool, tool_input=given)
    folder = session.file.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (folder / f"agent-{agent}.meta.json").write_text(json.dumps({"agentType": "Explore", "toolUseId": tool}))
    inner(session, folder / f"agent-{agent}.jsonl", agent, "sub.py", "s\n", 500)
    for name in ("one", "two"):
        session.hook("post-todo", tool_name="TodoWrite", agent_id=agent, tool_input={"todos": [{"content": name}]})
    response = {"agentId": agent, "status": "completed", "agentType": "Explore"}
    answer_call(session, tool, response)
    session.hook("post-task", tool_name="Agent", tool_use_id=tool, tool_input=given, tool_response=response)
    commit = session.commit("sub")  # 1
    session.stop()  # 2
    record = sole(story, session, ["sub.py"], commit)
    assert tokens(record) == answers(0, 1, 2)
    assert record["token_usage"]["subagent_tokens"]["input_tokens"] == 500
    base = f"{commit and story.ids(commit)[0][:2]}/{story.ids(commit)[0][2:]}"
    names = story.git("ls-tree", "-r", "--name-only", f"entire/checkpoints/v1:{base}").splitlines()
    task = [name for name in names if "tasks/" in name]
    assert any(name.endswith(f"tasks/{tool}/checkpoint.json") for name in task), names
    assert any(name.endswith(f"tasks/{tool}/agent-{agent}.jsonl") for name in task), names
    notes = sorted(name for name in task if "/checkpoints/" in name)
    assert [name.rsplit("/", 1)[1] for name in notes] == [f"001-{tool}.json", f"002-{tool}.json"]
    assert "one" in story.show(f"{base}/{notes[0]}")
    with session.turn("More"):
        session.write("b.py", "b\n")  # 3, 4
    story.commit("b")
    record = sole(story, session, ["b.py"])
    assert tokens(record) == answers(3, 4)
    assert not record["token_usage"].get("subagent_tokens"), "counted twice"
    done(story)


# ---------------------------------------------------------------- the transcript changes


def test_compaction_that_grows(story: Story, session: Session) -> None:
    """Claude Code's file only grows: nothing is counted anew."""
    session.prompt("Work")
    session.write("a.py", "a\n")  # 0
    session.hook("pre-compact", trigger="auto")
    session.record("system", subtype="compact_boundary", content="Conversation compacted")
    session.hook("session-start", source="compact")
    assert session.state()["phase"] == "active"
    session.write("b.py", "b\n")  # 1
    session.stop()  # 2
    story.commit("ab")
    record = sole(story, session, ["a.py", "b.py"])
    assert tokens(record) == answers(0, 1, 2)
    assert record["prompts"] == ["Work"]
    done(story)


@pytest.mark.parametrize("explicit", [True, False])
def test_compaction_that_shrinks(story: Story, session: Session, explicit: bool) -> None:
    with session.turn("First"):
        session.write("a.py", "a\n" * 50)  # 0, 1
    story.commit("a")
    assert tokens(story.linked()) == answers(0, 1)
    session.prompt("Second")
    session.write("b.py", "b\n")  # 2
    session.file.write_text("")
    session.parent = None
    session.record("user", promptId=session.prompt_id, message={"role": "user", "content": "Second"})
    if explicit:
        session.hook("pre-compact", trigger="manual")
    session.write("c.py", "c\n")  # 3
    session.stop()  # 4
    story.commit("bc")
    record = sole(story, session, ["b.py", "c.py"])
    assert record["transcript"] == session.file.read_text()
    assert tokens(record) == answers(3, 4)
    done(story)


def test_compaction_to_fewer_bytes_with_more_records(story: Story, session: Session) -> None:
    """No event reports it, and the number of records does not tell: only the size does."""
    with session.turn("First"):
        session.write("a.py", "a\n" * 5000)  # 0, 1
    story.commit("a")
    session.prompt("Second")
    session.file.write_text("")
    session.parent = None
    session.record("user", promptId=session.prompt_id, message={"role": "user", "content": "Second"})
    for number in range(4):
        session.write(f"b{number}.py", "b\n")  # 2 to 5
    session.stop()  # 6
    story.commit("b")
    assert tokens(sole(story, session, [f"b{number}.py" for number in range(4)])) == answers(2, 3, 4, 5, 6)
    last = story.linked()["lineage"]["turns"][session.id][-1]
    assert last["token_usage"]["input_tokens"] == answers(2, 3, 4, 5, 6)[0]
    done(story)


def test_the_transcript_is_rewound_between_turns(story: Story, session: Session) -> None:
    """A shorter file: what is left of it was counted before."""
    with session.turn("First"):
        session.write("a.py", "a\n")  # 0, 1
    kept = session.file.read_text()
    with session.turn("Second"):
        session.write("b.py", "b\n")  # 2, 3
    story.commit("ab")
    assert tokens(story.linked()) == answers(0, 1, 2, 3)
    session.file.write_text(kept)
    with session.turn("Third"):
        session.write("c.py", "c\n")  # 4, 5
    story.commit("c")
    record = sole(story, session, ["c.py"])
    assert tokens(record) == answers(4, 5)
    assert record["transcript"] == session.file.read_text()
    done(story)


def test_the_transcript_is_rewritten_longer_between_turns(story: Story, session: Session) -> None:
    with session.turn("First"):
        session.write("a.py", "a\n")  # 0, 1
    story.commit("a")
    text = session.file.read_text()
    session.file.write_text('{"type":"summary","summary":"inserted before everything","leafUuid":"x"}\n' + text)
    with session.turn("Second"):
        session.write("b.py", "b\n")  # 2, 3
    story.commit("b")
    record = sole(story, session, ["b.py"])
    assert record["transcript"] == session.file.read_text()
    assert tokens(record) == answers(2, 3)
    done(story)


def test_clear_starts_another_session(story: Story, session: Session) -> None:
    with session.turn("First"):
        session.write("a.py", "a\n")
    session.hook("session-end", reason="clear")
    after = story.session()
    after.hook("session-start", source="clear", prompt_id=session.prompt_id)
    kept = json.loads((story.root / ".git/entire/sessions" / f"{after.id}.json").read_text())
    assert kept["metadata"]["previous_session_id"] == session.id
    with after.turn("Second"):
        after.write("b.py", "b\n")
    story.commit("ab")
    found = check(story, "HEAD", ["a.py", "b.py"])
    assert [tokens(found["slots"][one.id]) for one in (session, after)] == [answers(0, 1), answers(0, 1)]
    assert found["slots"][after.id]["prompts"] == ["Second"]
    done(story)


def test_a_resumed_session_goes_on_where_it_was(story: Story, session: Session) -> None:
    with session.turn("First"):
        session.write("a.py", "a\n")  # 0, 1
    session.end()
    story.commit("a")
    session.hook("session-start", source="resume")
    assert session.state()["phase"] == "idle"
    with session.turn("Second"):
        session.write("b.py", "b\n")  # 2, 3
    story.commit("b")
    record = sole(story, session, ["b.py"])
    assert tokens(record) == answers(2, 3)
    assert record["prompts"] == ["First", "Second"]
    assert record["checkpoint_transcript_start"] > 0
    done(story)


def test_a_forked_session_begins_with_anothers_history(story: Story, session: Session) -> None:
    """The copied answers are counted in the session that they come from, not again."""
    with session.turn("First"):
        session.write("a.py", "a\n")  # 0, 1
    story.commit("a")
    fork = story.session()
    shutil.copy(session.file, fork.file)
    fork.file.write_text(fork.file.read_text().replace(session.id, fork.id))
    fork.parent, fork.answers = session.parent, session.answers
    fork.hook("session-start", source="resume")
    with fork.turn("Second"):
        fork.write("b.py", "b\n")  # 2, 3
    story.commit("b")
    record = sole(story, fork, ["b.py"])
    assert tokens(record) == answers(2, 3)
    assert record["transcript"] == fork.file.read_text()
    assert record["checkpoint_transcript_start"] > 0
    done(story)


@pytest.mark.parametrize("has_one_id", [False, True])
def test_a_fork_whose_history_is_copied_after_its_prompt(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str], has_one_id: bool
) -> None:
    """Headless agents do so; newer ones give each copied prompt the id of the new one."""
    with session.turn("First"):
        session.write("a.py", "a\n")  # 0, 1
    story.commit("a")
    fork = story.session()
    fork.hook("session-start", source="fork")
    fork.prompt_id = str(uuid.uuid4())
    fork.hook("user-prompt-submit", prompt="Second")
    told = session.file.read_text().replace(session.id, fork.id)
    fork.file.write_text(told.replace(session.prompt_id, fork.prompt_id) if has_one_id else told)
    fork.parent, fork.answers = session.parent, session.answers
    fork.record("user", message={"role": "user", "content": "Second"}, promptId=fork.prompt_id, promptSource="sdk")
    fork.write("b.py", "b\n")  # 2, 3
    fork.stop()
    story.commit("b")
    record = sole(story, fork, ["b.py"])
    assert tokens(record) == answers(2, 3)
    assert record["checkpoint_transcript_start"] == told.count("\n")
    (range_,) = json.loads(Command(story, capsys, "why")("b.py", "--json"))["files"][0]["ranges"]
    assert range_["origin"]["prompt"] == "Second"
    done(story)


def test_broken_lines_in_the_transcript(story: Story, session: Session) -> None:
    session.prompt("Work")
    with session.file.open("ab") as file:
        file.write(b'{"type": "assistant", "message": \n\xff\xfe\x00\n[1, 2]\nnull\n')
    session.write("a.py", "a\n")
    session.stop()
    story.commit("a")
    record = sole(story, session, ["a.py"])
    assert tokens(record) == answers(0, 1)
    done(story)


def test_no_transcript_at_all(story: Story, session: Session) -> None:
    session.prompt_id = str(uuid.uuid4())
    session.hook("user-prompt-submit", prompt="Without a file")
    story.write("a.py", "a\n")
    session.hook("stop", stop_hook_active=False)
    story.commit("a")
    record = sole(story, session, ["a.py"])
    assert tokens(record) == (0, 0)
    assert record["prompts"] == ["Without a file"]
    assert lines(record) == (1, 0, 0, 0, 1)
    done(story)


def test_a_turn_without_changes_makes_no_step(story: Story, session: Session) -> None:
    with session.turn("Talk"):  # 0
        pass
    assert shadows(story) == []
    with session.turn("Work"):
        session.write("a.py", "a\n")  # 1, 2
    story.commit("a")
    record = sole(story, session, ["a.py"])
    assert record["checkpoints_count"] == 1
    assert [one["turn"] != "" for one in story.linked()["lineage"]["turns"][session.id]] == [True, True]
    assert tokens(record) == answers(0, 1, 2)
    assert journal(story)["live"] is False
    done(story)


# ---------------------------------------------------------------- the prompt's hook never came, or said little


class Short:
    """A session in the old short form: ``type``, ``uuid`` and ``message`` only, no usage; payloads as short."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.id = str(uuid.uuid4())
        self.file = story.projects / f"{self.id}.jsonl"

    def hook(self, verb: str, **extra: object) -> None:
        session = Session(self.story, self.id)
        session.hook(verb, **extra)

    def record(self, kind: str, content: object) -> None:
        line = {"type": kind, "uuid": str(uuid.uuid4()), "message": {"role": kind, "content": content}}
        with self.file.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def work(self, prompt: str, name: str, text: str) -> None:
        """Write the records of a turn that writes a file; no hook runs."""
        self.story.write(name, text)
        given = {"file_path": str(self.story.root / name), "content": text}
        call = f"toolu_{uuid.uuid4().hex[:20]}"
        self.record("user", prompt)
        self.record("assistant", [{"type": "tool_use", "id": call, "name": "Write", "input": given}])
        self.record("user", [{"type": "tool_result", "tool_use_id": call, "content": "ok"}])
        self.record("assistant", [{"type": "text", "text": "Done."}])


@pytest.fixture
def short(story: Story) -> Short:
    return Short(story)


def prompts_of_steps(story: Story) -> list[str]:
    """Return the subjects of the steps, oldest first."""
    (branch,) = shadows(story)
    return story.git("log", "--reverse", "--format=%s", branch, "--not", "HEAD").splitlines()


def test_the_first_stop_without_a_prompt_hook_and_usage(story: Story, short: Short) -> None:
    short.work("Please write a", "a.py", "a\na\n")
    short.hook("stop")
    assert prompts_of_steps(story) == ["Write a"]
    story.write("mine.py", "p\n")
    story.commit("a")
    record = check(story, "HEAD", ["a.py"])["slots"][short.id]
    assert lines(record) == (2, 1, 0, 0, 3)
    assert record["prompts"] == ["Please write a"]
    done(story)


@pytest.mark.parametrize("names_turns", [True, False])
def test_a_later_stop_without_a_prompt_hook_and_usage(story: Story, short: Short, names_turns: bool) -> None:
    """The file is the session's by its tools' reports; what a person wrote in between stays the person's."""
    ids: list[dict[str, str]] = [{"prompt_id": str(uuid.uuid4())} if names_turns else {} for _ in range(2)]
    short.hook("user-prompt-submit", prompt="Write a", **ids[0])
    short.work("Write a", "a.py", "a\n")
    short.hook("stop", **ids[0])
    story.write("mine.py", "p\n")
    short.work("Write b", "b.py", "b\nb\n")
    short.hook("stop", **ids[1])
    assert prompts_of_steps(story) == ["Write a", "Write b"]
    story.commit("ab")
    record = check(story, "HEAD", ["a.py", "b.py"])["slots"][short.id]
    assert lines(record) == (3, 1, 0, 0, 4)
    assert record["prompts"] == ["Write a", "Write b"]
    done(story)


def test_a_second_stop_without_usage_is_no_new_turn(story: Story, short: Short) -> None:
    short.hook("user-prompt-submit", prompt="Write a")
    short.work("Write a", "a.py", "a\n")
    short.hook("stop")
    story.write("mine.py", "p\n")
    short.hook("stop")
    story.commit("a")
    found = check(story, "HEAD", ["a.py"])
    assert lines(found["slots"][short.id]) == (1, 1, 0, 0, 2)
    assert len(found["lineage"]["turns"][short.id]) == 1
    done(story)


def test_a_shell_command_of_the_person_is_the_persons(story: Story, short: Short) -> None:
    """``!command`` ends with Stop, but the agent did not answer."""
    short.hook("user-prompt-submit", prompt="Write a")
    short.work("Write a", "a.py", "a\n")
    short.hook("stop")
    story.write("mine.py", "p\n")
    short.record("user", "<bash-input>echo p > mine.py</bash-input>")
    short.record("user", "<bash-stdout></bash-stdout><bash-stderr></bash-stderr>")
    short.hook("stop")
    story.commit("a")
    assert lines(check(story, "HEAD", ["a.py"])["slots"][short.id]) == (1, 1, 0, 0, 2)
    done(story)


def test_a_stop_hook_makes_the_agent_go_on_without_usage(story: Story, short: Short) -> None:
    short.hook("user-prompt-submit", prompt="Write a")
    short.work("Write a", "a.py", "a\n")
    short.hook("stop")
    story.write("made_by_its_shell.py", "s\n")
    short.record("assistant", [{"type": "text", "text": "And that."}])
    short.hook("stop")
    story.commit("a")
    assert lines(check(story, "HEAD", ["a.py", "made_by_its_shell.py"])["slots"][short.id]) == (2, 0, 0, 0, 2)
    done(story)


def test_the_prompt_comes_from_the_transcript(story: Story, session: Session) -> None:
    """Payloads hold no prompt: the step's subject, the session's first prompt and the points name it all the same."""
    for text, name in (("Please add a", "a.py"), ("Now add b with AKIAQ3EGRPZ7XLMN42TB", "b.py")):
        session.prompt_id = str(uuid.uuid4())
        session.hook("user-prompt-submit")
        session.record("user", promptId=session.prompt_id, promptSource="sdk",
                       message={"role": "user", "content": text})  # fmt: skip
        session.write(name, "x\n")
        session.stop()
    first, second = prompts_of_steps(story)
    assert first == "Add a"
    assert second.startswith("Add b with ")
    assert "AKIAQ3EGRPZ7XLMN42TB" not in second
    workspace = Workspace.find(story.root)
    assert workspace.sessions.listing()[0].first_prompt == "Please add a"
    assert [point.session_prompt for point in workspace.points.listing()] == ["Please add a"] * 2
    done(story)


def test_the_first_hook_of_a_captured_session_is_its_stop(story: Story) -> None:
    """Prompt, model and files are in the transcript that the real agent wrote."""
    captured = (FIXTURES / "transcripts/headless-after-turn1.jsonl").read_text()
    payload = json.loads((FIXTURES / "payloads/36-Stop.json").read_text())
    records = [json.loads(line) for line in captured.splitlines()]
    session = Session(story, next(record["sessionId"] for record in records))
    session.file.write_text(captured.replace("/home/dev/project", str(story.root)))
    (text,) = (record["message"]["content"] for record in records if record.get("promptSource"))
    story.write("hello.py", 'print("hello")\n')
    own = {"session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id"}
    answer = [record["message"]["content"][-1]["text"] for record in records if record["type"] == "assistant"
              and record["message"]["content"][-1]["type"] == "text"][-1]  # fmt: skip
    extra = {name: value for name, value in payload.items() if name not in own}
    session.hook("stop", **{**extra, "last_assistant_message": answer})
    state = stored(story, session)
    assert (state.first_prompt, state.model) == (" ".join(text.split())[:100], "claude-opus-4-8")
    story.commit("hello", env=PERSON)
    assert sole(story, session, ["hello.py"])["prompts"] == [text]
    done(story)


# ---------------------------------------------------------------- the model


def test_the_model_comes_from_the_answers(story: Story, session: Session) -> None:
    """Headless sessions report no model, but every answer names it; what the agent itself wrote names none."""
    with session.turn("Work"):
        session.write("a.py", "a\n")
        text = {"type": "text", "text": "No response requested."}
        session.record("assistant", message={"id": "msg_s", "model": "<synthetic>", "content": [text]})
    assert Workspace.find(story.root).sessions.listing()[0].model == "claude-x"
    story.commit("a")
    assert [turn["model"] for turn in story.linked()["lineage"]["turns"][session.id]] == ["claude-x"]
    done(story)


def test_the_model_of_a_commit_within_the_turn(story: Story, session: Session) -> None:
    session.prompt("Work")
    session.write("a.py", "a\n")
    commit = session.commit("a")
    assert [turn["model"] for turn in story.linked(commit)["lineage"]["turns"][session.id]] == ["claude-x"]
    session.stop()
    assert [turn["model"] for turn in story.linked(commit)["lineage"]["turns"][session.id]] == ["claude-x"]
    done(story)


# ---------------------------------------------------------------- a background subagent that does not list itself


@pytest.mark.parametrize("listed_at_stop", [True, False])
def test_a_background_subagent_that_does_not_list_itself(story: Story, session: Session, listed_at_stop: bool) -> None:
    session.prompt("In the background")
    path = background(session, "a1b2c3", "toolu_bg1")
    session.answer({"type": "text", "text": "Started."})
    session.hook("stop", last_assistant_message="Started.", background_tasks=RUNNING if listed_at_stop else [])
    inner(session, path, "a1b2c3", "bg.py", "b\nb\n", 1000)
    session.hook("subagent-stop", agent_id="a1b2c3", agent_type="worker", background_tasks=[])
    story.write("mine.py", "p\n")
    story.commit("bg", env=PERSON)
    record = sole(story, session, ["bg.py"])
    assert lines(record) == (2, 1, 0, 0, 3)
    assert record["token_usage"]["subagent_tokens"]["input_tokens"] == 1000
    base = story.ids()[0].path
    names = story.git("ls-tree", "-r", "--name-only", f"entire/checkpoints/v1:{base}").splitlines()
    assert any(name.endswith("tasks/toolu_bg1/agent-a1b2c3.jsonl") for name in names), names
    done(story)


def test_a_background_subagent_of_an_earlier_turn_does_not_list_itself(story: Story, session: Session) -> None:
    session.prompt("In the background")
    path = background(session, "a1b2c3", "toolu_bg1")
    session.answer({"type": "text", "text": "Started."})
    session.hook("stop", last_assistant_message="Started.", background_tasks=[])
    session.prompt("Meanwhile")
    inner(session, path, "a1b2c3", "bg.py", "b\n", 1000)
    session.hook("subagent-stop", agent_id="a1b2c3", agent_type="worker", background_tasks=[])
    assert [name for name, task in stored(story, session).tasks.items() if task.done] == ["toolu_bg1"]
    session.stop()
    story.commit("bg", env=PERSON)
    record = sole(story, session, ["bg.py"])
    assert record["token_usage"]["subagent_tokens"]["input_tokens"] == 1000
    done(story)


def test_a_foreground_subagent_ends_with_its_call(story: Story, session: Session) -> None:
    """Its SubagentStop comes before the call's result, and another hook may still make it go on."""
    session.prompt("Delegate")
    tool, agent = "toolu_fg1", "f00d"
    given = {"description": "Look around", "prompt": "x", "subagent_type": "Explore"}
    session.answer({"type": "tool_use", "id": tool, "name": "Agent", "input": given})
    session.hook("pre-task", tool_name="Agent", tool_use_id=tool, tool_input=given)
    folder = session.file.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (folder / f"agent-{agent}.meta.json").write_text(json.dumps({"agentType": "Explore", "toolUseId": tool}))
    inner(session, folder / f"agent-{agent}.jsonl", agent, "sub.py", "s\n", 500)
    session.hook("subagent-stop", agent_id=agent, agent_type="Explore", background_tasks=[])
    assert shadows(story) == []
    response = {"agentId": agent, "status": "completed", "agentType": "Explore"}
    answer_call(session, tool, response)
    session.hook("post-task", tool_name="Agent", tool_use_id=tool, tool_input=given, tool_response=response)
    assert shadows(story) != []
    done(story)


def test_a_sessions_first_turn_that_ends_twice_is_one(story: Story, session: Session) -> None:
    """As with a helper that ends when its turn has: the agent answers once more. Records stand before the prompt."""
    session.record("mode", mode="normal")
    with session.turn("Write a"):
        session.write("a.py", "a\n")
    session.stop("The helper has ended, too.")
    story.commit("a")
    slot = story.linked()["slots"][session.id]
    assert (slot["prompts"], slot["files_touched"]) == (["Write a"], ["a.py"])
    assert slot["token_usage"]["api_call_count"] == 3
    done(story)
