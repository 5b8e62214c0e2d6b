"""Histories of ours are written again: only what changes is new, in every repository the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from entire.git import history
from entire.git.pack import Pack
from entire.git.read import Objects
from entire.model.ids import CheckpointId
from entire.store import forgotten, tombstones
from entire.store.forgotten import Record
from entire.store.rewriting import BlobRewrite, Rewriter

ID = CheckpointId("aabbbbbbbbbb")


def git(where: Path, *args: str, stdin: str = "") -> str:
    done = subprocess.run(["git", "-C", str(where), *args], check=True, capture_output=True, text=True, input=stdin)
    return done.stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    for number, text in enumerate(("first", "secret", "third")):
        folder = tmp_path / "aa/bbbbbbbbbb/0"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "full.jsonl").write_text(text)
        (tmp_path / f"file{number}").write_text("same")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", f"commit {number}\n\nTrailer: x", f"--date=170000000{number} +0130")
    return tmp_path


def rewrite(repo: Path, change: BlobRewrite) -> Rewriter:
    with Objects(str(repo)) as objects:
        pack = Pack(str(repo), 40)
        rewriter = Rewriter(objects, pack, change)
        rewriter.rewrite(str(repo), [git(repo, "rev-parse", "HEAD")])
        pack.flush()
    return rewriter


def test_commits_before_the_first_change_stay_and_all_else_but_the_content_too(repo: Path) -> None:
    first, second, third = history.oldest_first(str(repo), ["HEAD"])
    old = git(repo, "rev-parse", f"{second}:aa/bbbbbbbbbb/0/full.jsonl")
    new = git(repo, "hash-object", "-w", "--stdin", stdin="mark")
    done = rewrite(repo, BlobRewrite(blobs={old: new}))
    assert list(done.commits) == [second, third]
    assert done.origins == [second]
    form = "%an %ae %ad %cn %cd %B"
    assert git(repo, "log", f"--format={form}", done.commits[third]) == git(repo, "log", f"--format={form}", third)
    assert git(repo, "show", f"{done.commits[second]}:aa/bbbbbbbbbb/0/full.jsonl") == "mark"
    assert git(repo, "rev-parse", f"{done.commits[third]}^{{tree}}") == git(repo, "rev-parse", f"{third}^{{tree}}")
    assert git(repo, "rev-parse", f"{done.commits[second]}^") == first
    assert rewrite(repo, BlobRewrite(blobs={old: new})).commits == done.commits


def test_a_signature_of_the_old_commit_goes(repo: Path) -> None:
    data = git(repo, "cat-file", "commit", "HEAD").replace("\n\n", "\ngpgsig -----BEGIN\n line\n -----END\n\n", 1)
    signed = git(repo, "hash-object", "-w", "-t", "commit", "--literally", "--stdin", stdin=data + "\n")
    git(repo, "update-ref", "HEAD", signed)
    done = rewrite(repo, BlobRewrite(checkpoints=frozenset([ID])))
    assert "gpgsig" not in git(repo, "cat-file", "commit", done.commits[signed])
    assert git(repo, "ls-tree", "--name-only", done.commits[signed]).split() == ["file0", "file1", "file2"]


def test_records_lead_to_the_newest_replacement(tmp_path: Path) -> None:
    found = forgotten.joined(Record(commits={"a": "b"}, origins=("a",)), Record(commits={"b": "c"}, origins=("b",)))
    assert found.commits == {"a": "c", "b": "c"}
    assert found.origins == ("a", "b")
    (tmp_path / "entire").mkdir()
    Path(forgotten.path(str(tmp_path))).write_bytes(forgotten.data(found))
    assert forgotten.read(str(tmp_path)) == found
    Path(forgotten.path(str(tmp_path))).write_text("[]")
    assert forgotten.read(str(tmp_path)) == Record()


def test_tombstones_are_read_from_any_tip(repo: Path) -> None:
    for path, (_, content) in tombstones.changes({ID: ["s-1"]}, ["s-1"], 1_700_000_000.0).items():  # type: ignore[misc]
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_bytes(content)  # type: ignore[arg-type]
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "gone")
    with Objects(str(repo)) as objects:
        assert tombstones.checkpoint(objects, ["HEAD~", "HEAD"], ID) == 1_700_000_000.0
        assert tombstones.sessions_of(objects, ["HEAD~", "HEAD"], ID) == ("s-1",)
        assert tombstones.session(objects, ["HEAD"], "s-1") == 1_700_000_000.0
        assert tombstones.session(objects, ["HEAD"], "s-2") == 0.0
        assert tombstones.all_of(objects, "HEAD~", "HEAD") == (frozenset([str(ID)]), frozenset(["s-1"]))
    assert tombstones.day(1_700_000_000.0) == "2023-11-14"
