"""The table of situations: what every agent's sessions must come to in git, played with the real agents.

Each is one function, in the order of the page that is generated from them: the first paragraph of its docstring says
what happens, the rest what must be true afterwards. It speaks to the agent only as a `Driver`, so that one function
serves all agents; how they differ is in the drivers' facts.
"""

from __future__ import annotations

import json
import signal
import time
from typing import TYPE_CHECKING

from proof import Part, assert_part, assert_stored, assert_task, linked, task_of, tokens_of
from repo import joined
from script import answer, fault, text, turn
from stories import asked, assert_quiet, assert_recorded, cost, dialogue, lines, writing
from table import SITUATIONS, Situation, own_commit, situation
from turns import MARK, SECRET, delegating, in_shell, interrupted_turn, three_turns

if TYPE_CHECKING:
    from conftest import World

__all__ = ["SITUATIONS", "Situation"]  # once this module is imported, all are in the table

# --- sessions and turns ---


@situation("New session")
def new_session(world: World) -> None:
    """The agent writes a file with its tool and answers; the person commits.

    After the turn there is one step, with the whole tree and the transcript; HEAD, the index and the branch are
    untouched. The commit's message ends with the trailer; no step is left over.
    """
    world.enable()
    repo, base = world.repo, world.repo.head()
    content = 'def hello():\n    return "hello"\n'
    (repo.path / "src").mkdir()  # some agents' tools make no folder
    world.server.script.add(writing(world, "add hello", "src/hello.py", content, 0))
    run = world.agent.headless("add hello", repo.path)
    assert run.status == 0

    step = repo.shadow(base)
    stored = repo.blobs(step)
    assert stored["src/hello.py"].decode() == content
    assert stored["README.md"] == b"# Scratch\n"
    assert_stored(world, run.session, joined(stored, f".entire/metadata/{run.session}/full.jsonl"), "add hello: done")
    assert repo.message(step).splitlines()[-3:] == [
        f"Entire-Metadata: .entire/metadata/{run.session}",
        f"Entire-Session: {run.session}",
        "Entire-Strategy: manual-commit",
    ]
    assert repo.checkpoint_ids() == []
    assert (repo.head(), repo.git("diff", "--cached", "--name-only")) == (base, "")

    checkpoint = linked(world, repo.commit("Add hello"))
    assert checkpoint.root["files_touched"] == ["src/hello.py"]
    assert checkpoint.root["branch"] == "main"
    part = Part(
        files=["src/hello.py"], prompts=["add hello"], answers=[0, 1], lines=(2, 0, 100), last="add hello: done"
    )
    assert_part(world, checkpoint, run.session, part)
    context = checkpoint.files["0/context.md"].decode()
    assert context.startswith("# Session Context\n\n## User Prompts\n\n### Prompt 1\n\nadd hello\n")
    assert_recorded(repo, checkpoint, world.agent.type)
    assert repo.message("HEAD") == f"Add hello\n\nEntire-Checkpoint: {checkpoint.id}"
    assert_quiet(repo)


