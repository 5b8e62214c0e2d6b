"""``entire enable`` and ``entire disable``: settings, git hooks and agents' hooks."""

from __future__ import annotations

import os

from entire import files, settings, strategies, tree_files
from entire.agents import capabilities
from entire.directory import AgentDirectory
from entire.errors import EntireError, UsageError
from entire.git import tracked
from entire.githooks import inspection, install, watch
from entire.maintenance import plugins
from entire.maintenance.agent_hooks import AgentHooks
from entire.maintenance.shared_files import SharedFiles
from entire.model.requests import LOCAL, PROJECT
from entire.model.views.setup import AgentView, DisableView, EnableView, GitHooksView, HookLineView
from entire.recording import proposals
from entire.store import setup_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.agents.contract import Agent
    from entire.layout import Place
    from entire.model.requests import DisableRequest, EnableRequest
    from entire.model.views.setup import AgentHooksView
    from entire.settings import Settings


def agents(place: Place, known: AgentDirectory, *, user: bool = False) -> list[AgentView]:
    """Return the known agents, with the state of their hooks in this repository or for this user."""
    with known:
        return AgentHooks(place, known).views(_scope(user))


def _scope(user: bool) -> str:
    return "user" if user else "project"


# ---------------------------------------------------------------- enable


def enable(place: Place, request: EnableRequest, known: AgentDirectory) -> EnableView:
    """Install hooks and write settings. A request that cannot be met is refused before anything is written."""
    check(request, known)
    hooks, scope = AgentHooks(place, known), _scope(request.user)
    suggested = () if request.agents else (view.name for view in hooks.views(scope) if view.is_suggested)
    chosen = [known.make(name) for name in dict.fromkeys((*request.agents, *suggested))]
    _refuse_foreign(place, chosen, request)
    shared = SharedFiles(place.top, _shared_paths(place, chosen))
    push = _push_sessions(place, request.push_sessions)
    _record_own_changes(place, before=True)
    plugins_first = sorted(chosen, key=lambda agent: not known.find(agent.name).is_plugin)  # they may refuse
    done = {
        agent.name: hooks.install(agent, scope, force=request.force, trust=request.trust_hooks)
        for agent in plugins_first
    }
    installed = tuple(done[agent.name] for agent in chosen)
    removed = hooks.remove(hooks.others(chosen) if request.only_these else (), [scope])
    report = install.install(place.top, command=install.own_command())
    watch.check(place, repair=False)  # so that the first session need not look
    written = _write_settings(place, request.target, request.strategy, push)
    current = _note_strategy(place, request.strategy, written)
    _write_ignore(place)
    _write_push_marker(place, push)
    files.write(place.enabled_marker, b"")
    _record_own_changes(place, before=False)
    return EnableView(agents=installed, removed=removed, git=_git_hooks(report), push_sessions=push,
                      commits_turns=strategies.commits_turns(current),
                      settings_files=tuple(written), warnings=plugins.failures(known),
                      to_commit=shared.to_commit())  # fmt: skip


def _refuse_foreign(place: Place, chosen: Sequence[Agent], request: EnableRequest) -> None:
    """Raise EntireError if a file that would be written is a link, a pipe or the like, or behind a link."""
    installers = () if request.user else filter(None, map(capabilities.hook_installer, chosen))
    paths = [path for installer in installers for path in installer.hook_config_paths(place.top, "project")]
    own = (place.settings, place.local_settings, _ignore_file(place))
    for path in (*own, *(path for path in paths if tree_files.top_of(path) == place.top)):
        reason = tree_files.refusal(place.top, path)
        if reason:
            raise EntireError(f"cannot write {path}: {reason}; nothing was changed", hint=tree_files.REMEDY)


def _ignore_file(place: Place) -> str:
    return os.path.join(place.entire_dir, ".gitignore")


def _shared_paths(place: Place, chosen: Sequence[Agent]) -> list[str]:
    """Return the files that ``enable`` may write and that belong in git, unless they lie outside of the worktree."""
    installers = filter(None, map(capabilities.hook_installer, (*AgentDirectory.without_plugins().agents(), *chosen)))
    paths = [path for installer in installers for path in installer.hook_config_paths(place.top, "project")]
    return [*paths, place.settings, _ignore_file(place)]


def remove_agents(
    place: Place, names: Sequence[str], known: AgentDirectory, *, user: bool
) -> tuple[AgentHooksView, ...]:
    """Remove agents' hooks; return what was removed. Raises UsageError for an unknown name, before anything is."""
    with known:
        for name in names:
            known.make(name)
        _record_own_changes(place, before=True)
        removed = AgentHooks(place, known).remove([known.find(name).name for name in names], [_scope(user)])
        _record_own_changes(place, before=False)
    return removed


def check(request: EnableRequest, known: AgentDirectory) -> None:
    """Raise UsageError if a request cannot be met."""
    for name in request.agents:
        entry = known.find(name)
        known.make(name)
        if entry.is_plugin and request.user and not known.plugins.knows_scopes(name):
            raise UsageError(f"the plugin {name} installs hooks in a repository only", hint="leave out --user")
    if request.strategy and request.strategy not in settings.STRATEGIES:
        raise UsageError(f"this version does not support the strategy {request.strategy}",
                         hint=f"use --strategy {' or '.join(settings.STRATEGIES)}")  # fmt: skip
    if request.target not in ("", PROJECT, LOCAL):
        raise UsageError(f"unknown settings target: {request.target}", hint=f"use {PROJECT} or {LOCAL}")


