"""The agents of installed packages: each entry point in the group ``entire.agents`` names an ``AgentEntry``.

Searching packages is slow, so the directory does it only for a name that is not built in.
"""

from __future__ import annotations

import os
import sys

from entire.agents.registry import BUILTIN, RESERVED, AgentEntry
from entire.errors import EntireError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.metadata import EntryPoint

GROUP = "entire.agents"
_METADATA = (".dist-info", "egg-info")  # ends of the names of packages' metadata folders


class Packages(Value):
    """The agents from installed packages, and what is wrong with those that cannot be used."""

    entries: Mapping[str, AgentEntry]
    problems: tuple[str, ...] = ()


_searched: dict[tuple[str, ...], Packages] = {}  # by sys.path


def search() -> Packages:
    """Return the agents of the packages on the import path; each path is searched once."""
    if not _searched:
        _read_path_files()
    key = tuple(sys.path)
    if key not in _searched:
        _searched[key] = _search()
    return _searched[key]


def _read_path_files() -> None:
    """Add what .pth files name to the import path: a hook starts without ``site``, which editable packages need."""
    if sys.flags.no_site:
        import site

        for folder in [folder for folder in sys.path if folder.endswith("site-packages")]:
            site.addsitedir(folder)


def _search() -> Packages:
    if not any(map(_may_offer_agents, sys.path)):
        return Packages(entries={}, problems=())
    from importlib import metadata

    try:
        points = sorted(metadata.entry_points(group=GROUP), key=lambda point: (point.name, _package(point)))
    except Exception as error:  # a package's metadata may hold anything
        problem = f"installed packages cannot be searched for agents: {describe(error)}"
        return Packages(entries={}, problems=(problem,))
    entries: dict[str, AgentEntry] = {}
    wrong = []
    for point in points:
        try:
            entry = point.load()
            check(point.name, entry, [*BUILTIN.values(), *entries.values()])
        except (Exception, SystemExit) as error:
            wrong.append(f"the agent {point.name!r} of the package {_package(point)} is ignored: {describe(error)}")
        else:
            entries[entry.name] = entry
    return Packages(entries=entries, problems=tuple(wrong))


def _may_offer_agents(folder: str) -> bool:
    """Tell whether a folder of the import path may contain a package with the entry point group.

    Saves the import of ``importlib.metadata``, about 30 ms, wherever no package offers an agent.
    """
    try:
        with os.scandir(folder or ".") as entries:
            packages = [entry.path for entry in entries if entry.name.lower().endswith(_METADATA)]
    except OSError as error:
        return isinstance(error, NotADirectoryError)  # a zip file
    return any(_mentions_group(os.path.join(package, "entry_points.txt")) for package in packages)


def _mentions_group(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return GROUP.encode() in file.read()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # importlib.metadata says what is wrong


def check(name: str, entry: object, known: Sequence[AgentEntry]) -> None:
    """Raise EntireError for an entry that cannot join the known ones in the table."""
    if not isinstance(entry, AgentEntry):
        raise EntireError("its entry point is not an AgentEntry")
    values = [value for field, value in entry.__dict__.items() if field != "only_at_top"]
    lists = (entry.protected_dirs, entry.aliases, entry.caller_variables)
    texts = [text for value in values for text in (value if isinstance(value, tuple) else (value,))]
    are_typed = all(isinstance(text, str) for text in texts) and all(isinstance(value, tuple) for value in lists)
    if not are_typed or not isinstance(entry.only_at_top, bool):
        raise EntireError("a field of its AgentEntry has the wrong type")
    if entry.name != name or not entry.type:
        raise EntireError(f"its AgentEntry has the name {entry.name!r} and the type {entry.type!r}")
    if name in RESERVED or name in [taken for other in known for taken in (other.name, *other.aliases)]:
        raise EntireError("the name is taken")
    if entry.type in [other.type for other in known]:
        raise EntireError(f"the type {entry.type!r} is taken")


def _package(point: EntryPoint) -> str:
    return str(point.dist.name) if point.dist is not None else "?"


def describe(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, EntireError) else f"{type(error).__name__}: {text}"