@situation("Several turns")
def several_turns(world: World) -> None:
    """In one terminal the agent writes a file, changes it, and only talks; the person commits; a fourth turn follows.

    The first commit has the prompts and tokens of all three turns and two steps (talk makes none). The second has only
    the fourth turn's, and says where that begins. The first checkpoint stays as it is.
    """
    world.enable()
    repo, agent = world.repo, world.agent
    world.server.script.add(
        writing(world, "write a", "a.txt", "one\ntwo\nthree\n", 0),
        turn(
            "change a",
            answer(agent.read(world.path("a.txt")), usage=cost(2)),
            answer(agent.edit(world.path("a.txt"), "two", "2"), usage=cost(3)),
            answer(text("changed"), usage=cost(4)),
        ),
        turn("only talk", answer(text("we talked"), usage=cost(5))),
        writing(world, "write b", "b.txt", "b\n", 6),
    )
    three = ["write a", "change a", "only talk"]
    with agent.terminal(repo.path) as terminal:
        for prompt in three:
            terminal.turn(prompt)
        first = linked(world, repo.commit("Add a"))
        part = Part(files=["a.txt"], prompts=three, answers=range(6), lines=(3, 0, 100), last="we talked")
        assert_part(world, first, terminal.session, part)
        assert first.session(terminal.session).metadata["checkpoints_count"] == 2

        terminal.turn("write b")
        second = linked(world, repo.commit("Add b"))
        part = Part(
            files=["b.txt"], prompts=[*three, "write b"], answers=[6, 7], lines=(1, 0, 100), last="write b: done"
        )
        assert_part(world, second, terminal.session, part, since="write b")
        assert tokens_of(world, repo.checkpoint(first.id), terminal.session) == tokens_of(
            world, first, terminal.session
        )
        terminal.exit()
    assert_quiet(repo)


@situation("Resumed session")
def resumed_session(world: World) -> None:
    """After a commit the session is resumed twice: for one prompt, and on a terminal; the person commits again.

    It is the same session. The model gets the whole conversation. The second commit has the tokens, files and lines
    of the later turns only.
    """
    world.enable()
    repo, agent = world.repo, world.agent
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        writing(world, "write b", "b.txt", "b\nb\n", 2),
        writing(world, "write c", "c.txt", "c\n", 4),
    )
    session = agent.headless("write a", repo.path).session
    part = Part(files=["a.txt"], prompts=["write a"], answers=[0, 1], lines=(1, 0, 100), last="write a: done")
    assert_part(world, linked(world, repo.commit("Add a")), session, part)
    agent.headless("write b", repo.path, resume=session)
    with agent.terminal(repo.path, resume=session) as terminal:
        terminal.turn("write c")
        terminal.exit()
    prompts = ["write a", "write b", "write c"]
    assert asked(world.server.last("write c")) == prompts
    part = Part(
        files=["b.txt", "c.txt"], prompts=prompts, answers=[2, 3, 4, 5], lines=(3, 0, 100), last="write c: done"
    )
    assert_part(world, linked(world, repo.commit("Add b and c")), session, part, since="write b")
    assert_quiet(repo)


@situation("Session resumed in another minute")
def resumed_in_another_minute(world: World) -> None:
    """The session is resumed in another minute than it began in (some agents name files by it); the person commits.

    One session, one transcript, the whole conversation.
    """
    world.enable()
    repo, agent = world.repo, world.agent
    world.server.script.add(writing(world, "write a", "a.txt", "a\n", 0), writing(world, "write b", "b.txt", "b\n", 2))
    session = agent.headless("write a", repo.path).session
    if agent.files_by_minute:
        time.sleep(61 - time.time() % 60)
    agent.headless("write b", repo.path, resume=session)
    assert asked(world.server.last("write b")) == ["write a", "write b"]
    prompts = ["write a", "write b"]
    part = Part(files=["a.txt", "b.txt"], prompts=prompts, answers=range(4), lines=(2, 0, 100), last="write b: done")
    assert_part(world, linked(world, repo.commit("Add both")), session, part)
    assert_quiet(repo)


@situation("Another session in the same process")
def clear_starts_another(world: World) -> None:
    """The person clears the conversation between two turns; one commit has both files.

    Two sessions in one checkpoint, each with its own file, tokens, lines and transcript.
    """
    world.enable()
    repo = world.repo
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0), writing(world, "write b", "b.txt", "b\nb\nb\n", 2)
    )
    with world.agent.terminal(repo.path) as terminal:
        terminal.turn("write a")
        old, new = terminal.session, terminal.clear()
        assert old != new
        terminal.turn("write b")
        terminal.exit()
    checkpoint = linked(world, repo.commit("Add both"))
    assert checkpoint.root["files_touched"] == ["a.txt", "b.txt"]
    parts = {
        old: Part(files=["a.txt"], prompts=["write a"], answers=[0, 1], lines=(1, 0, 25), last="write a: done"),
        new: Part(files=["b.txt"], prompts=["write b"], answers=[2, 3], lines=(3, 0, 75), last="write b: done"),
    }
    assert {session.id for session in checkpoint.sessions} == parts.keys()
    for session, part in parts.items():
        assert_part(world, checkpoint, session, part, alone=False)
    assert_recorded(repo, checkpoint, world.agent.type)
    assert_quiet(repo)


