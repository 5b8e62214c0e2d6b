"""A repository in which hooks run as the launcher starts them. Each tells which modules it loaded, which git commands
it started, and which files it looked at.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from entire import layout
from entire.githooks import install, watch
from tests.architecture.places import PACKAGE

SESSION = "0b5a9f3e-4c1d-4f6a-9e57-2d8c3b7a1f60"

# Each of these costs a hook 4 to 36 ms.
HEAVY = set(
    """
    argparse asyncio click concurrent.futures contextlib curses dataclasses datetime decimal difflib email http
    importlib.metadata inspect locale logging multiprocessing optparse pathlib pickle platform pty random rich
    shutil socket sqlite3 ssl statistics subprocess tempfile threading traceback typing unittest urllib
    urllib.parse urllib.request uuid xml zipfile
    """.split()
)

# The packages below entire that belong to commands and other faces, not to hooks.
ELSEWHERE = {
    "entire_demo_agent",
    "entire.ui",
    "entire.workspace",
    "entire_plugin_kit",
    "entire.index",
    "entire.model.views",
}

RUN = """
import os, sys
report, *argv = sys.argv[1:]
sys.path.append({source!r})
looked = []
def counted(function):
    def look(path, *words, **options):
        looked.append(("look", path))
        return function(path, *words, **options)
    return look
def seen(event, words):
    if event in ("open", "os.listdir", "os.scandir"):
        looked.append((event, words[0]))
os.stat, os.lstat, os.access = counted(os.stat), counted(os.lstat), counted(os.access)
sys.addaudithook(seen)
from entire.cli import main
status = main(argv)
looked = [(how, os.fsdecode(path)) for how, path in looked if isinstance(path, (str, bytes))]
modules = sorted(sys.modules)
import json  # which loads others
with open(report, "w") as file:
    json.dump({{"status": status, "modules": modules, "looked": looked}}, file)
"""


class World:
    """An enabled repository, a session's transcript, and a git on PATH that counts itself."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repo = folder / "repo"
        self.transcript = folder / "projects" / f"{SESSION}.jsonl"
        self.started = folder / "started"
        self.looked: list[tuple[str, str]] = []
        """How the last hook looked at which files: opened, listed or only looked."""
        self.env = os.environ | {
            "PATH": f"{folder}/bin{os.pathsep}{os.environ['PATH']}",
            "CLAUDE_PROJECT_DIR": str(self.repo),
        }
        self.transcript.parent.mkdir()
        subprocess.run(["git", "init", "-q", self.repo], check=True)
        (self.repo / "a.txt").write_text("one\n")
        self.git("add", ".")
        self.git("commit", "-qm", "First")
        (self.repo / ".entire").mkdir()
        (self.repo / ".entire" / "settings.json").write_text('{"strategy": "manual-commit", "enabled": true}')
        install.install(str(self.repo))
        place = layout.find(str(self.repo))
        assert place is not None
        watch.check(place, repair=False)  # later hooks look again only if something changed
        counting = folder / "bin" / "git"
        counting.parent.mkdir()
        counting.write_text(f'#!/bin/sh\necho "$*" >>"{self.started}"\nexec "{shutil.which("git")}" "$@"\n')
        counting.chmod(0o755)

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", "-C", self.repo, *words], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def say(self, **record: Any) -> None:
        """Append a record to the transcript as Claude Code writes it."""
        line = {"sessionId": SESSION, "cwd": str(self.repo), "timestamp": "2026-01-01T10:00:00.000Z", **record}
        with self.transcript.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def hook(self, verb: str, agent: str = "claude-code", **payload: Any) -> tuple[set[str], list[str]]:
        """Run one hook; return the modules it loaded and the git commands it started."""
        payload = {"session_id": SESSION, "transcript_path": str(self.transcript), "cwd": str(self.repo), **payload}
        return self._run(agent, verb, given=json.dumps(payload))

    def commit(self) -> Iterator[tuple[str, set[str], list[str]]]:
        """Commit everything; yield each of git's hooks with the modules it loaded and the git commands it started."""
        message = self.repo / ".git" / "COMMIT_EDITMSG"
        message.write_text("Second\n")
        self.git("add", ".")
        yield "prepare-commit-msg", *self._run("git", "prepare-commit-msg", str(message), "message")
        self.git("-c", "core.hooksPath=/dev/null", "commit", "-qF", str(message))
        yield "post-commit", *self._run("git", "post-commit")

    def _run(self, *words: str, given: str = "") -> tuple[set[str], list[str]]:
        self.started.write_text("")
        report = self.folder / "report.json"
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", RUN.format(source=str(PACKAGE.parent)), report, "hooks", *words],
            input=given.encode(),
            cwd=self.repo,
            env=self.env,
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr.decode()
        told = json.loads(report.read_text())
        assert told["status"] == 0
        self.looked = [(how, path) for how, path in told["looked"]]
        return set(told["modules"]), self.started.read_text().splitlines()

    def state(self) -> dict[str, Any]:
        """Return the stored state of the session."""
        loaded: dict[str, Any] = json.loads((self.repo / ".git" / "entire-sessions" / f"{SESSION}.json").read_text())
        return loaded

    def steps(self) -> list[str]:
        """Return the shadow branches."""
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads/entire/").splitlines()

    def turn(self) -> Iterator[tuple[str, set[str], list[str]]]:
        """Play a session of one turn that writes a file: each hook with the modules and git commands it took."""
        yield "session-start", *self.hook("session-start", hook_event_name="SessionStart", source="startup")
        yield (
            "user-prompt-submit",
            *self.hook("user-prompt-submit", hook_event_name="UserPromptSubmit", prompt="Write b.txt"),
        )
        self.say(type="user", uuid="u1", parentUuid=None, message={"role": "user", "content": "Write b.txt"})
        (self.repo / "b.txt").write_text("two\n")
        path = str(self.repo / "b.txt")
        call = {"type": "tool_use", "id": "toolu_1", "name": "Write", "input": {"file_path": path, "content": "two\n"}}
        self._answer("a1", "u1", call)
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "written"}
        self.say(
            type="user",
            uuid="u2",
            parentUuid="a1",
            message={"role": "user", "content": [result]},
            toolUseResult={"type": "create", "filePath": path, "structuredPatch": []},
        )
        self._answer("a2", "u2", {"type": "text", "text": "Done."})
        yield (
            "stop",
            *self.hook("stop", hook_event_name="Stop", stop_hook_active=False, last_assistant_message="Done."),
        )
        yield "session-end", *self.hook("session-end", hook_event_name="SessionEnd", reason="other")

    def _answer(self, uuid: str, above: str, block: dict[str, Any]) -> None:
        usage = {"input_tokens": 3, "output_tokens": 2}
        message = {"id": f"msg_{uuid}", "role": "assistant", "model": "claude-test", "content": [block], "usage": usage}
        self.say(type="assistant", uuid=uuid, parentUuid=above, message=message)
