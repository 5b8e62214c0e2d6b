"""When a turn's tools were at work, derived from the records of its transcript."""

from __future__ import annotations

import pytest

from entire.conversation import windows
from entire.conversation.records import ANSWERED, ASKED, CALLED, ENDED, OPEN, STOPPED
from entire.conversation.windows import Activity, Window

BASH = Window(call="bash", began=20.0, ended=30.0)


def seen(*rows: tuple[str, float] | tuple[str, float, str]) -> list[tuple[str, int, float, str]]:
    return [(row[0], at, row[1], "".join(row[2:])) for at, row in enumerate(rows)]


def test_a_window_lasts_from_the_call_to_its_result() -> None:
    found = windows.derive(seen(
        (ASKED, 10.0), (ANSWERED, 19.0), (CALLED, 20.0, "bash"), (CALLED, 21.0), (ENDED, 22.0),
        (ENDED, 30.0, "bash"), (CALLED, 40.0, "open"), (ENDED, 41.0, "of an earlier turn"),
    ))  # fmt: skip
    still = Window(call="open", began=40.0)
    assert found == Activity(windows=(BASH, still), first=10.0, last=41.0, has_answers=True)


def test_a_background_task_is_at_work_until_the_notice_of_its_end() -> None:
    found = windows.derive(seen((CALLED, 20.0, "bash"), (ANSWERED, 25.0), (ENDED, 30.0, "bash")))
    assert found is not None and found.windows == (BASH,)


@pytest.mark.parametrize("rows", [(), ((ASKED, 10.0), (CALLED, 0.0, "bash"))])
def test_without_records_or_times_nothing_can_be_told(rows: tuple[tuple[str, float], ...]) -> None:
    assert windows.derive(seen(*rows)) is None


def test_an_interruption_ends_the_turn_unless_it_goes_on() -> None:
    rows = seen((ASKED, 10.0), (CALLED, 20.0, "bash"), (STOPPED, 29.0), (ENDED, 30.0, "bash"))
    found = windows.derive(rows)
    assert found is not None
    assert (found.interrupted, found.windows) == (30.0, (BASH,)), "what it stopped ends with it"
    for kind in (ASKED, ANSWERED, CALLED):
        later = windows.derive([*rows, (kind, 9, 50.0, "")])
        assert later is not None and later.interrupted == 0.0


def test_what_an_interruption_stopped_may_be_written_late() -> None:
    rows = seen((OPEN, 20.0, "answer"), (STOPPED, 29.0), (CALLED, 20.0, "bash"), (ENDED, 30.0, "bash"))
    found = windows.derive(rows)
    assert found is not None
    assert (found.interrupted, found.windows) == (30.0, (Window(call="answer", began=20.0, ended=29.0), BASH))
    for kind in (ANSWERED, OPEN, CALLED):
        after = windows.derive(seen((STOPPED, 29.0), (kind, 20.0, "late")))
        assert after is not None
        assert (after.interrupted, after.has_answers) == (29.0, False), kind


@pytest.mark.parametrize(
    ("moment", "end", "expected"),
    [
        (12.0, 0.0, False),
        (18.5, 0.0, True),
        (25.0, 0.0, True),
        (31.5, 0.0, True),
        (32.5, 0.0, False),
        (31.5, 30.5, False),  # the slack ends with the turn
        (30.2, 30.5, True),
        (0.0, 0.0, True),  # unknown: any window will do
    ],
)
def test_when_a_tool_can_have_changed_a_file(moment: float, end: float, expected: bool) -> None:
    found = Activity(windows=(BASH,), first=10.0, last=40.0, has_answers=True)
    assert found.can_change(moment, end) is expected


def test_a_turn_whose_tools_only_write_changes_nothing_unreported() -> None:
    assert Activity(first=10.0, last=40.0).can_change(0.0) is False
    assert Activity(first=10.0, last=40.0).can_change(20.0) is False


def test_the_tools_of_subagents_stand_for_the_calls_that_started_them() -> None:
    own = Activity(windows=(Window(call="task", began=10.0, ended=90.0), BASH), first=1.0, last=90.0)
    inner = Activity(windows=(Window(call="inner", began=50.0, ended=60.0),), first=11.0, last=80.0)
    assert windows.with_subagents(own, {"task": [inner]}).windows == (BASH, *inner.windows)
    assert windows.with_subagents(own, {"task": [Activity(first=11.0)]}).windows == (BASH,)
    whole = windows.with_subagents(own, {"task": [inner, None]}).windows
    assert set(whole) == {*own.windows, *inner.windows}, "one of them cannot tell"
