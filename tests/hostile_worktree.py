"""What a cloned or unpacked repository may hold where files of ours and settings of agents belong."""

from __future__ import annotations

import hashlib
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECRET = b"# the user's own file\n"
_MEMORY = 4 << 30


def outside(folder: Path) -> Path:
    """Make a folder with everything that links of a repository could lead to."""
    (folder / "folder/logs").mkdir(parents=True)
    for name in ("file", "folder/settings.json", "folder/pre-push", "folder/logs/entire.log", "folder/entire.log"):
        (folder / name).write_bytes(SECRET)
    os.mkfifo(folder / "pipe")
    return folder


def picture(folder: Path) -> dict[str, tuple[object, ...]]:
    """Return everything in a folder: kind, mode, size, times of change, and what files hold."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted([folder, *folder.rglob("*")]):
        info = path.lstat()
        data = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""
        found[str(path.relative_to(folder))] = (info.st_mode, info.st_ino, info.st_mtime_ns, data)
    return found


def a_file(path: Path, outside: Path) -> None:
    """Nothing hostile: to compare with."""


def a_link_to_a_file(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "file")


def a_link_to_a_folder(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "folder")


def a_dangling_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "missing")


def a_circle(path: Path, outside: Path) -> None:
    path.symlink_to(path.name)


def a_pipe(path: Path, outside: Path) -> None:
    os.mkfifo(path)


def a_link_to_a_pipe(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "pipe")


def a_link_to_a_device(path: Path, outside: Path) -> None:
    path.symlink_to("/dev/zero")


def a_folder(path: Path, outside: Path) -> None:
    (path / "settings.json").mkdir(parents=True)


def a_hard_link(path: Path, outside: Path) -> None:
    os.link(outside / "file", path)


def an_endless_file(path: Path, outside: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


KINDS = (
    a_file, a_link_to_a_file, a_link_to_a_folder, a_dangling_link, a_circle, a_pipe, a_link_to_a_pipe,
    a_link_to_a_device, a_folder, a_hard_link, an_endless_file,
)  # fmt: skip


HARMLESS = ("a_file", "a_hard_link")
"""What is written replaces a name of the file, and not its content."""


@contextmanager
def bounds(seconds: int) -> Iterator[None]:
    """End what takes too long or too much memory, as reading a pipe or a device would."""

    def stop(number: int, frame: object) -> None:
        raise AssertionError(f"it did not end in {seconds} seconds")

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, hard))
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
