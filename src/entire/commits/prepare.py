"""Before a commit: decides about it, stores the decision, and only then writes the trailers into its message."""

from __future__ import annotations

import os

from entire import files
from entire.commits import decision, upcoming_commit
from entire.errors import PartialCloneError
from entire.git import index, operation
from entire.model import comments, trailers
from entire.model.comments import Comments
from entire.model.ids import CheckpointId
from entire.recording import pending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.commits.upcoming_commit import UpcomingCommit
    from entire.git.operation import GitCommand, Operation
    from entire.model.events import GitEvent
    from entire.recording.context import Context
    from entire.recording.pending import Pending


def prepare(context: Context, event: GitEvent) -> None:
    """Decide which checkpoints the commit belongs to, store the decision, then write the trailers."""
    git = operation.find()
    state = operation.state(context.place)
    message_file = os.path.join(context.place.top, event.message_file)
    message = (files.read(message_file) or b"").decode("utf-8", "surrogateescape")
    can_write = context.can_write()
    if git.picks and not _is_resolved(context, event, git, state):
        if can_write:
            pending.drop(context.place)
        _keep_folded_ids(context, message_file, message, state)
        return
    if not can_write:  # no promise that might not be kept: the next event links the commit by its id
        return
    is_merge = event.message_source == "merge" and git.command in ("merge", "pull")
    if is_merge and not git.has_option("--continue"):  # clean: git calls no post-commit
        pending.drop(context.place)
        return
    upcoming = upcoming_commit.find(context, event, git, state, message)
    try:
        decided = decision.decide(context, upcoming)
    except PartialCloneError as error:  # after the commit it gets its reason
        pending.drop(context.place)
        context.log.warn(f"the commit was not decided about: {error.message}")
        return
    pending.save(context.place, decided)
    if decided.ids:
        _write_trailers(context, upcoming, decided)


def _is_resolved(context: Context, event: GitEvent, git: GitCommand, state: Operation) -> bool:
    """Tell whether a pick had a conflict that somebody has resolved: git then starts a commit for it, whose tree is not
    the one that git merged.
    """
    if git.command != "commit" or not state.picked or state.folds:
        return False
    place = context.place
    index_file = index.path(place, event.environment)
    return index.tree(place.top, place.git_dir, index_file, place.own_dir) != operation.merged_tree(place)


def _keep_folded_ids(context: Context, message_file: str, message: str, state: Operation) -> None:
    """Keep the ids of a commit that a rebase folds into the one before: `fixup` drops its message."""
    folded = context.objects.commit(state.folds) if state.folds else None
    head = context.objects.commit("HEAD")
    if folded is None or head is None:
        return
    links = context.links
    ids = tuple(dict.fromkeys([*links.of(head), *links.of(folded)]))
    if ids:
        text = trailers.add_checkpoints(message, ids, editor=False)
        if text != message:
            files.write(message_file, text.encode("utf-8", "surrogateescape"))


def _write_trailers(context: Context, upcoming: UpcomingCommit, decided: Pending) -> None:
    has_editor, style, shown = _has_editor(upcoming), Comments(), []
    if has_editor or comments.may_hold(upcoming.message):
        configured, mode = index.message_settings(context.place.top)
        mode = upcoming.git.cleanup or mode
        style = comments.find(upcoming.message, configured, mode, edits=has_editor)
        _note(context, upcoming, decided, style, mode)
        shown = _shown(context, decided) if decided.id and style.removes and style.has_block else []
    ids = [CheckpointId(name) for name in decided.ids]
    text = trailers.add_checkpoints(
        upcoming.message, ids, style.prefix, shown, editor=has_editor, removes=style.removes
    )
    if text != upcoming.message:
        path = os.path.join(context.place.top, upcoming.event.message_file)
        files.write(path, text.encode("utf-8", "surrogateescape"))


def _note(context: Context, upcoming: UpcomingCommit, decided: Pending, style: Comments, mode: str) -> None:
    """Tell commit-msg about the message: the last trailer, what begins lines that git removes, what begins the line
    with scissors, how git cleans up, and the template that it gave the editor.
    """
    template, removed = "", style.prefix if style.removes else ""
    if upcoming.event.message_source == "template":
        template = trailers.text_above(upcoming.message, style.prefix, removes=style.removes)
    note = f"{trailers.CHECKPOINT}: {decided.ids[-1]}\n{removed}\n{style.prefix}\n{mode}\n{template}"
    files.write(context.place.message_note, note.encode("utf-8", "surrogateescape"))


def _has_editor(upcoming: UpcomingCommit) -> bool:
    """Tell whether git opens an editor, and removes comments afterwards. Without one it sets GIT_EDITOR to ``:``; a
    program that calls the hook with a message may not.
    """
    is_given = upcoming.event.message_source == "message" and not upcoming.git.edits
    return upcoming.event.environment.get("GIT_EDITOR") != ":" and not is_given


def _shown(context: Context, decided: Pending) -> list[str]:
    """Return the comment lines that the editor shows with the trailer."""
    session = context.session(next(iter(decided.sessions)))
    prompt = " ".join(session.turn.prompt.split()) if session is not None and session.turn is not None else ""
    return [
        "Remove the Entire-Checkpoint line to leave this commit unlinked.",
        *([f"Last prompt: {prompt[:60]}"] if prompt else []),
        "The session's transcript will be saved on the branch entire/checkpoints/v1.",
    ]
