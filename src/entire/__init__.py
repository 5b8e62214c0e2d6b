"""Keeps every session of your coding agents in git, linked to the commits it led to.

The public names are found on first use, so that ``import entire`` costs a hook next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.errors import CorruptError as CorruptError
    from entire.errors import EntireError as EntireError
    from entire.errors import GitError as GitError
    from entire.errors import NotARepositoryError as NotARepositoryError
    from entire.errors import NotEnabledError as NotEnabledError
    from entire.workspace import Workspace as Workspace

__version__ = "0.1.0"

_PUBLIC = {
    "CorruptError": "entire.errors",
    "EntireError": "entire.errors",
    "GitError": "entire.errors",
    "NotARepositoryError": "entire.errors",
    "NotEnabledError": "entire.errors",
    "Workspace": "entire.workspace",
}

__all__ = ["CorruptError", "EntireError", "GitError", "NotARepositoryError", "NotEnabledError", "Workspace"]


def __getattr__(name: str) -> object:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module 'entire' has no attribute {name!r}")
    return getattr(__import__(module, fromlist=[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
