"""Events of a bare agent, dispatched in process: what is remembered after each of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from entire import layout, lifecycle, process
from entire.agents import registry
from entire.commits import carried_step, finalize, post_commit, prepare, unfinished
from entire.directory import AgentDirectory
from entire.errors import UsageError
from entire.model.events import Event, EventType, GitEvent
from entire.model.ids import is_tool_id
from entire.model.phases import Phase
from entire.model.session import Process, Session, Turn
from entire.model.turns import TurnKey
from entire.recording.context import Context
from entire.settings import Settings
from entire.snapshots import recorder
from entire.snapshots.recorder import Cause
from entire.store import turnlog
from entire.turns import beginning
from tests import bare_agent
from tests.unit.git.repo import Repo


class Stage:
    """A repository, a context in it with its own clock, and an agent."""

    def __init__(self, folder: Path) -> None:
        self.repo = Repo(folder)
        self.repo.write("a.txt", "100644", b"one\n")
        self.repo.git("add", "-A")
        self.repo.git("commit", "-q", "-m", "first")
        place = layout.find(self.repo.top)
        assert place is not None
        self.clock = 1.7e9
        self.context = Context(place, Settings(), AgentDirectory.without_plugins(), now=lambda: self.clock)

    def event(self, kind: EventType, session: str = "s", **more: Any) -> bytes:
        self.clock += 1
        return lifecycle.handle(self.context, Event(type=kind, session_id=session, agent="bare", **more))

    def session(self, name: str = "s") -> Session:
        self.context.forget()
        found = self.context.session(name)
        assert found is not None
        return found

    def steps(self) -> list[str]:
        refs = self.repo.line("for-each-ref", "--format=%(refname)", "refs/heads/entire/")
        return [line for ref in refs.split() for line in self.repo.line("log", "--format=%s", ref).splitlines()]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setitem(registry.BUILTIN, "bare", bare_agent.entry("Bare"))
    made = Stage(tmp_path / "repo")
    yield made
    made.context.close()


def test_a_turn(stage: Stage) -> None:
    stage.event(EventType.SESSION_START, metadata={"colour": "red"})
    assert stage.session().phase is Phase.IDLE
    stage.event(EventType.TURN_START, prompt="Add b", turn_ref="t-1")
    session = stage.session()
    assert session.phase is Phase.ACTIVE
    assert session.turn is not None
    assert (session.turn.ref, session.first_prompt, session.connection.metadata) == ("t-1", "Add b", {"colour": "red"})
    assert session.turn_key == f"s/{session.turn.id}"
    stage.event(EventType.TURN_START, prompt="Add b", turn_ref="t-1")
    assert stage.session().turn == session.turn, "delivered twice"
    stage.repo.write("b.txt", "100644", b"two\n")
    stage.event(EventType.TURN_END)
    session = stage.session()
    assert (session.phase, session.work.open_files, session.work.steps) == (Phase.IDLE, ["b.txt"], 1)
    assert stage.steps() == ["Add b"]
    stage.event(EventType.TURN_END)
    assert stage.steps() == ["Add b"], "an unchanged tree saves nothing"
    stage.event(EventType.SESSION_END)
    assert stage.session().phase is Phase.ENDED
    assert stage.session().times.ended == stage.clock


@pytest.mark.parametrize("hostile", ["", "../../../escaped", "a/b", ".."])
def test_an_event_without_a_valid_session_id_is_ignored(stage: Stage, tmp_path: Path, hostile: str) -> None:
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    for kind in (EventType.SESSION_START, EventType.TURN_START, EventType.TURN_END, EventType.SUBAGENT_END):
        assert stage.event(kind, session=hostile) == b""
    assert {path for path in tmp_path.rglob("*") if path.is_file()} - before == {Path(stage.context.place.log)}


def test_the_prompt_of_a_turn_that_the_agent_began_by_itself_is_no_prompt(stage: Stage) -> None:
    stage.event(EventType.TURN_START, prompt="A background task ended", turn_ref="t-1", is_automatic=True)
    session = stage.session()
    assert session.turn is not None
    assert (session.turn.prompt, session.first_prompt) == ("", "")
    stage.repo.write("b.txt", "100644", b"two\n")
    stage.event(EventType.TURN_END, turn_ref="t-1")
    assert turnlog.prompts(turnlog.read(stage.context.place, "s")) == []
    stage.event(EventType.TURN_START, prompt="Add c", turn_ref="t-2")
    assert stage.session().first_prompt == "Add c"


def test_a_turn_without_an_end_is_closed_by_the_next(stage: Stage) -> None:
    stage.event(EventType.TURN_START, prompt="First")
    stage.repo.write("b.txt", "100644", b"two\n")
    stage.event(EventType.TURN_START, prompt="Second")
    assert stage.steps() == ["First"]
    assert stage.session().work.open_files == ["b.txt"]
    assert stage.session().phase is Phase.ACTIVE


def test_a_session_start_whose_hook_waited_longer_than_that_of_the_prompt_closes_no_turn(stage: Stage) -> None:
    """An agent may run both at once."""
    stage.event(EventType.TURN_START, prompt="First")
    stage.event(EventType.SESSION_START, timestamp=stage.clock - 0.5)
    assert stage.session().phase is Phase.ACTIVE
    stage.event(EventType.SESSION_START, timestamp=stage.clock + 1)
    assert stage.session().phase is Phase.IDLE, "a later one says that the turn was lost"


def test_another_sessions_turn_is_closed_only_when_its_agent_is_gone(stage: Stage) -> None:
    stage.event(EventType.TURN_START, prompt="First")
    stage.repo.write("b.txt", "100644", b"two\n")
    for pid, gone in ((os.getpid(), False), (os.getpid(), True)):
        with stage.context.lock():
            session = stage.context.session("s")
            assert session is not None
            program = process.look(pid)
            assert program is not None
            session.process = Process(pid=pid, started="another start" if gone else program.started)
            stage.context.save(session)
        stage.event(EventType.SESSION_START, session="other")
        assert stage.session().phase is (Phase.IDLE if gone else Phase.ACTIVE)
    assert stage.steps() == ["First"]


def test_a_subagents_work_is_a_step_of_its_own_with_its_notes(stage: Stage) -> None:
    stage.event(EventType.TURN_START, prompt="Explore")
    stage.event(EventType.SUBAGENT_START, tool_use_id="tool_1", subagent_type="Explore", task_description="Look")
    stage.event(EventType.SUBAGENT_NOTE, tool_name="TodoWrite", tool_input='{"todo": 1}')
    stage.event(EventType.SUBAGENT_NOTE, session="other", tool_name="TodoWrite")
    assert stage.session("other").tasks == {}, "a note without a task is left out"
    stage.repo.write("b.txt", "100644", b"two\n")
    stage.event(EventType.SUBAGENT_END, tool_use_id="tool_1")
    assert stage.steps() == ["Completed 'Explore' agent: Look (tool_1)"]
    task = stage.session().tasks["tool_1"]
    assert task.increments["001-tool_1.json"]["data"] == {"todo": 1}
    stage.event(EventType.SUBAGENT_START, tool_use_id="../x")
    stage.event(EventType.SUBAGENT_END, tool_use_id="../x")
    first, second = stage.session().tasks
    assert (first, is_tool_id(second)) == ("tool_1", True)


def test_a_background_subagent_that_ended_is_no_longer_at_work_and_ends_once(stage: Stage) -> None:
    stage.event(EventType.TURN_START, prompt="Delegate", turn_ref="t-1")
    stage.event(EventType.SUBAGENT_START, tool_use_id="task_1", subagent_id="a1")
    stage.event(EventType.TURN_END, turn_ref="t-1", background=("a1", "a2"))
    assert stage.session().background == ["a1", "a2"]
    stage.event(EventType.SUBAGENT_END, tool_use_id="task_1", subagent_id="a1")
    ended = stage.session()
    assert ended.background == ["a2"]
    stage.repo.write("b.txt", "100644", b"two\n")
    stage.event(EventType.SUBAGENT_END, tool_use_id="task_1", subagent_id="a1")
    assert stage.session().tasks["task_1"].done == ended.tasks["task_1"].done
    assert stage.steps() == []


def test_a_snapshot_is_recorded_once(stage: Stage) -> None:
    with stage.context.lock():
        recorder.record_now(stage.context, Cause())
        change = recorder.compare(stage.context, recorder.take(stage.context))
        assert (change.paths, change.is_new) == ((), False)
        stage.repo.write("b.txt", "100644", b"two\n")
        change = recorder.compare(stage.context, recorder.take(stage.context))
        assert change.paths == ("b.txt",)
        recorder.record(stage.context, change, Cause(by=TurnKey("s/t")))
        assert [entry.by for entry in stage.context.journal.attribution.entries] == ["", "s/t"]
        assert list(stage.context.journal.attribution.agent_paths) == ["b.txt"]


def test_nothing_to_complete_changes_nothing(stage: Stage) -> None:
    stage.event(EventType.SESSION_START)
    with stage.context.lock():
        unfinished.complete(stage.context)
        finalize.finalize_turn(stage.context, stage.session())
    before = stage.repo.git("for-each-ref")
    lifecycle.finish_interrupted(stage.context)
    assert stage.repo.git("for-each-ref") == before


def test_a_commit_without_relevant_sessions_gets_no_trailer(stage: Stage) -> None:
    message = Path(stage.repo.top, ".git", "MESSAGE")
    message.write_text("By hand\n")
    stage.repo.write("a.txt", "100644", b"mine\n")
    stage.repo.git("add", "-A")
    with stage.context.lock():
        event = GitEvent(type=EventType.PREPARE_COMMIT, message_file=str(message), message_source="message")
        prepare.prepare(stage.context, event)
    assert message.read_text() == "By hand\n"


def test_a_commit_without_a_record_is_a_persons(stage: Stage) -> None:
    stage.event(EventType.SESSION_START)
    stage.event(EventType.TURN_START, prompt="Look around")
    stage.event(EventType.TURN_END)
    stage.repo.write("a.txt", "100644", b"mine\n")
    stage.repo.git("add", "-A")
    stage.repo.git("commit", "-q", "-m", "By hand")
    with stage.context.lock():
        post_commit.complete(stage.context, GitEvent(type=EventType.GIT_COMMIT))
        stage.context.save()
    assert stage.context.journal.followed == stage.repo.line("rev-parse", "HEAD").strip()
    assert "entire" not in stage.repo.line("for-each-ref", "--format=%(refname)", "refs/heads/entire/")


def test_an_uncommitted_file_is_carried_to_the_new_commit(stage: Stage) -> None:
    stage.event(EventType.SESSION_START)
    stage.event(EventType.TURN_START, prompt="Add b")
    stage.repo.write("b.txt", "100644", b"two\n")
    stage.event(EventType.TURN_END)
    stage.repo.git("commit", "-q", "--allow-empty", "-m", "By hand")
    with stage.context.lock():
        session, head = stage.session(), stage.context.objects.commit("HEAD")
        assert head is not None
        carried_step.write(stage.context, head, session)
    ref = f"refs/heads/entire/{head.oid[:7]}-{stage.context.place.worktree_id}"
    assert stage.repo.line("show", f"{ref}:b.txt") == "two"
    assert stage.repo.line("log", "--format=%s", ref).startswith("carry forward")


def test_notes_of_a_turn_have_one_line_a_prompt_and_its_tokens_once() -> None:
    ended = Turn(id="t", started=1.0, ended=2.0)
    assert [note.prompt for note in turnlog.of_turn(ended, [])] == [""]


def test_a_session_keeps_its_adapter_until_its_metadata_change(stage: Stage) -> None:
    stage.event(EventType.SESSION_START, metadata={"colour": "red"})
    session = stage.session()
    first = stage.context.adapters.of(session)
    assert first is not None
    assert first.metadata == {"colour": "red"}
    assert stage.context.adapters.of(session) is first
    session.note({"colour": "blue"})
    second = stage.context.adapters.of(session)
    assert second is not None
    assert (first.metadata, second.metadata) == ({"colour": "red"}, {"colour": "blue"})
    stage.context.forget()
    assert stage.context.adapters.of(session) is not second


def test_handlers_get_an_adapter_that_knows_what_the_event_said(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(beginning, "begin", lambda _, session, *__: seen.append(session.connection.metadata))
    stage.event(EventType.SESSION_START, metadata={"colour": "red"})
    stage.event(EventType.TURN_START, metadata={"size": "big"})
    assert seen == [{"colour": "red", "size": "big"}]


def test_an_agent_that_is_not_installed_is_none(stage: Stage) -> None:
    session = Session("s", "gone-agent", "Gone")
    assert stage.context.adapters.of(session) is None
    session = Session("s", "", "Bare Agent")
    found = stage.context.adapters.of(session)
    assert found is not None
    assert (found.name, session.agent.name) == ("bare", "bare")
    with pytest.raises(UsageError, match="no agent called"):
        AgentDirectory.without_plugins().find("gone-agent")
