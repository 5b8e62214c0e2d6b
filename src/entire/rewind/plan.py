"""One rewind or its undo: planned under the lock, shown, then carried out as one transaction."""

from __future__ import annotations

import os

from entire import files, lifecycle
from entire.agents import long_transcripts
from entire.errors import EntireError, UsageError
from entire.git import checkout, diff, history
from entire.model import prefix
from entire.model.positions import SessionRef
from entire.model.session import KEPT_SECONDS
from entire.model.turns import TurnMark
from entire.model.value import replace
from entire.model.views.points import EditView, RewindView
from entire.recording import interruption, liveness
from entire.resume import effects
from entire.resume.transcript_merge import CUT, WRITTEN
from entire.rewind import branch, commits_since, conversations, take_back
from entire.rewind import files as rewind_files
from entire.rewind.files import Restoring
from entire.rewind.points import PointList
from entire.snapshots import recorder, worktree
from entire.snapshots.recorder import Cause
from entire.store import sessions, transcripts, turnlog
from entire.turns import turn
from entire.undo import inverse
from entire.undo import transaction as transactions
from entire.undo.draft import Draft
from entire.undo.notes import Notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from entire.model.requests import RewindRequest
    from entire.model.session import Session
    from entire.model.views.points import PointView
    from entire.recording.context import Context
    from entire.rewind.commits_since import CommitsSince
    from entire.rewind.conversations import RewoundConversation
    from entire.rewind.take_back import TakeBack
    from entire.undo.transaction import Transaction

COMMAND = "rewind"
_MAX_UNDO = 50
_MAX_DROPPED = 1000  # commits
_MAX_UNDO_BYTES = 2 << 30
_PRUNED_EVERY = 5  # rewinds: measuring the undo points takes time


class RewindNotes(Notes):
    """What a rewind notes for its undo, and the undo for its own."""

    command = COMMAND
    point: str = ""
    head: str = ""  # before
    branch: str = ""
    back_to: float = 0.0  # the moment of the point
    session_id: str = ""  # if only this session was rewound
    keep_mine: bool = False
    sessions: tuple[str, ...] = ()  # with a conversation that changed
    commit: str = ""  # that HEAD moved to


