"""Which of the files that ``enable`` writes are waiting to be committed."""

from __future__ import annotations

import os

from entire import tree_files
from entire.git import status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class SharedFiles:
    """Files before ``enable`` writes them, by absolute path; those outside the worktree are left out."""

    def __init__(self, top: str, paths: Iterable[str]) -> None:
        self._top = top
        inside = sorted({path for path in paths if path.startswith(top + os.sep)})
        self._before = {path: self._content(path) for path in inside}

    def to_commit(self) -> tuple[str, ...]:
        """Return the files to commit: those that changed since, and new ones that were never added.

        Git leaves out what it ignores, and what is committed as it is.
        """
        names = {os.path.relpath(path, self._top): path for path in self._before}
        dirty = status.of(self._top, list(names)) if names else {}
        return tuple(
            path
            for name, path in names.items()
            if name in dirty and (not dirty[name].tracked or self._content(path) != self._before[path])
        )

    def _content(self, path: str) -> bytes | None:
        try:
            return tree_files.read(self._top, path)
        except OSError:
            return None
