"""Stories with the real Claude Code: sessions, what is committed from them, and what is in git afterwards."""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from repo import Repo, joined
from script import answer, text, tool, turn
from stories import assert_quiet, assert_recorded, assert_up_to, cost, lines, only, prompt_line, shell, tokens, writing

if TYPE_CHECKING:
    from conftest import World

pytestmark = pytest.mark.e2e


def test_a_new_session_is_kept_and_linked(world: World) -> None:
    world.enable()
    repo, base = world.repo, world.repo.head()
    content = 'def hello():\n    return "hello"\n'
    world.server.script.add(writing(world, "add hello", "src/hello.py", content, 0))
    run = world.claude.headless("add hello", repo.path)
    assert (run.status, run.result["result"]) == (0, "add hello: done")

    step = repo.shadow(base)
    kept = repo.blobs(step)
    assert kept["src/hello.py"].decode() == content
    assert kept["README.md"] == b"# Scratch\n"
    assert_up_to(world, run.session, joined(kept, f".entire/metadata/{run.session}/full.jsonl"), "add hello: done")
    assert repo.message(step).splitlines()[-3:] == [
        f"Entire-Metadata: .entire/metadata/{run.session}",
        f"Entire-Session: {run.session}",
        "Entire-Strategy: manual-commit",
    ]
    assert repo.checkpoint_ids() == []
    assert (repo.head(), repo.git("diff", "--cached", "--name-only")) == (base, "")

    checkpoint = repo.linked(repo.commit("Add hello"))
    session = only(checkpoint, run.session)
    assert checkpoint.root["files_touched"] == ["src/hello.py"]
    assert checkpoint.root["branch"] == "main"
    assert (session.start, session.tokens, session.prompts) == (0, tokens(0, 1), ["add hello"])
    assert lines(session) == (2, 0, 100)
    assert (
        checkpoint.files["0/context.md"]
        .decode()
        .startswith("# Session Context\n\n## User Prompts\n\n### Prompt 1\n\nadd hello\n")
    )
    assert_up_to(world, run.session, session.transcript, "add hello: done")
    assert_recorded(repo, checkpoint)
    assert repo.message("HEAD") == f"Add hello\n\nEntire-Checkpoint: {checkpoint.id}"
    assert_quiet(repo)


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


def test_three_turns_in_one_terminal_and_a_fourth_after_the_commit(world: World) -> None:
    world.enable()
    repo = world.repo
    read, change = (
        tool("Read", file_path=world.path("a.txt")),
        {"old_string": "two", "new_string": "2", "replace_all": False},
    )
    world.server.script.add(
        writing(world, "write a", "a.txt", "one\ntwo\nthree\n", 0),
        turn(
            "change a",
            answer(read, usage=cost(2)),
            answer(tool("Edit", file_path=world.path("a.txt"), **change), usage=cost(3)),
            answer(text("changed"), usage=cost(4)),
        ),
        turn("only talk", answer(text("we talked"), usage=cost(5))),
        writing(world, "write b", "b.txt", "b\n", 6),
    )
    with world.claude.terminal(repo.path) as terminal:
        for prompt in ("write a", "change a", "only talk"):
            terminal.turn(prompt)
        first = repo.linked(repo.commit("Add a"))
        session = only(first, terminal.session)
        assert session.metadata["files_touched"] == ["a.txt"]
        assert (session.start, session.tokens) == (0, tokens(0, 1, 2, 3, 4, 5))
        assert session.prompts == ["write a", "change a", "only talk"]
        assert session.metadata["checkpoints_count"] == 2  # a turn that changes nothing makes no step
        assert lines(session) == (3, 0, 100)
        assert_up_to(world, terminal.session, session.transcript, "we talked")

        terminal.turn("write b")
        session = only(repo.linked(repo.commit("Add b")), terminal.session)
        assert session.metadata["files_touched"] == ["b.txt"]
        assert session.tokens == tokens(6, 7)
        assert session.start == prompt_line(world, terminal.session, "write b")
        assert session.prompts[-1] == "write b"
        assert_up_to(world, terminal.session, session.transcript, "write b: done")
        assert only(repo.checkpoint(first.id), terminal.session).tokens == tokens(0, 1, 2, 3, 4, 5)
        terminal.exit()
    assert_quiet(repo)