@situation("Session end")
def session_end(world: World) -> None:
    """The person leaves the agent after a turn, and commits afterwards.

    The session has ended before the commit, which is linked all the same.
    """
    world.enable()
    repo = world.repo
    world.server.script.add(writing(world, "write a", "a.txt", "a\n", 0))
    with world.agent.terminal(repo.path) as terminal:
        terminal.turn("write a")
        terminal.exit()
    (state,) = (repo.path / ".git" / "entire-sessions").glob(f"{terminal.session}.json")
    known = json.loads(state.read_bytes())
    assert (known["phase"], bool(known["ended_at"])) == ("ended", True)
    part = Part(files=["a.txt"], prompts=["write a"], answers=[0, 1], lines=(1, 0, 100), last="write a: done")
    assert_part(world, linked(world, repo.commit("Add a")), terminal.session, part)
    assert_quiet(repo)


@situation("Session in a sub-folder")
def session_in_a_folder(world: World) -> None:
    """`entire` is enabled for the repository and for the user; a session starts in a folder of the repository.

    The hooks of the user see it, and each event counts once.
    """
    world.enable()
    world.enable("--user")
    repo = world.repo
    start = repo.path / "sub" / "deep"
    start.mkdir(parents=True)
    world.server.script.add(writing(world, "write x", "sub/deep/x.py", "x = 1\n", 0))
    run = world.agent.headless("write x", start)
    checkpoint = linked(world, repo.commit("Add x"))
    part = Part(files=["sub/deep/x.py"], prompts=["write x"], answers=[0, 1], lines=(1, 0, 100), last="write x: done")
    assert_part(world, checkpoint, run.session, part)
    assert checkpoint.session(run.session).metadata["checkpoints_count"] == 1
    assert_quiet(repo)


# --- files ---


@situation("Edit with a tool")
def edit_with_a_tool(world: World) -> None:
    """The agent replaces one line of the person's file; the person adds another line and commits.

    The replaced line is the agent's, the added one the person's; the rest is nobody's.
    """
    repo = world.repo
    repo.write("poem.txt", "one\ntwo\nthree\n")
    repo.commit("Add a poem")
    world.enable()
    poem = world.path("poem.txt")
    world.server.script.add(
        turn(
            "change the poem",
            answer(world.agent.read(poem), usage=cost(0)),
            answer(world.agent.edit(poem, "two", "zwei"), usage=cost(1)),
            answer(text("changed"), usage=cost(2)),
        )
    )
    session = world.agent.headless("change the poem", repo.path).session
    assert repo.files()["poem.txt"] == b"one\nzwei\nthree\n"
    repo.write("poem.txt", "one\nzwei\nthree\nfour\n")
    prompts = ["change the poem"]
    part = Part(files=["poem.txt"], prompts=prompts, answers=[0, 1, 2], lines=(1, 1, 50), last="changed")
    assert_part(world, linked(world, repo.commit("Change the poem")), session, part)
    assert_quiet(repo)


