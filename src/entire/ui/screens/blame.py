"""Shows a blamed file as git does, with agents and prompts as the owners; adds headers to git's porcelain forms."""

from __future__ import annotations

import time

from entire.model.origins import TURN
from entire.model.value import Value
from entire.ui.console import text, wrapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from entire.model.origins import BlamedCommit, BlamedLines, BlameView, Origin

_DAY = len("2026-11-22")
_HEADER_LENGTH = 300


class BlameForm(Value):
    """What ``git blame``'s options ask to be shown of each line."""

    is_long: bool = False
    is_raw_time: bool = False
    has_owner: bool = True
    has_mail: bool = False
    has_path: bool = False
    has_source_line: bool = False
    hides_boundary: bool = False
    date_cells: int = 0  # at least
    digits: int = 7  # of a commit's id
    owner_cells: int = 40  # at most, of an agent and its prompt
    is_narrow: bool = False  # names of people are cut, too, and there is no room for the time of the day


# ---------------------------------------------------------------- for people


def lines(view: BlameView, form: BlameForm) -> Iterator[bytes]:
    """Yield a line of output for each line of the file."""
    owners = {(id(part.commit), id(part.origin)): part for part in view.ranges}  # equal ones are the same objects
    shown = {key: _owner(part, form) for key, part in owners.items()}
    width = max(map(wrapping.width, shown.values()), default=0)
    heads = {key: (_commit(part.commit, form), f"{wrapping.pad(shown[key], width)} {_date(part.commit, view, form)} ")
             for key, part in owners.items()}  # fmt: skip
    paths = {part.path for part in view.ranges}
    path_width = max((wrapping.width(text.plain(path)) for path in paths), default=0)
    shows_path = form.has_path or len(paths) > 1
    digits = len(str(view.ranges[-1].first + len(view.ranges[-1].lines) - 1)) if view.ranges else 1
    source_digits = max((len(str(part.source_line + len(part.lines) - 1)) for part in view.ranges), default=1)
    for part in view.ranges:
        head, who = heads[id(part.commit), id(part.origin)]
        path = " " + wrapping.pad(text.plain(part.path), path_width) if shows_path else ""
        before = f"{head}{path}".encode("utf-8", "surrogateescape")
        after = (f" ({who}" if form.has_owner else " ").encode("utf-8", "surrogateescape")
        for offset, content in enumerate(part.lines):
            source = b" %*d" % (source_digits, part.source_line + offset) if form.has_source_line else b""
            yield b"%b%b%b%*d) %b\n" % (before, source, after, digits, part.first + offset, content)


def _owner(part: BlamedLines, form: BlameForm) -> str:
    """Return who wrote the lines: the agent with the beginning of the prompt, or the author as git shows it."""
    origin = part.origin
    if origin.kind == TURN:
        prompt = text.one_line(origin.prompt, form.owner_cells)
        return wrapping.fit(f"{text.one_line(origin.agent or 'agent', 20)}: {prompt}".rstrip(": "), form.owner_cells)
    name = text.plain(part.commit.mail if form.has_mail else part.commit.author)
    return wrapping.fit(name, form.owner_cells) if form.is_narrow else name


def _commit(commit: BlamedCommit, form: BlameForm) -> str:
    digits = len(commit.oid) if form.is_long else form.digits + 1
    if not commit.is_boundary:
        return commit.oid[:digits]
    return " " * digits if form.hides_boundary else "^" + commit.oid[: digits - 1]


def _date(commit: BlamedCommit, view: BlameView, form: BlameForm) -> str:
    """Return the date as git does: in the author's own time zone."""
    if form.is_raw_time:
        return f"{commit.time:.0f} {commit.zone}"
    if view.dates:
        return wrapping.pad(view.dates.get(commit.oid, ""), max(*map(len, view.dates.values()), form.date_cells))
    zone = commit.zone or "+0000"
    offset = (int(zone[1:3]) * 60 + int(zone[3:5])) * 60 * (-1 if zone[0] == "-" else 1)
    shown = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(commit.time + offset)) + f" {zone}"
    return shown[:_DAY] if form.is_narrow else shown


# ---------------------------------------------------------------- for programs


def porcelain(view: BlameView, *, is_every_line: bool) -> Iterator[bytes]:
    """Yield git's porcelain lines; ours precede the content of every line, or where the origin changes."""
    starts = {part.first: part.origin for part in view.ranges}
    headers: dict[int, bytes] = {}
    origin: Origin | None = None
    is_new = False
    for line in view.porcelain.split(b"\n")[:-1]:
        if line[:1] == b"\t":
            if origin is not None and (is_new or is_every_line):
                if id(origin) not in headers:
                    headers[id(origin)] = _headers(origin)
                yield headers[id(origin)]
            yield line + b"\n"
            continue
        words = line.split(b" ", 3)
        if len(words) > 2 and len(words[0]) in (40, 64) and words[1].isdigit() and words[2].isdigit():
            number = int(words[2])
            is_new = number in starts
            origin = starts.get(number, origin)
        yield line + b"\n"


def incremental(view: BlameView) -> Iterator[bytes]:
    """Yield git's incremental entries, each split where the origin changes; ours precede their last line."""
    starts = {part.first: part for part in view.ranges}
    head: list[bytes] = []
    for line in view.porcelain.split(b"\n")[:-1]:
        if not line.startswith(b"filename "):
            head.append(line)
            continue
        oid, _, first, count = head[0].split(b" ")
        at, end = int(first), int(first) + int(count)
        while at < end:
            part = starts[at]
            size = min(len(part.lines), end - at)
            yield b"%s %d %d %d\n" % (oid, part.source_line, at, size)
            yield b"".join(entry + b"\n" for entry in head[1:]) + _headers(part.origin) + line + b"\n"
            at += size
            head = head[:1]
        head = []


def _headers(origin: Origin) -> bytes:
    values: Mapping[str, str] = {
        "kind": origin.kind,
        "session": origin.session_id,
        "turn": origin.turn,
        "agent": origin.agent,
        "model": origin.model,
        "prompt": text.one_line(origin.prompt, _HEADER_LENGTH),
        "checkpoint": origin.checkpoint_id if origin.kind == TURN else "",
        "reason": origin.reason,
    }
    rows = (f"entire-{name} {text.one_line(value, _HEADER_LENGTH)}\n" for name, value in values.items() if value)
    return "".join(rows).encode("utf-8", "replace")
