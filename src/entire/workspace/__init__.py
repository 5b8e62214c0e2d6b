"""One repository with Entire in it: the entry point of commands and library users.

Reading changes nothing, except that commits which no hook saw are recorded first. It also works in a read-only
repository.
"""

from __future__ import annotations

import os
import time

from entire import layout
from entire.errors import NotARepositoryError
from entire.git import history as git_history
from entire.workspace.checkpoints import Checkpoints
from entire.workspace.history import History
from entire.workspace.links import Links
from entire.workspace.maintenance import Maintenance
from entire.workspace.opened import Opened
from entire.workspace.origins import Origins
from entire.workspace.plugins import Plugins
from entire.workspace.points import Points
from entire.workspace.secrets import Secrets
from entire.workspace.sessions import Sessions
from entire.workspace.setup import Setup
from entire.workspace.undo import Undo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.layout import Place
    from entire.settings import Settings


class Workspace:
    """A worktree and the sessions recorded in it, by subject."""

    def __init__(self, place: Place, *, now: Callable[[], float] = time.time, only_reads: bool = False) -> None:
        opened = Opened(place, now=now, only_reads=only_reads)
        self._opened = opened
        self.place = place
        self.history: History = History(opened)
        self.sessions: Sessions = Sessions(opened)
        self.checkpoints: Checkpoints = Checkpoints(opened)
        self.origins: Origins = Origins(opened)
        self.points: Points = Points(opened)
        self.links: Links = Links(opened)
        self.secrets: Secrets = Secrets(opened)
        self.undo: Undo = Undo(opened)
        self.setup: Setup = Setup(opened)
        self.plugins: Plugins = Plugins(place, opened.drop_catalog)
        self.maintenance: Maintenance = Maintenance(opened)

    def __repr__(self) -> str:
        return f"Workspace({self.place.top!r})"

    @classmethod
    def find(cls, path: str | os.PathLike[str] | None = None) -> Workspace:
        """Return the workspace that contains a path (default: the current directory); raises NotARepositoryError."""
        if path is None:
            return cls(layout.here())
        place = layout.find(os.fspath(path))
        if place is None:
            raise NotARepositoryError(f"{os.fspath(path)} is not in a git worktree", hint="run `git init` there first")
        return cls(place)

    @property
    def settings(self) -> Settings | None:
        """The settings; None if Entire was never enabled here."""
        return self._opened.settings

    @property
    def branch(self) -> str:
        """The current branch, '' when HEAD is detached."""
        return git_history.branch(self.place.top)

    @property
    def pager(self) -> str:
        """The pager that git uses here."""
        return git_history.pager(self.place.top)