@situation("Edit in the shell")
def edit_in_the_shell(world: World) -> None:
    """The agent makes a file and deletes another in its shell; its transcript names neither.

    Both are the session's all the same.
    """
    repo = world.repo
    repo.write("old.txt", "old\n")
    repo.write("sub/keep.txt", "keep\n")
    repo.commit("More files")
    world.enable()
    world.server.script.add(
        turn(
            "tidy up",
            in_shell(world, "ls sub", 0),
            in_shell(world, "printf 'x\\ny\\n' > sub/new.txt && rm old.txt", 1),
            answer(text("tidy"), usage=cost(2)),
        )
    )
    session = world.agent.headless("tidy up", repo.path).session
    assert repo.files()["sub/new.txt"] == b"x\ny\n"
    files = ["old.txt", "sub/new.txt"]
    part = Part(files=files, prompts=["tidy up"], answers=[0, 1, 2], lines=(2, 0, 100), last="tidy")
    assert_part(world, linked(world, repo.commit("Tidy up")), session, part)
    assert_quiet(repo)


# --- commits ---


@situation("Commit of something else")
def commit_of_something_else(world: World) -> None:
    """After a turn the person commits a file of their own, then the agent's.

    The first commit has no link; the second has all of the session.
    """
    world.enable()
    repo = world.repo
    world.server.script.add(writing(world, "write a", "a.txt", "a\n", 0))
    session = world.agent.headless("write a", repo.path).session
    repo.write("mine.txt", "mine\n")
    assert repo.all_ids(repo.commit("Add mine", "mine.txt")) == []
    part = Part(files=["a.txt"], prompts=["write a"], answers=[0, 1], lines=(1, 0, 100), last="write a: done")
    assert_part(world, linked(world, repo.commit("Add a")), session, part)
    assert_quiet(repo)


@situation("Commit by the person in a turn")
def commit_by_the_person_in_a_turn(world: World) -> None:
    """While the agent is in its turn, the person commits its first file with one of their own; then the turn goes on.

    The commit is linked at once, to the agent's file only; at the turn's end its checkpoint has the whole turn. A
    second file, committed later, has a checkpoint without tokens.
    """
    world.enable()
    repo, agent = world.repo, world.agent
    reached, opened, wait = world.gate("hold")
    repo.write("mine.txt", "mine\n")
    world.server.script.add(
        turn(
            "work long",
            answer(agent.write(world.path("a.txt"), "a\n"), usage=cost(0)),
            in_shell(world, wait, 1),
            answer(agent.write(world.path("b.txt"), "b\n"), usage=cost(2)),
            answer(text("worked"), usage=cost(3)),
        )
    )
    with agent.start("work long", repo.path) as running:
        session = running.session
        world.wait(reached.exists, "the shell command")
        first = linked(world, repo.commit("Add a and mine"))
        assert first.session(session).metadata["files_touched"] == ["a.txt"]
        opened.touch()
        running.finish()
    prompts = ["work long"]
    part = Part(files=["a.txt"], prompts=prompts, answers=range(4), lines=(1, 1, 50), last="worked")
    assert_part(world, repo.checkpoint(first.id), session, part)
    part = Part(files=["b.txt"], prompts=prompts, answers=[], lines=(1, 0, 100), last="worked")
    assert_part(world, linked(world, repo.commit("Add b")), session, part)
    assert_quiet(repo)


@situation("Commit by the agent", own_commit)
def commit_by_the_agent(world: World) -> None:
    """The agent writes a file, commits it in its shell, and goes on working.

    The commit is linked and not rewritten; at the turn's end its checkpoint has the whole turn.
    """
    world.enable()
    repo, base = world.repo, world.repo.head()
    reached, opened, wait = world.gate("hold")
    world.server.script.add(
        turn(
            "add a and commit",
            answer(world.agent.write(world.path("a.txt"), "a\nb\n"), usage=cost(0)),
            in_shell(world, "git add -A && git commit -q -m 'Add a'", 1),
            in_shell(world, wait, 2),
            answer(text("committed"), usage=cost(3)),
        )
    )
    with world.agent.start("add a and commit", repo.path) as running:
        session = running.session
        world.wait(reached.exists, "the agent to have committed")
        made = repo.head()
        if world.agent.runs_git_hooks:
            early = linked(world, made).session(session)  # at once, with what is known so far
            assert (early.metadata["files_touched"], lines(early)) == (["a.txt"], (2, 0, 100))
        opened.touch()
        running.finish()
    assert repo.commits(base) == [made]
    part = Part(files=["a.txt"], prompts=["add a and commit"], answers=range(4), lines=(2, 0, 100), last="committed")
    assert_part(world, linked(world, made, by_agent=True), session, part)
    assert_quiet(repo)


