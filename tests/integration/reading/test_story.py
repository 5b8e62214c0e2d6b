"""``entire story``: a range of commits, told for a pull request."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from entire import Workspace
from tests import golden
from tests.integration.commandline import Repo
from tests.integration.reading.test_digest import run
from tests.integration.story import Story


@pytest.fixture
def repo(story: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    """A branch with two commits of a session, one of a person, and a merge of main."""
    monkeypatch.chdir(story.root)
    story.git("checkout", "-q", "-b", "topic")
    session = story.started()
    with session.turn("Add a greeting for @ada, see #12"):
        session.write("hello.py", "def hello():\n    return 1\n")
        run(session, "pytest -q", "E   assert 1 == 2\n1 failed in 0.1s", fails=True)
        session.edit("hello.py", "1", "2")
        run(session, "pytest -q", "2 passed in 0.1s")
    story.commit("Add hello")
    with session.turn("Say it in French, too"):
        session.write("french.py", "bonjour\n")
    story.write("hello.py", story.read("hello.py") + "# mine\n")
    story.commit("Add French")
    story.git("checkout", "-q", "main")
    story.write("other.txt", "other\n")
    story.commit("Other work")
    story.git("checkout", "-q", "topic")
    story.git("merge", "-q", "--no-edit", "main")
    story.write("typed.txt", "typed\n")
    story.commit("Typed by hand")
    return Repo(story.root, capsys)


def test_the_story_of_a_branch(repo: Repo) -> None:
    found = re.sub(r"`[0-9a-f]{7}`", "`1234567`", repo.ok("story"))
    found = re.sub(r"`[0-9a-f]{12}`", "`0123456789ab`", found)
    found = re.sub(r"`[0-9a-f]{8}-[0-9a-f-]{27}`", "`session`", found)
    assert (
        found
        == """\
# Add a greeting for @&#8203;ada, see #&#8203;12

## What was asked

- Add hello (`1234567`)
  1. Add a greeting for @&#8203;ada, see #&#8203;12
- Add French (`1234567`)
  1. Say it in French, too

## What changed

3 files, +5 -0 lines. Of the 4 added lines whose origin is recorded, agents wrote 3 (75 %), people 1.

| File | Lines | By agents | By people |
| --- | --- | --- | --- |
| `french.py` | +1 -0 | 1 |  |
| `hello.py` | +3 -0 | 2 | 1 |
| `typed.txt` | +1 -0 |  |  |

## How it went

Commands that failed:

- `pytest -q`: E assert 1 == 2; fixed in `hello.py`

Tests:

- `pytest -q`: failed (1 failed)
- `pytest -q`: passed (2 passed)

## Sessions

| Session | Agent | Model | Prompts | Commits | Tokens |
| --- | --- | --- | --- | --- | --- |
| `session` | Claude Code | claude-x | 2 | 2 | 127 in, 70 out (7 calls) |

## Commits

| Commit | Subject | Author | Agents | Checkpoints |
| --- | --- | --- | --- | --- |
| `1234567` | Add hello | Ada Tester | Claude Code | `0123456789ab` |
| `1234567` | Add French | Ada Tester | Claude Code | `0123456789ab` |
| `1234567` | Merge branch 'main' into topic | Ada Tester |  | merge |
| `1234567` | Typed by hand | Ada Tester |  |  |

## Commits without a session

- `1234567` Typed by hand
"""
    )


@pytest.mark.parametrize(
    ("name", "subjects"),
    [
        ("main..HEAD", ["Add hello", "Add French", "Merge branch 'main' into topic", "Typed by hand"]),
        ("main", ["Add hello", "Add French", "Merge branch 'main' into topic", "Typed by hand"]),
        ("main...topic", ["Add hello", "Add French", "Merge branch 'main' into topic", "Typed by hand"]),
        ("HEAD~1..", ["Typed by hand"]),
        ("HEAD..HEAD", []),
        ("HEAD..main", []),
    ],
)
def test_a_range_is_what_git_understands(repo: Repo, name: str, subjects: list[str]) -> None:
    assert [commit["subject"] for commit in repo.json("story", name)["commits"]] == subjects


def test_json_has_what_markdown_has(repo: Repo) -> None:
    found = repo.json("story")
    assert (found["by_agents"], found["by_people"]) == (3, 1)
    assert found["base"] == repo.git("rev-parse", "main")
    assert found["head"] == repo.git("rev-parse", "HEAD")
    assert found["failures"][0]["files"] == ["hello.py"]
    assert found["commits"][0]["prompts"] == ["Add a greeting for @ada, see #12"]


def test_it_can_be_written_to_a_file(repo: Repo, tmp_path: Path) -> None:
    path = tmp_path / "story.md"
    assert repo.ok("story", "-o", str(path)) == ""
    assert path.read_text() == repo.ok("story")
    repo.ok("story", "--json", "-o", str(path))
    assert json.loads(path.read_text())["title"]
    assert repo.entire("story", "-o", str(tmp_path / "missing" / "x")) == 1
    assert "cannot write" in repo.err
    assert "hint: " in repo.err


def test_an_empty_range_is_no_error(repo: Repo) -> None:
    repo.git("checkout", "-q", "main")
    assert re.fullmatch(r"# Changes\n\nThere are no commits in `\w{7}`..`\w{7}`.\n", repo.ok("story", "HEAD..HEAD"))


@pytest.mark.parametrize("name", ["nothing..HEAD", "main..nothing", "--all", "x\ny", ".."])
def test_what_is_no_range(repo: Repo, name: str) -> None:
    status = repo.entire("story", "--", name)
    assert (status, "hint: " in repo.err) == (2, True) or name == ".."


def test_without_commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    fresh = Story(tmp_path / "fresh", enable=False, first_commit=False)
    monkeypatch.chdir(fresh.root)
    repo = Repo(fresh.root, capsys)
    assert repo.entire("story") == 1
    assert "there are no commits yet" in repo.err
    fresh.write("a", "1\n")
    fresh.commit("Only")
    assert repo.entire("story") == 2
    assert "cannot tell where this branch began" in repo.err


def test_the_default_range_of_a_clone(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what the clone's own branch has since origin's default one; checkpoints come with their branch."""
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "-b", "topic", str(repo.top), str(clone))
    Repo.git(Repo(clone, repo._capsys), "remote", "set-head", "origin", "main")
    monkeypatch.chdir(clone)
    found = Workspace.find().history.story()
    assert found.commits[0].subject == "Add hello"
    assert [session.prompts for session in found.sessions] == [2]
    Repo.git(Repo(clone, repo._capsys), "checkout", "-q", "--detach")
    assert Workspace.find().history.story() == found


