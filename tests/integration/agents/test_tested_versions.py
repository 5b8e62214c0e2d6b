"""`entire status` names the versions of an agent that were tested, and another one that ran here."""

from __future__ import annotations

import json

import pytest

from entire.agents import registry
from tests.integration.commandline import Command
from tests.integration.story import Story

TESTED = " and ".join(registry.BUILTIN["claude-code"].tested_versions)


CASES = [("2.1.197", ""), ("2.1.332", ""), ("2.1.999", "2.1.999 ran here, "), ("", "")]


@pytest.mark.parametrize(("ran", "other"), CASES)
def test_status_names_versions(story: Story, capsys: pytest.CaptureFixture[str], ran: str, other: str) -> None:
    for version in ("2.1.1", ran):  # the newest session tells
        session = story.started()
        session.prompt("begin")
        session.answer({"type": "text", "text": 'it says "version": "9.9.9"'})
        session.hook("stop")
        told = session.file.read_text()
        assert '"version": "2.1.197"' in told
        session.file.write_text(told.replace('"version": "2.1.197"', f'"version": "{version}"'))
    (line,) = [row for row in Command(story, capsys, "status")().splitlines() if "tested with" in row]
    assert line.endswith(f"  .claude/settings.json ({other}tested with {TESTED})")
    hooks = json.loads(Command(story, capsys, "status")("--json"))["hooks"]
    assert [(row["name"], row["version"]) for row in hooks if row["tested_versions"]] == [("Claude Code", ran)]
