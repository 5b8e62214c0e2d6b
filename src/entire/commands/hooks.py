"""The entry point for agents and git: ``entire hooks <agent> <verb>`` and ``entire hooks git <name> [args]``.

Runs hundreds of times a day inside another program: it returns early where there is nothing to do, always exits with 0
(failures go to the log), and prints nothing but what the agent understands.
"""

from __future__ import annotations

import os
import sys

from entire import layout, settings
from entire.agents import registry
from entire.errors import EntireError
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.agents.contract import HookSource
    from entire.directory import AgentDirectory
    from entire.git.offline import Offline
    from entire.layout import Place
    from entire.log import Log
    from entire.model.events import Event
    from entire.recording.context import Context

    Home = tuple[Place, settings.Settings]

_MAX_PAYLOAD = 64 << 20
_MAX_FOLDERS = 100  # of a payload's values


def run(args: Sequence[str]) -> int:
    """Handle one call. Always returns 0."""
    place = None
    try:
        if len(args) < 2 or _is_called_by_us():
            return 0
        if args[0] == "git":
            place = layout.find(os.getcwd())
            here = _enabled(place)
            if here is not None:
                _handle_git(_LazyContext(*here, _Directories(args[0])), args[1], args[2:])
            return 0
        payload = _payload(args[2:])
        with _Directories(args[0], payload) as directories:
            here = _enabled(_place(directories))
            home = here or _named_home(payload)
            place = home[0] if home is not None else None
            if home is not None:
                _AgentHook(args, payload, directories).handle(home, is_here=here is not None)
    except Exception as error:
        _log_failure(place, args, error)
    return 0


def _is_called_by_us() -> bool:
    """Tell whether the calling program was started by us, who wait for it: by a rewind or resume, with the lock held,
    or to write a summary.
    """
    transaction, summary = os.environ.get("ENTIRE_TRANSACTION", ""), os.environ.get("ENTIRE_SUMMARY", "")
    marks = [transaction + ".applying", transaction + ".back"] if transaction else []
    return any(map(os.path.exists, [*marks, summary] if summary else marks))


def _is_committing(place: Place) -> bool:
    """Tell whether the calling program is a hook of the commit that we make in this worktree. What such a hook does in
    another one counts there as usual.
    """
    marker = os.environ.get("ENTIRE_COMMIT", "")
    return bool(marker) and os.path.dirname(os.path.dirname(marker)) == place.commit_dir and os.path.exists(marker)


class _Directories:
    """The agents as a hook of ``name`` may use them, in each worktree that it looks at."""

    def __init__(self, name: str, payload: bytes = b"") -> None:
        self.built_in = registry.find(name)
        self.name = name if self.built_in is None else self.built_in.name
        self._payload = payload
        self._made: dict[str, AgentDirectory] = {}

    def of(self, place: Place) -> AgentDirectory:
        if place.top not in self._made:
            self._made[place.top] = self._of(place)
        return self._made[place.top]

    def _of(self, place: Place) -> AgentDirectory:
        if self.built_in is not None or self.name == "git":
            return _without_plugins()
        from entire.directory import AgentDirectory

        return AgentDirectory.with_plugins(place, hook_of=self.name, session_id=self._session_id)

    def _session_id(self) -> str:
        """Return the session that the payload names, for most agents; '' if it names none."""
        return str((_fields(self._payload) or {}).get("session_id") or "")

    def __enter__(self) -> _Directories:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        for agents in self._made.values():
            agents.close()


def _without_plugins() -> AgentDirectory:
    from entire.directory import AgentDirectory

    return AgentDirectory.without_plugins()


def _place(directories: _Directories) -> Place | None:
    """Find the worktree where the agent was started: its working directory may move."""
    entry = directories.built_in
    if entry is None:  # searching packages and plugins is slow: only where Entire is enabled
        here = layout.find(os.getcwd())
        if here is None or not here.enabled_root:
            return here
        agents = directories.of(here) if _enabled(here) is not None else _without_plugins()
        entry = agents.describe(directories.name)
    return layout.find(entry.project_dir(os.environ) or os.getcwd())


def _enabled(place: Place | None) -> Home | None:
    """Return a worktree with its settings; None if Entire is not enabled there, or makes a commit there itself."""
    chosen = settings.load(place) if place is not None and not _is_committing(place) else None
    return (place, chosen) if place is not None and chosen is not None and chosen.enabled else None


def _enabled_at(folder: object) -> Home | None:
    """Like ``_enabled``, for a folder that a payload names."""
    if not isinstance(folder, str) or not os.path.isabs(folder) or not os.path.isdir(folder):
        return None
    return _enabled(layout.find(folder))


class _LazyContext:
    """Builds the context, which is expensive, only once there is an event to handle."""

    def __init__(self, place: Place, chosen: settings.Settings, directories: _Directories) -> None:
        self._place = place
        self._settings = chosen
        self._directories = directories
        self._context: Context | None = None
        self._offline: Offline | None = None

    def __enter__(self) -> Context:
        from entire.git.offline import Offline
        from entire.recording.context import Context

        self._offline = Offline()
        self._offline.__enter__()  # no hook waits for a network
        self._context = Context(self._place, self._settings, self._directories.of(self._place))
        return self._context

    def log_call(self, hook: str) -> None:
        """Note the call of a git hook, also of one without an event, if the log holds every detail."""
        if self._settings.log_level == "debug":
            from entire import log

            log.Log(self._place.log, "debug", component="git", hook=hook).debug("hook called")

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self._context is not None:
            self._context.close()
        if self._offline is not None:
            self._offline.__exit__(None, None, None)