@situation("Two commits by the agent", own_commit)
def two_commits_by_the_agent(world: World) -> None:
    """The agent makes two commits in one turn and leaves a third file, which the person commits.

    Each answer's tokens are in one checkpoint only: the first has those up to its own commit, the second the rest, the
    third none. Each has its own file and lines, and the turn's prompt and transcript.
    """
    world.enable()
    repo, base, agent = world.repo, world.repo.head(), world.agent
    commit_b = agent.shell("git add -A && git commit -q -m 'Add b'")
    world.server.script.add(
        turn(
            "make two commits",
            answer(agent.write(world.path("a.txt"), "a\n"), usage=cost(0)),
            in_shell(world, "git add -A && git commit -q -m 'Add a'", 1),
            answer(agent.write(world.path("b.txt"), "b\nb\n"), commit_b, usage=cost(2)),
            answer(agent.write(world.path("c.txt"), "c\n"), usage=cost(3)),
            answer(text("two commits"), usage=cost(4)),
        )
    )
    session = agent.headless("make two commits", repo.path).session
    commits, prompts = repo.commits(base), ["make two commits"]
    expected = (
        Part(files=["a.txt"], prompts=prompts, answers=[0, 1], lines=(1, 0, 100), last="two commits"),
        Part(files=["b.txt"], prompts=prompts, answers=[2, 3, 4], lines=(2, 0, 100), last="two commits"),
    )
    for commit, part in zip(commits, expected, strict=True):
        assert_part(world, linked(world, commit, by_agent=True), session, part)
    part = Part(files=["c.txt"], prompts=prompts, answers=[], lines=(1, 0, 100), last="two commits")
    assert_part(world, linked(world, repo.commit("Add c")), session, part)
    assert_quiet(repo)


# --- subagents, compaction ---


@situation("Subagent")
def subagent(world: World) -> None:
    """The agent hands a prompt to a subagent, which writes a file; the person commits.

    The file is the session's; the subagent's tokens are counted apart; its whole transcript is in the checkpoint.
    """
    world.enable()
    repo, agent = world.repo, world.agent
    world.server.script.add(*delegating(world, 0))
    session = agent.headless("delegate", repo.path).session
    checkpoint = linked(world, repo.commit("Add the note"))
    part = Part(files=["note.txt"], prompts=["delegate"], answers=[0, 1], lines=(2, 0, 100), last="delegated")
    assert_part(world, checkpoint, session, part, subagents=[2, 3])
    assert_task(world, checkpoint, task_of(world, session))
    assert_quiet(repo)


@situation("Compaction")
def compaction(world: World) -> None:
    """Between two turns the person has the agent put a summary in the place of the conversation; then they commit.

    The model gets the summary. The checkpoint has both prompts and the whole transcript, and counts the tokens of
    both turns once, and those of the summary where the agent tells them.
    """
    world.enable()
    repo, agent = world.repo, world.agent
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 12),  # an agent may refuse to compact what the API calls short
        agent.summary("a was written", cost(9)),
        writing(world, "write b", "b.txt", "b\n", 2),
    )
    with agent.terminal(repo.path) as terminal:
        terminal.turn("write a")
        terminal.compact()
        terminal.turn("write b")
        terminal.exit()
    history = dialogue(world.server.last("write b"))
    assert ("write a: done" if agent.keeps_prompts else "> write a") not in history
    assert any("a was written" in words for words in history)
    prompts, answers = ["write a", "write b"], [12, 13, *([9] if agent.tells_compaction else []), 2, 3]
    part = Part(files=["a.txt", "b.txt"], prompts=prompts, answers=answers, lines=(2, 0, 100), last="write b: done")
    assert_part(world, linked(world, repo.commit("Add both")), terminal.session, part)
    assert_quiet(repo)


