"""A checkpoint's page: its commits, sessions, prompts, files, tokens, attribution and subagents."""

from __future__ import annotations

from entire.model.transcripts import UNKNOWN, uncertain
from entire.model.value import replace
from entire.ui import pages, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.model import views
    from entire.model.records import Attribution, CodeLearning, Summary
    from entire.model.transcripts import TokenUsage
    from entire.ui.text import Style

_LONG_PROMPT = 400
_SHOWN_RANGES = 6
_SHORT_SUMMARY, _LONG_SUMMARY = 200, 4000
_STATUS = {"A": "added", "D": "removed", "R": "renamed", "T": "changed its type"}


def page(
    view: views.CheckpointView, style: Style, *, has_prompts: bool = True, has_attribution: bool = True,
    full: bool = False,
) -> Iterator[str]:  # fmt: skip
    """Show a checkpoint's commits, sessions, prompts, files and tokens; ``full``: prompts are not cut."""
    yield style(f"Checkpoint {view.id}", "bold")
    rows = []
    for commit in view.commits:
        by = f"({text.plain(commit.author)}, {text.moment(commit.time)})"
        rows.append(("Commit", f"{commit.oid[:7]} {text.one_line(commit.subject)} {by}"))
    rows.append(("Branch", text.plain(view.branch) or "-"))
    rows.append(("Created", f"{text.moment(view.created)} ({view.strategy or 'unknown strategy'})"))
    if len(view.parts) > 1:
        rows.append(("Files", pages.path_list(view.files) or "-"))
        rows.append(("Tokens", tokens(view.tokens)))
    yield from text.table(rows, lead="  ")
    for part in view.parts:
        yield ""
        yield from _part(part, style, short=not has_attribution)
        if has_prompts:
            yield from _prompts(part, style, full=full)
    if has_attribution:
        yield from pages.section("Attribution", _attribution(view), style)
    yield from pages.section("Subagents", _tasks(view.tasks), style)
    yield from pages.section("Problems", [text.plain(problem) for problem in view.problems], style)


def _part(part: views.PartView, style: Style, *, short: bool) -> Iterator[str]:
    yield style(f"Session {text.plain(part.session_id) or '(unknown)'}", "bold") + f" ({part.agent or 'unknown agent'})"
    models = dict.fromkeys(prompt.model for prompt in part.prompts if prompt.model)
    rows = [("Files", pages.path_list(part.files) or "none"), ("Lines", _lines(part.lines))]
    if models:
        rows.append(("Model", text.one_line(", ".join(models))))
    rows.append(("Tokens", tokens(part.tokens)))
    if part.tokens is not None and part.tokens.subagents:
        rows.append(("", "subagents: " + tokens(part.tokens.subagents)))
    if part.summary is not None:
        rows += _summary(part.summary, short=short)
    yield from text.table(rows, lead="  ")


def _prompts(part: views.PartView, style: Style, *, full: bool) -> Iterator[str]:
    yield f"  Prompts ({len(part.prompts)})" if part.prompts else "  Prompts: none stored"
    for number, prompt in enumerate(part.prompts, 1):
        shown = prompt.text.strip()
        if len(shown) > _LONG_PROMPT and not full:
            shown = shown[:_LONG_PROMPT].rstrip() + "… (--full shows the rest)"
        first, *rest = text.plain(shown).split("\n") or [""]
        yield style(f"    {number}. ", "cyan") + first
        yield from ("       " + line for line in rest)


def _attribution(view: views.CheckpointView) -> list[str]:
    """Show, for each file, which prompt or person added or removed its lines."""
    several = len(view.parts) > 1
    names = {
        (part.session_id, prompt.turn): f"prompt {number}"
        + (f" of {text.plain(part.session_id[:8])}" if several else "")
        for part in view.parts
        for number, prompt in enumerate(part.prompts, 1)
        if prompt.turn
    }

    def name(session_id: str, turn: str) -> str:
        return names.get((session_id, turn), f"session {text.plain(session_id[:8])}") if session_id else "a person"

    rows = []
    for file in view.lines or ():
        shown = [f"{_span(lines)} {name(lines.session_id, lines.turn)}" for lines in file.added[:_SHOWN_RANGES]]
        more = len(file.added) - len(shown)
        shown += [f"and {more} more"] if more > 0 else []
        shown += [f"{lines.count} removed by {name(lines.session_id, lines.turn)}" for lines in file.removed]
        whole = _STATUS.get(file.status, "changed") + (f" from {text.plain(file.old_path)}" if file.old_path else "")
        if not shown:
            shown = [("binary file, " if file.is_binary else "") + f"{whole} by {name(file.session_id, file.turn)}"]
        rows.append((text.plain(file.path), ", ".join(shown)))
    return text.table(rows)


def _span(lines: views.RangeView) -> str:
    return f"line {lines.first}:" if lines.first == lines.last else f"lines {lines.first}-{lines.last}:"


def _summary(summary: Summary, *, short: bool) -> Iterator[tuple[str, str]]:
    width = _SHORT_SUMMARY if short else _LONG_SUMMARY
    groups = {"Intent": [summary.intent], "Outcome": [summary.outcome]}
    if not short:
        groups |= {
            "Repository": list(summary.repo),
            "Code": [f"{_code_place(learning)}: {learning.finding}" for learning in summary.code],
            "Workflow": list(summary.workflow),
            "Friction": list(summary.friction),
            "Open": list(summary.open_items),
        }
    for name, items in groups.items():
        shown = [line for item in items if (line := text.one_line(item, width))]
        yield from (("" if number else name, line) for number, line in enumerate(shown))


def _code_place(learning: CodeLearning) -> str:
    end = f"-{learning.end_line}" if learning.end_line > learning.line else ""
    return learning.path + (f":{learning.line}{end}" if learning.line else "")


def _lines(lines: Attribution | None) -> str:
    if lines is None:
        return "not counted"
    people = lines.human_added + lines.human_modified
    share = f"{lines.agent_percentage:.0f} % of {text.count(lines.total_committed, 'added line')}"
    removed = f", {text.count(lines.human_removed, 'line')} removed by people" if lines.human_removed else ""
    return f"{share} ({lines.agent_lines} by the agent, {people} by people{removed})"


def tokens(usage: TokenUsage | None) -> str:
    if usage is None or replace(usage, subagents=None) == UNKNOWN:
        return "unknown"
    cache = _figure(usage, "cache_read_tokens", "cache_creation_tokens")
    parts = [f"{_figure(usage, 'input_tokens')} in", f"{_figure(usage, 'output_tokens')} out"]
    calls = f"{_figure(usage, 'api_call_count')} {'call' if usage.api_call_count == 1 else 'calls'}"
    return ", ".join([*parts, *([f"{cache} cache"] if cache != "0" else [])]) + f" ({calls})"


def _figure(usage: TokenUsage, *names: str) -> str:
    known = sum(getattr(usage, name) or 0 for name in names)
    is_known = not set(names) & set(uncertain(usage))
    return f"{known:,}" if is_known else f"at least {known:,}" if known else "unknown"


def _tasks(tasks: Sequence[views.TaskView]) -> list[str]:
    rows = []
    for task in tasks:
        notes = text.count(task.notes, "note") if task.notes else ""
        rows.append((text.plain(task.tool_use_id), text.plain(task.agent_id) or "-",
                     "transcript stored" if task.has_transcript else "no transcript", notes))  # fmt: skip
    return text.table(rows)
