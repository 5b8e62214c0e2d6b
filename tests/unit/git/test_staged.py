"""The tree that was staged before the commit's own hooks ran, found in repositories that real commits leave."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from entire import layout
from entire.git import diff, staged
from entire.git.read import Objects
from tests.unit.git.repo import Repo

FOUND = """
import json, os, sys
sys.path[:0] = {path!r}
from entire import layout, process
from entire.git import diff, index, operation, staged
from entire.git.read import Objects
place = layout.here()
name = os.path.join(place.top, os.environ.get("GIT_INDEX_FILE") or ".git/index")
started = process.start_time(operation.find().started)
tree = index.tree(place.top, place.git_dir, name, place.own_dir)
with Objects(place.top) as objects:
    changes = diff.changes(place.top, objects.tree_id("HEAD"), tree)
    commit = staged.Commit(tree=tree, changes=changes, index=name, started=started)
    found = staged.before_hooks(place, objects, commit, sys.argv[1:])
    entries = diff.entries(place.top, found, [change.path for change in changes]) if found else {{}}
    texts = {{path: objects.blob(oid).decode() for path, (_, oid) in entries.items()}}
    print(json.dumps(texts), file=open("found", "w"))
"""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    found = Repo(tmp_path / "repo")
    for name in ("a.txt", "d/a.txt", "d/b.txt"):
        Path(found.top, name).parent.mkdir(exist_ok=True)
        Path(found.top, name).write_text("old\n")
    Path(found.top, ".git/info/exclude").write_text("found\n")
    found.git("add", "-A")
    found.git("commit", "-qm", "old")
    script = Path(found.top, ".git/hooks/prepare-commit-msg")
    code = FOUND.format(path=[path for path in sys.path if path])
    Path(found.top, ".git/look.py").write_text(code)
    script.write_text(f'#!/bin/sh\nexec {sys.executable} .git/look.py "$(cat .git/known)"\n')
    script.chmod(0o755)
    Path(found.top, ".git/known").write_text("")
    return found


def commit(repo: Repo, hook: str, words: Sequence[str]) -> dict[str, str]:
    """Change a file and commit it with a pre-commit hook; return what was found staged before the hook."""
    path = Path(repo.top, ".git/hooks/pre-commit")
    path.write_text(f"#!/bin/sh\n{hook}\n")
    path.chmod(0o755)
    for name in ("a.txt", "d/a.txt"):
        Path(repo.top, name).write_text("new\n")
    repo.git("add", "-u")
    repo.git("commit", "-qm", "new", *words)
    found: dict[str, str] = json.loads(Path(repo.top, "found").read_text())
    return found


@pytest.mark.parametrize("words", [[], ["-a"], ["--", "a.txt", "d/a.txt"]], ids=["plain", "all", "paths"])
def test_what_a_hook_staged_is_told_from_what_was_staged_before(repo: Repo, words: list[str]) -> None:
    assert commit(repo, "echo hook >>a.txt; git add a.txt", words) == {"a.txt": "new\n", "d/a.txt": "new\n"}
    assert repo.git("show", "HEAD:a.txt") == b"new\nhook\n"


def test_a_hook_that_writes_other_trees(repo: Repo) -> None:
    hook = "sleep 0.02; echo hook >>d/a.txt; git stash create >/dev/null; git add -u"
    assert commit(repo, hook, []) == {"a.txt": "new\n", "d/a.txt": "new\n"}


def remember_tree(repo: Repo) -> None:
    """Write the tree of the changes that a commit will stage, as a snapshot does."""
    for name in ("a.txt", "d/a.txt"):
        Path(repo.top, name).write_text("new\n")
    repo.git("add", "-u")
    Path(repo.top, ".git/known").write_bytes(repo.git("write-tree").strip())
    repo.git("reset", "-q")
    time.sleep(0.05)


def test_a_tree_that_was_there_before_is_known(repo: Repo) -> None:
    remember_tree(repo)
    assert commit(repo, "echo hook >>a.txt; git add a.txt", []) == {"a.txt": "new\n", "d/a.txt": "new\n"}


def test_a_step_that_is_written_meanwhile_is_not_what_was_staged(repo: Repo) -> None:
    """What was staged is known already, as the tree of the last snapshot, so that the step's tree is the newer one."""
    remember_tree(repo)
    step = "mkdir -p .entire/metadata; echo >.entire/metadata/x; git add -A; git write-tree >&2"
    hook = f"echo hook >>a.txt; cp .git/index .git/step; (export GIT_INDEX_FILE=.git/step; {step}); git add a.txt"
    assert commit(repo, hook, []) == {"a.txt": "new\n", "d/a.txt": "new\n"}


@pytest.mark.parametrize("hook", ["", "echo hook >>d/b.txt"], ids=["nothing", "not staged"])
@pytest.mark.parametrize("words", [[], ["-a"]], ids=["plain", "all"])
def test_a_hook_that_stages_nothing(repo: Repo, hook: str, words: list[str]) -> None:
    assert commit(repo, hook, words) == {}


def test_without_the_start_of_git_nothing_is_found(repo: Repo) -> None:
    place = layout.find(repo.top)
    assert place is not None
    Path(repo.top, "a.txt").write_text("new\n")
    repo.git("add", "-u")
    with Objects(repo.top) as objects:
        tree = repo.git("write-tree").decode().strip()
        changes = diff.changes(repo.top, objects.tree_id("HEAD"), tree)
        unknown = staged.Commit(tree=tree, changes=changes, index=os.path.join(repo.top, ".git/none"), started=0)
        assert staged.before_hooks(place, objects, unknown, ()) == ""
