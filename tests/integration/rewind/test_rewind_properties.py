"""Random lives of a repository, with rewinds in them, against a plain model of files (plain_model.py).

``ENTIRE_LONG=1`` plays many and long ones.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from entire.errors import EntireError
from entire.model.requests import RewindRequest
from entire.model.views.points import PointView, RewindView
from entire.workspace import Workspace
from tests.integration.rewind.plain_model import PERSON, File, Files, Model, Point, World
from tests.integration.story import Session, Story

LONG = bool(os.environ.get("ENTIRE_LONG"))

NAMES = ("a.txt", "b.txt", "d/x.txt", "d/y.txt", "d", '-e "f', "n\nl\udcff")
IGNORED = ("x.ign", "build/out", "d/z.ign")
KINDS = ("write", "write", "write", "append", "append", "top", "delete", "exec", "link", "rename", "empty", "binary",
         "ignored")  # fmt: skip
ACTIONS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.sampled_from(NAMES), st.sampled_from(NAMES + IGNORED[:1])),
    min_size=1, max_size=3,
)  # fmt: skip
GIT = ("all", "all", "some", "staged", "stage", "amend", "amend all", "stash", "pop", "switch", "restore", "ignore",
       "unstage")  # fmt: skip
MODES = ("keep", "keep", "session", "session", "paths", "files", "logs", "reset", "reset")


class Life(RuleBasedStateMachine):
    """One repository, a person, two sessions."""

    base: ClassVar[Path]
    number: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        Life.number += 1
        self.folder = Life.base / str(Life.number)
        with redirect_stdout(StringIO()):
            self.story = Story(self.folder / "repo")
        self.outside = self.folder / "outside"
        self.outside.mkdir()
        (self.outside / "x.txt").write_text("outside\n")
        os.environ["ENTIRE_TEST_CLAUDE_PROJECT_DIR"] = str(self.story.projects)
        self.story.write(".gitignore", "*.ign\nbuild/\n")
        self.story.write("a.txt", "".join(f"line {n}\n" for n in range(6)))
        self.story.commit("Begin")
        self.model = Model(self.story.root, self.story.env)
        self.model.files = self.model.visible()
        self.sessions: list[Session] = []
        self.count = 0
        self.typed: dict[bytes, tuple[str, str, int]] = {}  # line: who, where, number of intervals before
        self.committed: set[bytes] = set()  # lines
        self.fresh: set[bytes] = set()  # of the last commit: lines that none before it had
        self.commit_files: dict[str, tuple[Files, dict[str, File | None]]] = {}
        self.taken: Files = self.model.files  # the last snapshot of a session
        self.of_checkpoint: dict[str, set[str]] = {}  # checkpoint: commits
        self.last: tuple[World, World] | None = None
        self.is_fresh = False  # nothing happened since the last rewind

    def teardown(self) -> None:
        errors = self.story.log_errors()
        outside = {path.name: path.read_text() for path in self.outside.iterdir()}
        shutil.rmtree(self.folder, ignore_errors=True)
        assert errors == []
        assert outside == {"x.txt": "outside\n"}

    # ------------------------------------------------------------ doing things

    def text(self, who: str, path: str) -> str:
        self.count += 1
        line = f"{who[:4] or 'mine'} {self.count}\n"
        self.typed[line.encode()] = (who, path, len(self.model.intervals))
        return line

    def clear(self, path: str) -> Path:
        """Make room for a file, as somebody does who wants it there."""
        at = self.story.root
        for part in Path(path).parts[:-1]:
            at /= part
            if at.is_symlink() or at.is_file():
                at.unlink()
            at.mkdir(exist_ok=True)
        at = self.story.root / path
        if at.is_dir() and not at.is_symlink():
            shutil.rmtree(at)
        return at

    def is_file(self, path: str) -> bool:
        """Tell whether a plain file lies there, not behind a link."""
        at = self.story.root / path
        return path in self.model.all_files() and not at.is_symlink()

    def act(self, kind: str, path: str, other: str, who: str = PERSON) -> None:
        """Change something in the worktree, without a tool."""
        at = self.story.root / path
        if kind in ("append", "top", "exec", "rename", "delete") and path not in self.model.all_files():
            return
        if kind in ("append", "top", "exec") and at.is_symlink():
            return
        if kind == "delete":
            at.unlink()
        elif kind == "exec":
            at.chmod(at.stat().st_mode ^ 0o111)
        elif kind == "append":
            at.write_bytes(at.read_bytes() + self.text(who, path).encode())
        elif kind == "top":
            at.write_bytes(self.text(who, path).encode() + at.read_bytes())
        elif kind == "rename":
            if other != path and not (other + "/").startswith(path + "/") and not (path + "/").startswith(other + "/"):
                target = self.clear(other)
                if os.path.lexists(at):
                    at.rename(target)
        elif kind == "ignored":
            self.clear("build/out").write_text(self.text(who, "build/out"))
            if self.story.path("d").is_dir() and not self.story.path("d").is_symlink():
                self.story.path("d/z.ign").write_text(self.text(who, "d/z.ign"))
        else:
            self.put(kind, path, who)

    def put(self, kind: str, path: str, who: str) -> None:
        at = self.clear(path)
        if kind == "link":
            if os.path.lexists(at):
                at.unlink()
            at.symlink_to(self.outside if path in ("d", "b.txt") else Path("a.txt"))
            return
        if at.is_symlink():
            at.unlink()
        if kind == "write":
            at.write_bytes("".join(self.text(who, path) for _ in range(4)).encode())
        else:
            at.write_bytes(b"" if kind == "empty" else b"\0\xff" + self.text(who, path).encode())

    def act_by_session(self, session: Session, kind: str, path: str, other: str) -> None:
        is_utf8 = "\udcff" not in path  # else no tool's report can name it: a shell writes it
        if kind == "write" and is_utf8:
            at = self.clear(path)
            if at.is_symlink():
                at.unlink()
            session.write(path, "".join(self.text(session.id, path) for _ in range(4)))
        elif kind == "append" and is_utf8 and self.is_file(path) and (text := self.lines(path)):
            session.edit(path, text[-1], text[-1] + self.text(session.id, path))
        elif kind == "ignored":
            with pytest.raises(EntireError):  # a turn is in progress
                self.go_back(Workspace.find(self.story.root).points.listing(0)[0].id if self.model.points else "0" * 40)
        else:
            with session.shell(f"{kind} {path}"):
                self.act(kind, path, other, session.id)

    def lines(self, path: str) -> list[str]:
        """Return the lines of a text that an edit can change."""
        data = self.story.path(path).read_bytes()
        return [] if b"\0" in data else data.decode().splitlines(keepends=True)

    def go_back(self, point: str, **request: Any) -> RewindView:
        with Workspace.find(self.story.root).points.rewind(RewindRequest(to=point, **request)) as planned:
            planned.diff()
            return planned.carry_out()

    def note(self, owner: str) -> None:
        self.model.note(owner)
        if owner != PERSON:
            self.taken = self.model.files
        if owner not in ("rewind", "undo"):
            self.is_fresh = False

    # ------------------------------------------------------------ points

    def register(self) -> None:
        """Remember how everything is at points that are new; each turn and each linked commit makes one."""
        now = self.model.visible()
        for view in Workspace.find(self.story.root).points.listing(0):
            if view.id in self.model.points:
                continue
            sessions = [view.session_id]
            found: Files = now
            beside: dict[str, File | None] = {}
            if view.kind == "checkpoint":
                found, beside = self.commit_files[view.id]
                sessions = list(self.story.checkpoint(view.checkpoint_id)["slots"])
                self.of_checkpoint.setdefault(view.checkpoint_id, set()).add(view.id)
            conversations = {
                session.id: {session.file.read_bytes()} for session in self.sessions if session.id in sessions
            }
            for commit in self.of_checkpoint.get(view.checkpoint_id, ()):  # amended: it may be as it was before
                earlier = self.model.points[commit].conversations if commit in self.model.points else {}
                for session_id, known in earlier.items():
                    conversations.setdefault(session_id, set()).update(known)
                    known |= conversations[session_id]
            self.model.points[view.id] = Point(
                id=view.id, files=found, conversations=conversations, at=len(self.model.intervals), kind=view.kind,
                beside=beside,
            )  # fmt: skip

    def committing(self, commit: Callable[[], object]) -> None:
        """Commit, and remember what lay in the worktree then."""
        before, visible = self.story.head(), self.model.visible()
        commit()
        head = self.story.head()
        self.fresh = set()
        if head == before:
            return
        lines = self.model.git("diff", before, head).split(b"\n")
        added = {line[1:] + b"\n" for line in lines if line[:1] == b"+"}
        self.fresh = added & self.typed.keys() - self.committed
        self.committed |= added
        found = self.model.committed(head, visible)
        parent = self.model.git("ls-tree", "-r", "-z", "--name-only", f"{head}^").split(b"\0")
        gone = {os.fsdecode(path) for path in parent} - found.keys()
        beside = {path: self.taken.get(path) for path in {*visible, *self.taken} - found.keys() - gone}
        self.commit_files[head] = found | {path: visible[path] for path in beside if path in visible}, beside

    # ------------------------------------------------------------ rules

    @initialize()
    def begin(self) -> None:
        for _ in range(2):
            session = self.story.session()
            session.start()
            self.sessions.append(session)
        self.a_session_works(which=0, actions=[("write", "d/x.txt", "d"), ("append", "a.txt", "d")], commits=9)
        self.a_session_works(which=1, actions=[("append", "a.txt", "d"), ("write", "b.txt", "d")], commits=9)

    @rule(actions=ACTIONS)
    def a_person_works(self, actions: list[tuple[str, str, str]]) -> None:
        for action in actions:
            self.act(*action)
            self.note(PERSON)

    @rule(which=st.integers(0, 1), actions=ACTIONS, commits=st.integers(0, 7))
    def a_session_works(self, which: int, actions: list[tuple[str, str, str]], commits: int) -> None:
        session = self.sessions[which]
        before = {view.id for view in Workspace.find(self.story.root).points.listing(0)}
        self.begin_turn(session)
        self.do_some(session, actions, commits)
        session.stop()
        self.model.touched |= {path for action in actions for path in action[1:]}
        self.note(session.id)
        self.register()
        after = {view.id for view in Workspace.find(self.story.root).points.listing(0)}
        assert after > before

    def begin_turn(self, session: Session) -> None:
        if not session.answers:
            self.model.begin_session()
        session.prompt(f"Prompt {self.count}")
        self.taken = self.model.visible()

    def do_some(self, session: Session, actions: list[tuple[str, str, str]], commits: int) -> None:
        for number, action in enumerate(actions):
            self.act_by_session(session, *action)
            if commits == number:
                self.committing(lambda: self.commit_by_agent(session))
            if commits == number + 3:
                self.committing(lambda: self.commit("-a"))

    def commit_by_agent(self, session: Session) -> None:
        self.story.git("add", "-A")
        with session.shell("git commit"):
            env = {"CLAUDE_CODE_SESSION_ID": session.id, "CLAUDECODE": "1"}
            self.story.git("commit", "-q", "-m", f"Agent's commit {self.count}", ok=False, env=env)

    @rule(first=ACTIONS, second=ACTIONS, order=st.booleans())
    def both_work(self, first: list[tuple[str, str, str]], second: list[tuple[str, str, str]], order: bool) -> None:
        first_session, other = self.sessions
        self.begin_turn(first_session)
        self.begin_turn(other)
        self.do_some(first_session, first, 9)
        self.do_some(other, second, 9)
        (first_session if order else other).stop()
        (other if order else first_session).stop()
        self.model.touched |= {path for action in (*first, *second) for path in action[1:]}
        self.note("both")
        self.register()

    def commit(self, *args: str) -> None:
        self.story.git("commit", "-q", "-m", f"Commit {self.count}", *args, ok=False)

    @rule(what=st.sampled_from(GIT), path=st.sampled_from(NAMES))
    def a_person_uses_git(self, what: str, path: str) -> None:
        git, literal = self.story.git, f":(literal){path}"
        if what == "all":
            git("add", "-A")
            self.committing(self.commit)
            self.check_link()
        elif what == "some":
            git("add", "--", literal, ok=False)
            self.committing(lambda: self.commit("--", literal))
        elif what == "staged":
            self.committing(self.commit)
        elif what == "stage":
            git("add", "--", literal, ok=False)
        elif what == "unstage":
            git("rm", "-q", "--cached", "--", literal, ok=False)
        elif what.startswith("amend"):
            if what == "amend all":
                git("add", "-A")
            self.committing(lambda: self.commit("--amend"))
        elif what == "ignore":
            self.story.write(".gitignore", self.story.read(".gitignore") + "/b.txt\n")
        elif what == "restore":
            git("checkout", "-q", "HEAD", "--", literal, ok=False)
        else:
            commands = {"stash": ("stash", "-u"), "pop": ("stash", "pop"), "switch": ("checkout", "-q", "other")}
            if what == "switch" and not git("branch", "--list", "other"):
                git("branch", "other", "HEAD")
            if what == "switch" and "other" in git("symbolic-ref", "HEAD"):
                commands["switch"] = ("checkout", "-q", "main")
            git(*commands[what], ok=False)
            if git("ls-files", "--unmerged"):
                git("reset", "-q", "--hard")
        self.note(PERSON)
        self.register()

    def check_link(self) -> None:
        """A commit with a line that a session typed in its own file, that no commit had yet, is linked.

        Rewinds and their undoes in between take nothing from it; a person's hand in the file may.
        """
        for line in self.fresh:
            who, path, at = self.typed[line]
            owners = {interval.owner for interval in self.model.intervals[at:] if path in interval.after}
            if who and PERSON not in owners and who in owners:
                assert self.story.ids(), (line, path)

    # ------------------------------------------------------------ rewinds

    @rule(back=st.integers(0, 6))
    def rewind(self, back: int) -> None:
        self.rewind_partly(back, "exact", 0, [])

    @rule(
        back=st.integers(0, 6), mode=st.sampled_from(MODES), which=st.integers(0, 1),
        paths=st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
    )  # fmt: skip
    def rewind_partly(self, back: int, mode: str, which: int, paths: list[str]) -> None:
        points = [
            point
            for point in Workspace.find(self.story.root).points.listing(0)
            if mode != "reset" or point.checkpoint_id
        ]
        if not points:
            return
        view = points[min(back, len(points) - 1)]
        session = self.sessions[which].id
        requests: dict[str, dict[str, Any]] = {
            "exact": {}, "keep": {"keep_mine": True}, "session": {"session_id": session}, "paths": {"paths": paths},
            "files": {"files_only": True}, "logs": {"logs_only": True}, "reset": {"reset": True},
        }  # fmt: skip
        Rewound(self, self.model.points[view.id], points, requests[mode]).check()

    @precondition(lambda self: self.last is not None)
    @rule()
    def undo(self) -> None:
        assert self.last is not None
        before, after = self.last
        now = self.world()
        refused = ""
        try:
            with Workspace.find(self.story.root).undo.rewind() as planned:
                planned.diff()
                planned.carry_out()
        except EntireError as error:  # what happened since may forbid it
            refused = str(error)
        if refused:
            assert self.world() == now
            assert not self.is_fresh, refused
            return
        then = self.world()
        if self.is_fresh:
            assert then.files == before.files
            assert (then.index, then.head, then.refs, then.conversations) == (
                before.index, before.head, before.refs, before.conversations,
            )  # fmt: skip
        else:
            # a folder is none of these: what somebody put in the place of one that the rewind made is theirs
            expected = _patched(*(_only_files(world.files) for world in (now, before, after)))
            assert _only_files(then.files) == expected
            assert then.conversations == _patched(now.conversations, before.conversations, after.conversations)
        if before.head == after.head:
            assert (then.index_bytes, then.head, then.refs, then.git) == (now.index_bytes, now.head, now.refs, now.git)
        self.note("undo")
        self.last, self.is_fresh = (now, then), True
        self.sync()

    def world(self) -> World:
        return self.model.world(session.file for session in self.sessions)

    def sync(self) -> None:
        """Let the agents go on from what their files say."""
        for session in self.sessions:
            records = session.file.read_bytes().splitlines() if session.file.exists() else []
            session.parent = records[-1].partition(b'"uuid": "')[2][:36].decode() if records else None


class Rewound:
    """One rewind and what must be true of it."""

    def __init__(self, life: Life, point: Point, points: list[PointView], request: dict[str, Any]) -> None:
        self.life, self.model, self.point, self.points, self.request = life, life.model, point, points, request
        self.before = life.world()
        self.all_before = self.model.all_files()
        self.visible_before = self.model.visible()
        self.ignored_before = self.model.ignored({*self.all_before, *point.files})  # a rewind may change the rules
        tracked = self.model.git("ls-tree", "-r", "-z", "--name-only", "HEAD").split(b"\0")
        self.tracked = {os.fsdecode(path) for path in tracked}
        self.view = life.go_back(point.id, **request)
        self.after = life.world()
        self.all_after = self.model.all_files()
        self.left = {entry.path: entry.reason for entry in self.view.left}

    def check(self) -> None:
        self.check_git()
        self.check_conversations()
        self.check_edits()
        for path in sorted({*self.all_before, *self.all_after, *self.point.files}):
            self.check_path(path, self.all_before.get(path), self.all_after.get(path))
        self.check_points()
        self.life.note("rewind")
        if self.view.undo_id:
            self.life.last, self.life.is_fresh = (self.before, self.after), True
        else:
            assert self.after == self.before
        self.life.sync()

    def check_git(self) -> None:
        before, after = self.before, self.after
        if not self.request.get("reset"):
            assert (after.index_bytes, after.head, after.refs) == (before.index_bytes, before.head, before.refs)
            assert after.git == before.git
        else:
            assert after.head.startswith(self.point.id)
            if after.head != before.head:
                assert self.model.git("diff", "--cached", "--name-only") == b""
            else:  # the branch is there already: nothing moves, and what is staged stays
                assert after.index_bytes == before.index_bytes
            branch = before.head.split()[1:]
            moved = {ref for ref in before.refs if before.refs[ref] != after.refs.get(ref)}
            assert moved <= set(branch)

    def check_conversations(self) -> None:
        request, point = self.request, self.point
        stay = bool(request.get("files_only") or request.get("paths"))
        for session in self.life.sessions:
            before, after = (world.conversations[str(session.file)] for world in (self.before, self.after))
            if stay or session.id not in point.conversations or request.get("session_id", session.id) != session.id:
                assert after == before
            else:
                assert after in point.conversations[session.id]

    def check_edits(self) -> None:
        """What is said to change is what changes."""
        paths = {*self.all_before, *self.all_after}
        changed = {path for path in paths if self.all_before.get(path) != self.all_after.get(path)}
        assert {edit.path for edit in self.view.edits} == changed
        if self.request.get("logs_only"):
            assert not changed

    def check_path(self, path: str, before: File | None, after: File | None) -> None:
        then = self.point.files.get(path)
        where = f"{path!r}: {before} -> {after}, then {then}, left: {self.left.get(path)}"
        if path in self.left:
            assert after == before, where
            assert self.reason_is_true(path, self.left[path]), where
        elif not self.may_change(path) or (path in self.all_before and path not in self.visible_before):
            assert after == before, where
        elif self.must_be_as_then(path):
            assert self.point.allows(path, after), where
            if after is None and before is not None:
                self.check_deletion(path)
        else:
            self.check_lines(path, before, after)

    def reason_is_true(self, path: str, reason: str) -> bool:
        if reason == "git ignores it":
            return path in self.ignored_before
        return reason.startswith(KEPT) or self.model.reason_is_true(self.point, path, reason, self.tracked)

    def may_change(self, path: str) -> bool:
        if self.request.get("logs_only"):
            return False
        if self.request.get("reset"):
            return path in self.model.touched or path in self.tracked or path in self.point.files
        wanted = self.request.get("paths")
        is_wanted = not wanted or any(path == name or path.startswith(name + "/") for name in wanted)
        return path in self.model.touched and is_wanted

    def must_be_as_then(self, path: str) -> bool:
        owners = self.model.since(self.point, path)
        if self.request.get("keep_mine"):
            return path in self.model.made and not {PERSON, "rewind", "undo"} & set(owners)
        if self.request.get("session_id"):
            return bool(owners) and set(owners) == {self.request["session_id"]}
        return path in self.model.made

    def check_deletion(self, path: str) -> None:
        creators = self.model.creators(self.point, path)
        assert not creators or creators & {*self.model.sessions(), "undo", "rewind"}, path
        assert path in self.model.made
        if not self.request.get("reset"):
            assert path not in self.tracked
            assert not self.model.was_there_at_a_start(path)

    def check_lines(self, path: str, before: File | None, after: File | None) -> None:
        """No line that a person typed since is lost, where that was asked for; no other session's either."""
        if before is None or before[0] == "link" or b"\0" in before[2] or after == before:
            return
        alone = self.request.get("session_id", "")
        if not self.request.get("keep_mine") and not alone:
            return
        if alone and not path.isprintable():  # no tool can report such a name: of two at work, nobody knows who it was
            return
        for line in before[2].splitlines(keepends=True):
            who, where, at = self.life.typed.get(line, ("", "", -1))
            if where == path and at >= self.point.at and (who != alone if alone else not who):
                assert after is not None, (path, line)
                assert line in after[2], (path, line)

    def check_points(self) -> None:
        after = {point.id for point in Workspace.find(self.life.story.root).points.listing(0)}
        lost = {point.id for point in self.points if point.id not in after and point.kind != "turn"}
        if not self.request.get("reset"):
            assert not lost
        assert self.point.id in after


KEPT = ("you deleted it since", "you changed it", "others changed it too", "another session changed it")


def _only_files(found: dict[bytes, File]) -> dict[bytes, File]:
    return {path: state for path, state in found.items() if state[0] != "folder"}


def _patched(now: dict[Any, Any], before: dict[Any, Any], after: dict[Any, Any]) -> dict[Any, Any]:
    """Return ``now`` with what differs between two states as it was in the first."""
    found = dict(now)
    for path in {*before, *after}:
        if before.get(path) != after.get(path):
            found.pop(path, None)
            if path in before:
                found[path] = before[path]
    return found


def test_nothing_is_lost_and_nothing_else_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", "")
    Life.base, Life.number = tmp_path, 0
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=300 if LONG else 12,
            stateful_step_count=25 if LONG else 14,
            database=None,
            derandomize=not LONG,  # in every run the same lives; new ones, made small where they fail, in the long form
            phases=tuple(Phase) if LONG else (Phase.generate,),
            suppress_health_check=list(HealthCheck),
        ),
    )
