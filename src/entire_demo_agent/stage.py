"""The stage of the demonstration: a scratch repository, the commands run in it, and the words around them."""

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

PATIENCE = 60
"""Seconds after which a command has failed."""

WIDTH = 100
KEPT = ("PATH", "TMPDIR", "TERM", "NO_COLOR", "PYTHONPATH", "LD_LIBRARY_PATH")
_BOLD, _FAINT, _GREEN, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[0m"


class Failed(Exception):
    """The story did not go as told; the text says where."""


class Teller:
    """Prints the story; in colour on a terminal that wants it (https://no-color.org)."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._after_output = False
        self._coloured = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def title(self, words: str) -> None:
        """Begin a part of the story."""
        self._print(f"\n{self._paint(words, _BOLD)}\n")
        self._after_output = False

    def tell(self, words: str) -> None:
        """Say what happens."""
        if self._after_output:
            self._print("")
            self._after_output = False
        for line in words.splitlines():
            self._print("\n".join(textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)))

    def command(self, words: str) -> None:
        """Show what is typed."""
        self._after_output = True
        shell = "" if words.startswith("> ") else "$ "
        for line in (shell + words).splitlines():
            self._print(f"  {self._paint(line, _GREEN)}".rstrip())

    def output(self, text: str) -> None:
        """Show what a program prints."""
        for line in text.splitlines():
            self._print(f"    {self._paint(line, _FAINT)}" if line.strip() else "")

    def _paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_PLAIN}" if self._coloured and text else text

    def _print(self, line: str) -> None:
        print(line, file=self._out, flush=True)


class Talk:
    """A conversation with the demo agent, which runs as a program of its own."""

    SIGN = b"> "

    def __init__(self, child: subprocess.Popen[bytes], teller: Teller) -> None:
        self._child = child
        self._teller = teller
        self._listen()

    def say(self, prompt: str) -> None:
        """Type a prompt (one line, or lines in a block), wait until the turn is over, show what the agent did."""
        prompt = prompt.strip()
        self._teller.command("> " + prompt.replace("\n", "\n  "))
        stdin = self._child.stdin
        if stdin is None:
            raise Failed("the agent does not listen")
        stdin.write(prompt.encode() + b"\n")
        stdin.flush()
        answer = self._listen()
        self._teller.output(answer)
        if "went wrong" in answer or "do not understand" in answer:
            raise Failed("the agent could not do what it was told")

    def _listen(self) -> str:
        """Return what the agent prints until it waits for the next prompt (``. ``: for the rest of this one)."""
        heard = b""
        while heard != self.SIGN and not heard.endswith(b"\n" + self.SIGN):
            piece = os.read(self._child.stdout.fileno(), 4096) if self._child.stdout else b""
            if not piece:
                raise Failed("the agent ended too early")
            heard += piece
            while heard.startswith(b". "):
                heard = heard[2:]
        return heard[: -len(self.SIGN)].decode("utf-8", "replace")


class Stage:
    """A repository and a home that belong to nobody."""

    def __init__(self, folder: Path, teller: Teller) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.repository = folder / "greetings"
        self.home.mkdir()
        self.repository.mkdir()
        self._teller = teller
        self.programs = Path(sys.executable).parent
        if not (self.programs / "entire").exists():
            found = shutil.which("entire")
            if found is None:
                raise Failed("the command `entire` is not installed beside this Python")
            self.programs = Path(found).parent
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ} | {
            "PATH": os.pathsep.join((str(self.programs), os.environ.get("PATH", os.defpath))),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        (self.home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.com\n")

    def elsewhere(self) -> Stage:
        """Return the stage of another person, with nothing on it."""
        folder = self.folder / "elsewhere"
        folder.mkdir()
        return Stage(folder, self._teller)

    def run(self, *words: str) -> str:
        """Run a command, shown with its output; returns the output."""
        self._teller.command(shlex.join(words))
        output = self.quiet(*words)
        self._teller.output(output)
        return output

    def quiet(self, *words: str) -> str:
        """Run a command that the reader need not see; returns its output."""
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
    def talk(self) -> Iterator[Talk]:
        """Start the demo agent; it is told to leave at the end."""
        child = subprocess.Popen(
            [sys.executable, "-m", "entire_demo_agent"],
            cwd=self.repository,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            self._teller.command("entire-demo-agent")
            yield Talk(child, self._teller)
            child.communicate(b"/exit\n", timeout=PATIENCE)
        except (subprocess.TimeoutExpired, BrokenPipeError) as why:
            raise Failed("the agent does not answer") from why
        finally:
            child.kill()
            child.communicate()
