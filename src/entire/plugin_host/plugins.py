"""The plugins on PATH, as one hook or command in one repository may use them.

Finding and judging a plugin never runs it. A plugin of the repository's own is never used.
"""

from __future__ import annotations

import os
import time

from entire import layout
from entire.errors import UsageError
from entire.plugin_host.inventory import discovery
from entire.plugin_host.inventory.info_cache import Answers
from entire.plugin_host.inventory.trust import USABLE, Decisions, Trust
from entire.plugin_host.language.protocol import PluginError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from entire.layout import Place
    from entire.plugin_host.agent import ExternalAgent
    from entire.plugin_host.inventory.discovery import Executable
    from entire.plugin_host.inventory.enabled import Enabled
    from entire.plugin_host.language.protocol import Info
    from entire.plugin_host.programs.program import Program


class NotAllowedError(UsageError):
    """The user has not allowed a plugin to run."""


class PluginInventory:
    """The plugins for a worktree, or with ``place`` None outside of any.

    In the hook of an agent, ``hook_of`` names it: no other plugin is looked for. All adapters of a plugin share one
    ``Program``, and so a hook's budget. ``close`` ends what still runs.
    """

    def __init__(
        self,
        place: Place | None,
        env: Mapping[str, str],
        *,
        is_switched_on: Callable[[], bool],
        hook_of: str = "",
        session_id: Callable[[], str] = str,
    ) -> None:
        self.place = place
        self.env = env
        self._is_switched_on = is_switched_on
        self._hook_of = hook_of
        self._session_id = session_id
        self._decisions = Decisions(env)
        self.failures: dict[str, str] = {}  # by name, the first of each
        self._is_on: bool | None = None
        self._found: dict[str, Executable | None] = {}
        self._all: list[Executable] | None = None
        self._programs: dict[str, Program] = {}
        self._trust: dict[str, Trust] = {}
        self._cached: dict[str, Answers] = {}
        self._infos: dict[str, Info | PluginError] = {}
        self._agents: dict[str, ExternalAgent] = {}

    def may_start(self, name: str) -> bool:
        """Tell whether this hook or command may start the plugin ``name``."""
        return self._hook_of in ("", name)

    # ------------------------------------------------------------ finding

    def find(self, name: str) -> Executable | None:
        """Return the plugin of this name; one that cannot be used if there is no other. No other name is looked for."""
        if not self.may_start(name):
            return None
        if name not in self._found:
            self._found[name] = discovery.find(name, self.env, outside=self._outside())
        return self._found[name]

    def find_all(self) -> list[Executable]:
        """Return every plugin on PATH, by name, also those that cannot be used; none in a hook."""
        if self._all is None:
            self._all = [] if self._hook_of else discovery.find_all(self.env, outside=self._outside())
        return self._all

    def _outside(self) -> list[str]:
        """Return the repository's folders: its worktrees and git directories."""
        return _folders(self.place) if self.place is not None else []

    def is_known(self, name: str) -> bool:
        """Tell whether this name means a plugin: one is on PATH, or was when ``enable`` installed its hooks."""
        return self.find(name) is not None or name in self.enabled()

    def enabled(self) -> Mapping[str, Enabled]:
        """Return the plugins, by name, whose hooks ``enable`` installed in this repository; they may not run by now."""
        from entire.plugin_host.inventory import enabled

        return enabled.read(self.place) if self.place is not None else {}

    # ------------------------------------------------------------ trust

    def trust(self, executable: Executable) -> Trust:
        """Return what the user decided; raises CorruptError if the decisions cannot be read."""
        known = self._trust.get(executable.path)
        if known is None:
            known = self._trust[executable.path] = self._decisions.decide(executable, self._is_switched_on_here)
        return known

    def _is_switched_on_here(self) -> bool:
        if self._is_on is None:
            self._is_on = self._is_switched_on()
        return self._is_on

    def is_denied(self, name: str) -> bool:
        """Tell whether the user has denied this plugin: then it is no problem that it does not run."""
        return name in self._decisions.denied()

    def check(self, executable: Executable) -> None:
        """Raise UsageError if a plugin may not run here."""
        name, path = executable.name, executable.path
        if executable.problem:
            raise UsageError(f"the plugin {name} cannot be used ({path}): it {executable.problem}",
                             hint="run `entire plugin list` to see all plugins")  # fmt: skip
        trust = self.trust(executable)
        if trust is Trust.CHANGED and (other := self._decisions.other_interpreter(executable)):
            raise NotAllowedError(f"the plugin {name} would be run by {other}, which you did not allow, so it does not "
                                  f"run ({path})", hint=_ALLOW.format(name))  # fmt: skip
        if trust not in USABLE:
            raise NotAllowedError(f"the plugin {name} {_REFUSALS[trust]} ({path})", hint=_ALLOW.format(name))

    def allow(self, executable: Executable, digest: str = "", folders: Sequence[str] = ()) -> None:
        """Remember that a plugin may run, and keep its sessions in these folders, too; with ``digest``, only if its
        content is still that.
        """
        self._decisions.allow(executable, digest, folders)
        self._trust.clear()

    def deny(self, name: str) -> None:
        """Remember that a plugin may not run."""
        self._decisions.deny(name)
        self._trust.clear()

    # ------------------------------------------------------------ running

    def info(self, executable: Executable, *, fresh: bool = False) -> Info:
        """Return what a plugin says of itself; runs it if its file is new, or with ``fresh``. Raises PluginError.

        The caller has made sure that it may run.
        """
        known = self._infos.get(executable.path)
        if known is None or fresh:
            try:
                known = self._answers(executable).info(lambda: self._program(executable).run("info"), fresh=fresh)
            except PluginError as error:
                known = error  # asked once, whatever comes of it
            self._infos[executable.path] = known
        if isinstance(known, PluginError):
            raise known
        return known

    def knows_scopes(self, name: str) -> bool:
        """Tell whether a plugin that may run can also install hooks for all repositories of the user."""
        executable = self.find(name)
        return executable is not None and "entire_hooks_health" in self.info(executable).capabilities

    def agent(self, name: str, metadata: Mapping[str, str]) -> ExternalAgent:
        """Return the adapter of the plugin ``name`` for a session with this metadata.

        Raises UsageError if there is none that may run, PluginError if it cannot be used.
        """
        from entire.plugin_host.agent import ExternalAgent

        first = self._agents.get(name)
        if first is not None:
            return first.for_session(metadata)
        executable = self.find(name)
        if executable is None:
            raise UsageError(f"there is no plugin called {name!r} on PATH")
        self.check(executable)
        info = self.info(executable)
        agent = ExternalAgent(
            self._program(executable),
            info,
            metadata=metadata,
            note=lambda message: self.note(name, message),
            folders=self._answers(executable).session_dir,
            permits=lambda folder: self._permits(name, folder),
        )
        self._agents[name] = agent
        return agent

    def _permits(self, name: str, folder: str) -> bool:
        """Tell whether a plugin's sessions may be in a folder outside of home: the repository's, or one allowed."""
        places = map(os.path.realpath, (*self._outside(), *self._decisions.folders(name)))
        return any(f"{folder}/".startswith(f"{place}/") for place in places)

    def note(self, name: str, message: str) -> None:
        """Note a plugin's failure, for ``status`` and ``doctor``, and log the first of a session; in a command, only
        in ``failures``: reading writes nothing.
        """
        self.failures[name] = self.failures.get(name, message)
        if self.place is None or not self._hook_of:
            return
        from entire.log import Log
        from entire.plugin_host.inventory import problems

        session_id = self._session_id()
        if problems.note(self.place, name, session_id, message, now=time.time()):
            Log(self.place.log, component="plugins", agent=name).warn(message, session_id=session_id)

    def limit_time(self) -> None:
        """Let what is still asked in this hook take little time: the repository's lock is about to be held."""
        for program in self._programs.values():
            program.limit_time()

    def close(self) -> None:
        """End the processes of plugins that still run."""
        for program in self._programs.values():
            program.close()

    def _answers(self, executable: Executable) -> Answers:
        known = self._cached.get(executable.path)
        if known is None:
            known = self._cached[executable.path] = Answers(executable, self.env)
        return known

    def _program(self, executable: Executable) -> Program:
        from entire.plugin_host.programs.program import Program

        known = self._programs.get(executable.path)
        if known is None:
            root = self.place.top if self.place is not None else os.getcwd()
            known = Program(executable.path, root=root, in_hook=bool(self._hook_of), env=self.env)
            self._programs[executable.path] = known
        return known


_REFUSALS = {
    Trust.UNKNOWN: "is not allowed to run",
    Trust.CHANGED: "has changed since you allowed it, so it does not run",
    Trust.DENIED: "is denied",
}
_ALLOW = "`entire plugin allow {}` lets it run"


def _folders(place: Place) -> list[str]:
    linked = map(os.path.normpath, layout.linked_worktrees(place.common_dir).values())
    folders = [place.top, place.git_dir, place.common_dir, place.main_top, *linked]
    return [folder for folder in dict.fromkeys(folders) if os.path.isabs(folder)]
