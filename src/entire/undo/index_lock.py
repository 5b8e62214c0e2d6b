"""Git's lock of the index, taken as git takes it, and known as ours even after we were killed.

Git creates ``index.lock`` exclusively, writes the new index into it and renames it to ``index``. Ours appears at once
with all its content, as a second name of a file in the folder of the transaction: by that it is recognised later.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError
from entire.undo.backups import duplicate

_STAGED = "index.staged"
_NOTE = "index.locked"  # where a file cannot have two names: which file the lock is


class IndexLock:
    """The lock of one work tree's index, for the transaction in ``folder``."""

    def __init__(self, git_dir: str, folder: str) -> None:
        self.index = os.path.join(git_dir, "index")
        self._lock = self.index + ".lock"
        self._staged = os.path.join(folder, _STAGED)
        self._note = os.path.join(folder, _NOTE)

    def take(self, source: str, mode: int) -> None:
        """Take the lock and fill it with a copy of ``source``; EntireError if somebody holds it."""
        duplicate(source, self._staged, mode)
        os.chmod(self._staged, mode & 0o7777)
        try:
            try:
                os.link(self._staged, self._lock)
            except FileExistsError:
                raise
            except OSError:  # a file system without second names
                self._take_by_note(source, mode)
        except FileExistsError as error:
            self._forget()
            raise EntireError(
                f"another program holds the index ({self._lock})",
                hint="wait until it is done; if no git runs any more, delete that file",
            ) from error
        except OSError:
            self.release()
            raise

    def _take_by_note(self, source: str, mode: int) -> None:
        """Take the lock where it cannot be a second name."""
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
        """Tell whether the lock is there and this transaction took it."""
        try:
            found = os.lstat(self._lock)
        except OSError:
            return False
        if files.read(self._note) == str(found.st_ino).encode():
            return True
        try:
            staged = os.lstat(self._staged)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == (staged.st_dev, staged.st_ino)

    def commit(self) -> None:
        """Make what the lock holds the index."""
        os.rename(self._lock, self.index)
        self._forget()

    def release(self) -> None:
        """Give the lock back, if it is ours."""
        if self.is_ours():
            os.unlink(self._lock)
        self._forget()

    def _forget(self) -> None:
        files.remove(self._staged)
        files.remove(self._note)
