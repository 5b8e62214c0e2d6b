"""Builds and runs git command lines: the only place that does."""

from __future__ import annotations

import os

from entire.errors import GitError, PartialCloneError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire import process

_OPTIONS = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
)
_INHERITED = (
    "GIT_EXEC_PATH",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2",
)


LIMITS: dict[str, str] = {}
"""Variables of every git that starts: see ``entire.git.offline``."""
_PROMISED = "promisor remote"
_LACKS = "this partial clone lacks a part of what is asked for"
_UNREACHABLE = "this partial clone lacks a needed object: connect to its remote, so git can fetch it"


def environment(**extra: str) -> dict[str, str]:
    """Return git's environment: few inherited ``GIT_*`` variables, no optional locks, no prompts, C messages.
    What git starts itself is looked for in absolute folders only.
    """
    from entire import process  # not for hooks that start no git

    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _INHERITED}
    env.update(
        PATH=process.absolute_path(env), GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", LC_ALL="C",
        GIT_NO_REPLACE_OBJECTS="1", **LIMITS, **extra,
    )  # fmt: skip
    return env


def argv(where: str, args: Sequence[str | bytes]) -> list[str | bytes]:
    """Return the command line of a git command in the folder ``where``."""
    return ["git", "-C", where, *_OPTIONS, *args]


def git(
    where: str,
    *args: str | bytes,
    stdin: bytes = b"",
    ok: Sequence[int] = (0,),
    timeout: float | None = 120.0,
    env: dict[str, str] | None = None,
) -> process.Completed:
    """Run a git command in ``where``; a status not in ``ok`` raises GitError with the command and git's message."""
    from entire import process

    done = process.run(argv(where, args), stdin=stdin, env=env or environment(), timeout=timeout)
    if done.status not in ok or (LIMITS and done.status):
        message = done.stderr.decode("utf-8", "replace").strip()
        words = " ".join(os.fsdecode(arg) for arg in args[:4])
        error = failure(f"git {words} failed", message, done.status)
        if done.status not in ok or isinstance(error, PartialCloneError):
            raise error
    return done


def failure(what: str, message: str, status: int = 1) -> GitError:
    """Return the error of a git that failed, by its message."""
    if LIMITS and _PROMISED in message:
        return PartialCloneError(_LACKS, status=status, stderr=message)
    return GitError(f"{what}: {message or f'status {status}'}", hint=hint(message), status=status, stderr=message)


def hint(message: str) -> str:
    """Return what to do about git's message if it could not fetch what a partial clone lacks, else ''."""
    return _UNREACHABLE if "remote repository" in message or _PROMISED in message else ""


def at_once(where: str, *args: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> bytes:
    """Run a git command that answers many questions; return its output."""
    from entire import process

    done = process.run_at_once(argv(where, args), stdin, env or environment())
    if done.status:
        message = done.stderr.decode("utf-8", "replace").strip()
        raise failure(f"git {args[0]} failed", message, done.status)
    return done.stdout


def lines(where: str, *args: str | bytes, stdin: bytes = b"", ok: Sequence[int] = (0,)) -> list[str]:
    """Run a git command and return its output lines."""
    return git(where, *args, stdin=stdin, ok=ok).stdout.decode("utf-8", "surrogateescape").splitlines()
