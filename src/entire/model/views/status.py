"""The state of a worktree."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.views.checkpoints import SessionView


class UnlinkedView(Value):
    """A commit near a live session that was not linked, and why."""

    commit: str
    subject: str
    reason: str
    time: float


class HookView(Value):
    """The health of one group of hooks: git's, or an agent's in one scope."""

    name: str
    where: str
    is_installed: bool  # completely, and the agent runs them
    problem: str = ""
    remedies: tuple[str, ...] = ()  # what to do about it, in the imperative
    status: str = ""  # installed, missing, stale, untrusted, disabled (by the user) or unknown
    other_paths: tuple[str, ...] = ()  # the other files of an agent that keeps its hooks in several
    problems: tuple[str, ...] = ()  # each by itself, where there may be several
    tested_versions: tuple[str, ...] = ()  # of the agent, oldest first
    version: str = ""  # of the agent in its newest session here, if that tells


class UnrecordedView(Value):
    """Sessions of an agent that were not recorded although its hooks are installed, the latest first."""

    agent: str  # display name
    session_ids: tuple[str, ...]
    problem: str = ""
    hint: str = ""  # what to do


class StatusView(Value):
    """The state of a worktree."""

    enabled: bool
    is_set_up: bool  # settings exist
    strategy: str
    branch: str
    top: str
    push_sessions: bool | None
    push_sessions_file: str = ""  # the settings file that says so
    is_pushing: bool = False  # push_sessions is true, and `enable` has run with it in this clone
    sessions: tuple[SessionView, ...] = ()
    unlinked: tuple[UnlinkedView, ...] = ()
    hooks: tuple[HookView, ...] = ()
    lacks_agent_hooks: bool = False  # none are installed; False if a plugin that cannot run may have some
    unrecorded: tuple[UnrecordedView, ...] = ()
    checkpoints: int = 0
    unpushed: Mapping[str, int] = {}  # remote: number of commits of the checkpoints branch that it lacks
    settings_files: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    failures: int = 0  # errors in the log
    log: str = ""  # path of the log
    holding: Mapping[str, str] = {}  # remotes that still have what was forgotten here: the command that replaces it
    is_audit_due: bool = False  # the rules for secrets have changed since the last audit
    is_secret_revealed: bool = False  # one was found that checkpoints may hold; an audit tells where
