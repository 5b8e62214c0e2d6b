"""``entire rewind`` as people and scripts type it, on real sessions: list, look, go back, undo, choose."""

from __future__ import annotations

import io
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integration.commandline import Repo
from tests.integration.story import Session, Story
from tests.screen import Screen


@pytest.fixture
def session(story: Story, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    a = story.session()
    a.start()
    with a.turn("Create greeting"):
        a.write("sub/hello.py", "print(1)\n")
    with a.turn("Improve it"):
        a.write("sub/hello.py", "print(2)\n")
        a.write("more.py", "more\n")
    return a


@pytest.fixture
def repo(story: Story, session: Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    monkeypatch.chdir(story.root)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return Repo(story.root, capsys)


def say(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setenv("ACCESSIBLE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO(words))


def points(repo: Repo) -> list[dict[str, Any]]:
    found = json.loads(repo.ok("rewind", "--list"))
    assert isinstance(found, list)
    return found


def files(repo: Repo) -> dict[str, bytes]:
    """Return the worktree without our own folder and the agent's."""
    every = {name: data for name, (_, data) in repo.files().items()}
    return {name: data for name, data in every.items() if not name.startswith((".git/", ".entire/", ".claude/"))}


def test_the_list(repo: Repo, session: Session, story: Story) -> None:
    found = points(repo)
    assert [(entry["kind"], entry["prompt"], entry["is_logs_only"], entry["files"]) for entry in found] == [
        ("step", "Improve it", False, ["more.py", "sub/hello.py"]),
        ("step", "Create greeting", False, ["sub/hello.py"]),
    ]
    for entry in found:
        assert story.git("cat-file", "-t", entry["id"]) == "commit\n"
        assert (entry["session_id"], entry["session_prompt"]) == (session.id, "Create greeting")
        assert entry["metadata_dir"] == f".entire/metadata/{session.id}"
    assert json.loads(repo.ok("rewind", "--list", "--limit", "1")) == found[:1]
    assert json.loads(repo.ok("rewind", "--list", "--session", session.id[:6])) == found


def test_a_squash_gives_an_entry_for_each_checkpoint(repo: Repo, story: Story, session: Session) -> None:
    start = story.head()
    story.commit("One")
    with session.turn("And again"):
        session.write("third.py", "3\n")
    story.commit("Two")
    ids = [*story.ids("HEAD~1"), *story.ids()]
    assert len(ids) == 2
    story.git("reset", "--soft", start)
    story.git(
        "commit", "-q", "-m", "Both\n\n" + "".join(f"Entire-Checkpoint: {checkpoint_id}\n" for checkpoint_id in ids)
    )
    found = [entry for entry in points(repo) if entry["kind"] == "checkpoint"]
    assert [entry["id"] for entry in found] == [story.head()] * 2
    assert sorted(entry["condensation_id"] for entry in found) == sorted(ids)
    assert all(entry["is_logs_only"] for entry in found)


def test_there_and_back(repo: Repo, session: Session, story: Story) -> None:
    now, conversation, status = files(repo), session.file.read_bytes(), repo.git("status", "--short")
    point = points(repo)[1]["id"]
    taken = repo.ok("rewind", "--to", point, "--preview")
    assert files(repo) == now
    assert "  change  sub/hello.py\n" in taken
    assert "  delete  more.py\n" in taken
    assert "-print(2)\n+print(1)\n" in taken

    done = repo.ok("rewind", "--to", point[:8])
    assert done.startswith(f"rewind to {point[:7]}, after its prompt: Create greeting\n")
    assert "  changed  sub/hello.py\n" in done
    assert f"to continue: claude -r {session.id}" in done
    assert done.endswith("\nUndo: entire rewind --undo\n")
    assert files(repo)["sub/hello.py"] == b"print(1)\n"
    assert "more.py" not in files(repo)

    assert repo.entire("rewind", "--undo") == 2
    assert "--yes" in repo.err
    assert repo.ok("rewind", "--undo", "--yes").startswith("undo of: rewind to ")
    assert (files(repo), session.file.read_bytes(), repo.git("status", "--short")) == (now, conversation, status)
    assert story.log_errors() == []


def test_the_preview_is_a_patch(repo: Repo) -> None:
    """What the preview shows is what the rewind does: git applies it to the same effect."""
    point = points(repo)[1]["id"]
    patch = repo.ok("rewind", "--to", point, "--files-only", "--preview").encode()
    subprocess.run(["git", "apply", "-"], input=patch, cwd=repo.top, check=True)
    by_hand = files(repo)
    assert repo.json("rewind", "--to", point, "--files-only", "--preview")["edits"] == []
    assert "Nothing to restore" in repo.ok("rewind", "--to", point, "--files-only")
    assert files(repo) == by_hand


def test_one_file_from_the_folder_it_is_in(repo: Repo, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = session.file.read_bytes()
    monkeypatch.chdir(repo.top / "sub")
    done = repo.json("rewind", "--to", points(repo)[1]["id"], "--file", "hello.py")
    assert done["edits"] == [{"path": "sub/hello.py", "what": "write"}]
    assert files(repo)["sub/hello.py"] == b"print(1)\n"
    assert files(repo)["more.py"] == b"more\n"
    assert session.file.read_bytes() == conversation


def test_only_the_conversation(repo: Repo, session: Session) -> None:
    now = files(repo)
    repo.ok("rewind", "--to", points(repo)[1]["id"], "--logs-only")
    assert files(repo) == now
    assert b"Improve it" not in session.file.read_bytes()


def test_edits_of_ones_own_are_named_and_held(repo: Repo) -> None:
    point = points(repo)[1]["id"]
    path = repo.top / "sub/hello.py"
    path.write_text("print(2)\nprint('mine')\n")
    taken = repo.ok("rewind", "--to", point, "--preview")
    assert "removed from these files; the undo point will hold them:\n  sub/hello.py\n" in taken
    done = repo.ok("rewind", "--to", point)
    assert "the undo point holds them:\n  sub/hello.py\n" in done
    assert path.read_text() == "print(1)\n"
    repo.ok("rewind", "--undo", "-y")
    assert path.read_text() == "print(2)\nprint('mine')\n"


def test_choosing_by_numbers(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    say(monkeypatch, "3\ncode\nd\ny\n")
    assert repo.entire("rewind") == 0
    assert re.search(r" 1\) .* before: Improve it\n +2\) .* after: Improve it .*\n +3\) .* after: Create", repo.err)
    assert "-print(2)\n+print(1)\n" in repo.err
    assert repo.out.startswith("rewind to ")
    assert files(repo)["sub/hello.py"] == b"print(1)\n"
    say(monkeypatch, "y\n")
    assert repo.entire("rewind", "--undo") == 0
    assert files(repo)["sub/hello.py"] == b"print(2)\n"


def test_the_first_choice(repo: Repo, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    say(monkeypatch, "1\nboth\ny\n")
    assert repo.entire("rewind") == 0
    assert re.match("rewind to before-[0-9a-f]{12}, before its prompt: Improve it\n", repo.out)
    assert files(repo)["sub/hello.py"] == b"print(1)\n"
    assert b"Improve it" not in session.file.read_bytes()


def test_back_by_branch(repo: Repo, story: Story, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    first = story.commit("One")
    with session.turn("And again"):
        session.write("third.py", "3\n")
    second = story.commit("Two")
    kinds = [entry["id"] for entry in points(repo)]
    say(monkeypatch, f"{kinds.index(first) + 2}\nboth\nbranch\ny\n")
    assert repo.entire("rewind") == 0
    assert f"Branch main moved to {first[:12]}; its old commit is saved as refs/" in repo.out
    assert repo.git("rev-parse", "HEAD") == first
    assert repo.git("status", "--short") == ""
    monkeypatch.delenv("ACCESSIBLE")
    repo.ok("rewind", "--undo", "--yes")
    assert repo.git("rev-parse", "HEAD") == second
    assert files(repo)["third.py"] == b"3\n"


def test_choosing_on_a_terminal(repo: Repo) -> None:
    program = f"import os\nos.chdir({str(repo.top)!r})\nfrom entire import cli\nraise SystemExit(cli.main(['rewind']))"
    screen = Screen(program, {}, columns=100, rows=30)
    try:
        screen.wait_for("Rewind to which point.*> [^\n]*before: Improve it.*1/3")
        screen.type("jjd")
        screen.wait_for("> [^\n]*after: Create greeting.*after the prompt: Create.*-print.2.*3/3")
        screen.type("\r")
        screen.wait_for("Restore what")
        screen.type("\n")
        screen.wait_for("Rewind. .y.es")
        screen.type("y\n")
        assert screen.end().endswith("Undo: entire rewind --undo")
    finally:
        screen.close()
    assert files(repo)["sub/hello.py"] == b"print(1)\n"


def test_in_a_turn_nothing_goes_back(repo: Repo, session: Session) -> None:
    point = points(repo)[1]["id"]
    session.prompt("Think about it")
    now = files(repo)
    assert repo.entire("rewind", "--to", point) == 1
    assert "in the middle of a turn" in repo.err
    assert files(repo) == now


def test_a_repository_without_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    repo = Repo(tmp_path, capsys)
    before = repo.files()
    assert repo.ok("rewind", "--list") == "[]\n"
    assert repo.files() == before
    for words in (("--to", "1234567"), ("--undo", "--yes")):
        assert repo.entire("rewind", *words) == 4
        assert "never enabled" in repo.err
    assert repo.files() == before


def test_undo_points_are_listed_and_gone_back_to(repo: Repo, session: Session) -> None:
    now = files(repo)
    newest, oldest = points(repo)[:2]
    repo.ok("rewind", "--to", oldest["id"])
    repo.ok("rewind", "--to", newest["id"])
    found = json.loads(repo.ok("rewind", "--undo", "--list"))
    assert [entry["title"] for entry in found] == [f"rewind to {point['id'][:7]}" for point in (newest, oldest)]
    assert [sorted(entry) for entry in found] == [["files", "id", "session_ids", "time", "title"]] * 2
    repo.ok("rewind", "--undo", "--to", found[1]["id"], "--yes")
    assert files(repo) == now