def test_an_unlinked_commit_has_its_reason(repo: Repo, story: Story) -> None:
    story.write("mine.txt", "mine\n")
    story.commit("Of nobody", env={"CLAUDE_CODE_SESSION_ID": "c0ffee00-0000-4000-8000-000000000000", "CLAUDECODE": "1"})
    (commit,) = repo.json("story", "HEAD~1..HEAD")["commits"]
    assert commit["reason"] == story.reasons()[story.head()]
    assert "which was not recorded (is entire on the agent's PATH?)\n" in repo.ok("story", "HEAD~1..HEAD")


def test_a_checkpoint_that_is_not_here(repo: Repo) -> None:
    repo.git("update-ref", "-d", "refs/heads/entire/checkpoints/v1")
    assert "(not stored here)" in repo.ok("story")
    assert repo.json("story")["commits"][0]["missing"]


def test_a_turn_with_two_commits_is_told_once(
    story: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(story.root)
    base = story.head()
    session = story.started()
    with session.turn("Two things"):
        session.write("a.py", "1\n")
        run(session, "make", "fatal: no", fails=True)
        session.commit("Add a")
        session.write("b.py", "1\n")
        session.commit("Add b")
    found = Repo(story.root, capsys).json("story", f"{base}..HEAD")
    assert [commit["prompts"] for commit in found["commits"]] == [["Two things"], []]
    assert len(found["failures"]) == 1
    (told,) = found["sessions"]
    assert (told["prompts"], told["commits"]) == (1, 2)


def test_a_checkpoint_of_two_commits_is_counted_once(
    story: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(story.root)
    base = story.head()
    session = story.started()
    with session.turn("Add a"):
        session.write("a.py", "1\n2\n")
    added = story.commit("Add a")
    story.git("revert", "--no-edit", added)
    story.git("cherry-pick", added)
    found = Repo(story.root, capsys).json("story", f"{base}..HEAD")
    first, _, again = found["commits"]
    assert first["checkpoint_ids"] == again["checkpoint_ids"] != []
    assert (first["prompts"], again["prompts"]) == (["Add a"], [])
    assert (found["by_agents"], found["by_people"]) == (2, 0)


def test_no_secret_is_told(story: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(story.root)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    base = story.head()
    session = story.started()
    with session.turn(f"Use {secret}"):
        session.write("a.py", "1\n")
        run(session, f"TOKEN={secret} make test", f"fatal: {secret}", fails=True)
    story.commit("Add a")
    repo = Repo(story.root, capsys)
    assert secret not in repo.ok("story", f"{base}..HEAD")
    assert secret not in repo.ok("story", f"{base}..HEAD", "--json")


def test_it_changes_nothing(repo: Repo) -> None:
    repo.ok("story")
    before = repo.files()
    repo.ok("story")
    assert repo.files() == before


@pytest.mark.parametrize("stage", golden.STAGES)
def test_what_the_go_cli_wrote(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for top in golden.repositories(golden.unpack(stage, tmp_path)):
        monkeypatch.chdir(top)
        repo = Repo(top, capsys)
        root = repo.git("rev-list", "--max-parents=0", "HEAD").split()[-1]
        found = Workspace.find(top).history.story(f"{root}..HEAD")
        assert len(found.commits) == int(repo.git("rev-list", "--count", f"{root}..HEAD"))
        assert all(session.agent for session in found.sessions)
        assert repo.ok("story", f"{root}..HEAD").startswith("# ")
