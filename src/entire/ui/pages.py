"""What ``status`` and ``explain`` show, as lines of text."""

from __future__ import annotations

from entire.model.transcripts import UNKNOWN, uncertain
from entire.model.value import replace
from entire.ui import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.model import views
    from entire.model.records import Attribution, CodeLearning, Summary
    from entire.model.transcripts import TokenUsage
    from entire.ui.text import Style

_PHASES = {"active": "working", "active_committed": "working", "idle": "waiting", "ended": "ended"}
_HOOKS = {"disabled": "disabled", "unknown": "unknown", "untrusted": "untrusted"}
_LONG_PROMPT = 400
_SHOWN_FILES = 12
_SHOWN_RANGES = 6
_SHORT_SUMMARY, _LONG_SUMMARY = 200, 4000
_STATUS = {"A": "added", "D": "removed", "R": "renamed", "T": "changed its type"}


# ---------------------------------------------------------------- status


def status(view: views.StatusView, style: Style, now: float, *, detailed: bool) -> Iterator[str]:
    """Show the state of a worktree. Scripts read the first line."""
    if not view.is_set_up:
        yield "Entire is disabled here: it was never enabled (run `entire enable`)"
    else:
        yield f"{'Enabled' if view.enabled else 'Disabled'} ({view.strategy})"
        if not view.enabled:
            yield "Entire is disabled here (`entire enable` enables it)"
    yield ""
    yield from text.table(_facts(view), gap="  ")
    yield from _section("Sessions", _sessions(view.sessions, now, detailed=detailed), style)
    yield from _section("Unlinked commits", _unlinked(view.unlinked, detailed=detailed), style)
    yield from _section("Hooks", _hooks(view), style)
    yield from _section("Needs attention", _warnings(view), style)
    if detailed:
        yield from _section("Settings", [text.plain(path) for path in view.settings_files], style)


def _facts(view: views.StatusView) -> Iterator[tuple[str, str]]:
    yield "Branch", text.plain(view.branch) or "(detached HEAD)"
    yield "Checkpoints", f"{view.checkpoints:,} stored"
    if view.is_set_up:
        yield "Pushing", _pushing(view)


def _pushing(view: views.StatusView) -> str:
    """Say whether checkpoints are pushed, and which file says so."""
    file = text.path(view.push_sessions_file, view.top)
    behind = ", ".join(f"{remote} lacks {text.count(n, 'checkpoint commit')}" for remote, n in view.unpushed.items())
    missing = f"; {behind}" if view.push_sessions and behind else ""
    if view.is_pushing:
        return f"`git push` also pushes checkpoints ({file}){missing}"
    if view.push_sessions:
        state = f"{file} asks for it, but you have not agreed in this clone, so"
    else:
        state = "not chosen, so" if view.push_sessions is None else f"off ({file}),"
    return f"{state} checkpoints stay on this machine (`entire enable --push-sessions` pushes them){missing}"


def _section(title: str, lines: Sequence[str] | Iterator[str], style: Style) -> Iterator[str]:
    shown = list(lines)
    if shown:
        yield ""
        yield style(title, "bold")
        yield from ("  " + line for line in shown)


def _sessions(found: Sequence[views.SessionView], now: float, *, detailed: bool) -> Iterator[str]:
    """Show this worktree's sessions that are open or have uncommitted files; with ``detailed``, all sessions."""
    shown = [state for state in found if detailed or (state.is_here and (state.phase != "ended" or state.open_files))]
    rows = []
    for session in shown:
        name = session.session_id if detailed else session.session_id[:8]
        work = text.count(session.steps, "step") if session.steps else "-"
        seen = text.ago(session.last_seen or session.started, now)
        phase = _PHASES.get(session.phase, session.phase)
        prompt = text.one_line(session.first_prompt, 50)
        rows.append((text.plain(name), session.agent or "-", phase, work, seen, prompt))
    for session, line in zip(shown, text.table(rows), strict=True):
        yield line
        if session.open_files:
            yield "  uncommitted: " + _path_list(session.open_files)
        if detailed and not session.is_here:
            yield "  in " + text.plain(session.worktree)
    hidden = len(found) - len(shown)
    if hidden:
        yield f"({text.count(hidden, 'session')} more, ended or in another worktree: --detailed shows them)"


def _unlinked(found: Sequence[views.UnlinkedView], *, detailed: bool) -> list[str]:
    shown = found if detailed else found[:5]
    rows = [
        (commit.commit[:7], text.one_line(commit.subject, 50), text.one_line(commit.reason, 160)) for commit in shown
    ]
    return text.table(rows)


def _hooks(view: views.StatusView) -> list[str]:
    rows = []
    for hooks in view.hooks:
        if hooks.is_installed or view.enabled:
            state = "installed" if hooks.is_installed else _HOOKS.get(hooks.status, "BROKEN")
            rows.append((hooks.name, state, text.plain(hooks.problem) or text.path(hooks.where, view.top)))
    return text.table(rows)


