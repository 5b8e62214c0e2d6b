"""Each promise of a program passes a good one, and finds one that breaks it; so do some that go through the host."""

from __future__ import annotations

import inspect
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from entire_plugin_kit import PROMISES, fixtures, plugin, suite
from entire_plugin_kit.answer import Call
from entire_plugin_kit.fixtures import FixtureRig
from entire_plugin_kit.program import (
    call,
    hooks,
    identity,
    processes,
    questions,
    records,
    sessions,
    surroundings,
    transcripts,
)
from entire_plugin_kit.promise import PROGRAM, Result, Status
from entire_plugin_kit.suite import Options
from tests.unit.entire_plugin_kit.plugin_faults import CAPTURED, CASES, FAULTS, GOOD, RECORDS, SMALL, Fault

ROOMS = (questions, hooks, records, identity, processes, sessions, surroundings, transcripts)
OF_RECORDS = {promise.name for promise in PROMISES if "entire_records" in promise.needs}
NAMES = [promise.name for promise in PROMISES if promise.by == PROGRAM]


@pytest.fixture(autouse=True)
def own_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `python3` be the one that runs the tests: that of a version manager takes several times as long to start."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def results(path: Path, *only: str, **how: object) -> dict[str, Result]:
    options = Options(**{"only": only, "limits": SMALL, "fixtures": fixtures.load(CAPTURED), **how})  # type: ignore[arg-type]
    return {result.name: result for result in suite.run(str(path), options)}


@pytest.mark.parametrize("name", dict.fromkeys((*NAMES, *FAULTS)))
def test_a_good_plugin_passes(name: str, tmp_path: Path) -> None:
    changes = (RECORDS,) if name in OF_RECORDS else ()
    good = Fault(name="none", changes=changes, is_process=any(fault.is_process for fault in FAULTS.get(name, ())))
    (result,) = results(good.write(tmp_path), name).values()
    noted = name == "turn-end" and result.status is Status.NOTE  # the machine may be busy
    assert result.status is Status.PASSED or noted, result


@pytest.mark.parametrize(("name", "fault"), CASES, ids=[f"{name}-{fault.name}" for name, fault in CASES])
def test_a_plugin_that_breaks_a_rule_is_found(name: str, fault: Fault, tmp_path: Path) -> None:
    (result,) = results(fault.write(tmp_path), name, limits=fault.limits).values()
    assert result.status is (Status.NOTE if fault.is_noted else Status.FAILED), result
    assert result.reason


@pytest.mark.skipif("ENTIRE_LONG" not in os.environ, reason="takes half an hour: set ENTIRE_LONG=1")
@pytest.mark.parametrize(("name", "fault"), [case for case in CASES if case[0] in NAMES])
def test_no_other_check_finds_it(name: str, fault: Fault, tmp_path: Path) -> None:
    found = results(fault.write(tmp_path), *NAMES, limits=fault.limits)
    assert {each.name for each in found.values() if each.status is Status.FAILED} == set() if fault.is_noted else {name}


def test_every_promise_of_a_program_has_a_fault_that_it_finds() -> None:
    assert set(NAMES) - set(FAULTS) == set()
    assert {name for name, faults in FAULTS.items() if all(fault.is_noted for fault in faults)} == set()


def test_every_check_is_in_the_table() -> None:
    written = {
        value
        for room in ROOMS
        for name, value in inspect.getmembers(room, inspect.isfunction)
        if value.__module__ == room.__name__ and not name.startswith("_")
        if list(inspect.signature(value).parameters) == ["probe"]
    }
    helpers = {hooks.installed}
    assert {promise.check for promise in PROMISES if promise.by == PROGRAM} == written - helpers


@pytest.mark.parametrize("name", ["captured", "lines", "beyond-the-end", "nothing", "declarations", "parts"])
def test_a_plugin_that_tells_records_keeps_promises_through_the_host(name: str, tmp_path: Path) -> None:
    (result,) = results(Fault(name="none", changes=(RECORDS,)).write(tmp_path), name).values()
    assert result.status is Status.PASSED, result


def test_settings_that_are_laid_out_in_another_way_are_a_note_where_no_sample_was_captured(tmp_path: Path) -> None:
    """Version 1 does not tell which file it is, and many languages have no other way to write JSON."""
    strips = next(fault for fault in FAULTS["installation"] if fault.name == "strips")
    (result,) = results(strips.write(tmp_path), "installation", fixtures=None).values()
    assert (result.status, "laid out in another way" in result.reason) == (Status.NOTE, True), result


