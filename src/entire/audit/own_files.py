"""The files of ours that may hold what people and agents said: session states, logs, undo points and the like."""

from __future__ import annotations

import os
import stat

from entire import contents, files, layout, tree_files
from entire.git import worktrees
from entire.store import transcripts
from entire.undo import folder as undo_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.layout import Place
    from entire.model.transcripts import Content

STATE, LOG, UNDO, PENDING, INDEX = "session state", "log", "undo point", "pending record", "search index"
OTHER = "file"
LARGEST = 64 << 20
"""Bytes of what is searched at once."""
LONGEST = 1 << 30
"""Bytes of a file in a worktree: what a repository brings may be endless."""
_AFTER = 1 << 10  # bytes after the first line that tell whether there is another
_OF_THE_USER = ("a", "b")  # an undo point's copies of files of the worktree
_IN_WORKTREE = ("logs", "metadata", "tmp")  # the Go CLI's; earlier versions of ours kept their log there, too
_OURS_ONLY = ("index", "audit", "hooks")  # the search index is read as a database; the rest holds no text


def places(place: Place) -> list[Place]:
    """Return all worktrees of a repository that are there, this one first."""
    by_git_dir = {place.git_dir: place}
    for worktree in worktrees.find_all(place.top, place.common_dir):
        other = layout.find(worktree.path) if worktree.is_there and worktree.path else None
        if other is not None and other.common_dir == place.common_dir:
            by_git_dir.setdefault(other.git_dir, other)
    return list(by_git_dir.values())


def find(place: Place) -> Iterator[tuple[str, str]]:
    """Yield the kind and the absolute path of each file. Links are not followed."""
    for path in _below(place.sessions_dir):
        yield STATE, path
    for path in _below(place.common_own_dir, leaving=(*_OURS_ONLY, "logs", "undo")):
        yield (STATE if _is_below(path, os.path.join(place.common_own_dir, "sessions")) else OTHER), path
    for other in places(place):
        if other.own_dir != place.common_own_dir:
            for path in _below(other.own_dir, leaving=(*_OURS_ONLY, "logs", "undo")):
                yield _kind(other, path), path
        for name in undo_folder.names(other):
            for path in _below(os.path.join(undo_folder.root(other), name), leaving=_OF_THE_USER):
                yield UNDO, path
        for path in _below(other.logs_dir):
            yield LOG, path
        for name in _IN_WORKTREE:
            for path, _ in tree_files.below(other.top, os.path.join(other.entire_dir, name)):
                yield OTHER, path


def read(path: str) -> Content | None:
    """Return the content of one of them, None if it is gone by now; raises OSError if it cannot be read."""
    top = tree_files.top_of(path)
    try:
        file, size = tree_files.open_named(top, path) if top else files.open_named(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with file:
        if top and size > LONGEST:
            raise files.RefusedFileError(f"it is larger than {LONGEST >> 20:,} MB")
        if size <= contents.MOST:
            return file.read(size)
        return contents.Spans([(contents.OpenFile(os.dup(file.fileno())), 0, size)])


def texts(content: Content) -> Iterator[bytes]:
    """Yield a file in texts that can be searched one by one: many lines in blocks, anything else as a whole; raises
    OSError if one is too large.
    """
    is_whole = isinstance(content, bytes) or not has_lines(content)
    for _, text in [(0, content)] if is_whole else contents.lines_in_blocks(content):
        if len(text) > LARGEST:
            raise files.RefusedFileError(f"it is larger than {LARGEST >> 20} MB")
        yield bytes(text)


def has_lines(content: Content) -> bool:
    """Tell whether a file is a copy of a transcript of JSON lines; an undo point's have no names."""
    end = contents.line_end(content, 0) if len(content) else 0
    return end <= LARGEST and transcripts.is_lines(contents.read(content, 0, min(end + _AFTER, len(content))))


def _kind(place: Place, path: str) -> str:
    return PENDING if path == place.pending_file else OTHER


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder + os.sep)


def _below(folder: str, *, leaving: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the regular files below a folder, without those in the folders ``leaving`` names."""
    for top, folders, names in os.walk(folder):
        if top == folder:
            folders[:] = [name for name in folders if name not in leaving]
        folders.sort()
        for name in sorted(names):
            path = os.path.join(top, name)
            try:
                if stat.S_ISREG(os.lstat(path).st_mode):
                    yield path
            except OSError:
                continue
