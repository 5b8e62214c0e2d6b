"""A transcript's path comes from an agent: what is there may be no file, or one without an end.

Each hook must refuse it quickly, name it once, and save the turn's files all the same.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from entire import layout
from entire.agents import transcripts as agents
from entire.store import sessions
from entire.turns import prompt_text
from tests import forks
from tests.integration import memory, secrets
from tests.integration.plugin_at_work import PluginAtWork
from tests.integration.recording_plugin import RecordingPlugin
from tests.integration.secrets import TOKEN
from tests.integration.story import Session, Story

QUICK = 20.0  # seconds for all hooks of a turn on a busy machine; what blocks takes for ever, and 1 GB some minutes
SESSION = "0b5a9f3e-4c1d-4f6a-9e57-2d8c3b7a1f60"
VERBS = {
    "claude-code": ("session-start", "user-prompt-submit", "pre-task", "post-task", "stop", "session-end"),
    "gemini": ("session-start", "before-agent", "before-tool", "after-tool", "after-agent", "session-end"),
    "demo": ("session-start", "prompt-submit", "subagent-start", "subagent-end", "turn-end", "session-end"),
}


class Turn:
    """One turn of an agent that gives a path for its transcript, by the hooks of processes."""

    def __init__(self, story: Story, agent: str, path: Path | str) -> None:
        self.story = story
        self.agent = agent
        self.path = str(path)
        self.memory = 0

    def play(self) -> None:
        for number, verb in enumerate(VERBS[self.agent]):
            if number == 2:
                self.story.write("made.txt", "made\n")
            self.hook(verb)

    def hook(self, verb: str) -> None:
        payload = {
            "session_id": SESSION, "transcript_path": self.path, "cwd": str(self.story.root), "prompt": "Make it",
            "tool_name": "Task", "tool_use_id": "toolu_1", "tool_input": {"prompt": "help"}, "tool_response": {},
            "agent_transcript_path": self.path, "prompt_response": "Done.", "last_assistant_message": "Done.",
        }  # fmt: skip
        done, peak = memory.peak(self.story, ["hooks", self.agent, verb], json.dumps(payload).encode(), QUICK)
        assert (done.returncode, done.stderr) == (0, b""), verb
        self.memory = max(self.memory, peak)

    def status(self) -> str:
        done = subprocess.run([*forks.command(), "status", "--detailed"], cwd=self.story.root, env=self.story.env,
                              capture_output=True, timeout=QUICK, check=True, text=True)  # fmt: skip
        return done.stdout


def named(story: Story) -> list[str]:
    """Return what the log says of the transcript."""
    lines = map(json.loads, (story.root / ".git/entire/logs/entire.log").read_text().splitlines())
    return [line["msg"] for line in lines if "transcript" in line["msg"] and line["level"] == "WARN"]


def stepped(story: Story) -> list[str]:
    """Return the files of the one step."""
    (branch,) = [ref for ref in story.git("for-each-ref", "--format=%(refname)", "refs/heads/entire/").split()
                 if not ref.endswith("/v1")]  # fmt: skip
    return story.git("ls-tree", "-r", "--name-only", branch).splitlines()


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def unix_socket(path: Path) -> Path:
    before = Path.cwd()
    os.chdir(path.parent)  # a socket's address is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(before)
    return path


def link_outside(path: Path) -> Path:
    outside = folder(path.parent.parent / "outside") / "private.jsonl"
    outside.write_text('{"type":"user","message":{"role":"user","content":"private words"}}\n')
    path.symlink_to(outside)
    return path


def endless(path: Path) -> Path:
    with path.open("wb") as file:
        file.truncate(1 << 30)
    return path


HOSTILE: dict[str, tuple[Callable[[Path], Path | str], str]] = {
    "pipe": (pipe, "it is a named pipe, not a file"),
    "folder": (folder, "it is a folder, not a file"),
    "socket": (unix_socket, "it is a socket, not a file"),
    "zeros": (lambda _: "/dev/zero", "it is a device, not a file"),
    "stdin": (lambda _: "/dev/stdin", "it is a symbolic link that leads out of its folder"),
    "link": (link_outside, "it is a symbolic link that leads out of its folder"),
}
if Path("/proc/self/mem").exists():
    HOSTILE["memory"] = (lambda _: "/proc/self/mem", "it cannot be read: Input/output error")
    HOSTILE["maps"] = (lambda _: "/proc/self/smaps", "it has content, but no size")


@pytest.fixture
def place(story: Story) -> Path:
    return story.projects / f"{SESSION}.jsonl"


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_no_file_is_refused(kind: str, story: Story, place: Path) -> None:
    make, reason = HOSTILE[kind]
    turn = Turn(story, "claude-code", make(place))
    turn.play()
    assert named(story) == [f"the transcript {turn.path} is not read: {reason}"]
    assert f"transcript: not read: {reason}" in turn.status()
    assert "made.txt" in stepped(story)
    assert not any("full.jsonl" in name for name in stepped(story))
    assert turn.memory < memory.MOST


@pytest.mark.parametrize("agent", ["gemini", "demo"])
def test_other_agents_refuse_a_pipe_that_has_a_writer(agent: str, story: Story, place: Path) -> None:
    turn = Turn(story, agent, pipe(place))
    reader = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(place, os.O_WRONLY)
    os.close(reader)
    try:
        turn.play()
    finally:
        os.close(writer)
    assert named(story) == [f"the transcript {place} is not read: it is a named pipe, not a file"]
    assert "made.txt" in stepped(story)


LAG = "not all stored: 1024 MB are left; a hook stores whole lines of at most 128 MB"


@pytest.mark.parametrize(
    ("agent", "problem"),
    [("claude-code", LAG), ("demo", LAG), ("gemini", "not read: it has more than 128 MB")],
)
def test_a_file_that_grows_without_end_costs_little_memory(agent: str, problem: str, story: Story, place: Path) -> None:
    turn = Turn(story, agent, endless(place))
    begin = time.monotonic()
    turn.play()
    assert time.monotonic() - begin < QUICK
    assert turn.memory < memory.MOST
    assert named(story) == [f"the transcript {place} is {problem}"]
    assert f"transcript: {problem}" in turn.status()
    assert "made.txt" in stepped(story)


def test_what_one_hook_does_not_read_the_next_ones_do(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is lost, and lines keep their order: the bounds are small here."""
    monkeypatch.setattr(agents, "MAX_SPAN", 8000)
    session = story.started()
    with session.turn("First"):
        session.write("a.txt", "a\n")
        for number in range(40):
            session.answer({"type": "text", "text": f"{number} " + "word " * 100})
    assert b"39 word" not in _stored(story)
    for number in range(8):
        with session.turn(f"Turn {number}"):
            session.write(f"{number}.txt", "more\n")
    assert _stored(story).rstrip(b"\n") == session.file.read_bytes().rstrip(b"\n")


