"""``entire log``: one row per commit, from real commits, merges and sessions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import golden
from tests.integration.commandline import Repo
from tests.integration.story import Story


@pytest.fixture
def repo(story: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    monkeypatch.chdir(story.root)
    return Repo(story.root, capsys)


def rows(repo: Repo, *args: str) -> list[dict[str, Any]]:
    found = json.loads(repo.ok("log", "--json", *args))
    assert isinstance(found, list)
    return found


def test_a_row_says_what_the_session_did(story: Story, repo: Repo) -> None:
    session = story.started()
    with session.turn("add a greeting"):
        session.write("hello.py", "print('hi')\nprint('there')\n")
    first = story.commit("Add greeting")
    with session.turn("make it louder"):
        session.edit("hello.py", "hi", "HI")
    second = story.commit("Shout")
    newest, older, *rest = rows(repo)
    assert (newest["oid"], newest["prompt"], newest["subject"]) == (second, "make it louder", "Shout")
    assert (newest["files"], newest["added"], newest["removed"]) == (1, 1, 1)
    assert (older["oid"], older["prompt"]) == (first, "add a greeting")
    assert (older["files"], older["added"], older["removed"]) == (1, 2, 0)
    assert older["agents"] == ["Claude Code"]
    assert older["session_ids"] == [session.id]
    assert older["checkpoint_ids"] == list(story.ids(first))
    assert older["author"] == "Ada Tester"
    assert older["tokens"]["output_tokens"] == 20
    assert [row["subject"] for row in rest] == ["Enable entire", "init"]
    lines = repo.ok("log").splitlines()
    assert [line.split()[0] for line in lines] == [row["oid"][:7] for row in rows(repo)]
    assert lines[1].endswith(
        f"Claude Code  Ada Tester      1 file        +2 -0     23 tok  {story.ids(first)[0]}  add a greeting"
    )


def test_the_first_prompt_of_the_commits_own_part(story: Story, repo: Repo) -> None:
    session = story.started()
    for name in ("a", "b", "c"):
        with session.turn(f"write {name}"):
            session.write(f"{name}.py", f"{name} = 1\n")
        if name != "b":
            story.commit(f"Commit {name}")
    assert [row["prompt"] for row in rows(repo)[:2]] == ["write b", "write a"]


@pytest.mark.parametrize("stage", golden.STAGES)
def test_golden_worlds_have_a_row_for_each_commit(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for top in golden.repositories(golden.unpack(stage, tmp_path)):
        monkeypatch.chdir(top)
        repo = Repo(top, capsys)
        before = repo.files()
        found = rows(repo)
        assert [row["oid"] for row in found] == repo.git("log", "--format=%H").split()
        for row in found:
            named = repo.git("log", "-1", "--format=%B", row["oid"]).count("Entire-Checkpoint:")
            assert len(row["checkpoint_ids"]) == named
            assert bool(row["prompt"]) <= bool(row["session_ids"])
        assert len(repo.ok("log").splitlines()) == len(found)
        assert repo.files() == before


def test_json_is_one_list_with_a_row_per_line(repo: Repo) -> None:
    text = repo.ok("log", "--json")
    first, *middle, last = text.splitlines()
    assert (first, last) == ("[", "]")
    assert [json.loads(line.rstrip(","))["subject"] for line in middle] == ["Enable entire", "init"]


def test_a_merge_points_to_what_it_merged(story: Story, repo: Repo) -> None:
    session = story.started()
    story.git("checkout", "-q", "-b", "topic")
    with session.turn("write one"):
        session.write("one.py", "one = 1\n")
    one = story.commit("One")
    with session.turn("write two"):
        session.write("two.py", "two = 2\n")
    two = story.commit("Two")
    story.git("checkout", "-q", "main")
    story.commit("Nothing", "--allow-empty")
    story.git("merge", "-q", "--no-edit", "topic")
    merge = rows(repo)[0]
    assert merge["merged"] == [{"oid": two, "branch": "topic", "commits": [two, one], "is_complete": True}]
    line = repo.ok("log").splitlines()[0]
    assert f"Merge branch 'topic'  merged 2 commits of topic ({two[:7]})" in line
    (alone,) = rows(repo, "--limit", "1")  # what is merged is not in the list
    assert alone == merge


def test_a_commit_without_a_session_has_its_reason(story: Story, repo: Repo) -> None:
    session = story.started()
    with session.turn("write one"):
        session.write("one.py", "one = 1\n")
    story.commit("One")
    with session.turn("write more"):
        session.write("more.py", "more = 1\n")
    story.write("mine.txt", "by hand\n")
    story.git("add", "mine.txt")
    mine = story.commit("Mine", add=False)
    reason = story.reasons()[mine]
    row, linked = rows(repo)[:2]
    assert (row["oid"], row["reason"], row["prompt"], row["agents"], row["tokens"]) == (mine, reason, "", [], None)
    assert linked["reason"] == ""
    assert f"Mine  not linked: {reason}" in repo.ok("log").splitlines()[0]
    assert f"Mine  not linked: {reason}" in repo.ok("explain")


def test_filters(story: Story, repo: Repo) -> None:
    session = story.started()
    with session.turn("write one"):
        session.write("src/one.py", "one = 1\n")
    one = story.commit("One")
    story.write("two.txt", "two\n")
    two = story.commit("Two", "--author=Grace [bot] <grace@example.com>", "--date=2020-01-01T00:00:00Z")

    def found(*args: str) -> list[str]:
        return [row["oid"] for row in rows(repo, *args)]

    assert found("--agent", "claude-code") == found("--agent", "Claude Code") == [one]
    assert found("--agent", "gemini") == found("--agent", "Gemini CLI") == []
    assert found("--session", session.id[:8]) == [one]
    assert found("--author", "grace [bot]") == [two]
    assert found("--since", "2000-01-01", "--limit", "1") == [two]
    assert found("--until", "2000-01-01") == found("--until", "45d") == []
    assert found("--since", "45d", "--limit", "1") == [two]
    assert found("HEAD~1") == found("--limit", "0")[1:]
    assert found("HEAD~2..HEAD", "--", "src") == found("--", "src/one.py") == [one]
    story.git("branch", "other")
    story.git("reset", "-q", "--hard", "HEAD~1")
    assert sorted(found("--all")) == sorted([two, *found()])
    assert found("main..other") == found("main...other") == [two]


def test_paths_start_in_the_current_folder(story: Story, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    story.write("src/a.txt", "a\n")
    oid = story.commit("A")
    monkeypatch.chdir(story.root / "src")
    (row,) = rows(repo, "--", "a.txt")
    assert (row["oid"], row["files"]) == (oid, 1)


def test_the_owners_of_lines(story: Story, repo: Repo) -> None:
    session = story.started()
    with session.turn("write it"):
        session.write("a.py", "one = 1\ntwo = 2\n")
    with session.turn("go on"):
        session.edit("a.py", "two = 2\n", "two = 2\nthree = 3\nfour = 4\n")
    story.commit("Numbers")
    (row,) = rows(repo, "-p", "--limit", "1")
    (file,) = row["lines"]
    assert file["path"] == "a.py"
    assert [(owner["who"], owner["prompt"], owner["ranges"]) for owner in file["owners"]] == [
        ("turn", "write it", [[1, 2]]),
        ("turn", "go on", [[3, 4]]),
    ]
    assert repo.ok("log", "-p", "--limit", "1").splitlines()[1:] == [
        "         a.py", "           1-2  write it", "           3-4  go on",
    ]  # fmt: skip


@pytest.mark.parametrize("option", ["--since", "--until"])
def test_a_text_that_says_no_time_is_refused(repo: Repo, option: str) -> None:
    assert (repo.entire("log", option, "garbage"), repo.out) == (2, "")
    assert repo.err.startswith("entire: not a time: garbage\nhint: give an age or a time as for `git log`: 7d, ")
    assert len(rows(repo, "--since", "2000-01-01", "--until", "now")) == 2


def test_a_session_or_agent_that_is_not_known_is_named(story: Story, repo: Repo) -> None:
    session = story.started()
    with session.turn("write one"):
        session.write("one.py", "one = 1\n")
    story.commit("One")
    wrong = session.id[:-1] + ("0" if session.id[-1] != "0" else "1")
    for options in ([], ["-p"]):
        assert (repo.entire("log", "--session", wrong, *options), repo.out) == (1, "")
        assert repo.err == (
            f"entire: session not found: {wrong}\nhint: did you mean `{session.id}`? "
            "Run `entire status --detailed` to list sessions\n"
        )
    assert repo.entire("log", "--session", wrong, "--json") == 1
    assert json.loads(repo.out)["error"]["message"] == f"session not found: {wrong}"
    assert (repo.entire("log", "--agent", "claude-kode"), repo.out) == (1, "")
    assert repo.err.startswith(
        "entire: no session of an agent called 'claude-kode' is recorded here\n"
        "hint: did you mean `claude-code`? Known agents: claude-code, "
    )
    assert repo.ok("log", "--session", session.id[:4], "--until", "2000-01-01") == ""


def owned(row: dict[str, Any]) -> dict[str, list[tuple[str, str, list[list[int]], int, int]]]:
    """Return a row's files, each with who, prompt, ranges, added and removed lines of its owners."""
    keys = ("who", "prompt", "ranges", "added", "removed")
    return {file["path"]: [tuple(owner[key] for key in keys) for owner in file["owners"]] for file in row["lines"]}


