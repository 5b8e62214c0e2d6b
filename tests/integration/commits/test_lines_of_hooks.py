"""What a commit's own hooks changed is nobody's: no command gives it to a person."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.story import Story


@pytest.fixture
def story(tmp_path: Path) -> Story:
    story = Story(tmp_path / "repo")
    hook = story.path(".git/hooks/pre-commit")
    hook.write_text("#!/bin/sh\necho '# checked_by_the_hook_of_the_commit' >>a.py\ngit add a.py\n")
    hook.chmod(0o755)
    session = story.started()
    with session.turn("Write a function"):
        session.write("a.py", "def function_of_the_agent(argument):\n    return argument\n")
    story.commit("Checked")
    return story


def shown(story: Story, capsys: pytest.CaptureFixture[str], *args: str) -> str:
    capsys.readouterr()
    assert story.entire(*args) == 0
    return capsys.readouterr().out


def test_pages_and_lists_name_the_hooks(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    for args in (("explain", "--commit", "HEAD"), ("show", "HEAD"), ("log", "-p", "HEAD~1..HEAD")):
        text = shown(story, capsys, *args)
        assert "the commit's hooks" in text, args
        assert "a person" not in text, args


def test_json_and_stories_do_not_count_them_as_a_persons(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    assert '"is_by_hook": true' in shown(story, capsys, "explain", "--commit", "HEAD", "--json")
    told = json.loads(shown(story, capsys, "story", "HEAD~1..HEAD", "--json"))
    assert (told["by_agents"], told["by_people"]) == (2, 0)
