"""A passive observer: nothing of the person's is different after any hook, and no fault of ours is felt."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from entire.cli import main
from tests.forks import BIN
from tests.integration.kept import sole
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story) -> Session:
    return story.session()


def picture(story: Story) -> dict[str, Any]:
    """Return everything that is the person's. The index comes first: git itself may refresh it afterwards."""
    git = story.path(".git")
    index = git / "index"
    tree = {
        str(path.relative_to(story.root)): (path.lstat().st_mode, path.lstat().st_mtime_ns, _bytes(path))
        for path in sorted(story.root.rglob("*"))
        if ".git" not in path.relative_to(story.root).parts and ".entire" not in path.relative_to(story.root).parts
    }
    own = [path for name in ("hooks", "info", "refs/tags", "refs/stash") for path in sorted((git / name).rglob("*"))]
    return {
        "index": (index.read_bytes(), index.stat().st_mtime_ns, index.stat().st_ino) if index.exists() else None,
        "status": story.git("--no-optional-locks", "status", "--porcelain=v2", "--branch", "--untracked-files=all"),
        "tree": tree,
        "git": {str(path): _bytes(path) for path in (*own, git / "config", git / "HEAD", git / "logs/HEAD")},
        "stash": story.git("stash", "list"),
        "refs": [one for one in story.git("for-each-ref").splitlines() if not {"entire"} & set(one.split("/")[1:3])],
        "top": sorted(name for name in os.listdir(git) if name != "entire-sessions"),
    }


def _bytes(path: Path) -> bytes:
    if path.is_symlink():
        return os.readlink(path).encode()
    return path.read_bytes() if path.is_file() else b""


def messy(story: Story) -> None:
    """Make a worktree with everything in it: staged, half staged, deleted, untracked, stashed, racy."""
    for name in ("a.py", "b.py", "c.py", "d.py"):
        story.write(name, "1\n2\n3\n")
    story.commit("base")
    story.write("d.py", "stashed\n")
    story.git("stash", "-q")
    story.write("a.py", "staged\n")
    story.git("add", "a.py")
    story.write("a.py", "staged\nand not\n")
    story.path("b.py").unlink()
    story.git("rm", "-q", "--cached", "c.py")
    story.write("new file.py", "x\n")
    story.git("add", "-N", "new file.py")
    story.write("untracked.py", "u\n")
    os.utime(story.path("d.py"), ns=(1, 1))


def inner_hooks(session: Session) -> None:
    given = {"description": "d", "prompt": "p", "subagent_type": "t"}
    session.hook("pre-task", tool_name="Agent", tool_use_id="toolu_1", tool_input=given)
    session.hook("post-todo", tool_name="TodoWrite", agent_id="f00d", tool_input={"todos": []})
    session.hook(
        "post-task", tool_name="Agent", tool_use_id="toolu_1", tool_input=given, tool_response={"agentId": "f00d"}
    )
    session.hook("pre-compact", trigger="auto")
    session.hook("subagent-stop", agent_id="f00d", agent_type="t", background_tasks=[])
    session.hook("stop-failure", last_assistant_message="")


def test_nothing_of_the_persons_changes(story: Story, session: Session) -> None:
    messy(story)
    before = picture(story)
    session.start()
    assert picture(story) == before | {"top": picture(story)["top"]}
    session.prompt("Work")
    assert picture(story) == before | {"top": picture(story)["top"]}
    story.write("agent.py", "a\n")
    story.write("a.py", "staged\nand not\nagent\n")
    before = picture(story)
    session.tool("Bash", {"command": "x"}, {"stdout": ""})
    inner_hooks(session)
    session.stop()
    session.end()
    session.hook("session-start", source="compact")
    after = picture(story)
    assert after == before
    assert story.git("fsck", "--no-dangling").strip() == ""
    assert story.log_errors() == []


def test_a_commit_takes_what_the_person_staged(story: Story, session: Session) -> None:
    messy(story)
    with session.turn("Work"):
        session.write("agent.py", "a\n")
    story.git("add", "agent.py")
    tree = story.git("write-tree").strip()
    before = {key: value for key, value in picture(story).items() if key in ("tree", "stash")}
    story.commit("c", add=False)
    assert story.git("rev-parse", "HEAD^{tree}").strip() == tree
    assert {key: value for key, value in picture(story).items() if key in before} == before
    sole(story, session, ["agent.py"])
    assert story.log_errors() == []


def test_in_an_empty_repository(tmp_path: Path) -> None:
    story = Story(tmp_path / "repo", first_commit=False)
    before = picture_of_new(story)
    session = story.session()
    session.start()
    session.prompt("Work")
    assert picture_of_new(story) == before
    session.write("a.py", "a\n")
    session.stop()
    story.commit("first")
    record = story.linked()["slots"][session.id]
    assert record["files_touched"] == ["a.py"]
    assert story.log_errors() == []


def picture_of_new(story: Story) -> tuple[str, bool]:
    return story.git("status", "--porcelain=v2", "--untracked-files=all"), story.path(".git/index").exists()


def read_only(root: Path, on: bool) -> None:
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            mode = stat.S_IMODE(path.stat().st_mode)
            path.chmod(mode & ~0o222 if on else mode | 0o200)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_git_directory(story: Story, session: Session) -> None:
    story.write("a.py", "a\n")
    git = story.path(".git")
    read_only(git, True)
    try:
        with session.turn("Work"):
            session.write("b.py", "b\n")
        session.end()
        assert story.git("status", "--porcelain").split() == ["??", "a.py", "??", "b.py"]
    finally:
        read_only(git, False)
    assert story.git("fsck").strip() == ""