# --- turns that do not come to their end ---


@situation("Interrupt")
def interrupt(world: World) -> None:
    """The person stops a turn with Escape while a shell command runs, and gives another prompt; then they commit.

    Files and tokens of the interrupted turn are there, as far as the agent tells them, with its prompt.
    """
    world.enable()
    reached, _, wait = world.gate("hold")
    world.server.script.add(interrupted_turn(world, wait), writing(world, "go on", "b.txt", "b\n", 3))
    with world.agent.terminal(world.repo.path) as terminal:
        terminal.prompt("work long")
        terminal.wait(reached.exists, "the shell command")
        terminal.interrupt()
        assert world.agent.events(world.agent.turn_end) == []
        terminal.turn("go on")
        assert_interrupted(world, terminal.session)
        terminal.exit()


@situation("Commit after an interrupt")
def commit_after_an_interrupt(world: World) -> None:
    """The person stops a turn with Escape and commits at once; then they give another prompt.

    The commit is linked, and gets the tokens of the interrupted turn; the next one those of the next.
    """
    world.enable()
    repo = world.repo
    reached, _, wait = world.gate("hold")
    world.server.script.add(interrupted_turn(world, wait), writing(world, "go on", "b.txt", "b\n", 3))
    with world.agent.terminal(repo.path) as terminal:
        terminal.prompt("work long")
        terminal.wait(reached.exists, "the shell command")
        terminal.interrupt()
        first = linked(world, repo.commit("Add a"))
        assert first.session(terminal.session).metadata["files_touched"] == ["a.txt"]
        terminal.turn("go on")
        second = linked(world, repo.commit("Add b"))
        terminal.exit()
    final = repo.checkpoint(first.id)
    stored = final.session(terminal.session)
    assert (stored.metadata["files_touched"], stored.start, stored.prompts[0]) == (["a.txt"], 0, "work long")
    assert tokens_of(world, final, terminal.session) == world.agent.counters(cost(0) + cost(1), 2)
    prompts = ["work long", "go on"]
    part = Part(files=["b.txt"], prompts=prompts, answers=[3, 4], lines=(1, 0, 100), last="go on: done")
    assert_part(world, second, terminal.session, part, since="go on")
    assert_quiet(repo)


@situation("Agent killed in a turn")
def killed(world: World) -> None:
    """The agent is killed while a shell command runs (SIGKILL); the session is resumed, then the person commits.

    As after an interrupt.
    """
    stopped_by(world, signal.SIGKILL)


@situation("Agent told to stop in a turn")
def told_to_stop(world: World) -> None:
    """The agent is told to stop while a shell command runs (SIGTERM); the session is resumed, then the person commits.

    As after an interrupt.
    """
    stopped_by(world, signal.SIGTERM)


@situation("Control-C in a run without a terminal")
def control_c(world: World) -> None:
    """In a run without a terminal the agent is interrupted (SIGINT); the session is resumed, then the person commits.

    As after an interrupt.
    """
    stopped_by(world, signal.SIGINT)


@situation("Error of the API")
def error_of_the_api(world: World) -> None:
    """After the agent wrote a file the API fails, and the turn with it; the person commits.

    The commit is linked, with the tokens that were reported.
    """
    world.enable()
    repo, agent = world.repo, world.agent
    write = agent.write(world.path("a.txt"), "a\n")
    out = fault(400, "invalid_request_error", "the model is out")
    world.server.script.add(turn("write a", answer(text("I write it."), write, usage=cost(0)), out))
    run = agent.headless("write a", repo.path)
    assert run.status != 0
    part = Part(files=["a.txt"], prompts=["write a"], answers=[0], lines=(1, 0, 100), last="")
    checkpoint = linked(world, repo.commit("Add a"))
    assert_part(world, checkpoint, run.session, part)
    stored = checkpoint.session(run.session).transcript
    assert "I write it." in agent.said(stored)
    assert (b"the model is out" in stored) == agent.records_api_errors
    assert_quiet(repo)


