"""Stories with the real Claude Code: sessions that go on in another clone, under another home and another path."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from repo import CHECKPOINTS
from script import answer, text, tool, turn
from stories import cost, dialogue, only, prompt_line, said, tokens, writing
from table import BOTH

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import World
    from repo import Repo

pytestmark = pytest.mark.e2e

SECRET = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"
MARK = "[REDACTED:github-token]"
FIRST = f"write a; the key is {SECRET}"
STORED_FIRST = FIRST.replace(SECRET, MARK)
THEN = [f"> {STORED_FIRST}", "I write it.", f"{STORED_FIRST}: done"]


@pytest.fixture
def origin(world: World) -> Path:
    """Return the shared repository; the world's person pushes sessions, too."""
    world.enable("--push-sessions")
    return world.share()


def work(world: World, name: str, first: int, *, prompt: str = "", resume: str | None = None) -> str:
    """Let a session write a file that is committed by its person; return its id."""
    asked = prompt or f"write {name}"
    world.server.script.add(writing(world, asked, f"{name}.txt", f"{name}\n", first))
    run = world.claude.headless(asked, world.repo.path, resume=resume)
    assert run.status == 0, run.stderr
    world.repo.commit(f"Add {name}")
    return run.session


def feature(world: World) -> str:
    """Let a session work on the branch ``feature`` and push it; return its id."""
    world.repo.git("switch", "-q", "-c", "feature")
    session = work(world, "a", 0, prompt=FIRST)
    world.repo.git("push", "-q", "-u", "origin", "feature")
    return session


def whats(done: dict[str, Any]) -> dict[str, str]:
    """Return what became of each session's transcript."""
    return {session["session_id"]: session["what"] for session in done["sessions"]}


def slot(repo: Repo, session: str) -> Any:
    """Return the session's part of HEAD's checkpoint."""
    return repo.linked("HEAD").session(session)


@BOTH
def test_and_comes_back(world: World, origin: Path) -> None:
    session = feature(world)
    own = world.claude.transcript(session).read_bytes()
    there = world.elsewhere(origin)
    there.repo.resume("feature")
    work(there, "b", 2, resume=session)
    there.repo.git("push", "-q")

    world.repo.git("pull", "-q")
    assert whats(world.repo.resume()) == {session: "written"}
    joined = world.claude.transcript(session).read_bytes()
    assert joined.startswith(own)
    talk = [line for line in joined.splitlines() if json.loads(line)["type"] in ("user", "assistant")]
    assert MARK.encode() not in b"".join(talk)  # the newest version also notes there what it sent
    work(world, "c", 4, resume=session)
    history = [line.replace(MARK, SECRET) for line in THEN]
    asked = dialogue(world.server.last("write c"))
    assert asked == [*history, "> write b", "I write it.", "write b: done", "> write c", "I write it."]
    kept = slot(world.repo, session)
    assert kept.prompts == [STORED_FIRST, "write b", "write c"]
    assert (kept.tokens, kept.metadata["files_touched"]) == (tokens(4, 5), ["c.txt"])
    assert kept.start == prompt_line(world, session, "write c")


def test_after_a_squash_with_several_checkpoints(world: World, origin: Path) -> None:
    repo = world.repo
    repo.git("switch", "-q", "-c", "feature")
    first = work(world, "a", 0, prompt=FIRST)
    work(world, "b", 2, resume=first)
    second = work(world, "c", 4)
    ids = [repo.ids(commit)[0] for commit in repo.commits("main")]
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--squash", "feature")
    repo.git("commit", "-q", "-m", "All of it\n\n" + "".join(f"Entire-Checkpoint: {i}\n" for i in ids))
    assert repo.ids("HEAD") == ids
    repo.git("push", "-q", "origin", "main")

    there = world.elsewhere(origin)
    done = there.repo.resume("main")
    assert whats(done) == {first: "written", second: "written"}
    assert [found["checkpoint_id"] for found in done["sessions"]] == ids[1:]
    work(there, "d", 6, resume=first)
    history = [*THEN, "> write b", "I write it.", "write b: done"]
    assert dialogue(world.server.last("write d")) == [*history, "> write d", "I write it."]
    kept = only(there.repo.linked("HEAD"), first)
    assert (kept.tokens, kept.metadata["files_touched"]) == (tokens(6, 7), ["d.txt"])
    work(there, "e", 8, resume=second)
    assert dialogue(world.server.last("write e")) == [
        *("> write c", "I write it.", "write c: done"),
        *("> write e", "I write it."),
    ]
    assert only(there.repo.linked("HEAD"), second).tokens == tokens(8, 9)


