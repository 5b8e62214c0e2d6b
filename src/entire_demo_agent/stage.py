"""Runs the demonstration: a scratch repository, the commands run in it, and the text around them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

AGENT = ("python3", "-m", "entire_demo_agent")
"""How people start the demo agent."""
PATIENCE = 60
"""Seconds after which a command counts as failed."""

WIDTH = 100
KEPT = ("PATH", "TMPDIR", "TERM", "NO_COLOR", "PYTHONPATH", "LD_LIBRARY_PATH")
_BOLD, _FAINT, _GREEN, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[0m"


class Failed(Exception):
    """The demonstration failed; the text says where."""


class Teller:
    """Prints the story, in colour on a terminal that supports it (https://no-color.org)."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._after_output = False
        self._coloured = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def title(self, words: str) -> None:
        self._print(f"\n{self._paint(words, _BOLD)}\n")
        self._after_output = False

    def tell(self, words: str) -> None:
        if self._after_output:
            self._print("")
            self._after_output = False
        for line in words.splitlines():
            self._print("\n".join(textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)))

    def command(self, words: str) -> None:
        """Show a command or prompt as typed."""
        self._after_output = True
        shell = "" if words.startswith("> ") else "$ "
        for line in (shell + words).splitlines():
            self._print(f"  {self._paint(line, _GREEN)}".rstrip())

    def output(self, text: str) -> None:
        for line in text.splitlines():
            self._print(f"    {self._paint(line, _FAINT)}" if line.strip() else "")

    def _paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_PLAIN}" if self._coloured and text else text

    def _print(self, line: str) -> None:
        print(line, file=self._out, flush=True)


class AgentConversation:
    """A conversation with the demo agent, which runs in its own process."""

    SIGN = b"> "

    def __init__(self, child: subprocess.Popen[bytes], teller: Teller) -> None:
        self._child = child
        self._teller = teller
        self._listen()

    def say(self, prompt: str) -> None:
        """Type a prompt (a line, or lines in a block), wait until the turn is over and show the agent's output."""
        prompt = prompt.strip()
        self._teller.command("> " + prompt.replace("\n", "\n  "))
        stdin = self._child.stdin
        if stdin is None:
            raise Failed("the agent accepts no input")
        stdin.write(prompt.encode() + b"\n")
        stdin.flush()
        answer = self._listen()
        self._teller.output(answer)
        if "went wrong" in answer or "do not understand" in answer:
            raise Failed("the agent could not follow the prompt")

    def _listen(self) -> str:
        """Return the agent's output up to the next prompt sign; ``. `` only asks for more lines of this prompt."""
        output = b""
        while output != self.SIGN and not output.endswith(b"\n" + self.SIGN):
            piece = os.read(self._child.stdout.fileno(), 4096) if self._child.stdout else b""
            if not piece:
                raise Failed("the agent ended too early")
            output += piece
            while output.startswith(b". "):
                output = output[2:]
        return output[: -len(self.SIGN)].decode("utf-8", "replace")


class Stage:
    """A scratch repository and home folder."""

    def __init__(self, folder: Path, teller: Teller) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.repository = folder / "greetings"
        self.home.mkdir()
        self.repository.mkdir()
        self._teller = teller
        self.programs = Path(sys.executable).parent
        if not (self.programs / "entire").exists():
            path = shutil.which("entire")
            if path is None:
                raise Failed("the command `entire` is not installed beside this Python")
            self.programs = Path(path).parent
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ} | {
            "PATH": os.pathsep.join((str(self.programs), os.environ.get("PATH", os.defpath))),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        (self.home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.com\n")

    def elsewhere(self) -> Stage:
        """Return an empty stage for another person."""
        folder = self.folder / "elsewhere"
        folder.mkdir()
        return Stage(folder, self._teller)

    def run(self, *words: str) -> str:
        """Run a command, show it and its output, and return the output."""
        self._teller.command(shlex.join(words))
        output = self.quiet(*words)
        self._teller.output(output)
        return output

    def quiet(self, *words: str) -> str:
        """Run a command without showing it; return its output."""
        try:
            done = subprocess.run(
                words,
                cwd=self.repository,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=PATIENCE,
            )
        except (OSError, subprocess.TimeoutExpired) as why:
            raise Failed(f"{shlex.join(words)}: {why}") from why
        output = done.stdout.decode("utf-8", "replace").strip("\n")
        if done.returncode:
            raise Failed(f"{shlex.join(words)}: exit code {done.returncode}\n{output}")
        return output

    @contextmanager
    def converse(self) -> Iterator[AgentConversation]:
        """Start the demo agent, and end it with ``/exit``."""
        child = subprocess.Popen(
            [sys.executable, *AGENT[1:]],
            cwd=self.repository,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            self._teller.command(shlex.join(AGENT))
            yield AgentConversation(child, self._teller)
            child.communicate(b"/exit\n", timeout=PATIENCE)
        except (subprocess.TimeoutExpired, BrokenPipeError) as why:
            raise Failed("the agent does not answer") from why
        finally:
            child.kill()
            child.communicate()
