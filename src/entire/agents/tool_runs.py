"""Finds the tool call that made a commit, for adapters whose transcripts hold commands, outputs and times."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SLACK = 1.0  # git's times are whole seconds
_OPTION = r"""(?:-[cC]\s*(?:'[^']*'|"[^"]*"|\S)+|--?[\w-]+(?:=(?:'[^']*'|"[^"]*"|\S)*)?)"""
_COMMITTING = rf"\bgit(?:\s+{_OPTION})*\s+(?:commit|merge|revert|cherry-pick|am|rebase|pull)\b"
_HEX = r"\b[0-9a-f]{7,64}\b"
_SUMMARY = r"\[[^\[\]\n]+ ([0-9a-f]{7,64})\]"


class ToolRun(Value):
    """One tool call: the answer that made it, what it ran, when it started and ended (0: unknown), what it printed."""

    answer: str
    command: str = ""
    started: float = 0.0
    ended: float = 0.0
    output: str = ""


def of_commit(runs: Iterable[ToolRun], commit: str, moment: float) -> ToolRun | None:
    """Return the call that made a commit at ``moment``, None if no call says so.

    Git's own line about the commit (``[main 1a2b3c4] Subject``) is enough. Other output that names the commit, and a
    command that commits, count if the call ran at that time: a later one may only have looked at the commit.
    """
    import re

    known = list(runs)
    at_work = [run for run in known if _ran_at(run, moment)]
    found = [run for run in known if any(map(commit.startswith, printed(run.output)))]
    found += [run for run in at_work if any(map(commit.startswith, re.findall(_HEX, run.output)))]
    found += [run for run in at_work if re.search(_COMMITTING, run.command) and not printed(run.output)]
    return found[0] if found else None


def printed(output: str) -> list[str]:
    """Return the abbreviated ids of the commits that git said it made: ``[main 1a2b3c4] Subject``."""
    if "]" not in output:
        return []  # most commands: a hook that follows each of them does without ``re`` (4 ms to import)
    import re

    return re.findall(_SUMMARY, output)


def _ran_at(run: ToolRun, moment: float) -> bool:
    return 0 < run.started <= moment and (not run.ended or run.ended >= moment - _SLACK)
