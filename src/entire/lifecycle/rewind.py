"""One rewind, or its undo, from check to note: planned under the lock, shown, then carried out as one transaction."""

from __future__ import annotations

import os

from entire import files, process
from entire.errors import EntireError, UsageError
from entire.git import checkout, diff, history
from entire.lifecycle import changes, dispatcher, driver, restore, talks, worktree
from entire.lifecycle.conversations import CUT, WRITTEN
from entire.lifecycle.points import Points
from entire.lifecycle.restore import Restoring, Wish
from entire.model.session import KEPT_SECONDS
from entire.model.value import replace
from entire.model.views import EditView, RewindView
from entire.store import journal as journals
from entire.store import sessions, transactions, transcripts, turnlog
from entire.store.transactions import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from entire.lifecycle.scene import Scene
    from entire.lifecycle.talks import Talk
    from entire.model.session import Session
    from entire.model.views import PointView
    from entire.store.transactions import Transaction

COMMAND = "rewind"
_MAX_UNDO = 50
_MAX_UNDO_BYTES = 2 << 30
_PRUNED_EVERY = 5  # undo points: their sizes are looked up only so often


class Rewind:
    """A planned rewind: look at ``view`` and ``diff``, then carry it out or leave it (``with`` does)."""

    def __init__(self, scene: Scene, draft: Draft, view: RewindView, conversations: Sequence[Talk] = (),
                 becomes: Mapping[str, str] | None = None) -> None:  # fmt: skip
        self.view = view
        self._scene = scene
        self._draft = draft
        self._talks = conversations
        self._becomes = becomes or {}
        self._head: Mapping[str, tuple[str, str]] = {}  # what HEAD has of these paths
        self._is_open = True
        self.told: Sequence[str] = ()  # of changes that had been interrupted, and were finished before this one

    def __enter__(self) -> Rewind:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_open:
            self._draft.discard()
        self._scene.close()

    def diff(self, *, colour: bool = False) -> bytes:
        """Return the difference from the present files to what they will be, as git shows it."""
        folder = self._draft.folder
        before, after = (os.path.basename(path) for path in (self._draft.before, self._draft.after))
        return checkout.diff_folders(folder, before, after, colour=colour)

    def carry_out(self) -> RewindView:
        """Do it, all or nothing; raises EntireError if files changed since it was planned, or a turn began."""
        scene = self._scene
        with scene.lock():
            _refuse_running(scene, self._talks)
            if self._is_nothing():
                return self.view  # so that `undo` still takes back the rewind before
            if "undoes" not in self._draft.notes:
                self._draft_states()
                self._draft_index()
            done = self._draft.carry_out()
            self._is_open = False
            self._note(done)
            if not transactions.count(scene.place) % _PRUNED_EVERY:
                transactions.prune(scene.place, now=scene.now(), seconds=KEPT_SECONDS, max_count=_MAX_UNDO,
                                   max_bytes=_MAX_UNDO_BYTES)  # fmt: skip
            scene.save()
        scene.log.info("rewound", transaction=done.id, files=len(done.paths), title=self.view.title)
        self.view = replace(self.view, undo_id=done.id)
        return self.view

    def _is_nothing(self) -> bool:
        """Tell whether all is as it was then already."""
        changes_talk = any(talk.file.what in (CUT, WRITTEN) or talk.subagents for talk in self._talks)
        is_undo = "undoes" in self._draft.notes
        return not (is_undo or changes_talk or self._draft.changed() or self.view.moved_to)

    # ------------------------------------------------------------ what is remembered

    def _draft_states(self) -> None:
        """Let the sessions' states and logs of turns become what they are after it."""
        scene, draft = self._scene, self._draft
        for session in self._with_open_files():
            scene.touch(session)
        for talk in self._talks:
            if talk.file.what not in (CUT, WRITTEN):
                continue
            draft.write_private(talk.file.path, talk.file.data)
            for path, data in talk.subagents:
                draft.write_private(path, data)
            known = scene.session(talk.session_id)
            if known is not None:
                self._forget_later(known, talk)
                scene.touch(known)
            else:
                self._get_to_know(talk)
        for session in scene.touched():
            own, shared = sessions.dump(scene.place, session)
            draft.write_private(sessions.own_path(scene.place, session.session_id), own)
            draft.write_private(sessions.go_path(scene.place, session.session_id), shared)
        scene.forget()

    def _get_to_know(self, talk: Talk) -> None:
        """Let a session that was never here be known: what its checkpoint counted is not counted again."""
        from entire.lifecycle import resume, wanted

        scene, point = self._scene, self.view.point
        stored = Points(scene).checkpoint(point) if point is not None else None
        slot = stored.slot_of(talk.session_id) if stored is not None else None
        found = wanted.piece(scene.objects, stored, slot) if stored is not None and slot is not None else None
        if found is not None:
            resume.draft_unknown(scene, self._draft, found, talk.file, dict(talk.subagents))

    def _draft_index(self) -> None:
        """Let the index become that of the commit to which the branch moves; late: any look of git refreshes it."""
        if self.view.moved_to:
            place, index = self._scene.place, os.path.join(self._draft.folder, "index.new")
            files.write(index, files.read(os.path.join(place.git_dir, "index")) or b"")
            checkout.index_at(place.top, self.view.moved_to, index)
            self._draft.replace_index(index)

    def _forget_later(self, session: Session, talk: Talk) -> None:
        """Take out of a session's memory what came after the point."""
        from entire.lifecycle import remembering

        place, draft, data = self._scene.place, self._draft, talk.file.data
        notes = turnlog.read(place, session.session_id)
        if talk.file.what == CUT:
            kept = [note for note in notes if note.position < talk.lines]
        else:
            kept = remembering.turns(place, draft, talk.agent, session, data)
        if kept != notes:
            self._draft.write_private(turnlog.path(place, session.session_id), turnlog.dumps(kept))
        moment = float(self._draft.notes["back_to"])
        session.tasks = {key: task for key, task in session.tasks.items()
                         if task.get("kept") or float(task.get("started") or 0) <= moment}  # fmt: skip
        counted = remembering.counted(place, draft, talk.agent, session, data)
        session.transcript_path = talk.file.path
        session.turn = None  # its places in the transcript are gone
        if talk.file.what == WRITTEN:
            transcripts.forget(session)
            if counted is None:
                counted = replace(session.counted, byte=talk.offset(session.counted.count))
        session.counted = counted if counted is not None else session.counted

    def _with_open_files(self) -> list[Session]:
        """Return the sessions whose open files change: what becomes as HEAD has it is closed, what differs is open."""
        scene = self._scene
        head = self.view.moved_to or scene.journal.snapshot.head
        self._head = diff.entries(scene.place.top, head, list(self._becomes))
        unlike = restore.unlike(self._head, self._becomes)
        changed = []
        near = scene.near()
        point = self.view.point
        orphans = unlike - {path for one in near for path in one.open_files}
        for session in near:
            still = [path for path in session.open_files if path not in self._becomes or path in unlike]
            if point is not None and session.session_id == point.session_id:
                still += sorted(orphans)
            if still != session.open_files:
                session.open_files = still
                changed.append(session)
        return changed

    def _note(self, done: Transaction) -> None:
        """Note in the journal how the work tree is now, and that a rewind made it so."""
        scene, paths = self._scene, done.paths
        if not paths and not self.view.moved_to:
            return
        snapshot = scene.journal.snapshot
        is_known = bool(snapshot.tree) and not done.refs
        seen = journals.look_after(scene.place, snapshot, self._in_head(paths)) if is_known else worktree.look(scene)
        notes = self._draft.notes
        mark = changes.undone(done.undoes, done.id) if done.undoes else changes.rewound(notes["back_to"], done.id)
        worktree.record(scene, seen, mark=mark, moment=scene.now())

    def _in_head(self, paths: Sequence[str]) -> dict[str, tuple[str, str] | None]:
        """Return what HEAD has at these paths."""
        if self._becomes.keys() >= set(paths):
            return {path: self._head.get(path) for path in paths}
        found = diff.entries(self._scene.place.top, self._scene.journal.snapshot.head_tree, paths)
        return {path: found.get(path) for path in paths}


