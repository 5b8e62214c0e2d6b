"""Asks a plugin for every promise: as a program, through its host, and of Entire with it."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import shlex
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entire import UsageError
from entire.plugin.host import protocol, questions
from entire_plugin_kit.cases import ask, why_not
from entire_plugin_kit.fixtures import FixtureRig
from entire_plugin_kit.plugin import PluginRig, describe
from entire_plugin_kit.program.probe import Limits, Plugin, Probe
from entire_plugin_kit.promise import PROGRAM, Exchange, Failed, Noted, Result, Skipped, Status, why
from entire_plugin_kit.rig import Rig
from entire_plugin_kit.surroundings import sealed
from entire_plugin_kit.table import PROMISES, READING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from entire_plugin_kit.answer import Answer
    from entire_plugin_kit.fixtures import Fixtures
    from entire_plugin_kit.promise import Promise

_SHOWN = 1500
"""Characters of what was sent and came back that a report shows."""
_PARTS = ("payloads", "transcripts", "repositories", "configs")


@dataclass(frozen=True, kw_only=True)
class Options:
    """What is asked. ``only``: names of promises and groups; all, if there are none. ``rig``: describes the agent, in
    place of what the fixtures tell.
    """

    only: tuple[str, ...] = ()
    is_quick: bool = False
    fixtures: Fixtures | None = None
    rig: Rig | None = None
    limits: Limits = field(default_factory=Limits)


def chosen(options: Options) -> Sequence[Promise]:
    """Return the promises that are asked for. A quick run without a rig asks the program alone."""
    if options.only:
        return [promise for promise in PROMISES if {promise.name, promise.group} & set(options.only)]
    return [promise for promise in PROMISES if promise.by == PROGRAM or not options.is_quick or options.rig]


def run(path: str, options: Options) -> Iterator[Result]:
    """Ask the plugin at a path; yield each result as it comes. Everything that is written is removed again."""
    with tempfile.TemporaryDirectory(prefix="entire-check-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        program = _look(path, folder, options)
        with contextlib.closing(_BehindHost(path, folder / "described", options)) as plugin:
            for number, promise in enumerate(chosen(options)):
                if promise.by == PROGRAM:
                    asked = partial(_of_program, promise, program, folder / str(number), options)
                elif program.problem:
                    asked = partial(_skipped, _nothing_else(program))
                else:
                    asked = partial(_of_rig, promise, plugin.rig)
                yield _timed(promise, asked)


def _timed(promise: Promise, asked: Callable[[], dict[str, Any]]) -> Result:
    started = time.monotonic()
    result = Result(name=promise.name, group=promise.group, promise=promise.text, status=Status.PASSED)
    return replace(result, **asked(), seconds=round(time.monotonic() - started, 3))


def _skipped(reason: str) -> dict[str, Any]:
    return {"status": Status.SKIPPED, "reason": reason}


# ---------------------------------------------------------------- of an adapter, and of Entire


class _BehindHost:
    """A plugin behind its host, described for all promises of a run once one asks for it."""

    def __init__(self, path: str, folder: Path, options: Options) -> None:
        self._path = path
        self._folder = folder
        self._described = options.rig or (FixtureRig(options.fixtures) if options.fixtures else None)

    @cached_property
    def rig(self) -> PluginRig:
        with sealed(self._folder):
            return describe(self._path, self._described)

    def close(self) -> None:
        if "rig" in vars(self):
            self.rig.close()


def _of_rig(promise: Promise, rig: PluginRig) -> dict[str, Any]:
    """Ask for a promise through the host; return the fields of its result."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            ask(promise, rig)
            plain = rig.without_extensions()
            if promise.group == READING and plain.info != rig.info and not why_not(promise, plain):
                ask(promise, plain)
        except Skipped as skipped:
            return _skipped(str(skipped))
        except Noted as remark:
            return {"status": Status.NOTE, "reason": str(remark)}
        except Exception as error:  # no adapter, however strange, ends the whole run
            return {"status": Status.FAILED, "reason": why(error)}
    return {}


