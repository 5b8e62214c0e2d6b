"""Whether checkpoints are pushed is each person's choice: settings that a teammate committed are a proposal."""

from __future__ import annotations

import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from entire.githooks import install
from entire.layout import METADATA_BRANCH
from tests.forks import BIN
from tests.integration.commandline import Repo
from tests.integration.story import Story

CHECKPOINTS = f"refs/heads/{METADATA_BRANCH}"
LOCAL = ".entire/settings.local.json"
SHARED = ".entire/settings.json"


class Clone(Repo):
    """A fresh clone of a repository whose settings a teammate committed, with a checkpoint that nobody has pushed."""

    def checkpoints_arrive(self) -> bool:
        """Push a new commit as hooks do in a terminal; tell whether checkpoints came along."""
        self.git("commit", "-q", "--allow-empty", "-m", "More")
        self.git("push", "-q", "origin", "HEAD")
        return bool(self.git("ls-remote", "origin", CHECKPOINTS))

    def says(self) -> tuple[bool | None, str, bool]:
        view = self.json("status")
        return view["push_sessions"], os.path.relpath(view["push_sessions_file"], self.top), view["is_pushing"]

    @property
    def pushing(self) -> str:
        (line,) = [line for line in self.ok("status").splitlines() if line.startswith("Pushing")]
        return line.removeprefix("Pushing").strip()


