"""Commits inside a turn: written at once, finalised at its end; every answer counted once (linking.md section 2)."""

from __future__ import annotations

import hashlib
import json
import uuid

import pytest

from tests.integration.kept import AGENT, PERSON, answers, check, journal, lines, sole, tokens, unlinked
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story) -> Session:
    found = story.session()
    found.start()
    return found


def done(story: Story) -> None:
    assert story.log_errors() == []


def check_whole(story: Story, session: Session, record: dict[str, object], prompts: list[str]) -> None:
    """Check that a finalised slot has the whole transcript of the session's turn, its hash and all prompts."""
    text = session.file.read_text()
    assert record["transcript"] == text
    assert record["prompts"] == prompts
    folder = "/".join((str(record["checkpoint_id"])[:2], str(record["checkpoint_id"])[2:]))
    hashed = story.show(f"{folder}/0/content_hash.txt")
    assert hashed == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_the_agent_commits_once_and_works_on(story: Story, session: Session) -> None:
    session.prompt("Make a, commit, make b")
    session.write("a.py", "a\n")  # answer 0
    first = session.commit("a")  # answer 1
    record = sole(story, session, ["a.py"])
    assert tokens(record) == answers(0, 1)  # what came before it, the answer with the commit's call included
    assert session.state()["phase"] == "active"
    assert session.state()["turn_checkpoint_ids"] == story.ids()
    session.write("b.py", "b\n")  # answer 2
    session.stop()  # answer 3
    record = sole(story, session, ["a.py"], first)
    assert tokens(record) == answers(0, 1, 2, 3)  # the turn's last checkpoint takes the rest of the turn
    check_whole(story, session, record, ["Make a, commit, make b"])
    assert record.get("checkpoint_transcript_start", 0) == 0
    assert session.state()["phase"] == "idle"
    assert not session.state().get("turn_checkpoint_ids")
    story.commit("b")
    second = sole(story, session, ["b.py"])
    assert tokens(second) == (0, 0)
    assert lines(second) == (1, 0, 0, 0, 1)
    assert second["turn_id"] == record["turn_id"] != ""
    done(story)


def test_the_agent_commits_twice_with_work_after(story: Story, session: Session) -> None:
    with session.turn("Say hello"):  # answer 0
        pass
    before = len(session.file.read_text().splitlines())
    session.prompt("Two commits")
    session.write("a.py", "a\n")  # 1
    first = session.commit("a")  # 2
    session.write("b.py", "b\nb\n")  # 3
    second = session.commit("b")  # 4
    session.write("c.py", "c\n")  # 5
    session.stop()  # 6
    one, two = sole(story, session, ["a.py"], first), sole(story, session, ["b.py"], second)
    assert story.ids(first) != story.ids(second)
    assert (tokens(one), tokens(two)) == (answers(0, 1, 2), answers(3, 4, 5, 6))
    for record in (one, two):
        check_whole(story, session, record, ["Say hello", "Two commits"])
        assert record["checkpoint_transcript_start"] == before
    assert (lines(one), lines(two)) == ((1, 0, 0, 0, 1), (2, 0, 0, 0, 2))
    story.commit("c")
    assert tokens(sole(story, session, ["c.py"])) == (0, 0)
    done(story)


def test_two_commits_in_one_tool_call(story: Story, session: Session) -> None:
    session.prompt("Two commits at once")
    session.write("a.py", "a\n")  # 0
    session.write("b.py", "b\n")  # 1
    env = {"CLAUDE_CODE_SESSION_ID": session.id}
    with session.shell("git commit a; git commit b"):  # 2
        story.git("add", "a.py")
        first = story.commit("a", add=False, env=env)
        story.git("add", "b.py")
        second = story.commit("b", add=False, env=env)
    session.stop()  # 3
    one, two = sole(story, session, ["a.py"], first), sole(story, session, ["b.py"], second)
    assert tokens(one) == answers(0, 1, 2)
    assert tokens(two) == answers(3)
    check_whole(story, session, two, ["Two commits at once"])
    done(story)


