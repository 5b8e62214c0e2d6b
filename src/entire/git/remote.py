"""Talks to remotes without prompting: no terminal, no dialog, no standard input, and a time limit."""

from __future__ import annotations

import os

from entire import process
from entire.errors import EntireError, GitError
from entire.git import ref_locks, run
from entire.model.ids import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_QUESTIONS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",  # prints nothing; otherwise git would start core.askPass, a dialog
    "SSH_ASKPASS": "true",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_OPTIONS = ("-c", "credential.interactive=false", "-c", "core.askPass=true")


def is_named(where: str, remote: str) -> bool:
    """Tell whether this is the name of a remote rather than a URL or path."""
    return not run.git(where, "config", "--get-all", f"remote.{remote}.url", ok=(0, 1)).status


def has(where: str, remote: str, commit: str) -> bool:
    """Tell whether a named remote has a commit, as far as this clone knows."""
    tips = f"refs/remotes/{remote}/"
    done = run.git(where, "for-each-ref", "--count=1", "--format=x", f"--contains={commit}", tips, ok=(0, 128, 129))
    return bool(done.stdout.strip())


def push(where: str, remote: str, commit: str, ref: str, timeout: float) -> None:
    """Push a commit to a remote's ref, never by force and without hooks; raises EntireError with the reason."""
    _run(where, timeout, "push", "--no-verify", "--quiet", "--no-follow-tags", "--no-recurse-submodules",
          "--no-signed", "--", remote, f"{commit}:{ref}")  # fmt: skip


def fetch(where: str, remote: str, ref: str, into: str, timeout: float) -> None:
    """Fetch a remote's ref into one of ours, replacing its value; no other ref moves. Raises EntireError with the
    reason.
    """
    with ref_locks.LockNote(where, [into]):
        _run(where, timeout, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
             "--refmap=", "--", remote, f"+{ref}:{into}")  # fmt: skip


def fetch_objects(where: str, remote: str, oids: Sequence[str], timeout: float) -> None:
    """Fetch single objects that a partial clone lacks, as git does when it reads one; no ref moves."""
    _run(where, timeout, "-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags",
         "--no-recurse-submodules", "--no-write-fetch-head", "--filter=blob:none", "--stdin", "--", remote,
         stdin="".join(f"{oid}\n" for oid in oids).encode())  # fmt: skip


def local_tips(where: str, remote: str, pattern: str) -> dict[str, str] | None:
    """Return the refs of a remote that is a folder of this machine, which needs no network; None for any other."""
    output = run.git(where, "remote", "get-url", Argument(remote), ok=(0, 2, 128)).stdout
    url = output.decode("utf-8", "surrogateescape").rstrip("\n").removeprefix("file://")
    if not os.path.isdir(os.path.join(where, url)):
        return None
    done = run.git(
        os.path.join(where, url), "for-each-ref", "--format=%(objectname) %(refname)", Argument(pattern), ok=(0, 128)
    )
    lines = done.stdout.decode("utf-8", "surrogateescape").splitlines()
    return {ref: oid for oid, _, ref in (line.partition(" ") for line in lines)} if not done.status else None


def _run(where: str, timeout: float, *args: str, stdin: bytes = b"") -> None:
    if timeout <= 0:
        raise EntireError("timed out")
    env = process.without_repository(os.environ)
    env.update(_NO_QUESTIONS, PATH=process.absolute_path(env), GIT_SSH_COMMAND=_ssh_command(where))
    env.pop("GIT_SSH", None)
    try:
        run.git(where, *_OPTIONS, *args, stdin=stdin, timeout=timeout, env=env)
    except GitError as error:
        raise GitError(_reason(error.stderr), status=error.status, stderr=_without_secrets(error.stderr)) from None


def _ssh_command(where: str) -> str:
    """Return the user's ssh command in batch mode: ssh would prompt on the terminal, bypassing all redirections."""
    command = os.environ.get("GIT_SSH_COMMAND", "")
    if not command:
        output = run.git(where, "config", "--get", "core.sshCommand", ok=(0, 1)).stdout
        command = output.decode("utf-8", "surrogateescape").strip()
    if not command:
        program = os.environ.get("GIT_SSH", "ssh")
        command = "'" + program.replace("'", "'\\''") + "'" if program != "ssh" else program
    return command + (" -batch" if "plink" in command.lower() else " -oBatchMode=yes")


def _reason(message: str) -> str:
    """Return the most informative line of git's error output."""
    lines = [line.strip() for line in _without_secrets(message).split("\n") if line.strip()]
    marked = [line for line in lines if line.startswith(("fatal:", "error:", "!", "remote: error", "ERROR:"))]
    return (marked or lines or ["git printed no error message"])[0]


def _without_secrets(message: str) -> str:
    """Remove user names and passwords from URLs."""
    words = message.split("://")
    for n, rest in enumerate(words[1:], 1):
        end = min((rest.find(char) for char in "/ '\"\n" if char in rest), default=len(rest))
        at = rest.rfind("@", 0, end)
        words[n] = rest[at + 1 :]
    return "://".join(words)


def is_in_history(where: str, commit: str, tip: str) -> bool:
    """Tell whether a commit, which git may have deleted, is in the history of a tip."""
    return not run.git(where, "merge-base", "--is-ancestor", Argument(commit), Argument(tip), ok=(0, 1, 128)).status


def is_ancestor(where: str, older: str, newer: str) -> bool:
    """Tell whether ``older`` is ``newer`` or in its history."""
    if older == newer:
        return True
    return not run.git(where, "merge-base", "--is-ancestor", Argument(older), Argument(newer), ok=(0, 1)).status
