"""A checkpoint's page: its commits, sessions, prompts, files, tokens, attribution and subagents."""

from __future__ import annotations

from entire.model.tokens import UNKNOWN, uncertain
from entire.model.value import Value, replace
from entire.ui.console import text
from entire.ui.screens import digests, pages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from entire.model.records import Attribution, CodeLearning, Summary
    from entire.model.tokens import TokenUsage
    from entire.model.views.checkpoints import CheckpointView, PartView, RangeView, RemovedView, TaskView
    from entire.ui.console.line_layout import Layout

_LONG_PROMPT = 400
_SHOWN_RANGES = 6
_SHORT_SUMMARY, _LONG_SUMMARY = 200, 4000
_STATUS = {"A": "added", "D": "removed", "R": "renamed", "T": "changed its type"}


class Page(Value):
    """What of a checkpoint's page is shown."""

    has_prompts: bool = True
    has_attribution: bool = True
    is_full: bool = False  # prompts are not cut
    turns: Mapping[tuple[str, str], int] = {}  # the numbers by which a conversation below calls session and turn


def lines(view: CheckpointView, layout: Layout, form: Page) -> Iterator[str]:
    """Show a checkpoint's commits, sessions, prompts, files and tokens."""
    yield from layout.heading(f"Checkpoint {view.id}")
    yield from layout.table(_facts(view))
    for part in view.parts:
        yield ""
        agent = text.one_line(part.agent, 60) or "unknown agent"
        yield from layout.heading(f"Session {text.plain(part.session_id) or '(unknown)'} ({agent})")
        yield from layout.table(_part(part, short=not form.has_attribution))
        if form.has_prompts:
            yield from _prompts(part, layout, full=form.is_full)
    if form.has_attribution:
        yield from layout.section("Attribution", layout.table(_attribution(view, form)))
    yield from layout.section("Subagents", layout.table(_tasks(view.tasks)))
    problems = (line for problem in view.problems for line in layout.wrapped(text.plain(problem), "  "))
    yield from layout.section("Problems", problems)


def _facts(view: CheckpointView) -> Iterator[tuple[str, str]]:
    for commit in view.commits:
        by = f"({text.plain(commit.author)}, {text.moment(commit.time)})"
        yield "Commit", f"{commit.oid[:7]} {text.one_line(commit.subject)} {by}"
    yield "Branch", text.plain(view.branch) or "-"
    yield "Created", f"{text.moment(view.created)} ({text.one_line(view.strategy) or 'unknown strategy'})"
    if len(view.parts) > 1:
        yield "Files", pages.path_list(view.files) or "-"
        yield "Tokens", tokens(view.tokens)


def _part(part: PartView, *, short: bool) -> Iterator[tuple[str, str]]:
    yield "Files", pages.path_list(part.files) or "none"
    yield "Lines", _lines(part.lines)
    models = dict.fromkeys(prompt.model for prompt in part.prompts if prompt.model)
    if models:
        yield "Model", text.one_line(", ".join(models))
    yield "Tokens", tokens(part.tokens)
    if part.tokens is not None and part.tokens.subagents:
        yield "", "subagents: " + tokens(part.tokens.subagents)
    if part.summary is not None:
        yield from _summary(part.summary, short=short)
    else:
        yield from digests.rows(part, short=short)


def _prompts(part: PartView, layout: Layout, *, full: bool) -> Iterator[str]:
    yield f"  Prompts ({len(part.prompts)})" if part.prompts else "  Prompts: none stored"
    for number, prompt in enumerate(part.prompts, 1):
        shown = prompt.text.strip()
        if len(shown) > _LONG_PROMPT and not full:
            shown = shown[:_LONG_PROMPT].rstrip() + "… (--full shows the rest)"
        lead = f"    {number}. "
        indented = (line for piece in text.plain(shown).split("\n") for line in layout.wrapped(piece, " " * len(lead)))
        yield layout.style(lead, "cyan") + next(indented, "")[len(lead) :]
        yield from indented


def _attribution(view: CheckpointView, form: Page) -> Iterator[tuple[str, str]]:
    """Return, for each file, which prompt or person added or removed its lines."""
    names = _names(view.parts) | {key: f"turn {number}" for key, number in form.turns.items()}

    def name(session_id: str, turn: str) -> str:
        return names.get((session_id, turn), f"session {text.plain(session_id[:8])}") if session_id else "a person"

    def writer(lines: RangeView | RemovedView) -> str:
        return "the commit's hooks" if lines.is_by_hook else name(lines.session_id, lines.turn)

    for file in view.lines or ():
        shown = [f"{_span(lines)} {writer(lines)}" for lines in file.added[:_SHOWN_RANGES]]
        more = len(file.added) - len(shown)
        shown += [f"and {more} more"] if more > 0 else []
        shown += [f"{lines.count} removed by {writer(lines)}" for lines in file.removed]
        whole = _STATUS.get(file.status, "changed") + (
            f" from {text.full_path(file.old_path)}" if file.old_path else "")  # fmt: skip
        if not shown:
            shown = [("binary file, " if file.is_binary else "") + f"{whole} by {name(file.session_id, file.turn)}"]
        yield text.full_path(file.path), ", ".join(shown)


def _names(parts: Sequence[PartView]) -> dict[tuple[str, str], str]:
    return {
        (part.session_id, prompt.turn): f"prompt {number}"
        + (f" of {text.plain(part.session_id[:8])}" if len(parts) > 1 else "")
        for part in parts
        for number, prompt in enumerate(part.prompts, 1)
        if prompt.turn
    }


def _span(lines: RangeView) -> str:
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
    if usage.reasoning_tokens:
        where = "" if usage.reasoning_beside else " of it"
        parts.append(f"{usage.reasoning_tokens:,}{where} reasoning")
    calls = f"{_figure(usage, 'api_call_count')} {'call' if usage.api_call_count == 1 else 'calls'}"
    return ", ".join([*parts, *([f"{cache} cache"] if cache != "0" else [])]) + f" ({calls})"


def _figure(usage: TokenUsage, *names: str) -> str:
    known = sum(getattr(usage, name) or 0 for name in names)
    is_known = not set(names) & set(uncertain(usage))
    return f"{known:,}" if is_known else f"at least {known:,}" if known else "unknown"


def _tasks(tasks: Sequence[TaskView]) -> Iterator[tuple[str, str]]:
    for task in tasks:
        about = [text.one_line(task.description, 80)] if task.description else []
        about += [text.one_line(task.type, 40)] if task.type else []
        about += [text.plain(task.agent_id)] if task.agent_id else []
        about += ["transcript stored" if task.has_transcript else "no transcript"]
        about += [text.count(task.notes, "note")] if task.notes else []
        yield text.plain(task.tool_use_id), ", ".join(about)
