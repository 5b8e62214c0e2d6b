"""The commands of a documentation page, in order, and what the page says about them.

Blocks of ``sh`` hold a command in each line. In a block of ``console`` (or any with lines that begin with ``$ ``),
those lines are the commands, and what follows is their output; a line of three dots stands for any lines. Comments on
lines of their own say the rest, as CONTRIBUTING.md describes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
_COMMENT = re.compile(r"^<!-- (world|not run|run|exits): (.+) -->$")
_FENCE = re.compile(r"^```(\w*)$")
_SHELLS = ("sh", "console")
_NAMED = re.compile(r"`(.+?)`: .+")  # the command that a reason is about


@dataclass(frozen=True)
class Command:
    """A command line of a page; ``expected`` is the output that the page shows, None if it shows none."""

    line: int
    words: str
    expected: str | None = None
    status: int = 0


@dataclass(frozen=True)
class World:
    """From here on the commands run in a new scratch world; ``names`` stand for ids that it has."""

    line: int
    name: str
    names: dict[str, str] = field(default_factory=dict)


def read(path: Path) -> Iterator[Command | World]:
    """Yield what is to be done for a page. Raises ValueError for a block of which it is not clear."""
    lines = path.read_text(encoding="utf-8").split("\n")
    notes: dict[str, list[str]] = {}
    at = 0
    while at < len(lines):
        comment, fence = _COMMENT.match(lines[at]), _FENCE.match(lines[at])
        if comment is not None and comment[1] == "world":
            yield _world(at + 1, comment[2])
        elif comment is not None and comment[1] == "run":
            yield Command(at + 1, comment[2])
        elif comment is not None:
            notes.setdefault(comment[1], []).append(comment[2])
        elif fence is not None:
            end = lines.index("```", at + 1)
            yield from _block(path, fence[1], at + 2, lines[at + 1 : end], notes)
            notes, at = {}, end
        elif lines[at] and notes:
            raise ValueError(f"{path}:{at}: this comment is about no block: {notes}")
        at += 1


def _world(line: int, text: str) -> World:
    name, *said = text.split(", ")
    pairs = [re.fullmatch(r"(\S+) is (?:an|a|the) (\w+)", words) for words in said]
    return World(line, name, {pair[1]: pair[2] for pair in pairs if pair is not None})


def _block(path: Path, kind: str, line: int, lines: list[str], notes: dict[str, list[str]]) -> Iterator[Command]:
    has_prompts = any(words.startswith("$ ") for words in lines)
    if kind not in _SHELLS:
        if has_prompts:
            raise ValueError(f"{path}:{line}: commands with their output are a block of `console`")
        return
    reasons = notes.get("not run", [])
    left_out = [found[1] for reason in reasons if (found := _NAMED.fullmatch(reason)) is not None]
    if len(left_out) < len(reasons):
        return
    status = int(notes.get("exits", ["0"])[0])
    commands = list(_with_output(line, lines) if has_prompts else _without_output(line, lines))
    unknown = set(left_out) - {words for _, words, _ in commands}
    if unknown:
        raise ValueError(f"{path}:{line}: the block has no such command: {unknown}")
    yield from (Command(at, words, expected, status) for at, words, expected in commands if words not in left_out)


def _without_output(line: int, lines: list[str]) -> Iterator[tuple[int, str, None]]:
    joined = ""
    for at, words in enumerate(lines, line):
        joined += re.sub(r"(^|\s+)#\s.*$", "", words).rstrip()
        if joined.endswith("\\"):
            joined = joined[:-1]
        elif joined:
            yield at, joined, None
            joined = ""


def _with_output(line: int, lines: list[str]) -> Iterator[tuple[int, str, str | None]]:
    starts = [at for at, words in enumerate(lines) if words.startswith("$ ")]
    for at, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        words = re.sub(r"\s{2,}#\s.*$", "", lines[at][2:])
        yield line + at, words, "\n".join(lines[at + 1 : end]).strip("\n")


def rewrite(path: Path, outputs: dict[int, str]) -> None:
    """Replace the output below commands, by the numbers of their lines."""
    lines = path.read_text(encoding="utf-8").split("\n")
    for line, output in sorted(outputs.items(), reverse=True):
        end = next(at for at in range(line, len(lines)) if lines[at] == "```" or lines[at].startswith("$ "))
        gap = [""] if lines[end] != "```" else []
        lines[line:end] = [*output.split("\n"), *gap]
    path.write_text("\n".join(lines), encoding="utf-8")
