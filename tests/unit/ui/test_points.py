"""The lines of points and rewinds: aligned, bounded, and harmless whatever an agent or a person wrote."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from entire.model.value import replace
from entire.model.views.points import ConversationView, EditView, LeftView, PointView, RewindView
from entire.ui.console import diffs, text
from entire.ui.console.text import Style
from entire.ui.screens import points

NOW = 1_750_000_000.0  # 2025-06-15 15:06:40 UTC
PLAIN, COLOURED = Style(False), Style(True)


def point(oid: str = "a" * 40, **changes: Any) -> PointView:
    known: dict[str, Any] = {
        "kind": "step", "time": NOW - 60, "session_id": "0f3d2c1b-1111", "agent": "Claude Code",
        "prompt": "Add a greeting", "message": "Step", "files": ("a.py", "b.py"), "added": 12, "removed": 3,
    }  # fmt: skip
    return PointView(id=oid, **(known | changes))


def test_an_entry_has_the_keys_of_the_go_cli_first() -> None:
    one = point(
        kind="checkpoint", checkpoint_id="0123456789ab", session_prompt="First", metadata_dir=".entire/metadata/x",
        message="Add greeting", tool_use_id="", is_condensed=True, before_prompt="before-0123456789ab",
    )  # fmt: skip
    assert list(points.entry(one).items()) == [
        ("id", "a" * 40),
        ("message", "Add greeting"),
        ("metadata_dir", ".entire/metadata/x"),
        ("date", "2025-06-15T15:05:40Z"),
        ("is_task_checkpoint", False),
        ("tool_use_id", ""),
        ("is_logs_only", True),
        ("condensation_id", "0123456789ab"),
        ("session_id", "0f3d2c1b-1111"),
        ("session_prompt", "First"),
        ("kind", "checkpoint"),
        ("agent", "Claude Code"),
        ("prompt", "Add a greeting"),
        ("files", ["a.py", "b.py"]),
        ("added", 12),
        ("removed", 3),
        ("parent", ""),
        ("is_condensed", True),
        ("is_before_prompt", False),
        ("before_prompt", "before-0123456789ab"),
    ]


@pytest.mark.parametrize(
    ("kind", "is_task", "is_logs_only"),
    [("step", False, False), ("task", True, False), ("checkpoint", False, True), ("turn", False, True)],
)
def test_what_kinds_are_for_scripts(kind: str, is_task: bool, is_logs_only: bool) -> None:
    found = points.entry(point(kind=kind, time=0.0))
    assert (found["is_task_checkpoint"], found["is_logs_only"], found["date"]) == (is_task, is_logs_only, "")


def test_the_table() -> None:
    found = [
        point("before-0123456789ab", kind="start", is_before_prompt=True, files=(), added=0, removed=0),
        point(),
        point("b" * 40, kind="task", parent="a" * 40, prompt="", message="Look around", files=("c",), added=0,
              removed=100),
        point("c" * 12, kind="turn", prompt="Explain\nit", files=(), added=0, removed=0, time=NOW - 86400),
        point("d" * 40, kind="checkpoint", message="Add", time=NOW - 400 * 86400, is_condensed=True),
    ]  # fmt: skip
    assert points.table(found, 100, NOW, PLAIN) == [
        "15:05        0f3d2c1b  Claude Code  start   before: Add a greeting",
        "15:05        0f3d2c1b  Claude Code  step    after: Add a greeting                   2 files   +12 -3",
        "15:05        0f3d2c1b  Claude Code  task    └ Look around                            1 file  +0 -100",
        "06-14 15:06  0f3d2c1b  Claude Code  turn    after: Explain it",
        "2024-05-11   0f3d2c1b  Claude Code  commit  Add                                     2 files   +12 -3",
    ]
    narrow = points.table(found, 60, NOW, COLOURED)
    assert narrow[1] == "15:05        0f3d2c1b  step    after: Add a gr…  2 files   +12 -3"
    assert narrow[4].startswith(f"{text.MARK}[2m2024-05-11 ")
    assert narrow[4].endswith(f"{text.MARK}[0m")
    assert points.table([], 80, NOW, PLAIN) == []


def test_a_circle_of_parents_ends() -> None:
    found = [point("a", parent="b"), point("b", parent="a")]
    assert len(points.rows(found, 80, NOW)) == 2


anything = st.text(st.characters(codec=None), max_size=40)


@settings(max_examples=40)
@given(
    st.lists(
        st.builds(
            point, oid=anything, kind=anything, session_id=anything, agent=anything, prompt=anything, message=anything,
            parent=anything, files=st.lists(anything, max_size=3).map(tuple),
            time=st.floats(-1e9, 4e9), added=st.integers(0, 10**9), removed=st.integers(0, 10**9),
        ),
        max_size=4,
    ),
    st.integers(100, 200),
)  # fmt: skip
def test_every_line_fits_and_is_harmless(found: list[PointView], width: int) -> None:
    lines = [line for line, _ in points.rows(found, width, NOW)]
    assert len(lines) == len(found)
    assert all(cell_len(line) <= width and line.isprintable() for line in lines)


def test_what_a_search_looks_at() -> None:
    said = points.words(point(kind="checkpoint", prompt="STRASSE", files=("src/Über.py",)))
    for word in ("commit", "strasse", "src/über.py", "claude code", "0f3d2c1b-1111", "aaaa"):
        assert word in said


# ---------------------------------------------------------------- summaries


def rewind(**changes: Any) -> RewindView:
    return RewindView(**({"title": "rewind to aaaaaaa"} | changes))


def summary(view: RewindView, **how: Any) -> list[str]:
    return list(points.summary(view, PLAIN, **how))


FULL = rewind(
    point=point(),
    edits=(
        EditView(path="a.py", what="write"), EditView(path="b.py", what="create"),
        EditView(path="c\n.py", what="delete"), EditView(path="e\udce9.py", what="conflict"),
    ),
    left=(LeftView(path="lib", reason="a submodule"),),
    yours=("a.py",),
    conversations=(
        ConversationView(session_id="0f3d2c1b-1111", agent="Claude Code", what="cut", is_open=True, pid=42,
                               command="claude -r 0f3d2c1b-1111"),
        ConversationView(session_id="99", agent="", what="missing"),
    ),
    others=("77777777-2222",),
    branch="main", moved_to="1234567890abcdef", backup="refs/entire/backup/1",
    undo_id="20250615T150640Z-abcdef",
)  # fmt: skip


def test_the_summary_before() -> None:
    assert summary(FULL) == [
        "rewind to aaaaaaa, after its prompt: Add a greeting",
        "  conflict  e\N{REPLACEMENT CHARACTER}.py",
        "  change    a.py",
        "  restore   b.py",
        "  delete    c\\n.py",
        "Branch main will be moved to 1234567890ab; its old commit will be saved as refs/entire/backup/1",
        "Your own edits since then will be removed from these files; the undo point will hold them:",
        "  a.py",
        "Not restored:",
        "  lib  a submodule",
        "Conversation of Claude Code 0f3d2c1b: will be cut back to the point",
        "  close Claude Code (pid 42) first",
        "  to continue: claude -r 0f3d2c1b-1111",
        "Conversation of session 99: no transcript here",
        "Other sessions that worked since then keep their conversations: 77777777",
    ]


def test_the_summary_after() -> None:
    done = summary(FULL, done=True)
    assert done[2] == "  changed   a.py"
    assert done[5] == "Resolve the conflicts as after a git merge: the files hold both versions, with conflict markers."
    assert "Your own edits since then were removed from these files; the undo point holds them:" in done
    assert "Conversation of Claude Code 0f3d2c1b: cut back to the point" in done
    assert done[-1] == "Undo: entire rewind --undo"


def test_edits_that_were_kept() -> None:
    assert "Your own edits since then will be merged:" in summary(FULL, keep_mine=True)
    assert "Your own edits since then were merged:" in summary(FULL, keep_mine=True, done=True)


def test_many_files_are_counted() -> None:
    many = rewind(edits=tuple(EditView(path=f"{n}.py", what="write") for n in range(1500)))
    lines = summary(many)
    assert len(lines) == points.SHOWN + 2
    assert lines[-1] == "  and 1,480 more"


def test_nothing_to_do() -> None:
    idle = rewind(conversations=(ConversationView(session_id="s", what="unchanged"),))
    assert points.is_nothing(idle)
    assert summary(idle)[1] == "Nothing to restore: nothing has changed since then."
    assert summary(replace(idle, logs_only=True))[1] == (
        "Nothing to restore: the conversation is as it was then. The files were not compared."
    )
    assert summary(replace(idle, untouched=1))[1] == (
        "Nothing to restore: no session changed what would go back. 1 other file differs from the point, and will stay."
    )
    assert summary(replace(idle, left=FULL.left))[1] == "Nothing to restore."
    assert not points.is_nothing(FULL)
    assert not points.is_nothing(rewind(conversations=(ConversationView(session_id="s", what="cut"),)))


@given(anything, anything, anything)
def test_a_summary_commands_no_terminal(title: str, path: str, what: str) -> None:
    view = rewind(
        title=title, edits=(EditView(path=path, what=what),), left=(LeftView(path=path, reason=title),),
        yours=(path,), branch=path or "x", moved_to=what, backup=title, others=(title,),
        conversations=(ConversationView(session_id=path, agent=title, what="cut", command=title),),
    )  # fmt: skip
    for line in summary(view, done=True):
        assert all(char.isprintable() or char in "\n\t" for char in line)


# ---------------------------------------------------------------- diffs

DIFF = b"""diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,2 +1,2 @@
 same
--- gone
+new \x1b[31mred\r
"""


def test_a_diff_in_our_own_colours() -> None:
    assert list(diffs.lines(DIFF)) == [
        ("diff --git a/x b/x", "bold"),
        ("--- a/x", "bold"),
        ("+++ b/x", "bold"),
        ("@@ -1,2 +1,2 @@", "cyan"),
        (" same", ""),
        ("--- gone", "red"),
        ("+new ^[[31mred^M", "green"),
    ]
    assert list(diffs.coloured(DIFF, COLOURED))[5] == COLOURED("--- gone", "red")
    assert list(diffs.lines(DIFF, 2))[2:] == [("... and 5 more lines", "dim")]
    assert list(diffs.lines(b"")) == []


@given(st.binary(max_size=200))
def test_any_bytes_are_a_harmless_diff(data: bytes) -> None:
    for line in diffs.coloured(data, PLAIN):
        assert all(char.isprintable() or char == "\t" for char in line)


def test_a_time_of_today_has_no_date() -> None:
    assert time.localtime(NOW).tm_mday == 15  # the tests run in UTC
    assert points.rows([point(time=NOW)], 80, NOW)[0][0].startswith("15:06 ")