def test_the_program_of_a_resume_command_is_not_touched(tmp_path: Path) -> None:
    program = tmp_path / "good agent"
    program.write_text("the agent")
    named = Fault(name="absolute", changes=(("good-agent --resume", f"'{program}' --resume"),))
    (result,) = results(named.write(tmp_path), "shell").values()
    assert (result.status, program.read_text()) == (Status.PASSED, "the agent"), result


# ---------------------------------------------------------------- rigs of plugins


def test_a_plugin_is_described_by_what_it_says_and_by_a_rig() -> None:
    found = plugin.describe(str(GOOD), FixtureRig(fixtures.load(CAPTURED)))
    assert (found.entry.name, found.entry.type, found.entry.protected_dirs) == ("good", "Good Agent", (".good",))
    assert [case.name for case in found.transcripts] == ["two-turns"]
    assert [(case.name, case.event) for case in found.payloads][:2] == [
        ("no-session", None),
        ("prompt", {"type": "TURN_START", "session_id": "s-1", "prompt": "Say hi"}),
    ]
    assert found.exceptions["positions"] == "version 1 of the protocol cannot carry it: declare `entire_positions`"
    assert "captured" not in found.exceptions


# ---------------------------------------------------------------- calls


def script(folder: Path, *lines: str, **how: Any) -> Call:
    """Return a call of a shell script."""
    path = folder / "script"
    path.write_text("\n".join(["#!/bin/sh", *lines]))
    path.chmod(0o755)
    return Call(**{"path": str(path), "words": (), "env": dict(os.environ), "folder": str(folder), **how})


def test_a_call_that_ends_says_how(tmp_path: Path) -> None:
    answer = call.run(script(tmp_path, "cat; echo no >&2; exit 3", stdin=b"x" * 300_000))
    assert (answer.status, len(answer.stdout), answer.stderr, answer.problem) == (3, 300_000, b"no\n", "")
    assert (answer.is_ok, answer.is_refusal, answer.has_left_processes) == (False, True, False)


def test_a_call_tells_what_its_process_worked_and_not_what_it_waited(tmp_path: Path) -> None:
    waits = call.run(script(tmp_path, "sleep 0.3"))
    works = call.run(script(tmp_path, "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done"))
    assert waits.cpu_seconds < works.cpu_seconds < works.seconds
    assert waits.seconds - waits.cpu_seconds > 0.2


@pytest.mark.parametrize(
    ("lines", "how", "problem"),
    [
        (("sleep 60",), {"seconds": 0.5}, "did not end within 0.5 seconds"),
        (("exec >&- 2>&-; sleep 60",), {"seconds": 0.5}, "did not end within 0.5 seconds"),
        (("yes",), {"max_output": 1000}, "printed more than 1,000 bytes"),
    ],
    ids=["hangs", "closes-and-hangs", "floods"],
)
def test_a_call_that_takes_too_much_is_stopped(
    lines: tuple[str, ...], how: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    answer = call.run(script(tmp_path, *lines, **how))
    assert (answer.problem, answer.is_ok, answer.is_refusal) == (problem, False, False)


def test_what_a_call_leaves_running_is_seen_and_ended(tmp_path: Path) -> None:
    started = time.monotonic()
    answer = call.run(script(tmp_path, "sleep 60 &", "echo done"))
    assert (answer.status, answer.stdout, answer.problem, answer.has_left_processes) == (0, b"done\n", "", True)
    assert time.monotonic() - started < 30


def test_calls_are_made_at_the_same_time(tmp_path: Path) -> None:
    """Each waits for a file that the other makes."""
    lines = ("touch $1", "while ! [ -e $2 ]; do sleep 0.05; done", "echo $1")
    calls = [script(tmp_path, *lines, words=words, seconds=60.0) for words in (("a", "b"), ("b", "a"))]
    assert [answer.stdout for answer in call.run_all(calls)] == [b"a\n", b"b\n"]


def test_input_can_be_closed_and_output_left(tmp_path: Path) -> None:
    closed = call.run(script(tmp_path, "cat || exit 4", stdin=None))
    assert (closed.status, closed.problem) == (4, "")
    left = call.run(script(tmp_path, "exec yes", max_read=1))
    assert (left.problem, left.status) == ("", -13)


def test_what_cannot_be_started_says_so(tmp_path: Path) -> None:
    answer = call.run(Call(path=str(tmp_path / "none"), words=(), env={}, folder=str(tmp_path)))
    assert answer.problem == "cannot be started: No such file or directory"
    windows = script(tmp_path)
    Path(windows.path).write_bytes(b"#!/bin/sh\r\necho {}\r\n")
    assert call.run(windows).problem == "cannot be started: the interpreter that its first line names does not exist"
