"""What ``status`` and ``explain`` show, as lines of text."""

from __future__ import annotations

import os

from entire.ui import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.model import views
    from entire.model.records import Attribution, Summary
    from entire.model.transcripts import TokenUsage
    from entire.ui.text import Style

_PHASES = {"active": "working", "active_committed": "working", "idle": "waiting", "ended": "ended"}
_LONG_PROMPT = 400
_SHOWN_FILES = 12
_SHOWN_RANGES = 6
_STATUS = {"A": "added", "D": "removed", "R": "renamed", "T": "changed in kind"}


# ---------------------------------------------------------------- status


def status(view: views.StatusView, style: Style, now: float, *, detailed: bool) -> Iterator[str]:
    """Show how a worktree stands. The first line is read by scripts."""
    if not view.is_set_up:
        yield "Entire is disabled here: it was never enabled (run `entire enable`)"
    else:
        yield f"Enabled ({view.strategy})" if view.enabled else f"Entire is disabled here ({view.strategy})"
    yield ""
    yield from text.table(_facts(view), gap="  ")
    yield from _section("Sessions", _sessions(view.sessions, now, detailed=detailed), style)
    yield from _section("Commits without a link", _unlinked(view.unlinked, detailed=detailed), style)
    yield from _section("Hooks", _hooks(view), style)
    yield from _section("To look at", _troubles(view), style)
    if detailed:
        yield from _section("Settings", [text.plain(path) for path in view.settings_files], style)


def _facts(view: views.StatusView) -> Iterator[tuple[str, str]]:
    yield "Branch", text.plain(view.branch) or "(detached HEAD)"
    yield "Checkpoints", f"{view.checkpoints:,} stored"
    if view.push_sessions:
        late = ", ".join(f"{remote} lacks {text.count(number, 'commit')}" for remote, number in view.unpushed.items())
        yield "Pushing", "`git push` also pushes checkpoints" + (f"; {late} of them" if late else "")
    elif view.push_sessions is None and view.is_set_up:
        yield "Pushing", "nobody chose, so checkpoints stay on this machine (`entire enable --push-sessions`)"
    elif view.is_set_up:
        yield "Pushing", "no, checkpoints stay on this machine (`entire enable --push-sessions` changes that)"


def _section(title: str, lines: Sequence[str] | Iterator[str], style: Style) -> Iterator[str]:
    shown = list(lines)
    if shown:
        yield ""
        yield style(title, "bold")
        yield from ("  " + line for line in shown)


def _sessions(found: Sequence[views.SessionView], now: float, *, detailed: bool) -> Iterator[str]:
    """Show the sessions of this worktree that are not over; with ``detailed``, all of them everywhere."""
    shown = [one for one in found if detailed or (one.is_here and (one.phase != "ended" or one.open_files))]
    rows = []
    for one in shown:
        name = one.session_id if detailed else one.session_id[:8]
        work = text.count(one.steps, "step") if one.steps else "-"
        seen = text.ago(one.last_seen or one.started, now)
        rows.append((text.plain(name), one.agent or "-", _PHASES.get(one.phase, one.phase), work, seen,
                     text.one_line(one.first_prompt, 50)))  # fmt: skip
    for one, line in zip(shown, text.table(rows), strict=True):
        yield line
        if one.open_files:
            yield "  not committed yet: " + _some(one.open_files)
        if detailed and not one.is_here:
            yield "  in " + text.plain(one.worktree)
    hidden = len(found) - len(shown)
    if hidden:
        yield f"({text.count(hidden, 'session')} more: over, or in another worktree; --detailed shows them)"


def _unlinked(found: Sequence[views.UnlinkedView], *, detailed: bool) -> list[str]:
    shown = found if detailed else found[:5]
    rows = [(one.commit[:7], text.one_line(one.subject, 50), text.one_line(one.reason, 100)) for one in shown]
    return text.table(rows)


def _hooks(view: views.StatusView) -> list[str]:
    rows = []
    for one in view.hooks:
        if one.is_installed or view.enabled:
            where = os.path.relpath(one.where, view.top) if one.where.startswith(view.top + os.sep) else one.where
            rows.append(
                (one.name, "installed" if one.is_installed else "NOT in order", text.plain(one.problem or where))
            )
    return text.table(rows)


