"""``entire resume``."""

from __future__ import annotations

import sys

import click

from entire.errors import UsageError
from entire.model.requests import ResumeRequest
from entire.ui.console import completion, group, json_output, prompts, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.model.views.resumes import ResumedView, ResumeView
    from entire.workspace.sessions import Resume

NONE = "No Entire checkpoint found on"
_SHOWN = 3
_DONE = {
    "written": "transcript restored for {agent}",
    "cut": "transcript cut back to the stored one",
    "unchanged": "transcript already here",
    "kept": "kept the newer local transcript; use --force to replace it",
}


@click.command("resume", cls=group.Command)
@click.argument("target", required=False, shell_complete=completion.targets)
@click.option(
    "-f", "--force", is_flag=True, help="Replace newer local transcripts, and carry uncommitted changes to the branch."
)
@click.option("--run", "start", is_flag=True, help="Start the agent with the most recently active session.")
@click.option("--undo", is_flag=True, help="Restore the transcripts that the last resume (or undo) replaced.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(target: str | None, force: bool, start: bool, undo: bool, as_json: bool) -> int:
    """Continue the sessions behind a branch, commit or checkpoint, also those from another machine.

    TARGET is a branch, a commit, a checkpoint or a session (id or id prefix); the default is the current branch. A
    branch is checked out first. Transcripts are restored to where their agents read them, and the commands that
    continue the sessions are printed.

    Example: entire resume feature
    """
    if undo and (target or force or start):
        raise UsageError(
            "--undo can only be combined with --json", hint="run `entire resume --undo` to revert the last resume"
        )
    if start and as_json:
        raise UsageError(
            "--run and --json cannot be combined", hint="leave out --json: the agent takes over the terminal"
        )
    if undo:
        return _undo(Workspace.find(), as_json=as_json)
    return run(ResumeRequest(target=target or "", force=force), start=start, as_json=as_json)


def run(request: ResumeRequest, *, start: bool = False, as_json: bool = False) -> int:
    workspace = Workspace.find()
    with workspace.sessions.resume(request, text.progress) as planned:
        text.write(planned.recovered, sys.stderr)
        text.write([text.plain(f"session {session.session_id}: {session.problem}")
                    for session in planned.view.sessions if session.problem], sys.stderr)  # fmt: skip
        done = planned.carry_out() if request.force else _decide(planned)
    if as_json:
        text.write(json_output.dumps(_values(done, workspace.branch)))
    else:
        text.write(_lines(done))
    if start:
        workspace.sessions.start_agent([session for session in done.sessions if not session.problem])
    return 1 if any(session.is_damaged for session in done.sessions) else 0


def _undo(workspace: Workspace, *, as_json: bool) -> int:
    done = workspace.undo.resume(text.progress)
    if as_json:
        text.write(json_output.dumps({"undo_id": done.undo_id, "undone": done.undone, "paths": done.paths}))
    else:
        names = ", ".join(text.plain(session_id) for session_id in done.session_ids)
        text.write([f"Restored the previous transcripts: {names}.",
                    "Run `entire resume --undo` again to revert this."])  # fmt: skip
    return 0


def _decide(planned: Resume) -> ResumeView:
    """Carry out the resume, after asking about whatever it could lose.

    A local transcript that only continues the stored one is kept without asking.
    """
    view, asks = planned.view, prompts.can_ask()
    if view.changed and not (asks and prompts.confirm(_carry_changes(view))):
        return planned.carry_out()  # refuses: the tree is dirty
    question = "The local transcript of session {} is newer than the stored one. Replace it?"
    newer = [session.session_id for session in view.sessions if session.what == "kept"]
    replaced = [session_id for session_id in newer if asks and prompts.confirm(question.format(session_id))]
    return planned.carry_out(overwrite=replaced, take_changes=True)


def _carry_changes(view: ResumeView) -> str:
    names = ", ".join(map(text.plain, view.changed[:_SHOWN])) + (", ..." if len(view.changed) > _SHOWN else "")
    files = f"{text.count(len(view.changed), 'file')} with uncommitted changes ({names})"
    return f"{files}: carry them along to {text.plain(view.branch)}?"


# ---------------------------------------------------------------- output


def _values(done: ResumeView, branch: str) -> dict[str, object]:
    return {
        "branch": done.branch or branch,
        "switched": done.switches,
        "commit": done.commit or None,
        "sessions": [_value(session) for session in done.sessions if not session.problem],
        "skipped": [
            {"session_id": session.session_id, "agent": session.agent, "reason": session.problem}
            for session in done.sessions
            if session.problem
        ],
        "undo_id": done.undo_id or None,
    }


def _lines(done: ResumeView) -> Iterator[str]:
    if done.switches:
        yield f"Switched to branch {text.plain(done.branch)}"
    resumed = [session for session in done.sessions if not session.problem]
    if not done.sessions:
        yield from _none(done)
    elif done.newer:
        yield (f"{text.count(done.newer, 'newer commit')} without a checkpoint; the newest commit with a checkpoint is "
               f"{done.commit[:7]} {text.one_line(done.subject)}")  # fmt: skip
    if len(resumed) > 1:
        yield f"Restoring {len(resumed)} sessions"
    for session in resumed:
        yield from _session(session)
    for session in done.sessions:
        if session.problem:
            yield f"Skipped session {text.plain(session.session_id)}: {text.plain(session.problem)}"
    if done.undo_id:
        yield "Run `entire resume --undo` to revert this."


def _none(done: ResumeView) -> Iterator[str]:
    """Say that there is nothing to resume: an answer, not an error, as with `explain`."""
    if not done.branch:
        yield f"{NONE} commit {done.commit[:7]} {text.one_line(done.subject)}"
        return
    yield f"{NONE} branch {text.plain(done.branch)}"
    if done.elsewhere:
        yield f"The newest earlier checkpoint belongs to another branch: run `entire resume {done.elsewhere[:10]}`"


def _session(session: ResumedView) -> Iterator[str]:
    yield f"Session: {text.plain(session.session_id)}"
    yield f"  {_DONE[session.what].format(agent=session.agent)}"
    if session.is_newer and session.what == "unchanged":
        yield "  it continues past the checkpoint; use --force to cut it back"
    if session.prompt:
        yield f"  last prompt: {text.one_line(session.prompt)}"
    if session.command:
        yield "  to continue:"
        yield f"    {text.plain(session.command)}"
    else:
        yield f"  to continue: open it in {text.one_line(session.agent)}, whose plugin names no command"


def _value(session: ResumedView) -> dict[str, object]:
    return {
        "session_id": session.session_id,
        "agent": session.agent,
        "checkpoint_id": session.checkpoint_id or None,
        "path": session.path,
        "command": session.command,
        "what": session.what,
        "kept": session.what == "kept",
        "is_newer": session.is_newer,
        "prompt": session.prompt,
    }
