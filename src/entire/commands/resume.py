"""``entire resume``."""

from __future__ import annotations

import os
import shlex
import sys

import click

from entire.errors import EntireError, UsageError
from entire.git import switch
from entire.lifecycle import recovery
from entire.lifecycle.context import Context
from entire.resume import restore
from entire.resume.targets import Finder, ResumeTarget
from entire.settings import Settings
from entire.ui import form, group, prompts, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.resume.restore import Outcome, Resumed

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
    return run(target or "", force=force, start=start, undo=undo, as_json=as_json)


def run(
    target: str = "", *, force: bool = False, start: bool = False, undo: bool = False, as_json: bool = False
) -> int:
    """Resume what ``target`` names, or undo the last time."""
    workspace = Workspace.find()
    context = Context(workspace.place, workspace.settings or Settings(enabled=False))
    try:
        asked = Asked(workspace, context, force=force, as_json=as_json)
        if undo:
            return asked.undo()
        text.write(recovery.finish_interrupted(context), sys.stderr)
        outcome = asked.resume(target)
    finally:
        context.close()
    if start:
        _start(workspace.place.top, [one for one in outcome.sessions if not one.problem])
    return 0


class Asked:
    """One call: what was wished, and the form of the answer."""

    def __init__(self, workspace: Workspace, context: Context, *, force: bool, as_json: bool) -> None:
        self.workspace = workspace
        self.context = context
        self.force = force
        self.as_json = as_json
        self.top = workspace.place.top

    def undo(self) -> int:
        """Take the last resume back."""
        done = restore.undo(self.context)
        if self.as_json:
            text.write(form.dumps({"undo_id": done.id, "undone": done.undoes, "paths": done.private}))
        else:
            named = ", ".join(text.plain(str(one)) for one in done.notes.get("sessions") or ())
            text.write([f"The transcripts are as they were before: {named}.",
                        "`entire resume --undo` again takes that back."])  # fmt: skip
        return 0

    def resume(self, target: str) -> Outcome:
        """Find what is wanted, check the branch out, restore, and tell."""
        finder = Finder(self.workspace.place, self.context.objects, _progress)
        wanted = finder.find(target)
        if wanted.needs_switch:
            self._check_clean(wanted.branch)
        pieces, missing = finder.pieces(wanted)
        if not pieces and (missing or wanted.session_id):
            named = f"checkpoint {missing[0]}" if missing else f"session {wanted.session_id}"
            raise EntireError(f"{named} is not stored here", hint=finder.remotes.hint())
        plans = restore.look(self.context, pieces)
        if plans and all(one.problem for one in plans):
            raise EntireError("; ".join(f"session {one.session_id}: {one.problem}" for one in plans))
        overwrite = self._overwrite(plans)
        if wanted.needs_switch:
            switch.switch(self.top, wanted.branch, wanted.track)
        title = f"resume of {target or wanted.branch or wanted.commit[:7]}"
        outcome = restore.restore(self.context, pieces, title, overwrite) if pieces else restore.Outcome(sessions=())
        self._tell(wanted, outcome, missing, finder.remotes.hint() if missing else "")
        return outcome

    def _check_clean(self, branch: str) -> None:
        changed = switch.changed(self.top)
        if not changed or self.force:
            return
        named = ", ".join(text.plain(one) for one in changed[:_SHOWN]) + (", ..." if len(changed) > _SHOWN else "")
        said = f"{text.count(len(changed), 'file')} with uncommitted changes ({named})"
        if prompts.can_ask() and prompts.confirm(f"{said}: switch to {branch} and take them along?"):
            return
        raise EntireError(f"{said}: {branch} was not checked out",
                          hint="commit or stash them; with --force git takes them along if it can")  # fmt: skip

    def _overwrite(self, plans: Sequence[Resumed]) -> list[str]:
        """Return the sessions whose newer local transcripts may go. One that only went on is no reason to ask."""
        newer = [one for one in plans if one.is_newer]
        if self.force:
            return [one.session_id for one in newer]
        question = "The local transcript of session {} is newer than the stored one. Replace it?"
        apart = [one.session_id for one in newer if one.what == restore.KEPT]
        return [one for one in apart if prompts.can_ask() and prompts.confirm(question.format(one))]

    # ------------------------------------------------------------ telling

    def _tell(self, wanted: ResumeTarget, outcome: Outcome, missing: Sequence[str], hint: str) -> None:
        if self.as_json:
            text.write(form.dumps(self._values(wanted, outcome, missing)))
            return
        text.write(self._lines(wanted, outcome, missing, hint))

    def _values(self, wanted: ResumeTarget, outcome: Outcome, missing: Sequence[str]) -> dict[str, object]:
        return {
            "branch": wanted.branch or self.workspace.branch,
            "switched": wanted.needs_switch,
            "commit": wanted.commit or None,
            "sessions": [_value(one) for one in outcome.sessions if not one.problem],
            "skipped": [
                {"session_id": one.session_id, "agent": one.agent, "reason": one.problem}
                for one in outcome.sessions
                if one.problem
            ],
            "missing": list(missing),
            "undo_id": outcome.undo_id or None,
        }

    def _lines(self, wanted: ResumeTarget, outcome: Outcome, missing: Sequence[str], hint: str) -> Iterator[str]:
        if wanted.needs_switch:
            yield f"Switched to branch {text.plain(wanted.branch)}"
        good = [one for one in outcome.sessions if not one.problem]
        if not outcome.sessions:
            yield from _none(wanted)
        elif wanted.newer:
            yield (f"{text.count(wanted.newer, 'newer commit')} without a checkpoint; the newest with one is "
                   f"{wanted.commit[:7]} {text.one_line(wanted.subject)}")  # fmt: skip
        if len(good) > 1:
            yield f"Restoring {len(good)} sessions"
        for one in good:
            yield from _session(one)
        for one in outcome.sessions:
            if one.problem:
                yield f"Session {text.plain(one.session_id)} was left out: {text.plain(one.problem)}"
        for name in missing:
            yield f"Checkpoint {name} is named in the message too, but it is not stored here: {text.plain(hint)}"
        if outcome.undo_id:
            yield "`entire resume --undo` takes this back."