@situation("Transcript deleted")
def transcript_deleted(world: World) -> None:
    """After a turn the agent's files of the session disappear, its subagent's too; then the person commits.

    The checkpoint has everything that was there at the turn's end.
    """
    world.enable()
    repo, agent = world.repo, world.agent
    world.server.script.add(*delegating(world, 0))
    session = agent.headless("delegate", repo.path).session
    own, task = agent.transcript(session).read_bytes(), task_of(world, session)
    for path in (*agent.subagents(session).values(), agent.transcript(session)):
        path.unlink()
    checkpoint = linked(world, repo.commit("Add the note"))
    part = Part(files=["note.txt"], prompts=["delegate"], answers=[0, 1], lines=(2, 0, 100), last="delegated")
    assert_part(world, checkpoint, session, part, subagents=[2, 3], own=own)
    assert_task(world, checkpoint, task)
    assert_quiet(repo)


# --- going back, going on elsewhere ---


@situation("Rewind, then continue")
def rewind_and_continue(world: World) -> None:
    """After three turns the person rewinds to the end of the first one, resumes the session and commits.

    Files and conversation are as they were then, secrets included; the model gets exactly that history. The checkpoint
    has the first turn and the new one, and no secret.
    """
    world.enable()
    repo, agent = world.repo, world.agent
    first = f"begin; the key is {SECRET}"
    stored_first = first.replace(SECRET, MARK)
    history = [f"> {first}", f"I keep {SECRET} to myself.", "begun"]
    world.server.script.add(*three_turns(world, first))
    session = agent.headless(first, repo.path).session
    for prompt in ("change it", "go on"):
        assert agent.headless(prompt, repo.path, resume=session).status == 0
    start = {"README.md": b"# Scratch\n"}
    assert repo.files() == {**start, "a.txt": b"1\ntwo\nthree\n", "sub/c.txt": b"c\n", "d.txt": b"d\n"}
    repo.write("mine.txt", "mine\n")
    whole = agent.transcript(session).read_bytes()
    step = repo.point(stored_first)
    stored = joined(repo.blobs(step), f".entire/metadata/{session}/full.jsonl")
    assert (SECRET.encode() in stored, MARK.encode() in stored) == (False, True)

    done = repo.rewind("--to", step)
    assert [(edit["path"], edit["what"]) for edit in done["edits"]] == [
        ("a.txt", "write"),
        ("b.txt", "create"),
        ("d.txt", "delete"),
        ("sub/c.txt", "delete"),
    ]
    (conversation,) = done["conversations"]
    assert (conversation["session_id"], conversation["what"], conversation["is_open"]) == (session, "cut", False)
    assert conversation["command"] == agent.resume_command(session)
    assert repo.files() == {**start, "a.txt": b"1\n2\n", "b.txt": b"b\n", "mine.txt": b"mine\n"}
    assert not (repo.path / "sub").exists()
    cut = agent.transcript(session).read_bytes()
    assert agent.begins(whole, cut)
    assert (SECRET.encode() in cut, MARK.encode() in cut) == (True, False)
    assert agent.said(cut) == history[1:]

    world.server.script.add(writing(world, "another way", "e.txt", "e\ne\n", 10))
    assert agent.headless("another way", repo.path, resume=session).status == 0
    request = world.server.last("another way")
    assert dialogue(request) == [*history, "> another way", "I write it."]
    results = [result for message in request.conversation for _, result in message.results]
    assert any(SECRET in result for result in results) != agent.masks_secrets
    assert MARK not in str(request)

    checkpoint = linked(world, repo.commit("Add it"))
    files, prompts = ["a.txt", "b.txt", "e.txt"], [stored_first, "another way"]
    part = Part(files=files, prompts=prompts, answers=[0, 1, 2, 10, 11], lines=(5, 1, 5 / 6 * 100), last="")
    found = assert_part(world, checkpoint, session, part, secret=(SECRET, MARK))
    stored_said = [history[1].replace(SECRET, MARK), "begun", "I write it.", "another way: done"]
    assert agent.said(found.transcript) == stored_said
    assert_quiet(repo)


