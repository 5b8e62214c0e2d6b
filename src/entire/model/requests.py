"""What a workspace is asked to do. Times, paths and ids are as in the views; every field has a default."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.views import UnusedView

STRATEGIES = ("manual-commit", "auto-commit")
"""What settings may name; ``enable`` refuses a strategy that this version cannot carry out."""
PROJECT, LOCAL = "project", "local"


class EnableRequest(Value):
    """Start keeping sessions of a repository.

    ``agents``: the names of the agents to install hooks for; without any, those that ``Workspace.agents`` suggests.
    ``push_sessions`` None: as chosen before; checkpoints stay on this machine if nothing was chosen yet.
    """

    agents: tuple[str, ...] = ()
    only_these: bool = False  # remove the hooks of other agents
    strategy: str = ""  # when steps become checkpoints; '': as before, at first manual-commit
    target: str = ""  # settings to write: PROJECT, LOCAL; '': the project's if there are none yet, else the local ones
    push_sessions: bool | None = None
    user: bool = False  # install the agents' hooks for all repositories of this user
    force: bool = False  # write agents' hooks again, even if they are there


class DisableRequest(Value):
    """Stop keeping sessions; hooks stay and do nothing."""

    project: bool = False  # write it into the project's settings, for the whole team


class UninstallRequest(Value):
    """Remove hooks, settings, session states and steps from a repository. Checkpoints stay."""

    user: bool = False  # also remove agents' hooks from this user's own settings


class CleanRequest(Value):
    """Remove data that is no longer used. ``only``: of what is found, only this (a view that was shown before)."""

    everything: bool = False  # all undo points, not only the old ones
    dry_run: bool = False
    only: tuple[UnusedView, ...] | None = None


class ResetRequest(Value):
    """Forget the steps on HEAD in this worktree, and the sessions that stand on them."""

    session: str = ""  # only this session, by its id or the beginning of it
    force: bool = False  # also while a turn is in progress
    dry_run: bool = False


class DoctorRequest(Value):
    """Look for problems, and repair them if ``fix`` is set."""

    fix: bool = False


class RewindRequest(Value):
    """Which point to go back to, and what of it. Paths are relative to the worktree's top, folders with all below."""

    to: str = ""  # the point's id, or the beginning of it
    paths: tuple[str, ...] = ()  # only these files
    session_id: str = ""  # only what this session did since
    logs_only: bool = False  # the conversation, without the files
    files_only: bool = False  # the files, without the conversation
    keep_mine: bool = False  # merge what a person changed since
    reset: bool = False  # move the branch to the checkpoint's commit


class ResumeRequest(Value):
    """Which sessions to continue. The target is a branch, a commit, a checkpoint or a session."""

    target: str = ""  # '': the branch that is checked out
    force: bool = False  # replace newer local transcripts, and take uncommitted changes along to another branch
