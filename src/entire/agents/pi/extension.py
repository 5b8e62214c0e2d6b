"""Our extension, ``index.ts``: where it belongs for the Pi that is installed, and what it is.

Pi loads ``.pi/extensions/entire/index.ts`` of the folder in which it is started, and that of the user's own folder.
Before version 0.35, it loads ``.pi/hooks/*.ts`` instead; a later Pi asks its user to move what is there.
"""

from __future__ import annotations

import os
import re

from entire import process
from entire.agents import own_file, untrusted
from entire.agents.own_file import OwnFile
from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.health import HooksHealth

EXTENSION, HOOK = "extensions/entire/index.ts", "hooks/entire.ts"
_FIRST_WITH_EXTENSIONS = (0, 35)
_SECONDS = 20.0


def places(folder: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return where ours belongs in a folder of Pi's for the Pi that is installed, and, if there is a file, where that
    would be for another one.
    """
    is_old = () < _installed_version(env) < _FIRST_WITH_EXTENSIONS
    own, other = (os.path.join(folder, name) for name in ((HOOK, EXTENSION) if is_old else (EXTENSION, HOOK)))
    return (own, other) if os.path.lexists(other) else (own,)


def _installed_version(env: Mapping[str, str]) -> tuple[int, ...]:
    """Return the version of the Pi on the PATH, as its package says; () if that is unknown."""
    program = process.find("pi", env.get("PATH", os.defpath))
    package = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(program))), "package.json")
    try:
        with open(package, "rb") as file:
            about = untrusted.dict_of(untrusted.loads(file.read()))
    except OSError:
        return ()
    numbers = re.match(r"(\d+)\.(\d+)", untrusted.clean(about.get("version")))
    is_pi = untrusted.clean(about.get("name")).endswith("/pi-coding-agent")
    return (int(numbers[1]), int(numbers[2])) if is_pi and numbers is not None else ()


def file() -> OwnFile:
    """Return what this version writes."""
    with open(os.path.join(os.path.dirname(__file__), "index.ts"), encoding="utf-8") as source:
        return OwnFile(text=source.read(), agent="pi")


def install(paths: tuple[str, ...], *, force: bool, env: Mapping[str, str]) -> int:
    """Write our file where the installed Pi loads it, and remove it elsewhere; return how much was changed."""
    ours = file()
    _check(ours, env)
    changed = own_file.install(paths[0], ours, force=force)
    return changed + sum(own_file.uninstall(path, ours) for path in paths[1:])


def _check(ours: OwnFile, env: Mapping[str, str]) -> None:
    """Raise EntireError if Node cannot parse our file: Pi would not start with it. Where there is no Node, nothing is
    known.
    """
    node = process.find("node", env.get("PATH", os.defpath))
    if not node:
        return
    words = ["node", "--input-type=module", "--check", "-"]
    done = process.run(words, stdin=ours.text.encode(), env=process.without_repository(env), timeout=_SECONDS)
    if done.status != 0:
        raise EntireError("the extension for Pi is damaged; nothing was written", hint="install Entire again")


def uninstall(paths: tuple[str, ...]) -> int:
    """Remove our file wherever it is; return how many there were."""
    ours = file()
    return sum(own_file.uninstall(path, ours) for path in paths)


def health(paths: tuple[str, ...]) -> HooksHealth:
    """Tell whether our file is where the installed Pi loads it, as this version writes it, and nowhere else."""
    from entire.model.health import HooksHealth, HookStatus

    ours = file()
    found, *others = (own_file.health(path, ours) for path in paths)
    is_elsewhere = any(other.status in (HookStatus.INSTALLED, HookStatus.STALE) for other in others)
    if is_elsewhere and found.status in (HookStatus.MISSING, HookStatus.INSTALLED):
        return HooksHealth(status=HookStatus.STALE)
    return found
