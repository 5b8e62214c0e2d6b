"""The state of a worktree: settings, sessions, hooks, unlinked commits and unpushed checkpoints."""

from __future__ import annotations

import os

from entire import layout, log, settings
from entire.agents import registry
from entire.audit import record
from entire.directory import AgentDirectory
from entire.errors import EntireError
from entire.git import history
from entire.githooks import inspection
from entire.maintenance import agent_setup, locks, unrecorded
from entire.maintenance import plugins as maintenance_plugins
from entire.model.health import HookStatus
from entire.model.value import replace
from entire.model.views.status import HookView, StatusView
from entire.queries import commits, sessions
from entire.recording import proposals, redact_problems
from entire.store import checkpoints, forgotten
from entire.store import sessions as states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.directory import Installed
    from entire.layout import Place
    from entire.settings import Settings
    from entire.store.catalog import Catalog

_RECENT = 8  # sessions among which an agent's newest is looked for


def view(place: Place, chosen: Settings | None, catalog: Catalog, *, now: float) -> StatusView:
    """Return the state of a worktree; ``chosen`` is None where Entire was never enabled."""
    with catalog.agents:
        return _view(place, chosen, catalog, now=now)


def _view(place: Place, chosen: Settings | None, catalog: Catalog, *, now: float) -> StatusView:
    agents = catalog.agents
    effective = proposals.followed(chosen or settings.Settings(enabled=False))
    installed = agents.installed(place.top)
    types = unrecorded.recording(installed) if effective.enabled else []
    paths = (place.settings, place.main_local_settings, place.local_settings)
    return StatusView(
        enabled=effective.enabled,
        is_set_up=chosen is not None,
        strategy=effective.strategy,
        branch=history.branch(place.top),
        top=place.top,
        push_sessions=effective.push_sessions,
        push_sessions_file=effective.push_sessions_file,
        is_pushing=settings.pushes_checkpoints(place, effective),
        sessions=tuple(sessions.listing(place)),
        unlinked=tuple(commits.unlinked(catalog)),
        hooks=(git_hooks(place), *_agent_hooks(place, installed)),
        lacks_agent_hooks=not installed and not maintenance_plugins.are_waited_for(agents),
        unrecorded=tuple(unrecorded.find(place, catalog, types, agents, now=now)),
        checkpoints=len(catalog.checkpoint_ids),
        unpushed=_unpushed(place, catalog.tips),
        settings_files=tuple(path for path in paths if path and os.path.isfile(path)),
        warnings=(
            *effective.warnings,
            *agents.problems(),
            *_plugin_problems(place, agents, now),
            *locks.warnings(place, now),
            *_redact_warnings(place),
            *_unfollowed(catalog, effective),
        ),
        failures=log.failures(place.log),
        log=place.log,
        is_audit_due=record.is_due(place, catalog.redactor),
        is_secret_revealed=record.is_revealed(place),
        holding=forgotten.holding(place.top),
    )


def _agent_hooks(place: Place, installed: Sequence[Installed]) -> list[HookView]:
    """Return the health of agents' hooks, with the versions that were tested and the one that ran last here."""
    recent = states.recent(place, _RECENT) if installed else []
    newest = {state.agent.type: state.session_ref for state in reversed(recent)}
    return [_with_versions(agent_setup.view(hooks), newest.get(hooks.agent_type, "")) for hooks in installed]


def _with_versions(hooks: HookView, session_ref: str) -> HookView:
    tested = next((entry.tested_versions for entry in registry.BUILTIN.values() if entry.type == hooks.name), ())
    agent = AgentDirectory.without_plugins().make_by_type(hooks.name) if tested and session_ref else None
    tell = getattr(agent.transcript(session_ref), "agent_version", None) if agent is not None else None  # optional
    return replace(hooks, tested_versions=tested, version=tell() if tell is not None else "")


def git_hooks(place: Place) -> HookView:
    """Return whether our git hooks run, and what to do if they do not."""
    try:
        state = inspection.inspect(place.top)
    except EntireError as error:
        return HookView(name="git", where="", is_installed=False, status=HookStatus.UNKNOWN.value,
                        problem=error.message)  # fmt: skip
    problems = state.problems
    uncalled = [hook.name for hook in state.hooks if state.refused and hook.path and not hook.script]
    messages = [problem.message for problem in problems if problem.hook not in uncalled]
    if uncalled:
        messages.insert(0, f"{state.refused}; nothing calls our {', '.join(uncalled)} there")
    return HookView(name="git", where=state.folder.path, is_installed=not problems,
                    status=(HookStatus.STALE if problems else HookStatus.INSTALLED).value, problem="; ".join(messages),
                    problems=tuple(messages),
                    remedies=tuple(dict.fromkeys(problem.remedy for problem in problems)))  # fmt: skip


def _plugin_problems(place: Place, agents: AgentDirectory, now: float) -> list[str]:
    live = maintenance_plugins.of_live_sessions(states.list_states(place), now)
    problems = maintenance_plugins.find_problems(place, agents, live, now=now)
    return [f"{problem.problem}: {problem.hint}" for problem in problems]


def _redact_warnings(place: Place) -> list[str]:
    problems = redact_problems.find(place)
    more = f" (and {len(problems) - 1} more: run `entire doctor`)" if len(problems) > 1 else ""
    return [f"{place.redact_config}: {problems[0]}{more}"] if problems else []


def _unfollowed(catalog: Catalog, chosen: Settings) -> list[str]:
    """Return what files propose and is not followed here; whether checkpoints are pushed is said by itself."""
    proposed = proposals.unfollowed(catalog.place, chosen, catalog.redactor)
    return [f"{each.text}; {each.remedy}" for each in proposed if each.key != proposals.PUSH]


def _unpushed(place: Place, tips: Mapping[str, str]) -> dict[str, int]:
    """Return how many commits of the checkpoints branch each remote lacks, judged by its tracking branch."""
    if checkpoints.LOCAL_REF not in tips:
        return {}
    missing = {}
    for remote in history.remotes(place.top):
        ref = f"refs/remotes/{remote}/{layout.METADATA_BRANCH}"
        known = [f"^{tips[ref]}"] if ref in tips else []
        number = history.count(place.top, tips[checkpoints.LOCAL_REF], *known)
        if number:
            missing[remote] = number
    return missing