def test_a_person_commits_in_the_middle(story: Story, session: Session) -> None:
    story.write("mine.py", "p\n")
    session.prompt("Work")
    session.write("a.py", "a\n")  # 0
    story.git("add", "mine.py")
    mine = story.commit("mine", add=False, env=PERSON)
    assert unlinked(story, mine)
    session.write("b.py", "b\n")  # 1
    story.git("add", "a.py")
    first = story.commit("a", add=False, env=PERSON)
    session.stop()  # 2
    assert tokens(sole(story, session, ["a.py"], first)) == answers(0, 1, 2)
    story.commit("b", env=PERSON)
    assert tokens(sole(story, session, ["b.py"])) == (0, 0)
    done(story)


def test_the_agent_commits_a_persons_work(story: Story, session: Session) -> None:
    """Linked with an empty file list and no agent lines: who made it is the content of the link."""
    story.write("mine.py", "p\np\n")
    session.prompt("Commit what I did")
    commit = session.commit("mine")  # 0
    record = sole(story, session, [])
    assert lines(record) == (0, 2, 0, 0, 2)
    assert tokens(record) == answers(0)
    session.stop()  # 1
    record = sole(story, session, [], commit)
    assert record["files_touched"] == []
    assert tokens(record) == answers(0, 1)
    check_whole(story, session, record, ["Commit what I did"])
    done(story)


@pytest.mark.parametrize("variable", [{"CLAUDE_CODE_SESSION_ID": "another"}, {"CLAUDE_CODE_SESSION_ID": ""}, {}])
def test_an_idle_agent_commits_nobodys_work(story: Story, session: Session, variable: dict[str, str]) -> None:
    """Outside of a turn nobody is the committing agent; the hooks sleep, and no reason needs to be there."""
    with session.turn("Talk"):
        pass
    story.write("mine.py", "p\n")
    story.commit("mine", env={**variable, **AGENT})
    assert story.ids() == []
    done(story)


def test_the_terminal_variable_says_who(story: Story, session: Session) -> None:
    story.write("mine.py", "p\n")
    story.write("mine2.py", "p\n")
    session.prompt("Work")
    story.git("add", "mine.py")
    mine = story.commit("mine", add=False, env=PERSON)
    assert "no session content" in unlinked(story, mine)
    agents = story.commit("mine2", env=AGENT)
    session.answer({"type": "text", "text": "hm"})
    session.stop()
    assert sole(story, session, [], agents)["files_touched"] == []
    assert story.ids(mine) == []
    done(story)


def test_the_session_in_the_environment_wins(story: Story, session: Session) -> None:
    """Of two sessions in a turn the one whose id git's environment carries made the commit."""
    other = story.session()
    story.write("mine.py", "p\n")
    session.prompt("Work")
    other.prompt("Other work")
    session.commit("mine")
    assert list(check(story, "HEAD", [])["slots"]) == [session.id]
    session.stop()
    other.stop()
    done(story)


def test_before_the_answer_is_in_the_transcript(story: Story, session: Session) -> None:
    """The file is on disk and committed before any record of the answer is: the end of the turn puts it right."""
    session.prompt("Work")
    story.write("a.py", "a\n")
    commit = story.commit("a", env={"CLAUDE_CODE_SESSION_ID": session.id})
    record = sole(story, session, ["a.py"])
    assert tokens(record) == (0, 0)
    with session.shell("git commit"):  # 0, written late
        pass
    session.write("b.py", "b\n")  # 1
    session.stop()  # 2
    record = sole(story, session, ["a.py"], commit)
    assert tokens(record) == answers(0, 1, 2)
    check_whole(story, session, record, ["Work"])
    done(story)


def test_late_records_move_to_the_commit_that_they_belong_to(story: Story, session: Session) -> None:
    """Records that come to disk after the commit are counted at the turn's end where their times belong."""
    session.prompt("Work")
    late = session.file.read_text()
    session.write("a.py", "a\n")  # 0
    tool = f"toolu_{uuid.uuid4().hex[:20]}"
    session.answer({"type": "tool_use", "id": tool, "name": "Bash", "input": {"command": "git commit"}})  # 1
    whole = session.file.read_text()
    session.file.write_text(late)  # nothing of the answers is flushed yet
    first = story.commit("a", env={"CLAUDE_CODE_SESSION_ID": session.id})
    session.file.write_text(whole)
    session.record(
        "user", message={"role": "user", "content": [{"tool_use_id": tool, "type": "tool_result", "content": ""}]}
    )
    session.write("b.py", "b\n")  # 2
    second = session.commit("b")  # 3
    session.stop()  # 4
    assert tokens(sole(story, session, ["a.py"], first)) == answers(0, 1)
    assert tokens(sole(story, session, ["b.py"], second)) == answers(2, 3, 4)
    done(story)


