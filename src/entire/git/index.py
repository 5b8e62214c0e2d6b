"""Reads the index that git is about to commit, without touching it."""

from __future__ import annotations

import os

from entire import files
from entire.git import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.layout import Place


def path(place: Place, environment: Mapping[str, str]) -> str:
    """Return the index file that git commits: a temporary one if paths or ``-a`` were given."""
    return os.path.join(place.top, environment.get("GIT_INDEX_FILE") or os.path.join(place.git_dir, "index"))


def tree(top: str, git_dir: str, index: str, scratch: str) -> str:
    """Return the tree of an index file; a missing file counts as an empty index.

    ``git write-tree`` locks the index and may rewrite it. So it gets a hard link in the folder ``scratch``, and the
    index itself is not changed.
    """
    twin = os.path.join(scratch, f"index.{os.getpid()}")
    os.makedirs(scratch, exist_ok=True)
    files.remove(twin)
    try:
        try:
            os.link(os.path.join(top, index), twin)
        except FileNotFoundError:
            pass
        except OSError:  # another file system, or one without links
            files.write(twin, files.read(os.path.join(top, index)) or b"")
        env = run.environment(GIT_INDEX_FILE=twin, GIT_DIR=git_dir, GIT_WORK_TREE=top)
        return run.git(top, "write-tree", env=env).stdout.decode("ascii").strip()
    finally:
        files.remove(twin)
        files.remove(twin + ".lock")


def count(git_dir: str) -> int:
    """Return how many files a worktree's index has, without reading it; 0 if there is none."""
    try:
        with open(os.path.join(git_dir, "index"), "rb") as file:
            head = file.read(12)
    except OSError:
        return 0
    return int.from_bytes(head[8:], "big") if head.startswith(b"DIRC") else 0


def message_settings(top: str) -> tuple[list[str], str]:
    """Return what the configuration says about comments in messages, in order, and how git cleans messages up; what
    was given to this git with ``-c`` included.
    """
    query = ("config", "-z", "--get-regexp", r"^(core\.comment(char|string)|commit\.cleanup)$")
    given = {name: value for name, value in os.environ.items() if name.startswith("GIT_CONFIG_")}
    answer = run.git(top, *query, ok=(0, 1), env={**given, **run.environment()}).stdout.decode(
        "utf-8", "surrogateescape"
    )
    settings = [entry.partition("\n")[::2] for entry in answer.split("\0") if entry]
    comments = [value for name, value in settings if name != "commit.cleanup"]
    return comments, next((value for name, value in reversed(settings) if name == "commit.cleanup"), "")