def clone_with(
    shared: bool, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Clone:
    story = Story(folder / "team", enable=False)
    assert (
        story.entire("enable", "--agent", "claude-code", "--push-sessions" if shared else "--skip-push-sessions") == 0
    )
    story.commit("Enable entire")
    bare = folder / "remote.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(story.root), str(bare)], check=True)
    top = folder / "clone"
    subprocess.run(["git", "clone", "-q", str(bare), str(top)], check=True)
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(top)
    clone = Clone(top, capsys)
    clone.git("update-ref", CHECKPOINTS, clone.git("commit-tree", "HEAD^{tree}", "-m", "Checkpoint: a1b2c3d4e5f6"))
    return clone


@pytest.fixture
def clone(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Clone:
    return clone_with(True, tmp_path, capsys, monkeypatch)


@pytest.fixture
def private_clone(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Clone:
    return clone_with(False, tmp_path, capsys, monkeypatch)


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, answers: str) -> None:
    monkeypatch.setenv("ACCESSIBLE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))


def local(clone: Clone) -> Any:
    path = clone.top / LOCAL
    return json.loads(path.read_text())["strategy_options"] if path.exists() else None


# ---------------------------------------------------------------- before enable


def test_repaired_hooks_push_nothing_of_someone_who_never_ran_enable(clone: Clone) -> None:
    assert install.install(str(clone.top), command=str(BIN / "entire")).written
    assert not clone.checkpoints_arrive()
    done = subprocess.run(
        ["git", "push", "--all", "origin"], cwd=clone.top, capture_output=True, text=True, check=False
    )
    assert (done.returncode, f"  {CHECKPOINTS}: checkpoints" in done.stderr) == (1, True)
    assert clone.says() == (True, SHARED, False)
    assert clone.pushing == (
        f"{SHARED} asks for it, but you have not agreed in this clone, so checkpoints stay on this machine"
        " (`entire enable --push-sessions` pushes them); origin lacks 1 checkpoint commit"
    )


def test_a_hook_of_the_go_cli_pushes_nothing_either(clone: Clone) -> None:
    hook = clone.top / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\nentire hooks git pre-push "$1" || true\n')
    hook.chmod(0o755)
    assert not clone.checkpoints_arrive()


def test_a_turn_and_doctor_do_not_choose(clone: Clone) -> None:
    payload = io.TextIOWrapper(io.BytesIO(json.dumps({"session_id": "s1", "prompt": "x"}).encode()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", payload)
        assert clone.entire("hooks", "claude-code", "user-prompt-submit") == 0
    clone.entire("doctor", "--fix")
    assert clone.says() == (True, SHARED, False)
    assert not clone.checkpoints_arrive()


# ---------------------------------------------------------------- on a terminal


def test_the_proposal_is_asked_and_is_the_default(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_terminal(monkeypatch, "claude-code\n\n")
    assert clone.entire("enable") == 0
    assert f"{SHARED}, shared by your team, pushes checkpoints (prompts and transcripts)." in clone.err
    assert "Push yours, too, with every `git push`? [Y/n]" in clone.err
    assert f"`git push` also pushes them (prompts and transcripts, secrets removed), as {SHARED} says" in clone.out
    assert local(clone) is None
    assert clone.says() == (True, SHARED, True)
    assert clone.pushing == f"`git push` also pushes checkpoints ({SHARED}); origin lacks 1 checkpoint commit"
    assert clone.checkpoints_arrive()


def test_a_no_is_written_locally_and_is_not_asked_again(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_terminal(monkeypatch, "claude-code\nn\n")
    assert clone.entire("enable") == 0
    assert local(clone) == {"push_sessions": False}
    assert clone.says() == (False, LOCAL, False)
    assert clone.pushing.startswith(f"off ({LOCAL}), checkpoints stay on this machine")
    assert clone.git("status", "--porcelain") == ""
    assert not clone.checkpoints_arrive()
    on_a_terminal(monkeypatch, "claude-code\n")
    assert clone.entire("enable") == 0
    assert "git push" not in clone.err
    assert local(clone) == {"push_sessions": False}


def test_who_agreed_is_not_asked_again(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    clone.ok("enable", "--agent", "claude-code", "--push-sessions")
    on_a_terminal(monkeypatch, "claude-code\n")
    assert clone.entire("enable") == 0
    assert "git push" not in clone.err
    assert clone.says() == (True, SHARED, True)


def test_a_proposal_to_keep_them_is_not_asked(private_clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_terminal(monkeypatch, "claude-code\n")
    assert private_clone.entire("enable") == 0
    assert "git push" not in private_clone.err
    assert private_clone.says() == (False, SHARED, False)
    assert not private_clone.checkpoints_arrive()


@pytest.mark.parametrize("flag", ["--push-sessions", "--skip-push-sessions"])
def test_a_flag_asks_nothing(clone: Clone, monkeypatch: pytest.MonkeyPatch, flag: str) -> None:
    on_a_terminal(monkeypatch, "claude-code\n")
    assert clone.entire("enable", flag) == 0
    assert "Push yours" not in clone.err
    wanted = flag == "--push-sessions"
    assert clone.says() == (wanted, SHARED if wanted else LOCAL, wanted)


def test_an_agent_asks_nothing_either(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_terminal(monkeypatch, "")
    assert clone.entire("enable", "--agent", "claude-code") == 0
    assert clone.err == ""
    assert "checkpoints: stay on this machine" in clone.out
    assert local(clone) == {"push_sessions": False}  # the choice is written
    assert not clone.checkpoints_arrive()


# ---------------------------------------------------------------- without one


def test_without_a_terminal_nothing_is_pushed_and_the_choice_is_written(clone: Clone) -> None:
    assert "checkpoints: stay on this machine" in clone.ok("enable")
    assert clone.says() == (False, LOCAL, False)
    assert not clone.checkpoints_arrive()


def test_each_flag_changes_only_my_own_settings(clone: Clone) -> None:
    clone.ok("enable", "--skip-push-sessions")
    assert clone.says() == (False, LOCAL, False)
    assert clone.ok("enable", "--agent", "claude-code").count("stay on this machine") == 1
    assert clone.says() == (False, LOCAL, False)
    clone.ok("enable", "--push-sessions")
    assert clone.says() == (True, LOCAL, True)
    assert clone.git("status", "--porcelain") == ""
    assert clone.checkpoints_arrive()


def test_a_teammate_who_starts_pushing_changes_nothing_for_me(private_clone: Clone) -> None:
    private_clone.ok("enable")
    shared = private_clone.top / SHARED
    shared.write_text(shared.read_text().replace("false", "true"))
    assert private_clone.says() == (True, SHARED, False)
    assert not private_clone.checkpoints_arrive()


def test_a_teammate_who_stops_pushing_stops_me_until_i_choose(clone: Clone) -> None:
    clone.ok("enable", "--push-sessions")
    shared = clone.top / SHARED
    shared.write_text(json.dumps({"strategy_options": {"push_sessions": False}}))
    assert clone.says() == (False, SHARED, False)
    assert not clone.checkpoints_arrive()
    clone.ok("enable", "--push-sessions")
    assert clone.says() == (True, LOCAL, True)
    assert clone.checkpoints_arrive()
