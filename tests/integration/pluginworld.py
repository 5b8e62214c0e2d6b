"""An enabled repository, and plugins as shell scripts on a private PATH."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests import forks

SCRIPT = """\
#!/bin/sh
echo "$*" >>{calls}
case $1 in
info) echo '{info}' ;;
detect) echo '{{"present": true}}' ;;
install-hooks) if [ -e .agent/hooks ]; then n=0; else n=2; mkdir -p .agent; echo "entire hooks" >.agent/hooks; fi
    echo "{{\\"hooks_installed\\": $n}}" ;;
uninstall-hooks) rm -rf .agent ;;
are-hooks-installed) if [ -e .agent/hooks ]; then b=true; else b=false; fi; echo "{{\\"installed\\": $b}}" ;;
parse-hook) cat >/dev/null; echo null ;;
resolve-session-file) echo '{{"session_file": "{folder}/s-1.jsonl"}}' ;;
read-transcript) cat "$3" ;;
get-session-dir) echo '{{"session_dir": "{folder}"}}' ;;
*) echo "no subcommand $1" >&2; exit 1 ;;
esac
"""


class PluginWorld:
    """A folder with a repository, a folder on PATH, a home, and the file ``calls`` that plugins write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repo = folder / "repo"
        self.bin = folder / "bin"
        self.home = folder / "home"
        self.out = ""
        self.err = ""
        for path in (self.repo, self.bin, self.home):
            path.mkdir()
        (self.home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.com\n")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "GIT_"))}
        self.env |= {"HOME": str(self.home), "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}"}
        self.git("init", "-q", "-b", "main")
        (self.repo / "a.txt").write_text("one\n")
        self.git("add", ".")
        self.git("commit", "-qm", "First")

    def git(self, *words: str, cwd: Path | None = None) -> str:
        done = subprocess.run(["git", "-C", cwd or self.repo, *words], env=self.env, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def install(self, name: str = "x", *, folder: Path | None = None, script: str = SCRIPT, **info: object) -> Path:
        """Write a plugin's executable; ``info`` are further fields of its answer."""
        path = (folder or self.bin) / f"entire-agent-{name}"
        path.parent.mkdir(parents=True, exist_ok=True)
        fields = {"protocol_version": 1, "name": name, "type": f"Agent {name}", "description": "for tests",
                  "hook_names": ["start", "stop"], "capabilities": {"hooks": True}, "protected_dirs": [".agent"],
                  **info}  # fmt: skip
        path.write_text(script.format(calls=self.folder / "calls", info=json.dumps(fields), folder=self.folder))
        path.chmod(0o755)
        return path

    def calls(self) -> list[str]:
        """Return what plugins were called with since the last time."""
        path = self.folder / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def entire(self, *words: str, given: str = "", cwd: Path | None = None) -> int:
        """Run a command; what it printed is in ``out`` and ``err``."""
        done = subprocess.run([*forks.command(), *words], cwd=cwd or self.repo, env=self.env,
                              input=given.encode(), capture_output=True, timeout=60)  # fmt: skip
        self.out, self.err = done.stdout.decode(), done.stderr.decode()
        return done.returncode

    def ok(self, *words: str, cwd: Path | None = None) -> str:
        assert self.entire(*words, cwd=cwd) == 0, (words, self.out, self.err)
        return self.out

    def json(self, *words: str, cwd: Path | None = None) -> Any:
        return json.loads(self.ok(*words, "--json", cwd=cwd))

    def states(self, cwd: Path | None = None) -> dict[str, str]:
        """Return the state of each plugin on PATH, the first of a name."""
        found: dict[str, str] = {}
        for plugin in self.json("plugin", "list", cwd=cwd)["plugins"]:
            found.setdefault(plugin["name"], plugin["state"])
        return found

    def hook(self, verb: str = "stop", agent: str = "x", session: str = "s-1", cwd: Path | None = None) -> None:
        payload = json.dumps({"session_id": session})
        assert (self.entire("hooks", agent, verb, given=payload, cwd=cwd), self.out) == (0, "")

    def warnings(self) -> list[str]:
        found: list[str] = self.json("status")["warnings"]
        return found

    def switch(self, path: str = ".entire/entire.json", cwd: Path | None = None) -> Path:
        """Write a file that lets every plugin run, if it counts."""
        file = (cwd or self.repo) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('{"external_agents": true}\n')
        return file