def test_a_newer_local_transcript_is_kept(world: World, origin: Path) -> None:
    session = feature(world)
    there = world.elsewhere(origin)
    there.repo.resume("feature")
    world.server.script.add(turn("only talk", answer(text("we talked"), usage=cost(2))))
    there.claude.headless("only talk", there.repo.path, resume=session)
    local = there.claude.transcript(session).read_bytes()
    (found,) = there.repo.resume("feature")["sessions"]
    assert (found["what"], found["is_newer"], found["kept"]) == ("unchanged", True, False)
    assert there.claude.transcript(session).read_bytes() == local

    work(world, "b", 4, resume=session)  # the same session goes on at both places
    world.repo.git("push", "-q")
    there.repo.git("pull", "-q")
    there.claude.headless("only talk", there.repo.path, resume=session)
    local = there.claude.transcript(session).read_bytes()
    (found,) = there.repo.resume("feature")["sessions"]
    assert (found["what"], found["is_newer"], found["kept"]) == ("kept", True, True)
    assert there.claude.transcript(session).read_bytes() == local

    done = there.repo.resume("feature", "--force")
    assert whats(done) == {session: "written"}
    work(there, "c", 6, resume=session)
    asked = dialogue(world.server.last("write c"))
    assert asked == [*THEN, "> write b", "I write it.", "write b: done", "> write c", "I write it."]
    assert only_new(there, session, "c", 6)
    there.repo.git("push", "-q")


def only_new(world: World, session: str, name: str, first: int) -> bool:
    """Tell whether HEAD's checkpoint counts the turn about this file and nothing else."""
    kept = slot(world.repo, session)
    return bool(kept.tokens == tokens(first, first + 1) and kept.metadata["files_touched"] == [f"{name}.txt"])


@BOTH
def test_undo_brings_the_replaced_transcript_back(world: World, origin: Path) -> None:
    session = feature(world)
    there = world.elsewhere(origin)
    there.repo.resume("feature")
    world.server.script.add(
        turn("only talk", answer(text("we talked"), usage=cost(2))),
        turn("go on", answer(text("on"), usage=cost(3))),
    )
    there.claude.headless("only talk", there.repo.path, resume=session)
    local = there.claude.transcript(session).read_bytes()
    assert whats(there.repo.resume("feature", "--force")) == {session: "cut"}
    assert "we talked" not in said(there.claude.transcript(session).read_bytes())
    there.repo.resume("--undo")
    assert there.claude.transcript(session).read_bytes() == local
    there.claude.headless("go on", there.repo.path, resume=session)
    assert dialogue(world.server.last("go on")) == [*THEN, "> only talk", "we talked", "> go on"]


def test_only_what_is_needed_is_fetched(world: World, origin: Path) -> None:
    there = world.elsewhere(origin)
    session = feature(world)
    world.repo.git("push", "-q", "origin", "feature:other")
    before = there.repo.refs("refs/remotes/")
    done = there.repo.resume("feature")
    assert (done["branch"], done["switched"], whats(done)) == ("feature", True, {session: "written"})
    fetched = set(there.repo.refs("refs/remotes/")) - set(before)
    assert fetched == {"refs/remotes/origin/feature", "refs/remotes/origin/entire/checkpoints/v1"}
    assert CHECKPOINTS not in there.repo.refs()


@BOTH
def test_a_subagent_comes_along(world: World, origin: Path) -> None:
    write = tool("Write", file_path=world.path("note.txt"), content="note\n")
    world.server.script.add(
        turn(
            "delegate",
            answer(*world.claude.delegate("write the note"), usage=cost(0)),
            answer(text("delegated"), usage=cost(1)),
        ),
        turn("write the note", answer(write, usage=cost(2)), answer(text("note written"), usage=cost(3))),
    )
    session = world.claude.headless("delegate", world.repo.path).session
    world.repo.commit("Add the note")
    world.repo.git("push", "-q", "origin", "main")
    there = world.elsewhere(origin)
    there.repo.resume()
    (own,) = (there.claude.transcript(session).parent / session / "subagents").glob("agent-*.jsonl")
    assert said(own.read_bytes())[-1] == "note written"
    work(there, "b", 4, resume=session)
    assert dialogue(world.server.last("write b")) == ["> delegate", "delegated", "> write b", "I write it."]
    kept = slot(there.repo, session)
    assert (kept.tokens, kept.subagent_tokens) == (tokens(4, 5), tokens())
