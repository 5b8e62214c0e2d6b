"""``entire rewind``: what it asks of a workspace, what it says, when it asks a person and when it never does.

The workspace is a stand-in with the same methods, so that each answer it can give is seen here; what the real one does
to files and conversations is tested where that is done.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from entire import layout
from entire.commands import rewind as rewind_command
from entire.errors import EntireError
from entire.model import prefix as prefixes
from entire.model.requests import RewindRequest
from entire.model.value import replace
from entire.model.views.points import ConversationView, EditView, LeftView, PointView, RewindView, WaysBackView
from entire.ui.screens import rewinding
from tests.integration.commandline import Repo
from tests.screen import Screen

STEP, COMMIT, TURN = "a" * 40, "c" * 40, "0123456789ab"
SESSION, OTHER = "0f3d2c1b-1111-2222", "77777777-3333"
DIFF = b"diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-two\r\n+one \xff\n"


def point(oid: str, kind: str, time: float, **more: Any) -> PointView:
    known: dict[str, Any] = {"session_id": SESSION, "agent": "Claude Code", "prompt": "Add a greeting"}
    return PointView(id=oid, kind=kind, time=time, **(known | more))


POINTS = [
    point(COMMIT, "checkpoint", 900.0, checkpoint_id="cccccccccccc", message="Add\x1b[31m", files=("x.py",)),
    point(COMMIT, "checkpoint", 900.0, checkpoint_id="dddddddddddd", message="Add", session_id=OTHER),
    point(STEP, "step", 800.0, message="Step", files=("x.py", "y.py"), added=3, removed=1),
    point("b" * 40, "task", 600.0, parent=STEP, tool_use_id="toolu_1"),
    point(TURN, "turn", 700.0, prompt="Explain it"),
]

VIEW = RewindView(
    title="rewind to aaaaaaa",
    point=POINTS[2],
    edits=(EditView(path="x.py", what="write"),),
    left=(LeftView(path="lib", reason="a submodule"),),
    conversations=(
        ConversationView(session_id=SESSION, agent="Claude Code", what="cut", command=f"claude -r {SESSION}",
                               is_open=True, pid=42),
    ),
)  # fmt: skip


class FakeRewind:
    """One rewind that remembers whether it was carried out or given up."""

    recovered: tuple[str, ...] = ()

    def __init__(self, view: RewindView, patch: bytes, log: list[str]) -> None:
        self.view = view
        self._patch = patch
        self._log = log

    def __enter__(self) -> FakeRewind:
        return self

    def __exit__(self, *_: object) -> None:
        self._log.append("left")

    def diff(self, *, colour: bool) -> bytes:
        assert not colour
        self._log.append("diff")
        return self._patch

    def carry_out(self) -> RewindView:
        self._log.append("carried out")
        return replace(self.view, undo_id="20250101T000000Z-abcdef")


class FakeWorkspace:
    """What the command sees of a repository."""

    def __init__(self, top: Path) -> None:
        place = layout.find(str(top))
        assert place is not None
        self.place = place
        self.branch, self.pager = "main", ""
        self.found = list(POINTS)
        self.view = VIEW
        self.patch = DIFF
        self.ways = WaysBackView(has_later_commits=False)
        self.calls: list[tuple[Any, ...]] = []
        self.log: list[str] = []
        self.sessions = self.points = self
        self.undo = FakeUndo(self)

    def find_id(self, prefix: str) -> str:
        return prefixes.require(prefix, (SESSION, OTHER), "session", "")

    def ways_back(self, commit: str) -> WaysBackView:
        assert commit == COMMIT
        return self.ways

    def forgotten(self, limit: int = 100) -> list[tuple[str, str, str]]:
        return []

    def listing(self, limit: int = 100, *, session_id: str = "") -> list[PointView]:
        found = [one for one in self.found if session_id in ("", one.session_id)]
        return found[:limit] if limit else found

    def rewind(self, request: RewindRequest) -> FakeRewind:
        if request.to == "none":
            raise EntireError("no such point: none", hint="`entire rewind --list` lists points")
        self.calls.append((request.to, {name: one for name, one in request.__dict__.items() if one and name != "to"}))
        return FakeRewind(replace(self.view, yours=()) if request.keep_mine else self.view, self.patch, self.log)

    @property
    def is_changed(self) -> bool:
        return "carried out" in self.log


class FakeUndo:
    def __init__(self, fake: FakeWorkspace) -> None:
        self._fake = fake

    def rewind(self, name: str = "") -> FakeRewind:
        self._fake.calls.append(("undo", name))
        view = replace(self._fake.view, point=None, title="undo of: rewind to aaaaaaa")
        return FakeRewind(view, self._fake.patch, self._fake.log)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    top = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    monkeypatch.chdir(top)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return Repo(top, capsys)


@pytest.fixture
def fake(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> FakeWorkspace:
    found = FakeWorkspace(repo.top)
    stand_in = type("Workspace", (), {"find": staticmethod(lambda: found)})
    monkeypatch.setattr(rewind_command, "Workspace", stand_in)
    return found


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return what makes somebody answer the questions on standard input."""

    def answer(words: str) -> None:
        monkeypatch.setenv("ACCESSIBLE", "1")
        monkeypatch.setattr("sys.stdin", io.StringIO(words))

    return answer


