"""Draws the digest of a checkpoint: what was asked for, and how it went."""

from __future__ import annotations

from functools import partial

from entire.model.value import Value
from entire.ui.console import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from entire.model.digests import AttemptDigest, FailureDigest, FileDigest, TestRunDigest
    from entire.model.views.checkpoints import PartView

_SHOWN = 5  # of each kind
_STATUS = {"A": "added", "D": "deleted", "M": "changed", "R": "renamed", "T": "type changed"}


class Words(Value):
    """How commands, names of what fixed them, and outputs are written on a line; how many names there are at most."""

    command: Callable[[str], str]
    name: Callable[[str], str]
    said: Callable[[str], str]
    names: int


PLAIN = Words(
    command=partial(text.one_line, width=80), name=partial(text.one_line, width=60),
    said=partial(text.one_line, width=120), names=3,
)  # fmt: skip


def rows(part: PartView, *, short: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the rows of a session's part, each with its title; one that repeats is left out. The page shows the prompts
    unless it is ``short``: then the intent stands for everything.
    """
    digest = part.digest
    if digest is None:
        return
    intent = text.one_line(digest.intent, 400)
    if intent and (short or intent not in [" ".join(prompt.text.split()) for prompt in part.prompts]):
        yield "Intent", intent
    if short:
        return
    yield from _rows("Changed", [file(changed) for changed in digest.files if changed.added is not None])
    yield from _rows("Failed", [failure(failed) for failed in digest.failures])
    yield from _rows("Tests", [outcome(run) for run in digest.tests])
    yield from _rows("Taken back", [attempt(tried) for tried in digest.attempts])


def file(digest: FileDigest) -> str:
    """Return what happened to a file, on one line."""
    name = text.one_line(digest.path, 120)
    said = [_STATUS.get(digest.status, "changed")] if digest.status else []
    if digest.added is not None and (digest.added or digest.removed):
        said.append(f"+{digest.added:,} -{digest.removed or 0:,}")
    if digest.added and digest.by_session is not None and digest.by_session < digest.added:
        said.append(f"{digest.by_session:,} by this session")
    return f"{name} ({', '.join(said)})" if said else name


def failure(digest: FailureDigest, words: Words = PLAIN) -> str:
    """Return a failed command, its error and what fixed it, on one line."""
    times = f" ({digest.times} times)" if digest.times > 1 else ""
    error = f": {words.said(digest.error)}" if digest.error else ""
    return f"{words.command(digest.command)}{times}{error}; {_fix(digest, words)}"


def _fix(digest: FailureDigest, words: Words) -> str:
    if not digest.is_fixed:
        return "not fixed"
    names = digest.files or digest.commands
    more = f" and {len(names) - words.names} more" if len(names) > words.names else ""
    how = "fixed in " if digest.files else "fixed by "
    return how + ", ".join(map(words.name, names[: words.names])) + more if names else "worked later"


def outcome(digest: TestRunDigest, words: Words = PLAIN) -> str:
    """Return a run of tests and its result, on one line."""
    figures = [(digest.passed, "passed"), (digest.failed, "failed"), (digest.skipped, "skipped")]
    known = ", ".join(f"{number:,} {word}" for number, word in figures if number)
    result = {"passed": "passed", "failed": "failed"}.get(digest.result, "result not recorded")
    return f"{words.command(digest.command)}: {result}" + (f" ({known})" if known else "")


def attempt(digest: AttemptDigest) -> str:
    """Return lines that did not stay, on one line."""
    more = f" and {text.count(digest.lines - 1, 'more line')}" if digest.lines > 1 else ""
    instead = f" by {text.one_line(digest.instead, 60)}" if digest.instead else ""
    return f"{text.one_line(digest.path, 80)}: {text.one_line(digest.text, 60)}{more}, {digest.fate}{instead}"


def _rows(title: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield from (("" if number else title, line) for number, line in enumerate(lines[:_SHOWN]))
    if len(lines) > _SHOWN:
        yield "", f"and {len(lines) - _SHOWN} more"
