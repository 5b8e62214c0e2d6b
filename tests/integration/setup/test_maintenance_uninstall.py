"""Taking Entire out of a repository, as a library user does it: a request in, a view out."""

from __future__ import annotations

import os
from pathlib import Path

from entire.githooks.scripts import NAMES as HOOKS
from entire.model.requests import EnableRequest, UninstallRequest
from entire.workspace import Workspace
from tests.integration.setup.test_reset import worked
from tests.integration.story import Story


def test_uninstall_returns_what_it_removed(story: Story) -> None:
    home = Path(os.environ["HOME"])
    worked(story)
    workspace = Workspace.find(story.root)
    assert workspace.setup.enable(EnableRequest(agents=("demo",), user=True)).agents[0].path.startswith(str(home))
    assert [(one.steps, one.open_files) for one in workspace.sessions.uncommitted()] == [(1, ("a.py",))]
    done = workspace.setup.uninstall(UninstallRequest())
    assert [(one.agent, one.scope) for one in done.agents] == [("Claude Code", "project")]
    assert [os.path.basename(path) for path in done.git_hooks] == list(HOOKS)
    assert (done.left, done.step_branches, done.checkpoints_branch) == ((), 1, "")
    assert not workspace.maintenance.status().is_set_up
    assert workspace.sessions.uncommitted() == []
    assert story.git("for-each-ref", "refs/heads/entire", "refs/entire") == ""
    again = workspace.setup.uninstall(UninstallRequest(user=True))
    assert [(one.agent, one.scope) for one in again.agents] == [("Demo Agent", "user")]
    assert (again.git_hooks, again.step_branches) == ((), 0)


def test_uninstall_leaves_checkpoints_and_takes_its_lines_out_of_files_of_others(story: Story) -> None:
    worked(story)
    story.commit("First", env={"ENTIRE_TEST_TTY": "1"})
    hooks = story.root / "hooks"
    hooks.mkdir()
    (hooks / "post-commit").write_text("#!/bin/sh\nexit 0\n")
    story.commit("Hooks")
    story.git("config", "core.hooksPath", "hooks")
    workspace = Workspace.find(story.root)
    workspace.setup.enable(EnableRequest(agents=("claude-code",)))
    workspace.setup.add_hook_lines()
    done = workspace.setup.uninstall(UninstallRequest())
    assert done.checkpoints_branch == "entire/checkpoints/v1"
    assert [os.path.relpath(path, story.root) for path in done.edited] == [f"hooks/{name}" for name in HOOKS]
    assert os.listdir(hooks) == ["post-commit"]
    assert (hooks / "post-commit").read_text() == "#!/bin/sh\nexit 0\n"
    assert story.git("rev-parse", "--verify", done.checkpoints_branch)