def process(repo: Repo, line: list[str]) -> str:
    """Return the program of a process of its own in which the workspace is the stand-in."""
    return f"""
import os, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
os.chdir({str(repo.top)!r})
from tests.integration.rewind import test_commands_rewind as it
fake = it.FakeWorkspace(Path.cwd())
fake.view = it.replace(it.VIEW, yours=("x.py",))
it.rewind_command.Workspace = type("Workspace", (), {{"find": staticmethod(lambda: fake)}})
from entire import cli
status = cli.main({line!r})
print(fake.calls, fake.log, file=sys.stderr)
raise SystemExit(status)
"""


# ---------------------------------------------------------------- the list


def test_the_list_is_json_newest_first(repo: Repo, fake: FakeWorkspace) -> None:
    listed = json.loads(repo.ok("rewind", "--list"))
    assert listed == repo.json("rewind", "--list")
    assert [(one["id"], one["kind"], one["condensation_id"]) for one in listed] == [
        (COMMIT, "checkpoint", "cccccccccccc"),
        (COMMIT, "checkpoint", "dddddddddddd"),
        (STEP, "step", ""),
        (TURN, "turn", ""),
        ("b" * 40, "task", ""),
    ]
    for one in listed:
        assert list(one) == [
            "id", "message", "metadata_dir", "date", "is_task_checkpoint", "tool_use_id", "is_logs_only",
            "condensation_id", "session_id", "session_prompt",
            "kind", "agent", "prompt", "files", "added", "removed", "parent", "is_condensed", "is_before_prompt",
            "before_prompt",
        ]  # fmt: skip
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", one["date"])
    assert listed[0]["message"] == "Add\x1b[31m"
    assert (listed[4]["is_task_checkpoint"], listed[4]["tool_use_id"], listed[4]["parent"]) == (True, "toolu_1", STEP)
    assert fake.calls == []


def test_a_shorter_list(repo: Repo, fake: FakeWorkspace) -> None:
    assert len(json.loads(repo.ok("rewind", "--list", "--limit", "2"))) == 2
    assert len(json.loads(repo.ok("rewind", "--list", "--limit", "0"))) == 5
    assert [one["session_id"] for one in json.loads(repo.ok("rewind", "--list", "--session", "777"))] == [OTHER]
    fake.found = []
    assert repo.ok("rewind", "--list") == "[]\n"


# ---------------------------------------------------------------- going back