class Rewind:
    """A planned rewind: show ``view`` and ``diff``, then carry it out. Use it as a context manager."""

    def __init__(self, context: Context, draft: Draft, view: RewindView, rewound: Sequence[RewoundConversation] = (),
                 new_blobs: Mapping[str, str] | None = None, commit: TakeBack | None = None) -> None:  # fmt: skip
        self.view = view
        self._context = context
        self._draft = draft
        self._conversations = rewound
        self._new_blobs = new_blobs or {}  # per edited path; '' where the file is deleted
        self._commit = commit
        self._new_head = view.moved_to  # '' if HEAD stays at its commit
        self._head: Mapping[str, tuple[str, str]] = {}  # HEAD's entries at these paths
        self._is_open = True
        self.is_forced = False  # also under an agent that has a conversation open
        self.recovered: Sequence[str] = ()  # messages about interrupted changes that were completed first
        self.progress: Callable[[str], None] = lambda _: None  # gets a message before slow work

    @property
    def _notes(self) -> RewindNotes:
        notes = self._draft.notes
        assert isinstance(notes, RewindNotes)
        return notes

    def __enter__(self) -> Rewind:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_open:
            self._draft.discard()
        self._context.close()

    def diff(self, *, colour: bool = False) -> bytes:
        """Return git's diff from the present files to the planned ones."""
        folder = self._draft.folder
        before, after = (os.path.basename(path) for path in (self._draft.before, self._draft.after))
        return checkout.diff_folders(folder, before, after, colour=colour)

    def carry_out(self) -> RewindView:
        """Carry the plan out, all or nothing; raises EntireError if files changed since, or a turn started."""
        context = self._context
        with context.lock():
            _refuse_running(context, self._conversations)
            effects.refuse_continued(context, self._draft, self._notes.sessions)
            if self._changes_nothing():
                return self.view  # without an undo point, so `undo` still takes back the previous rewind
            if not self.is_forced:
                effects.refuse_open(context, self._rewritten())
            if not self._notes.undoes:
                self._make_commit()
                self._draft_states()
                self._draft_index()
            done = self._draft.carry_out(self.progress)
            self._is_open = False
            context.forget()  # the states are other files now
            self._note(done)
            self._store_conversations()
            if not transactions.count(context.place) % _PRUNED_EVERY:
                transactions.prune(context.place, now=context.now(), seconds=KEPT_SECONDS, max_count=_MAX_UNDO,
                                   max_bytes=_MAX_UNDO_BYTES)  # fmt: skip
            context.save()
        context.log.info("rewound", transaction=done.id, files=len(done.paths), title=self.view.title)
        commit = self._new_head if self._commit is not None else ""
        self.view = replace(self.view, undo_id=done.id, commit=commit)
        return self.view

    def _rewritten(self) -> list[str]:
        if self._notes.undoes:
            return effects.rewritten(self._context, self._draft, self._notes.sessions)
        return [conversation.session_id for conversation in self._conversations if conversation.is_rewritten]

    def _changes_nothing(self) -> bool:
        changes_conversation = any(conversation.changes for conversation in self._conversations)
        return not (
            self._notes.undoes or changes_conversation or self._draft.changed() or self._new_head or self._commit
        )

    # ------------------------------------------------------------ states and journal

    def _make_commit(self) -> None:
        if self._commit is not None:
            self._new_head = take_back.make(self._context, self._draft, self._commit)
            self._draft.notes = replace(self._notes, commit=self._new_head)

    def _draft_states(self) -> None:
        """Add the transcripts, the sessions' states and their logs of turns to the draft."""
        context, draft = self._context, self._draft
        for session in self._with_open_files():
            context.touch(session)
        for conversation in self._conversations:
            if conversation.changes:
                effects.draft_conversation(draft, conversation.agent, conversation.file, conversation.subagents)
            if not conversation.is_rewritten:
                continue
            state = context.session(conversation.session_id)
            if state is not None:
                self._forget_later(state, conversation)
                context.touch(state)
            else:
                self._import(conversation)
        for session in context.touched():
            for path, data in sessions.forms(context.place, session):
                draft.write_private(path, data)
        context.forget()

    def _import(self, conversation: RewoundConversation) -> None:
        """Create the state of a session that was never here, so nothing is counted twice."""
        from entire.resume import restore as resume
        from entire.resume import targets

        context, point = self._context, self.view.point
        stored = PointList(context).checkpoint(point) if point is not None else None
        slot = stored.slot_of(conversation.session_id) if stored is not None else None
        session = targets.stored_session(context, stored, slot) if stored is not None and slot is not None else None
        if session is not None:
            session = replace(session, session_id=conversation.session_id)
            resume.draft_unknown(context, self._draft, session, conversation.file, conversation.subagents)

    def _draft_index(self) -> None:
        """Add the index of the commit that HEAD moves to; last, because any git command may refresh the index."""
        if self._commit is not None:
            take_back.stage(self._context, self._draft, self._commit)
        elif self._new_head:
            place, index = self._context.place, os.path.join(self._draft.folder, "index.new")
            files.write(index, files.read(os.path.join(place.git_dir, "index")) or b"")
            checkout.index_at(place.top, self._new_head, index)
            self._draft.replace_index(index)

    def _forget_later(self, session: Session, conversation: RewoundConversation) -> None:
        """Remove what came after the point from a session's state and log of turns."""
        from entire.resume import recount

        place, data = self._context.place, conversation.file.data
        notes, moment = turnlog.read(place, session.session_id), self._notes.back_to
        if not recount.reads_prompts(conversation.agent, conversation.file.path, data):
            remaining = recount.turns_before(place, session, moment)
        elif conversation.file.what == CUT:
            remaining = [note for note in notes if note.position < conversation.records]
        else:
            remaining = recount.turns(place, conversation.agent, session, data, self._context.redactor)
        if remaining != notes:
            kept = turnlog.dumps(remaining, self._context.redactor)
            self._draft.write_private(turnlog.path(place, session.session_id), kept)
        session.tasks = recount.tasks(place, conversation.agent, session, data, moment)
        counted = recount.counted(place, conversation.agent, session, data)
        session.session_ref = SessionRef(conversation.file.path)
        session.turn, session.conversation = None, ""  # positions and content of what was rewound
        if conversation.file.what == WRITTEN:
            transcripts.forget(session)
            if counted is None:
                transcript = long_transcripts.opened(conversation.agent, conversation.file.path, data)
                counted = transcript.at(session.covered.position.count)
        session.covered = replace(
            session.covered, position=counted if counted is not None else session.covered.position
        )

    def _with_open_files(self) -> list[Session]:
        """Update the sessions' open files (those that differ from HEAD); return the sessions that changed."""
        context = self._context
        head = self._new_head or context.journal.snapshot.head
        self._head = diff.entries(context.place.top, head, list(self._new_blobs))
        differing = rewind_files.differing_paths(self._head, self._new_blobs)
        changed = []
        point = self.view.point
        session = context.session(point.session_id) if point is not None else None
        if session is not None and context.in_this_worktree(session):  # it has work here again
            context.mark_relevant(session.session_id)
        relevant_sessions = context.relevant_sessions()
        orphans = differing - {path for session in relevant_sessions for path in session.work.open_files}
        for session in relevant_sessions:
            still_open = [path for path in session.work.open_files if path not in self._new_blobs or path in differing]
            if point is not None and session.session_id == point.session_id:
                still_open += sorted(orphans)
            if still_open != session.work.open_files:
                session.work = replace(session.work, open_files=still_open)
                changed.append(session)
        return changed

    def _note(self, done: Transaction) -> None:
        """Record a snapshot of the worktree in the journal, marked as a rewind or undo."""
        context, paths = self._context, done.paths
        snapshot = context.journal.snapshot
        is_moved = bool(done.refs) or history.resolve(context.place.top, "HEAD") != snapshot.head
        if not paths and not is_moved:
            return
        if self._commit is not None:
            context.journal.caches.trees[self._new_head] = context.objects.tree_id(self._new_head)  # it is no copy
        is_known = bool(snapshot.tree) and not is_moved
        taken = (
            worktree.take_after(context.place, snapshot, self._in_head(paths)) if is_known else recorder.take(context)
        )
        mark = TurnMark.undo(done.undoes, done.id) if done.undoes else self._rewind_mark(done.id)
        recorder.record(context, recorder.compare(context, taken), Cause(mark=mark, moment=context.now()))
        if self._commit is not None:
            take_back.record(context, self._commit, self._new_head)
        elif self._new_head:
            self._forget_dropped_commits(snapshot.head)

    def _store_conversations(self) -> None:
        """Store what was put back, which ends at the point: its agent may delete it before the next turn."""
        context = self._context
        for conversation in self._conversations:
            session = context.session(conversation.session_id) if conversation.is_rewritten else None
            if session is None:
                continue
            try:
                turn.store_conversation(context, session)
                context.touch(session)
            except (EntireError, OSError) as error:  # the rewind is done
                context.log.error(f"could not store what was put back: {error}", session_id=session.session_id)

    def _forget_dropped_commits(self, old_head: str) -> None:
        """What was uncommitted at the point is so again: it may be linked to another commit."""
        from entire.snapshots import open_files

        context = self._context
        for dropped in history.log(context.place.top, [old_head, f"^{self._new_head}"], limit=_MAX_DROPPED):
            context.journal.attribution.forget_commit(dropped.oid)
        if self.view.uncommitted:
            open_files.reopen(context, self.view.uncommitted)

    def _rewind_mark(self, transaction: str) -> TurnMark:
        notes = self._notes
        return TurnMark.rewind(notes.back_to, transaction, session_id=notes.session_id, keep_mine=notes.keep_mine)

    def _in_head(self, paths: Sequence[str]) -> dict[str, tuple[str, str] | None]:
        if self._new_blobs.keys() >= set(paths):
            return {path: self._head.get(path) for path in paths}
        entries = diff.entries(self._context.place.top, self._context.journal.snapshot.head_tree, paths)
        return {path: entries.get(path) for path in paths}