def _troubles(view: views.StatusView) -> Iterator[str]:
    for warning in view.warnings:
        yield text.plain(warning)
    if view.enabled and len(view.hooks) < 2:
        yield "no agent has our hooks: run `entire enable`"
    if view.enabled and any(not one.is_installed for one in view.hooks):
        yield "hooks are not in order: run `entire enable` again"
    if view.failures:
        yield f"{text.count(view.failures, 'error')} in .entire/logs/entire.log"


def _some(paths: Sequence[str], limit: int = _SHOWN_FILES) -> str:
    more = len(paths) - limit
    return ", ".join(text.plain(path) for path in paths[:limit]) + (f" and {more} more" if more > 0 else "")


# ---------------------------------------------------------------- lists


def listing(
    branch: str, found: Sequence[views.ListedView], total: int, style: Style, *, session_id: str = "",
    open_work: Sequence[views.SessionView] = (),
) -> Iterator[str]:  # fmt: skip
    """Show the checkpoints of a branch. Scripts read ``Branch:``, ``Checkpoints:`` and ``Filtered by session:``."""
    yield f"Branch: {text.plain(branch) or '(detached HEAD)'}"
    yield f"Checkpoints: {total}"
    if session_id:
        yield f"Filtered by session: {text.plain(session_id)}"
    rows = []
    for one in found:
        commit = one.commits[0] if one.commits else None
        about = f"{commit.oid[:7]} {text.one_line(commit.subject, 50)}" if commit else ""
        who = ", ".join(one.agents) if one.is_stored else "not stored here"
        files = text.count(len(one.files), "file") if one.is_stored else ""
        rows.append((one.id, text.moment(commit.time if commit else one.created), about, who, files))
    lines = text.table(rows, lead="  ")
    if lines:
        yield ""
        yield from lines
    if total > len(found):
        yield f"  ... and {total - len(found)} older ones (--limit 0 shows all)"
    work = [
        (one.session_id[:8], one.agent, text.count(one.steps, "step"), _some(one.open_files, 5)) for one in open_work
    ]
    yield from _section("Not committed yet", text.table(work), style)


# ---------------------------------------------------------------- one checkpoint


def checkpoint(view: views.CheckpointView, style: Style, *, short: bool = False, full: bool = False) -> Iterator[str]:
    """Show which sessions, prompts, files and tokens made a commit."""
    yield style(f"Checkpoint {view.id}", "bold")
    rows = []
    for commit in view.commits:
        by = f"({text.plain(commit.author)}, {text.moment(commit.time)})"
        rows.append(("Commit", f"{commit.oid[:7]} {text.one_line(commit.subject)} {by}"))
    rows.append(("Branch", text.plain(view.branch) or "-"))
    rows.append(("Created", f"{text.moment(view.created)} ({view.strategy or 'unknown strategy'})"))
    if len(view.parts) > 1:
        rows.append(("Files", _some(view.files) or "-"))
        rows.append(("Tokens", _tokens(view.tokens)))
    yield from text.table(rows, lead="  ")
    for part in view.parts:
        yield ""
        yield from _part(part, style, short=short, full=full)
    if not short:
        yield from _section("Who made which lines", _who(view), style)
    yield from _section("Subagents", _tasks(view.tasks), style)
    yield from _section("Not as it should be", [text.plain(one) for one in view.problems], style)


def _part(part: views.PartView, style: Style, *, short: bool, full: bool) -> Iterator[str]:
    yield style(f"Session {text.plain(part.session_id) or '(unknown)'}", "bold") + f" ({part.agent or 'unknown agent'})"
    models = dict.fromkeys(prompt.model for prompt in part.prompts if prompt.model)
    rows = [("Files", _some(part.files) or "none"), ("Lines", _lines(part.lines))]
    if models:
        rows.append(("Model", text.one_line(", ".join(models))))
    rows.append(("Tokens", _tokens(part.tokens)))
    if part.tokens is not None and part.tokens.subagents:
        rows.append(("", "subagents: " + _tokens(part.tokens.subagents)))
    yield from text.table(rows, lead="  ")
    if part.summary is not None:
        yield from _summary(part.summary)
    if short:
        return
    yield f"  Prompts ({len(part.prompts)})" if part.prompts else "  Prompts: none stored"
    for number, prompt in enumerate(part.prompts, 1):
        shown = prompt.text.strip()
        if len(shown) > _LONG_PROMPT and not full:
            shown = shown[:_LONG_PROMPT].rstrip() + "… (--full shows all of it)"
        first, *rest = text.plain(shown).split("\n") or [""]
        yield style(f"    {number}. ", "cyan") + first
        yield from ("       " + line for line in rest)


