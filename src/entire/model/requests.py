"""Requests to a workspace. Times, paths and ids are as in the views; every field has a default."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.views.maintenance import UnusedView

AUTO_COMMIT = "auto-commit"
STRATEGIES = ("manual-commit", AUTO_COMMIT)
"""Who commits: you (manual-commit), or Entire at the end of each turn (auto-commit)."""
PROJECT, LOCAL = "project", "local"


class EnableRequest(Value):
    """Start recording sessions in a repository.

    ``agents``: names of the agents to install hooks for; without any, those that ``Workspace.setup.agents`` suggests.
    ``push_sessions`` None: as this person chose here before; else checkpoints stay on this machine.
    """

    agents: tuple[str, ...] = ()
    only_these: bool = False  # remove the hooks of other agents
    strategy: str = ""  # one of STRATEGIES; '': keep the current one, manual-commit by default
    target: str = ""  # settings to write: PROJECT, LOCAL; '': PROJECT if there are none yet, else LOCAL
    push_sessions: bool | None = None
    user: bool = False  # install the agents' hooks for all repositories of this user
    force: bool = False  # rewrite agents' hooks even if they are installed
    trust_hooks: bool = False  # where an agent runs only hooks that its user trusts: note there that they are trusted


class DisableRequest(Value):
    """Stop recording sessions; hooks stay installed and do nothing."""

    project: bool = False  # write the project's settings, for the whole team


class UninstallRequest(Value):
    """Remove hooks, settings, session states and steps from a repository. Checkpoints stay."""

    user: bool = False  # also remove agents' hooks from this user's own settings


class CleanRequest(Value):
    """Delete unused data. ``only``: of what is found, delete only these items (of an earlier view)."""

    everything: bool = False  # all undo points, not only old ones
    dry_run: bool = False
    only: tuple[UnusedView, ...] | None = None


class ResetRequest(Value):
    """Discard the steps on HEAD in this worktree, and the sessions that made them."""

    session: str = ""  # only this session (id or id prefix)
    force: bool = False  # even while a turn is running
    dry_run: bool = False


class DoctorRequest(Value):
    """Find problems, and repair them if ``fix`` is set."""

    fix: bool = False


BEFORE_LAST_PROMPT = "before-last-prompt"


class RewindRequest(Value):
    """Which point to restore, and what of it. ``paths`` are relative to the worktree; a folder means all below it."""

    to: str = ""  # the point (id or id prefix), or BEFORE_LAST_PROMPT: of the session, if there is a ``session_id``
    paths: tuple[str, ...] = ()  # only these files
    session_id: str = ""  # revert only what this session did since
    logs_only: bool = False  # only the conversation
    files_only: bool = False  # only the files
    keep_mine: bool = False  # merge the user's own edits since
    reset: bool = False  # move the branch to the checkpoint's commit
    take_back: bool = False  # commit what takes back the sessions' commits since the checkpoint's
    force: bool = False  # also rewrite a conversation that its agent has open


class ResumeRequest(Value):
    """Which sessions to continue. The target is a branch, a commit, a checkpoint or a session."""

    target: str = ""  # '': the current branch
    force: bool = False  # replace newer local transcripts, and carry uncommitted changes to another branch


class SummaryRequest(Value):
    """Have an agent's model write the summaries that a checkpoint's sessions lack."""

    checkpoint: str = ""  # id or id prefix
    agent: str = ""  # name of the agent that writes; '': the session's own if it can, else the only one that can
    model: str = ""  # '': the agent's own choice
    force: bool = False  # also replace summaries
    seconds: float = 180.0  # how long a model may take for one session
