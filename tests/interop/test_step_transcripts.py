"""Steps that the Go CLI can continue, and what it leaves behind when it does (decision record 0004)."""

from __future__ import annotations

import json

import pytest

from entire.store import transcripts
from tests.integration.story import Session, Story
from tests.interop import gocli


@pytest.fixture
def session(story: Story) -> Session:
    return story.started()


def turn(session: Session, number: int, *, text: str = "") -> None:
    with session.turn(f"Write file {number}"):
        session.write(f"f{number}.txt", f"{number}\n{text}")


def test_a_step_after_a_checkpoint_is_one_file_with_lines_not_counted_yet(story: Story, session: Session) -> None:
    turn(session, 1)
    story.commit("One")
    counted = len(session.file.read_text().splitlines())
    turn(session, 2)
    assert session.state()["checkpoint_transcript_start"] == counted
    assert gocli.step_files(story, session)["full.jsonl"] == session.file.read_text()
    assert gocli.restored(story, session) == session.file.read_text()
    assert gocli.links(story, session)


def test_a_step_carried_forward_is_one_file_with_one_line_not_counted_yet(story: Story, session: Session) -> None:
    with session.turn("Make both"):
        session.write("a.txt", "a\n")
        session.write("b.txt", "b\n")
    story.git("add", "a.txt")
    story.commit("Only a", add=False)
    count = len(session.file.read_text().splitlines())
    assert session.state()["checkpoint_transcript_start"] == count - 1
    assert gocli.restored(story, session) == session.file.read_text()
    assert gocli.links(story, session)
    turn(session, 2)
    assert session.state()["checkpoint_transcript_start"] == count  # no answer is counted twice
    assert gocli.links(story, session)


def test_what_a_turn_with_a_commit_leaves_open_can_be_linked(
    story: Story, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "ONE_FILE_LIMIT", 0)
    turn(session, 1)
    with session.turn("Commit a, leave b"):
        session.write("a.txt", "a\n")
        session.commit("a")
        session.write("b.txt", "b\n")
    assert session.state()["checkpoint_transcript_start"] == len(session.file.read_text().splitlines()) - 1
    assert gocli.restored(story, session) == session.file.read_text()
    assert gocli.links(story, session)


def test_the_last_step_on_a_branch_has_the_transcripts_of_all_its_sessions(story: Story) -> None:
    first, second = story.session(), story.session()
    for number, session in enumerate((first, second, first)):
        with session.turn("Work"):
            session.write(f"{number}.txt", "text\n")
            session.write(f"more{number}.txt", "text\n")
    for session in (first, second):
        assert gocli.restored(story, session) == session.file.read_text()
    story.git("add", "0.txt", "1.txt", "2.txt")
    story.commit("A file of each", add=False)
    for session in (first, second):
        assert gocli.restored(story, session) == session.file.read_text()
        assert gocli.links(story, session)
    assert story.log_errors() == []


def test_checkpoints_share_parts_with_steps_that_hold_one_file(story: Story, session: Session) -> None:
    turn(session, 1)
    turn(session, 2)
    names = story.git("ls-tree", "-r", f"{gocli.shadow(story)}:.entire/metadata/{session.id}/parts").splitlines()
    story.commit("Both")
    (checkpoint_id,) = story.ids()
    stored = story.git("ls-tree", "-r", f"entire/checkpoints/v1:{checkpoint_id.path}/0").splitlines()
    assert len(names) > 1
    assert set(names) <= set(stored)


