"""A session of a plugin's agent as users meet it: each hook and command is a process, and git runs its own hooks."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any, Protocol

from tests import forks
from tests.integration.story import Story

PATIENCE = 120.0


class AgentPlugin(Protocol):
    """A plugin on a PATH of its own, with its agent, which writes what it is made to ``say``."""

    name: str
    bin: Path
    sessions: Path

    def ref(self, session_id: str) -> str: ...
    def say(self, session_id: str, record: dict[str, object]) -> None: ...
    def text(self, session_id: str) -> str: ...


class PluginAtWork:
    """One session of the plugin's agent in a repository; ``seconds`` is what the last hook took."""

    def __init__(self, story: Story, plugin: AgentPlugin, session_id: str = "session-1") -> None:
        self.story = story
        self.plugin = plugin
        self.id = session_id
        self.ref = plugin.ref(session_id)
        self.program: tuple[str, ...] = forks.command()
        self.seconds = 0.0
        self.out = b""
        story.env |= {"PATH": f"{plugin.bin}{os.pathsep}{story.env['PATH']}"}

    # ------------------------------------------------------------ processes

    def hurry(self, call: float, hook: float) -> None:
        """Set the limits for plugins: the seconds of a call, and of all calls of a hook."""
        file = self.story.root.parent / "hurried"
        limits = f"protocol.CALL_SECONDS, protocol.HOOK_SECONDS = {call}, {hook}"
        before = f"from entire.plugin_host.language import protocol\n{limits}"
        forks.write(file, forks.call("entire.cli", "sys.argv[1:]", before))
        self.program = (str(file),)

    def run(self, *words: str, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([*self.program, *words], input=stdin, cwd=cwd or self.story.root, env=self.story.env,
                              capture_output=True, timeout=PATIENCE, check=False)  # fmt: skip

    def ok(self, *words: str, cwd: Path | None = None) -> str:
        done = self.run(*words, cwd=cwd)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout.decode()

    def json(self, *words: str, cwd: Path | None = None) -> Any:
        return json.loads(self.ok(*words, "--json", cwd=cwd))

    def enable(self) -> None:
        self.ok("plugin", "allow", self.plugin.name)
        self.ok("enable", "--agent", self.plugin.name)

    def raw_hook(self, verb: str, payload: bytes) -> None:
        """Call a hook, which must not disturb its caller."""
        before = self.theirs()
        begin = time.monotonic()
        done = self.run("hooks", self.plugin.name, verb, stdin=payload)
        self.seconds, self.out = time.monotonic() - begin, done.stdout
        assert (done.returncode, done.stderr) == (0, b"")
        assert self.theirs() == before, "what belongs to the user has changed"

    def hook(self, verb: str, **more: object) -> None:
        payload = {"session_id": self.id, "session_ref": self.ref, **more}
        self.raw_hook(verb, json.dumps(payload).encode())

    def theirs(self) -> dict[str, object]:
        """Return what of the repository belongs to the user: what a hook must leave alone."""
        root = self.story.root
        git = self.story.git
        files = [path for path in sorted(root.rglob("*")) if not path.is_relative_to(root / ".git")]
        return {
            "index": (root / ".git/index").read_bytes(),
            "head": (root / ".git/HEAD").read_bytes(),
            "config": (root / ".git/config").read_bytes(),
            "refs": [ref for ref in git("for-each-ref").splitlines() if "/entire/" not in ref],
            "files": {
                str(path): path.read_bytes()
                for path in files
                if path.is_file() and not path.is_relative_to(root / ".entire")
            },
        }

    def survivors(self) -> list[str]:
        """Return the processes of the plugin that are still there: all that run with its calls' environment."""
        end = time.monotonic() + 20
        while found := list(self._processes()):
            if time.monotonic() > end:
                return found
            time.sleep(0.02)
        return []

    def _processes(self) -> Any:
        mark = f"ENTIRE_REPO_ROOT={self.story.root}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    yield (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                pass

    # ------------------------------------------------------------ the agent

    def say(self, **record: object) -> None:
        self.plugin.say(self.id, record)

    def begin(self, prompt: str) -> None:
        self.hook("turn-start", prompt=prompt)
        self.say(prompt=prompt)

    def work(self, name: str, tokens: int = 1) -> None:
        self.story.write(name, f"{name}\n")
        self.say(file=name)
        self.say(answer=f"wrote {name}", tokens=tokens)

    def end(self) -> None:
        self.hook("turn-end")

    def turn(self, name: str, tokens: int = 1) -> None:
        self.begin(f"Create {name}")
        self.work(name, tokens)
        self.end()

    # ------------------------------------------------------------ what came of it

    def slot(self, commit: str = "HEAD") -> dict[str, Any]:
        found: dict[str, Any] = self.story.linked(commit)["slots"][self.id]
        return found

    def tokens(self, commit: str = "HEAD") -> int | None:
        usage = self.slot(commit).get("token_usage") or {}
        return usage.get("output_tokens")

    def text(self) -> str:
        return self.plugin.text(self.id)

    def warnings(self) -> list[str]:
        found: list[str] = self.json("status")["warnings"]
        return [warning for warning in found if "plugin" in warning]

    def doctor(self) -> list[str]:
        """Return what ``doctor`` says about plugins."""
        found = self.run("doctor").stdout.decode()
        return [line for line in found.splitlines() if "plugin" in line]
