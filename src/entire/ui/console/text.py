"""Formats values for people: aligned columns, numbers, times, colours."""

from __future__ import annotations

import os
import re
import sys
import time

from entire.ui.console import wrapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "green": "32", "yellow": "33", "red": "31", "cyan": "36"}
_STYLED = re.compile("(\033\\[[0-9]+m)([^\033]*)(\033\\[0m)")  # a whole line in one style
_NARROWEST = 20  # cells
_JOINERS = "\u200c\u200d"
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,30}\U000e007f")  # invisible tags say which, as of Scotland
_LATIN = "\u024f"  # the last letter of the scripts that are written without joiners


class Style:
    """Colours on a terminal, plain text elsewhere."""

    def __init__(self, on: bool) -> None:
        self.on = on

    def __call__(self, text: str, kind: str) -> str:
        """Return the text in a colour or style (``bold``, ``dim``, ``green``, ...)."""
        return f"\033[{_CODES[kind]}m{text}\033[0m" if self.on and text else text


def style_for(stream: TextIO, env: Mapping[str, str] | None = None) -> Style:
    """Use colours on a terminal, unless NO_COLOR, ACCESSIBLE or TERM=dumb asks for none."""
    environment = os.environ if env is None else env
    quiet = environment.get("NO_COLOR") or environment.get("ACCESSIBLE", "0") not in ("", "0")
    return Style(not quiet and environment.get("TERM") != "dumb" and stream.isatty())


def plain(text: str) -> str:
    """Make control characters and invalid bytes visible, so that text cannot command the terminal."""
    return text if text.isprintable() else "".join(characters(text))


def characters(text: str) -> Iterator[str]:
    """Yield what ``plain`` shows of each character."""
    tags = {at for flag in _FLAG.finditer(text) for at in range(*flag.span())}
    for at, char in enumerate(text):
        is_shown = char.isprintable() or char in "\n\t" or at in tags or _joins(text, at)
        yield char if is_shown else _visible(char)


def _joins(text: str, at: int) -> bool:
    """Tell whether this is a joiner between two characters, as in an emoji of a family; it commands nothing there."""
    return text[at] in _JOINERS and 0 < at < len(text) - 1 and min(text[at - 1], text[at + 1]) > _LATIN


def _visible(char: str) -> str:
    code = ord(char)
    if char == "\r":
        return ""
    if code < 0x20:
        return "^" + chr(code + 0x40)
    return "\N{REPLACEMENT CHARACTER}" if 0xD800 <= code <= 0xDFFF or code == 0x7F else f"\\u{code:04x}"


def one_line(text: str, width: int = 72) -> str:
    """Return text on one line, cut with an ellipsis."""
    joined = plain(" ".join(text.split()))
    return joined if len(joined) <= width else joined[: width - 1].rstrip() + "…"


def indent(text: str, by: str = "  ") -> str:
    """Indent each line except empty ones."""
    return "\n".join(by + line if line else line for line in plain(text).rstrip().split("\n"))


def table(rows: Iterable[Sequence[str]], *, gap: str = "  ", lead: str = "") -> list[str]:
    """Return aligned lines; the last column is not padded."""
    cells = [list(row) for row in rows]
    if not cells:
        return []
    columns = max(len(row) for row in cells)
    widths = [max((wrapping.width(row[n]) for row in cells if n < len(row)), default=0) for n in range(columns)]
    return [
        lead + gap.join(_padded(cell, widths[n]) if n < len(row) - 1 else cell for n, cell in enumerate(row)).rstrip()
        for row in cells
    ]


def _padded(cell: str, cells: int) -> str:
    return cell + " " * (cells - wrapping.width(cell))


def count(number: int, word: str, plural: str = "") -> str:
    """Return ``1 file``, ``2 files``."""
    return f"{number:,} {word if number == 1 else plural or word + 's'}"


def moment(seconds: float) -> str:
    """Return a local time to the minute; '-' for none."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds)) if seconds > 0 else "-"


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
    """Write lines, replacing characters that the stream's encoding lacks."""
    out = stream or sys.stdout
    text = lines if isinstance(lines, str) else "".join(line + "\n" for line in lines)
    encoding = getattr(out, "encoding", None) or "utf-8"
    out.write(text.encode(encoding, "replace").decode(encoding))


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
        pieces = wrapping.wrap(inner, width) if width and "\033" not in inner else [inner]
        yield from (start + piece + end for piece in pieces)


def write_wrapped(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Write sentences and tables; on a terminal, lines are broken between words to its width."""
    out = stream or sys.stdout
    write(broken(lines, terminal_width(out)), out)


def progress(message: str) -> None:
    """Report slow work; on a terminal only, so that scripts see nothing but errors on standard error."""
    if sys.stderr.isatty():
        write([plain(message) + " ..."], sys.stderr)
        sys.stderr.flush()


def path(name: str, top: str) -> str:
    """Return a path for people: relative to the worktree if inside it."""
    return plain(os.path.relpath(name, top) if name.startswith(top + os.sep) else name)


def full_path(name: str) -> str:
    """Return a whole path for people on one line: no name of a folder can look like another line."""
    return plain(name).replace("\n", "^J").replace("\t", "^I")
