"""Git's lock on the index, taken as git takes it, and recognisable as ours even after a kill.

Git creates ``index.lock`` exclusively, writes the new index into it and renames it to ``index``. Ours is a hard link to
a file in the folder of the transaction: it appears with all its content, and the link identifies it later.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError
from entire.undo.backups import duplicate

_STAGED = "index.staged"
_NOTE = "index.locked"  # without hard links: the inode of the lock


class IndexLock:
    """The lock on one worktree's index, for the transaction in ``folder``."""

    def __init__(self, git_dir: str, folder: str) -> None:
        self.index = os.path.join(git_dir, "index")
        self._lock = self.index + ".lock"
        self._staged = os.path.join(folder, _STAGED)
        self._note = os.path.join(folder, _NOTE)

    def take(self, source: str, mode: int) -> None:
        """Take the lock, with a copy of ``source`` as content; raises EntireError if another program holds it."""
        duplicate(source, self._staged, mode)
        os.chmod(self._staged, mode & 0o7777)
        try:
            try:
                os.link(self._staged, self._lock)
            except FileExistsError:
                raise
            except OSError:  # a file system without hard links
                self._take_by_note(source, mode)
        except FileExistsError as error:
            self._forget()
            raise EntireError(
                f"another program holds the index lock ({self._lock})",
                hint="wait until it has finished; if no git process is running, delete that file",
            ) from error
        except OSError:
            self.release()
            raise

    def _take_by_note(self, source: str, mode: int) -> None:
        """Take the lock on a file system without hard links."""
        fd = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            files.write(self._note, str(os.fstat(fd).st_ino).encode(), mode=0o600)
            with open(source, "rb", buffering=0) as file:
                while block := file.read(1 << 20):
                    rest = memoryview(block)
                    while rest:
                        rest = rest[os.write(fd, rest) :]
            os.fchmod(fd, mode & 0o7777)
        except (OSError, EntireError):
            os.unlink(self._lock)
            raise
        finally:
            os.close(fd)

    def is_ours(self) -> bool:
        """Tell whether this transaction holds the lock."""
        try:
            held = os.lstat(self._lock)
        except OSError:
            return False
        if files.read(self._note) == str(held.st_ino).encode():
            return True
        try:
            staged = os.lstat(self._staged)
        except OSError:
            return False
        return (held.st_dev, held.st_ino) == (staged.st_dev, staged.st_ino)

    def commit(self) -> None:
        """Replace the index with the content of the lock."""
        os.rename(self._lock, self.index)
        self._forget()

    def release(self) -> None:
        """Release the lock, if it is ours."""
        if self.is_ours():
            os.unlink(self._lock)
        self._forget()

    def _forget(self) -> None:
        files.remove(self._staged)
        files.remove(self._note)
