"""Finds the worktree, its git directories and our files in both by looking at the file system only.

Starts no git process and reads no environment variable, so that a hook can stop in a repository without Entire before
it loads anything heavy. The paths are fixed by formats.md sections 3, 5 and 6.
"""

from __future__ import annotations

import os

from entire.errors import NotARepositoryError
from entire.model.digest import sha256
from entire.model.value import Value

METADATA_BRANCH = "entire/checkpoints/v1"
SETTINGS = "settings.json"
LOCAL_SETTINGS = "settings.local.json"
OWN_OPTIONS = "entire.json"


class Place(Value):
    """A worktree and its git directories. All paths are absolute."""

    top: str  # the worktree's root
    git_dir: str  # of this worktree: HEAD, index, rebase-merge, ...
    common_dir: str  # shared by all worktrees: refs, objects, hooks
    worktree_name: str = ""  # '' for the main worktree, else the directory name below .git/worktrees

    @property
    def worktree_id(self) -> str:
        """Six hex digits that identify the worktree in a shadow branch's name."""
        return worktree_id(self.worktree_name)

    @property
    def main_top(self) -> str:
        """The main worktree's root; '' in a linked worktree of a bare repository or a separate git directory."""
        if not self.worktree_name:
            return self.top
        parent, name = os.path.split(self.common_dir)
        return parent if name == ".git" else ""

    @property
    def enabled_root(self) -> str:
        """The worktree whose settings configure Entire here; '' if there are none.

        That is this one, or the main one by its local settings. ``settings.json`` is tracked, so the main worktree's
        copy does not apply to another branch (formats.md section 6).
        """
        if os.path.isfile(self.settings) or os.path.isfile(self.local_settings):
            return self.top
        main = self.main_top
        return main if main and main != self.top and os.path.isfile(local_settings_path(main)) else ""

    @property
    def entire_dir(self) -> str:
        """Our folder in the worktree."""
        return os.path.join(self.top, ".entire")

    @property
    def settings(self) -> str:
        return settings_path(self.top)

    @property
    def local_settings(self) -> str:
        return local_settings_path(self.top)

    @property
    def main_local_settings(self) -> str:
        """Local settings of the main worktree, which also apply in linked ones; '' in the main worktree itself."""
        main = self.main_top
        return local_settings_path(main) if main and main != self.top else ""

    @property
    def own_options(self) -> str:
        """Options that the Go CLI does not know and would reject in the other two files."""
        return os.path.join(self.top, ".entire", OWN_OPTIONS)

    @property
    def logs_dir(self) -> str:
        """Folder for the log and crash reports."""
        return os.path.join(self.top, ".entire", "logs")

    @property
    def log(self) -> str:
        return os.path.join(self.logs_dir, "entire.log")

    @property
    def tmp_dir(self) -> str:
        """Folder for files of the running turn; test harnesses put transcripts here."""
        return os.path.join(self.top, ".entire", "tmp")

    @property
    def sessions_dir(self) -> str:
        """Folder for the session states, shared by all worktrees."""
        return os.path.join(self.common_dir, "entire-sessions")

    @property
    def own_dir(self) -> str:
        """Our folder in this worktree's git directory."""
        return os.path.join(self.git_dir, "entire")

    @property
    def common_own_dir(self) -> str:
        """Our folder in the git directory that all worktrees share."""
        return os.path.join(self.common_dir, "entire")

    @property
    def lock_file(self) -> str:
        """Locked by a process that changes Entire's data of the repository."""
        return os.path.join(self.common_own_dir, "lock")

    @property
    def pending_file(self) -> str:
        """Exists while a commit is prepared and not completed: the post-commit script checks for it."""
        return os.path.join(self.own_dir, "pending.json")

    @property
    def push_marker(self) -> str:
        """Exists if the user chose to push checkpoints: the pre-push script checks for it before it starts us."""
        return os.path.join(self.common_own_dir, "push")


def worktree_id(name: str) -> str:
    """Return six hex digits that identify a worktree by name ('' is the main one)."""
    return sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:6]


def settings_path(root: str) -> str:
    return os.path.join(root, ".entire", SETTINGS)


def local_settings_path(root: str) -> str:
    return os.path.join(root, ".entire", LOCAL_SETTINGS)


def find(start: str) -> Place | None:
    """Return the worktree that contains ``start``, or None outside of any (and inside a git directory)."""
    folder = os.path.realpath(start)
    while True:
        place = _place_at(folder)
        if place is not None:
            return place
        parent = os.path.dirname(folder)
        if parent == folder or _is_git_dir(folder):
            return None
        folder = parent


def here() -> Place:
    """Return the worktree that contains the current directory; raises NotARepositoryError outside of any."""
    place = find(os.getcwd())
    if place is None:
        raise NotARepositoryError("not in a git worktree", hint="change to one, or run `git init`")
    return place


def _place_at(folder: str) -> Place | None:
    """Return the worktree whose root is ``folder``, or None."""
    dot_git = os.path.join(folder, ".git")
    if _is_git_dir(dot_git):
        git_dir = os.path.realpath(dot_git)
    else:
        target = _first_line(dot_git)
        if not target.startswith("gitdir:"):
            return None
        git_dir = os.path.realpath(os.path.join(folder, target[len("gitdir:") :].strip()))
        if not _is_git_dir(git_dir):
            return None
    common = _first_line(os.path.join(git_dir, "commondir"))
    if not common:  # the main worktree, a submodule, or a separate git directory
        return Place(top=folder, git_dir=git_dir, common_dir=git_dir)
    common_dir = os.path.realpath(os.path.join(git_dir, common))
    return Place(top=folder, git_dir=git_dir, common_dir=common_dir, worktree_name=os.path.basename(git_dir))


def _is_git_dir(path: str) -> bool:
    """Decide as git does: HEAD exists, and either objects and refs or a pointer to them."""
    if not os.path.lexists(os.path.join(path, "HEAD")):
        return False
    if os.path.isfile(os.path.join(path, "commondir")):
        return True
    return os.path.isdir(os.path.join(path, "objects")) and os.path.exists(os.path.join(path, "refs"))


def _first_line(path: str) -> str:
    """Return a small file's first line, '' if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.readline(4096)).strip("\r\n ")
    except OSError:
        return ""