# ---------------------------------------------------------------- planning


def plan(scene: Scene, name: str, wish: Wish) -> Rewind:
    """Plan to go back to a point; the caller leaves what is returned."""
    told = dispatcher.complete(scene)
    with scene.lock():
        _refuse_running(scene)
        _look(scene)
        points = Points(scene)
        point = points.named(name)
        _check(point, wish)
        title = f"rewind to {point.checkpoint_id or point.id[:7]}"
        draft = Draft(scene.place, COMMAND, title, now=scene.now(), notes={"point": point.id, **_present(scene)})
        try:
            planned = _planned(scene, points, point, wish, draft, title)
        except BaseException:
            draft.discard()
            raise
        scene.save()
    planned.told = told
    return planned


def undo(scene: Scene, name: str = "") -> Rewind:
    """Plan to take back the last rewind; or all of them back to one, by its id or the beginning of it."""
    told = dispatcher.complete(scene)
    with scene.lock():
        _refuse_running(scene)
        _look(scene)
        undone = _undone(scene, name)
        draft = transactions.inverse(scene.place, *undone, now=scene.now())
        try:
            planned = _planned_undo(scene, _together(undone), draft)
        except BaseException:
            draft.discard()
            raise
        scene.save()
    planned.told = told
    return planned


def _planned_undo(scene: Scene, last: Transaction, draft: Draft) -> Rewind:
    from entire.lifecycle import undoing

    concerned = last.notes.get("sessions", [])
    draft.notes.update(_present(scene), sessions=concerned)
    edits = tuple(EditView(path=path, what=_what(draft, path)) for path in draft.changed())
    back = tuple(talks.returned(scene, one) for one in concerned)
    undoing.draft_states(scene, draft, last)
    return Rewind(scene, draft, RewindView(title=f"undo of: {last.title}", edits=edits, conversations=back))


