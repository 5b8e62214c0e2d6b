"""The entry point for agents and git: ``entire hooks <agent> <verb>`` and ``entire hooks git <name> [args]``.

Runs hundreds of times a day inside another program: it returns early where there is nothing to do, always exits with 0
(failures go to the log), and prints nothing but what the agent understands.
"""

from __future__ import annotations

import os
import sys

from entire import layout, settings
from entire.agents import registry
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.layout import Place
    from entire.lifecycle.context import Context
    from entire.log import Log
    from entire.model.events import Event

_MAX_PAYLOAD = 64 << 20


def run(args: Sequence[str]) -> int:
    """Handle one call. Always returns 0."""
    place = None
    try:
        if len(args) < 2:
            return 0
        place = _place(args[0])
        found = settings.load(place) if place is not None else None
        if place is None or found is None or not found.enabled:
            return 0
        if args[0] == "git":
            _handle_git(_LazyContext(place, found), args[1], args[2:])
        else:
            _handle_agent(place, found, args)
    except Exception as error:
        _log_failure(place, args, error)
    return 0


def _place(source: str) -> Place | None:
    """Find the worktree: where git runs its hooks, or where the agent was started (its working directory may move)."""
    if source == "git":
        return layout.find(os.getcwd())
    if source not in registry.BUILTIN:  # searching installed packages is slow: only where Entire is enabled
        here = layout.find(os.getcwd())
        if here is None or not here.enabled_root:
            return here
    return layout.find(registry.project_dir(source, os.environ) or os.getcwd())


class _LazyContext:
    """Builds the context, which is expensive, only once there is an event to handle."""

    def __init__(self, place: Place, found: settings.Settings) -> None:
        self._place = place
        self._settings = found
        self._context: Context | None = None

    def __enter__(self) -> Context:
        from entire.lifecycle.context import Context

        self._context = Context(self._place, self._settings)
        return self._context

    def log_call(self, hook: str) -> None:
        """Note the call of a git hook, also of one without an event, if the log holds every detail."""
        if self._settings.log_level == "debug":
            from entire import log

            log.Log(self._place.log, "debug", component="git", hook=hook).debug("hook called")

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self._context is not None:
            self._context.close()


def _handle_agent(place: Place, found: settings.Settings, args: Sequence[str]) -> None:
    name, verb, *rest = args
    agent, payload = registry.make(name), _payload(rest)
    event = agent.parse_hook(verb, payload)
    if event is None:  # many calls mean nothing to the framework, but every agent sends an object
        from entire.agents import transcripts

        if verb in agent.hook_names and not isinstance(transcripts.loads(payload), dict):
            _log(place, args).warn("the hook's payload was not understood: it is not a JSON object")
        return
    from entire.lifecycle import dispatcher

    with _LazyContext(*_home(place, found, event)) as context:
        context.log = context.log.bind(agent=name, hook=verb)
        sys.stdout.buffer.write(dispatcher.handle(context, replace(event, agent=name)))
        sys.stdout.buffer.flush()


def _home(place: Place, found: settings.Settings, event: Event) -> tuple[Place, settings.Settings]:
    """Return the worktree of the event's session, with its settings: the agent may have gone to another one since."""
    from entire.model.events import EventType

    has_others = bool(place.worktree_name) or os.path.isdir(os.path.join(place.common_dir, "worktrees"))
    if event.type is EventType.SESSION_START or not has_others:
        return place, found
    from entire.store import sessions

    session = sessions.find(place, event.session_id)
    home = layout.find(session.worktree_path) if session is not None and os.path.isdir(session.worktree_path) else None
    chosen = settings.load(home) if home is not None and home.common_dir == place.common_dir else None
    return (home, chosen) if home is not None and chosen is not None and chosen.enabled else (place, found)


def _payload(rest: Sequence[str]) -> bytes:
    """Return the payload: standard input, else the last argument if it is JSON (some agents pass it as an argument)."""
    data = b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read(_MAX_PAYLOAD)
    if data.strip():
        return data
    last = rest[-1] if rest else ""
    return last.encode("utf-8", "surrogateescape") if last[:1] in ("{", "[") else data


def _handle_git(lazy: _LazyContext, name: str, rest: Sequence[str]) -> None:
    from entire.githooks import events

    lazy.log_call(name)
    event = events.parse_hook(name, rest, os.environ)
    if event is None:
        return
    from entire.lifecycle import dispatcher

    with lazy as context:
        context.log = context.log.bind(component="git", hook=name)
        caller = registry.calling_session(os.environ)
        event = replace(event, session_id=caller, agent_type=registry.calling_agent(os.environ))
        dispatcher.handle(context, event)


def _log(place: Place, args: Sequence[str]) -> Log:
    from entire import log

    return log.Log(place.log, component="hooks", hook=" ".join(args[:2]))


def _log_failure(place: Place | None, args: Sequence[str], error: Exception) -> None:
    """Log a failure, for ``status`` and ``doctor`` to report."""
    if place is None:
        return
    hook_log = _log(place, args)
    hook_log.error(f"{type(error).__name__}: {error}")
    if os.environ.get("ENTIRE_LOG_LEVEL", "").lower() == "debug":
        import traceback

        hook_log.error(traceback.format_exc()[-4000:])