def _progress(said: str) -> None:
    """Say what takes long; on a terminal only, so that scripts get nothing but errors there."""
    if sys.stderr.isatty():
        click.echo(text.plain(said) + " ...", err=True)


def _none(wanted: ResumeTarget) -> Iterator[str]:
    """Say that nothing can be resumed, which is an answer and no error (as with `explain`)."""
    if not wanted.branch:
        yield f"{NONE} commit {wanted.commit[:7]} {text.one_line(wanted.subject)}"
        return
    yield f"{NONE} branch {text.plain(wanted.branch)}"
    if wanted.elsewhere:
        yield f"The newest before it belongs to another branch: `entire resume {wanted.elsewhere[:10]}`"


def _session(one: Resumed) -> Iterator[str]:
    yield f"Session: {text.plain(one.session_id)}"
    yield f"  {_DONE[one.what].format(agent=one.agent)}"
    if one.is_newer and one.what == "unchanged":
        yield "  it goes on beyond the checkpoint; --force puts it back to there"
    if one.prompt:
        yield f"  last prompt: {text.one_line(one.prompt)}"
    yield "  to continue:"
    yield f"    {text.plain(one.command)}"


def _value(one: Resumed) -> dict[str, object]:
    return {
        "session_id": one.session_id,
        "agent": one.agent,
        "checkpoint_id": one.checkpoint_id or None,
        "path": one.path,
        "command": one.command,
        "what": one.what,
        "kept": one.what == restore.KEPT,
        "is_newer": one.is_newer,
        "prompt": one.prompt,
    }


def _start(top: str, good: Sequence[Resumed]) -> None:
    """Become the agent, in the work tree's top folder, where it looks for the session."""
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