def test_the_owners_of_a_commit_without_a_checkpoint(story: Story, repo: Repo) -> None:
    story.write("src/mine.txt", "one\ntwo\n")
    story.write("bin", b"\0\1")
    story.commit("Mine")
    (row,) = rows(repo, "-p", "--limit", "1")
    assert owned(row) == {"bin": [("person", "", [], 0, 0)], "src/mine.txt": [("person", "", [], 2, 0)]}
    assert repo.ok("log", "-p", "--limit", "1").splitlines()[1:] == [
        "         bin", "           file  a person", "         src/mine.txt", "           +2  a person",
    ]  # fmt: skip
    (row,) = rows(repo, "-p", "--limit", "1", "--", "src")
    assert list(owned(row)) == ["src/mine.txt"]


def test_the_owners_in_a_squashed_commit(story: Story, repo: Repo) -> None:
    """Each checkpoint knows a part. Its numbers are those of its own commit, so that only the count is told."""
    session = story.started()
    story.git("checkout", "-q", "-b", "topic")
    for name in ("a", "b"):
        with session.turn(f"write {name}"):
            session.write(f"{name}.py", "1\n2\n")
            session.write("shared.py", f"{name}\n")
        story.commit(f"Commit {name}")
    story.git("checkout", "-q", "main")
    story.git("merge", "-q", "--squash", "topic")
    story.write("extra.txt", "by hand\n")
    story.commit("Squashed")
    (row,) = rows(repo, "-p", "--limit", "1")
    assert len(row["checkpoint_ids"]) == 2
    assert owned(row) == {
        "a.py": [("turn", "write a", [], 2, 0)],
        "b.py": [("turn", "write b", [], 2, 0)],
        "extra.txt": [("unknown", "", [], 1, 0)],
        "shared.py": [("turn", "write a", [], 0, 0), ("turn", "write b", [], 0, 0)],
    }
    assert "           +1  unknown: no checkpoint here records it" in repo.ok("log", "-p", "--limit", "1")


