"""Sessions that are continued."""

from __future__ import annotations

from entire.model.value import Value


class ResumedView(Value):
    """A session to continue. ``what`` happens to its local transcript: written, cut, unchanged, kept."""

    session_id: str
    agent: str = ""  # display name
    checkpoint_id: str = ""  # '': from a step or a local file
    prompt: str = ""  # the last stored one
    path: str = ""  # of the local transcript
    command: str = ""  # that continues the session
    what: str = "unchanged"
    is_newer: bool = False  # the local transcript is longer or newer than the stored one
    problem: str = ""  # why it cannot be resumed
    is_damaged: bool = False  # because git lacks a part of its stored transcript


class ResumeView(Value):
    """What a resume will do, or did. ``undo_id`` is set once transcripts were changed."""

    branch: str = ""  # the requested one; '' for a commit, checkpoint or session
    switches: bool = False  # the branch is checked out first
    changed: tuple[str, ...] = ()  # files with uncommitted changes, if a branch is to be checked out
    commit: str = ""  # whose checkpoints are resumed
    subject: str = ""
    newer: int = 0  # commits of the branch after it
    elsewhere: str = ""  # the newest linked commit, if it is not the branch's own
    sessions: tuple[ResumedView, ...] = ()  # the most recently active one last
    undo_id: str = ""


class ResumeUndoneView(Value):
    """What the undo of a resume did."""

    undo_id: str  # that reverts this undo
    undone: str  # the undo point that was restored
    paths: tuple[str, ...] = ()  # of changed transcripts and other agent files
    session_ids: tuple[str, ...] = ()
