"""Makes a commit as the user's own ``git commit`` would, with their name and signature, and moves HEAD to it."""

from __future__ import annotations

import os

from entire import files, process
from entire.errors import EntireError, GitError, RefMovedError
from entire.git import refs, run
from entire.model.ids import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place

_SIGNING_SECONDS = 20.0
# A dialog for a passphrase finds the user through these.
_ASKING = ("DISPLAY", "WAYLAND_DISPLAY", "GPG_TTY", "SSH_ASKPASS", "GIT_ASKPASS", "DBUS_SESSION_BUS_ADDRESS")
_PEOPLE = tuple(f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE"))
_SETTINGS = ("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_CONFIG_PARAMETERS")
_UTF8 = ("-c", "i18n.commitEncoding=UTF-8")  # else git would take our text for the user's encoding
_GPG = b'#!/bin/sh\nexec "$ENTIRE_GPG" --batch --no-tty --pinentry-mode error "$@"\n'
_SIGNING = r"^(commit\.gpgsign|gpg\.format|gpg\.(.*\.)?program)$"
_FALSE = ("", "false", "no", "off", "0")
_PROGRAMS = {"openpgp": "gpg", "x509": "gpgsm"}  # by gpg.format; ssh-keygen asks on a terminal only
_CLEANUPS = {"verbatim": None, "strip": ["--strip-comments"]}
_NO_NAME = "Please tell me who you are"
_SHOWN = 200  # characters of what git said


def write(place: Place, folder: str, *, tree: str, parent: str, message: bytes) -> str:
    """Write a commit object; return its id. It is signed if the user's commits are, but nothing is asked.

    ``folder`` is for files that are needed meanwhile. Raises GitError if git refuses: it does not know the user, or
    cannot sign without asking.
    """
    path = os.path.join(folder, "message")
    files.write(path, message, mode=0o600)
    env = {name: value for name, value in _environment().items() if name not in _ASKING}
    env["SSH_ASKPASS_REQUIRE"] = "never"
    options = _signing(place, folder, env)
    words = ["commit-tree", *(["-S"] if options else []), *(["-p", parent] if parent else []), "-F", path]
    argv = ["git", "-C", place.top, *_UTF8, *options, *words, Argument(tree)]
    try:
        done = process.Child(argv, env, isolated=True).finish(timeout=_SIGNING_SECONDS)
    except EntireError as error:
        raise GitError(f"git could not make the commit: {error.message}", hint=error.hint) from error
    if done.status:
        raise _failure(done, is_signed=bool(options))
    return done.stdout.decode("ascii").strip()


def move_head(place: Place, new: str, old: str, subject: str) -> None:
    """Move HEAD's branch (a detached HEAD itself) from ``old`` ('' before the first commit) to ``new``, with git's own
    words in the reflog; raises RefMovedError if another process has moved it.
    """
    kind = "commit" if old else "commit (initial)"
    try:
        refs.move(place.top, [refs.RefMove(ref="HEAD", new=new, old=old)], reason=f"{kind}: {subject}")
    except RefMovedError as error:
        before, is_refused, _ = error.message.partition("fatal: ref updates aborted by hook")
        if not is_refused:
            raise
        said = [" ".join(line.split()) for line in before.split("failed: ", 1)[-1].split("\n") if line.strip()]
        raise GitError(": ".join(["the reference-transaction hook refused", *said[-1:]])) from error


def clean(place: Place, message: bytes) -> bytes:
    """Return a message without what ``git commit`` removes from one that is not edited."""
    setting = run.git(place.top, "config", "--get", "commit.cleanup", ok=(0, 1), env=_environment())
    options: list[str] | None = _CLEANUPS.get(setting.stdout.decode("utf-8", "replace").strip(), [])
    if options is None:
        return message
    return run.git(place.top, "stripspace", *options, stdin=message).stdout


def _environment() -> dict[str, str]:
    """Return git's environment, with the user's own name, dates and settings as far as variables give them."""
    given = {name: value for name, value in os.environ.items() if name in _PEOPLE or name.startswith(_SETTINGS)}
    return {**run.environment(), **given}


def _signing(place: Place, folder: str, env: dict[str, str]) -> list[str]:
    """Return git's options for a signed commit, nothing if the user's commits are not signed."""
    output = run.git(place.top, "config", "-z", "--get-regexp", _SIGNING, ok=(0, 1), env=env).stdout
    named = (line.partition("\n") for line in output.decode("utf-8", "replace").split("\0") if line)
    settings = {name: value if newline else "true" for name, newline, value in named}  # as git reads a bare name
    if settings.get("commit.gpgsign", "").lower() in _FALSE:
        return []
    kind = settings.get("gpg.format", "openpgp")
    if kind not in _PROGRAMS:
        return ["-c", "commit.gpgSign=true"]
    keys = [f"gpg.{kind}.program", *(["gpg.program"] if kind == "openpgp" else [])]
    chosen = [settings[key] for key in keys if key in settings]
    wrapper = os.path.join(folder, "gpg")
    files.write(wrapper, _GPG, mode=0o700)
    env["ENTIRE_GPG"] = os.path.expanduser(chosen[0]) if chosen else _PROGRAMS[kind]
    return ["-c", f"gpg.{kind}.program={wrapper}"]


def _failure(done: process.Completed, *, is_signed: bool) -> GitError:
    """Return why git made no commit, from what it printed: it explains an unknown name at length."""
    said = done.stderr.decode("utf-8", "replace")
    if _NO_NAME in said:
        return GitError("git does not know who you are", hint="set user.name and user.email", status=done.status)
    lines = [" ".join(line.split()) for line in said.split("\n") if line.strip()]
    named = [line.partition(": ")[2] for line in lines if line.startswith(("fatal: ", "error: "))]
    reason = next(iter([*named[-1:], *lines[-1:], "it did not say why"]))[:_SHOWN]
    if is_signed:
        return GitError(f"the commit cannot be signed without asking you ({reason})",
                        hint="unlock the key in its agent, or check user.signingKey", status=done.status)  # fmt: skip
    return GitError(f"git could not make the commit: {reason}", status=done.status)
