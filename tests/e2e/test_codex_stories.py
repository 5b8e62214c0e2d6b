"""Stories that only Codex CLI has: trust in hooks, sessions in several files, turns that end late, twice or not."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from claude import Claude
from codex import Codex, forms, names, patch
from copilot import Copilot
from driver import binary
from proof import Part, assert_part, assert_task, linked, task_of, tokens_of
from script import answer, fault, text, tool, turn
from stories import asked, assert_quiet, cost, lines, tokens, writing

if TYPE_CHECKING:
    from conftest import World
    from repo import Checkpoint
    from script import Answer, ToolCall, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("world", [Codex], indirect=True, ids=["codex"])]


def codex(world: World) -> Codex:
    """Return the agent of a world that has Codex."""
    assert isinstance(world.agent, Codex)
    return world.agent


def test_hooks_record_nothing_until_the_person_trusts_them(world: World) -> None:
    """Codex says nothing of hooks that it leaves out; `enable` and `status` do, also once one of them has changed."""
    repo, agent = world.repo, codex(world)
    untrusted = "Codex  untrusted  hooks are installed, but the agent does not trust them"
    assert "Sessions of Codex are not recorded until" in repo.run("entire", "enable", "--agent", "codex")
    world.server.script.add(writing(world, "write a", "a.txt", "a\n", 0), writing(world, "write b", "b.txt", "b\n", 2))
    assert agent.headless("write a", repo.path).status == 0
    assert not (repo.path / ".git" / "entire-sessions").exists()
    assert untrusted in repo.run("entire", "status")

    with agent.terminal(repo.path, are_hooks_new=True) as terminal:
        terminal.turn("write b")
        found = repo.run("entire", "status")
        assert "Codex  installed" in found
        assert "1 session of Codex was not recorded" in found
        assert "the agent did not trust its hooks yet" in found
        repo.commit("Use entire", ".codex", ".entire")
        part = Part(files=["b.txt"], prompts=["write b"], answers=[2, 3], lines=(1, 0, 100), last="write b: done")
        assert_part(world, linked(world, repo.commit("Add b", "b.txt")), terminal.session, part)
        terminal.exit()
    path = repo.path / ".codex" / "hooks.json"
    settings = json.loads(path.read_text())
    settings["hooks"]["Stop"].insert(0, {"hooks": [{"type": "command", "command": "true"}]})
    path.write_text(json.dumps(settings))  # Codex knows a hook by its place
    found = repo.run("entire", "status")
    assert untrusted in found
    assert "which have changed" in found
    world.enable()
    assert "Codex  installed" in repo.run("entire", "status")


def test_what_a_commit_shows(world: World) -> None:
    """A patch of several files and a command in one answer: calls, lines and tokens, and which prompt made what."""
    repo = world.repo
    repo.write("notes.txt", "one\ntwo\n")
    repo.write("old.txt", "old\n")
    repo.commit("Notes")
    world.enable()
    change = patch(
        "*** Add File: hello.py",
        "+print('hello')",
        "*** Update File: notes.txt",
        "@@",
        " one",
        "-two",
        "+TWO",
        "*** Delete File: old.txt",
    )
    greet = answer(text("I greet."), change, world.agent.shell("python3 hello.py"), usage=cost(0))
    world.server.script.add(turn("greet", greet, answer(text("greeted"), usage=cost(1))))
    session = world.agent.headless("greet", repo.path).session
    checkpoint = linked(world, repo.commit("Greet"))
    files = ["hello.py", "notes.txt", "old.txt"]
    part = Part(files=files, prompts=["greet"], answers=[0, 1], lines=(2, 0, 100), last="greeted")
    assert_part(world, checkpoint, session, part)

    explained = repo.run("entire", "explain", "HEAD", "--no-pager")
    assert "Session " + session + " (Codex)" in explained
    assert "Model    gpt-5.5" in explained
    assert "notes.txt  line 2: prompt 1" in explained
    shown = repo.run("entire", "show", checkpoint.id, "--no-pager")
    assert "I greet." in shown
    assert "python3 hello.py" in shown
    assert "  Codex  " in repo.run("entire", "log")
    assert "greet" in repo.run("entire", "why", "hello.py")


def test_a_prompt_that_was_taken_back_is_not_in_the_checkpoint(world: World) -> None:
    """The session goes on in a second file; a checkpoint holds the whole conversation as it is now, and resumes in
    another clone, as does a fork, which is a session of its own.
    """
    world.enable("--push-sessions")
    origin = world.share()
    repo, agent = world.repo, codex(world)
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        turn("spoil it", answer(text("spoilt"), usage=cost(2))),
        writing(world, "write b", "b.txt", "b\n", 3),
        turn("write c", answer(agent.write("c.txt", "c\n"), usage=cost(5)), answer(text("c is there"), usage=cost(6))),
    )
    with agent.terminal(repo.path) as terminal:
        terminal.turn("write a")
        terminal.turn("spoil it")
        terminal.rewind()
        terminal.turn("write b")
        session = terminal.session
        terminal.exit()
    first = repo.commit("Add a and b")
    stored = linked(world, first).session(session)
    assert agent.said(stored.transcript) == ["I write it.", "write a: done", "I write it.", "write b: done"]
    assert forms([json.loads(line) for line in stored.transcript.splitlines()]).count("session_meta") == 1
    assert stored.metadata["files_touched"] == ["a.txt", "b.txt"]
    assert (stored.prompts[0], stored.prompts[-1]) == ("write a", "write b")
    repo.git("push", "-q")

    fork = agent.fork("write c", repo.path, session).session
    checkpoint = linked(world, repo.commit("Add c"))
    assert [s.id for s in checkpoint.sessions] == [fork]
    assert tokens_of(world, checkpoint, fork) == agent.counters(cost(5) + cost(6), 2)
    said = agent.said(checkpoint.session(fork).transcript)
    assert said == ["I write it.", "write a: done", "I write it.", "write b: done", "c is there"]
    assert_quiet(repo)
    repo.git("push", "-q")

    there = world.elsewhere(origin)
    for commit, name, prompts in (
        (first, session, ["write a", "write b"]),
        ("main", fork, ["write a", "write b", "write c"]),
    ):
        there.repo.resume(commit)
        world.server.script.add(turn(f"go on with {name}", answer(text("on"))))
        assert there.agent.headless(f"go on with {name}", there.repo.path, resume=name).status == 0
        assert asked(world.server.last(f"go on with {name}")) == [*prompts, f"go on with {name}"]


def test_a_rewind_over_a_second_file_shows_the_agent_only_what_is_left(world: World) -> None:
    world.enable()
    repo, agent = world.repo, codex(world)
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        turn("spoil it", answer(text("spoilt"), usage=cost(2))),
        writing(world, "write b", "b.txt", "b\n", 3),
        writing(world, "write c", "c.txt", "c\n", 5),
        turn("go on", answer(text("on"), usage=cost(7))),
    )
    with agent.terminal(repo.path) as terminal:
        terminal.turn("write a")
        terminal.turn("spoil it")
        terminal.rewind()
        terminal.turn("write b")
        terminal.turn("write c")
        session = terminal.session
        terminal.exit()
    repo.rewind("--to", repo.point("write b"))
    assert sorted(repo.files()) == sorted({"README.md", "a.txt", "b.txt", *_installed(world)})
    assert agent.headless("go on", repo.path, resume=session).status == 0
    assert asked(world.server.last("go on")) == ["write a", "write b", "go on"]
    assert agent.listed(session) == ["write a", "write b", "go on"]


def test_a_turn_that_the_api_ended_is_found_at_the_next_event(world: World) -> None:
    """No hook tells that a rate limit ended the turn; its file and tokens are the session's all the same."""
    world.enable()
    repo, agent = world.repo, codex(world)
    out = fault(429, "rate_limit_exceeded", "slow down")
    world.server.script.add(
        turn("write a", answer(agent.write(world.path("a.txt"), "a\n"), usage=cost(0)), out),
        writing(world, "write b", "b.txt", "b\n", 1),
    )
    with agent.terminal(repo.path) as terminal:
        terminal.turn("write a")
        assert names(agent.events())[-1] == "PostToolUse"
        first = linked(world, repo.commit("Add a"))
        assert first.session(terminal.session).metadata["files_touched"] == ["a.txt"]
        terminal.turn("write b")
        part = Part(files=["b.txt"], prompts=["write a", "write b"], answers=[1, 2], lines=(1, 0, 100), last="")
        assert_part(world, linked(world, repo.commit("Add b")), terminal.session, part, since="write b")
        terminal.exit()
    assert tokens_of(world, repo.checkpoint(first.id), terminal.session) == agent.counters(cost(0), 1)
    assert_quiet(repo)


