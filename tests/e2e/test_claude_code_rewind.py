"""Stories with the real Claude Code: back to a point, on from there, and back to where it was."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

import pytest

from script import Turn, answer, text, tool, turn
from stories import assert_quiet, assert_up_to, cost, dialogue, lines, only, prompt_line, said, shell, tokens, writing
from table import BOTH

if TYPE_CHECKING:
    from conftest import World

pytestmark = pytest.mark.e2e

SECRET = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"
MARK = "[REDACTED:github-token]"
FIRST = f"begin; the key is {SECRET}"
KEPT_FIRST = FIRST.replace(SECRET, MARK)
START = {"README.md": b"# Scratch\n"}
AFTER_FIRST = {**START, "a.txt": b"1\n2\n", "b.txt": b"b\n"}
AFTER_ALL = {**START, "a.txt": b"1\ntwo\nthree\n", "sub/c.txt": b"c\n", "d.txt": b"d\n"}
HISTORY = [
    f"> {FIRST}",
    f"I keep {SECRET} to myself.",
    "begun",
    "> change it",
    "changed",
    "> go on",
    "gone on",
]


def three_turns(world: World) -> tuple[Turn, Turn, Turn]:
    """Return turns that make, change and delete files by tools and by the shell; the answers have the numbers 0-9."""
    read = tool("Read", file_path=world.path("a.txt"))
    edit = tool("Edit", file_path=world.path("a.txt"), old_string="2", new_string="two", replace_all=False)
    return (
        turn(
            FIRST,
            answer(
                text(f"I keep {SECRET} to myself."),
                tool("Write", file_path=world.path("a.txt"), content="1\n2\n"),
                usage=cost(0),
            ),
            shell(f"echo b > b.txt; echo saw {SECRET}", 1),
            answer(text("begun"), usage=cost(2)),
        ),
        turn(
            "change it",
            answer(read, usage=cost(3)),
            answer(edit, usage=cost(4)),
            shell("rm b.txt && mkdir sub && echo c > sub/c.txt", 5),
            answer(text("changed"), usage=cost(6)),
        ),
        turn(
            "go on",
            shell("echo three >> a.txt", 7),
            answer(tool("Write", file_path=world.path("d.txt"), content="d\n"), usage=cost(8)),
            answer(text("gone on"), usage=cost(9)),
        ),
    )


def work(world: World) -> str:
    """Let a session work over the three turns; return its id."""
    world.server.script.add(*three_turns(world))
    session = world.claude.headless(FIRST, world.repo.path).session
    for prompt in ("change it", "go on"):
        assert world.claude.headless(prompt, world.repo.path, resume=session).status == 0
    assert world.repo.files() == AFTER_ALL
    return session


@BOTH
def test_back_before_the_last_prompt_and_on_from_there(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    session = work(world)
    whole = claude.transcript(session).read_bytes()
    done = repo.rewind("--before-last-prompt")
    assert (done["point"]["prompt"], done["point"]["is_before_prompt"]) == ("go on", True)
    assert [(edit["path"], edit["what"]) for edit in done["edits"]] == [("a.txt", "write"), ("d.txt", "delete")]
    assert repo.files() == {**START, "a.txt": b"1\ntwo\n", "sub/c.txt": b"c\n"}
    cut = claude.transcript(session).read_bytes()
    assert whole.startswith(cut)
    assert said(cut) == [HISTORY[1], "begun", "changed"]

    world.server.script.add(writing(world, "another way", "e.txt", "e\n", 10))
    assert claude.headless("another way", repo.path, resume=session).status == 0
    asked = world.server.last("another way")
    assert dialogue(asked) == [*HISTORY[:5], "> another way", "I write it."]
    kept = only(repo.linked(repo.commit("Add it")), session)
    assert kept.prompts == [KEPT_FIRST, "change it", "another way"]
    assert_quiet(repo)


def test_back_before_the_first_prompt(world: World) -> None:
    """Nothing is left to continue, so the conversation goes; the undo brings it back, and it continues."""
    world.enable()
    repo, claude = world.repo, world.claude
    world.server.script.add(writing(world, "begin", "a.txt", "a\n", 0))
    session = claude.headless("begin", repo.path).session
    (talk,) = repo.rewind("--before-last-prompt")["conversations"]
    assert (talk["what"], talk["command"]) == ("removed", "")
    assert repo.files() == START
    assert claude.headless("hello?", repo.path, resume=session).status != 0
    repo.rewind("--undo")
    world.server.script.add(writing(world, "go on", "b.txt", "b\n", 2))
    assert claude.headless("go on", repo.path, resume=session).status == 0
    assert dialogue(world.server.last("go on"))[0] == "> begin"


@BOTH
def test_undo_brings_the_old_conversation_back(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    session = work(world)
    whole = claude.transcript(session).read_bytes()
    repo.rewind("--to", repo.point(KEPT_FIRST))
    world.server.script.add(
        turn("only talk", answer(text("we talked"), usage=cost(10))),
        turn("where were we", answer(text("there"), usage=cost(11))),
    )
    assert claude.headless("only talk", repo.path, resume=session).status == 0
    between = claude.transcript(session).read_bytes()
    assert b"we talked" in between

    done = repo.rewind("--undo")
    assert repo.files() == AFTER_ALL
    assert claude.transcript(session).read_bytes() == whole
    assert between in repo.undo_points()[done["undo_id"]]
    assert claude.headless("where were we", repo.path, resume=session).status == 0
    assert dialogue(world.server.last("where were we")) == [*HISTORY, "> where were we"]

    kept = only(repo.linked(repo.commit("Add all")), session)
    assert kept.prompts == [KEPT_FIRST, "change it", "go on", "where were we"]
    assert kept.metadata["files_touched"] == ["a.txt", "d.txt", "sub/c.txt"]
    assert (kept.start, kept.tokens, lines(kept)) == (0, tokens(*range(10), 11), (5, 0, 100))
    assert_quiet(repo)


def test_undo_of_the_undo_brings_what_was_said_in_between(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    session = work(world)
    repo.rewind("--to", repo.point(KEPT_FIRST))
    world.server.script.add(
        turn("only talk", answer(text("we talked"), usage=cost(10))),
        turn("and so", answer(text("so it is"), usage=cost(11))),
    )
    claude.headless("only talk", repo.path, resume=session)
    between = claude.transcript(session).read_bytes()
    repo.rewind("--undo")
    repo.rewind("--undo")
    assert repo.files() == AFTER_FIRST
    assert claude.transcript(session).read_bytes() == between
    claude.headless("and so", repo.path, resume=session)
    assert dialogue(world.server.last("and so")) == [*HISTORY[:3], "> only talk", "we talked", "> and so"]
    kept = only(repo.linked(repo.commit("Add the first")), session)
    assert kept.prompts == [KEPT_FIRST, "only talk", "and so"]
    assert (kept.metadata["files_touched"], kept.tokens) == (["a.txt", "b.txt"], tokens(0, 1, 2, 10, 11))
    assert_quiet(repo)


def test_back_behind_a_commit(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        turn("more", shell("echo more >> a.txt; echo b > b.txt", 2), answer(text("more: done"), usage=cost(3))),
        turn("again", shell("echo again >> a.txt", 4), answer(text("again: done"), usage=cost(5))),
    )
    session = claude.headless("write a", repo.path).session
    claude.headless("more", repo.path, resume=session)
    first = only(repo.linked(repo.commit("Add a and b")), session)
    tip = repo.head()
    assert first.tokens == tokens(0, 1, 2, 3)

    done = repo.rewind("--to", repo.point("write a"))  # a step that the commit condensed
    assert [(edit["path"], edit["what"]) for edit in done["edits"]] == [("a.txt", "write")]
    assert [(entry["path"], entry["reason"]) for entry in done["left"]] == [("b.txt", "a commit contains it")]
    assert (repo.head(), repo.git("diff", "--cached", "--name-only")) == (tip, "")
    assert repo.files() == {**START, "a.txt": b"a\n", "b.txt": b"b\n"}
    claude.headless("again", repo.path, resume=session)
    assert dialogue(world.server.last("again"))[:4] == ["> write a", "I write it.", "write a: done", "> again"]

    second = only(repo.linked(repo.commit("Another way")), session)
    assert second.prompts == ["write a", "again"]
    assert (second.metadata["files_touched"], second.tokens) == (["a.txt"], tokens(4, 5))
    assert second.start == prompt_line(world, session, "again")
    assert_up_to(world, session, second.transcript, "again: done")
    assert only(repo.checkpoint(repo.ids(tip)[0]), session).transcript == first.transcript
    assert_quiet(repo)


def test_back_to_a_commit_with_the_branch(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        writing(world, "write b", "b.txt", "b\n", 2),
        writing(world, "write c", "c.txt", "c\n", 4),
    )
    session = claude.headless("write a", repo.path).session
    first = repo.commit("Add a")
    claude.headless("write b", repo.path, resume=session)
    second = repo.commit("Add b")
    whole = claude.transcript(session).read_bytes()
    done = repo.rewind("--to", first, "--reset")
    assert (repo.head(), repo.git("rev-parse", done["backup"]).strip()) == (first, second)
    assert repo.files() == {**START, "a.txt": b"a\n"}
    assert repo.git("status", "--porcelain") == ""
    claude.headless("write c", repo.path, resume=session)
    assert dialogue(world.server.last("write c"))[:4] == ["> write a", "I write it.", "write a: done", "> write c"]
    third = only(repo.linked(repo.commit("Add c")), session)
    assert (third.prompts, third.metadata["files_touched"]) == (["write a", "write c"], ["c.txt"])
    assert (third.tokens, third.start) == (tokens(4, 5), prompt_line(world, session, "write c"))
    assert_quiet_but_for(world, done["backup"])

    repo.git("reset", "-q", "--hard", first)
    repo.rewind("--undo")
    assert (repo.head(), repo.files()) == (second, {**START, "a.txt": b"a\n", "b.txt": b"b\n"})
    assert claude.transcript(session).read_bytes() == whole


def assert_quiet_but_for(world: World, backup: str) -> None:
    """Assert that one backup ref is all that is left over."""
    assert world.repo.git("status", "--porcelain") == ""
    assert world.repo.refs("refs/entire/backup/") == [backup]


def test_only_the_conversation(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    session = work(world)
    done = repo.rewind("--to", repo.point(KEPT_FIRST), "--logs-only")
    assert done["edits"] == []
    assert repo.files() == AFTER_ALL
    world.server.script.add(turn("what now", answer(text("look"), usage=cost(10))))
    claude.headless("what now", repo.path, resume=session)
    assert dialogue(world.server.last("what now")) == [*HISTORY[:3], "> what now"]
    kept = only(repo.linked(repo.commit("Add all")), session)
    assert kept.metadata["files_touched"] == ["a.txt", "d.txt", "sub/c.txt"]
    assert kept.prompts == [KEPT_FIRST, "what now"]
    assert kept.tokens == tokens(0, 1, 2, 10)
    assert_quiet(repo)


def test_back_to_a_turn_that_changed_no_file(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        turn("only talk", answer(text("we talked"), usage=cost(2))),
        writing(world, "write b", "b.txt", "b\n", 3),
        writing(world, "write c", "c.txt", "c\n", 5),
    )
    session = claude.headless("write a", repo.path).session
    for prompt in ("only talk", "write b"):
        claude.headless(prompt, repo.path, resume=session)
    assert [(point["kind"], point["prompt"]) for point in repo.points()] == [
        ("step", "write b"),
        ("turn", "only talk"),
        ("step", "write a"),
    ]
    repo.rewind("--to", repo.point("only talk", "turn"))
    assert repo.files() == {**START, "a.txt": b"a\n"}
    claude.headless("write c", repo.path, resume=session)
    history = ["> write a", "I write it.", "write a: done", "> only talk", "we talked", "> write c"]
    assert dialogue(world.server.last("write c"))[:6] == history
    kept = only(repo.linked(repo.commit("Add a and c")), session)
    assert kept.prompts == ["write a", "only talk", "write c"]
    assert (kept.metadata["files_touched"], kept.tokens) == (["a.txt", "c.txt"], tokens(0, 1, 2, 5, 6))
    assert_quiet(repo)


@BOTH
def test_a_subagents_turn(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    write = tool("Write", file_path=world.path("note.txt"), content="note\n")
    world.server.script.add(
        turn(
            "delegate",
            answer(*claude.delegate("write the note"), usage=cost(0)),
            answer(text("delegated"), usage=cost(1)),
        ),
        turn("write the note", answer(write, usage=cost(2)), answer(text("note written"), usage=cost(3))),
        turn("spoil it", shell("echo spoiled > note.txt", 4), answer(text("spoiled"), usage=cost(5))),
        writing(world, "write b", "b.txt", "b\n", 6),
    )
    session = claude.headless("delegate", repo.path).session
    (own,) = (claude.transcript(session).parent / session / "subagents").glob("agent-*.jsonl")
    written = own.read_bytes()
    claude.headless("spoil it", repo.path, resume=session)
    own.unlink()
    points = repo.points()
    assert [(point["kind"], point["prompt"], point["files"]) for point in points[:2]] == [
        ("step", "spoil it", ["note.txt"]),
        ("turn", "delegate", ["note.txt"]),  # nothing changed after the subagent's own step
    ]
    assert [(point["kind"], point["parent"]) for point in points[2:]] == [("task", points[1]["id"])]
    repo.rewind("--to", points[1]["id"])
    assert repo.files() == {**START, "note.txt": b"note\n"}
    assert own.read_bytes()
    assert written.startswith(own.read_bytes())  # as far as the agent had written it when the subagent ended:
    own.write_bytes(written)  # it writes late, and the step does not wait for it
    claude.headless("write b", repo.path, resume=session)
    assert dialogue(world.server.last("write b"))[:3] == ["> delegate", "delegated", "> write b"]
    kept = only(repo.linked(repo.commit("Add the note and b")), session)
    assert kept.prompts == ["delegate", "write b"]
    assert kept.metadata["files_touched"] == ["b.txt", "note.txt"]
    assert (kept.tokens, kept.subagent_tokens) == (tokens(0, 1, 6, 7), tokens(2, 3))
    assert lines(kept) == (2, 0, 100)
    assert_quiet(repo)


def test_an_agent_in_its_turn_is_left_alone(world: World) -> None:
    world.enable()
    repo = world.repo
    reached, opened, wait = world.gate("hold")
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        turn("work long", shell(wait, 2), answer(text("worked"), usage=cost(3))),
    )
    session = world.claude.headless("write a", repo.path).session
    step = repo.point("write a")
    with world.claude.start("work long", repo.path, resume=session) as running:
        world.wait(reached.exists, "the shell command")
        with pytest.raises(AssertionError, match=re.escape("Claude Code is in the middle of a turn")):
            repo.rewind("--to", step)
        opened.touch()
        assert running.finish().result["result"] == "worked"
    assert repo.files() == {**START, "a.txt": b"a\n"}


@BOTH
def test_an_agent_that_waits_on_its_terminal_is_to_be_closed(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        writing(world, "write b", "b.txt", "b\n", 2),
        writing(world, "write c", "c.txt", "c\n", 4),
    )
    with claude.terminal(repo.path) as terminal:
        session = terminal.session
        terminal.turn("write a")
        terminal.turn("write b")
        step = repo.point("write a")
        shown = repo.run("entire", "rewind", "--to", step, "--preview")
        assert f"close Claude Code (pid {terminal.process.pid}) first" in shown
        assert "write b" in claude.transcript(session).read_text()
        terminal.exit()
    assert f"pid {terminal.process.pid}" not in repo.run("entire", "rewind", "--to", step, "--preview")
    repo.rewind("--to", step)
    with claude.terminal(repo.path, resume=session) as terminal:
        terminal.turn("write c")
        terminal.exit()
    assert dialogue(world.server.last("write c"))[:4] == ["> write a", "I write it.", "write a: done", "> write c"]
    kept = only(repo.linked(repo.commit("Add a and c")), session)
    assert (kept.prompts, kept.tokens) == (["write a", "write c"], tokens(0, 1, 4, 5))
    assert_quiet(repo)


def test_back_behind_a_compaction_and_to_a_point_after_it(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    summary = "<summary>a was written</summary>"
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        turn(re.compile("create a detailed summary"), answer(text(summary), usage=cost(9))),
        writing(world, "write b", "b.txt", "b\n", 2),
        writing(world, "write c", "c.txt", "c\n", 4),
        writing(world, "write d", "d.txt", "d\n", 6),
        writing(world, "write e", "e.txt", "e\n", 8),
    )
    with claude.terminal(repo.path) as terminal:
        session = terminal.session
        terminal.turn("write a")
        terminal.compact()
        terminal.turn("write b")
        terminal.turn("write c")
        terminal.exit()
    repo.rewind("--to", repo.point("write b"))
    claude.headless("write d", repo.path, resume=session)
    asked = dialogue(world.server.last("write d"))
    assert "a was written" in asked[0]
    assert "> write a" not in asked
    assert asked[-5:] == ["> write b", "I write it.", "write b: done", "> write d", "I write it."]
    repo.rewind("--to", repo.point("write a"))
    assert repo.files() == {**START, "a.txt": b"a\n"}
    claude.headless("write e", repo.path, resume=session)
    assert dialogue(world.server.last("write e")) == [
        "> write a",
        "I write it.",
        "write a: done",
        "> write e",
        "I write it.",
    ]
    kept = only(repo.linked(repo.commit("Add a and e")), session)
    assert (kept.prompts, kept.metadata["files_touched"]) == (["write a", "write e"], ["a.txt", "e.txt"])
    assert (kept.tokens, kept.start) == (tokens(0, 1, 8, 9), 0)
    assert_quiet(repo)


@BOTH
def test_after_the_agent_was_killed_in_its_turn(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    reached, _, wait = world.gate("hold")
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        turn("work long", shell("echo half > b.txt", 2), shell(wait, 3), answer(text("worked"), usage=cost(4))),
        writing(world, "write c", "c.txt", "c\n", 5),
    )
    session = claude.headless("write a", repo.path).session
    with claude.start("work long", repo.path, resume=session) as running:
        world.wait(reached.exists, "the shell command")
        running.send(signal.SIGKILL)
    whole = claude.transcript(session).read_bytes()
    repo.rewind("--to", repo.point("write a"))
    assert repo.files() == {**START, "a.txt": b"a\n"}
    repo.rewind("--undo")
    assert repo.files() == {**START, "a.txt": b"a\n", "b.txt": b"half\n"}
    assert claude.transcript(session).read_bytes() == whole
    repo.rewind("--undo")
    claude.headless("write c", repo.path, resume=session)
    assert dialogue(world.server.last("write c")) == [
        "> write a",
        "I write it.",
        "write a: done",
        "> write c",
        "I write it.",
    ]
    kept = only(repo.linked(repo.commit("Add a and c")), session)
    assert (kept.prompts, kept.metadata["files_touched"]) == (["write a", "write c"], ["a.txt", "c.txt"])
    assert kept.tokens == tokens(0, 1, 5, 6)
    assert_quiet(repo)


def test_forward_again(world: World) -> None:
    """A point that lies ahead of the conversation: secrets and turns come from where they were left."""
    world.enable()
    repo, claude = world.repo, world.claude
    session = work(world)
    whole = claude.transcript(session).read_bytes()
    repo.rewind("--to", repo.point(KEPT_FIRST))
    world.server.script.add(
        writing(world, "another way", "e.txt", "e\n", 10), turn("well", answer(text("well"), usage=cost(12)))
    )
    claude.headless("another way", repo.path, resume=session)
    assert only(repo.linked(repo.commit("Another way")), session).tokens == tokens(0, 1, 2, 10, 11)
    done = repo.rewind("--to", repo.point("go on"))
    assert [conversation["what"] for conversation in done["conversations"]] == ["written"]
    assert repo.files() == AFTER_ALL | {"b.txt": b"b\n", "e.txt": b"e\n"}  # what a commit has stays
    assert whole.startswith(claude.transcript(session).read_bytes())
    claude.headless("well", repo.path, resume=session)
    assert dialogue(world.server.last("well")) == [*HISTORY, "> well"]
    kept = only(repo.linked(repo.commit("Both ways")), session)
    assert kept.prompts == [KEPT_FIRST, "change it", "go on", "well"]
    assert kept.tokens == tokens(3, 4, 5, 6, 7, 8, 9, 12)
    assert kept.metadata["files_touched"] == ["a.txt", "d.txt", "sub/c.txt"]
    assert_quiet(repo)


def test_into_a_turn_where_a_subagent_ended(world: World) -> None:
    """The agent drops the call whose result is gone; the subagent's file is as it left it."""
    world.enable()
    repo, claude = world.repo, world.claude
    write = tool("Write", file_path=world.path("note.txt"), content="note\n")
    world.server.script.add(
        turn(
            "delegate",
            answer(*claude.delegate("write the note"), usage=cost(0)),
            shell("echo more >> note.txt", 1),
            answer(text("delegated"), usage=cost(2)),
        ),
        turn("write the note", answer(write, usage=cost(3)), answer(text("note written"), usage=cost(4))),
        writing(world, "write b", "b.txt", "b\n", 5),
    )
    session = claude.headless("delegate", repo.path).session
    assert repo.files() == {**START, "note.txt": b"note\nmore\n"}
    (task,) = [point for point in repo.points() if point["kind"] == "task"]
    repo.rewind("--to", task["id"])
    assert repo.files() == {**START, "note.txt": b"note\n"}
    claude.headless("write b", repo.path, resume=session)
    said_now = dialogue(world.server.last("write b"))
    assert said_now[0] == "> delegate"
    assert "delegated" not in said_now
    assert said_now[-2:] == ["> write b", "I write it."]
    kept = only(repo.linked(repo.commit("Add the note and b")), session)
    assert kept.metadata["files_touched"] == ["b.txt", "note.txt"]
    assert (kept.tokens, kept.subagent_tokens) == (tokens(0, 5, 6), tokens(3, 4))
    assert_quiet(repo)
