"""When an adapter is asked to put a conversation back, and what of its plan is noted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from entire.errors import EntireError
from entire.layout import Place
from entire.model.effects import Delete, PutBack, Run, Write
from entire.model.positions import SessionRef
from entire.model.session import Session
from entire.model.transcripts import Agreement
from entire.recording import liveness
from entire.resume import effects
from entire.resume.transcript_merge import CUT, MISSING, UNCHANGED, WRITTEN, TranscriptChange
from entire.undo.draft import Draft


class Native:
    """A transcript of any form."""

    def __init__(self, content: bytes = b"present") -> None:
        self.content = content

    def snapshot(self) -> bytes:
        return self.content

    def agreement(self, stored: bytes) -> Agreement:
        return Agreement(common=b"", joined=stored, extent=0, stored_is_longer=True, own_is_longer=True)


class Agent:
    """Plans what the test has chosen."""

    capabilities: ClassVar[frozenset[str]] = frozenset({"session_resumer"})

    def __init__(self, planned: PutBack) -> None:
        self.planned = planned
        self.asked: list[tuple[str, bytes, Mapping[str, bytes]]] = []

    def transcript(self, session_ref: str) -> Native:
        return Native()

    def put_back(self, session_ref: str, transcript: bytes, subagents: Mapping[str, bytes]) -> PutBack:
        self.asked.append((session_ref, transcript, subagents))
        return self.planned


def change(what: str, path: str = "db/s", data: bytes = b"data") -> TranscriptChange:
    return TranscriptChange(session_id="s", agent="x", path=path, data=data, what=what)


RUN = Run(argv=("put",), undo_argv=("drop",), stdin=b"data")


@pytest.mark.parametrize(
    ("what", "subagents", "is_asked"),
    [(CUT, {}, True), (WRITTEN, {}, True), (UNCHANGED, {}, False), (UNCHANGED, {"a": b"1"}, True),
     (MISSING, {}, False), (MISSING, {"a": b"1"}, False)],
)  # fmt: skip
def test_an_agent_is_asked_only_if_there_is_something_to_do(
    what: str, subagents: dict[str, bytes], is_asked: bool
) -> None:
    """Above all not with the empty content of what is missing: that would remove the conversation."""
    agent: Any = Agent(PutBack(effects=(RUN,)))
    planned = effects.plan(agent, change(what), subagents)
    assert planned.effects == ((RUN,) if is_asked else ())
    assert agent.asked == ([("db/s", b"data", subagents)] if is_asked else [])


def test_nothing_of_a_removed_conversation_comes_back() -> None:
    agent: Any = Agent(PutBack())
    effects.plan(agent, change(CUT, data=b""), {"a": b"1"})
    assert agent.asked == [("db/s", b"", {})]


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    git_dir = tmp_path / "work/.git"
    git_dir.mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    place = Place(top=str(tmp_path / "work"), git_dir=str(git_dir), common_dir=str(git_dir))
    return Draft(place, "rewind", "rewind to abc", now=1.0)


def test_a_transcript_that_only_commands_change_is_noted(draft: Draft) -> None:
    agent: Any = Agent(PutBack(effects=(RUN,)))
    effects.draft_conversation(draft, agent, change(CUT), {})
    assert (draft.noted(), draft.planned("db/s")) == ({"db/s": b"present"}, b"data")


def test_one_that_is_a_file_is_not(draft: Draft, tmp_path: Path) -> None:
    """A command may follow it, such as one that updates an index."""
    path = str(tmp_path / "s.jsonl")
    agent: Any = Agent(PutBack(effects=(Write(path=path, data=b"data"), Delete(path=path + ".stub"), RUN)))
    effects.draft_conversation(draft, agent, change(CUT, path), {})
    assert (draft.noted(), draft.planned(path)) == ({}, b"data")


@pytest.mark.parametrize("by_command", [False, True])
def test_only_what_a_command_changes_must_be_as_it_was_left(draft: Draft, tmp_path: Path, by_command: bool) -> None:
    """An agent may write another file than its reference names: the undo saves that file, whatever it holds."""
    agent: Any = Agent(PutBack(effects=(RUN if by_command else Write(path=str(tmp_path / "other"), data=b"data"),)))
    effects.draft_conversation(draft, agent, change(CUT), {})

    class Context:
        def session(self, session_id: str) -> Any:
            state = Session(session_id, "x", "X")
            state.session_ref = SessionRef("db/s")
            return state

        adapters = SimpleNamespace(of=lambda _session: agent)

    context: Any = Context()
    effects.refuse_continued(context, draft, ["s"])
    agent.transcript = lambda ref: Native(b"went on")
    if by_command:
        with pytest.raises(EntireError, match="session s has continued since; nothing was changed"):
            effects.refuse_continued(context, draft, ["s"])
    else:
        effects.refuse_continued(context, draft, ["s"])


def test_what_cannot_be_put_back_changes_nothing(draft: Draft) -> None:
    agent: Any = Agent(PutBack(problem="its database is open"))
    with pytest.raises(EntireError, match="session s cannot be put back: its database is open; nothing was changed"):
        effects.draft_conversation(draft, agent, change(CUT), {})


def test_a_file_keeps_its_mode_and_a_new_one_is_private(draft: Draft, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"x")
    old.chmod(0o640)
    draft.apply([Write(path=str(old), data=b"y"), Write(path=str(new), data=b"z")])
    draft.carry_out()
    assert [path.stat().st_mode & 0o777 for path in (old, new)] == [0o640, 0o600]
    assert (old.read_bytes(), new.read_bytes()) == (b"y", b"z")


@pytest.mark.parametrize(("told", "runs", "wanted"), [
    (None, True, "Codex (pid 42)"), (None, False, ""), (False, True, ""), (True, True, "Codex (pid 42)"),
    (True, False, "Codex"),
])  # fmt: skip
def test_what_an_agent_says_of_a_session_counts_more_than_what_runs(
    told: bool | None, runs: bool, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its background server may run without having the session open, and have one open that nothing recorded."""
    monkeypatch.setattr(liveness, "holding_process", lambda session, command: 42 if runs else 0)
    agent: Any = SimpleNamespace(
        capabilities={"session_resumer"}, type="Codex", is_open=lambda session_id: told,
        format_resume_command=lambda session_id: "codex resume", closing="stop the server",
    )  # fmt: skip
    assert effects.open_process(agent, "s", Session("s")) == wanted
    assert effects.open_process(agent, "s", None) == ("Codex" if told else "")
    assert effects.closing(agent) == "stop the server"