def helped(world: World, *before: Answer) -> tuple[Turn, Turn]:
    """Return a turn that starts a helper without waiting for it, and the helper's, which does this before it writes."""
    agent = world.agent
    start, _ = agent.delegate("write the note")
    return (
        turn("delegate", answer(start, usage=cost(0)), answer(text("delegated"), usage=cost(1))),
        turn(
            "write the note",
            *before,
            answer(agent.write(world.path("note.txt"), "note\n"), usage=cost(3)),
            answer(text("note written"), usage=cost(4)),
        ),
    )


def test_a_helper_that_ends_with_the_turn_has_it_answered_once_more(world: World) -> None:
    """Its end is told to the model when the hooks of the turn's end are done: the turn ends twice, and is one."""
    world.enable()
    repo, agent = world.repo, codex(world)
    agent.add_hook("Stop", f"until {agent.has_helped}; do sleep 0.1; done")
    world.server.script.add(*helped(world))
    session = agent.headless("delegate", repo.path).session
    assert (len(agent.events("Stop")), agent.turns_ended(session)) == (2, 1)
    checkpoint = linked(world, repo.commit("Add the note"))
    found = checkpoint.session(session)
    assert (found.prompts, found.metadata["files_touched"]) == (["delegate"], ["note.txt"])
    assert tokens_of(world, checkpoint, session) == agent.counters(cost(0) + cost(1) + cost(1), 3)


