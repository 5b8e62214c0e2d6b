"""Finds the worktree, its git directories and our files in both by looking at the file system only.

Starts no git process and reads no environment variable, so a hook can stop in a repository without Entire before
it loads anything heavy. The paths are fixed by formats.md sections 3, 5 and 6.
"""

from __future__ import annotations

import os

from entire.errors import NotARepositoryError

TYPE_CHECKING = False
if TYPE_CHECKING:
    LogEnd = tuple[int, str]  # where a reflog ended: its size (-1: not known), its last line

METADATA_BRANCH = "entire/checkpoints/v1"
SETTINGS = "settings.json"
LOCAL_SETTINGS = "settings.local.json"
OWN_OPTIONS = "entire.json"
_LOG_LINE = 4096


class Place:
    """A worktree, its git directories, and the paths of our files in them. All paths are absolute.

    The paths are attributes, not properties: a hook reads them often.
    """

    def __init__(self, *, top: str, git_dir: str, common_dir: str, worktree_name: str = "") -> None:
        self.top = top  # the worktree's root
        self.git_dir = git_dir  # of this worktree: HEAD, index, rebase-merge, ...
        self.common_dir = common_dir  # shared by all worktrees: refs, objects, hooks
        self.worktree_name = worktree_name  # '' for the main worktree, else the directory name below .git/worktrees

        self.entire_dir = own = os.path.join(top, ".entire")
        self.settings = f"{own}/{SETTINGS}"
        self.local_settings = f"{own}/{LOCAL_SETTINGS}"
        self.own_options = f"{own}/{OWN_OPTIONS}"  # the Go CLI rejects them in the other two files
        self.redact_config = f"{own}/redact.toml"  # own rules and exceptions
        self.tmp_dir = f"{own}/tmp"  # noqa: S108  files of the running turn; harnesses put transcripts here

        self.own_dir = own = f"{git_dir}/entire"  # this worktree's
        self.logs_dir = f"{own}/logs"  # for the log and crash reports: nothing cloned gets here
        self.log = f"{own}/logs/entire.log"
        self.pending_file = f"{own}/pending.json"  # while a commit is prepared and not completed
        self.message_note = f"{own}/message"  # what commit-msg must know about the message
        self.commit_dir = f"{own}/commit"  # a folder for each commit that we are making

        self.common_own_dir = own = f"{common_dir}/entire"  # shared by all worktrees
        self.sessions_dir = f"{common_dir}/entire-sessions"  # session states, shared with the Go CLI
        self.sessions_seen = f"{own}/sessions-seen"  # as new as the states we have read
        self.lock_file = f"{own}/lock"  # held while Entire's data of the repository change
        self.known_secrets = f"{own}/known-secrets"  # hashes of what was redacted
        self.forgotten_secrets = f"{own}/forgotten-secrets"  # hashes of what was forgotten
        self.revealed_marker = f"{own}/revealed"  # a checkpoint holds a secret found since
        self.unchecked_marker = f"{own}/unchecked"  # own rules did not see everything
        self.enabled_marker = f"{own}/enabled"  # its time: when ``enable`` last ran
        self.forgetting_file = f"{own}/forgetting"  # while `entire forget` moves refs
        self.agreed_file = f"{own}/agreed"  # files in which this person chose auto-commit
        self.trusted_exceptions = f"{own}/trusted-exceptions"  # hashes of [allow] tables
        self.push_marker = f"{own}/push"  # written by ``enable`` if checkpoints are pushed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.__dict__ == other.__dict__

    def __repr__(self) -> str:
        return f"Place({self.top!r})"

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
    def main_local_settings(self) -> str:
        """Local settings of the main worktree, which also apply in linked ones; '' in the main worktree itself."""
        main = self.main_top
        return local_settings_path(main) if main and main != self.top else ""

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


def worktree_id(name: str) -> str:
    """Return six hex digits that identify a worktree by name ('' is the main one)."""
    from entire.model.digest import sha256

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


