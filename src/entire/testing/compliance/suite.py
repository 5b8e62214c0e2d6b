"""Runs the checks over a plugin."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from entire.agents.external.language import protocol
from entire.model.value import Value, replace
from entire.testing.compliance.check import Exchange, Failed, Result, Skipped, Status
from entire.testing.compliance.probe import Limits, Plugin, Probe
from entire.testing.compliance.table import CHECKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.testing.compliance.call import Answer
    from entire.testing.compliance.check import Check
    from entire.testing.compliance.fixtures import Fixtures

_SHOWN = 1500
"""Characters of what was sent and came back that a report shows."""
_PARTS = ("payloads", "transcripts", "repositories", "configs")


class Options(Value):
    """What is checked. ``only``: names of checks, promises and groups; all, if there are none."""

    only: tuple[str, ...] = ()
    is_quick: bool = False
    fixtures: Fixtures | None = None
    limits: Limits = Limits()


def run(path: str, options: Options) -> Iterator[Result]:
    """Check the plugin at a path; yield each result as it comes. Everything that is written is removed again."""
    with tempfile.TemporaryDirectory(prefix="entire-check-", ignore_cleanup_errors=True) as folder:
        plugin = _look(path, Path(folder).resolve(), options)
        for number, check in enumerate(chosen(options)):
            yield _checked(check, plugin, Path(folder).resolve() / str(number), options)


def chosen(options: Options) -> Sequence[Check]:
    """Return the checks that are to be made."""
    return [check for check in CHECKS if not options.only or {check.name, check.group} & set(options.only)]


def _look(path: str, folder: Path, options: Options) -> Plugin:
    """Ask the plugin what it is; what is wrong with its answer, the checks find out."""
    file = os.path.basename(path)
    plugin = Plugin(path=path, name=file.removeprefix(protocol.PREFIX))
    probe = Probe(plugin, folder / "look", limits=options.limits)
    try:
        return replace(plugin, info=probe.value("info"))
    except Failed as failure:
        answer = failure.answer
        why = answer.problem or f"it ended with status {answer.status}" if answer and not answer.is_ok else ""
        return replace(plugin, problem=why or "its answer is not a JSON object")
    finally:
        probe.remove()


def _checked(check: Check, plugin: Plugin, folder: Path, options: Options) -> Result:
    result = Result(name=check.name, group=check.group, promise=check.text, status=Status.PASSED)
    reason = _why_not(check, plugin, options)
    if reason:
        return replace(result, status=Status.SKIPPED, reason=reason)
    started = time.monotonic()
    found = _made(check, plugin, folder, options)
    return replace(result, **found, seconds=round(time.monotonic() - started, 3))


def _made(check: Check, plugin: Plugin, folder: Path, options: Options) -> dict[str, object]:
    """Make a check; return the fields of its result."""
    probe = None
    try:
        probe = Probe(plugin, folder, limits=options.limits, fixtures=options.fixtures)
        check.check(probe)
    except Failed as failure:
        exchange = _exchange(failure.answer) if failure.answer else None
        return {"status": Status.FAILED, "reason": failure.expected, "exchange": exchange}
    except Skipped as skipped:
        return {"status": Status.SKIPPED, "reason": str(skipped)}
    except Exception as error:  # no answer, however strange, ends the whole run
        last = _exchange(probe.answers[-1]) if probe is not None and probe.answers else None
        return {"status": Status.FAILED, "reason": f"an answer that can be understood: {error!r}", "exchange": last}
    finally:
        if probe is not None:
            probe.remove()
    return {"status": Status.NOTE, "reason": "; ".join(probe.notes)} if probe.notes else {}


def _why_not(check: Check, plugin: Plugin, options: Options) -> str:
    """Return why a check is not made; '' if it is."""
    if plugin.problem and check.name not in ("file-name", "info"):
        return f"`info` failed, and nothing else is asked: {plugin.problem}"
    if check.is_large and options.is_quick:
        return "left out by --quick"
    return "; ".join(reason for need in check.needs if (reason := _lacks(need, plugin, options)))


def _lacks(need: str, plugin: Plugin, options: Options) -> str:
    if need in _PARTS:
        return (
            ""
            if getattr(options.fixtures, need, ())
            else f"there are no fixtures in `{need}`: name some with --fixtures"
        )
    if need == "extensions":
        has_questions = plugin.capabilities & set(protocol.EXTENSIONS)
        return "" if has_questions else "it declares no extension of Entire (`entire_ranges` and others)"
    return "" if need in plugin.capabilities else f"it does not declare `{need}`"


def _exchange(answer: Answer) -> Exchange:
    made = answer.call
    return Exchange(
        command=" ".join([os.path.basename(made.path), *(_quoted(word) for word in made.words)]),
        folder=made.folder,
        sent=_shown(made.stdin) if made.stdin is not None else "(standard input was closed)",
        status=_status(answer),
        stdout=_shown(answer.stdout),
        stderr=_shown(answer.stderr),
        seconds=round(answer.seconds, 3),
    )


def _quoted(word: str) -> str:
    import shlex

    return shlex.quote(word)


def _status(answer: Answer) -> str:
    if answer.problem:
        return answer.problem
    return f"exit status {answer.status}" if answer.status >= 0 else f"killed by signal {-answer.status}"


def _shown(data: bytes) -> str:
    """Return bytes as text, shortened in the middle."""
    text = data[: 4 * _SHOWN].decode("utf-8", "backslashreplace")
    if len(text) <= _SHOWN and len(data) <= 4 * _SHOWN:
        return text
    end = data[-_SHOWN:].decode("utf-8", "backslashreplace")
    return f"{text[: _SHOWN // 2]} ... ({len(data):,} bytes in all) ... {end[-_SHOWN // 4 :]}"
