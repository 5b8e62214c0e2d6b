"""A partial clone: what only asks fetches nothing and names the command that does; resuming may fetch."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire import layout
from entire.git import bulk, promised
from entire.git.read import Objects
from entire.model.histories import LogRequest
from entire.store import reintroduced
from entire.workspace import Workspace
from tests.integration import secrets
from tests.integration.commandline import Repo
from tests.integration.story import Story

FETCH = ("fetch", "-q", "--refetch", "--no-filter", "origin", "entire/checkpoints/v1")
HINT = "hint: run `git fetch --refetch --no-filter origin entire/checkpoints/v1` to fetch what is missing at once\n"
ASKING = ("log", "log -p", "explain", "explain HEAD", "explain HEAD --full", "show HEAD", "show CHECKPOINT",
          "show SESSION", "search greet", "story HEAD~1..HEAD", "explain HEAD --raw-transcript")  # fmt: skip


class Clone(Repo):
    """A clone of a repository with one checkpoint; its remote notes each process that serves it."""

    def __init__(self, story: Story, top: Path, capsys: pytest.CaptureFixture[str], *options: str) -> None:
        super().__init__(top, capsys)
        self.served = top.parent / "served"
        upload = top.parent / "upload-pack"
        upload.write_text(f'#!/bin/sh\necho >>"{self.served}"\nexec git-upload-pack "$@"\n')
        upload.chmod(0o755)
        story.git("config", "uploadpack.allowFilter", "true")
        story.git("clone", "-q", "--filter=blob:none", *options, f"file://{story.root}", str(top))
        self.git("config", "remote.origin.uploadpack", str(upload))

    def times_served(self) -> int:
        return len(self.served.read_text()) if self.served.exists() else 0


@pytest.fixture
def story(tmp_path: Path) -> Story:
    story = Story(tmp_path / "repo")
    session = story.started()
    with session.turn("Write a function that can greet people"):
        session.write("greet.py", "def greet():\n    return 'Hello'\n")
    story.commit("Greet")
    return story


@pytest.fixture
def clone(story: Story, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Clone:
    clone = Clone(story, tmp_path / "clone", capsys)
    monkeypatch.chdir(clone.top)
    return clone


@pytest.fixture
def empty_clone(
    story: Story, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Clone:
    """A clone that has no file, since nothing was checked out."""
    clone = Clone(story, tmp_path / "empty", capsys, "--no-checkout")
    monkeypatch.chdir(clone.top)
    return clone


def words(story: Story, command: str) -> list[str]:
    names = {"CHECKPOINT": story.ids()[0], "SESSION": next(iter(story.linked()["slots"]))}
    return [names.get(word, word) for word in command.split()]


def test_asking_fetches_nothing_and_names_the_command_that_fetches(story: Story, clone: Clone) -> None:
    for command in ASKING:
        assert (clone.entire(*words(story, command)), clone.out) == (1, ""), command
        assert clone.err.endswith(f"entire: this partial clone lacks a part of what is asked for\n{HINT}"), command
    assert clone.times_served() == 0


def test_the_command_fetches_all_at_once_and_then_all_is_answered(story: Story, clone: Clone) -> None:
    clone.git(*FETCH)
    assert clone.times_served() == 1
    for command in ASKING:
        assert clone.entire(*words(story, command)) == 0, (command, clone.err)
    assert clone.times_served() == 1


def test_what_the_working_tree_has_is_answered(clone: Clone) -> None:
    assert clone.entire("status") == 0
    assert clone.entire("why", "README.md") == 0
    assert clone.entire("log", "--limit", "1", "HEAD~1") == 0
    assert clone.times_served() == 0


def test_files_that_are_not_here_are_left_out(empty_clone: Clone) -> None:
    empty_clone.git(*FETCH)
    story = empty_clone.ok("story", "HEAD~1..HEAD")
    assert "1 file; a partial clone lacks what counting their lines needs. " in story
    assert "| `greet.py` | ? | 2 |" in story
    assert "Write a function that can greet people" in empty_clone.ok("show", "HEAD")
    assert empty_clone.times_served() == 1


def test_resuming_may_fetch(story: Story, clone: Clone) -> None:
    assert clone.entire("resume", *words(story, "SESSION")) == 0, clone.err
    assert clone.times_served() > 0


def test_between_the_rows_of_a_list_others_may_fetch(empty_clone: Clone) -> None:
    empty_clone.git(*FETCH)
    rows = Workspace.find(empty_clone.top).history.log(LogRequest())
    next(rows)
    assert next(bulk.get(str(empty_clone.top), ["HEAD:greet.py"])) is not None
    assert empty_clone.times_served() == 2
    rows.close()


SECRET = "tulip-orange-42"


@pytest.fixture
def secret_clone(
    story: Story, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Clone:
    """A clone whose texts, all on the remote, say a secret that no rule knows."""
    for number in range(3):
        secrets.put(story, f"aa/bbbbbbbbbb/{number}/full.jsonl", f"{number} {SECRET}\n")
    clone = Clone(story, tmp_path / "secret", capsys)
    monkeypatch.chdir(clone.top)
    return clone


def test_an_audit_fetches_what_it_reads_at_once_and_only_once(secret_clone: Clone) -> None:
    clone = secret_clone
    assert clone.entire("audit", "--pushed") == 0, clone.err
    assert clone.times_served() == 1
    assert clone.entire("audit", "--pushed") == 0
    assert clone.times_served() == 1


def test_a_forgetting_fetches_what_it_reads_at_once(story: Story, secret_clone: Clone) -> None:
    clone = secret_clone
    assert clone.entire("forget", "--secret", SECRET, "--yes") == 0, clone.err
    assert clone.times_served() == 1
    found = clone.git("grep", "-h", "REDACTED", "entire/checkpoints/v1")
    assert found.count("[REDACTED:forgotten]") == 3
    assert clone.entire("forget", "--session", *words(story, "SESSION"), "--yes") == 0, clone.err
    assert clone.times_served() == 1


def test_without_its_remote_both_say_so_and_change_nothing(story: Story, secret_clone: Clone) -> None:
    clone = secret_clone
    story.root.rename(story.root.with_name("away"))
    before = clone.git("for-each-ref")
    for command, status in ((("audit", "--pushed"), 2), (("forget", "--secret", SECRET, "--yes"), 1)):
        assert clone.entire(*command) == status
        assert "this partial clone lacks" in clone.err and "origin did not give them" in clone.err
        assert "hint: connect to it and try again" in clone.err
    assert clone.git("for-each-ref") == before


def test_a_push_in_a_partial_clone_reads_nothing_that_it_lacks(story: Story, secret_clone: Clone) -> None:
    clone = secret_clone
    assert clone.entire("forget", "--secret", SECRET, "--yes") == 0
    secrets.put(story, "cc/bbbbbbbbbb/0/full.jsonl", f"again {SECRET}\n")
    clone.git("fetch", "-q", "origin")
    served = clone.times_served()
    place = layout.find(str(clone.top))
    assert place is not None
    assert len(promised.missing(str(clone.top), ["origin/entire/checkpoints/v1"])) == 1
    with Objects(str(clone.top)) as objects:
        tip = clone.git("rev-parse", "origin/entire/checkpoints/v1").strip()
        assert tip not in reintroduced.find(place, objects, [tip]).checked
    assert clone.times_served() == served
