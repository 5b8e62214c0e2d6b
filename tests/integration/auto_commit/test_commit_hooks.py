"""The repository's own hooks, run for a commit that Entire makes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from entire import layout
from entire.git import commit_hooks
from entire.git.commit_hooks import CommitHooks, HookError
from tests.integration.story import Story


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(tmp_path / "repo", enable=False)


def hooks(story: Story, name: str, text: str, seconds: float = 20.0) -> CommitHooks:
    path = story.root / ".git/hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    place = layout.find(str(story.root))
    assert place is not None
    return commit_hooks.make(place, str(story.root / "own-index"), seconds, {"MARK": "here"})


def test_a_hook_sees_the_index_and_no_way_to_ask(story: Story) -> None:
    text = (
        '#!/bin/sh\necho "$GIT_INDEX_FILE|$GIT_EDITOR|$MARK|$PWD|$1" >seen\nread answer </dev/tty && exit 9\nexit 0\n'
    )
    found = hooks(story, "pre-commit", text)
    assert found.has("pre-commit")
    assert not found.has("commit-msg")
    found.run("pre-commit", "given")
    assert story.read("seen") == f"{story.root}/own-index|:|here|{story.root}|given\n"


def test_a_script_without_an_interpreter_runs_too(story: Story) -> None:
    hooks(story, "pre-commit", "echo ran >seen\n").run("pre-commit")
    assert story.read("seen") == "ran\n"


def test_a_failing_hook_says_why(story: Story) -> None:
    with pytest.raises(HookError, match="the commit-msg hook failed: no ticket"):
        hooks(story, "commit-msg", "#!/bin/sh\necho first >&2\necho no ticket >&2\nexit 3\n").run("commit-msg")
    with pytest.raises(HookError, match="the commit-msg hook failed with status 3"):
        hooks(story, "commit-msg", "#!/bin/sh\nexit 3\n").run("commit-msg")
    with pytest.raises(HookError, match="cannot be started"):
        hooks(story, "commit-msg", "#!/no/such/program\n").run("commit-msg")


def test_a_hook_that_takes_too_long_is_stopped(story: Story) -> None:
    found = hooks(story, "pre-commit", "#!/bin/sh\nsleep 30\n", seconds=0.3)
    start = time.monotonic()
    with pytest.raises(HookError, match=r"did not finish within 0\.3 seconds"):
        found.run("pre-commit")
    assert time.monotonic() - start < 10


def test_what_a_hook_leaves_running_goes_on(story: Story) -> None:
    text = "#!/bin/sh\n(sleep 0.4; echo later >seen) >/dev/null 2>&1 &\n"
    hooks(story, "post-commit", text).run("post-commit")
    deadline = time.monotonic() + 20
    while not story.path("seen").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert story.path("seen").exists()