# ---------------------------------------------------------------- planning


def plan(context: Context, request: RewindRequest) -> Rewind:
    """Plan a rewind to a point. Use the result as a context manager."""
    recovered = lifecycle.finish_interrupted(context)
    with context.lock():
        _refuse_running(context)
        _record_snapshot(context)
        points = PointList(context)
        point = points.named(request.to, request.session_id)
        _check_commits(point, request)
        title = f"rewind to {point.checkpoint_id or (point.id if point.is_before_prompt else point.id[:7])}"
        draft = Draft(context.place, COMMAND, title, now=context.now())
        try:
            planned = _planned(context, points, point, request, draft, title)
        except BaseException:
            draft.discard()
            raise
        context.save()
    planned.recovered, planned.is_forced = recovered, request.force
    return planned


def undo(context: Context, name: str = "") -> Rewind:
    """Plan to undo the last rewind, or all of them back to the one that ``name`` (an id or id prefix) means."""
    recovered = lifecycle.finish_interrupted(context)
    with context.lock():
        _refuse_running(context)
        _record_snapshot(context)
        undone = _undone(context, name)
        notes = _undo_notes(context, undone)
        draft = inverse.of(context.place, *undone, now=context.now(), notes=notes)
        try:
            planned = _planned_undo(context, _combine(undone), draft, notes)
        except BaseException:
            draft.discard()
            raise
        context.save()
    planned.recovered = recovered
    return planned


