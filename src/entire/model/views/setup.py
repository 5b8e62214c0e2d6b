"""Agents, plugins and hooks, and how recording is started and stopped."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


class AgentView(Value):
    """An agent that this installation supports."""

    name: str  # for requests
    type: str  # display name
    description: str
    takes_hooks: bool  # hooks can be installed for it
    has_hooks: bool = False  # some are installed; ``hooks_status`` tells whether they run
    hooks_status: str = "missing"  # as in HookView
    is_detected: bool = False  # it was used in this repository
    is_suggested: bool = False  # ``enable`` chooses it by default
    is_offered: bool = True  # ``enable`` lists it: it is not an example, or its hooks are here
    needs_trust: bool = False  # it runs only hooks that its user trusts, which ``EnableRequest.trust_hooks`` can note


class PluginView(Value):
    """A plugin on PATH. What it says of itself is known only if it may run."""

    name: str
    path: str  # as found on PATH
    real_path: str  # the file itself, where ``path`` is a link
    state: str  # allowed, allowed by settings, denied, changed, not allowed, shadowed, inside the repository, invalid
    is_usable: bool = False
    problem: str = ""  # why it cannot be used
    type: str = ""
    description: str = ""
    hook_names: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()


class PluginProblemView(Value):
    """What keeps a plugin from working in a repository."""

    name: str
    problem: str
    hint: str
    is_past: bool = False  # it failed, and may work by now


class AgentHooksView(Value):
    """An agent's hooks, installed or removed."""

    agent: str  # display name
    scope: str  # project, user
    path: str  # the file that holds them, '' if Entire cannot install them
    count: int = 0  # entries written or removed
    other_paths: tuple[str, ...] = ()  # the other files, where an agent keeps its hooks in several
    problem: str = ""  # why the agent does not run them
    remedy: str = ""  # what to do about it, in the imperative
    plugin: str = ""  # the executable that keeps the hooks, of an agent connected by a plugin
    note: str = ""  # what was written besides hooks
    below: str = ""  # what has sessions recorded that start in a folder below, where these hooks do not act


class HooksLeftView(Value):
    """Hooks of a plugin that could not be removed."""

    name: str
    problem: str
    output: str  # what the plugin printed on standard error, unchanged
    command: str  # to run by hand


class HookLineView(Value):
    """A line to add to a hook file that Entire does not write itself."""

    path: str
    line: str
    is_added: bool = False
    is_to_commit: bool = False  # it was added to a file that belongs in git


class GitHooksView(Value):
    """The git hooks as they were installed."""

    folder: str
    chained: tuple[str, ...] = ()  # hooks whose existing script runs after ours
    set_aside: tuple[str, ...] = ()  # where existing hooks were moved to
    managers: tuple[str, ...] = ()  # programs that may overwrite our hooks
    refused: str = ""  # why git's hooks folder was not written: it is shared with other repositories, or tracked
    lines: tuple[HookLineView, ...] = ()  # missing lines; commits are linked once they are added


class EnableView(Value):
    """What ``enable`` wrote. Paths are absolute."""

    agents: tuple[AgentHooksView, ...]
    git: GitHooksView
    push_sessions: bool
    commits_turns: bool = False  # the work of each turn is committed at its end
    removed: tuple[AgentHooksView, ...] = ()
    settings_files: tuple[str, ...] = ()  # written; none if nothing changed
    warnings: tuple[str, ...] = ()  # plugins that failed, so it is not known whether their agents are used
    to_commit: tuple[str, ...] = ()  # of the files written, those that belong in git and are not committed yet


class DisableView(Value):
    """What ``disable`` wrote."""

    is_set_up: bool  # settings existed
    settings_files: tuple[str, ...] = ()


class UninstallView(Value):
    """What ``uninstall`` removed, besides settings and session states."""

    agents: tuple[AgentHooksView, ...] = ()
    failures: tuple[HooksLeftView, ...] = ()
    git_hooks: tuple[str, ...] = ()  # paths
    restored: tuple[str, ...] = ()  # earlier hooks that run again
    moved: tuple[str, ...] = ()  # where earlier hooks are now that another program has replaced
    edited: tuple[str, ...] = ()  # hook files of others from which our line was removed
    git_settings: tuple[str, ...] = ()  # that hid our refs
    left: tuple[str, ...] = ()  # hook files that still call our hook, which does nothing now
    user_hooks: tuple[AgentHooksView, ...] = ()  # left in the user's own agent settings
    shared_with: str = ""  # in a linked worktree: the main one, which has the same git hooks and session states
    step_branches: int = 0
    checkpoints_branch: str = ""  # kept; '' if there is none