def undo_points(scene: Scene) -> list[Transaction]:
    """Return the rewinds, and undos of such, that can be taken back, newest first."""
    return [one for one in transactions.find_all(scene.place) if one.command == COMMAND and one.state == "done"]


def _undone(scene: Scene, name: str) -> list[Transaction]:
    """Return the transactions to take back, newest first: the last one, or all up to the one that is named."""
    known = undo_points(scene)
    if not known:
        raise EntireError("there is no rewind to undo", hint="undo points are kept for two weeks")
    found = [at for at, one in enumerate(known) if one.id.startswith(name)] if name else [0]
    if len(found) != 1:
        what = "several undo points begin with" if found else "there is no undo point"
        raise EntireError(f"{what} {name}", hint="`entire rewind --undo --list` lists them")
    return known[: found[0] + 1]


def _together(undone: Sequence[Transaction]) -> Transaction:
    """Return several transactions as one: the oldest, with all that any of them touched."""
    return replace(
        undone[-1],
        paths=tuple({path for one in undone for path in one.paths}),
        private=tuple({path for one in undone for path in one.private}),
        notes={
            **undone[-1].notes,
            "sessions": sorted({sid for one in undone for sid in one.notes.get("sessions", ())}),
        },
    )


def _look(scene: Scene) -> None:
    worktree.record(scene, worktree.look(scene), running=scene.running_turns())


def _present(scene: Scene) -> dict[str, str]:
    """Return what an undo point says of HEAD at its time."""
    snapshot = scene.journal.snapshot
    return {"head": snapshot.head, "branch": snapshot.branch}