def test_to_a_point_without_a_question(
    repo: Repo, fake: FakeWorkspace, say: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    say("")  # somebody could be asked, and is not
    fake.view = replace(VIEW, yours=("x.py",))
    out = repo.ok("rewind", "--to", STEP)
    assert fake.calls == [(STEP, {})]
    assert fake.log == ["carried out", "left"]
    assert out.split("\n") == [
        "rewind to aaaaaaa, after its prompt: Add a greeting",
        "  changed  x.py",
        "Your own edits since then were removed from these files; the undo point holds them:",
        "  x.py",
        "Not restored:",
        "  lib  a submodule",
        "Conversation of Claude Code 0f3d2c1b: cut back to the point",
        "  close Claude Code (pid 42) first",
        f"  to continue: claude -r {SESSION}",
        "Undo: entire rewind --undo",
        "",
    ]


def test_before_the_last_prompt_is_a_point(repo: Repo, fake: FakeWorkspace) -> None:
    repo.ok("rewind", "--before-last-prompt", "--session", "0f3")
    assert fake.calls == [("before-last-prompt", {"session_id": SESSION})]
    assert fake.is_changed


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--logs-only"], {"logs_only": True}),
        (["--files-only"], {"files_only": True}),
        (["--keep-mine"], {"keep_mine": True}),
        (["--reset"], {"reset": True}),
        (["--take-back", "--keep-mine"], {"take_back": True, "keep_mine": True}),
        (["--reset", "--files-only", "--keep-mine", "-y"], {"reset": True, "files_only": True, "keep_mine": True}),
        (["--session", "0f3"], {"session_id": SESSION}),
        (["--file", "x.py", "--file", "sub/../y z.py", "--file", "./x.py"], {"paths": ("x.py", "y z.py")}),
        (["--file", "x.py", "--keep-mine", "--session", OTHER],
         {"paths": ("x.py",), "keep_mine": True, "session_id": OTHER}),
    ],
)  # fmt: skip
def test_what_is_asked_of_the_workspace(
    repo: Repo, fake: FakeWorkspace, options: list[str], expected: dict[str, Any]
) -> None:
    repo.ok("rewind", "--to", STEP, *options)
    assert fake.calls == [(STEP, expected)]
    assert fake.is_changed


def test_json_is_the_view(repo: Repo, fake: FakeWorkspace) -> None:
    done = repo.json("rewind", "--to", STEP)
    assert fake.is_changed
    assert list(done) == list(RewindView._fields)
    assert done["undo_id"] == "20250101T000000Z-abcdef"
    assert done["edits"] == [{"path": "x.py", "what": "write"}]
    assert done["point"]["time"] == "1970-01-01T00:13:20Z"
    assert repo.json("rewind", "--to", STEP, "--preview")["undo_id"] == ""


def test_a_preview_changes_nothing(repo: Repo, fake: FakeWorkspace) -> None:
    fake.patch = b"diff --git a/x.py b/x.py\n"
    out = repo.ok("rewind", "--to", STEP, "--preview", "--keep-mine")
    assert out.endswith(f"  to continue: claude -r {SESSION}\n\ndiff --git a/x.py b/x.py\n")
    assert fake.log == ["diff", "left"]
    fake.patch = b""
    assert repo.ok("rewind", "--to", STEP, "--preview").endswith(f"  to continue: claude -r {SESSION}\n")


def test_a_preview_in_a_file_is_a_patch(repo: Repo) -> None:
    """The bytes of the diff are git's, so that ``git apply`` takes them; the summary before them is not a hunk."""
    (repo.top / "x.py").write_bytes(b"two\r\n")
    program = process(repo, ["rewind", "--to", STEP, "--preview"])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.startswith(b"rewind to aaaaaaa, after its prompt: Add a greeting\n  change  x.py\n")
    assert done.stdout.endswith(b"\n\n" + DIFF)
    subprocess.run(["git", "apply", "-"], input=done.stdout, cwd=repo.top, check=True)
    assert (repo.top / "x.py").read_bytes() == b"one \xff\n"


