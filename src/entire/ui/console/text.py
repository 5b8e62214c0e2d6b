"""Formats values for people: aligned columns, numbers, times, colours."""

from __future__ import annotations

import codecs
import itertools
import os
import re
import sys
import time

from entire.model import controls
from entire.ui.console import wrapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "green": "32", "yellow": "33", "red": "31", "cyan": "36"}
MARK = "\ufdd0"
"""Begins a style in a line, which `write` turns into the terminal's escape: so no escape in a text is ever ours.

A noncharacter, which `plain` escapes.
"""
_CODE = re.compile(MARK + r"(\[[0-9;]*m)")
_STYLED = re.compile(rf"({MARK}\[[0-9]+m)([^{MARK}]*)({MARK}\[0m)")  # a whole line in one style
_NARROWEST = 20  # cells


class Style:
    """Colours on a terminal, plain text elsewhere."""

    def __init__(self, on: bool) -> None:
        self.on = on

    def __call__(self, text: str, kind: str) -> str:
        """Return the text in a colour or style (``bold``, ``dim``, ``green``, ...)."""
        return f"{MARK}[{_CODES[kind]}m{text}{MARK}[0m" if self.on and text else text


def style_for(stream: TextIO) -> Style:
    """Use colours on a terminal, unless NO_COLOR, ACCESSIBLE or TERM=dumb asks for none."""
    quiet = os.environ.get("NO_COLOR") or os.environ.get("ACCESSIBLE", "0") not in ("", "0")
    return Style(not quiet and os.environ.get("TERM") != "dumb" and stream.isatty())


def plain(text: str) -> str:
    """Make control and invisible characters visible, so text cannot command the terminal."""
    return controls.plain(text)


def shown(lines: str, *, in_colour: bool) -> str:
    """Return what may be written: our own styles as escape sequences, or left out, and everything else plain."""
    if lines.isascii() and lines.isprintable():
        return lines
    pieces = _CODE.split(lines)  # a text, a code, a text ...
    pieces[::2] = ["\n".join(map(controls.plain, piece.split("\n"))) for piece in pieces[::2]]
    pieces[1::2] = ["\033" + code if in_colour else "" for code in pieces[1::2]]
    return "".join(pieces)


def one_line(text: str, width: int = 72) -> str:
    """Return text on one line, cut with an ellipsis."""
    joined = plain(" ".join(text.split()))
    return joined if len(joined) <= width else joined[: width - 1].rstrip() + "…"


def table(rows: Iterable[Sequence[str]], *, lead: str = "") -> list[str]:
    """Return aligned lines; the last column is not padded."""
    return [lead + "  ".join(row).rstrip() for row in wrapping.aligned(rows)]


def count(number: int, word: str, plural: str = "") -> str:
    """Return ``1 file``, ``2 files``."""
    return f"{number:,} {word if number == 1 else plural or word + 's'}"


def moment(seconds: float) -> str:
    """Return a local time to the minute; '-' for none."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds)) if seconds > 0 else "-"
    except (OverflowError, OSError, ValueError):  # no time that a calendar knows
        return "-"


def duration(seconds: float) -> str:
    """Return a length of time in its two largest units, such as ``2m 13s``."""
    whole = max(1, round(seconds))
    for size, unit, smaller, small in ((86400, "d", 3600, "h"), (3600, "h", 60, "m"), (60, "m", 1, "s")):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size}{unit}" + (f" {rest}{small}" if rest else "")
    return f"{whole}s"


def ago(seconds: float, now: float) -> str:
    """Return how long ago a time was, in its largest unit; '' for no time."""
    if seconds <= 0:
        return ""
    past = max(0, int(now - seconds))
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if past >= size:
            return f"{count(past // size, unit)} ago"
    return "just now"


def write(lines: str | Iterable[str], stream: TextIO | None = None) -> None:
    """Write lines. All text goes to people through here: nothing in it commands the terminal but our own styles.

    Characters that the stream's encoding lacks are replaced.
    """
    out = stream or sys.stdout
    text = lines if isinstance(lines, str) else "".join(line + "\n" for line in lines)
    encoding = getattr(out, "encoding", None) or "utf-8"
    out.write(shown(text, in_colour=out.isatty()).encode(encoding, "replace").decode(encoding))


def write_bytes(blocks: Iterable[bytes]) -> None:
    """Write bytes to standard output, exactly as they are; a terminal gets them as plain text."""
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None or sys.stdout.isatty():
        decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
        for block in itertools.chain(blocks, (b"",)):
            write(plain(decode(block, not block)))
        return
    sys.stdout.flush()
    for block in blocks:
        stream.write(block)
    stream.flush()


def terminal_width(stream: TextIO) -> int:
    """Return a terminal's width in cells; 0, which is no limit, for other outputs and where plain lines were asked for
    (ACCESSIBLE).
    """
    if not stream.isatty() or os.environ.get("ACCESSIBLE", "0") not in ("", "0"):
        return 0
    import shutil

    try:
        own = tuple(os.get_terminal_size(stream.fileno()))
    except (OSError, ValueError):
        own = (80, 24)
    return max(shutil.get_terminal_size((own[0], own[1])).columns, _NARROWEST)


def broken(lines: Iterable[str], width: int | None) -> Iterator[str]:
    """Break lines between words to a width, 0 or None for none. A line in more than one style stays as it is."""
    for line in lines:
        styled = _STYLED.fullmatch(line)
        start, inner, end = styled.groups() if styled else ("", line, "")
        pieces = wrapping.wrap(inner, width) if width and MARK not in inner else [inner]
        yield from (start + piece + end for piece in pieces)


def write_wrapped(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Write sentences and tables; on a terminal, lines are broken between words to its width."""
    out = stream or sys.stdout
    write(broken(lines, terminal_width(out)), out)


def progress(message: str) -> None:
    """Report slow work; on a terminal only, so scripts see nothing but errors on standard error."""
    if sys.stderr.isatty():
        write([plain(message) + " ..."], sys.stderr)
        sys.stderr.flush()


def path(name: str, top: str) -> str:
    """Return a path for people: relative to the worktree if inside it."""
    return plain(os.path.relpath(name, top) if name.startswith(top + os.sep) else name)


def full_path(name: str) -> str:
    """Return a whole path for people on one line: no name of a folder can look like another line."""
    return plain(name).replace("\n", "^J").replace("\t", "^I")