def test_a_helper_outlives_its_turn(world: World) -> None:
    """What it writes then is the session's."""
    world.enable()
    repo, agent = world.repo, codex(world)
    reached, opened, wait = world.gate("hold")
    world.server.script.add(*helped(world, answer(agent.shell(wait), usage=cost(2))))
    with agent.terminal(repo.path) as terminal:
        terminal.turn("delegate")
        terminal.wait(reached.exists, "the helper")
        opened.touch()
        ((_, path),) = agent.subagents(terminal.session).items()
        terminal.wait(lambda: b"task_complete" in path.read_bytes(), "the end of the helper, its hooks included")
        checkpoint = linked(world, repo.commit("Add the note"))
        terminal.exit()
    found = checkpoint.session(terminal.session)
    assert (found.prompts, found.metadata["files_touched"]) == (["delegate"], ["note.txt"])
    assert found.subagent_tokens["api_call_count"] == 3


def test_a_command_in_the_background_ends_after_its_turn(world: World) -> None:
    """What it writes is found when the next turn begins; nothing is lost that the turn wrote."""
    world.enable()
    repo, agent = world.repo, codex(world)
    reached, opened, wait = world.gate("hold")
    left = tool("exec_command", cmd=f"{wait}; echo late > late.txt", yield_time_ms=300)
    world.server.script.add(
        turn("leave it", answer(left, usage=cost(0)), answer(text("left"), usage=cost(1))),
        writing(world, "write b", "b.txt", "b\n", 2),
    )
    with agent.terminal(repo.path) as terminal:
        terminal.turn("leave it")
        assert reached.exists()
        opened.touch()
        terminal.wait((repo.path / "late.txt").exists, "the file of the command")
        terminal.wait(lambda: forms(agent.records(terminal.session))[-1] == "CommandExecution", "its record")
        terminal.turn("write b")
        terminal.exit()
    checkpoint = linked(world, repo.commit("Add both"))
    found = checkpoint.session(terminal.session)
    assert "b.txt" in found.metadata["files_touched"]
    assert tokens_of(world, checkpoint, terminal.session) == agent.counters(cost(0) + cost(1) + cost(2) + cost(3), 4)
    assert "late" in _shown(world, checkpoint)


def script(patch: str, command: str = "") -> ToolCall:
    """Return the call of a script that applies a patch and runs a command."""
    lines = [f"await tools.apply_patch({json.dumps(patch)});"]
    if command:
        lines += [f"const done = await tools.exec_command({json.dumps({'cmd': command})});", "text(done.output);"]
    return tool("exec", input="\n".join(lines))


def test_a_newer_models_scripts_are_read_call_by_call(world: World) -> None:
    """The model calls one tool, whose argument is a script; what that does is told apart."""
    world.enable()
    repo, agent = world.repo, codex(world)
    agent.use_newer_model()
    write = agent.write("a.txt", "a\na\n").input["input"]
    call = script(write, "cat a.txt; echo b > b.txt")
    world.server.script.add(
        turn("code it", answer(text("I run it."), call, usage=cost(0)), answer(text("done"), usage=cost(1)))
    )
    session = agent.headless("code it", repo.path).session
    checkpoint = linked(world, repo.commit("Add both"))
    part = Part(files=["a.txt", "b.txt"], prompts=["code it"], answers=[0, 1], lines=(3, 0, 100), last="done")
    assert_part(world, checkpoint, session, part)
    assert "Model    gpt-6-sol" in repo.run("entire", "explain", "HEAD", "--no-pager")
    shown = _shown(world, checkpoint)
    assert "* apply_patch: " in shown
    assert "cat a.txt; echo b > b.txt" in shown
    assert_quiet(repo)


