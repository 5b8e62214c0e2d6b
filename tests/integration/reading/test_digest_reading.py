"""What a digest is made of, where a part of it is not here."""

from __future__ import annotations

import pytest

from entire import Workspace
from entire.model.value import replace
from entire.summaries import reading
from tests.integration.story import Story


@pytest.fixture
def worked(story: Story, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.chdir(story.root)
    session = story.started()
    with session.turn("Write"):
        session.write("a.py", "one\n")
        session.write("left.py", "two\n")
    story.git("add", "a.py")
    story.commit("Add a", add=False)
    return Workspace.find()


def fates(workspace: Workspace, **changes: object) -> list[tuple[str, str]]:
    view = replace(workspace.checkpoints.find(workspace.checkpoints.ids()[0]), **changes)
    (part,) = reading.of_checkpoint(workspace._opened.catalog, view).parts
    return [(attempt.path, attempt.fate) for attempt in part.attempts]


def test_the_newest_commit_that_is_here_counts(worked: Workspace, story: Story) -> None:
    old, here = story.git("rev-parse", "HEAD~1").strip(), story.head()
    expected = [("left.py", "not in the commit")]
    assert fates(worked) == expected
    assert fates(worked, recorded_commits=(old, here)) == expected
    assert fates(worked, recorded_commits=(here, "f" * 40)) == expected
    assert fates(worked, recorded_commits=()) == expected, "the linked one"
    assert fates(worked, recorded_commits=(here, old)) == [("a.py", "not in the commit"), *expected]


def test_without_the_commit_nothing_is_said_about_it(worked: Workspace) -> None:
    assert fates(worked, recorded_commits=("f" * 40,), commits=()) == []


def test_files_kept_elsewhere_are_not_compared(worked: Workspace, story: Story) -> None:
    for content in (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
        b"\0GITCRYPT\0",
        b"x" * (1 << 20) + b"x",
    ):
        story.write("a.py", content)
        story.git("add", "a.py")
        story.git("commit", "-q", "--no-verify", "-m", "Stored")
        assert fates(worked, recorded_commits=(story.head(),)) == [("left.py", "not in the commit")]


def test_a_conversation_that_is_lost_leaves_the_rest(worked: Workspace, story: Story) -> None:
    (name,) = worked.checkpoints.ids()
    blob = story.git("rev-parse", f"entire/checkpoints/v1:{name[:2]}/{name[2:]}/0/full.jsonl").strip()
    (story.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (part,) = Workspace.find().checkpoints.digest(name).parts
    assert (part.intent, [file.path for file in part.files], part.attempts) == ("Write", ["a.py"], ())