def test_what_steps_store_twice_is_limited(story: Story, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a step holds parts; the first one after a checkpoint has a new base, so that the Go CLI goes on linking."""
    monkeypatch.setattr(transcripts, "ONE_FILE_LIMIT", 10_000)
    for number in range(3):
        for more in "abc":
            turn(session, number, text=more * 100)
            assert gocli.links(story, session)
            assert gocli.restored(story, session) == session.file.read_text()
        story.commit(f"Commit {number}")
        assert story.linked()["slots"][session.id]["transcript"] == session.file.read_text()
    turn(session, 9)
    assert "full.jsonl.001" in gocli.step_files(story, session)
    assert story.log_errors() == []


def test_a_large_transcript_is_in_parts(story: Story, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "BASE_LIMIT", 3_000)
    for number in range(4):
        turn(session, number)
    files = gocli.step_files(story, session)
    assert "full.jsonl.003" in files
    assert "parts/full.jsonl" not in files
    assert gocli.restored(story, session) == session.file.read_text()


def go_continues(story: Story, session: Session, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the Go CLI write a step on top of one of ours that has parts; return its commit."""
    monkeypatch.setattr(transcripts, "ONE_FILE_LIMIT", 0)
    for number in range(3):
        turn(session, number)
    session.prompt("By the other tool")
    session.write("go.txt", "go\n")
    session.answer({"type": "text", "text": "Done."})
    commit = gocli.save_step(story, session)
    assert "full.jsonl.001" in gocli.step_files(story, session)
    return commit


def test_parts_that_the_go_cli_left_behind_are_not_restored(
    story: Story, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = go_continues(story, session, monkeypatch)
    whole = session.file.read_text()
    for _ in range(2):
        session.file.write_text("")
        assert story.entire("rewind", "--to", commit) == 0
        assert session.file.read_text() == whole
        commit = gocli.save_step(story, session)  # one more, without another line


def test_nothing_of_a_longer_transcript_is_restored_after_a_shorter_one(
    story: Story, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base file holds none of what the parts hold, but it is whole."""
    monkeypatch.setattr(transcripts, "ONE_FILE_LIMIT", 0)
    for number in range(3):
        turn(session, number)
    session.file.write_text("")
    session.prompt("Cleared")
    session.write("go.txt", "go\n")
    commit = gocli.save_step(story, session)
    whole = session.file.read_text()
    session.file.write_text("")
    assert story.entire("rewind", "--to", commit) == 0
    assert session.file.read_text() == whole


def test_the_session_goes_on_after_a_step_of_the_go_cli(
    story: Story, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_continues(story, session, monkeypatch)
    turn(session, 4)
    assert gocli.restored(story, session) == session.file.read_text()
    story.commit("All")
    slot = story.linked()["slots"][session.id]
    assert slot["transcript"] == session.file.read_text()
    assert slot["files_touched"] == ["f0.txt", "f1.txt", "f2.txt", "f4.txt", "go.txt"]
    assert slot["token_usage"]["input_tokens"] == 2**session.answers - 1
    assert story.log_errors() == []


def test_parts_that_a_union_merge_revived_are_not_read(
    story: Story, session: Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The Go CLI rewrites a slot as one file; joining with the remote's older slot brings its parts back."""
    monkeypatch.setattr(transcripts, "ONE_FILE_LIMIT", 0)
    for number in range(3):
        turn(session, number)
    story.commit("All")
    (checkpoint_id,) = story.ids()
    slot, whole = f"{checkpoint_id.path}/0", session.file.read_text()
    env = {"GIT_INDEX_FILE": str(story.root / ".git/go-index")}
    story.git("read-tree", "entire/checkpoints/v1", env=env)
    blob = story.git("hash-object", "-w", "--stdin", stdin=whole).strip()
    story.git("update-index", "--cacheinfo", f"100644,{blob},{slot}/full.jsonl", env=env)
    tree = story.git("write-tree", env=env).strip()
    commit = story.git("commit-tree", tree, "-p", "entire/checkpoints/v1", "-m", "Merge remote session logs").strip()
    story.git("update-ref", "refs/heads/entire/checkpoints/v1", commit)
    assert json.loads(story.show(f"{slot}/metadata.json"))["session_id"] == session.id
    capsys.readouterr()
    assert story.entire("explain", "HEAD", "--raw-transcript") == 0
    assert capsys.readouterr().out == whole