def test_a_subagent_of_a_newer_model(world: World) -> None:
    """It has a name, and its task is in no prompt, but in a message from one agent to another."""
    world.enable()
    repo, agent = world.repo, codex(world)
    agent.use_newer_model()
    start = tool("collaboration.spawn_agent", task_name="maker", message="write the note", fork_turns="none")
    wait = tool("collaboration.wait_agent", timeout_ms=60_000)
    write = agent.write("note.txt", "note\nmore\n").input["input"]
    world.server.script.add(
        turn(
            "delegate",
            answer(start, usage=cost(0)),
            answer(wait, usage=cost(1)),
            answer(text("delegated"), usage=cost(2)),
        ),
        turn(
            "write the note",
            answer(script(write), usage=cost(3)),
            answer(text("note written"), usage=cost(4)),
        ),
    )
    session = agent.headless("delegate", repo.path).session
    checkpoint = linked(world, repo.commit("Add the note"))
    part = Part(files=["note.txt"], prompts=["delegate"], answers=[0, 1, 2], lines=(2, 0, 100), last="delegated")
    assert_part(world, checkpoint, session, part, subagents=[3, 4])
    assert_task(world, checkpoint, task_of(world, session))
    assert_quiet(repo)


def test_a_linked_worktree_has_the_hooks_of_the_main_one(world: World) -> None:
    world.enable()
    repo, agent = world.repo, codex(world)
    place = world.folder / "linked"
    repo.git("worktree", "add", "-q", "-b", "side", str(place))
    write = agent.write(str(place / "a.txt"), "a\n")
    world.server.script.add(turn("write a", answer(write, usage=cost(0)), answer(text("done"), usage=cost(1))))
    session = agent.headless("write a", place).session
    assert "Codex  installed" in repo.run("entire", "status", cwd=place)
    repo.run("git", "add", "a.txt", cwd=place)
    repo.run("git", "commit", "-qm", "Add a", cwd=place)
    checkpoint = linked(world, repo.git("rev-parse", "side").strip())
    part = Part(files=["a.txt"], prompts=["write a"], answers=[0, 1], lines=(1, 0, 100), last="done")
    assert_part(world, checkpoint, session, part, branch="side")


def _installed(world: World) -> list[str]:
    return [path for path in world.repo.files() if path.startswith((".codex/", ".entire/"))]


def _shown(world: World, checkpoint: Checkpoint) -> str:
    return world.repo.run("entire", "show", checkpoint.id, "--no-pager")


def test_a_prompt_during_a_turn_belongs_to_it(world: World) -> None:
    """What the person adds while the agent works is told to the model after the running tool, in the same turn."""
    world.enable()
    repo, agent = world.repo, codex(world)
    reached, opened, wait = world.gate("hold")
    world.server.script.add(
        turn("work long", answer(agent.write(world.path("a.txt"), "a\n"), agent.shell(wait), usage=cost(0))),
        turn(
            "and b, too",
            answer(agent.write(world.path("b.txt"), "b\n"), usage=cost(1)),
            answer(text("both are there"), usage=cost(2)),
        ),
    )
    with agent.terminal(repo.path) as terminal:
        terminal.prompt("work long")
        terminal.wait(reached.exists, "the shell command")
        terminal.submit("and b, too")
        opened.touch()
        terminal.wait(lambda: agent.turns_ended(terminal.session), "the end of the turn")
        terminal.exit()
    prompts = ["work long", "and b, too"]
    assert [e["prompt"] for e in agent.events("UserPromptSubmit")] == prompts
    part = Part(files=["a.txt", "b.txt"], prompts=prompts, answers=[0, 1, 2], lines=(2, 0, 100), last="both are there")
    assert_part(world, linked(world, repo.commit("Add both")), terminal.session, part)
    assert_quiet(repo)


def test_turn_ends_are_told_where_hooks_are_off(world: World) -> None:
    """Codex starts one program of its user's after each turn; with consent that is `entire`, if there is none yet."""
    repo, agent = world.repo, codex(world)
    agent.config.write_text(f"{agent.config.read_text()}\n[features]\nhooks = false\n")
    before = agent.config.read_text()
    world.enable("--user")
    world.server.script.add(writing(world, "write a", "a.txt", "a\n", 0))
    session = agent.headless("write a", repo.path).session
    state = repo.path / ".git" / "entire-sessions" / f"{session}.json"
    world.wait(lambda: state.exists() and repo.git("for-each-ref", "refs/heads/entire") != "", "the step")
    assert agent.events() == []
    checkpoint = linked(world, repo.commit("Add a", "a.txt"))
    part = Part(files=["a.txt"], prompts=["write a"], answers=[0, 1], lines=(1, 0, 100), last="write a: done")
    assert_part(world, checkpoint, session, part)
    repo.run("entire", "agent", "remove", "codex", "--user", "--yes")
    assert "notify" not in agent.config.read_text()
    assert agent.config.read_text().startswith(before)


