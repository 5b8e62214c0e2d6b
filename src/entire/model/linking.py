"""Requests to link commits by hand and to unlink them, and what that changes."""

from __future__ import annotations

from entire.model.value import Value


class LinkRequest(Value):
    """Link a commit by its id: to a new checkpoint of a session, or to one that exists."""

    commit: str  # any revision that git understands
    session: str = ""  # id or id prefix; '': the session that the commit most likely belongs to
    checkpoint: str = ""  # id or id prefix of a stored checkpoint
    dry_run: bool = False


class UnlinkRequest(Value):
    """Record that a commit is not linked to its checkpoints, or to one of them. They stay stored."""

    commit: str  # any revision that git understands
    checkpoint: str = ""  # id or id prefix; '': all of the commit's
    dry_run: bool = False


class LinkedSessionView(Value):
    """A session in a new checkpoint. ``added``: lines of the commit that are proved to be its agent's."""

    session_id: str
    agent: str
    first_prompt: str
    added: int = 0
    files: tuple[str, ...] = ()


class LinkView(Value):
    """What linking or unlinking a commit changes, or with ``dry_run`` would change."""

    commit: str
    subject: str
    before: tuple[str, ...] = ()  # the commit's checkpoints
    after: tuple[str, ...] = ()  # a checkpoint that is still to be written is not among them
    new: str = ""  # the checkpoint that was written
    sessions: tuple[LinkedSessionView, ...] = ()  # in the new checkpoint
    added: int = 0  # lines that the commit adds
    reason: str = ""  # why it was not linked, if that is recorded
    is_named: bool = False  # its message names a checkpoint that it is unlinked from
    undo_id: str = ""  # the transaction that changed it; '' if nothing changed

    @property
    def is_change(self) -> bool:
        """Tell whether anything changes."""
        return self.before != self.after or bool(self.sessions)


class LinkUndoneView(Value):
    """What an undo of the last link or unlinking restored. ``is_exact``: everything is as before; else more was written
    since, and only the commit's links were taken back.
    """

    undo_id: str
    undoes: str
    commit: str
    before: tuple[str, ...]  # the commit's checkpoints before the undo
    after: tuple[str, ...]
    is_exact: bool