def test_our_folder_cannot_be_made(story: Story, session: Session) -> None:
    """As root too: where our folder should be is a file."""
    own = story.path(".git/entire")
    for path in own.rglob("*"):
        path.unlink()
    own.rmdir()
    own.write_text("in the way")
    before = picture(story)
    with session.turn("Work"):
        pass
    session.end()
    assert picture(story) == before
    assert own.read_text() == "in the way"
    story.write("a.py", "a\n")
    story.commit("c")
    assert story.ids() == []


def test_without_git(story: Story, session: Session, tmp_path: Path) -> None:
    story.write("a.py", "a\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    payload = json.dumps(
        {"session_id": session.id, "transcript_path": str(session.file), "cwd": str(story.root), "prompt": "x"}
    )
    for verb in ("session-start", "user-prompt-submit", "stop", "session-end"):
        done = subprocess.run([sys.executable, "-m", "entire", "hooks", "claude-code", verb], input=payload.encode(),
                              cwd=story.root, env={**os.environ, "PATH": str(empty)},
                              capture_output=True, check=False)  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    session.prompt("Now with git")
    session.write("b.py", "b\n")
    session.stop()
    story.commit("c")
    assert session.id in story.linked()["slots"]


def test_a_disabled_repository_answers_before_anything_is_loaded(tmp_path: Path) -> None:
    story = Story(tmp_path / "repo", enable=False)
    code = (
        "import sys; from entire.cli import main; status = main(['hooks', 'claude-code', 'stop']); "
        "print(status, sorted(m for m in sys.modules if m.startswith('entire.')))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], input=b"{}", cwd=story.root,
                          capture_output=True, check=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
    status, _, names = done.stdout.decode().partition(" ")
    assert status == "0"
    heavy = ("lifecycle", "agents.claude_code", "agents.capabilities", "git", "store", "redact", "strategies",
             "model.session")  # fmt: skip
    assert [name for name in heavy if f"entire.{name}" in names] == []
    assert not story.path(".git/entire").exists()
    assert not story.path(".entire").exists()


def test_disabled_again_nothing_happens(story: Story, session: Session) -> None:
    assert story.entire("disable") == 0
    with session.turn("Work"):
        session.write("a.py", "a\n")
    story.commit("c")
    assert story.ids() == []
    assert not story.path(f".git/entire-sessions/{session.id}.json").exists()


BROKEN = [b"", b"{", b"[]", b"null", b"\xff\xfe\x00", b'{"entries": 7, "sessions": {}, "reports": []}', b"[" * 5000]


@pytest.mark.parametrize("data", BROKEN)
@pytest.mark.parametrize(
    "name", ["journal.json", "snapshot.json", "sessions/{}.json", "../entire-sessions/{}.json", "sessions/{}.turns"]
)
def test_broken_state_is_put_aside(story: Story, session: Session, name: str, data: bytes) -> None:
    """The next turn works, whatever is left of the past."""
    with session.turn("One"):
        session.write("a.py", "a\n")
    story.path(f".git/entire/{name.format(session.id)}").write_bytes(data)
    with session.turn("Two"):
        session.write("b.py", "b\n")
    story.commit("c")
    record = story.linked()["slots"][session.id]
    assert "b.py" in record["files_touched"]


@pytest.mark.parametrize(
    "payload", [b"", b"{", b"[]", b"null", b"\xff", b'{"session_id": "../../x"}', b'{"session_id": 7}']
)
def test_broken_payloads(story: Story, payload: bytes) -> None:
    before = picture(story)
    for verb in ("session-start", "user-prompt-submit", "stop", "session-end", "post-todo", "nonsense"):
        done = subprocess.run([str(BIN / "entire"), "hooks", "claude-code", verb], input=payload, cwd=story.root,
                              env=story.env,
                              capture_output=True, check=False)  # fmt: skip
        assert (done.returncode, done.stdout) == (0, b"")
    assert main(["hooks"]) == 0
    assert picture(story) == before | {"top": picture(story)["top"]}


def test_eight_hooks_at_once_lose_nothing(story: Story) -> None:
    sessions = [story.session() for _ in range(8)]
    for number, session in enumerate(sessions):
        session.prompt_id = f"prompt-{number}"

    def at_once(verb: str, **extra: object) -> None:
        children = []
        for session in sessions:
            payload = {"session_id": session.id, "transcript_path": str(session.file), "cwd": str(story.root),
                       "prompt_id": session.prompt_id, **extra}  # fmt: skip
            child = subprocess.Popen([str(BIN / "entire"), "hooks", "claude-code", verb], cwd=story.root, env=story.env,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
            assert child.stdin is not None
            child.stdin.write(json.dumps(payload).encode())
            child.stdin.close()
            children.append(child)
        for child in children:
            assert child.wait() == 0
            assert child.stdout is not None
            assert child.stdout.read() == b""
            child.stdout.close()

    at_once("user-prompt-submit", prompt="Work")
    for number, session in enumerate(sessions):
        session.record(
            "user", promptId=session.prompt_id, promptSource="sdk", message={"role": "user", "content": "Work"}
        )
        session.write(f"f{number}.py", f"{number}\n")
        session.answer({"type": "text", "text": "Done."})
    at_once("stop", last_assistant_message="Done.")
    story.commit("all")
    found = story.linked()
    assert sorted(found["slots"]) == sorted(session.id for session in sessions)
    for number, session in enumerate(sessions):
        assert found["slots"][session.id]["files_touched"] == [f"f{number}.py"]
    assert story.log_errors() == []
