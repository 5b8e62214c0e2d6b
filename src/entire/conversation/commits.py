"""Finds the answer whose tool call made a commit: its command and its output tell."""

from __future__ import annotations

from entire.conversation.records import Call, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from entire.conversation.records import Record

_SLACK = 1.0  # git's times are whole seconds
_OPTION = r"""(?:-[cC]\s*(?:'[^']*'|"[^"]*"|\S)+|--?[\w-]+(?:=(?:'[^']*'|"[^"]*"|\S)*)?)"""
_COMMITTING = rf"\bgit(?:\s+{_OPTION})*\s+(?:commit|merge|revert|cherry-pick|am|rebase|pull)\b"
_HEX = r"\b[0-9a-f]{7,64}\b"
_SUMMARY = r"\[[^\[\]\n]+ ([0-9a-f]{7,64})\]"


def maker(records: Iterable[Record], commit: str, moment: float) -> Call | None:
    """Return the call that made a commit at ``moment``, None if no call says so. ``records`` must have details.

    Git's own line about the commit (``[main 1a2b3c4] Subject``) is enough. Other output that names the commit, and a
    command that commits, count if the call ran at that time: a later one may only have looked at the commit.
    """
    import re

    naming = committing = None
    for call, result in _runs(records):
        made = result.commits if result is not None else ()
        if any(map(commit.startswith, made)):
            return call
        if not _ran_at(call, result, moment):
            continue
        output = result.output if result is not None else ""
        if naming is None and any(map(commit.startswith, re.findall(_HEX, output))):
            naming = call
        if committing is None and not made and re.search(_COMMITTING, call.command):
            committing = call
    return naming or committing


def _runs(records: Iterable[Record]) -> Iterator[tuple[Call, Result | None]]:
    """Yield each call with its result, and last those without one."""
    running: dict[str, Call] = {}
    for record in records:
        if isinstance(record, Call):
            running[record.id] = record
        elif isinstance(record, Result) and not record.is_notice and record.call in running:
            yield running.pop(record.call), record
    for call in running.values():
        yield call, None


def printed(output: str) -> tuple[str, ...]:
    """Return the abbreviated ids of the commits that git said it made: ``[main 1a2b3c4] Subject``."""
    if "]" not in output:
        return ()  # most commands: a hook that follows each of them does without ``re`` (4 ms to import)
    import re

    return tuple(re.findall(_SUMMARY, output))


def _ran_at(call: Call, result: Result | None, moment: float) -> bool:
    ended = result.time if result is not None else 0.0
    return 0 < call.time <= moment and (not ended or ended >= moment - _SLACK)
