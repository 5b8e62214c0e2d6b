"""Plays sessions of Claude Code against real repositories: hooks by payload, a transcript in the agent's own form.

The real agent plays the same in tests/e2e; this one is for the many ways in which people commit.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from entire import layout
from entire.cli import main
from entire.model import trailers
from entire.model.ids import CheckpointId
from tests import forks
from tests.integration import beginnings

BRANCH = "entire/checkpoints/v1"
OID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def stamp(moment: float) -> str:
    """Return a moment as the agent writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) + f".{int(moment * 1000) % 1000:03}Z"


def later(seconds: int) -> dict[str, str]:
    """Return the environment in which git, whose times are whole seconds, takes the time for so much later."""
    return {"GIT_COMMITTER_DATE": f"@{int(time.time()) + seconds} +0000"}


class Story:
    """A repository with Entire enabled, people who commit, and sessions at work."""

    def __init__(self, root: Path, *, enable: bool = True, first_commit: bool = True) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.projects = root.parent / "projects"
        self.projects.mkdir(exist_ok=True)
        self.env = {**os.environ, "PATH": forks.path(), "ENTIRE_LOG_LEVEL": "debug"}
        beginnings.play(root, (type(self), enable, first_commit), lambda: self._begin(enable, first_commit))

    def _begin(self, enable: bool, first_commit: bool) -> None:
        self.git("init", "-q", "-b", "main")
        for sample in self.root.glob(".git/hooks/*.sample"):
            sample.unlink()
        if first_commit:
            self.write("README.md", "start\n")
            self.commit("init")
        if enable:
            assert self.entire("enable", "--agent", "claude-code") == 0
            if first_commit:
                self.commit("Enable entire")

    # ---------------------------------------------------------------- the person

    def git(self, *args: str, ok: bool = True, env: dict[str, str] | None = None, stdin: str = "") -> str:
        done = subprocess.run(
            ["git", *args],
            cwd=self.root,
            env={**self.env, **(env or {})},
            capture_output=True,
            text=True,
            input=stdin,
            check=False,
            errors="surrogateescape",
        )
        assert done.returncode == 0 or not ok, f"git {args}: {done.stdout}{done.stderr}"
        return done.stdout

    def entire(self, *args: str, cwd: Path | None = None) -> int:
        before = Path.cwd()
        os.chdir(cwd or self.root)
        try:
            return main(list(args))
        finally:
            os.chdir(before)

    def path(self, name: str) -> Path:
        return self.root / name

    def write(self, name: str, text: str | bytes) -> None:
        target = self.root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())

    def read(self, name: str) -> str:
        return (self.root / name).read_text()

    def commit(self, message: str, *args: str, add: bool = True, env: dict[str, str] | None = None) -> str:
        if add:
            self.git("add", "-A")
        self.git("commit", "-q", "-m", message, *args, env=env)
        return self.head()

    def head(self) -> str:
        """Return the id of HEAD; git is asked only where no file tells it, as after packing."""
        git_dir = self.root / ".git"
        try:
            head = (git_dir / "HEAD").read_text().strip()
            return (git_dir / head.removeprefix("ref: ")).read_text().strip() if head.startswith("ref: ") else head
        except OSError:
            return self.git("rev-parse", "HEAD").strip()

    # ---------------------------------------------------------------- sessions

    def session(self, session_id: str = "") -> Session:
        return Session(self, session_id or str(uuid.uuid4()))

    def started(self) -> Session:
        """Return a new session that has begun."""
        session = self.session()
        session.start()
        return session

    # ---------------------------------------------------------------- what was kept

    def ids(self, commit: str = "HEAD") -> list[CheckpointId]:
        return trailers.checkpoint_ids(self.git("log", "-1", "--format=%B", commit))

    def recorded(self, commit: str = "HEAD") -> list[str]:
        """Return the checkpoints that the index on the checkpoints branch records for a commit's id."""
        return self.recorded_for(commit if OID.fullmatch(commit) else self.git("rev-parse", commit).strip())

    def recorded_for(self, *oids: str) -> list[str]:
        """Return what ``recorded`` does for several commits at once."""
        links = self.git("ls-tree", "-r", "--name-only", BRANCH, "links/commits/", ok=False).split()
        named = [link.removeprefix("links/commits/").replace("/", "", 1).split("-") for link in links]
        return [checkpoint_id for oid, _, checkpoint_id in named if oid in oids]

    def show(self, name: str) -> str:
        return self.git("show", f"{BRANCH}:{name}")

    def files(self, folder: str) -> dict[str, str]:
        """Return the files below a folder of the checkpoints branch."""
        listed = self.git("ls-tree", "-r", "-z", BRANCH, f"{folder}/").split("\0")[:-1]
        blobs = {path: entry.split()[2] for entry, _, path in (line.partition("\t") for line in listed)}
        asked = "".join(f"{blob}\n" for blob in blobs.values()).encode()
        done = subprocess.run(["git", "cat-file", "--batch"], cwd=self.root, env=self.env, check=True,
                              input=asked, capture_output=True)  # fmt: skip
        found, answers = {}, io.BytesIO(done.stdout)
        for path, blob in blobs.items():
            header = answers.readline().split()
            assert header[1:2] == [b"blob"], (path, blob, header)
            found[path] = answers.read(int(header[2])).decode("utf-8", "surrogateescape")
            answers.readline()
        return found

    def checkpoint(self, checkpoint_id: str) -> dict[str, Any]:
        """Return the root metadata with ``slots``: session id -> its record with ``transcript``, ``prompts``."""
        folder = CheckpointId(checkpoint_id).path
        files = self.files(folder)
        value: dict[str, Any] = json.loads(files[f"{folder}/metadata.json"])
        value["slots"] = {}
        for entry in value["sessions"]:
            base = os.path.dirname(entry["metadata"]).lstrip("/")
            record = json.loads(files[f"{base}/metadata.json"])
            parts = [path for path in sorted(files) if path.startswith(f"{base}/full.jsonl")]
            record["transcript"] = "\n".join(files[path] for path in parts)
            prompts = files.get(f"{base}/prompt.txt")
            record["prompts"] = prompts.split("\n\n---\n\n") if prompts is not None else []
            value["slots"][record["session_id"]] = record
        value["lineage"] = json.loads(files[f"{folder}/lineage.json"])
        return value

    def linked(self, commit: str = "HEAD") -> dict[str, Any]:
        """Return the only checkpoint of a commit, whether its message names it or it is recorded for its id."""
        oid, _, message = self.git("log", "-1", "--format=%H %B", commit).partition(" ")
        ids = [*trailers.checkpoint_ids(message), *self.recorded(oid)]
        assert len(ids) == 1, ids
        found = self.checkpoint(ids[0])
        assert found["checkpoint_id"] == ids[0]
        return found

    def reasons(self) -> dict[str, str]:
        """Return why commits are not linked: commit -> reason."""
        path = Path(self.git("rev-parse", "--absolute-git-dir").strip(), "entire/journal.json")
        value = json.loads(path.read_text()) if path.exists() else {}
        return {one["commit"]: one["reason"] for one in value.get("reasons", [])}

    def log_errors(self) -> list[str]:
        return self.logged("ERROR", "WARN")

    def logged(self, *levels: str) -> list[str]:
        place = layout.find(str(self.root))
        log = Path(place.log) if place is not None else self.root
        lines = [json.loads(line) for line in log.read_text().splitlines()] if log.is_file() else []
        return [line["msg"] for line in lines if line["level"] in levels]