def is_in(folder: str, common_dir: str) -> bool:
    """Tell whether a folder exists and is in a worktree of the repository: it is not if the worktree was moved."""
    place = find(folder) if os.path.isdir(folder) else None
    return place is not None and place.common_dir == common_dir


def worktree_of(place: Place, path: str, name: str) -> str:
    """Return where the worktree is now that was at ``path``: where it was, or by its name after a move; '' if gone."""
    if not path or is_in(path, place.common_dir):
        return path or place.top
    if name == place.worktree_name:
        return place.top
    top = linked_worktrees(place.common_dir).get(name, "") if name else place.main_top
    return top if os.path.isdir(top) else ""


def here() -> Place:
    """Return the worktree that contains the current directory; raises NotARepositoryError outside of any."""
    place = find(os.getcwd())
    if place is None:
        raise NotARepositoryError("not in a git worktree", hint="change to one, or run `git init`")
    return place


def head(place: Place) -> str:
    """Return the commit of a worktree's HEAD; '' if plain files do not tell (packed refs, reftable, no commit)."""
    text = _first_line(os.path.join(place.git_dir, "HEAD"))
    if text.startswith("ref: refs/heads/"):
        text = _first_line(os.path.join(place.common_dir, text.removeprefix("ref: ")))
    return text if len(text) in (40, 64) and not text.strip("0123456789abcdef") else ""


def head_log_size(place: Place) -> int:
    """Return the size of HEAD's reflog, which tells whether HEAD has moved; 0 without one."""
    return _log_size(place.git_dir)


def _log_size(git_dir: str) -> int:
    try:
        return os.stat(os.path.join(git_dir, "logs", "HEAD")).st_size
    except OSError:
        return 0


def other_head_logs(place: Place) -> dict[str, int]:
    """Return the sizes of HEAD's reflogs in the repository's other worktrees, by their names ('': the main one)."""
    folder = os.path.join(place.common_dir, "worktrees")
    try:
        names = os.listdir(folder)
    except OSError:
        return {}
    git_dirs = {"": place.common_dir, **{name: os.path.join(folder, name) for name in names}}
    return {name: _log_size(git_dir) for name, git_dir in git_dirs.items() if name != place.worktree_name}


def head_log_end(place: Place) -> LogEnd:
    """Return where HEAD's reflog ends: its size and its last line, by which the place is found again where git has
    removed old lines.
    """
    try:
        with open(os.path.join(place.git_dir, "logs", "HEAD"), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LOG_LINE))
            return size, os.fsdecode(file.read().rstrip(b"\n").rpartition(b"\n")[2])
    except OSError:
        return 0, ""


def linked_worktrees(common_dir: str) -> dict[str, str]:
    """Return the folder of each linked worktree by its name below ``<common>/worktrees``, also if it is missing."""
    folder = os.path.join(common_dir, "worktrees")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return {}
    tops = {name: linked_top(os.path.join(folder, name)) for name in names}
    return {name: top for name, top in tops.items() if top}


def linked_top(git_dir: str) -> str:
    """Return the worktree that a git directory's ``gitdir`` file names, '' if it has none that can be read."""
    pointer = _first_line(os.path.join(git_dir, "gitdir"))
    return os.path.dirname(os.path.join(git_dir, pointer)) if pointer else ""


def _place_at(folder: str) -> Place | None:
    """Return the worktree whose root is ``folder``, or None."""
    dot_git = os.path.join(folder, ".git")
    if _is_git_dir(dot_git):
        git_dir = os.path.realpath(dot_git) if os.path.islink(dot_git) else dot_git
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
    if not os.path.lexists(f"{path}/HEAD"):
        return False
    if os.path.isfile(f"{path}/commondir"):
        return True
    return os.path.isdir(f"{path}/objects") and os.path.exists(f"{path}/refs")


def _first_line(path: str) -> str:
    """Return a small file's first line, '' if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.readline(4096)).strip("\r\n ")
    except OSError:
        return ""
