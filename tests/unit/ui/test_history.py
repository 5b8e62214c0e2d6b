"""The history on screens of any width."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pytest

from entire.model.histories import LineOwnerView, LogRow, MergedView, OwnedFileView
from entire.model.tokens import TokenUsage
from entire.ui.console import wrapping
from entire.ui.console.text import Style
from entire.ui.screens import history
from tests import screens

NOW = 1767268800.0  # 2026-01-01 12:00 in UTC
LINES = (
    OwnedFileView(
        path="src/greeting.py",
        status="M",
        owners=(
            LineOwnerView(who="turn", session_id="s", turn="t", prompt="add a greeting", ranges=((1, 4), (9, 9))),
            LineOwnerView(who="person", ranges=((5, 8),), removed=2),
            LineOwnerView(who="nobody", ranges=((10, 10),)),
        ),
    ),
    OwnedFileView(path="новое имя/文件.py", status="R", old_path="old\nname.py",
                  owners=(LineOwnerView(who="turn", session_id="0123456789", turn="t"),)),
)  # fmt: skip


def row(number: int, subject: str, **more: object) -> LogRow:
    fields: dict[str, object] = {
        "oid": f"{number:x}" * 40, "subject": subject, "author": "Ada Tester", "time": NOW - 3600 * number,
        "files": 1, "added": number, "removed": 0,
    }  # fmt: skip
    return LogRow(**{**fields, **more})  # type: ignore[arg-type]


ROWS = (
    row(1, "Add greeting", prompt="add a greeting to the program, and say hello to everyone who is there",
        agents=("Claude Code",), session_ids=("s",), checkpoint_ids=("1cc5a4cd674f",), files=12, added=1234, removed=56,
        tokens=TokenUsage(input_tokens=12_000, output_tokens=345)),
    row(2, "Merge branch 'topic'", files=None, added=None, removed=None,
        merged=(MergedView(oid="abcdef0" * 5, branch="topic", commits=("b" * 40, "c" * 40)),)),
    row(3, "Fix a typo", reason="none of its lines come from a session"),
    row(4, "世界", author="山田太郎と申します",
        prompt="「こんにちは世界」と表示する関数を追加してください 👋🏽 e\u0301\033[2J\t",
        agents=("Gemini CLI", "Claude Code"), checkpoint_ids=("b1fac6cd5d81",), tokens=TokenUsage(input_tokens=None)),
    row(5, "Squashed", checkpoint_ids=("a412eb830957",), missing=("a412eb830957",), files=0),
    row(30, "Before Entire", author="A", added=9_999_999, removed=1_000_000),
    row(9000, ""),
)  # fmt: skip


def view(rows: Iterable[LogRow]) -> screens.View:
    return lambda width, style: history.lines(rows, width, NOW, style)


def test_screens_of_rows() -> None:
    screens.check("log", view(ROWS))


def test_screens_of_line_owners() -> None:
    screens.check("log-lines", view([row(1, "Add greeting", prompt="add a greeting", lines=LINES)]))


def test_a_pipe_gets_whole_lines_without_tabs() -> None:
    found = list(history.lines([row(1, "x", prompt="word " * 60 + "\tend")], None, NOW, Style(False)))
    assert len(found) == 1
    assert found[0].endswith("word word end")
    assert not any("\t" in line for line in found)


@pytest.mark.parametrize("width", range(40, 200))
def test_every_width_is_used_and_kept(width: int) -> None:
    for line in history.lines(ROWS, width, NOW, Style(False)):
        assert wrapping.width(line) <= width
    columns = history.widths(width)
    assert {"commit", "time"} <= columns.keys()
    rest = width - sum(columns.values()) - history.GAP * len(columns)
    assert rest >= 24


def test_columns_only_come_as_a_terminal_gets_wider() -> None:
    counts = [len(history.widths(width)) for width in range(40, 240)]
    assert counts == sorted(counts)
    assert history.widths(239).keys() == history.widths(None).keys() == history.COLUMNS.keys()


def test_rows_are_shown_as_they_come() -> None:
    def endless() -> Iterable[LogRow]:
        while True:
            yield ROWS[0]

    lines = iter(history.lines(endless(), 80, NOW, Style(False)))
    assert next(lines) == next(lines)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0k"),
        (12_345, "12k"),
        (999_999, "1.0M"),
        (123_456, "123k"),
        (4_500_000, "4.5M"),
        (10**10, "10G"),
    ],
)
def test_numbers(number: int, shown: str) -> None:
    assert history.short(number) == shown


def test_times_by_width() -> None:
    def shown(hours: float, width: int) -> str:
        return history.moment(NOW - hours * 3600, width, NOW)

    assert time.strftime("%Z") == "UTC"
    assert [shown(1, width) for width in (5, 11, 16)] == ["11:00", "11:00", "2026-01-01 11:00"]
    assert [shown(13, width) for width in (5, 11, 16)] == ["2025", "2025-12-31", "2025-12-31 23:00"]