class _AgentHook:
    def __init__(self, args: Sequence[str], payload: bytes, directories: _Directories) -> None:
        self._args = args
        self._payload = payload
        self._directories = directories

    def handle(self, home: Home, *, is_here: bool) -> None:
        """Handle the call; unless ``is_here``, only the event tells whether it concerns this worktree."""
        verb, source = self._args[1], self._source(home[0])
        if source is None:
            return
        event = source.parse_hook(verb, self._payload)
        is_plugin = getattr(source, "is_external", False)  # whose payloads may have any form
        if event is not None:
            chosen = home if is_here else _enabled_at(event.cwd)
            if chosen is not None:
                agent = event.handled_by or self._directories.name
                self._handle_event(_home(*chosen, event), replace(event, agent=agent))
        elif is_here and not is_plugin and verb in source.hook_names and _fields(self._payload) is None:
            # Many calls mean nothing to the framework, but every agent sends an object.
            _log(home[0], self._args).warn("the hook's payload was not understood: it is not a JSON object")

    def _source(self, place: Place) -> HookSource | None:
        """Return what translates the payload: no adapter of a built-in agent, since many calls mean nothing."""
        entry = self._directories.built_in
        return registry.hook_source(entry) if entry is not None and entry.payloads else self._agent(place)

    def _agent(self, place: Place) -> HookSource | None:
        """Return the agent's adapter; None if it is a plugin that cannot run, which is noted for ``status``."""
        name = self._args[0]
        agents = self._directories.of(place)
        try:
            return agents.make(name)
        except EntireError as error:
            if not (agents.starts_plugins and agents.plugins.is_known(name)):
                raise
            if agents.plugins.is_denied(name):
                _log(place, self._args).warn(error.message)
            else:
                is_there = agents.plugins.find(name) is not None
                agents.plugins.note(name, error.message if is_there else f"the plugin {name} was not on PATH")
            return None

    def _handle_event(self, home: Home, event: Event) -> None:
        from entire import lifecycle

        with _LazyContext(*home, self._directories) as context:
            context.log_as(agent=event.agent, hook=self._args[1])
            _print(lifecycle.handle(context, event))


def _print(answer: bytes) -> None:
    """Write what the agent shows. One that has closed the pipe misses a message, and the hook succeeds."""
    if not answer or sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    except OSError:  # Python would report it again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _named_home(payload: bytes) -> Home | None:
    """Return an enabled worktree that a folder in the payload leads to: some agents run all hooks in one folder.

    It saves loading the adapter where nothing is enabled; the event says which folder counts.
    """
    values = list((_fields(payload) or {}).values()) if b"/" in payload else []
    folders = [*values, *(item for value in values if isinstance(value, list) for item in value)]
    return next((home for folder in folders[:_MAX_FOLDERS] if (home := _enabled_at(folder)) is not None), None)


def _fields(payload: bytes) -> dict[str, object] | None:
    """Return a payload as a JSON object; None if it is not one."""
    from entire.model import jsontext

    try:
        value = jsontext.loads(payload.decode("utf-8", "replace").lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _home(place: Place, here: settings.Settings, event: Event) -> Home:
    """Return the worktree of the event's session, with its settings: the agent may have gone to another one since."""
    from entire.model.events import EventType

    has_others = bool(place.worktree_name) or os.path.isdir(os.path.join(place.common_dir, "worktrees"))
    if event.type is EventType.SESSION_START or not has_others:
        return place, here
    from entire.store import sessions

    session = sessions.find(place, event.session_id)
    home = layout.find(session.worktree.path) if session is not None and os.path.isdir(session.worktree.path) else None
    chosen = _enabled(home) if home is not None and home.common_dir == place.common_dir else None
    return chosen or (place, here)


def _payload(rest: Sequence[str]) -> bytes:
    """Return the payload: standard input, else the last argument if it is JSON (some agents pass it as an argument)."""
    data = _input()
    if data.strip():
        return data
    last = rest[-1] if rest else ""
    return last.encode("utf-8", "surrogateescape") if last[:1] in ("{", "[") else data


def _input() -> bytes:
    return b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read(_MAX_PAYLOAD)


def _handle_git(lazy: _LazyContext, name: str, rest: Sequence[str]) -> None:
    from entire.githooks import events

    lazy.log_call(name)
    event = events.parse_hook(name, rest, os.environ, _input() if name == "pre-push" else b"")
    if event is None:
        return
    from entire import lifecycle

    with lazy as context:
        context.log_as(component="git", hook=name)
        session_id, agent_type = registry.calling_session(os.environ)
        event = replace(event, session_id=session_id, agent_type=agent_type)
        lifecycle.handle(context, event)


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
