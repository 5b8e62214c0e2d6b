"""What linking or unlinking a commit by hand changes, as lines."""

from __future__ import annotations

from entire.model import reasons
from entire.ui.console import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.model.linking import LinkedSessionView, LinkUndoneView, LinkView


def heading(view: LinkView) -> str:
    """Name the commit, by its id and subject."""
    return f"Commit {view.commit[:7]} {text.one_line(view.subject)}"


def linking(view: LinkView) -> Iterator[str]:
    """Show what a link changes."""
    yield heading(view)
    if view.reason:
        yield f"  It was not linked: {text.plain(view.reason)}"
    for session in view.sessions:
        yield from _session(session, view.added)
    for checkpoint_id in view.after:
        if checkpoint_id not in view.before:
            yield f"  Link to checkpoint {checkpoint_id}"
    yield "The commit and its message do not change."


def _session(session: LinkedSessionView, added: int) -> Iterator[str]:
    agent = f" ({text.one_line(session.agent)})" if session.agent else ""
    yield f"  Link to a checkpoint of session {text.plain(session.session_id)}{agent}"
    if session.first_prompt:
        yield f"    {text.one_line(session.first_prompt)}"
    lines = f"{session.added} of {text.count(added, 'added line')}"
    if session.added:
        yield f"    {lines} recorded as the agent's, in {text.count(len(session.files), 'file')}"
    else:
        yield f"    {lines} recorded as the agent's: they count as yours"


def unlinking(view: LinkView) -> Iterator[str]:
    """Show what unlinking changes."""
    yield heading(view)
    for checkpoint_id in view.before:
        if checkpoint_id not in view.after:
            yield f"  Unlink from checkpoint {checkpoint_id}, which stays stored"
    if view.is_named:
        yield "  Its message keeps the trailer, which Entire then ignores."
    yield "The commit and its message do not change."


def unchanged(view: LinkView, *, unlink: bool) -> str:
    """Say why there is nothing to do."""
    if view.before and not unlink:
        return f"{heading(view)} is linked already, to {_ids(view.before)}."
    if view.before:
        return f"{heading(view)} is not linked to that checkpoint; it is linked to {_ids(view.before)}."
    return f"{heading(view)} is not linked to any checkpoint."


def linked(view: LinkView) -> Iterator[str]:
    """Confirm a link."""
    fresh = [checkpoint_id for checkpoint_id in view.after if checkpoint_id not in view.before]
    yield f"Linked commit {view.commit[:7]} to {_ids(fresh)}."
    yield "Run `entire link --undo` to undo this."


def unlinked(view: LinkView) -> Iterator[str]:
    """Confirm unlinking."""
    gone = [checkpoint_id for checkpoint_id in view.before if checkpoint_id not in view.after]
    yield f"Unlinked commit {view.commit[:7]} from {_ids(gone)}."
    yield "Run `entire unlink --undo` to undo this."


def undone(view: LinkUndoneView) -> Iterator[str]:
    """Say what an undo restored."""
    state = f"is linked to {_ids(view.after)} again" if view.after else "is not linked any more"
    yield f"Commit {view.commit[:7]} {state}."
    if not view.is_exact:
        yield "More was recorded since, so the checkpoints themselves stay as they are."


def remedy(reason: str, commit: str) -> str:
    """Say what to do about the reason for which a commit is not linked; '' if its text is of another version."""
    known = reasons.find(reason)
    return known.remedy.replace("link COMMIT", f"link {commit[:7]}") if known is not None else ""


def _ids(ids: list[str] | tuple[str, ...]) -> str:
    return ("checkpoint " if len(ids) == 1 else "checkpoints ") + ", ".join(ids)