def test_two_agents_in_one_worktree_are_kept_apart(world: World) -> None:
    """Claude Code is in a turn while Codex has one of its own: each one's file, tokens and lines are its own."""
    world.enable()
    repo, agent, program = world.repo, codex(world), binary(Claude)
    assert program
    claude = Claude(program, agent.home, world.server.url, agent.environment["PATH"])
    repo.run("entire", "enable", "--agent", claude.name)
    repo.commit("Use both")
    reached, opened, wait = world.gate("hold")
    write = claude.write(world.path("a.txt"), "a\n")
    world.server.script.add(
        turn(
            "write a slowly",
            answer(write, usage=cost(0)),
            answer(claude.shell(wait), usage=cost(1)),
            answer(text("a is there"), usage=cost(2)),
        ),
        writing(world, "write b", "b.txt", "b\nb\n", 3),
    )
    with claude.start("write a slowly", repo.path) as running:
        world.wait(reached.exists, "Claude Code to be in its turn")
        session = agent.headless("write b", repo.path).session
        status = repo.run("entire", "status")
        part = Part(files=["b.txt"], prompts=["write b"], answers=[3, 4], lines=(2, 0, 100), last="write b: done")
        assert_part(world, linked(world, repo.commit("Add b", "b.txt")), session, part)
        opened.touch()
        running.finish()
    assert re.search(f"{session[:8]}  Codex +ended .* write b\n +uncommitted: b.txt", status)
    assert re.search(f"{running.session[:8]}  Claude Code  working .* write a slowly\n +uncommitted: a.txt", status)
    found = linked(world, repo.commit("Add a")).session(running.session)
    assert (found.metadata["agent"], found.metadata["files_touched"]) == ("Claude Code", ["a.txt"])
    assert (found.tokens, lines(found)) == (tokens(0, 1, 2), (1, 0, 100))
    explained = repo.run("entire", "explain", "--commit", "HEAD", "--no-pager")
    assert f"Session {running.session} (Claude Code)" in explained
    assert session not in explained
    assert_quiet(repo)


def test_one_agent_goes_on_with_what_another_left(world: World) -> None:
    """Codex leaves a file, Copilot CLI changes a line of it; the person commits: both are linked, each with its own."""
    world.enable()
    repo, agent, program = world.repo, codex(world), binary(Copilot)
    assert program
    other = Copilot(program, agent.home, world.server.url, agent.environment["PATH"])
    repo.run("entire", "enable", "--agent", other.name)
    repo.commit("Use both")
    change = other.edit(world.path("a.txt"), "two", "2")
    world.server.script.add(
        writing(world, "write a", "a.txt", "one\ntwo\nthree\n", 0),
        turn("change it", answer(change, usage=cost(2)), answer(text("changed"), usage=cost(3))),
    )
    first = agent.headless("write a", repo.path).session
    second = other.headless("change it", repo.path).session
    assert repo.files()["a.txt"] == b"one\n2\nthree\n"
    status = repo.run("entire", "status")
    checkpoint = linked(world, repo.commit("Add a"))
    for session, name in ((first, "Codex +"), (second, "Copilot CLI")):
        assert re.search(f"{session[:8]}  {name} +ended  1 step .*\n    uncommitted: a.txt", status)
    explained = repo.run("entire", "explain", "--checkpoint", checkpoint.id, "--no-pager")
    assert re.search(rf"Session {first} \(Codex\)\n.*\n  Lines +67 % of 3 added lines \(2 by the agent", explained)
    assert re.search(rf"Session {second} \(Copilot CLI\)\n.*\n  Lines +33 % of 3 added lines \(1 by", explained)
    whose = [line.split()[1] for line in repo.run("entire", "why", "a.txt").splitlines()]
    assert whose == ["Codex", "Copilot", "Codex"]
    parts = {first: ("Codex", (0, 1), 2), second: ("Copilot CLI", (2, 3), 1)}
    assert {session.id for session in checkpoint.sessions} == parts.keys()
    for session, (name, numbers, count) in parts.items():
        found = checkpoint.session(session)
        assert (found.metadata["agent"], found.metadata["files_touched"]) == (name, ["a.txt"])
        assert (found.tokens, lines(found)[:2]) == (tokens(*numbers), (count, 0))
    assert_quiet(repo)
