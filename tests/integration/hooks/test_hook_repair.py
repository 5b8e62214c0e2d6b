"""Hooks that are missing or were replaced: repaired when a turn starts, or announced when a session does."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import entire
from entire.githooks import scripts
from entire.githooks.scripts import NAMES
from tests.integration.story import Session, Story

FOREIGN = "#!/bin/sh\n# of another program\n"


def hooks(story: Story) -> Path:
    return story.root / ".git/hooks"


def start(session: Session, capfd: pytest.CaptureFixture[str]) -> str:
    """Start a session; return what the agent shows."""
    capfd.readouterr()
    session.start()
    said = capfd.readouterr().out
    return str(json.loads(said)["systemMessage"]) if said else ""


def add(session: Session, name: str) -> None:
    with session.turn(f"write {name}") as turn:
        turn.write(name, f"{name}\nby the agent\n")


def assert_links(story: Story, session: Session, name: str = "new.txt") -> None:
    add(session, name)
    story.commit(f"Add {name}")
    assert len(story.ids()) == 1
    assert story.log_errors() == []


@pytest.mark.parametrize("lost", [NAMES, NAMES[:1], NAMES[2:]])
def test_missing_hooks_are_back_when_the_next_turn_starts(
    story: Story, capfd: pytest.CaptureFixture[str], lost: tuple[str, ...]
) -> None:
    for name in lost:
        (hooks(story) / name).unlink()
    session = story.session()
    assert start(session, capfd) == ""
    assert not (hooks(story) / lost[0]).exists()
    assert_links(story, session)
    assert {name: (hooks(story) / name).read_bytes() for name in NAMES} == {name: scripts.text(name) for name in NAMES}
    assert all(os.access(hooks(story) / name, os.X_OK) for name in NAMES)


def test_the_hooks_of_a_copied_repository_are_its_own(story: Story, capfd: pytest.CaptureFixture[str]) -> None:
    assert start(story.session(), capfd) == ""
    copy = story.root.with_name("copy")
    shutil.copytree(story.root, copy, symlinks=True)
    (copy / ".git/hooks/post-commit").write_text(FOREIGN)
    story.root = copy
    assert "post-commit was replaced" in start(story.session(), capfd)


def test_a_hook_that_is_lost_between_two_turns_is_back_at_the_second(story: Story) -> None:
    session = story.started()
    add(session, "a.txt")
    shutil.rmtree(hooks(story))
    assert_links(story, session, "b.txt")


@pytest.mark.parametrize("template", [[], ["--template="]])
def test_a_fresh_clone_links_from_its_first_turn(story: Story, tmp_path: Path, template: list[str]) -> None:
    story.git("clone", "-q", *template, str(story.root), str(tmp_path / "a clone"))
    clone = Story.__new__(Story)
    clone.root, clone.projects, clone.env = tmp_path / "a clone", story.projects, story.env
    session = clone.session()
    session.start()
    assert_links(clone, session)
    assert clone.git("status", "--porcelain") == ""
    assert (clone.root / ".git/entire/command").read_text().endswith("/entire\n")
    assert not (clone.root / ".git/entire/push").exists()


def test_a_linked_worktree_repairs_the_hooks_of_all(story: Story, tmp_path: Path) -> None:
    story.git("worktree", "add", "-q", str(tmp_path / "linked"))
    shutil.rmtree(hooks(story))
    linked = Story.__new__(Story)
    linked.root, linked.projects, linked.env = tmp_path / "linked", story.projects, story.env
    session = linked.session()
    session.start()
    assert_links(linked, session)
    assert sorted(path.name for path in hooks(story).iterdir()) == sorted(NAMES)


def test_a_local_hooks_path_is_repaired_before_the_turns_snapshot(story: Story) -> None:
    story.git("config", "core.hooksPath", "my hooks")
    assert story.entire("enable", "--agent", "claude-code") == 0
    (story.root / "my hooks/post-commit").unlink()
    session = story.started()
    session.prompt("write")
    assert (story.root / "my hooks/post-commit").exists()
    session.write("a.txt", "a\n")
    session.stop()
    assert session.state()["files_touched"] == ["a.txt"]


def test_no_folder_is_created_in_the_worktree(story: Story, capfd: pytest.CaptureFixture[str]) -> None:
    story.git("config", "core.hooksPath", "my hooks")
    session = story.started()
    add(session, "a.txt")
    assert not (story.root / "my hooks").exists()
    assert "post-commit is missing" in start(story.session(), capfd) or "(and 3 more)" in start(story.session(), capfd)


def test_what_another_program_wrote_stays_and_is_announced(story: Story, capfd: pytest.CaptureFixture[str]) -> None:
    (hooks(story) / "post-commit").write_text(FOREIGN)
    (hooks(story) / "commit-msg").unlink()
    session = story.session()
    said = start(session, capfd)
    assert said == (
        "entire: commits may not be linked: the git hook post-commit was replaced by another program; "
        "`entire status` says what to do"
    )
    add(session, "a.txt")
    assert (hooks(story) / "post-commit").read_text() == FOREIGN
    assert (hooks(story) / "commit-msg").read_bytes() == scripts.text("commit-msg")
    assert start(story.session(), capfd) == said
    story.entire("status")
    assert "the git hook post-commit was replaced by another program" in capfd.readouterr().out
    assert story.entire("enable", "--agent", "claude-code") == 0
    assert start(story.session(), capfd) == ""
    assert (hooks(story) / "post-commit.pre-entire").read_text() == FOREIGN


@pytest.mark.parametrize("scope", ["--local", "--global"])
def test_a_hooks_path_that_appears_is_announced(story: Story, capfd: pytest.CaptureFixture[str], scope: str) -> None:
    session = story.session()
    assert start(session, capfd) == ""
    folder = story.root / ".husky/_"
    folder.mkdir(parents=True)
    story.git("config", scope, "core.hooksPath", str(folder))
    add(session, "a.txt")
    said = start(story.session(), capfd)
    assert said.startswith("entire: commits may not be linked: ")
    assert "prepare-commit-msg" in said
    assert "(and 3 more)" in said


def test_a_configuration_file_that_appears_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    story = Story(tmp_path / "repo")
    assert start(story.session(), capfd) == ""
    add(story.session(), "a.txt")
    path = Path(os.environ["XDG_CONFIG_HOME"], "git/config")
    path.parent.mkdir(parents=True)
    path.write_text("[core]\n\thooksPath = /dev/null\n")
    assert start(story.session(), capfd).startswith("entire: commits may not be linked: ")


def test_hooks_of_another_version_and_of_the_go_cli_are_replaced(story: Story) -> None:
    go = '#!/bin/sh\n# Entire CLI hooks\nentire hooks git commit-msg "$1" || exit 1\n'
    (hooks(story) / "commit-msg").write_text(go)
    (hooks(story) / "post-commit").chmod(0o644)
    session = story.started()
    assert_links(story, session)
    assert (hooks(story) / "commit-msg").read_bytes() == scripts.text("commit-msg")


def test_an_upgrade_brings_its_hooks_with_the_next_turn(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    session = story.started()
    add(session, "a.txt")
    older = scripts.text("post-commit")
    monkeypatch.setattr("entire.githooks.watch.__version__", "99")
    monkeypatch.setattr(scripts, "text", lambda name: older + b"# newer\n")
    add(session, "b.txt")
    assert (hooks(story) / "post-commit").read_bytes() == older + b"# newer\n"


def test_a_repair_that_fails_disturbs_nothing(story: Story, capfd: pytest.CaptureFixture[str]) -> None:
    (hooks(story) / "post-commit").unlink()
    (story.root / ".git/entire/command").unlink()
    (story.root / ".git/entire/command").mkdir()
    os.rename(hooks(story), story.root / ".git/real")
    hooks(story).write_text("not a folder")
    session = story.session()
    said = start(session, capfd)
    assert "core.hooksPath is not a folder" in said
    add(session, "a.txt")
    assert session.state()["files_touched"] == ["a.txt"]


def test_a_broken_record_is_written_again(story: Story) -> None:
    record = story.root / ".git/entire/hooks.json"
    for content in (
        "{",
        f'{{"version": "{entire.__version__}", "files": 1}}',
        f'{{"version": "{entire.__version__}", "files": {{"/x": [1, 2, 3]}}, "problems": []}}',
        f'{{"version": "{entire.__version__}", "files": {{}}, "problems": 3}}',
    ):
        record.write_text(content)
        shutil.rmtree(hooks(story))
        session = story.started()
        add(session, "a.txt")
        assert (hooks(story) / "post-commit").exists()
        assert json.loads(record.read_text())["problems"] == []


def test_a_disabled_repository_is_left_alone(story: Story) -> None:
    assert story.entire("disable") == 0
    shutil.rmtree(hooks(story))
    session = story.started()
    session.prompt("write")
    assert not hooks(story).exists()
