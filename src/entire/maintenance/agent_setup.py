"""Agents' hooks: installs them completely or not at all, and says what state they are in."""

from __future__ import annotations

from entire.agents import configfile
from entire.errors import EntireError
from entire.model.health import HookStatus
from entire.model.views.status import HookView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from entire.agents.contract import HookInstaller
    from entire.directory import Installed
    from entire.model.health import HooksHealth

_PROBLEMS = {
    HookStatus.INSTALLED: "",
    HookStatus.MISSING: "are not installed",
    HookStatus.STALE: "are missing or outdated",
    HookStatus.UNTRUSTED: "are installed, but the agent does not trust them",
    HookStatus.DISABLED: "are switched off in the agent's settings",
    HookStatus.UNKNOWN: "cannot be checked",
}
_REMEDIES = {
    HookStatus.INSTALLED: "",
    HookStatus.MISSING: "run `entire enable` to install them",
    HookStatus.STALE: "`entire doctor --fix` reinstalls them",
    HookStatus.UNTRUSTED: "start the agent here and trust them when it asks",
    HookStatus.DISABLED: "switch hooks on in the agent's settings to record sessions",
    HookStatus.UNKNOWN: "make the agent's settings readable and try again",
}
REPAIRABLE = (HookStatus.MISSING, HookStatus.STALE)
"""What installing the hooks again repairs. A user who switched hooks off, or does not trust them, decides."""
RECORDING = (HookStatus.INSTALLED, HookStatus.STALE)
"""Where hooks should have reported what the agent did."""


def problem(health: HooksHealth) -> str:
    """Return what is wrong, to follow a subject such as "hooks"; '' if nothing is."""
    return _PROBLEMS[health.status]


def remedy(health: HooksHealth) -> str:
    """Return what to do, in the imperative; '' if nothing."""
    return health.detail or _REMEDIES[health.status]


def view(hooks: Installed) -> HookView:
    words = problem(hooks.health)
    return HookView(
        name=hooks.agent_type,
        where=hooks.paths[0] if hooks.paths else hooks.plugin,
        other_paths=hooks.paths[1:],
        is_installed=hooks.health.status is HookStatus.INSTALLED,
        status=hooks.health.status.value,
        problem=words and f"hooks {words}",
        remedies=(_status_remedy(hooks),) if words else (),
    )


def _status_remedy(hooks: Installed) -> str:
    if hooks.health.status in REPAIRABLE and not hooks.health.detail:
        return "some hooks are broken: run `entire enable` to reinstall them"
    return f"{hooks.agent_type} hooks: {remedy(hooks.health)}"


def install(installer: HookInstaller, top: str, scope: str, *, force: bool = False) -> int:
    """Install an agent's hooks in all its files or in none; return how many were written."""
    paths = installer.hook_config_paths(top, scope)
    return _change(paths, lambda: installer.install_hooks(top, scope, force=force))


def uninstall(installer: HookInstaller, top: str, scope: str) -> int:
    """Remove an agent's hooks from all its files or from none; return how many were removed."""
    paths = installer.hook_config_paths(top, scope)
    return _change(paths, lambda: installer.uninstall_hooks(top, scope))


def _change(paths: Sequence[str], edit: Callable[[], int]) -> int:
    before = {path: configfile.read(path) for path in paths}
    try:
        return edit()
    except BaseException as error:  # also when the user interrupts it
        lost = [path for path, data in before.items() if not _put_back(path, data)]
        if lost:
            message = f"{error}; {' and '.join(lost)} could not be restored"
            raise EntireError(message, hint="run `entire doctor`") from error
        raise


def _put_back(path: str, data: bytes | None) -> bool:
    try:
        configfile.write(path, data)
    except EntireError:
        return False
    return True
