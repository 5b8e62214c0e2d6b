"""Sessions of Gemini CLI through their hooks: what is stored, linked, rewound and resumed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import golden
from tests.agents.gemini.story import NO_HOOKS, Session
from tests.integration.story import Story


@pytest.fixture
def chats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home" / ".gemini" / "tmp" / "repo" / "chats"
    folder.mkdir(parents=True)
    monkeypatch.setenv("ENTIRE_TEST_GEMINI_PROJECT_DIR", str(folder))
    return folder


@pytest.fixture
def story(tmp_path: Path, chats: Path) -> Story:
    made = Story(tmp_path / "repo", enable=False)
    assert made.entire("enable", "--agent", "gemini") == 0
    made.commit("Enable entire")
    return made


@pytest.fixture
def session(story: Story, chats: Path) -> Session:
    made = Session(story, chats)
    made.start()
    return made


def slot(story: Story, session: Session, commit: str = "HEAD") -> dict[str, Any]:
    found: dict[str, Any] = story.linked(commit)["slots"][session.id]
    return found


def usage(record: dict[str, Any]) -> list[int]:
    return [record["token_usage"][key] for key in ("input_tokens", "output_tokens", "api_call_count")]


def test_two_turns_and_a_commit(story: Story, session: Session) -> None:
    with session.turn("write a"):
        session.write("a.txt", "one\n")
    with session.turn("write b"):
        session.write("b.txt", "two\n")
    story.commit("Add both")
    found = slot(story, session)
    assert found["agent"] == "Gemini CLI"
    assert found["files_touched"] == ["a.txt", "b.txt"]
    assert found["prompts"] == ["write a", "write b"]
    assert usage(found) == [1 + 2 + 4 + 8, 40, 4]
    assert found["initial_attribution"]["agent_lines"] == 2
    assert found["transcript"] == session.file.read_text()
    assert found.get("checkpoint_transcript_start", 0) == 0
    assert story.log_errors() == []


def test_the_part_of_a_second_commit_begins_at_its_prompt(story: Story, session: Session) -> None:
    with session.turn("write a"):
        session.write("a.txt", "one\n")
    story.commit("Add a")
    before = len(session.file.read_text().splitlines())
    with session.turn("write b"):
        session.write("b.txt", "two\n")
    story.commit("Add b")
    found = slot(story, session)
    assert found["checkpoint_transcript_start"] == before
    assert usage(found) == [4 + 8, 20, 2]


def test_a_resumed_session_keeps_its_file(story: Story, session: Session) -> None:
    with session.turn("write a"):
        session.write("a.txt", "one\n")
    session.end()
    session.end()
    session.resume()
    assert session.state()["transcript_path"] == str(session.file)
    with session.turn("write b"):
        session.write("b.txt", "two\n")
    story.commit("Add both")
    assert usage(slot(story, session)) == [15, 40, 4]


def test_a_session_without_a_start(story: Story, chats: Path) -> None:
    session = Session(story, chats)
    session.chat.begin()
    with session.turn("write a"):
        session.write("a.txt", "one\n")
    story.commit("Add a")
    assert slot(story, session)["prompts"] == ["write a"]


def test_a_turn_without_an_end(story: Story, session: Session) -> None:
    session.prompt("write a")
    session.write("a.txt", "one\n")  # and then the user pressed Esc
    with session.turn("write b"):
        session.write("b.txt", "two\n")
    story.commit("Add both")
    found = slot(story, session)
    assert found["files_touched"] == ["a.txt", "b.txt"]
    assert found["prompts"] == ["write a", "write b"]
    assert usage(found) == [1 + 2 + 4, 30, 3]


def test_a_session_that_ends_within_a_turn(story: Story, session: Session) -> None:
    session.prompt("write a")
    session.write("a.txt", "one\n")
    session.end()
    story.commit("Add a")
    assert slot(story, session)["files_touched"] == ["a.txt"]
    assert session.state()["phase"] == "ended"


def test_a_subagent_is_stored_and_counted(story: Story, session: Session) -> None:
    with session.turn("delegate"):
        for number in (1, 2):
            with session.subagent("write sub") as chat:
                session.write(f"sub{number}.txt", "three\n", chat)
    story.commit("Add sub")
    found = slot(story, session)
    assert found["files_touched"] == ["sub1.txt", "sub2.txt"]
    assert usage(found) == [1 + 2 + 4, 30, 3]
    assert found["token_usage"]["subagent_tokens"]["input_tokens"] == 2
    names = story.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1").splitlines()
    assert len([name for name in names if "/tasks/" in name and name.endswith(".jsonl")]) == 2
    assert story.log_errors() == []


def test_a_chat_that_the_agent_deleted(story: Story, session: Session, chats: Path) -> None:
    with session.turn("write a"):
        session.write("a.txt", "one\n")
    said = session.file.read_text()
    shutil.rmtree(chats)
    story.commit("Add a")
    found = slot(story, session)
    assert found["transcript"] == said
    assert usage(found) == [3, 20, 2]


def test_rewind_and_resume(story: Story, session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    with session.turn("write a"):
        session.write("a.txt", "one\n")
    first = session.file.read_bytes()
    with session.turn("write b"):
        session.write("b.txt", "two\n")
    second = session.file.read_bytes()
    session.end()
    stub = session.resume()
    capsys.readouterr()
    assert story.entire("rewind", "--list") == 0
    points = json.loads(capsys.readouterr().out)
    point = next(point for point in points if point["prompt"] == "write a")
    assert story.entire("rewind", "--to", point["id"], "--yes") == 0
    assert f"gemini --resume {session.id}" in capsys.readouterr().out
    assert session.file.read_bytes() == first
    assert not stub.exists()
    assert story.entire("rewind", "--undo", "--yes") == 0
    assert session.file.read_bytes().startswith(second)
    assert stub.exists()


def test_resume_where_the_session_never_was(
    story: Story, session: Session, chats: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with session.turn("delegate"):
        session.write("a.txt", "one\n")
        with session.subagent("write sub") as chat:
            session.write("sub.txt", "three\n", chat)
    story.commit("Add a")
    files = {path.relative_to(chats): path.read_bytes() for path in chats.rglob("*.jsonl")}
    shutil.rmtree(chats)
    capsys.readouterr()
    assert story.entire("resume", "main") == 0
    assert f"gemini --resume {session.id}" in capsys.readouterr().out
    restored = {path.relative_to(chats): path.read_bytes() for path in chats.rglob("*.jsonl")}
    assert sorted(restored.values()) == sorted(files.values())
    assert Path(session.id, chat.path.name) in restored
    assert all(path.name.endswith((f"-{session.id[:8]}.jsonl", chat.path.name)) for path in restored)


def test_the_golden_session_is_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = golden.unpack("gemini/02-two-turns", tmp_path / "home")
    monkeypatch.setenv("HOME", str(home))
    repo = Story(home / "gem", enable=False, first_commit=False)
    assert repo.entire("enable", "--agent", "gemini") == 0
    repo.git("add", "hello.txt")
    repo.commit("Add greeting", add=False)
    (found,) = repo.linked()["slots"].values()
    row = next(row for row in golden.TRUTH if row["world"] == "gemini")
    assert found["files_touched"] == row["files"]
    assert usage(found) == row["tokens"]
    assert [found["initial_attribution"][key] for key in ("agent_lines", "human_added")] == row["lines"]
    assert found["prompts"] == ["Create hello.txt, please", "Append a line"]
    assert len(json.loads(found["transcript"])["messages"]) == 6
    assert found.get("checkpoint_transcript_start", 0) == 0  # the first turn made a line of it
    capsys.readouterr()
    assert repo.entire("rewind", "--list") == 0
    points = json.loads(capsys.readouterr().out)
    assert [point["files"] for point in points if point["kind"] == "step"] == [["hello.txt"], ["hello.txt"]]


def parts(story: Story, commit: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return the sessions in the checkpoints of a commit."""
    capsys.readouterr()
    assert story.entire("explain", "--commit", commit, "--json") == 0
    value = json.loads(capsys.readouterr().out)
    return [part for checkpoint in value["checkpoints"] for part in checkpoint["parts"]]