def test_a_resumed_session_is_the_same_session(world: World) -> None:
    world.enable()
    repo = world.repo
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        writing(world, "write b", "b.txt", "b\nb\n", 2),
        writing(world, "write c", "c.txt", "c\n", 4),
    )
    session = world.claude.headless("write a", repo.path).session
    only(repo.linked(repo.commit("Add a")), session)
    world.claude.headless("write b", repo.path, resume=session)
    with world.claude.terminal(repo.path, resume=session) as terminal:
        terminal.turn("write c")
        terminal.exit()
    history = [m.texts[-1] for m in world.server.last("write c").conversation if m.role == "user" and m.texts]
    assert history == ["write a", "write b", "write c"]

    second = only(repo.linked(repo.commit("Add b and c")), session)
    assert second.metadata["files_touched"] == ["b.txt", "c.txt"]
    assert second.tokens == tokens(2, 3, 4, 5)
    assert second.start == prompt_line(world, session, "write b")
    assert lines(second) == (3, 0, 100)
    assert_up_to(world, session, second.transcript, "write c: done")
    assert_quiet(repo)


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


def test_a_commit_without_the_sessions_content_is_not_linked(world: World) -> None:
    world.enable()
    repo = world.repo
    world.server.script.add(writing(world, "write a", "a.txt", "a\n", 0))
    run = world.claude.headless("write a", repo.path)
    repo.write("mine.txt", "mine\n")
    assert repo.ids(repo.commit("Add mine", "mine.txt")) == []
    session = only(repo.linked(repo.commit("Add a")), run.session)
    assert (session.metadata["files_touched"], session.tokens, session.start) == (["a.txt"], tokens(0, 1), 0)
    assert_quiet(repo)


def test_clear_starts_another_session(world: World) -> None:
    world.enable()
    repo = world.repo
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        writing(world, "write b", "b.txt", "b\nb\nb\n", 2),
    )
    with world.claude.terminal(repo.path) as terminal:
        terminal.turn("write a")
        old, new = terminal.session, terminal.clear()
        assert old != new
        terminal.turn("write b")
        terminal.exit()
    checkpoint = repo.linked(repo.commit("Add both"))
    assert checkpoint.root["files_touched"] == ["a.txt", "b.txt"]
    assert {s.id for s in checkpoint.sessions} == {old, new}
    for session, name, spent, mine, share in ((old, "a.txt", tokens(0, 1), 1, 25), (new, "b.txt", tokens(2, 3), 3, 75)):
        kept = checkpoint.session(session)
        assert (kept.metadata["files_touched"], kept.tokens, kept.start) == ([name], spent, 0)
        assert lines(kept) == (mine, 0, share)
        assert_up_to(world, session, kept.transcript, f"write {name[0]}: done")
    assert_recorded(repo, checkpoint)
    assert_quiet(repo)


def test_compaction_loses_and_repeats_nothing(world: World) -> None:
    world.enable()
    repo = world.repo
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        turn(re.compile("create a detailed summary"), answer(text("<summary>a was written</summary>"), usage=cost(9))),
        writing(world, "write b", "b.txt", "b\n", 2),
    )
    with world.claude.terminal(repo.path) as terminal:
        terminal.turn("write a")
        terminal.compact()
        terminal.turn("write b")
        terminal.exit()
    session = only(repo.linked(repo.commit("Add both")), terminal.session)
    assert session.metadata["files_touched"] == ["a.txt", "b.txt"]
    assert (session.prompts, session.start) == (["write a", "write b"], 0)
    assert (session.tokens, lines(session)) == (tokens(0, 1, 2, 3), (2, 0, 100))
    assert_up_to(world, terminal.session, session.transcript, "write b: done")
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


@pytest.mark.parametrize("folder", [".", "sub/deep"])
def test_hooks_of_the_user_see_a_session_in_any_folder(world: World, folder: str) -> None:
    world.enable()  # where the project's hooks run too, each event still counts once
    world.enable("--user")
    repo = world.repo
    start = repo.path / folder
    start.mkdir(parents=True, exist_ok=True)
    world.server.script.add(writing(world, "write x", "sub/deep/x.py", "x = 1\n", 0))
    run = world.claude.headless("write x", start)
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