def load_rig(path: Path) -> Rig:
    """Return the rig that a Python file defines, by whatever name. Raises UsageError if there is none."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise UsageError(f"{path} is not a Python file", hint="name a file that defines a rig")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{path} cannot be loaded: {error!r}", hint="correct it, and run the check again") from error
    rigs = [value for value in vars(module).values() if isinstance(value, Rig)]
    if len(rigs) != 1:
        raise UsageError(f"{path} defines {len(rigs)} rigs", hint="define one: `RIG = MyRig()`")
    return rigs[0]


# ---------------------------------------------------------------- of a program


def _look(path: str, folder: Path, options: Options) -> Plugin:
    """Ask the plugin what it is; what is wrong with its answer, the promises find out."""
    plugin = Plugin(path=path, name=os.path.basename(path).removeprefix(protocol.PREFIX))
    probe = Probe(plugin, folder / "look", limits=options.limits)
    try:
        return replace(plugin, info=probe.value("info"))
    except Failed as failure:
        answer = failure.answer
        reason = answer.problem or f"it ended with status {answer.status}" if answer and not answer.is_ok else ""
        return replace(plugin, problem=reason or "its answer is not a JSON object")
    finally:
        probe.remove()


def _of_program(promise: Promise, program: Plugin, folder: Path, options: Options) -> dict[str, Any]:
    """Ask for a promise of a program; return the fields of its result."""
    if reason := _why_not(promise, program, options):
        return _skipped(reason)
    probe = None
    try:
        probe = Probe(program, folder, limits=options.limits, fixtures=options.fixtures)
        promise.check(probe)
    except Failed as failure:
        exchange = _exchange(failure.answer) if failure.answer else None
        return {"status": Status.FAILED, "reason": failure.expected, "exchange": exchange}
    except Skipped as skipped:
        return _skipped(str(skipped))
    except Exception as error:  # no answer, however strange, ends the whole run
        last = _exchange(probe.answers[-1]) if probe is not None and probe.answers else None
        return {"status": Status.FAILED, "reason": f"an answer that can be understood: {error!r}", "exchange": last}
    finally:
        if probe is not None:
            probe.remove()
    return {"status": Status.NOTE, "reason": "; ".join(probe.notes)} if probe.notes else {}


def _why_not(promise: Promise, program: Plugin, options: Options) -> str:
    """Return why a program is not asked for a promise; '' if it is."""
    if program.problem and promise.name not in ("file-name", "info"):
        return _nothing_else(program)
    if promise.is_large and options.is_quick:
        return "left out by --quick"
    return "; ".join(reason for need in promise.needs if (reason := _lacks(need, program, options)))


def _nothing_else(program: Plugin) -> str:
    return f"`info` failed, and nothing else is asked: {program.problem}"


def _lacks(need: str, program: Plugin, options: Options) -> str:
    if need in _PARTS:
        has = getattr(options.fixtures, need, ())
        return "" if has else f"there are no fixtures in `{need}`: name some with --fixtures"
    if need == "extensions":
        asked = program.capabilities & {question.extension for question in questions.QUESTIONS.values()}
        return "" if asked else "it declares no extension with questions (`entire_ranges` and others)"
    return "" if need in program.capabilities else f"it does not declare `{need}`"


def _exchange(answer: Answer) -> Exchange:
    made = answer.call
    return Exchange(
        command=" ".join([os.path.basename(made.path), *map(shlex.quote, made.words)]),
        folder=made.folder,
        sent=_shown(made.stdin) if made.stdin is not None else "(standard input was closed)",
        status=_status(answer),
        stdout=_shown(answer.stdout),
        stderr=_shown(answer.stderr),
        seconds=round(answer.seconds, 3),
    )


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