@situation("Resume in another clone")
def resume_in_another_clone(world: World) -> None:
    """A session works on a branch, which is pushed with it; in another person's clone `entire resume` brings it.

    The transcript is written where the agent looks for it, only for its reader, without secrets. The model gets the
    history; the next commit there is linked to the same session, with the new turn's tokens only.
    """
    world.enable("--push-sessions")
    origin = world.share()
    first = f"write a; the key is {SECRET}"
    stored_first = first.replace(SECRET, MARK)
    world.server.script.add(writing(world, first, "a.txt", "a\n", 0))
    world.repo.git("switch", "-q", "-c", "feature")
    session = world.agent.headless(first, world.repo.path).session
    world.repo.commit("Add a")
    world.repo.git("push", "-q", "-u", "origin", "feature")

    there = world.elsewhere(origin)
    repo, agent = there.repo, there.agent
    assert repo.files().keys() == {"README.md"}
    shown = repo.run("entire", "resume", "feature")
    assert f"Session: {session}\n" in shown
    assert f"    {agent.resume_command(session)}\n" in shown
    assert repo.git("branch", "--show-current") == "feature\n"
    assert repo.files()["a.txt"] == b"a\n"
    written = agent.transcript(session)
    assert written.stat().st_mode & 0o777 == 0o600
    history = [f"> {stored_first}", "I write it.", f"{stored_first}: done"]
    assert agent.said(written.read_bytes()) == history[1:]
    assert SECRET.encode() not in written.read_bytes()

    world.server.script.add(writing(there, "write b", "b.txt", "b\n", 2))
    assert agent.headless("write b", repo.path, resume=session).status == 0
    assert dialogue(world.server.last("write b")) == [*history, "> write b", "I write it."]
    assert agent.transcript(session) == written
    checkpoint = linked(there, repo.commit("Add b"))
    prompts = [stored_first, "write b"]
    part = Part(files=["b.txt"], prompts=prompts, answers=[2, 3], lines=(1, 0, 100), last="write b: done")
    found = assert_part(there, checkpoint, session, part, since="write b", branch="feature")
    assert agent.said(found.transcript) == [*history[1:], "I write it.", "write b: done"]


# --- what several situations have in common ---


def assert_interrupted(world: World, session: str) -> None:
    """Commit, and assert what a commit after an interrupted and a finished turn holds."""
    prompts, answers = ["work long", "go on"], [0, *([1] if world.agent.tells_stopped else []), 3, 4]
    part = Part(files=["a.txt", "b.txt"], prompts=prompts, answers=answers, lines=(3, 0, 100), last="go on: done")
    assert_part(world, linked(world, world.repo.commit("Add both")), session, part)
    assert_quiet(world.repo)


def stopped_by(world: World, number: signal.Signals) -> None:
    """Stop an agent by a signal while a shell command runs, and resume its session."""
    world.enable()
    agent = world.agent
    reached, _, wait = world.gate("hold")
    world.server.script.add(interrupted_turn(world, wait), writing(world, "go on", "b.txt", "b\n", 3))
    with agent.start("work long", world.repo.path) as running:
        session = running.session
        world.wait(reached.exists, "the shell command")
        world.wait(lambda: agent.answers(session) == 2, "the record of the second answer")
        running.send(number)
    assert agent.events(agent.turn_end, session) == []
    assert agent.headless("go on", world.repo.path, resume=session).status == 0
    assert_interrupted(world, session)
