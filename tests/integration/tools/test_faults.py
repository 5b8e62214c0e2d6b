"""A bounded part of the campaign (``make faults`` plays all of it), and what it found, each as a test of its own."""

from __future__ import annotations

import errno
import os
import tempfile
import uuid
from pathlib import Path

import pytest

from entire.errors import EntireError
from entire.undo import backups
from entire.workspace import Workspace
from tests.campaign import kills
from tests.campaign.crowds import CROWDS
from tests.campaign.damage import FILES, FOLDER, OTHERS, damage_file, damage_other, with_undo_point
from tests.campaign.hurt import NEVER, Fault
from tests.campaign.scenarios import SCENARIOS, Stage, limits, spread
from tests.campaign.worlds import World
from tests.integration.kept import PERSON, check
from tests.integration.rewinding import rewind
from tests.integration.story import Session, Story

ERRORS = ("disk full", "disk full once", "no permission once", "unreadable", "git killed", "small files", "clock back")


_FOLDER = tempfile.TemporaryDirectory(prefix="entire-faults-", ignore_cleanup_errors=True)


@pytest.fixture
def place() -> Path:
    """The same folder for each test: the beginning of the world in it is played once."""
    return Path(_FOLDER.name).resolve() / "world"


def play(stage: Stage, kind: str, count: int) -> None:
    """Play a scenario with a fault at some of its calls, evenly spread."""
    points = list(spread(limits(kind, stage.count(kind)), count + 2))
    for at in points[1:-1] or points:
        try:
            stage.play(Fault(kind, at))
        except AssertionError as error:
            raise AssertionError(f"{kind} at {at} of {stage.count(kind)}") from error


@pytest.mark.parametrize(
    ("name", "kind"), [(name, ERRORS[number % len(ERRORS)]) for number, name in enumerate(SCENARIOS)]
)
def test_killed_and_failing(name: str, kind: str, place: Path) -> None:
    """One prepared scenario for both: to prepare it takes as long as to play it."""
    stage = Stage(SCENARIOS[name], place)
    play(stage, "kill", 2)
    play(stage, kind, 1)


@pytest.mark.skipif("ENTIRE_LONG" not in os.environ, reason="when a kill comes is chance: ENTIRE_LONG=1, make kills")
def test_a_group_is_killed_at_random_moments(tmp_path: Path) -> None:
    """A few of ``make kills``."""
    assert kills.play(["a turn's end after the agent's commit"], 3, 1, tmp_path)[1] == []


def test_killed_as_a_real_process(place: Path) -> None:
    stage = Stage(SCENARIOS["rewind --to"], place)
    assert stage.play_killed(60, group=False) == "in time"
    stage.play_killed(0.12, group=False)
    stage.play_killed(0.2, group=True)


@pytest.fixture
def world(place: Path) -> World:
    return World(place)


@pytest.mark.parametrize(("name", "way"), [(name, ("half", FOLDER)[number % 2]) for number, name in enumerate(FILES)])
def test_a_damaged_file(name: str, way: str, world: World) -> None:
    with_undo_point(world)
    damage_file(world, name, way)


@pytest.mark.parametrize("name", ["journal.json", "snapshot.json"])
def test_other_types_in_a_file(name: str, world: World) -> None:
    assert damage_file(world, name, "other types") in ("begins anew", "nothing lost")


@pytest.mark.parametrize("name", OTHERS)
def test_other_damage(name: str, world: World) -> None:
    damage_other(world, name)


@pytest.mark.parametrize("name", [name for name in CROWDS if not name.startswith("a killed")])
def test_at_once(name: str, world: World) -> None:
    world.save()
    CROWDS[name](world)


# ---------------------------------------------------------------- found by the campaign


def test_a_turn_whose_beginning_was_not_seen_has_only_what_its_tools_reported(story: Story) -> None:
    """The hook of its prompt was killed: what a person did before the prompt is not the session's."""
    session = story.session()
    session.start()
    with session.turn("One"):
        session.write("a.py", "a\n")
    story.write("mine.py", "mine\n")
    session.prompt_id = str(uuid.uuid4())
    session.record("user", promptId=session.prompt_id, promptSource="sdk", message={"role": "user", "content": "Two"})
    session.write("b.py", "b\n")
    session.stop()
    story.commit("all", env=PERSON)
    check(story, "HEAD", ["a.py", "b.py"])
    assert story.linked()["slots"][session.id]["prompts"] == ["One", "Two"]
    assert story.log_errors() == []


@pytest.fixture
def played(story: Story, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    session = story.session()
    session.start()
    for number in range(2):
        with session.turn(f"Turn {number}"):
            session.write(f"f{number}.py", f"{number}\n")
            session.write("both.py", f"{number}\n")
    return session


def test_a_full_disk_does_not_make_a_rewind_in_part(
    story: Story, played: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be saved for want of space is not a file that is left alone: nothing changes."""
    duplicate = backups.duplicate

    def full(source: str, target: str, mode: int) -> None:
        if source.endswith("f1.py"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), target)
        duplicate(source, target, mode)

    monkeypatch.setattr(backups, "duplicate", full)
    point, conversation = Workspace.find(story.root).points.listing()[1], played.file.read_bytes()
    with pytest.raises(EntireError, match="No space left on device"):
        rewind(story, point.id)
    assert (story.read("both.py"), story.path("f1.py").exists()) == ("1\n", True)
    assert played.file.read_bytes() == conversation


def test_a_campaign_can_fail(place: Path) -> None:
    """The model is not blind: a file that changes, or an answer that is counted twice, is told."""
    stage = Stage(SCENARIOS["stop"], place)
    views = (stage.count("kill"), stage.views("kill"))[1]
    stage.world.restore()
    ended = stage.scenario.act(stage.world, Fault("kill", NEVER))
    stage.world.story.write("mine.txt", "not mine\n")
    with pytest.raises(AssertionError, match=r"mine\.txt"):
        stage.scenario.then(stage.world, ended, views)
    stage.world.restore()
    stage.world.a.file.write_text(stage.world.a.file.read_text().replace('"input_tokens": 1,', '"input_tokens": 2,'))
    with pytest.raises(AssertionError):
        stage.scenario.then(stage.world, stage.scenario.act(stage.world, Fault("kill", NEVER)), stage.views("kill"))