def _undo_notes(context: Context, undone: Sequence[Transaction]) -> RewindNotes:
    notes = [RewindNotes.of(transaction) for transaction in undone]
    sessions = sorted({name for one in notes for name in one.sessions})
    snapshot = context.journal.snapshot
    return RewindNotes(undoes=undone[-1].id, head=snapshot.head, branch=snapshot.branch, sessions=tuple(sessions),
                       commit=notes[-1].commit)  # fmt: skip


def _planned_undo(context: Context, last: Transaction, draft: Draft, notes: RewindNotes) -> Rewind:
    from entire.rewind import undo_sessions

    branch.check_undo(context, draft, notes.commit)
    edits = tuple(EditView(path=path, what=_kind_of_edit(draft, path)) for path in draft.changed())
    restored = tuple(conversations.restored_view(context, session_id) for session_id in notes.sessions)
    effects.refuse_continued(context, draft, notes.sessions)
    undo_sessions.draft_states(context, draft, last)
    return Rewind(context, draft, RewindView(title=f"undo of: {last.title}", edits=edits, conversations=restored))


def undo_points(context: Context) -> list[Transaction]:
    """Return the rewinds and undos that can be undone, newest first."""
    return transactions.done(context.place, COMMAND)


def _undone(context: Context, name: str) -> list[Transaction]:
    """Return the transactions to undo, newest first: the last one, or all back to the named one."""
    known = undo_points(context)
    if not known:
        raise EntireError("there is no rewind to undo", hint="undo points are kept for two weeks")
    ids = [transaction.id for transaction in known]
    chosen = prefix.find(name, ids, "undo point") if name else ids[0]
    if not chosen:
        raise EntireError(f"no such undo point: {name}", hint="run `entire rewind --undo --list` to see them")
    return known[: ids.index(chosen) + 1]


def _combine(undone: Sequence[Transaction]) -> Transaction:
    """Return several transactions as one: the oldest, with all paths that any of them touched."""
    return replace(
        undone[-1],
        paths=tuple({path for transaction in undone for path in transaction.paths}),
        private=tuple({path for transaction in undone for path in transaction.private}),
    )


def _record_snapshot(context: Context) -> None:
    recorder.record_now(context, Cause(running=tuple(context.running_turns())))


