"""Each captured session, as a whole and in any two parts, gives what it really holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from entire.agents.opencode import database, native, tools
from entire.agents.opencode.agent import OpenCode
from entire.agents.opencode.transcript import SessionLines
from entire.conversation.records import Answer, Call, Mark, Prompt, Result
from entire.model.positions import START, Position, SessionRef
from tests.agents.opencode import oracle
from tests.agents.opencode.store import Store
from tests.agents.opencode.writer import Session, now

SECRET = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"


def exported(name: str) -> SessionLines:
    return OpenCode(env={}).transcript(str(oracle.path_of(name)))


def kept(folder: Path, name: str, directory: str = "/elsewhere") -> SessionLines:
    """Return a captured session as it is in a database."""
    store = Store(folder / "opencode.db")
    store.load(oracle.load(name), directory)
    return SessionLines(SessionRef.of_rows(str(store.path), oracle.load(name)["info"]["id"]))


@pytest.mark.parametrize("name", oracle.NAMES)
def test_the_whole(name: str) -> None:
    read = exported(name)
    assert [prompt.text for prompt in read.prompts(START)] == oracle.PROMPTS[name]
    assert list(dict.fromkeys(report.path for report in read.files(START))) == [
        f"{oracle.PROJECT}/{file}" for file in oracle.FILES.get(name, [])
    ]
    used = read.tokens(START)
    assert (used.input_tokens, used.cache_read_tokens, used.cache_creation_tokens, used.output_tokens) == oracle.tokens(
        name
    )
    assert used.api_call_count == oracle.CALLS[name]
    assert read.summary(START) == oracle.LAST_TEXT[name]
    assert read.end().count == 1 + len(oracle.load(name)["messages"])
    assert read.agent_version() == "1.18.33"


@pytest.mark.parametrize("name", oracle.NAMES)
def test_rows_are_what_is_exported(name: str, tmp_path: Path) -> None:
    """In all messages; of the session, what does not depend on the machine."""
    rows = kept(tmp_path, name)
    for read in (rows, exported(name)):
        assert [json.loads(line) for line in read.snapshot().splitlines()] == [
            json.loads(line) for line in oracle.lines(name).splitlines()
        ]
    whole = json.loads(native.as_document(rows.snapshot(), rows.session_ref.rpartition("#")[2]))
    told = oracle.load(name)
    assert whole["messages"] == told["messages"]
    for key in ("id", "slug", "title", "version", "tokens"):
        assert whole["info"][key] == told["info"][key]
    assert whole["info"]["cost"] == pytest.approx(told["info"]["cost"])


@pytest.mark.parametrize("name", oracle.NAMES)
def test_two_parts_say_what_the_whole_says(name: str) -> None:
    whole, end = exported(name), exported(name).end()
    prompts, files, tokens = whole.prompts(START), whole.files(START), whole.tokens(START)
    for count in range(end.count + 1):
        place = whole.at(count)
        for since in (place, Position(count=count)):
            part = exported(name)
            assert part.end(since) == end
            assert part.prompts(since) == [prompt for prompt in prompts if prompt.position >= count]
            assert list(dict.fromkeys(part.files(START, place) + part.files(since))) == files
            assert part.tokens(START, place) + part.tokens(since) == tokens


def test_a_subagent_has_a_session_of_its_own(tmp_path: Path) -> None:
    parent = kept(tmp_path, "subagent-parent")
    (subagent,) = parent.subagents(START)
    assert (subagent.id, subagent.type, subagent.description) == (oracle.CHILD, "general", "make sub file")
    kept(tmp_path, "subagent-child")
    own = SessionLines(subagent.session_ref)
    (prompt,) = [record for record in own.records() if isinstance(record, Prompt)]
    assert (prompt.text, prompt.by, own.prompts(START)) == ("subjob: create sub.txt", "agent", [])
    assert [report.path for report in own.files(START)] == [f"{oracle.PROJECT}/sub.txt"]
    assert own.tokens(START).input_tokens == 1100
    assert parent.tokens(START).input_tokens == 3700
    assert parent.subagent_ref("../x") == exported("subagent-parent").subagent_ref(oracle.CHILD) == ""


def test_the_calls_of_tools() -> None:
    records = list(exported("turn1").records())
    write, shell, edit = [record for record in records if isinstance(record, Call)]
    assert (write.tool, shell.tool, edit.tool) == ("write", "shell", "edit")
    assert shell.command == "echo hi > b.txt && cat b.txt"
    assert [(one.path, one.old, one.new) for one in edit.edits] == [(f"{oracle.PROJECT}/a.txt", "alpha", "alpha beta")]
    outputs = {record.call: record.output for record in records if isinstance(record, Result)}
    assert outputs[shell.id] == "hi\n"


@pytest.mark.parametrize("state", [
    {"status": "error", "error": "no"}, {"status": "completed", "output": "no", "metadata": {"exit": 2}}
])  # fmt: skip
def test_a_call_that_failed(state: dict[str, object]) -> None:
    answer = Answer(position=1, id="1", time=7.0)
    part = {"tool": "bash", "callID": "c", "state": {"input": {"command": "false"}, **state}}
    call, result = tools.records(part, answer, "/w", details=True)
    assert isinstance(call, Call)
    assert isinstance(result, Result)
    assert (call.command, call.time, result.time, result.has_failed, result.output) == ("false", 7.0, 7.0, True, "no")


def test_a_patch_tells_its_files() -> None:
    files = [{"filePath": "/w/a.txt", "type": "add"}, {"filePath": "b.txt", "movePath": "/w/c.txt", "type": "move"}]
    part = {"tool": "apply_patch", "state": {"status": "completed", "metadata": {"files": files}}}
    _, result = tools.records(part, Answer(position=1, id="1"), "/w", details=False)
    assert isinstance(result, Result)
    assert result.paths == ("/w/a.txt", "/w/b.txt", "/w/c.txt")


def test_a_session_that_is_too_long_is_not_read_to_its_end(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    for prompt in ("one", "two", "three"):
        session.prompt(prompt)
    monkeypatch.setattr(database, "LARGEST", 400)
    assert of(session).end().count < 4
    assert "MB" in OpenCode().put_back(of(session).session_ref, b"", {}).problem


# ---------------------------------------------------------------- what changes later


@pytest.fixture
def session(tmp_path: Path) -> Session:
    own = Session(Store(tmp_path / "opencode.db"), "ses_1", str(tmp_path))
    own.begin()
    return own


def of(session: Session) -> SessionLines:
    return SessionLines(SessionRef.of_rows(str(session.store.path), session.id))


def replace_message(session: Session, message: str, **info: Any) -> None:
    (data,) = session.store.rows("SELECT data FROM message WHERE id = ?", message)[0]
    changed = json.dumps({**json.loads(data), **info}, separators=(",", ":"))
    session.store.change("UPDATE message SET data = ? WHERE id = ?", changed, message)


def test_an_answer_that_goes_on_is_counted_after_a_commit_in_it(session: Session) -> None:
    """Its figures come when all its tools have ended."""
    session.prompt("write and commit")
    write, commit = (session.tool(name, given) for name, given in (
        ("write", {"filePath": "/w/a.txt", "content": "a"}), ("bash", {"command": "git commit -m A"})))  # fmt: skip
    last = session.tool("write", {"filePath": "/w/b.txt", "content": "b"})
    commit["state"] |= {"status": "running"}
    last["state"] |= {"status": "pending"}
    none = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    created = now()
    message = session.say(write, commit, last, tokens=none, time={"created": created}, finish="")
    at_commit = of(session)
    boundary = at_commit.answer_boundary(START, created / 1000 + 9, "0" * 40)
    assert boundary == at_commit.end()
    assert [report.path for report in at_commit.files(START, boundary)] == ["/w/a.txt"]
    assert not at_commit.tokens(START, boundary)
    for part in session.store.rows("SELECT id, data FROM part WHERE message_id = ?", message):
        done = part[1].replace('"running"', '"completed"').replace('"pending"', '"completed"')
        session.store.change("UPDATE part SET data = ? WHERE id = ?", done, part[0])
    full = {"total": 105, "input": 100, "output": 5, "reasoning": 7, "cache": {"read": 0, "write": 0}}
    replace_message(session, message, tokens=full, time={"created": created, "completed": now()}, finish="stop")
    after = of(session)
    assert after.is_later(after.end(), boundary)
    assert not after.is_later(boundary, after.end())
    assert not after.tokens(START, boundary)
    assert (after.tokens(boundary).output_tokens, after.tokens(boundary).reasoning_beside) == (5, 7)
    assert [report.path for report in after.files(boundary)] == ["/w/b.txt"]
    session.answer("Done.")
    assert of(session).tokens(boundary).api_call_count == 2


def test_what_was_killed_says_nothing_later(session: Session) -> None:
    session.prompt("slow please")
    running = session.tool("bash", {"command": "sleep 20"}, status="running", time={"start": now()})
    session.say(running, time={"created": now()}, finish="")
    before = of(session).end()
    session.prompt("something else")
    session.answer("Done.")
    later = of(session)
    activity = later.activity(before)
    assert activity is not None
    assert (activity.windows, later.tokens(before).api_call_count) == ((), 1)


def test_a_stopped_turn_is_interrupted(session: Session) -> None:
    session.prompt("slow please")
    session.stop()
    activity = of(session).activity(START)
    (mark,) = [record for record in of(session).records() if isinstance(record, Mark)]
    assert activity is not None
    assert activity.interrupted == mark.time
    assert of(session).tokens(START).api_call_count == 0


def test_what_is_added_later_does_not_make_it_another(session: Session) -> None:
    """OpenCode adds to a prompt what its turn changed, renames the session; an import orders keys in another way."""
    message = session.prompt(f"use {SECRET}")
    session.answer("Done.")
    stored = of(session).snapshot().replace(SECRET.encode(), b"[REDACTED:github-token]")
    replace_message(session, message, summary={"diffs": [{"file": "a.txt"}]}, role="user")
    (data,) = session.store.rows("SELECT data FROM message WHERE id != ?", message)[0]
    turned = json.dumps(dict(reversed(json.loads(data).items())), separators=(",", ":"))
    session.store.change("UPDATE message SET data = ? WHERE id != ?", turned, message)
    session.store.change("UPDATE session SET title = 'Another title'")
    session.prompt("go on")
    live = of(session)
    same = live.agreement(stored)
    assert (same.extent, same.stored_is_longer, same.own_is_longer) == (3, False, True)
    assert bytes(same.common) == live.cut(live.at(3))
    assert SECRET.encode() in bytes(same.common)
    assert SessionLines("", stored).agreement(live.snapshot()).stored_is_longer


def test_lines_before_the_last_prompt_do_not_change(session: Session) -> None:
    session.prompt("one")
    session.answer("Done.")
    settled = len(of(session).snapshot())
    session.prompt("two")
    session.answer("Done again.")
    lines = of(session).file_lines(of(session).end())
    assert lines is not None
    assert (lines.settled, lines.size, lines.lines) == (settled, len(of(session).snapshot()), 5)


def test_a_fork_shares_its_answers(session: Session) -> None:
    session.prompt("one")
    session.answer("Done.")
    fork = session.copy("ses_2")
    assert of(fork).shares_answer(of(session).end())
    assert of(fork).end() == of(session).end()
    other = Session(session.store, "ses_3", session.directory)
    other.begin()
    other.prompt("one")
    assert not of(other).shares_answer(of(session).end())


def test_what_was_taken_back_is_there_until_the_next_prompt() -> None:
    pending = exported("reverted-undo-pending")
    assert b'"revert":' in pending.snapshot()
    assert b'"revert":' not in pending.cut(pending.at(5))
    assert [prompt.text for prompt in SessionLines("", pending.cut(pending.at(8))).prompts(START)] == [
        "first task", "second task"
    ]  # fmt: skip


# ---------------------------------------------------------------- places


def test_the_sessions_of_a_project(tmp_path: Path) -> None:
    for name in ("turn1", "subagent-parent", "subagent-child"):
        kept(tmp_path, name, str(tmp_path))
    agent = OpenCode(env={"ENTIRE_TEST_OPENCODE_DIR": str(tmp_path)})
    listed = agent.session_files(str(tmp_path))
    assert [file.session_id for file in listed] == [
        oracle.load(name)["info"]["id"] for name in ("subagent-parent", "turn1")
    ]
    assert all(agent.has_conversation(file.session_ref) for file in listed)
    assert agent.session_files("/elsewhere") == []
    assert agent.format_resume_command("ses_1") == "opencode -s ses_1"


@pytest.mark.parametrize(
    ("env", "wanted"),
    [
        ({"HOME": "/h"}, "/h/.local/share/opencode/opencode.db"),
        ({"HOME": "/h", "XDG_DATA_HOME": "/d"}, "/d/opencode/opencode.db"),
        ({"HOME": "/h", "OPENCODE_DB": "other.db"}, "/h/.local/share/opencode/other.db"),
        ({"HOME": "/h", "OPENCODE_DB": "/x/y.db"}, "/x/y.db"),
    ],
)
def test_where_the_database_is(env: dict[str, str], wanted: str) -> None:
    agent = OpenCode(env=env)
    assert agent.resolve_session_file(agent.session_dir("/r"), "ses_1") == f"rows:{wanted}#ses_1"


@pytest.mark.parametrize("content", [b"", b"no database", None])
def test_no_database_has_no_sessions(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "opencode.db").write_bytes(content)
    agent = OpenCode(env={"ENTIRE_TEST_OPENCODE_DIR": str(tmp_path)})
    ref = agent.resolve_session_file(str(tmp_path), "ses_1")
    assert agent.session_files(str(tmp_path)) == []
    assert (agent.transcript(ref).snapshot(), agent.has_conversation(ref)) == (b"", False)