def test_paths_from_a_folder_below(repo: Repo, fake: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repo.top / "sub" / "deep"
    folder.mkdir(parents=True)
    (repo.top / "link").symlink_to("/etc/passwd")
    (repo.top / "alias").symlink_to("sub")
    monkeypatch.chdir(folder)
    given = ["a.py", "../b.py", "../../link", str(repo.top / "c.py"), "../../alias/d.py", "gone/e.py", "..", "f/"]
    repo.ok("rewind", "--to", STEP, *[word for one in given for word in ("--file", one)])
    paths = ("sub/deep/a.py", "sub/b.py", "link", "c.py", "sub/d.py", "sub/deep/gone/e.py", "sub", "sub/deep/f")
    assert fake.calls == [(STEP, {"paths": paths})]


@pytest.mark.parametrize("path", ["", "..", "../x.py", "/etc/passwd", "/", "outside/x.py", "../repo-2/x.py"])
def test_paths_outside(repo: Repo, fake: FakeWorkspace, path: str) -> None:
    (repo.top / "outside").symlink_to(repo.top.parent)
    assert repo.entire("rewind", "--to", STEP, "--file", path) == 2
    assert "not a path of this worktree" in repo.err
    assert fake.calls == []


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "--list"),
        ("--yes", "--to POINT"),
        ("--preview", "--to POINT"),
        ("--json", "--to POINT"),
        ("--session 0f3", "--to POINT"),
        ("--undo", "--yes"),
        ("--undo --json", "--yes"),
        ("--list --to x", "--list cannot be combined with --to"),
        ("--list --undo --to x", "--list cannot be combined with --to"),
        ("--list --file x", "--list cannot be combined with --file"),
        ("--undo --to x", "--yes"),
        ("--undo --keep-mine", "--undo cannot be combined with --keep-mine"),
        ("--undo --session 0f3 --yes", "--undo cannot be combined with --session"),
        ("--to x --logs-only --files-only", "--logs-only cannot be combined with --files-only"),
        ("--to x --logs-only --file y", "--logs-only cannot be combined with --file"),
        ("--to x --logs-only --reset", "--logs-only cannot be combined with --reset"),
        ("--to x --reset --take-back", "--reset cannot be combined with --take-back"),
        ("--to x --take-back --session y", "--take-back cannot be combined with --session"),
        ("--undo --take-back --yes", "--undo cannot be combined with --take-back"),
        ("--to x --reset --file y", "--reset cannot be combined with --file"),
        ("--to x --reset --session y", "--reset cannot be combined with --session"),
        ("--list --limit -1", "--limit cannot be negative"),
        ("--list --limit many", "--limit"),
        ("--what", "--what"),
        ("x", "x"),
    ],
)
def test_usage_errors_come_with_a_hint(repo: Repo, fake: FakeWorkspace, line: str, said: str) -> None:
    assert repo.entire("rewind", *line.split()) == 2
    whole = repo.err or repo.out
    assert said in whole
    assert "hint" in whole
    assert fake.calls == []


def test_an_empty_point(repo: Repo, fake: FakeWorkspace) -> None:
    assert repo.entire("rewind", "--to", " ") == 2
    assert "--list" in repo.err


def test_what_is_not_there(repo: Repo, fake: FakeWorkspace) -> None:
    assert repo.entire("rewind", "--to", "none", "--json") == 1
    assert json.loads(repo.out)["error"]["message"] == "no such point: none"
    assert repo.entire("rewind", "--list", "--session", "x") == 1
    assert "session not found: x" in repo.err
    assert not fake.is_changed


