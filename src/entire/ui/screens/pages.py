"""What ``status`` and lists show, as lines of text."""

from __future__ import annotations

from entire.ui.console import text, wrapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from entire.model.views.checkpoints import SessionView
    from entire.model.views.status import HookView, StatusView, UnlinkedView
    from entire.ui.console.text import Style

PHASES = {"active": "working", "active_committed": "working", "idle": "waiting", "ended": "ended"}
_HOOKS = {"disabled": "disabled", "unknown": "unknown", "untrusted": "untrusted"}
_SHOWN_FILES = 12
_PIPED = 110  # cells of a session's line where there is no terminal
_REASON = 300  # characters of why work was not committed
_FEW_WORDS = 20  # cells that a prompt needs at least


# ---------------------------------------------------------------- status


def status(view: StatusView, style: Style, now: float, *, detailed: bool, width: int | None = None) -> Iterator[str]:
    """Show the state of a worktree, on a terminal within its width. Scripts read the first line."""
    yield from text.broken(_status(view, style, now, detailed=detailed, width=width), width)


def _status(view: StatusView, style: Style, now: float, *, detailed: bool, width: int | None) -> Iterator[str]:
    if not view.is_set_up:
        yield "Entire is disabled here: it was never enabled (run `entire enable`)"
    else:
        yield f"{'Enabled' if view.enabled else 'Disabled'} ({text.one_line(view.strategy)})"
        if not view.enabled:
            yield "Entire is disabled here (`entire enable` enables it)"
    yield ""
    yield from text.table(_facts(view))
    yield from section("Sessions", _sessions(view.sessions, now, detailed=detailed, width=width), style)
    yield from section("Unlinked commits", _unlinked(view.unlinked, detailed=detailed), style)
    yield from section("Hooks", _hooks(view, None if detailed else width), style)
    yield from section("Needs attention", _warnings(view), style)
    if detailed:
        yield from section("Settings", [text.plain(path) for path in view.settings_files], style)


def _facts(view: StatusView) -> Iterator[tuple[str, str]]:
    yield "Branch", text.plain(view.branch) or "(detached HEAD)"
    yield "Checkpoints", f"{view.checkpoints:,} stored"
    if view.is_set_up:
        yield "Pushing", _pushing(view)


def _pushing(view: StatusView) -> str:
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


def section(title: str, lines: Sequence[str] | Iterator[str], style: Style) -> Iterator[str]:
    shown = list(lines)
    if shown:
        yield ""
        yield style(title, "bold")
        yield from ("  " + line for line in shown)


def _sessions(sessions: Sequence[SessionView], now: float, *, detailed: bool, width: int | None) -> Iterator[str]:
    """Show this worktree's sessions that are open or have uncommitted files; with ``detailed``, all sessions."""
    shown = [
        state for state in sessions if detailed or (state.is_here and (state.phase != "ended" or state.open_files))
    ]
    rows = []
    for session in shown:
        name = session.session_id if detailed else session.session_id[:8]
        work = text.count(session.steps, "step") if session.steps else "-"
        seen = text.ago(session.last_seen or session.started, now)
        phase = PHASES.get(session.phase, session.phase)
        phase = "interrupted" if session.is_interrupted and phase != PHASES["ended"] else phase
        rows.append((text.plain(name), text.one_line(session.agent, 40) or "-", phase, work, seen))
    for session, line in zip(shown, text.table(rows), strict=True):
        yield from _with_prompt(line, text.one_line(session.prompt or session.first_prompt, 400), width)
        if session.open_files:
            yield "  uncommitted: " + path_list(session.open_files)
        if session.uncommitted:
            yield "  not committed: " + text.one_line(session.uncommitted, _REASON)
        if session.transcript_problem:
            yield "  transcript: " + text.one_line(session.transcript_problem, _REASON)
        if detailed and not session.is_here:
            yield "  in " + text.plain(session.worktree)
    hidden = len(sessions) - len(shown)
    if hidden:
        yield f"({text.count(hidden, 'session')} more, ended or in another worktree: --detailed shows them)"


def _with_prompt(line: str, prompt: str, width: int | None) -> list[str]:
    """Add a prompt to a session's line, or below it where the line has no room for a few words."""
    room = (_PIPED if width is None else width) - 2  # a section is indented
    rest = room - wrapping.width(line) - 2
    if prompt and rest >= min(_FEW_WORDS, wrapping.width(prompt)):
        return [f"{line}  {wrapping.fit(prompt, rest)}"]
    below = ["  " + wrapping.fit(prompt, room - 2)] if prompt else []
    return [line if width is None else wrapping.fit(line, room), *below]


def _unlinked(commits: Sequence[UnlinkedView], *, detailed: bool) -> list[str]:
    shown = commits if detailed else commits[:5]
    rows = [
        (commit.commit[:7], text.one_line(commit.subject, 50), text.one_line(commit.reason, 160)) for commit in shown
    ]
    return text.table(rows)


def _hooks(view: StatusView, width: int | None) -> list[str]:
    """Return a line for each program whose hooks are well, and one for each problem."""
    rows = []
    for hooks in view.hooks:
        if hooks.is_installed or view.enabled:
            state = "installed" if hooks.is_installed else _HOOKS.get(hooks.status, "BROKEN")
            problems = [text.one_line(problem, 1000) for problem in hooks.problems or (hooks.problem,) if problem]
            rows += [
                (hooks.name, state, shown) for shown in problems or [text.path(hooks.where, view.top) + _tested(hooks)]
            ]
    return [line if width is None else wrapping.fit(line, width - 2) for line in text.table(rows)]


def _tested(hooks: HookView) -> str:
    """Say with which versions of an agent this one of ours was tested, and which other one ran here."""
    if not hooks.tested_versions:
        return ""
    other = f"{text.plain(hooks.version)} ran here, " if hooks.version not in ("", *hooks.tested_versions) else ""
    return f" ({other}tested with {' and '.join(hooks.tested_versions)})"


def _warnings(view: StatusView) -> Iterator[str]:
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
    for remote, command in view.holding.items():
        yield text.plain(f"{remote} still has what was forgotten here, so checkpoints are not pushed there: {command}")
    if view.is_secret_revealed:
        yield "a secret was found that an earlier checkpoint may hold: run `entire audit`"
    if view.is_audit_due:
        yield "the rules for secrets have changed since the last audit: run `entire audit`"
    if view.failures:
        yield f"{text.count(view.failures, 'error')} in {text.path(view.log, view.top)}"


def path_list(paths: Sequence[str], limit: int = _SHOWN_FILES) -> str:
    more = len(paths) - limit
    return ", ".join(text.full_path(path) for path in paths[:limit]) + (f" and {more} more" if more > 0 else "")


# ---------------------------------------------------------------- lists


def listing(
    branch: str, rows: Iterable[str], total: int, style: Style, *, session_id: str = "",
    open_work: Sequence[SessionView] = (),
) -> Iterator[str]:  # fmt: skip
    """Show the history of a branch, by its rows. Scripts read ``Branch:``, ``Checkpoints:`` and ``Filtered by
    session:``.
    """
    yield f"Branch: {text.plain(branch) or '(detached HEAD)'}"
    yield f"Checkpoints: {total}"
    if session_id:
        yield f"Filtered by session: {text.plain(session_id)}"
    for number, row in enumerate(rows):
        if not number:
            yield ""
        yield row
    work = [
        (state.session_id[:8], state.agent, text.count(state.steps, "step"), path_list(state.open_files, 5))
        for state in open_work
    ]
    yield from section("Uncommitted", text.table(work), style)