def _warnings(view: views.StatusView) -> Iterator[str]:
    for warning in view.warnings:
        yield text.plain(warning)
    for missing in view.unrecorded:
        yield text.plain(f"{missing.problem}: {missing.hint}")
    if view.enabled and view.lacks_agent_hooks:
        yield "no agent hooks are installed: run `entire enable`"
    broken = [hooks for hooks in view.hooks if view.enabled and not hooks.is_installed]
    yield from dict.fromkeys(text.plain(remedy) for hooks in broken for remedy in hooks.remedies)
    if any(not hooks.remedies for hooks in broken):
        yield "some hooks are broken: run `entire enable` to reinstall them"
    if view.failures:
        yield f"{text.count(view.failures, 'error')} in .entire/logs/entire.log"


def _path_list(paths: Sequence[str], limit: int = _SHOWN_FILES) -> str:
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
    for checkpoint in found:
        commit = checkpoint.commits[0] if checkpoint.commits else None
        about = f"{commit.oid[:7]} {text.one_line(commit.subject, 50)}" if commit else ""
        who = ", ".join(checkpoint.agents) if checkpoint.is_stored else "not stored here"
        files = text.count(len(checkpoint.files), "file") if checkpoint.is_stored else ""
        when = text.moment(commit.time if commit else checkpoint.created)
        rows.append((checkpoint.id, when, about, who, files))
    lines = text.table(rows, lead="  ")
    if lines:
        yield ""
        yield from lines
    if total > len(found):
        yield f"  ... and {total - len(found)} older ones (--limit 0 shows all)"
    work = [
        (state.session_id[:8], state.agent, text.count(state.steps, "step"), _path_list(state.open_files, 5))
        for state in open_work
    ]
    yield from _section("Uncommitted", text.table(work), style)


# ---------------------------------------------------------------- checkpoint


def checkpoint(view: views.CheckpointView, style: Style, *, short: bool = False, full: bool = False) -> Iterator[str]:
    """Show a checkpoint's commits, sessions, prompts, files and tokens."""
    yield style(f"Checkpoint {view.id}", "bold")
    rows = []
    for commit in view.commits:
        by = f"({text.plain(commit.author)}, {text.moment(commit.time)})"
        rows.append(("Commit", f"{commit.oid[:7]} {text.one_line(commit.subject)} {by}"))
    rows.append(("Branch", text.plain(view.branch) or "-"))
    rows.append(("Created", f"{text.moment(view.created)} ({view.strategy or 'unknown strategy'})"))
    if len(view.parts) > 1:
        rows.append(("Files", _path_list(view.files) or "-"))
        rows.append(("Tokens", _tokens(view.tokens)))
    yield from text.table(rows, lead="  ")
    for part in view.parts:
        yield ""
        yield from _part(part, style, short=short, full=full)
    if not short:
        yield from _section("Attribution", _attribution(view), style)
    yield from _section("Subagents", _tasks(view.tasks), style)
    yield from _section("Problems", [text.plain(problem) for problem in view.problems], style)


def _part(part: views.PartView, style: Style, *, short: bool, full: bool) -> Iterator[str]:
    yield style(f"Session {text.plain(part.session_id) or '(unknown)'}", "bold") + f" ({part.agent or 'unknown agent'})"
    models = dict.fromkeys(prompt.model for prompt in part.prompts if prompt.model)
    rows = [("Files", _path_list(part.files) or "none"), ("Lines", _lines(part.lines))]
    if models:
        rows.append(("Model", text.one_line(", ".join(models))))
    rows.append(("Tokens", _tokens(part.tokens)))
    if part.tokens is not None and part.tokens.subagents:
        rows.append(("", "subagents: " + _tokens(part.tokens.subagents)))
    if part.summary is not None:
        rows += _summary(part.summary, short=short)
    yield from text.table(rows, lead="  ")
    if short:
        return
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


def _tokens(usage: TokenUsage | None) -> str:
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


# ---------------------------------------------------------------- conversation


def conversation(messages: Sequence[views.MessageView], style: Style) -> Iterator[str]:
    """Show a conversation: prompts, answers, and one line per tool call."""
    before = ""
    for message in messages:
        if message.who == "tool":
            if before != "tool":
                yield ""
            yield style(
                f"  * {text.one_line(message.name, 40)}: {text.one_line(message.text, 100)}".rstrip(": "), "dim"
            )
        else:
            yield ""
            is_user = message.who == "user"
            yield style("You" if is_user else "Agent", "cyan" if is_user else "green")
            yield from (_rendered(message.text) if style.on and not is_user else text.indent(message.text).split("\n"))
        before = message.who


def _rendered(markdown: str) -> list[str]:
    """Render an answer's Markdown for a terminal."""
    import io
    import shutil

    from rich.console import Console
    from rich.markdown import Markdown

    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=min(100, shutil.get_terminal_size().columns - 2))
    console.print(Markdown(text.plain(markdown)))
    return ["  " + line.rstrip() for line in out.getvalue().rstrip().split("\n")]
