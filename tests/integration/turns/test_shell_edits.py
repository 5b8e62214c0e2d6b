"""What a shell command of Claude Code 2.1.332 says it changed: it is reported, shown, and names who wrote a line."""

from __future__ import annotations

import json

from tests.integration.shown import Shown, show
from tests.integration.story import Story

__all__ = ["show"]


def test_the_command_that_wrote_a_line(story: Story, show: Shown) -> None:
    session = story.started()
    with session.turn("Use the shell"):
        for name in ("one", "two"):  # two commands that may have written each
            path = str(story.root / f"{name}.txt")
            story.write(f"{name}.txt", f"{name}\n")
            hunk = {"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 1, "lines": [f"+{name}"]}
            told = {"files": [{"filePath": path, "hunks": [hunk], "created": True}], "moreFiles": 0,
                    "changedFiles": [path]}  # fmt: skip
            session.tool("Bash", {"command": f"make {name}"}, {"stdout": "", "stderr": "", "bashEditDiff": told})
    story.commit("Both")
    assert story.linked()["slots"][session.id]["files_touched"] == ["one.txt", "two.txt"]
    for name in ("one", "two"):
        found = json.loads(show(f"{name}.txt:1", "--json", command="why"))["files"][0]["ranges"][0]
        assert found["call"]["text"] == f"make {name}"
    assert "+two" in show("HEAD")
