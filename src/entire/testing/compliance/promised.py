"""Runs the promises over a plugin, which need pytest and hypothesis: the extra ``entire[testing]``."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entire.errors import UsageError
from entire.model.events import EventType
from entire.model.value import Value
from entire.testing.compliance.check import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from entire.testing.compliance.fixtures import Fixtures, HookCase
    from entire.testing.promises.promise import Promise
    from entire.testing.promises.rig import Rig

GROUP = "promises"
_PREFIX = f"{GROUP}/"
_LACKING = "pytest and hypothesis are not installed: `pip install 'entire[testing]'` brings them"
_TEST = """\
import pytest

pytest.register_assert_rewrite("entire.testing.promises")

from entire.testing import promises
from entire.testing.compliance import promised

test_promises = promises.cases(promised.described())
"""


class Description(Value):
    """The plugin whose promises are checked, and where its rig comes from."""

    path: str
    rig_file: Path | None = None
    fixtures: Fixtures | None = None


_current: list[Description] = []
"""What is being checked: pytest imports the test by itself, and only then are the promises imported."""


def is_possible() -> bool:
    """Tell whether the promises can be run."""
    return all(importlib.util.find_spec(name) for name in ("pytest", "hypothesis"))


def listed(only: Sequence[str]) -> list[dict[str, Any]]:
    """Return the promises that are chosen, for a list."""
    if not is_possible():
        return []
    from entire.testing.promises.table import PROMISES

    return [
        {"name": _PREFIX + promise.name, "group": GROUP, "promise": promise.text, "needs": promise.needs}
        for promise in PROMISES
        if _is_chosen(promise.name, only)
    ]


def is_name(word: str) -> bool:
    """Tell whether a word names the promises, or one of them."""
    return word == GROUP or word.startswith(_PREFIX)


def _is_chosen(name: str, only: Sequence[str]) -> bool:
    return not only or GROUP in only or _PREFIX + name in only


def run(description: Description, only: Sequence[str], report: Callable[[Result], None]) -> None:
    """Run the promises over a plugin; report each result as it comes."""
    if not is_possible():
        report(_all(Status.SKIPPED, _LACKING))
        return
    _current[:] = [description]
    try:
        _run_tests(_Reporter(only, report))
    finally:
        _current.clear()


def _all(status: Status, reason: str) -> Result:
    """Return a result that stands for every promise."""
    return Result(
        name=GROUP, group=GROUP, promise="The plugin gives the promises of agents.", status=status, reason=reason
    )


def described() -> Rig:
    """Return the rig of the plugin that is being checked."""
    from entire.testing.promises import plugin

    (current,) = _current
    rig = load_rig(current.rig_file) if current.rig_file else rig_of(current.fixtures) if current.fixtures else None
    return plugin.describe(current.path, rig)


def _run_tests(reporter: _Reporter) -> None:
    """Have pytest run the promises, undisturbed by any configuration; it rewrites their assertions to show values."""
    import pytest

    with tempfile.TemporaryDirectory(prefix="entire-promises-") as folder:
        test = Path(folder).resolve() / "test_plugin.py"
        test.write_text(_TEST)
        options = ["-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(test.parent), "--import-mode=importlib"]
        options += [f"--basetemp={test.parent / 'tmp'}", "--tb=short", str(test)]
        with contextlib.redirect_stdout(io.StringIO()) as said, pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
            status = pytest.main(options, plugins=[reporter])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED):
        reporter.report(_all(Status.FAILED, reporter.problem or said.getvalue().strip()))


class _Reporter:
    """Takes part in a run of pytest: chooses the promises and reports what came of them."""

    def __init__(self, only: Sequence[str], report: Callable[[Result], None]) -> None:
        self._only = only
        self._report = report
        self._stdout = sys.stdout  # pytest has its own
        self.problem = ""  # why nothing could be run
        self._promises: dict[str, Promise] = {}

    def report(self, result: Result) -> None:
        with contextlib.redirect_stdout(self._stdout):
            self._report(result)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            lines = [line.removeprefix("E ").strip() for line in report.longreprtext.splitlines() if line[:2] == "E "]
            self.problem = "\n".join(lines) or report.longreprtext

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        from entire.testing.promises.table import PROMISES

        self._promises = {promise.name: promise for promise in PROMISES}
        items[:] = [item for item in items if _is_chosen(_name(item.name, self._promises), self._only)]

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        promise = self._promises[_name(report.nodeid, self._promises)]
        status = {"passed": Status.PASSED, "skipped": Status.SKIPPED}.get(report.outcome, Status.FAILED)
        self.report(Result(name=_PREFIX + promise.name, group=GROUP, promise=promise.text, status=status,
                           reason=_reason(report), seconds=report.duration))  # fmt: skip


def _name(test: str, known: Any) -> str:
    """Return the promise of a test, ``test_promises[AGENT-PROMISE]``: an agent's name may have dashes, too."""
    inside = test.partition("[")[2].rstrip("]")
    return max((str(name) for name in known if inside.endswith(f"-{name}")), key=len)


def _reason(report: Any) -> str:
    if report.outcome == "skipped":
        return str(report.longrepr[2]).removeprefix("Skipped: ").partition(": ")[2]
    return str(report.longreprtext)


# ---------------------------------------------------------------- rigs


def load_rig(path: Path) -> Rig:
    """Return the rig that a Python file defines, by whatever name. Raises UsageError if there is none."""
    from entire.testing.promises.rig import Rig

    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{path} cannot be loaded: {error!r}", hint="correct it, and run the check again") from error
    found = [value for value in vars(module).values() if isinstance(value, Rig)]
    if len(found) != 1:
        raise UsageError(f"{path} defines {len(found)} rigs", hint="define one: `RIG = MyRig()`")
    return found[0]


def rig_of(fixtures: Fixtures) -> Rig:
    """Return a rig with what fixtures tell."""
    from entire.testing.promises import Captured, Payload, Rig

    rig = Rig()
    rig.payloads = [
        Payload(name=case.name, verb=case.hook, data=_payload(case), event=_event(case))
        for case in fixtures.payloads
        if b"@REPO@" not in _payload(case) and b"@HOME@" not in _payload(case)
    ]
    captured = []
    for case in fixtures.transcripts:
        if {"prompts", "files"} <= case.expected.keys():
            told = case.expected
            captured.append(Captured(name=case.name, path=case.path, prompts=told["prompts"], files=told["files"]))
    rig.transcripts = captured
    return rig


def _payload(case: HookCase) -> bytes:
    import json

    return case.payload.encode() if isinstance(case.payload, str) else json.dumps(case.payload).encode()


def _event(case: HookCase) -> dict[str, Any] | None:
    """Return an event's fields as the promises compare them."""
    if case.event is None:
        return None
    fields = {name: value for name, value in case.event.items() if name in _EVENT_FIELDS}
    return {**fields, "type": EventType(case.event["type"]).name}


_EVENT_FIELDS = ("session_id", "session_ref", "previous_session_id", "prompt", "model", "tool_use_id", "subagent_id")
