"""The demonstration works: it checks itself what it tells."""

from __future__ import annotations

import pytest

from entire_demo_agent import story


def test_the_story_comes_true(capsys: pytest.CaptureFixture[str]) -> None:
    code = story.main(["--no-claude"])
    told = capsys.readouterr()
    assert code == 0, told.out + told.err
    for line in (
        "$ entire enable --agent demo",
        "$ entire explain --commit HEAD --no-pager",
        "Enabled (manual-commit)",
        "$ entire rewind --to HEAD --yes",
        "$ entire rewind --undo --yes",
        "$ entire resume",
        story.MEMORY,
    ):
        assert line in told.out
    assert len(story.TRAILER.findall(told.out.replace("    Entire", "Entire"))) == 1