def test_the_agents_own_commits(story: Story, session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session.prompt("write and commit")
    session.write("a.txt", "one\n")  # answer 0
    first = session.commit("Add a")  # 1
    session.write("b.txt", "two\n")  # 2
    second = session.commit("Add b", "-q")  # 3, without output
    session.write("c.txt", "three\n")  # 4
    session.end_turn()  # 5
    assert story.ids(first) == story.ids(second) == []
    found = [parts(story, commit, capsys) for commit in (first, second)]
    assert [[part["files"] for part in own] for own in found] == [[["a.txt"]], [["b.txt"]]]
    assert [own[0]["tokens"]["input_tokens"] for own in found] == [1 + 2, 4 + 8 + 16 + 32]
    assert [own[0]["lines"]["agent_lines"] for own in found] == [1, 1]


def test_a_subagent_is_counted_with_the_commit_after_it(story: Story, session: Session) -> None:
    session.prompt("write, delegate and commit")
    session.write("a.txt", "one\n")  # answer 0
    first = session.commit("Add a")  # 1
    with session.subagent("write sub") as chat:  # 2
        session.write("sub.txt", "three\n", chat)
    second = session.commit("Add sub")  # 3
    session.end_turn()  # 4
    found = [slot(story, session, commit) for commit in (first, second)]
    assert [usage(part) for part in found] == [[1 + 2, 20, 2], [4 + 8 + 16, 30, 3]]
    assert "subagent_tokens" not in found[0]["token_usage"]
    assert usage({"token_usage": found[1]["token_usage"]["subagent_tokens"]}) == [1, 10, 1]


def test_a_commit_of_what_a_person_wrote(story: Story, session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    story.write("mine.txt", "mine\n")
    session.prompt("commit it")
    commit = session.commit("Add mine")
    (found,) = parts(story, commit, capsys)
    assert (found["session_id"], found["files"], found["lines"]["agent_lines"]) == (session.id, [], 0)
    session.end_turn()
    assert parts(story, commit, capsys)[0]["tokens"]["input_tokens"] == 1 + 2


def test_a_commit_in_the_agents_shell_mode(story: Story, session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    with session.turn("write a"):
        session.write("a.txt", "one\n")
    story.git("add", "-A")
    commit = story.commit("Add a", add=False, env=NO_HOOKS)
    session.prompt("go on")
    (found,) = parts(story, commit, capsys)
    assert (found["files"], found["tokens"]["input_tokens"]) == (["a.txt"], 1 + 2)