def _push_sessions(place: Place, wanted: bool | None) -> bool:
    """Return the choice made now, else the earlier one of this person, else False: nothing leaves by default.

    What a teammate committed is not a choice, but what an untracked file says is.
    """
    if wanted is not None:
        return wanted
    before = settings.load(place)
    if before is None or before.push_sessions is not True:
        return False
    file = before.push_sessions_file
    return settings.pushes_checkpoints(place, before) or (file != place.settings and tracked.is_own(file))


def is_push_chosen(place: Place) -> bool:
    """Tell whether this user has chosen if checkpoints are pushed. Shared settings that push them are only a proposal
    until ``enable`` has run with them in this clone.
    """
    chosen = settings.load(place)
    if chosen is None or chosen.push_sessions is None:
        return False
    is_proposal = chosen.push_sessions and chosen.push_sessions_file == place.settings
    return not is_proposal or settings.pushes_checkpoints(place, chosen)


def _git_hooks(report: install.Report) -> GitHooksView:
    return GitHooksView(
        folder=report.folder,
        chained=report.chained,
        set_aside=report.set_aside,
        managers=report.managers,
        refused=report.refused,
        lines=tuple(HookLineView(path=line.path, line=line.line) for line in report.lines if not line.present),
    )


def add_hook_lines(place: Place) -> tuple[HookLineView, ...]:
    """Add missing lines to hook files that are shell scripts; return all missing lines, and which were added."""
    _record_own_changes(place, before=True)
    missing = install.missing_lines(place.top)
    before = {line.path: inspection.read(line.path) for line in missing}
    shared = SharedFiles(place.top, before)
    added = {line.path: install.add_line(line) for line in missing}
    to_commit = shared.to_commit()
    done = tuple(HookLineView(path=line.path, line=line.line, is_added=added[line.path],
                              is_to_commit=line.path in to_commit) for line in missing)  # fmt: skip
    for path, text in before.items():
        setup_lines.note(place, path, text, inspection.read(path))
    _record_own_changes(place, before=False)
    return done


# ---------------------------------------------------------------- settings


def _write_settings(place: Place, target: str, strategy: str, push: bool) -> list[str]:
    """Write the chosen settings, also to local settings that would override them. Return the files written.

    Without a target, an existing shared file belongs to the team and stays as it is.
    """
    shared = _read(place, place.settings)
    if not target:
        target = PROJECT if shared is None else LOCAL
    written = []
    if target == PROJECT:
        default = "" if settings.says(shared, "strategy") else settings.MANUAL_COMMIT
        new = settings.edit(shared, strategy=strategy or default, enabled=True, push_sessions=push)
        written += _write_if_new(place, place.settings, shared, new)
    if not _agrees(settings.load(place), strategy, push):
        local = _read(place, place.local_settings)
        new = settings.edit(local, strategy=strategy, enabled=True, push_sessions=push)
        written += _write_if_new(place, place.local_settings, local, new)
    return written


def _note_strategy(place: Place, wanted: str, written: Sequence[str]) -> Settings:
    """Remember that this person chose auto-commit, so the file may be committed; return the settings in effect.

    A choice that stood in an untracked file before is one, too.
    """
    if wanted == settings.MANUAL_COMMIT:
        settings.take_back(place, written)
    current = settings.load(place) or settings.Settings()
    followed = proposals.followed(current)
    chosen = [each for each in current.proposals if each.key == "strategy"]
    if chosen and (wanted == settings.AUTO_COMMIT or followed.strategy == settings.AUTO_COMMIT):
        settings.agree(place, chosen[0].file)
        return proposals.followed(settings.load(place) or current)
    return followed


def _agrees(current: Settings | None, strategy: str, push: bool) -> bool:
    if current is None or not current.enabled:
        return False
    return current.push_sessions is push and strategy in ("", current.asked_strategy)


def _read(place: Place, path: str) -> bytes | None:
    try:
        return tree_files.read(place.top, path)
    except OSError as error:
        raise EntireError(f"cannot read {path}: {error.strerror}", hint=tree_files.REMEDY) from error


def _write_if_new(place: Place, path: str, old: bytes | None, new: bytes) -> list[str]:
    if old == new:
        return []
    tree_files.write(place.top, path, new)
    return [path]


def _write_ignore(place: Place) -> None:
    path = _ignore_file(place)
    old = _read(place, path)
    _write_if_new(place, path, old, settings.ignore_lines(old))


def _write_push_marker(place: Place, push: bool) -> None:
    """Write or remove the marker that the pre-push script tests before it starts an interpreter.

    Nothing else may write it: it says that this user has chosen, or seen, that checkpoints are pushed.
    """
    if push:
        files.write(place.push_marker, b"")
    else:
        files.remove(place.push_marker)


def _record_own_changes(place: Place, *, before: bool) -> None:
    """Take snapshots before and after our own changes, so they are not attributed to a turn.

    The one ``before`` also imports sessions that the Go CLI left open, so the next commit finds them.
    """
    if os.path.isdir(place.sessions_dir):
        from entire.go_takeover import sessions

        if before:
            sessions.import_everywhere(place)
        sessions.record_own_changes(place, before=before)


# ---------------------------------------------------------------- disable


def disable(place: Place, request: DisableRequest) -> DisableView:
    """Write ``enabled: false`` to the settings. A repository without settings is disabled already."""
    current = settings.load(place)
    if current is None:
        return DisableView(is_set_up=False)
    written = []
    if request.project:
        written.append(_switch_off(place, place.settings))
        current = settings.load(place)
    if not request.project or (current is not None and current.enabled):  # local settings override shared ones
        written.append(_switch_off(place, place.local_settings))
    return DisableView(is_set_up=True, settings_files=tuple(written))


def _switch_off(place: Place, path: str) -> str:
    tree_files.write(place.top, path, settings.edit(_read(place, path), enabled=False))
    return path