def _refuse_running(scene: Scene, talks: Sequence[Talk] = ()) -> None:
    """Refuse while an agent may write files here, or goes on with a conversation that is to go back."""
    concerned = [scene.session(talk.session_id) for talk in talks]
    for session in [*scene.near(), *(one for one in concerned if one is not None)]:
        at_work = session.background and process.is_running(session.process.pid, session.process.started)
        if session.is_running or at_work:
            doing = "in the middle of a turn" if session.is_running else "at work in the background"
            raise EntireError(
                f"{session.agent_type or session.agent} is {doing} (session {session.session_id}); nothing was changed",
                hint="wait for its answer or interrupt it, then try again; `entire doctor` helps if it is gone",
            )


def _check(point: PointView, wish: Wish) -> None:
    if wish.reset and point.kind != "checkpoint":
        raise UsageError("only a checkpoint's commit can become the branch's tip", hint="leave --reset out: files only")
    if wish.reset and (wish.paths or wish.session_id or wish.logs_only):
        raise UsageError("--reset moves the whole branch", hint="leave --file, --session and --logs-only out")


def _planned(scene: Scene, points: Points, point: PointView, wish: Wish, draft: Draft, title: str) -> Rewind:
    restoring = None
    moment = point.time
    if not wish.logs_only:
        restoring = Restoring(scene, points, point, wish, draft)
        restoring.plan()
        moment = restoring.then.moment
    draft.notes["back_to"] = moment
    found = [] if wish.files_only or wish.paths else talks.of_point(scene, points, point, wish.session_id)
    _refuse_running(scene, found)
    draft.notes["sessions"] = [talk.session_id for talk in found]
    view = RewindView(
        title=title,
        point=point,
        edits=tuple(restoring.edits) if restoring is not None else (),
        left=tuple(restoring.left) if restoring is not None else (),
        yours=tuple(restoring.yours) if restoring is not None else (),
        conversations=tuple(talks.view(scene, talk) for talk in found),
        others=_others(points, moment, {talk.session_id for talk in found} | {point.session_id}),
    )
    if wish.reset:
        view = _move_branch(scene, draft, point, view)
    _save_index(scene, draft)
    return Rewind(scene, draft, view, found, restoring.becomes if restoring is not None else None)


def _others(points: Points, moment: float, concerned: set[str]) -> tuple[str, ...]:
    """Return the sessions that changed files since and whose conversations stay as they are."""
    found = dict.fromkeys(one.session_id for one in points.looks.since(moment) if one.session_id)
    return tuple(one for one in found if one not in concerned)


def _save_index(scene: Scene, draft: Draft) -> None:
    """Keep the index with the undo point too: a second name is enough, since git never changes it in place."""
    try:
        os.link(os.path.join(scene.place.git_dir, "index"), os.path.join(draft.folder, "index.present"))
    except OSError:
        pass  # a file system without links, or no index yet


def _move_branch(scene: Scene, draft: Draft, point: PointView, view: RewindView) -> RewindView:
    """Let the branch's tip become the point's commit, with the index; where it was stays under a ref of ours."""
    place, head = scene.place, scene.journal.snapshot.head
    state = driver.state(place)
    if state.merge_heads or state.picked or state.rebasing:
        raise EntireError("a merge, a pick or a rebase is in progress; nothing was changed",
                          hint="finish or abort it first, or leave --reset out")  # fmt: skip
    if point.id == head:
        return view
    branch = history.branch(place.top)
    backup = f"refs/entire/backup/{branch or 'HEAD'}/{int(scene.now() * 1000)}"
    draft.move_ref(backup, head, "")
    if branch:
        draft.move_ref(f"refs/heads/{branch}", point.id, head)
    else:
        draft.set_head("", point.id)
    return replace(view, branch=branch, moved_to=point.id, backup=backup)


def _what(draft: Draft, path: str) -> str:
    if not os.path.lexists(os.path.join(draft.after, path)):
        return "delete"
    return "write" if os.path.lexists(os.path.join(draft.before, path)) else "create"
