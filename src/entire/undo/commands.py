"""The commands of a transaction: recorded with it, run when all its files are in place, and taken back.

``commands/`` in the transaction's folder holds their standard input (``<n>.in``, ``<n>.undo``), and one empty file
whose name says how far they are, so a step forward is a rename, which needs no disk space: ``<n>.next`` (the first
``n`` have run) or ``<n>.begun`` (another one was started). After a kill, one that was begun is run again.
"""

from __future__ import annotations

import os

from entire import contents, files, process
from entire.errors import EntireError
from entire.model.effects import Run
from entire.model.value import Value
from entire.undo import backups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from entire.model.transcripts import Content

TRANSACTION = "ENTIRE_TRANSACTION"
"""Names the transaction for the hooks that its commands may call: they would wait for the lock that it holds."""
SECONDS = 60.0
SECONDS_FOR_A_MEGABYTE = 10.0
"""What a command is granted: an agent may take long to read a conversation on standard input."""
_FOLDER = "commands"
_NEXT, _BEGUN = ".next", ".begun"
_MAX_OUTPUT = 64 << 20
_MAX_WORDS = 80
_MAX_MESSAGE = 500
_RETRY = "run it yourself to see why, then try again"


class CommandError(EntireError):
    """A command failed. ``may_have_changed``: it did not end by itself, so its way back is run too."""

    def __init__(self, message: str, *, hint: str = "", may_have_changed: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.may_have_changed = may_have_changed


class UndoCommand(Value):
    """A command as a plan records it: the standard inputs are files in the transaction's folder, '' for none."""

    argv: tuple[str, ...]
    undo_argv: tuple[str, ...]
    stdin: str = ""
    undo_stdin: str = ""
    env: Mapping[str, str] = {}

    def to_json(self) -> list[Any]:
        return [self.argv, self.undo_argv, self.stdin, self.undo_stdin, dict(self.env)]


def from_json(value: list[Any]) -> UndoCommand:
    """Return what ``Command.to_json`` wrote; raises ValueError or TypeError for anything else."""
    argv, undo_argv, stdin, undo_stdin, env = value
    texts = (*argv, *undo_argv, stdin, undo_stdin, *env, *env.values())
    if not (argv and undo_argv and all(isinstance(text, str) for text in texts)):
        raise ValueError("invalid command")
    if any(path and os.path.dirname(path) != _FOLDER for path in (stdin, undo_stdin)):
        raise ValueError("invalid standard input")
    return UndoCommand(argv=tuple(argv), undo_argv=tuple(undo_argv), stdin=stdin, undo_stdin=undo_stdin, env=env)


# ---------------------------------------------------------------- recording


def record(folder: str, number: int, effect: Run) -> UndoCommand:
    """Store a command's standard inputs in a transaction's folder. Raises EntireError if it cannot be run as given."""
    _check(effect)
    return UndoCommand(
        argv=tuple(effect.argv),
        undo_argv=tuple(effect.undo_argv),
        stdin=_stored(folder, f"{number}.in", effect.stdin),
        undo_stdin=_stored(folder, f"{number}.undo", effect.undo_stdin),
        env=dict(effect.env),
    )


def _stored(folder: str, name: str, data: Content) -> str:
    """Write a standard input, and return its path in the folder; '' if it is empty."""
    if not data:
        return ""
    backups.write_copy(os.path.join(folder, _FOLDER, name), data, 0o600)
    return f"{_FOLDER}/{name}"


def _check(effect: Run) -> None:
    """Raise EntireError for a command that no system can run, or that has no way back."""
    texts = (*effect.argv, *effect.undo_argv, *effect.env, *effect.env.values())
    is_valid = all("\0" not in text and _is_encodable(text) for text in texts)
    if not (is_valid and all(argv and argv[0] for argv in (effect.argv, effect.undo_argv))):
        raise EntireError(f"not a command that can be run and taken back: {effect.argv!r}")
    if any(not name or "=" in name for name in effect.env):
        raise EntireError(f"not the environment of a command: {', '.join(map(repr, effect.env))}")


def _is_encodable(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def get_ready(folder: str) -> None:
    """Write in a transaction's folder that none of its commands has been run."""
    files.write(os.path.join(folder, _FOLDER, f"0{_NEXT}"), b"", mode=0o600)


def effects(folder: str, commands: Iterable[UndoCommand]) -> list[Run]:
    """Return recorded commands with their standard inputs."""

    def read(name: str) -> Content:
        return contents.of_file(os.path.join(folder, name)) if name else b""

    return [
        Run(argv=command.argv, undo_argv=command.undo_argv, stdin=read(command.stdin),
            undo_stdin=read(command.undo_stdin), env=command.env)
        for command in commands
    ]  # fmt: skip


def way_back(groups: Iterable[Sequence[Run]]) -> list[Run]:
    """Return what takes back some groups of commands, the newest group first.

    A command and its undo cancel each other out: the undone transactions may hold both.
    """
    back: list[Run] = []
    for group in groups:
        for effect in map(Run.inverse, reversed(group)):
            if back and back[-1] == effect.inverse() != effect:
                back.pop()
            else:
                back.append(effect)
    return back


# ---------------------------------------------------------------- running


class CommandRunner:
    """Runs the commands of the transaction in ``folder`` at the top of a worktree, from where they are."""

    def __init__(self, top: str, folder: str, commands: Sequence[UndoCommand], progress: Callable[[str], None]) -> None:
        self._top = top
        self._folder = folder
        self._commands = commands
        self._progress = progress

    def forward(self) -> None:
        """Run the commands that have not been run yet. Raises CommandError at the first that fails."""
        done, was_begun = self._position()
        for number, command in list(enumerate(self._commands))[done:]:
            if not was_begun:
                self._move(number, _BEGUN)
            try:
                self._run(command.argv, command.stdin, command.env)
            except CommandError as error:
                if not (was_begun or error.may_have_changed):
                    self._move(number, _NEXT)
                raise
            self._move(number + 1, _NEXT)
            was_begun = False

    def back(self) -> None:
        """Take back the commands that were run or begun, last first. Raises CommandError if any of them failed, after
        all were tried.
        """
        done, was_begun = self._position()
        failures = []
        for number in reversed(range(done + was_begun)):
            command = self._commands[number]
            try:
                self._run(command.undo_argv, command.undo_stdin, command.env)
            except CommandError as error:
                failures.append(error)
            if not failures:
                self._move(number, _NEXT)
        if failures:
            raise CommandError("; ".join(error.message for error in failures), hint=failures[0].hint)

    def _position(self) -> tuple[int, bool]:
        """Return how many commands have been run, and whether another one was begun."""
        for number in range(len(self._commands) + 1):
            for ending in (_NEXT, _BEGUN):
                if os.path.lexists(self._marker(number, ending)):
                    return number, ending == _BEGUN
        return 0, False

    def _move(self, number: int, ending: str) -> None:
        """Record how far the commands are."""
        before, was_begun = self._position()
        source, target = self._marker(before, _BEGUN if was_begun else _NEXT), self._marker(number, ending)
        if source != target:
            os.rename(source, target)

    def _marker(self, number: int, ending: str) -> str:
        return os.path.join(self._folder, _FOLDER, f"{number}{ending}")

    def _run(self, argv: Sequence[str], stdin: str, env: Mapping[str, str]) -> None:
        name = _shown(argv)
        self._progress(f"Running `{name}`")
        path = os.path.join(self._folder, stdin) if stdin else os.devnull
        try:
            given = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise CommandError(f"`{name}` was not run: cannot read {path}: {error.strerror}") from error
        whole = {**process.without_repository(os.environ), "PATH": process.absolute_path(os.environ), **env}
        whole[TRANSACTION] = self._folder
        try:
            child = process.Child(argv, whole, self._top, isolated=True, given=given)
            limit = SECONDS + SECONDS_FOR_A_MEGABYTE * (os.fstat(given).st_size >> 20)
            done = child.finish(timeout=limit, max_output=_MAX_OUTPUT)
        except EntireError as error:
            is_started = not isinstance(error, process.StartError)
            raise CommandError(error.message, hint=error.hint or _RETRY, may_have_changed=is_started) from error
        finally:
            os.close(given)
        if done.status:
            reason = _last_words(done.stderr) or _last_words(done.stdout)
            how = f"exited with status {done.status}" if done.status > 0 else f"was killed by signal {-done.status}"
            raise CommandError(f"`{name}` {how}" + (f": {reason}" if reason else ""), hint=_RETRY,
                               may_have_changed=done.status < 0)  # fmt: skip


def _shown(argv: Sequence[str]) -> str:
    """Return a command line for people, on one line, cut to a bearable length."""
    line = backups.shown(" ".join(argv))
    return line if len(line) <= _MAX_WORDS else line[: _MAX_WORDS - 3] + "..."


def _last_words(output: bytes) -> str:
    """Return the end of what a command printed, on one line."""
    return backups.shown(" ".join(output.decode("utf-8", "replace").split())[-_MAX_MESSAGE:])
