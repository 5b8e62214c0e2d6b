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
    found = part.digest
    if found is None:
        return
    intent = text.one_line(found.intent, 400)
    if intent and (short or intent not in [" ".join(prompt.text.split()) for prompt in part.prompts]):
        yield "Intent", intent
    if short:
        return
    yield from _rows("Changed", [file(changed) for changed in found.files if changed.added is not None])
    yield from _rows("Failed", [failure(failed) for failed in found.failures])
    yield from _rows("Tests", [outcome(run) for run in found.tests])
    yield from _rows("Taken back", [attempt(tried) for tried in found.attempts])


def file(found: FileDigest) -> str:
    """Return what happened to a file, on one line."""
    name = text.one_line(found.path, 120)
    said = [_STATUS.get(found.status, "changed")] if found.status else []
    if found.added is not None and (found.added or found.removed):
        said.append(f"+{found.added:,} -{found.removed or 0:,}")
    if found.added and found.by_session is not None and found.by_session < found.added:
        said.append(f"{found.by_session:,} by this session")
    return f"{name} ({', '.join(said)})" if said else name


def failure(found: FailureDigest, words: Words = PLAIN) -> str:
    """Return a failed command, its error and what fixed it, on one line."""
    times = f" ({found.times} times)" if found.times > 1 else ""
    error = f": {words.said(found.error)}" if found.error else ""
    return f"{words.command(found.command)}{times}{error}; {_fix(found, words)}"


def _fix(found: FailureDigest, words: Words) -> str:
    if not found.is_fixed:
        return "not fixed"
    names = found.files or found.commands
    more = f" and {len(names) - words.names} more" if len(names) > words.names else ""
    how = "fixed in " if found.files else "fixed by "
    return how + ", ".join(map(words.name, names[: words.names])) + more if names else "worked later"


def outcome(found: TestRunDigest, words: Words = PLAIN) -> str:
    """Return a run of tests and its result, on one line."""
    figures = [(found.passed, "passed"), (found.failed, "failed"), (found.skipped, "skipped")]
    known = ", ".join(f"{number:,} {word}" for number, word in figures if number)
    result = {"passed": "passed", "failed": "failed"}.get(found.result, "result not recorded")
    return f"{words.command(found.command)}: {result}" + (f" ({known})" if known else "")


def attempt(found: AttemptDigest) -> str:
    """Return lines that did not stay, on one line."""
    more = f" and {text.count(found.lines - 1, 'more line')}" if found.lines > 1 else ""
    instead = f" by {text.one_line(found.instead, 60)}" if found.instead else ""
    return f"{text.one_line(found.path, 80)}: {text.one_line(found.text, 60)}{more}, {found.fate}{instead}"


def _rows(title: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield from (("" if number else title, line) for number, line in enumerate(lines[:_SHOWN]))
    if len(lines) > _SHOWN:
        yield "", f"and {len(lines) - _SHOWN} more"