def _stored(story: Story) -> bytes:
    """Return the transcript in the step."""
    names = sorted(name for name in stepped(story) if "full.jsonl" in name and "/parts/" not in name)
    (branch,) = story.git("for-each-ref", "--format=%(refname)", "refs/heads/entire/").split()
    return "\n".join(story.git("show", f"{branch}:{name}").removesuffix("\n") for name in names).encode()


def _problem(story: Story, session: Session) -> str:
    place = layout.find(str(story.root))
    found = sessions.find(place, session.id) if place is not None else None
    assert found is not None
    return found.storage.problem


def test_the_agents_folder_may_be_a_link(story: Story, tmp_path: Path) -> None:
    """Only what is in it must stay there: people keep ~/.claude elsewhere."""
    (tmp_path / "agent").symlink_to(story.projects)
    session = story.session()
    session.file = (tmp_path / "agent") / session.file.name
    session.start()
    with session.turn("Write"):
        session.write("a.txt", "a\n")
    assert b"Write" in _stored(story)
    assert _problem(story, session) == ""


def test_a_transcript_that_becomes_readable_is_taken_over(story: Story) -> None:
    session = story.session()
    outside = story.root.parent / "outside.jsonl"
    session.file.symlink_to(outside)
    session.start()
    with session.turn("Write"):
        session.write("a.txt", "a\n")
    assert _problem(story, session) == "not read: it is a symbolic link that leads out of its folder"
    session.file.unlink()
    outside.rename(session.file)
    with session.turn("Go on"):
        session.write("b.txt", "b\n")
    assert _problem(story, session) == ""
    assert _stored(story).rstrip(b"\n") == session.file.read_bytes().rstrip(b"\n")


