"""Sessions that the Go Entire CLI ran with auto-commit go on with ours, under either strategy: tokens count once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.interop import strict
from tests.interop.takeover import Taken, World
from tests.interop.test_golden_continued import NEW_TURN, is_sound, lines, plus, tokens

# stage, tokens of answers that the Go CLI did not count: it gives a task's checkpoint none, and its turn no commit
STAGES = [
    ("auto/01-one-turn", [0, 0, 0]),
    ("auto/02-subagent", [1100, 51, 2]),
    ("auto/03-third-turn", [0, 0, 0]),
]


def choose(world: World, strategy: str) -> None:
    assert world.entire("enable", "--agent", "claude-code", "--strategy", strategy) == 0


def resumed(world: World) -> Taken:
    session = world.taken()
    session.hook("session-start", source="resume")
    return session


def state_of(world: World, session: Taken) -> dict[str, Any]:
    return strict.state((world.root / ".git/entire-sessions" / f"{session.id}.json").read_text())


def forget_ours(world: World, session: Taken) -> None:
    """Rewrite the state as the Go CLI does, without the key that it does not know."""
    path = world.root / ".git/entire-sessions" / f"{session.id}.json"
    value = json.loads(path.read_text())
    del value["entire_py"]
    path.write_text(json.dumps(value))


@pytest.mark.parametrize(("stage", "uncounted"), STAGES)
def test_a_commit_of_a_person_after_a_change_of_strategy(stage: str, uncounted: list[int], tmp_path: Path) -> None:
    world = World(stage, tmp_path)
    choose(world, "manual-commit")
    session = resumed(world)
    before, head = len(session.file.read_text().splitlines()), world.head()
    with session.turn("One more"):
        session.write("more.py", "one\ntwo\n")
    assert world.head() == head
    world.commit("More")
    slot = world.linked()["slots"][session.id]
    assert (slot["strategy"], slot["files_touched"], lines(slot)) == ("manual-commit", ["more.py"], [2, 0])
    assert tokens(slot) == plus(uncounted, NEW_TURN)
    assert slot["checkpoint_transcript_start"] == before
    assert slot["prompts"][-1] == "One more"
    is_sound(world)


def agreed(world: World) -> World:
    """Choose the strategy that the committed settings propose."""
    assert world.entire("enable", "--agent", "claude-code", "--strategy", "auto-commit") == 0
    return world


@pytest.mark.parametrize(("stage", "uncounted"), STAGES)
def test_the_next_turn_is_committed(stage: str, uncounted: list[int], tmp_path: Path) -> None:
    world = agreed(World(stage, tmp_path))
    session = resumed(world)
    before, head = len(session.file.read_text().splitlines()), world.head()
    with session.turn("One more"):
        session.write("more.py", "one\ntwo\n")
    assert world.git("log", "--format=%s %P", f"{head}..").strip() == f"One more {head}"
    slot = world.linked()["slots"][session.id]
    assert (slot["strategy"], slot["files_touched"], lines(slot)) == ("auto-commit", ["more.py"], [2, 0])
    assert tokens(slot) == plus(uncounted, NEW_TURN)
    assert slot["checkpoint_transcript_start"] == before
    assert slot["transcript"] == session.file.read_text()
    assert slot["checkpoints_count"] == 1  # the Go CLI's count of commits is none of steps
    is_sound(world)


def test_the_go_cli_can_go_on_after_our_commit(tmp_path: Path) -> None:
    """Its next turn counts from where ours ended, on the commit that we made; then ours again, each token once."""
    world = agreed(World("auto/03-third-turn", tmp_path))
    session = resumed(world)
    with session.turn("One more"):
        session.write("more.py", "one\ntwo\n")
    state = state_of(world, session)
    assert state["checkpoint_transcript_start"] == len(session.file.read_text().splitlines())
    assert state["base_commit"] == world.head()
    assert (state["phase"], state.get("files_touched"), state.get("turn_checkpoint_ids")) == ("idle", None, None)
    forget_ours(world, session)
    with session.turn("And more"):
        session.write("again.py", "three\n")
    slot = world.linked()["slots"][session.id]
    assert slot["files_touched"] == ["again.py"]
    assert tokens(slot) == [2**22 + 2**23, 20, 2]
    is_sound(world)


def test_what_the_go_cli_kept_of_a_turn_is_not_committed_twice(tmp_path: Path) -> None:
    """The files of its commits are nobody's open work, though its state says two steps."""
    world = agreed(World("auto/03-third-turn", tmp_path))
    session = resumed(world)
    head = world.head()
    with session.turn("Say something"):
        pass
    assert world.head() == head
    assert state_of(world, session).get("files_touched") is None
    is_sound(world)


def test_a_turn_that_the_go_cli_began(tmp_path: Path) -> None:
    """Ours ends it: what was dirty before the prompt is a person's, the rest is committed, with its tokens."""

    def begin(world: World) -> None:
        world.write("mine.txt", "typed\n")
        (path,) = (world.root / ".git/entire-sessions").glob("*.json")
        state = json.loads(path.read_text())
        state.update(phase="active", turn_id="0a1b2c3d4e5f", ended_at=None)
        path.write_text(json.dumps(state))
        count = len(Path(state["transcript_path"]).read_text().splitlines())
        note = {"session_id": path.stem, "untracked_files": ["mine.txt"], "step_transcript_start": count}
        (world.root / f".entire/tmp/pre-prompt-{path.stem}.json").write_text(json.dumps(note))

    world = agreed(World("auto/03-third-turn", tmp_path, change=begin))
    session, head = world.taken(), world.head()
    session.prompt_id = "p"
    session.record("user", promptId="p", promptSource="sdk", message={"role": "user", "content": "One more"})
    session.write("more.py", "one\ntwo\n")
    session.stop()
    assert world.git("log", "--format=%s", f"{head}..").splitlines() == ["One more"]
    slot = world.linked()["slots"][session.id]
    assert (slot["files_touched"], lines(slot), tokens(slot)) == (["more.py"], [2, 0], NEW_TURN)
    assert world.git("status", "--porcelain", "mine.txt") == "?? mine.txt\n"
    is_sound(world)
