"""The demo agent's tools. Each takes an instruction and returns its outcome."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from entire_demo_agent import shell
from entire_demo_agent.instructions import Instruction

RUN_TIMEOUT = 600.0
MAX_OUTPUT = 20_000


class Refused(Exception):
    """An instruction that cannot be followed; the text says why."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of a tool call. ``path`` (absolute) and ``change`` describe the file it changed, if any."""

    output: str
    ok: bool = True
    path: str = ""
    change: str = ""


@dataclass(frozen=True, kw_only=True)
class Place:
    """The folder the agent works in, and variables added to the environment of its commands."""

    workdir: Path
    env: dict[str, str]


def use(place: Place, instruction: Instruction) -> Outcome:
    """Follow an instruction that has a tool; the outcome reports any error."""
    try:
        return TOOLS[instruction.verb](place, instruction)
    except Refused as why:
        return Outcome(ok=False, output=str(why))
    except OSError as why:
        return Outcome(ok=False, output=f"{instruction.path or instruction.text}: {why.strerror or why}")
    except ValueError as why:  # a NUL in a command, or invalid text
        return Outcome(ok=False, output=f"that cannot be done: {why}")


def locate(place: Place, name: str, *, follow: bool = True) -> Path:
    """Return the path of the named file (of the link itself if not ``follow``).

    Raises Refused for a path outside the working folder and for git's own files.
    """
    if not name or "\0" in name:
        raise Refused("that is not a file name")
    root, named = Path(os.path.realpath(place.workdir)), Path(name)
    link = Path(os.path.realpath(root / named.parent)) / named.name
    real = Path(os.path.realpath(link)) if follow else link
    if named.is_absolute() or not named.name or named.name == ".." or not real.is_relative_to(root) or real == root:
        raise Refused(f"{name} is outside this folder")
    if ".git" in real.relative_to(root).parts:
        raise Refused(f"{name} belongs to git")
    return real


def _bytes(text: str) -> bytes:
    """Encode a text, restoring bytes of the prompt that were not valid text."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _lines(text: str) -> bytes:
    """Encode a text, ending it with a newline."""
    data = _bytes(text)
    return data if not data or data.endswith(b"\n") else data + b"\n"


def _count(data: bytes) -> str:
    lines = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    return "1 line" if lines == 1 else f"{lines} lines"


def create(place: Place, instruction: Instruction) -> Outcome:
    """Create or overwrite a file."""
    path, data = locate(place, instruction.path), _lines(instruction.text)
    change = "modified" if path.exists() else "created"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return Outcome(output=f"{change} {instruction.path} ({_count(data)})", path=str(path), change=change)


def append(place: Place, instruction: Instruction) -> Outcome:
    """Append lines to an existing file."""
    path, data = locate(place, instruction.path), _lines(instruction.text)
    before = path.read_bytes()
    glue = b"\n" if before and not before.endswith(b"\n") else b""
    with path.open("ab") as file:
        file.write(glue + data)
    return Outcome(output=f"added {_count(data)} to {instruction.path}", path=str(path), change="modified")


def replace(place: Place, instruction: Instruction) -> Outcome:
    """Replace every occurrence of a text in a file."""
    path = locate(place, instruction.path)
    old = _bytes(instruction.text)
    before = path.read_bytes()
    times = before.count(old) if old else 0
    if not times:
        raise Refused(f"{instruction.text!r} is not in {instruction.path}")
    path.write_bytes(before.replace(old, _bytes(instruction.new)))
    words = "1 place" if times == 1 else f"{times} places"
    return Outcome(output=f"changed {words} in {instruction.path}", path=str(path), change="modified")


def delete(place: Place, instruction: Instruction) -> Outcome:
    path = locate(place, instruction.path, follow=False)
    path.unlink()
    return Outcome(output=f"deleted {instruction.path}", path=str(path), change="deleted")


def run(place: Place, instruction: Instruction) -> Outcome:
    """Run a shell command; like other agents, this one does not know which files the command changes."""
    done = shell.run(instruction.text, workdir=place.workdir, env=place.env, timeout=RUN_TIMEOUT)
    text = (done.output + done.errors).decode("utf-8", "replace")
    output = text if len(text) <= MAX_OUTPUT else text[:MAX_OUTPUT] + "\n(cut)\n"
    return Outcome(ok=done.code == 0, output=output + (f"(exit code {done.code})\n" if done.code else ""))


def remember(_place: Place, instruction: Instruction) -> Outcome:
    """Remember a fact; the transcript itself stores it."""
    return Outcome(output=f"remembered: {instruction.text}")


TOOLS: dict[str, Callable[[Place, Instruction], Outcome]] = {
    "append": append,
    "create": create,
    "delete": delete,
    "remember": remember,
    "replace": replace,
    "run": run,
}