def _who(view: views.CheckpointView) -> list[str]:
    """Show, for each file, which prompt or person made which of the lines that the commit added."""
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
        shown = [f"{_span(each)} {name(each.session_id, each.turn)}" for each in file.added[:_SHOWN_RANGES]]
        more = len(file.added) - len(shown)
        shown += [f"and {more} more"] if more > 0 else []
        shown += [f"{one.count} removed by {name(one.session_id, one.turn)}" for one in file.removed]
        whole = _STATUS.get(file.status, "changed") + (f" from {text.plain(file.old_path)}" if file.old_path else "")
        if not shown:
            shown = [("binary file, " if file.is_binary else "") + f"{whole} by {name(file.session_id, file.turn)}"]
        rows.append((text.plain(file.path), ", ".join(shown)))
    return text.table(rows)


def _span(lines: views.RangeView) -> str:
    return f"line {lines.first}:" if lines.first == lines.last else f"lines {lines.first}-{lines.last}:"


def _summary(summary: Summary) -> Iterator[str]:
    rows = [("Intent", text.one_line(summary.intent, 200)), ("Outcome", text.one_line(summary.outcome, 200))]
    yield from text.table([row for row in rows if row[1]], lead="  ")


def _lines(lines: Attribution | None) -> str:
    if lines is None:
        return "not counted"
    people = lines.human_added + lines.human_modified
    share = f"{lines.agent_percentage:.0f} % of {text.count(lines.total_committed, 'added line')}"
    removed = f", {text.count(lines.human_removed, 'line')} removed by people" if lines.human_removed else ""
    return f"{share} ({lines.agent_lines} by the agent, {people} by people{removed})"


def _tokens(usage: TokenUsage | None) -> str:
    if usage is None:
        return "not known"
    cache = usage.cache_read_tokens + usage.cache_creation_tokens
    parts = [f"{usage.input_tokens:,} in", f"{usage.output_tokens:,} out", *([f"{cache:,} cache"] if cache else [])]
    return ", ".join(parts) + f" ({text.count(usage.api_call_count, 'call')})"


def _tasks(tasks: Sequence[views.TaskView]) -> list[str]:
    rows = []
    for one in tasks:
        notes = text.count(one.notes, "note") if one.notes else ""
        rows.append((text.plain(one.tool_use_id), text.plain(one.agent_id) or "-",
                     "transcript stored" if one.has_transcript else "no transcript", notes))  # fmt: skip
    return text.table(rows)


# ---------------------------------------------------------------- a conversation


def conversation(said: Sequence[views.MessageView], style: Style) -> Iterator[str]:
    """Show a conversation: people's words, the agent's answers, the tools in one line each."""
    before = ""
    for one in said:
        if one.who == "tool":
            if before != "tool":
                yield ""
            yield style(f"  * {text.one_line(one.name, 40)}: {text.one_line(one.text, 100)}".rstrip(": "), "dim")
        else:
            yield ""
            person = one.who == "user"
            yield style("You" if person else "Agent", "cyan" if person else "green")
            yield from (_rendered(one.text) if style.on and not person else text.indent(one.text).split("\n"))
        before = one.who


def _rendered(markdown: str) -> list[str]:
    """Return an answer's Markdown as a terminal shows it best."""
    import io
    import shutil

    from rich.console import Console
    from rich.markdown import Markdown

    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=min(100, shutil.get_terminal_size().columns - 2))
    console.print(Markdown(text.plain(markdown)))
    return ["  " + line.rstrip() for line in out.getvalue().rstrip().split("\n")]
