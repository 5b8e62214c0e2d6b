"""Runs the repository's own hooks for a commit, as ``git commit`` does without a terminal and an editor."""

from __future__ import annotations

import os
import time

from entire import process
from entire.errors import EntireError
from entire.git import run
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place

_MAX_OUTPUT = 1 << 16  # only the end matters
_SHOWN = 200  # characters of a hook's last line


class HookError(EntireError):
    """A hook failed or took too long."""


class CommitHooks(Value):
    """The hooks of one commit, which share ``seconds`` until ``deadline`` (of the monotonic clock).

    ``index``: the index that is committed; ``variables``: what the hooks' environment has in addition.
    """

    place: Place
    folder: str  # of the hooks
    index: str
    seconds: float
    deadline: float
    variables: dict[str, str] = {}

    def has(self, name: str) -> bool:
        """Tell whether git would run a hook."""
        path = os.path.join(self.folder, name)
        return os.path.isfile(path) and os.access(path, os.X_OK)

    def run(self, name: str, *args: str) -> None:
        """Run a hook; raises HookError if it fails or takes too long."""
        path = os.path.join(self.folder, name)
        argv = [path, *args] if _is_program(path) else ["sh", path, *args]
        left = max(self.deadline - time.monotonic(), 0.01)
        try:
            child = process.Child(argv, self._environment(), self.place.top, isolated=True)
            done = child.finish(timeout=left, max_output=_MAX_OUTPUT, may_exceed=True, is_leader=False)
        except process.StartError as error:
            raise HookError(f"the {name} hook cannot be started ({error.message})") from error
        except EntireError as error:
            raise HookError(f"the {name} hook did not finish within {self.seconds:g} seconds",
                            hint="set commit_hook_seconds in .entire/entire.json higher") from error  # fmt: skip
        if done.status:
            raise HookError(f"the {name} hook failed{_said(done)}")

    def _environment(self) -> dict[str, str]:
        """Return a hook's environment: the user's own, without a way to ask (``git commit`` sets GIT_EDITOR to ``:`` if
        it opens none).
        """
        env = process.without_repository(os.environ)
        env.update(GIT_INDEX_FILE=self.index, GIT_EDITOR=":", GIT_TERMINAL_PROMPT="0", **self.variables)
        if self.place.worktree_name:
            env["GIT_DIR"] = self.place.git_dir
        return env


def make(place: Place, index: str, seconds: float, variables: dict[str, str]) -> CommitHooks:
    """Return the hooks of a commit, which may take so many seconds together from now on."""
    (path,) = run.lines(place.top, "rev-parse", "--git-path", "hooks")
    folder = os.path.normpath(os.path.join(place.top, path))
    return CommitHooks(place=place, folder=folder, index=index, seconds=seconds, deadline=time.monotonic() + seconds,
                       variables=variables)  # fmt: skip


def _is_program(path: str) -> bool:
    """Tell whether the system can start a hook by itself; git gives a script without an interpreter to ``sh``."""
    try:
        with open(path, "rb") as file:
            head = file.read(2)
    except OSError:
        return True
    return head == b"#!" or not head.isascii() or head == b"\x7fE"


def _said(done: process.Completed) -> str:
    lines = (done.stderr or done.stdout).decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f": {last[:_SHOWN]}" if last else f" with status {done.status}"
