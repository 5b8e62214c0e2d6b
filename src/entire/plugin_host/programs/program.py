"""A plugin in one hook or command: its calls, what they may cost together, and its connection for questions.

A call's answer is complete when the program exits. Only in a hook, which must not wait for a program that has answered
and stays, a whole JSON value counts after ``GRACE_SECONDS`` of silence; the program is then killed.
"""

from __future__ import annotations

import errno
import os
import time

import entire
from entire import files, process
from entire.model import jsontext
from entire.model.ids import argument_problem
from entire.plugin_host.language import protocol
from entire.plugin_host.language.protocol import (
    HOOK_PROCESSES,
    LOCKED_SECONDS,
    MAX_ANSWER,
    PREFIX,
    VERSION,
    PluginError,
)
from entire.plugin_host.programs import running
from entire.plugin_host.programs.running import OutOfTurnError, Output, Running

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from entire.model.transcripts import Content
    from entire.plugin_host.programs.connection import Connection

_ASK = "entire-ask"
_BOM = b"\xef\xbb\xbf"
_MAX_LINES = 4
_MAX_MESSAGE = 500


class Program:
    """One plugin, in one hook or command.

    ``processes`` counts the processes started so far. In a hook, they are limited, and all calls share one budget of
    time. Each method raises PluginError, whatever the plugin does, and leaves no process of its group running but the
    connection's, which ``close`` ends.
    """

    def __init__(
        self,
        path: str,
        *,
        root: str,
        in_hook: bool,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self.name = os.path.basename(path).removeprefix(PREFIX)
        self.root = root
        self.in_hook = in_hook
        self.processes = 0
        self._env = _environment(os.environ if env is None else env, root)
        self._clock = clock
        self._spent = 0.0
        self._seconds = protocol.HOOK_SECONDS
        self._connection: Connection | None = None

    def own_folders(self) -> tuple[str, ...]:
        """Return the user's home folder and the one for temporary files."""
        return self._env.get("HOME") or os.path.expanduser("~"), self._env.get("TMPDIR", "")

    def run(self, *words: str, stdin: bytes = b"", max_output: int = MAX_ANSWER, seconds: float = 0.0) -> bytes:
        """Call a subcommand; return its standard output. ``seconds``: how long it may take, 0 for ``CALL_SECONDS``."""
        output = _Answer(max_output, self._is_answer)
        self._call(words, stdin, output, seconds)
        return bytes(output.data)

    def run_long(self, *words: str, max_output: int) -> Content:
        """Do what ``run`` does for output that may be too long for memory."""
        from entire.plugin_host.programs.long_output import LongOutput  # no hook asks

        output = LongOutput(max_output)
        self._call(words, b"", output)
        return output.content()

    def call(self, *words: str, stdin: bytes | str = b"", seconds: float = 0.0) -> dict[str, Any]:
        """Call a subcommand that answers a JSON object. ``stdin`` as a str is the path of a file to be read."""
        output = _Answer(MAX_ANSWER, self._is_answer)
        errors = self._call(words, stdin, output, seconds)
        value = _parsed(output.data)
        if not isinstance(value, dict):
            raise self._error(words[0], _no_answer(bytes(output.data)), errors)
        return value

    def lines(self, *words: str, stdin: bytes, take: Callable[[bytes], None], refuse: Callable[[int], None]) -> None:
        """Call a subcommand that answers lines; ``take`` is given each as it comes, ``refuse`` the size of one that is
        too long.
        """
        from entire.plugin_host.programs.lines import Lines

        output = Lines(take, refuse)
        self._call(words, stdin, output)
        output.finish()

    def ask(self, question: str, **arguments: Any) -> Any:
        """Ask over the connection, which is started if there is none; return the answer."""
        label = f"{_ASK} {question}"
        text = jsontext.dumps({"ask": question, "root": self.root, **arguments}, compact=True)
        begin = self._clock()
        try:
            answer = self._exchange(label, text.encode() + b"\n")
        except BaseException:
            self._drop_connection()
            raise
        finally:
            self._spent += self._clock() - begin
        if isinstance(reason := answer.get("error"), str):
            raise self._error(label, f"failed: {shown(reason)}")
        return answer["answer"]

    def limit_time(self) -> None:
        """Leave at most ``LOCKED_SECONDS`` for what is still asked in this hook: others wait for its lock."""
        self._seconds = min(self._seconds, self._spent + LOCKED_SECONDS)

    def close(self) -> None:
        """End the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _call(self, words: tuple[str, ...], stdin: bytes | str, output: Output, seconds: float = 0.0) -> bytes:
        """Run a subcommand to its end; return what it printed on standard error."""
        begin = self._clock()
        limit = self._limit(words[0], seconds)
        if problem := _unfit(words):
            raise self._error(words[0], f"was not called: {problem}")
        child = self._start(words[0], words) if isinstance(stdin, bytes) else self._start_with(stdin, words)
        try:
            child.write(stdin if isinstance(stdin, bytes) else b"", last=True)
            child.read(output, begin + limit)
        except (running.TimeOverError, running.TooMuchError, OSError) as error:
            raise self._error(words[0], _reason(error, limit), child.errors) from error
        finally:
            child.end()
            self._spent += self._clock() - begin
        if child.status:
            raise self._error(words[0], _how_it_ended(child.status), child.errors)
        return child.errors

    def _exchange(self, label: str, question: bytes) -> dict[str, Any]:
        """Return the answer to a question. A process may end after an answer: it is started again."""
        limit = self._limit(label)
        deadline = self._clock() + limit
        connection = self._connect(label)
        try:
            line = connection.ask(question, deadline)
            if line is None and connection.has_answered and not self._drop_connection():
                connection = self._connect(label)
                line = connection.ask(question, deadline)
        except (running.TimeOverError, running.TooMuchError, OutOfTurnError) as error:
            raise self._error(label, _reason(error, limit), connection.child.errors) from error
        value = _parsed(line or b"")
        if isinstance(value, dict) and ("answer" in value or isinstance(value.get("error"), str)):
            return value
        self._drop_connection()
        status = connection.child.status
        what = _how_it_ended(status) if status else "ended without an answer" if line is None else _no_answer(line)
        raise self._error(label, what, connection.child.errors)

    def _connect(self, label: str) -> Connection:
        if self._connection is None:
            from entire.plugin_host.programs.connection import Connection

            self._connection = Connection(self._start(label, (_ASK,)), self._is_answer)
        return self._connection

    def _drop_connection(self) -> int:
        """Kill the connection's process if it has not ended; return its exit status, 0 if it has none."""
        connection, self._connection = self._connection, None
        if connection is None:
            return 0
        connection.child.end()
        return connection.child.status or 0

    def _is_answer(self, data: bytes) -> bool:
        """Tell whether the output of a program that has become silent is taken before it exits."""
        return self.in_hook and _parsed(data) is not _NOTHING

    def _limit(self, label: str, seconds: float = 0.0) -> float:
        """Return how many seconds a call may take."""
        seconds = seconds or protocol.CALL_SECONDS
        if not self.in_hook:
            return seconds
        left = self._seconds - self._spent
        if left <= 0:
            raise self._error(label, f"was not called: this hook's {self._seconds:.3g} seconds for plugins are over")
        return min(seconds, left)

    def _start_with(self, path: str, words: tuple[str, ...]) -> Running:
        """Start a process that reads a file as its standard input."""
        try:
            given, _ = files.open_named(path)
        except OSError as error:
            raise self._error(words[0], f"was not called: cannot read {path}: {error.strerror or error}") from error
        with given:
            return self._start(words[0], words, given.fileno())

    def _start(self, label: str, words: tuple[str, ...], given: int = -1) -> Running:
        if self.in_hook and self.processes >= HOOK_PROCESSES:
            raise self._error(label, f"was not called: a hook starts at most {HOOK_PROCESSES} processes of a plugin")
        try:
            child = Running((self.path, *words), self._env, self.root, self._clock, given)
        except process.StartError as error:
            raise self._error(
                label, f"cannot be started: {why_not_started(self.path, self.root, error.__cause__)}"
            ) from error
        self.processes += 1
        return child

    def _error(self, label: str, what: str, errors: bytes = b"") -> PluginError:
        printed = errors.decode("utf-8", "replace")
        said = shown(printed) if printed else ""
        return PluginError(
            f"`{PREFIX}{self.name} {label}` {what}" + (f": {said}" if said else ""),
            hint=f"run `entire plugin check {self.name}`",
            errors=printed,
        )


class _Answer(Output):
    def __init__(self, limit: int, is_answer: Callable[[bytes], bool]) -> None:
        super().__init__(limit)
        self._is_answer = is_answer

    def is_enough(self, *, is_closed: bool) -> bool:  # noqa: ARG002
        return self._is_answer(bytes(self.data))


def _unfit(words: tuple[str, ...]) -> str:
    """Return what is wrong with the value of an option, which may come from anywhere; '' if nothing is. A message is
    ours.
    """
    given = zip(words[1::2], words[2::2], strict=False)
    values = (word for option, word in given if option != "--message" and not os.path.isabs(word))
    return next(filter(None, map(argument_problem, values)), "")


_NOTHING = object()  # what no JSON value is


def _environment(inherited: Mapping[str, str], root: str) -> dict[str, str]:
    return {
        **process.without_repository(inherited),
        "PATH": process.absolute_path(inherited),  # where its interpreter is looked for
        "ENTIRE_REPO_ROOT": root,
        "ENTIRE_PROTOCOL_VERSION": str(VERSION),
        "ENTIRE_CLI_VERSION": entire.__version__,
        "PWD": root,  # the inherited one names where the hook runs; some programs believe it
    }


def _parsed(data: bytes | bytearray) -> Any:
    """Return a JSON value, _NOTHING if the data are none."""
    try:
        return jsontext.loads(bytes(data).removeprefix(_BOM))
    except (ValueError, RecursionError):
        return _NOTHING


def _no_answer(data: bytes) -> str:
    """Say what is wrong with an answer that is no JSON object of the expected form."""
    value = _parsed(data)
    if not data.strip():
        return "answered nothing"
    if value is _NOTHING:
        return f"did not answer with JSON: {shown(data[:_MAX_MESSAGE].decode('utf-8', 'replace'))[:80]}"
    return f"did not answer with the JSON object that it should: {shown(jsontext.dumps(value))[:80]}"


def _reason(error: Exception, seconds: float) -> str:
    if isinstance(error, running.TimeOverError):
        return f"did not finish within {seconds:.3g} second{'s' * (seconds != 1)}"
    if isinstance(error, running.TooMuchError):
        limit = error.limit
        return "printed more than " + (f"{limit >> 20} MB" if limit >= 1 << 20 else f"{limit} bytes")
    if isinstance(error, OutOfTurnError):
        return "wrote more than one line for a question"
    return f"was ended: {getattr(error, 'strerror', error)}"


def _how_it_ended(status: int) -> str:
    return f"failed with status {status}" if status > 0 else f"was killed by signal {-status}"


def why_not_started(path: str, root: str, reason: BaseException | None) -> str:
    """Say why a program cannot be started: the system's reason may be another file's."""
    number = getattr(reason, "errno", 0)
    if number == errno.ENOENT and not os.path.isdir(root):
        return f"{root} does not exist"
    if number == errno.ENOENT and os.path.exists(path):
        return "the interpreter that its first line names does not exist"
    if number == errno.ENOEXEC:
        return "it is not a program, and its first line names no interpreter"
    return getattr(reason, "strerror", "") or str(reason)


def shown(text: str) -> str:
    """Return the last lines of what a program printed on standard error, on one line, for people."""
    import re

    text = re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)", "", text)
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > _MAX_LINES:  # a traceback: its frames are indented
        lines = [line for line in lines if not line[0].isspace()] or lines
    joined = "; ".join(line.strip() for line in lines[-_MAX_LINES:])
    clean = "".join(char if char.isprintable() else " " for char in joined)
    return clean if len(clean) <= _MAX_MESSAGE else clean[: _MAX_MESSAGE - 1] + "…"