def _refuse_running(context: Context, rewound: Sequence[RewoundConversation] = ()) -> None:
    """Refuse while an agent may write files here, or continue a conversation that will be rewound."""
    known = [context.session(conversation.session_id) for conversation in rewound]
    for session in [*context.relevant_sessions(), *(session for session in known if session is not None)]:
        is_in_turn = session.is_running or interruption.answers_queued(context, session)
        if is_in_turn or liveness.is_at_work(session, context.now(), silence=liveness.AT_ONCE):
            doing = "in the middle of a turn" if is_in_turn else "at work in the background"
            who = session.agent.type or session.agent.name
            raise EntireError(
                f"{who} is {doing} (session {session.session_id}); nothing was changed",
                hint="wait for it to finish or interrupt it, then try again; if it has crashed, run `entire doctor`",
            )


def _check_commits(point: PointView, request: RewindRequest) -> None:
    """Refuse options that concern whole commits if the point is not a commit, or if only a part is restored."""
    option = "--reset" if request.reset else "--take-back"
    if not (request.reset or request.take_back):
        return
    if request.reset and request.take_back:
        raise UsageError("--reset and --take-back cannot be combined", hint="leave one of them out")
    if point.kind != "checkpoint":
        raise UsageError(f"{option} needs a checkpoint's commit",
                         hint=f"omit {option} to rewind without changing the branch")  # fmt: skip
    if request.paths or request.session_id or request.logs_only:
        raise UsageError(f"{option} concerns whole commits", hint="omit --file, --session and --logs-only")


def _planned(
    context: Context, points: PointList, point: PointView, request: RewindRequest, draft: Draft, title: str
) -> Rewind:
    restoring = None
    moment = point.time
    if not request.logs_only:
        restoring = Restoring(context, points, point, request, draft, _gone(context, point, request))
        restoring.plan()
        moment = restoring.then.moment
    is_with_conversations = not (request.files_only or request.paths)
    rewound = conversations.of_point(context, points, point, request.session_id) if is_with_conversations else []
    stuck = conversations.out_of_reach(context, points, point, request.session_id) if is_with_conversations else []
    _refuse_running(context, rewound)
    snapshot = context.journal.snapshot
    draft.notes = RewindNotes(
        point=point.id, head=snapshot.head, branch=snapshot.branch, back_to=moment, session_id=request.session_id,
        keep_mine=request.keep_mine, sessions=tuple(conversation.session_id for conversation in rewound),
    )  # fmt: skip
    planned_files = restoring.view(title) if restoring is not None else RewindView(title=title, logs_only=True)
    view = replace(
        planned_files,
        point=point,
        conversations=(*(conversations.view(context, conversation) for conversation in rewound), *stuck),
        others=_other_sessions(
            points, moment, {conversation.session_id for conversation in rewound} | {point.session_id}
        ),
    )
    commit = None
    if request.reset:
        view = branch.move(context, draft, point, view)
    elif request.take_back and restoring is not None:
        commit = take_back.plan(context, point, restoring)
        view = take_back.shown(view, commit)
    _save_index(context, draft)
    return Rewind(context, draft, view, rewound, restoring.new_blobs if restoring is not None else None, commit)


def _gone(context: Context, point: PointView, request: RewindRequest) -> CommitsSince | None:
    """Return what the branch loses of the commits since a point, or a new commit takes back."""
    head = context.journal.snapshot.head
    if request.reset:
        return commits_since.of_all(context, head, point.id)
    return commits_since.of_sessions(context, head, point.id) if request.take_back else None


def _other_sessions(points: PointList, moment: float, rewound: set[str]) -> tuple[str, ...]:
    """Return the sessions that changed files since and whose conversations are not rewound."""
    ids = dict.fromkeys(change.session_id for change in points.snapshots.since(moment) if change.session_id)
    return tuple(session_id for session_id in ids if session_id not in rewound)


def _save_index(context: Context, draft: Draft) -> None:
    """Keep the index with the undo point; a hard link is enough, since git never changes the index in place."""
    try:
        os.link(os.path.join(context.place.git_dir, "index"), os.path.join(draft.folder, "index.present"))
    except OSError:
        pass  # the file system has no hard links, or there is no index yet


def _kind_of_edit(draft: Draft, path: str) -> str:
    if not os.path.lexists(os.path.join(draft.after, path)):
        return "delete"
    return "write" if os.path.lexists(os.path.join(draft.before, path)) else "create"
