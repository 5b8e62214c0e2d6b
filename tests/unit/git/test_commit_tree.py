"""A commit in the user's name: what git would have written, whatever the environment and the settings say."""

from __future__ import annotations

import pytest

from entire.errors import GitError
from entire.git import commit_tree
from tests.unit.git.repo import Repo


def test_a_commit_is_like_gits(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AUTHOR_NAME": "Zoë",
        "AUTHOR_DATE": "1700000000 +0100",
        "COMMITTER_DATE": "1600000000 +0000",
    }.items():
        monkeypatch.setenv(f"GIT_{name}", value)
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1")
    tree = repo.tree({"a": ("100644", b"a\n")})
    parent = repo.line("commit-tree", tree, "-m", "First")
    made = commit_tree.make(str(repo.top), tree, [parent], "Grüße\n\n# no comment\n")
    raw = repo.git("cat-file", "commit", made).decode()
    assert raw.startswith(f"tree {tree}\nparent {parent}\nauthor Zoë <")
    assert raw.endswith("\n\nGrüße\n\n# no comment\n")
    assert "> 1700000000 +0100\n" in raw
    assert "> 1600000000 +0000\n" in raw
    assert "encoding" not in raw


def test_a_key_that_is_missing(repo: Repo) -> None:
    tree = repo.tree({})
    repo.git("config", "commit.gpgSign", "true")
    repo.git("config", "gpg.program", "false")
    with pytest.raises(GitError, match="commit-tree"):
        commit_tree.make(str(repo.top), tree, [], "Signed\n")
