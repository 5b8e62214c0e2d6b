"""What ``enable`` writes is nobody's work (linking.md section 1); what people and agents add to it counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.kept import lines, slot_of
from tests.integration.story import Session, Story

SETTINGS = ".claude/settings.json"


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(tmp_path / "repo", enable=False)


def first_turn(story: Story) -> Session:
    session = story.started()
    with session.turn("go"):
        session.write("a.py", "agent\n")
    return session


def enable(story: Story) -> None:
    assert story.entire("enable", "--agent", "claude-code") == 0


def test_the_first_commit_after_enable_counts_only_work(story: Story) -> None:
    enable(story)
    session = first_turn(story)
    story.commit("c")
    assert {SETTINGS, ".entire/settings.json"} <= set(story.git("ls-tree", "-r", "--name-only", "HEAD").split())
    record = slot_of(story, session)
    assert (record["files_touched"], lines(record)) == (["a.py"], (1, 0, 0, 0, 1))
    assert record["initial_attribution"]["agent_percentage"] == 100
    assert list(story.linked()["lineage"]["files"]) == ["a.py"]
    assert story.log_errors() == []


def test_the_first_commit_of_a_repository(tmp_path: Path) -> None:
    story = Story(tmp_path / "empty", enable=False, first_commit=False)
    enable(story)
    session = first_turn(story)
    story.commit("c")
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)


def test_a_persons_settings_beside_ours_are_the_persons(story: Story) -> None:
    own = json.dumps({"env": {"A": "1"}, "permissions": {"allow": ["Read"]}}, indent=2) + "\n"
    story.write(SETTINGS, own)
    enable(story)
    enable(story)
    session = first_turn(story)
    story.write(".entire/settings.json", story.read(".entire/settings.json").replace("{", '{\n  "more": 1,', 1))
    story.commit("c")
    agent, added, modified, _, total = lines(slot_of(story, session))
    assert (agent, added + modified, total) == (1, total - 1, total)
    assert 0 < total - 1 <= own.count("\n")  # enable adds commas to some of them


def test_lines_of_enable_in_a_tracked_file(story: Story) -> None:
    story.write(SETTINGS, json.dumps({"env": {"A": "1"}}, indent=2) + "\n")
    story.commit("settings")
    enable(story)
    session = first_turn(story)
    story.write(SETTINGS, story.read(SETTINGS).replace('"A": "1"', '"A": "2"'))
    story.commit("c")
    assert lines(slot_of(story, session)) == (1, 0, 1, 0, 2)


def test_what_an_agent_adds_later_is_its_own(story: Story) -> None:
    enable(story)
    story.commit("enable")
    session = story.started()
    with session.turn("allow"):
        session.edit(SETTINGS, '"permissions": {', '"env": {"A": "1"},\n  "permissions": {')
    story.commit("c")
    record = slot_of(story, session)
    assert (record["files_touched"], lines(record)) == ([SETTINGS], (1, 0, 0, 0, 1))


def test_a_damaged_note_counts_the_lines_as_before(story: Story) -> None:
    enable(story)
    story.path(".git/entire/setup.json").write_text('{"a": 1}')
    session = first_turn(story)
    story.commit("c")
    assert lines(slot_of(story, session))[0] == 1
    assert lines(slot_of(story, session))[-1] > 1
