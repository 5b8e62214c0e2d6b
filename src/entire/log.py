"""Writes JSON lines to ``entire/logs/entire.log`` in the git directory, in the Go CLI's format (time, level, msg, ...).

A file in the worktree could be a link that a cloned repository brings, to one that a shell or a program runs.

A log holds ids, counts, names and durations; never prompts, file contents or agents' answers. Nothing here raises: an
unwritable log must not stop a hook. At 1 MB the file replaces the previous ``entire.log.1``.
"""

from __future__ import annotations

import os
import sys
import time

from entire.model import jsontext
from entire.model.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_BYTES = 1 << 20
_MAX_FIELD = 500
_COMMANDS = {"$": "\\u0024", "`": "\\u0060"}  # what a shell would run in double quotes, and what JSON has instead
_RANKS = {"debug": 0, "info": 1, "warn": 2, "error": 3}


class Log:
    """A log whose context (``component``, ``agent``, ``hook``, ``session_id``) is part of each line."""

    def __init__(self, path: str, level: str = "info", **context: object) -> None:
        self._path = path  # '' writes nothing
        self._level = level
        self._rank = _RANKS.get(level, 1)
        self._context = context

    def bind(self, **context: object) -> Log:
        return Log(self._path, self._level, **{**self._context, **context})

    def debug(self, message: str, **fields: object) -> None:
        self._write("debug", message, fields)

    def info(self, message: str, **fields: object) -> None:
        self._write("info", message, fields)

    def warn(self, message: str, **fields: object) -> None:
        """Log a problem that was handled."""
        self._write("warn", message, fields)

    def error(self, message: str, **fields: object) -> None:
        """Log a failure: something was not done."""
        self._write("error", message, fields)

    def _write(self, level: str, message: str, fields: dict[str, object]) -> None:
        if not self._path or _RANKS[level] < self._rank:
            return
        entry = {"time": now(), "level": level.upper(), "msg": message, **self._context, **fields}
        try:
            line = jsontext.dumps({key: _plain(value) for key, value in entry.items()}, ensure_ascii=False)
            if not line.isascii() or "\x7f" in line:
                from entire.model import controls  # people print the log on a terminal

                line = controls.in_json(line)
            for char, escape in _COMMANDS.items():
                line = line.replace(char, escape)
            _append(self._path, line.encode("utf-8", "replace") + b"\n")
        except (OSError, ValueError):
            pass


def now() -> str:
    """Return the time as the Go CLI writes it: RFC 3339, UTC, with fractions."""
    seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{nanoseconds:09d}Z"


def report(logs_dir: str, error: BaseException, *, version: str, command: Sequence[str]) -> str:
    """Write a crash report and return its path; '' if it could not be written.

    It holds versions, the command line and the traceback without source lines. The error's message may quote what
    people wrote, so only the system's own messages are included. The same failure writes the same file, so a
    failing hook does not fill the disk.
    """
    try:
        where = _where(error)
        path = os.path.join(logs_dir, f"crash-{sha256(where.encode('utf-8', 'replace')).hexdigest()[:8]}.md")
        os.makedirs(logs_dir, 0o750, exist_ok=True)
        text = _report_text(error, where, version, command)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(fd, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
    except OSError:
        return ""
    return path


def failures(path: str) -> int:
    try:
        with open(path, "rb") as file:
            return file.read(2 * MAX_BYTES).count(b'"level": "ERROR"')
    except OSError:
        return 0


def _where(error: BaseException) -> str:
    """Return the traceback of an error without source lines, and the error's type."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    lines = [f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}\n' for frame in frames]
    reason = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
    return "".join(lines) + type(error).__name__ + reason


def _report_text(error: BaseException, where: str, version: str, command: Sequence[str]) -> str:
    return (
        f"# entire stopped with an internal error: {type(error).__name__}\n\n"
        f"- entire {version}\n- Python {sys.version.split()[0]} on {sys.platform}\n"
        f"- command: `entire {' '.join(_word(word) for word in command)}`\n- time: {now()}\n\n"
        f"## Where\n\n```\n{where}\n```\n\n"
        "## What I did\n\n(please describe in a sentence or two)\n"
    )


def _word(word: str) -> str:
    """Keep names on the command line; leave out payloads and messages, which are people's own text, and what could
    command a terminal or a shell.
    """
    is_name = len(word) <= 80 and word.isprintable() and not word.startswith(("{", "["))
    return word if is_name and _COMMANDS.keys().isdisjoint(word) else "..."


def _plain(value: object) -> object:
    """Return numbers as they are, and everything else as short text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= _MAX_FIELD else text[:_MAX_FIELD] + "..."


def _append(path: str, line: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    try:
        fd = os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), 0o750, exist_ok=True)
        fd = os.open(path, flags, 0o600)
    try:
        written, size = os.write(fd, line), os.fstat(fd).st_size
        if written < len(line):  # disk full: a partial line would corrupt the next one
            os.ftruncate(fd, size - written)
        full = size > MAX_BYTES
    finally:
        os.close(fd)
    if full:
        os.replace(path, path + ".1")
