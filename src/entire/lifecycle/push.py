"""Pushes the checkpoints branch with the user's own push, if the settings say so."""

from __future__ import annotations

import sys

from entire import settings
from entire.git import operation
from entire.layout import METADATA_BRANCH
from entire.model import controls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.lifecycle.context import Context
    from entire.model.events import GitEvent


def push(context: Context, event: GitEvent) -> None:
    """Push the branch, merging the remote's if necessary. Takes two minutes at most, asks nothing and never fails.

    The hook script leaves us out if git sends the branch itself. But git tells it of no ref that git is about to
    reject, so what we join there still needs a second push.
    """
    if not settings.pushes_checkpoints(context.place, context.settings) or not event.remote:
        return
    git = operation.find()
    if git.has_option("--dry-run", "n"):
        return
    from entire.store import sync

    outcome = sync.push(context.place.top, event.remote)
    context.log.info("checkpoints pushed", remote=event.remote, outcome=str(outcome))
    if outcome.joined and any(map(git.has_option, ("--all", "--branches", "--mirror"))):
        sys.stderr.write(f"entire: joined the checkpoints of {controls.plain(event.remote)} with yours\n")
        sys.stderr.write(f"hint: if git rejects {METADATA_BRANCH} now, push again\n")
