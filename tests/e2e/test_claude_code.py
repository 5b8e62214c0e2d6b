"""Stories with the real Claude Code: sessions, what is committed from them, and what is in git afterwards."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from repo import Repo
from script import answer, text, tool, turn
from stories import assert_quiet, assert_up_to, cost, lines, only, shell, tokens, writing

if TYPE_CHECKING:
    from conftest import World

pytestmark = pytest.mark.e2e


def test_a_headless_session_names_its_model(world: World) -> None:
    """No hook of it reports the model; every answer does."""
    world.enable()
    repo, claude = world.repo, world.claude
    world.server.script.add(writing(world, "add hello", "hello.py", "hi\n", 0))
    session = claude.headless("add hello", repo.path).session
    assert all(not event.get("model") for event in claude.events("UserPromptSubmit", session))
    records = [json.loads(line) for line in claude.transcript(session).read_bytes().splitlines()]
    (model,) = {record["message"]["model"] for record in records if record["type"] == "assistant"}
    (known,) = json.loads(repo.run("entire", "status", "--json"))["sessions"]
    assert (known["session_id"], known["model"], known["first_prompt"]) == (session, model, "add hello")
    repo.commit("Add hello")
    assert model in repo.run("entire", "explain", "--commit", "HEAD", "--no-pager")


def test_a_session_whose_agent_does_not_find_entire_is_named(world: World) -> None:
    """Its hooks are silent; its own file and the commit that it makes are the evidence."""
    world.enable()
    repo, claude = world.repo, world.claude
    path = claude.environment["PATH"].partition(os.pathsep)[2]
    assert shutil.which("entire", path=path) is None
    claude.environment["PATH"] = path
    world.server.script.add(
        turn(
            "add hello",
            answer(tool("Write", file_path=world.path("hello.py"), content="hi\n"), usage=cost(0)),
            shell("git add hello.py && git commit -q -m 'Add hello'", 1),
            answer(text("done"), usage=cost(2)),
        )
    )
    session = claude.headless("add hello", repo.path).session
    assert repo.git("log", "-1", "--format=%B").strip() == "Add hello"
    status = json.loads(repo.run("entire", "status", "--json"))
    assert [(found["agent"], found["session_ids"]) for found in status["unrecorded"]] == [("Claude Code", [session])]
    (unlinked,) = status["unlinked"]
    assert unlinked["commit"] == repo.head()
    assert f"session {session} of Claude Code, which was not recorded" in unlinked["reason"]


def test_a_replaced_git_hook_is_announced_when_a_session_starts(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    (repo.path / ".git/hooks/post-commit").write_text("#!/bin/sh\n")
    world.server.script.add(turn("hello", answer(text("hi"), usage=cost(0))))
    session = claude.headless("hello", repo.path).session
    shown = [record["attachment"] for record in claude.records(session) if record["type"] == "attachment"]
    messages = [found["content"] for found in shown if found["type"] == "hook_system_message"]
    assert messages == [
        "entire: commits may not be linked: the git hook post-commit was replaced by another program;"
        " `entire status` says what to do"
    ]
    assert (repo.path / ".git/hooks/post-commit").read_text() == "#!/bin/sh\n"


def test_what_the_shell_changes_is_found(world: World) -> None:
    repo = world.repo
    repo.write("old.txt", "old\n")
    repo.write("sub/keep.txt", "keep\n")
    repo.commit("More files")
    world.enable()
    world.server.script.add(
        turn(
            "tidy up",
            shell("cd sub", 0),
            shell("printf 'x\\ny\\n' > new.txt && rm ../old.txt", 1),
            answer(text("tidy"), usage=cost(2)),
        )
    )
    run = world.claude.headless("tidy up", repo.path)
    assert repo.path.joinpath("sub/new.txt").read_text() == "x\ny\n"
    session = only(repo.linked(repo.commit("Tidy up")), run.session)
    assert session.metadata["files_touched"] == ["old.txt", "sub/new.txt"]
    assert session.tokens == tokens(0, 1, 2)
    assert lines(session) == (2, 0, 100)
    assert_up_to(world, run.session, session.transcript, "tidy")
    assert_quiet(repo)


def test_a_persons_lines_stay_the_persons(world: World) -> None:
    world.enable()
    repo = world.repo
    world.server.script.add(writing(world, "write a", "a.txt", "1\n2\n3\n", 0))
    repo.write("before.txt", "mine\n")
    run = world.claude.headless("write a", repo.path)
    repo.write("a.txt", "1\n2\n3\n4\n")
    session = only(repo.linked(repo.commit("Add both")), run.session)
    assert session.metadata["files_touched"] == ["a.txt"]
    assert lines(session) == (3, 2, 60)
    assert_quiet(repo)


def test_two_sessions_at_once_are_kept_apart(world: World) -> None:
    world.enable()
    repo = world.repo
    reached, opened, wait = world.gate("hold")
    write = tool("Write", file_path=world.path("a.txt"), content="a\n")
    world.server.script.add(
        turn("write a slowly", answer(write, usage=cost(0)), shell(wait, 1), answer(text("a is there"), usage=cost(2))),
        writing(world, "write b", "b.txt", "b\n", 3),
    )
    with world.claude.start("write a slowly", repo.path) as running:
        slow = running.session
        world.wait(reached.exists, "the first session to be in its turn")
        quick = world.claude.headless("write b", repo.path).session
        only_b = only(repo.linked(repo.commit("Add b", "b.txt")), quick)
        opened.touch()
        running.finish()
    assert (only_b.metadata["files_touched"], only_b.tokens, lines(only_b)) == (["b.txt"], tokens(3, 4), (1, 0, 100))
    only_a = only(repo.linked(repo.commit("Add a")), slow)
    assert (only_a.metadata["files_touched"], only_a.tokens, only_a.start) == (["a.txt"], tokens(0, 1, 2), 0)
    assert lines(only_a) == (1, 0, 100)
    assert_up_to(world, slow, only_a.transcript, "a is there")
    assert_up_to(world, quick, only_b.transcript, "write b: done")
    assert_quiet(repo)


def test_hooks_of_the_user_and_of_the_project_count_once(world: World) -> None:
    world.enable()
    world.enable("--user")
    repo = world.repo
    world.server.script.add(writing(world, "write x", "sub/deep/x.py", "x = 1\n", 0))
    run = world.claude.headless("write x", repo.path)
    session = only(repo.linked(repo.commit("Add x")), run.session)
    assert (session.metadata["files_touched"], session.tokens) == (["sub/deep/x.py"], tokens(0, 1))
    assert session.metadata["checkpoints_count"] == 1
    assert_up_to(world, run.session, session.transcript, "write x: done")
    assert_quiet(repo)


def test_hooks_of_the_user_do_nothing_in_other_repositories(world: World) -> None:
    world.enable("--user")
    other = Repo(world.folder / "other", world.repo.environment)
    call = tool("Write", file_path=str(other.path / "a.txt"), content="a\n")
    world.server.script.add(turn("write a", answer(call, usage=cost(0)), answer(text("done"), usage=cost(1))))
    world.claude.headless("write a", other.path)
    assert other.ids(other.commit("Add a")) == []
    assert other.refs() == []
    assert sorted(p.name for p in other.path.iterdir()) == [".git", "README.md", "a.txt"]
    assert not (other.path / ".git" / "entire-sessions").exists()
