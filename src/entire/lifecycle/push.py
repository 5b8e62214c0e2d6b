"""Pushes the checkpoints branch with the user's own push, if the settings say so."""

from __future__ import annotations

import sys

from entire import settings
from entire.git import operation, remote
from entire.layout import METADATA_BRANCH
from entire.model import controls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.operation import GitCommand
    from entire.model.events import GitEvent
    from entire.recording.context import Context


def _sends(context: Context, event: GitEvent, git: GitCommand) -> bool:
    """Tell whether git is about to send anything. It calls us before the remote decides, so a push that the remote
    rejects for reasons of its own counts.

    Git leaves out what it knows to be rejected or already there: of an empty list, HEAD tells which it is. It lists a
    ref that the remote has moved to a commit unknown here, and sends it only by force.
    """
    if not event.pushed:
        return remote.has(context.place.top, event.remote, "HEAD")
    is_forced = any(word.startswith(("--force", "+")) for word in git.arguments)
    is_forced = is_forced or git.has_option("--mirror", "f")
    for line in event.pushed:
        is_new = not line.old.strip("0")
        is_known = not line.ref.startswith("refs/tags/") and bool(context.objects.oid(line.old))
        if line.new.strip("0") and (is_forced or is_new or is_known):
            return True
    return False


def push(context: Context, event: GitEvent) -> None:
    """Push the branch, merging the remote's if necessary. Takes two minutes at most, asks nothing and never fails.

    The hook script leaves us out if git sends the branch itself. But git tells it of no ref that git is about to
    reject, so what we join there still needs a second push.
    """
    if not settings.pushes_checkpoints(context.place, context.settings) or not event.remote:
        return
    git = operation.find()
    if git.has_option("--dry-run", "n") or not _sends(context, event, git):
        context.log.info("no checkpoints pushed: git is about to send nothing", remote=event.remote)
        return
    from entire.store import sync

    outcome = sync.push(context.place.top, event.remote)
    context.log.info("checkpoints pushed", remote=event.remote, outcome=str(outcome))
    if outcome.joined and any(map(git.has_option, ("--all", "--branches", "--mirror"))):
        sys.stderr.write(f"entire: joined the checkpoints of {controls.plain(event.remote)} with yours\n")
        sys.stderr.write(f"hint: if git rejects {METADATA_BRANCH} now, push again\n")
