"""``entire resume``."""

from __future__ import annotations

import os
import shlex
import sys

import click

from entire.errors import EntireError, UsageError
from entire.model.requests import ResumeRequest
from entire.ui import form, group, prompts, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.model.views import ResumedView, ResumeView
    from entire.resume.plan import Resume

NONE = "No Entire checkpoint found on"
_SHOWN = 3
_DONE = {
    "written": "the transcript was put where {agent} looks for it",
    "cut": "the transcript was put back to what is stored",
    "unchanged": "the transcript is here already",
    "kept": "the local transcript is newer and was kept; --force replaces it",
}


@click.command("resume", cls=group.Command)
@click.argument("target", required=False)
@click.option(
    "-f", "--force", is_flag=True, help="Replace newer local transcripts, and take uncommitted changes along."
)
@click.option("--run", "start", is_flag=True, help="Start the agent, for the session that went on last.")
@click.option("--undo", is_flag=True, help="Bring back the transcripts that the last resume (or undo) replaced.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(target: str | None, force: bool, start: bool, undo: bool, as_json: bool) -> int:
    """Continue the sessions behind a commit, here or where another machine left off.

    TARGET is a branch, a commit, a checkpoint or a session (an id or the beginning of one); without it, the branch
    that is checked out. A branch is checked out first. Transcripts are put where their agents look for them, and the
    commands that continue the sessions are printed.

    Example: entire resume feature
    """
    if undo and (target or force or start):
        raise UsageError("--undo goes with --json only", hint="`entire resume --undo` takes the last resume back")
    if start and as_json:
        raise UsageError("--run and --json cannot be combined", hint="the agent takes over the terminal")
    if undo:
        return _undo(Workspace.find(), as_json=as_json)
    return run(ResumeRequest(target=target or "", force=force), start=start, as_json=as_json)


def run(request: ResumeRequest, *, start: bool = False, as_json: bool = False) -> int:
    """Resume what is asked for."""
    workspace = Workspace.find()
    with workspace.resume(request, _progress) as planned:
        text.write(planned.told, sys.stderr)
        done = planned.carry_out() if request.force else _decide(planned)
    if as_json:
        text.write(form.dumps(_values(done, workspace.branch)))
    else:
        text.write(_lines(done))
    if start:
        _start(workspace.place.top, [one for one in done.sessions if not one.problem])
    return 0


def _undo(workspace: Workspace, *, as_json: bool) -> int:
    done = workspace.undo_resume()
    if as_json:
        text.write(form.dumps({"undo_id": done.undo_id, "undone": done.undone, "paths": done.paths}))
    else:
        named = ", ".join(text.plain(session_id) for session_id in done.session_ids)
        text.write([f"The transcripts are as they were before: {named}.",
                    "`entire resume --undo` again takes that back."])  # fmt: skip
    return 0


def _decide(planned: Resume) -> ResumeView:
    """Ask a person about what could be lost, and carry out what they agree to.

    A local transcript that only went on is no reason to ask: it stays.
    """
    view, asks = planned.view, prompts.can_ask()
    if view.changed and not (asks and prompts.confirm(_take_along(view))):
        return planned.carry_out()  # which refuses
    question = "The local transcript of session {} is newer than the stored one. Replace it?"
    apart = [one.session_id for one in view.sessions if one.what == "kept"]
    replaced = [one for one in apart if asks and prompts.confirm(question.format(one))]
    return planned.carry_out(overwrite=replaced, take_changes=True)


def _take_along(view: ResumeView) -> str:
    named = ", ".join(map(text.plain, view.changed[:_SHOWN])) + (", ..." if len(view.changed) > _SHOWN else "")
    files = f"{text.count(len(view.changed), 'file')} with uncommitted changes ({named})"
    return f"{files}: switch to {text.plain(view.branch)} and take them along?"


# ---------------------------------------------------------------- what is shown


def _values(done: ResumeView, branch: str) -> dict[str, object]:
    return {
        "branch": done.branch or branch,
        "switched": done.switches,
        "commit": done.commit or None,
        "sessions": [_value(one) for one in done.sessions if not one.problem],
        "skipped": [
            {"session_id": one.session_id, "agent": one.agent, "reason": one.problem}
            for one in done.sessions
            if one.problem
        ],
        "missing": done.missing,
        "undo_id": done.undo_id or None,
    }


def _lines(done: ResumeView) -> Iterator[str]:
    if done.switches:
        yield f"Switched to branch {text.plain(done.branch)}"
    good = [one for one in done.sessions if not one.problem]
    if not done.sessions:
        yield from _none(done)
    elif done.newer:
        yield (f"{text.count(done.newer, 'newer commit')} without a checkpoint; the newest with one is "
               f"{done.commit[:7]} {text.one_line(done.subject)}")  # fmt: skip
    if len(good) > 1:
        yield f"Restoring {len(good)} sessions"
    for one in good:
        yield from _session(one)
    for one in done.sessions:
        if one.problem:
            yield f"Session {text.plain(one.session_id)} was left out: {text.plain(one.problem)}"
    for name in done.missing:
        yield f"Checkpoint {name} is named in the message too, but it is not stored here: {text.plain(done.hint)}"
    if done.undo_id:
        yield "`entire resume --undo` takes this back."


def _progress(said: str) -> None:
    """Say what takes long; on a terminal only, so that scripts get nothing but errors there."""
    if sys.stderr.isatty():
        click.echo(text.plain(said) + " ...", err=True)


def _none(done: ResumeView) -> Iterator[str]:
    """Say that nothing can be resumed, which is an answer and no error (as with `explain`)."""
    if not done.branch:
        yield f"{NONE} commit {done.commit[:7]} {text.one_line(done.subject)}"
        return
    yield f"{NONE} branch {text.plain(done.branch)}"
    if done.elsewhere:
        yield f"The newest before it belongs to another branch: `entire resume {done.elsewhere[:10]}`"


def _session(one: ResumedView) -> Iterator[str]:
    yield f"Session: {text.plain(one.session_id)}"
    yield f"  {_DONE[one.what].format(agent=one.agent)}"
    if one.is_newer and one.what == "unchanged":
        yield "  it goes on beyond the checkpoint; --force puts it back to there"
    if one.prompt:
        yield f"  last prompt: {text.one_line(one.prompt)}"
    yield "  to continue:"
    yield f"    {text.plain(one.command)}"


def _value(one: ResumedView) -> dict[str, object]:
    return {
        "session_id": one.session_id,
        "agent": one.agent,
        "checkpoint_id": one.checkpoint_id or None,
        "path": one.path,
        "command": one.command,
        "what": one.what,
        "kept": one.what == "kept",
        "is_newer": one.is_newer,
        "prompt": one.prompt,
    }


def _start(top: str, good: Sequence[ResumedView]) -> None:
    """Become the agent, in the worktree's top folder, where it looks for the session."""
    if not good:
        raise EntireError("there is no session that could be started")
    words = shlex.split(good[-1].command)
    sys.stdout.flush()
    sys.stderr.flush()
    os.chdir(top)
    try:
        os.execvp(words[0], words)
    except OSError as error:
        raise EntireError(
            f"cannot start {words[0]}: {error.strerror}", hint="is it installed and on the PATH?"
        ) from error