def test_a_subagents_transcript_must_be_in_its_sessions_folder(story: Story) -> None:
    session = story.started()
    outside = folder(story.root.parent / "outside")
    (outside / "agent-x.jsonl").write_text('{"type":"user","message":{"role":"user","content":"private words"}}\n')
    session.file.with_suffix("").mkdir()
    (session.file.with_suffix("") / "subagents").symlink_to(outside)
    with session.turn("Delegate"):
        session.write("a.txt", "a\n")
        session.answer({"type": "tool_use", "id": "toolu_x", "name": "Task", "input": {"prompt": "help"}})
        session.hook("pre-task", tool_name="Task", tool_use_id="toolu_x", tool_input={"prompt": "help"})
        session.hook("post-task", tool_name="Task", tool_use_id="toolu_x", tool_input={"prompt": "help"},
                     tool_response={"agentId": "x"})  # fmt: skip
    story.commit("Work")
    kept = story.git("log", "-p", "--all", "--format=")
    assert "Delegate" in kept
    assert "private words" not in kept


def test_a_plugins_agent_is_refused_before_the_plugin_is_asked(story: Story, tmp_path: Path) -> None:
    plugin = RecordingPlugin(tmp_path / "plugin")
    work = PluginAtWork(story, plugin)
    work.enable()
    Path(work.ref).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(work.ref)
    work.hook("turn-start", prompt="Make it")
    story.write("made.txt", "made\n")
    work.hook("turn-end")
    assert named(story) == [f"the transcript {work.ref} is not read: it is a named pipe, not a file"]
    assert "made.txt" in stepped(story)


def test_commits_and_commands_do_not_wait_for_a_pipe(story: Story, place: Path) -> None:
    turn = Turn(story, "claude-code", pipe(place))
    turn.play()
    story.git("add", "-A")
    subprocess.run(["git", "commit", "-qm", "Made"], cwd=story.root, env=story.env, timeout=QUICK, check=True)
    assert len(story.ids("HEAD")) == 1, "the commit is linked"
    for words in (
        ("show", SESSION),
        ("explain", "--session", SESSION),
        ("search", "Make"),
        ("redact", "--session", SESSION),
        ("rewind", "--list"),
        ("resume", "--plan"),
        ("status", "--json"),
    ):
        done = subprocess.run([*forks.command(), *words], cwd=story.root, env=story.env, timeout=QUICK,
                              capture_output=True, check=False, text=True)  # fmt: skip
        assert "Traceback" not in done.stderr, (words, done.stderr)
    assert stat.S_ISFIFO(place.lstat().st_mode)


def test_a_folder_in_the_agents_folder_must_not_lead_out(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    (story.projects / "deep").symlink_to(folder(story.root.parent / "outside"))
    session = story.session()
    session.file = story.projects / "deep" / session.file.name
    session.start()
    with session.turn("Write"):
        session.write("a.txt", "a\n")
    assert _problem(story, session) == f"not read: it is not in the folder {story.projects}"
    assert "a.txt" in stepped(story)


def test_of_very_long_prompts_the_beginning_is_kept_beside_the_transcript(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_text, "MAX", 60)
    session = story.started()
    session.prompt(f"first line\n{'word ' * 8}{TOKEN}")
    session.record("user", promptId="p2", message={"role": "user", "content": "queued prompt"})
    session.record("user", promptId="p3", message={"role": "user", "content": "one more"})
    session.write("a.py", "1\n")
    session.stop()
    story.commit("Add a")
    (slot,) = story.linked()["slots"].values()
    assert slot["prompts"] == ["first line"]
    assert "[REDACTED:github-token]" in slot["transcript"]
    assert "one more" in slot["transcript"]
    assert TOKEN[:8] not in secrets.stored(story)