def test_tokens_over_several_turns_with_commits(story: Story, session: Session) -> None:
    """Over all checkpoints of a session every answer counts once, whoever commits and when."""
    commits = []
    with session.turn("1"):  # 1 is the stop
        session.write("a.py", "a\n")  # 0
    with session.turn("2"):  # 4
        session.write("b.py", "b\n")  # 2
        commits.append(session.commit("ab"))  # 3
    with session.turn("3"):  # 6
        session.write("c.py", "c\n")  # 5
    commits.append(story.commit("c"))
    with session.turn("4"):  # 7
        pass
    with session.turn("5"):  # 10
        session.write("d.py", "d\n")  # 8
        commits.append(session.commit("d"))  # 9
    found = [tokens(story.linked(commit)) for commit in commits]
    assert found == [answers(0, 1, 2, 3, 4), answers(5, 6), answers(7, 8, 9, 10)]
    starts = [story.linked(one)["slots"][session.id].get("checkpoint_transcript_start", 0) for one in commits]
    records = [json.loads(line) for line in session.file.read_text().splitlines()]
    position = {text: n for n, one in enumerate(records)
                if isinstance(text := one.get("message", {}).get("content"), str)}  # fmt: skip
    assert starts == [0, position["3"], position["5"]]
    done(story)


def test_carried_forward_work_shows_the_prompt_that_made_it(story: Story, session: Session) -> None:
    with session.turn("First"):
        session.write("a.py", "a\n")
        session.write("b.py", "b\n")
    with session.turn("Second"):
        session.write("c.py", "c\n")
    story.git("add", "c.py")
    story.commit("c", add=False)
    record = sole(story, session, ["c.py"])
    assert record["checkpoint_transcript_start"] > 0
    assert tokens(record) == answers(0, 1, 2, 3, 4)
    story.commit("ab")
    record = sole(story, session, ["a.py", "b.py"])
    assert record.get("checkpoint_transcript_start", 0) == 0
    assert tokens(record) == (0, 0)
    done(story)


def test_the_agent_commits_work_of_an_earlier_turn(story: Story, session: Session) -> None:
    with session.turn("Make a"):
        session.write("a.py", "a\n")  # 0, 1
    session.prompt("Commit it")
    commit = session.commit("a")  # 2
    session.stop()  # 3
    record = sole(story, session, ["a.py"], commit)
    assert tokens(record) == answers(0, 1, 2, 3)
    assert record.get("checkpoint_transcript_start", 0) == 0
    assert record["prompts"] == ["Make a", "Commit it"]
    assert lines(record) == (1, 0, 0, 0, 1)
    done(story)


def test_a_commit_by_shell_edits_only(story: Story, session: Session) -> None:
    """What the turn's shell wrote is the turn's, though no tool reports it."""
    story.write("dirty.py", "p\n")
    session.prompt("Generate")
    with session.shell("generate"):
        story.write("gen.py", "1\n2\n")
    commit = story.commit("gen", env={"CLAUDE_CODE_SESSION_ID": session.id})
    session.stop()
    record = sole(story, session, ["gen.py"], commit)
    assert lines(record) == (2, 1, 0, 0, 3)
    done(story)


def test_nothing_is_left_open_after_everything_is_committed(story: Story, session: Session) -> None:
    session.prompt("Work")
    session.write("a.py", "a\n")
    session.commit("a")
    session.stop()
    assert not session.state().get("files_touched")
    assert not story.path(".git/entire/live").exists()
    assert story.git("for-each-ref", "--format=%(refname)", "refs/heads/entire").split() == [
        "refs/heads/entire/checkpoints/v1"
    ]
    story.write("mine.py", "p\n")
    story.commit("mine")
    assert story.ids() == []
    assert journal(story)["live"] is False
    done(story)


def test_the_agent_commits_and_takes_it_back(story: Story, session: Session) -> None:
    """reset --soft inside the turn, then one commit for both: the id of the one replaced, none new for nothing new."""
    session.prompt("Work")
    session.write("a.py", "a\n")
    session.commit("a")
    (old,) = story.ids()
    story.git("reset", "--soft", "HEAD~1")
    session.commit("a again")
    assert story.ids() == [old]
    session.stop()
    done(story)