class Session:
    """A session of the agent; its transcript grows as the real one's does (one record a line, usage per answer)."""

    def __init__(self, story: Story, session_id: str) -> None:
        self.story = story
        self.id = session_id
        self.file = story.projects / f"{session_id}.jsonl"
        self.parent: str | None = None
        self.prompt_id = ""
        self.answers = 0
        self.model = "claude-x"
        self.cwd = story.root
        self.early = 0.0  # seconds by which its clock is behind

    def payload(self, verb: str, **extra: object) -> str:
        """Return what the agent gives a hook on its standard input."""
        payload = {
            "session_id": self.id,
            "transcript_path": str(self.file),
            "cwd": str(self.cwd),
            "hook_event_name": verb,
            **extra,
        }
        if self.prompt_id:
            payload.setdefault("prompt_id", self.prompt_id)
        return json.dumps(payload)

    def hook(self, verb: str, **extra: object) -> None:
        payload = self.payload(verb, **extra)
        before, stdin = Path.cwd(), sys.stdin
        os.chdir(self.cwd)
        try:
            sys.stdin = io.TextIOWrapper(io.BytesIO(payload.encode()))
            assert main(["hooks", "claude-code", verb]) == 0
        finally:
            sys.stdin = stdin
            os.chdir(before)

    def record(self, kind: str, **value: object) -> dict[str, Any]:
        record: dict[str, Any] = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": str(self.cwd),
            "sessionId": self.id,
            "version": "2.1.197",
            "uuid": str(uuid.uuid4()),
            "timestamp": stamp(time.time() - self.early),
            "type": kind,
            **value,
        }
        self.parent = record["uuid"]
        with self.file.open("a") as file:
            file.write(json.dumps(record) + "\n")
        return record

    def start(self) -> None:
        self.hook("session-start", source="startup")

    def end(self) -> None:
        self.hook("session-end", reason="other")

    def prompt(self, text: str) -> None:
        self.prompt_id = str(uuid.uuid4())
        self.hook("user-prompt-submit", prompt=text)
        self.record("user", promptId=self.prompt_id, promptSource="sdk", message={"role": "user", "content": text})

    def answer(self, *blocks: dict[str, Any], tokens: int = 0) -> str:
        """Write one answer; answer n of a session costs 2^n input tokens (or ``tokens``), so that sums tell which
        were counted.
        """
        message_id = f"msg_{uuid.uuid4().hex[:12]}"
        usage = {"input_tokens": tokens or 2**self.answers, "output_tokens": 10, "cache_creation_input_tokens": 0,
                 "cache_read_input_tokens": 0}  # fmt: skip
        self.answers += 1
        for block in blocks:
            self.record(
                "assistant",
                requestId="req_1",
                message={
                    "id": message_id,
                    "type": "message",
                    "role": "assistant",
                    "model": self.model,
                    "content": [block],
                    "usage": usage,
                },
            )
        return message_id

    def tool(self, name: str, given: dict[str, Any], result: dict[str, Any]) -> None:
        tool_id = f"toolu_{uuid.uuid4().hex[:20]}"
        self.answer({"type": "tool_use", "id": tool_id, "name": name, "input": given})
        self.record(
            "user",
            message={"role": "user", "content": [{"tool_use_id": tool_id, "type": "tool_result", "content": "ok"}]},
            toolUseResult=result,
        )

    def write(self, name: str, text: str) -> None:
        """Write a file with the agent's Write tool."""
        path = str(self.story.root / name)
        self.story.write(name, text)
        self.tool(
            "Write",
            {"file_path": path, "content": text},
            {"type": "create", "filePath": path, "content": text, "structuredPatch": [], "originalFile": None},
        )

    def edit(self, name: str, old: str, new: str) -> None:
        """Edit a file with the agent's Edit tool."""
        path = str(self.story.root / name)
        text = self.story.read(name)
        assert old in text
        self.story.write(name, text.replace(old, new, 1))
        self.tool("Edit", {"file_path": path, "old_string": old, "new_string": new},
                  {"filePath": path, "oldString": old, "newString": new})  # fmt: skip

    @contextmanager
    def shell(self, command: str = "do something", *, early: float = 0.0) -> Iterator[list[str]]:
        """Do something as the agent's Bash tool: the call is in the transcript before, the result after, with what was
        added to the list as its output. Both say that they were written so many seconds earlier.
        """
        tool_id = f"toolu_{uuid.uuid4().hex[:20]}"
        self.early = early
        self.answer({"type": "tool_use", "id": tool_id, "name": "Bash", "input": {"command": command}})
        time.sleep(0.01)
        output: list[str] = []
        yield output
        time.sleep(0.01)
        text = "".join(output)
        self.record(
            "user",
            message={"role": "user", "content": [{"tool_use_id": tool_id, "type": "tool_result", "content": text}]},
            toolUseResult={"stdout": text, "stderr": "", "interrupted": False},
        )
        self.early = 0.0

    def commit(self, message: str, *args: str, add: bool = True) -> str:
        """Commit as the agent does, in its shell."""
        with self.shell(f"git commit -m '{message}'"):
            return self.story.commit(
                message, *args, add=add, env={"CLAUDE_CODE_SESSION_ID": self.id, "CLAUDECODE": "1"}
            )

    def interrupt(self, call: str = "") -> None:
        """Note an interruption as the agent does, which runs no hook; ``call``: the tool's that was running."""
        if call:
            refusal = {"tool_use_id": call, "type": "tool_result", "is_error": True,
                       "content": "The user doesn't want to proceed with this tool use."}  # fmt: skip
            self.record("user", message={"role": "user", "content": [refusal]}, toolDenialKind="user-rejected",
                        toolUseResult="User rejected tool use")  # fmt: skip
        text = f"[Request interrupted by user{' for tool use' if call else ''}]"
        self.record("user", message={"role": "user", "content": [{"type": "text", "text": text}]},
                    interruptedMessageId=f"msg_{uuid.uuid4().hex[:12]}")  # fmt: skip

    def stop(self, text: str = "Done.") -> None:
        self.answer({"type": "text", "text": text})
        self.hook("stop", last_assistant_message=text, stop_hook_active=False)

    @contextmanager
    def turn(self, text: str) -> Iterator[Session]:
        self.prompt(text)
        yield self
        self.stop()

    def state(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self.story.root / ".git/entire-sessions" / f"{self.id}.json").read_text())
        return value


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(tmp_path / "repo")
