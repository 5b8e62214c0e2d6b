"""A commit of some paths only: what else is staged stays staged, and the user's index is not touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from entire import layout
from entire.git import new_commit, partial_commit
from entire.git.status import store_files
from tests.integration.story import Story

MOMENT = 1_700_000_000_000_000_000


def made(tmp_path: Path) -> tuple[Story, layout.Place, Path]:
    story = Story(tmp_path / "repo", enable=False)
    place = layout.find(str(story.root))
    assert place is not None
    folder = tmp_path / "folder"
    folder.mkdir()
    return story, place, folder


def test_what_else_is_staged_is_neither_committed_nor_lost(tmp_path: Path) -> None:
    story, place, folder = made(tmp_path)
    story.write("staged.txt", "staged\n")
    story.git("add", "staged.txt")
    story.write("README.md", "staged too\n")
    story.git("add", "README.md")
    story.write("a.txt", "a\n")
    index = (story.root / ".git/index").read_bytes()

    staged = partial_commit.staged(place.top, story.head(), 40)
    assert set(staged.changes) == {"README.md", "staged.txt"}
    assert staged.changes["README.md"].new_oid == story.git("rev-parse", ":README.md").strip()
    entries = {"a.txt": ("100644", store_files(place.top, ["a.txt"])["a.txt"])}
    prepared = partial_commit.prepare(place, str(folder), entries, list(staged.changes.values()), oid_size=40)

    assert story.git("ls-tree", "--name-only", prepared.tree).split() == ["README.md", "a.txt"]
    assert story.git("show", f"{prepared.tree}:README.md") == "start\n"
    assert (story.root / ".git/index").read_bytes() == index
    listed = story.git("ls-files", "-s", env={"GIT_INDEX_FILE": prepared.next_index})
    assert [line.split()[-1] for line in listed.splitlines()] == ["README.md", "a.txt", "staged.txt"]


def test_a_deleted_path_and_a_file_in_place_of_a_folder(tmp_path: Path) -> None:
    story, place, folder = made(tmp_path)
    story.write("d/one.txt", "one\n")
    story.commit("Folder")
    blob = story.git("hash-object", "-w", "README.md").strip()
    entries = {"d": ("100755", blob), "d/one.txt": None, "README.md": None}
    prepared = partial_commit.prepare(place, str(folder), entries, [], oid_size=40)
    assert story.git("ls-tree", "-r", prepared.tree) == f"100755 blob {blob}\td\n"


def test_an_index_that_another_program_wrote_meanwhile_is_followed(tmp_path: Path) -> None:
    story, place, folder = made(tmp_path)
    story.write("a.txt", "a\n")
    entries = {"a.txt": ("100644", store_files(place.top, ["a.txt"])["a.txt"])}
    prepared = partial_commit.prepare(place, str(folder), entries, [], oid_size=40)
    story.write("later.txt", "later\n")
    story.git("add", "later.txt")
    partial_commit.follow_index(place, prepared, entries)
    listed = story.git("ls-files", env={"GIT_INDEX_FILE": prepared.next_index})
    assert listed.split() == ["README.md", "a.txt", "later.txt"]


def test_a_file_that_changed_when_the_index_was_written_is_still_seen_as_changed(tmp_path: Path) -> None:
    """Git compares content only where a file is not older than the index."""
    story, place, folder = made(tmp_path)
    os.utime(story.path("README.md"), ns=(MOMENT, MOMENT))
    story.git("add", "README.md")
    os.utime(story.root / ".git/index", ns=(MOMENT, MOMENT))
    story.write("README.md", "other\n")  # as long as before
    os.utime(story.path("README.md"), ns=(MOMENT, MOMENT))
    story.write("a.txt", "a\n")
    entries = {"a.txt": ("100644", store_files(place.top, ["a.txt"])["a.txt"])}
    prepared = partial_commit.prepare(place, str(folder), entries, [], oid_size=40)
    shown = story.git(
        "-c", "core.trustctime=false", "status", "--porcelain", env={"GIT_INDEX_FILE": prepared.next_index}
    )
    assert " M README.md" in shown


def test_unmerged_paths_are_named(tmp_path: Path) -> None:
    story, place, _ = made(tmp_path)
    story.git("checkout", "-q", "-b", "side")
    story.write("README.md", "side\n")
    story.commit("Side")
    story.git("checkout", "-q", "main")
    story.write("README.md", "main\n")
    story.commit("Main")
    story.git("merge", "-q", "side", ok=False)
    assert partial_commit.staged(place.top, story.head(), 40).unmerged == ("README.md",)


def test_a_commit_is_the_users_own(tmp_path: Path) -> None:
    story, place, folder = made(tmp_path)
    story.git("config", "user.name", "Somebody Else")
    old, tree = story.head(), story.git("rev-parse", "HEAD^{tree}").strip()
    oid = new_commit.write(place, str(folder), tree=tree, parent=old, message=b"Subject\n\nBody\n")
    shown = story.git("log", "-1", "--format=%an|%cn|%P|%B", oid).rstrip()
    assert shown == f"Somebody Else|Somebody Else|{old}|Subject\n\nBody"
    assert story.head() == old
    new_commit.move_head(place, oid, old, "Subject")
    assert story.head() == oid
    assert story.git("log", "-g", "-1", "--format=%gs", "main").strip() == "commit: Subject"


@pytest.mark.parametrize(
    ("value", "is_signed"),
    [
        ("= yes", True),
        ("", True),
        ("= 1", True),
        ("= no", False),
        ("=", False),
        ("= true\n[commit]\ngpgSign = 0", False),
    ],
)
def test_commits_are_signed_as_git_reads_the_setting(tmp_path: Path, value: str, is_signed: bool) -> None:
    story, place, folder = made(tmp_path)
    program = tmp_path / "gpg"
    program.write_text("#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho SIGNATURE\n")
    program.chmod(0o755)
    with (story.root / ".git/config").open("a") as file:
        file.write(f"[gpg]\nprogram = {program}\n[commit]\ngpgSign {value}\n")
    tree = story.git("rev-parse", "HEAD^{tree}").strip()
    oid = new_commit.write(place, str(folder), tree=tree, parent="", message=b"Signed\n")
    assert ("gpgsig SIGNATURE" in story.git("cat-file", "commit", oid)) == is_signed


@pytest.mark.parametrize("is_sparse", [False, True])
def test_the_next_index_knows_the_committed_files_and_looks_at_no_other(tmp_path: Path, is_sparse: bool) -> None:
    story, place, folder = made(tmp_path)
    if is_sparse:
        story.git("sparse-checkout", "set", "kept")
    os.utime(story.root / "README.md", ns=(MOMENT, MOMENT))  # as before, but git would have to look
    story.write("out/[a].txt", "a\n")
    entries = {"out/[a].txt": ("100644", store_files(place.top, ["out/[a].txt"])["out/[a].txt"]), "gone.txt": None}
    prepared = partial_commit.prepare(place, str(folder), entries, [], oid_size=40)
    unknown = story.git("diff-files", "--name-only", env={"GIT_INDEX_FILE": prepared.next_index}).split()
    assert unknown == ["README.md"]