def test_outside_of_a_repository(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert repo.entire("rewind", "--list") == 3


# ---------------------------------------------------------------- undo


def test_undo_without_a_terminal(repo: Repo, fake: FakeWorkspace) -> None:
    assert repo.ok("rewind", "--undo", "--yes").startswith("undo of: rewind to aaaaaaa\n  changed  x.py\n")
    assert fake.calls == [("undo", "")]
    assert fake.log == ["carried out", "left"]
    repo.ok("rewind", "--undo", "--to", "20261121T1", "--yes")
    assert fake.calls[1:] == [("undo", "20261121T1")]


def test_undo_asks_a_person(repo: Repo, fake: FakeWorkspace, say: Callable[[str], None]) -> None:
    say("n\n")
    assert repo.entire("rewind", "--undo") == 0
    assert repo.out == "Nothing was changed.\n"
    assert "  change  x.py\n" in repo.err
    assert not fake.is_changed
    say("d\ny\n")
    assert repo.entire("rewind", "--undo") == 0
    assert "-two^M\n+one \N{REPLACEMENT CHARACTER}\n" in repo.err
    assert repo.out.endswith("Undo: entire rewind --undo\n")
    assert fake.is_changed


def test_a_preview_of_an_undo_asks_nobody(repo: Repo, fake: FakeWorkspace) -> None:
    assert repo.json("rewind", "--undo", "--preview")["title"] == "undo of: rewind to aaaaaaa"
    assert not fake.is_changed


def test_json_after_a_question_is_alone_on_standard_output(
    repo: Repo, fake: FakeWorkspace, say: Callable[[str], None]
) -> None:
    say("y\n")
    assert repo.entire("rewind", "--undo", "--json") == 0
    assert json.loads(repo.out)["undo_id"]


# ---------------------------------------------------------------- choosing


@pytest.mark.parametrize(
    ("answers", "options", "expected"),
    [
        ("3 1 y", [], (STEP, {})),
        ("3 code y", [], (STEP, {"files_only": True})),
        ("3 conversation y", [], (STEP, {"logs_only": True})),
        ("5 3 y", [], (TURN, {"logs_only": True})),
        ("4 both y", [], ("b" * 40, {})),
        ("1 both y", [], ("cccccccccccc", {})),  # two checkpoints of one commit
        ("3 y", ["--files-only"], (STEP, {"files_only": True})),
        ("3 y", ["--file", "x.py"], (STEP, {"paths": ("x.py",)})),
        ("3", ["--yes"], (STEP, {})),
        ("3", ["--yes", "--keep-mine"], (STEP, {"keep_mine": True})),
    ],
)
def test_what_a_person_chooses(
    repo: Repo,
    fake: FakeWorkspace,
    say: Callable[[str], None],
    answers: str,
    options: list[str],
    expected: tuple[Any, ...],
) -> None:
    say(answers.replace(" ", "\n") + "\n")
    assert repo.entire("rewind", *options) == 0
    assert fake.calls == [expected]
    assert fake.log == ["carried out", "left"]
    assert "  1) " in repo.err
    assert "\x1b" not in repo.err
    assert repo.out.endswith("Undo: entire rewind --undo\n")


@pytest.mark.parametrize("answers", ["", "q\n", "3\n1\nn\n", "3\n1\n\n"])
def test_a_person_who_leaves(repo: Repo, fake: FakeWorkspace, say: Callable[[str], None], answers: str) -> None:
    say(answers)
    assert repo.entire("rewind") == 0
    assert repo.out == "Nothing was changed.\n"
    assert not fake.is_changed


@pytest.mark.parametrize("answers", ["3\n", "3\n1\n"])
def test_an_end_in_the_middle_changes_nothing(
    repo: Repo, fake: FakeWorkspace, say: Callable[[str], None], answers: str
) -> None:
    say(answers)
    assert repo.entire("rewind") == 130
    assert not fake.is_changed


@pytest.mark.parametrize(
    ("way", "expected"), [("files", {}), ("branch", {"reset": True}), ("commit", {"take_back": True})]
)
def test_a_checkpoint_with_later_commits(
    repo: Repo, fake: FakeWorkspace, say: Callable[[str], None], way: str, expected: dict[str, Any]
) -> None:
    fake.ways = WaysBackView(has_later_commits=True, may_move=True, may_take_back=True)
    say(f"2\nboth\n{way}\ny\n")
    assert repo.entire("rewind") == 0
    assert "There are commits after this one." in repo.err
    assert fake.calls == [("dddddddddddd", expected)]


def test_only_what_is_possible_is_offered(repo: Repo, fake: FakeWorkspace, say: Callable[[str], None]) -> None:
    fake.ways = WaysBackView(has_later_commits=True, may_take_back=True, shared=("origin/main", "keep"))
    say("2\nboth\nbranch\n2\ny\n")
    assert repo.entire("rewind") == 0
    assert "The later commits are also on origin/main, keep, so main will not be moved back.\n" in repo.err
    assert "move main back" not in repo.err
    assert fake.calls == [("dddddddddddd", {"take_back": True})]


def test_commits_of_people_that_others_have_are_no_question(
    repo: Repo, fake: FakeWorkspace, say: Callable[[str], None]
) -> None:
    fake.ways = WaysBackView(has_later_commits=True, shared=("origin/main",))
    say("2\nboth\ny\n")
    assert repo.entire("rewind") == 0
    assert fake.calls == [("dddddddddddd", {})]


@pytest.mark.parametrize("option", ["--reset", "--take-back"])
def test_a_way_that_was_given_is_no_question(
    repo: Repo, fake: FakeWorkspace, say: Callable[[str], None], option: str
) -> None:
    fake.ways = WaysBackView(has_later_commits=True, may_move=True, may_take_back=True)
    say("2\ncode\ny\n")
    assert repo.entire("rewind", option) == 0
    assert "only the conversation" not in repo.err
    assert fake.calls == [("dddddddddddd", {"files_only": True, option[2:].replace("-", "_"): True})]


@pytest.mark.parametrize("kept", [True, False])
def test_edits_of_ones_own(repo: Repo, fake: FakeWorkspace, say: Callable[[str], None], kept: bool) -> None:
    fake.view = replace(VIEW, yours=("x.py",))
    say(f"3\nboth\n{'keep' if kept else 'exact'}\ny\n")
    assert repo.entire("rewind") == 0
    assert "You also changed these files since then:\n  x.py\n" in repo.err
    if kept:
        assert fake.calls == [(STEP, {}), (STEP, {"keep_mine": True})]
        assert fake.log == ["left", "carried out", "left"]
    else:
        assert fake.calls == [(STEP, {})]
        assert "will be removed from these files; the undo point will hold them:" in repo.err


def test_a_preview_while_choosing(repo: Repo, fake: FakeWorkspace, say: Callable[[str], None]) -> None:
    say("d 3\nq\n")
    assert repo.entire("rewind") == 0
    assert fake.calls == [(STEP, {})]
    assert fake.log == ["diff", "left"]
    shown = repo.err
    assert "step aaaaaaaaaaaa   1970-01-01 00:13   Claude Code 0f3d2c1b-1111-2222\n" in shown
    assert "2 files: x.py, y.py\n" in shown
    assert "-two^M\n" in shown


def test_choosing_on_a_terminal(repo: Repo) -> None:
    """Keys for the list, then questions on lines: the terminal is as usual again for them."""
    screen = Screen(process(repo, ["rewind"]), {}, columns=100, rows=30)
    try:
        screen.wait_for("Rewind to which point.*> 1970-01-01.*1/5")
        screen.type("/step greet\r")
        screen.wait_for(r"> [^\n]*2 files[^\n]*\n[^>]*/step greet\n1/1 ")
        screen.type("d")
        screen.wait_for("step aaaaaaaaaaaa .*-two.*1/1")
        screen.type("\r")
        screen.wait_for("Restore what.*Number or name .both.:")
        screen.type("2\n")
        screen.wait_for("What about your edits.*Number or name .keep.:")
        screen.type("exact\n")
        screen.wait_for("change  x.py.*Rewind. .y.es, .N.o, .d.iff:")
        screen.type("y\n")
        assert screen.end().startswith("rewind to aaaaaaa, after its prompt: Add a greeting\n  changed  x.py\n")
        assert screen.process.returncode == 0
        assert screen.is_as_before()
        plain = {"files_only": True}
        assert repr([(STEP, {}), (STEP, plain)]) in screen.shown.replace("\n", "")
    finally:
        screen.close()


def test_what_names_a_point() -> None:
    assert [rewinding.name(one, POINTS) for one in POINTS[:3]] == ["cccccccccccc", "dddddddddddd", STEP]
    assert rewinding.name(POINTS[0], POINTS[::2]) == COMMIT


def test_nothing_to_choose_from(repo: Repo, fake: FakeWorkspace, say: Callable[[str], None]) -> None:
    fake.found = []
    say("1\n")
    assert repo.entire("rewind") == 1
    assert "there is no point to rewind to" in repo.err
