"""What ``search`` shows: each finding with its place, a snippet, and the command that shows more."""

from __future__ import annotations

from entire.model import controls
from entire.ui.console import text, wrapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.model.findings import Finding, SearchView
    from entire.ui.console.text import Style

_KINDS = {"prompt": "Prompt", "answer": "Answer", "tool": "Tool call", "output": "Output"}
_SNIPPET_LINES = 6
_UNLIMITED = 1 << 20
_INDENT = "  "


def lines(view: SearchView, style: Style, now: float, width: int) -> Iterator[str]:
    """Show the findings, best first; ``width`` 0 is no limit."""
    cells = width or _UNLIMITED
    if not view.findings:
        yield "Nothing found."
    for number, finding in enumerate(view.findings):
        if number:
            yield ""
        yield from _finding(finding, style, now, cells)
    if view.has_more:
        yield ""
        shown = text.count(len(view.findings), "result")
        yield from wrapping.wrap(f"There is more: `--limit` shows more than {shown}.", cells)


def _finding(finding: Finding, style: Style, now: float, cells: int) -> Iterator[str]:
    inside = cells - len(_INDENT)
    title, ago = _title(finding), text.ago(finding.time, now)
    is_short = wrapping.width(title) + 2 + len(ago) <= cells
    yield style(wrapping.fit(title, cells), "bold") + (_INDENT + style(ago, "dim") if ago and is_short else "")
    for line in _snippet(finding, style, inside):
        yield _INDENT + line
    for line in wrapping.wrap(_place(finding), inside):
        yield _INDENT + style(line, "dim")
    yield _INDENT + style(_command(finding, inside), "cyan")


def _title(finding: Finding) -> str:
    name = _KINDS.get(finding.kind, finding.kind)
    name += f" ({text.one_line(finding.tool, 40)}{', failed' if finding.has_failed else ''})" if finding.tool else ""
    times = f", {finding.occurrences:,} times" if finding.occurrences > 1 else ""
    return name + times


def _place(finding: Finding) -> str:
    parts = [f"session {text.one_line(finding.session_id, 8)}"]
    if finding.subagent:
        parts.append(f"subagent {text.one_line(finding.subagent, 20)}")
    elif finding.turn:
        parts.append(f"prompt {finding.turn}")
    if finding.agent:
        parts.append(text.one_line(finding.agent, 30))
    parts.append(f"checkpoint {finding.checkpoint_id}" if finding.checkpoint_id else "not committed")
    if finding.commits:
        parts.append(f"commit {finding.commits[0][:7]}")
    return ", ".join(parts)


def _command(finding: Finding, cells: int) -> str:
    """Return the command that shows a finding; in a narrow terminal, with the beginning of the session's id."""
    command, session_id = text.plain(finding.show), text.plain(finding.session_id)
    left_out = wrapping.width(command) - cells
    if left_out <= 0 or session_id not in command:
        return wrapping.fit(command, cells)
    return command.replace(session_id, session_id[: max(len(session_id) - left_out, 8)])


# ---------------------------------------------------------------- the snippet


def _snippet(finding: Finding, style: Style, cells: int) -> list[str]:
    """Return the snippet's first lines, with what matches in a colour."""
    shown: list[str] = []
    for line, marks in _marked_lines(finding):
        at = 0
        for piece in wrapping.wrap(line, cells) if line.strip() else ():
            at = line.index(piece.lstrip(), at) - (len(piece) - len(piece.lstrip()))
            shown.append(_coloured(piece, marks[max(at, 0) :], style))
            at += len(piece)
    return shown[:_SNIPPET_LINES]


def _marked_lines(finding: Finding) -> Iterator[tuple[str, list[bool]]]:
    """Yield each line as it is printed, and for each of its characters whether it is in a match."""
    matching = {at for start, end in finding.highlights for at in range(start, end)}
    line, marks = "", list[bool]()
    given = finding.snippet + "\n"
    for at, (char, shown) in enumerate(zip(given, controls.characters(given), strict=True)):
        if char == "\n":
            yield line, marks
            line, marks = "", []
            continue
        cells = "    " if char == "\t" else shown
        line += cells
        marks += [at in matching] * len(cells)


def _coloured(piece: str, marks: list[bool], style: Style) -> str:
    out, run = "", ""
    for at, char in enumerate(piece):
        if run and marks[at] != marks[at - 1]:
            out, run = out + (style(run, "yellow") if marks[at - 1] else run), ""
        run += char
    return out + (style(run, "yellow") if run and marks[len(piece) - 1] else run)