def test_the_owners_where_the_checkpoint_is_not_stored(story: Story, repo: Repo) -> None:
    story.write("gone.txt", "gone\n")
    story.commit("Gone\n\nEntire-Checkpoint: 0123456789ab")
    (row,) = rows(repo, "-p", "--limit", "1")
    assert owned(row) == {"gone.txt": [("unknown", "", [], 1, 0)]}


def test_no_commit_yet_and_ranges_that_mean_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                    capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    story = Story(tmp_path / "repo", first_commit=False)
    monkeypatch.chdir(story.root)
    repo = Repo(story.root, capsys)
    assert repo.ok("log") == ""
    assert rows(repo) == rows(repo, "--all") == []
    assert repo.entire("log", "nowhere..HEAD") == 1
    assert "nowhere" in repo.err
    assert repo.entire("log", "--limit", "-1") == 2


def test_the_reader_may_leave_early(story: Story, repo: Repo) -> None:
    stream = "".join(f"commit refs/heads/long\ncommitter A <a> {number} +0000\ndata 4\n{number:04}\n"
                     for number in range(5000))  # fmt: skip
    story.git("fast-import", "--quiet", stdin=stream)
    for words in ("log long", "log long --json"):
        shell = f"{sys.executable} -m entire {words} | head -2"
        done = subprocess.run(["bash", "-c", f"set -o pipefail; {shell}"], cwd=story.root, capture_output=True,
                              text=True, check=False)  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        assert len(done.stdout.splitlines()) == 2


def test_a_partial_clone_asks_no_remote_for_sizes(story: Story, repo: Repo, tmp_path: Path,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    story.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    story.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{story.root}", str(clone))
    story.root.rename(tmp_path / "away")
    monkeypatch.chdir(clone)
    assert [(row["subject"], row["files"], row["added"]) for row in rows(repo)] == [
        ("Enable entire", None, None), ("init", None, None),
    ]  # fmt: skip


def test_a_partial_clone_whose_remote_is_away(story: Story, repo: Repo, tmp_path: Path,
                                              monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    session = story.started()
    with session.turn("write one"):
        session.write("one.py", "one = 1\n")
    story.commit("One")
    story.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    story.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{story.root}", str(clone))
    story.root.rename(tmp_path / "away")
    monkeypatch.chdir(clone)
    assert (repo.entire("log"), repo.out) == (1, "")
    assert repo.err.startswith("entire: this partial clone lacks a part of what is asked for\n")


def test_a_shallow_clone_does_not_count_what_was_there_before(story: Story, repo: Repo, tmp_path: Path,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    story.write("new.txt", "new\n")
    story.commit("New")
    clone = tmp_path / "clone"
    story.git("clone", "-q", "--depth", "2", f"file://{story.root}", str(clone))
    monkeypatch.chdir(clone)
    assert [(row["subject"], row["files"], row["added"]) for row in rows(repo)] == [
        ("New", 1, 1), ("Enable entire", None, None),
    ]  # fmt: skip
