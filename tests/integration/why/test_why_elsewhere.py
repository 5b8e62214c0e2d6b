"""``entire why`` and ``entire blame`` in unusual repositories: partial clones, submodules, mapped names, SHA-256."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from entire.errors import EntireError, UsageError
from entire.model.origins import WhyRequest
from entire.workspace import Workspace
from tests.integration.story import Story


@pytest.fixture
def story(tmp_path: Path) -> Story:
    """A file with two versions by a person."""
    story = Story(tmp_path / "repo")
    for count in (1, 2):
        story.write("a.py", "a_line_that_a_person_typed = True\n" * count)
        story.commit(f"Version {count}")
    return story


def git(folder: Path, *args: str) -> str:
    command = ["git", "-C", str(folder), "-c", "protocol.file.allow=always", *args]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def names(folder: Path, target: str) -> list[tuple[int, int, str]]:
    (file,) = Workspace.find(folder).origins.why(WhyRequest(target=target)).files
    return [(part.first, part.last, part.origin.author or part.origin.kind) for part in file.ranges]


def test_a_partial_clone_fetches_nothing(story: Story, tmp_path: Path) -> None:
    story.git("config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{story.root}", "clone")
    clone = tmp_path / "clone"
    packs = sorted((clone / ".git/objects/pack").iterdir())
    for ask in (
        lambda: Workspace.find(clone).origins.why(WhyRequest(target="a.py")),
        lambda: Workspace.find(clone).origins.blame(["--porcelain", "a.py"], folder=str(clone)),
    ):
        with pytest.raises(EntireError, match="earlier versions of the file are not in this partial clone"):
            ask()
    assert sorted((clone / ".git/objects/pack").iterdir()) == packs


def test_a_submodule_answers_for_its_own_files(story: Story, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(story.root), "inner")
    git(story.root, "submodule", "add", "-q", str(tmp_path / "inner"), "inner")
    story.commit("Submodule")
    with pytest.raises(UsageError, match=r"a\.py is in the repository inner"):
        names(story.root, "inner/a.py:1")
    with pytest.raises(UsageError, match="inner is a folder"):
        names(story.root, "inner")
    assert names(story.root / "inner", "a.py") == [(1, 1, "Ada Tester"), (2, 2, "Ada Tester")]


def test_names_are_mapped_also_in_a_changed_file(story: Story) -> None:
    mail = story.git("log", "-1", "--format=%ae").strip()
    story.write(".mailmap", f"Ada Renamed <ada@new> <{mail}>\n")
    assert names(story.root, "a.py") == [(1, 1, "Ada Renamed"), (2, 2, "Ada Renamed")]
    story.write("a.py", story.read("a.py") + "one_more = True\n")
    assert names(story.root, "a.py") == [(1, 1, "Ada Renamed"), (2, 2, "Ada Renamed"), (3, 3, "person")]


def test_a_sha256_repository_answers_before_its_first_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "repo")
    root = tmp_path / "repo"
    (root / "a.py").write_text("one\ntwo")
    assert [(first, last) for first, last, _ in names(root, "a.py")] == [(1, 2)]
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "First")
    (root / "a.py").write_text("one\nnew\ntwo")
    assert [(first, last) for first, last, _ in names(root, "a.py")] == [(1, 1), (2, 2), (3, 3)]
    assert len(names(root, "HEAD:a.py")) == 1
