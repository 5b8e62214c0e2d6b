"""What ``search`` shows: each finding with its place, a snippet, and the command that shows more."""

from __future__ import annotations

from entire.ui import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.model.findings import Finding, SearchView
    from entire.ui.text import Style

_KINDS = {"prompt": "Prompt", "answer": "Answer", "tool": "Tool call", "output": "Output"}


def lines(view: SearchView, style: Style, now: float) -> Iterator[str]:
    """Show the findings, best first."""
    if not view.findings:
        yield "Nothing found."
    for number, finding in enumerate(view.findings):
        if number:
            yield ""
        yield from _finding(finding, style, now)
    if view.has_more:
        yield ""
        yield f"There is more: `--limit` shows more than {text.count(len(view.findings), 'result')}."


def _finding(finding: Finding, style: Style, now: float) -> Iterator[str]:
    yield style(_title(finding), "bold") + style(f"  {text.ago(finding.time, now)}".rstrip(), "dim")
    for line in _snippet(finding, style):
        yield "  " + line
    yield "  " + style(_place(finding), "dim")
    yield "  " + style(finding.show, "cyan")


def _title(finding: Finding) -> str:
    name = _KINDS.get(finding.kind, finding.kind)
    name += f" ({text.one_line(finding.tool, 40)}{', failed' if finding.has_failed else ''})" if finding.tool else ""
    times = f", {finding.occurrences:,} times" if finding.occurrences > 1 else ""
    return name + times


def _place(finding: Finding) -> str:
    parts = [f"session {text.one_line(finding.session_id, 8)}"]
    if finding.turn:
        parts.append(f"prompt {finding.turn}")
    if finding.agent:
        parts.append(text.one_line(finding.agent, 30))
    parts.append(f"checkpoint {finding.checkpoint_id}" if finding.checkpoint_id else "not committed")
    if finding.commits:
        parts.append(f"commit {finding.commits[0][:7]}")
    return ", ".join(parts)


def _snippet(finding: Finding, style: Style) -> list[str]:
    """Return the snippet's lines, with what matches in bold."""
    pieces, at = [], 0
    for start, end in finding.highlights:
        pieces += [text.plain(finding.snippet[at:start]), style(text.plain(finding.snippet[start:end]), "yellow")]
        at = end
    pieces.append(text.plain(finding.snippet[at:]))
    shown = [line.rstrip() for line in "".join(pieces).split("\n") if line.strip()]
    return shown[:6]
