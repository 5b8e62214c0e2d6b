"""Before a commit: decides which sessions it contains and which checkpoint ids it carries. The decision is stored
before the message is changed.
"""

from __future__ import annotations

import os

from entire import files, process
from entire.attribution import content
from entire.attribution.content import CommitTrees, Recorded
from entire.git import diff, index, operation, reflog
from entire.git.patchid import patch_id
from entire.lifecycle.commits import pending
from entire.lifecycle.commits.pending import CommitKind, Pending
from entire.model import trailers
from entire.model.ids import CheckpointId, is_session_id, new_id
from entire.model.turns import RunningTurn
from entire.model.value import Value, replace
from entire.store import setup_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from entire.attribution.content import Content
    from entire.git.diff import Change
    from entire.git.operation import GitCommand, Operation
    from entire.git.read import Commit
    from entire.lifecycle.context import Context
    from entire.model.events import GitEvent
    from entire.model.session import Session
    from entire.model.turns import Owner, TurnKey

_REVERTS = "This reverts commit "
_BRINGS = ("merge ", "pull", "checkout: ", "cherry-pick", "revert")  # how the reflog describes what changes files


class Replaced(Value):
    """What a commit replaces: the ids that it takes over, and the trees whose content they cover."""

    kind: CommitKind
    ids: tuple[CheckpointId, ...] = ()
    covered: tuple[str, ...] = ()
    commit: str = ""  # the amended commit: its content is attributed again


class Attempt(Value):
    """The commit that git is about to make."""

    event: GitEvent
    message: str
    git: GitCommand
    operation: Operation
    head: Commit | None
    tree: str
    amends: bool
    maker: str = ""  # the session whose agent makes it, '' for a person
    running: tuple[RunningTurn, ...] = ()  # may own what no snapshot has; the first wins ties

    @property
    def parent(self) -> str:
        """The commit's first parent; '' for a root commit."""
        if not self.amends:
            return self.head.oid if self.head is not None else ""
        return self.head.parents[0] if self.head is not None and self.head.parents else ""


def prepare(context: Context, event: GitEvent) -> None:
    """Decide which checkpoints the commit belongs to, store the decision, then write the trailers."""
    git = operation.find()
    state = operation.state(context.place)
    message_file = os.path.join(context.place.top, event.message_file)
    message = (files.read(message_file) or b"").decode("utf-8", "surrogateescape")
    if git.picks:
        pending.drop(context.place)
        _keep_folded_ids(context, message_file, message, state)
        return
    if event.message_source == "merge" and git.command in ("merge", "pull"):  # clean: git calls no post-commit
        pending.drop(context.place)
        return
    head, tree = context.objects.commit("HEAD"), _index_tree(context, event)
    elsewhere = _running_elsewhere(context)
    maker = _committing_session(context, event, elsewhere)
    visiting = _receive(context, elsewhere, maker)
    attempt = Attempt(event=event, message=message, git=git, operation=state, head=head, tree=tree, maker=maker,
                      amends=_amends(event, git, head, tree),
                      running=(*_running(context, maker), *visiting))  # fmt: skip
    decided = decide(context, attempt)
    pending.save(context.place, decided)
    if decided.ids:
        _write_trailers(context, attempt, decided)


def _running_elsewhere(context: Context) -> list[Session]:
    """Return the sessions with a turn in progress in other worktrees: they may have worked or commit in this one."""
    from entire.lifecycle.snapshots import other_worktrees

    found = map(context.session, other_worktrees.running(context.place))
    return [session for session in found if session is not None and session.is_running]


def _receive(context: Context, elsewhere: Sequence[Session], maker: str) -> list[RunningTurn]:
    """Record what these sessions did in this worktree so far; return the turns of those that did something."""
    if not elsewhere:
        return []
    from entire.lifecycle.snapshots import other_worktrees

    turns = [
        RunningTurn.background(session.turn_key)
        for session in elsewhere
        if other_worktrees.receive(context, session, is_committing=session.session_id == maker)
    ]
    if turns:
        context.save()
    return turns


def _committing_session(context: Context, event: GitEvent, elsewhere: Sequence[Session]) -> str:
    """Return the id of the session whose agent runs git within a turn, '' for a person.

    With ENTIRE_TEST_TTY set to "1" it is a person's commit, with "0" one by the agent of the active session.
    """
    here = context.running()
    running = [*here, *elsewhere]
    terminal = event.environment.get("ENTIRE_TEST_TTY", "")
    if terminal == "1" or not running:
        return ""
    if event.session_id:
        return next((session.session_id for session in running if session.session_id == event.session_id), "")
    if terminal == "0":
        return max(here, key=lambda session: session.last_seen).session_id if here else ""
    ancestors = {(program.pid, program.started) for program in process.ancestors(os.getppid())}
    agents = {session.session_id: (session.process.pid, session.process.started) for session in running}
    return next((session_id for session_id, agent in agents.items() if agent in ancestors), "")


def _unrecorded(context: Context, event: GitEvent) -> str:
    """Return a reason that names the session in git's environment if it was not recorded; '' otherwise."""
    name = event.session_id
    if not is_session_id(name) or event.environment.get("ENTIRE_TEST_TTY", "") == "1" or context.session(name):
        return ""
    return f"made by session {name} of {event.agent_type}, which was not recorded (is entire on the agent's PATH?)"


def _keep_folded_ids(context: Context, message_file: str, message: str, state: Operation) -> None:
    """Keep the ids of a commit that a rebase folds into the one before: `fixup` drops its message."""
    folded = context.objects.commit(state.folds) if state.folds else None
    head = context.objects.commit("HEAD") if folded is not None else None
    texts = [commit.message.decode("utf-8", "surrogateescape") for commit in (head, folded) if commit is not None]
    ids = tuple(dict.fromkeys(checkpoint_id for text in texts for checkpoint_id in trailers.checkpoint_ids(text)))
    if ids:
        text = trailers.add_checkpoints(message, ids, editor=False)
        if text != message:
            files.write(message_file, text.encode("utf-8", "surrogateescape"))


def decide(context: Context, attempt: Attempt) -> Pending:
    """Decide which sessions a commit contains, and which checkpoint ids it carries. Writes nothing."""
    parent = context.objects.commit(attempt.parent) if attempt.parent else None
    parent_tree = parent.tree if parent is not None else diff.EMPTY_TREE[len(attempt.tree)]
    changes = diff.changes(context.place.top, parent_tree, attempt.tree)
    replaced = _replaced(context, attempt, changes)
    basis = Pending(
        kind=replaced.kind,
        head=attempt.head.oid if attempt.head else "",
        tree=attempt.tree,
        moment=context.now(),
        ids=replaced.ids,
        paths=tuple(change.path for change in changes),
        running=attempt.running,
        unrecorded=_unrecorded(context, attempt.event),
        pid=attempt.git.pid,
        started=attempt.git.started,
    )
    if not changes and not attempt.amends:
        return replace(basis, reason=basis.unrecorded or "an empty commit has no content")
    held = _examine(context, attempt, basis, parent_tree, replaced, changes)
    if held is not None and (reverted := _reverted(context, attempt.message)) is not None:
        held = content.without_reverted(held, reverted, _texts(held))
        basis = replace(basis, kind=CommitKind.REVERT)
    held = content.without_setup(held, setup_lines.load(context.place)) if held is not None else None
    sessions = {name: held.turns(name) for name in held.sessions()} if held is not None else {}
    if attempt.maker and not basis.ids and basis.kind in (CommitKind.PLAIN, CommitKind.SQUASH, CommitKind.PICK):
        sessions.setdefault(attempt.maker, [])
    if held is not None:
        basis = replace(
            basis,
            lines=held.lines if basis.kind.is_new_content else held.fresh,
            left=_still_open(context, held.left, changes),
            paths=(*basis.paths, *(path for path in held.moved if path not in basis.paths)),
            patch_id=patch_id(held.patch, len(attempt.tree)),
        )
    return _with_ids(context, basis, sessions)


def _still_open(context: Context, left: dict[str, list[Owner]], changes: Sequence[Change]) -> dict[str, list[Owner]]:
    """Return what is left in the worktree without the files that are as the commit has them: they changed since the
    last snapshot.
    """
    committed = {change.path: change.new_oid for change in changes if change.path in left}
    if not committed:
        return left
    from entire.git import status

    top = context.place.top
    paths = [path for path in committed if os.path.isfile(os.path.join(top, path))]
    found = status.store_files(top, [path for path in paths if not os.path.islink(os.path.join(top, path))])
    return {path: owners for path, owners in left.items() if found.get(path, "") != committed.get(path, "")}


def _running(context: Context, maker: str) -> tuple[RunningTurn, ...]:
    """Return the turns in progress; that of the committing agent comes first, because the first wins ties."""
    return tuple(sorted(context.running_turns(), key=lambda turn: turn.key.session_id != maker))


def _with_ids(context: Context, basis: Pending, sessions: dict[str, list[str]]) -> Pending:
    """Choose the checkpoint: a new one, the amended commit's, or none with a reason."""
    if not sessions:
        head = (
            context.objects.commit(basis.head) if basis.kind is CommitKind.AMEND and basis.ids and basis.lines else None
        )
        changed = head is not None and head.tree != basis.tree
        return replace(basis, reason=_reason(context, basis), update=basis.ids[-1] if changed else "")
    basis = replace(basis, ends=_ends(context, sessions))
    if basis.kind is CommitKind.AMEND and basis.ids:
        return replace(basis, update=basis.ids[-1], sessions=sessions)
    fresh = new_id()
    return replace(basis, id=fresh, ids=(*basis.ids, fresh), sessions=sessions)


def _ends(context: Context, sessions: Iterable[str]) -> dict[str, list[Any]]:
    """Return the transcript position at which the last turn of each idle session ended."""
    found = {}
    for session in map(context.session, sessions):
        if session is not None and not session.is_running and session.turn is not None and session.turn.finish.byte:
            finish = session.turn.finish
            found[session.session_id] = [finish.count, finish.byte, finish.mark]
    return found


def _reason(context: Context, basis: Pending) -> str:
    if basis.ids:
        return "its content is already in checkpoints"
    if basis.unrecorded:
        return basis.unrecorded
    if any(session.removed for session in context.relevant_sessions()):
        return pending.REMOVED
    if basis.kind in (CommitKind.MERGE, CommitKind.REVERT, CommitKind.PICK):
        return f"a {basis.kind.value} with no new session content"
    if not context.journal.attribution.entries:
        return "no session has run in this worktree yet"
    return "it contains no session content"


def _index_tree(context: Context, event: GitEvent) -> str:
    """Return the tree of the index that git commits; a temporary index if paths or ``-a`` were given."""
    place = context.place
    return index.tree(place.top, place.git_dir, _index_file(context, event), place.own_dir)


def _index_file(context: Context, event: GitEvent) -> str:
    name = event.environment.get("GIT_INDEX_FILE") or os.path.join(context.place.git_dir, "index")
    return os.path.join(context.place.top, name)


def _amends(event: GitEvent, git: GitCommand, head: Commit | None, tree: str) -> bool:
    if head is None:
        return False
    if git.amends is not None and git.command:
        return git.amends
    date = event.environment.get("GIT_AUTHOR_DATE", "").lstrip("@")
    is_repeated = event.message_source in ("message", "commit") and tree == head.tree
    return is_repeated and bool(date) and head.author.endswith(date)


def _replaced(context: Context, attempt: Attempt, changes: Sequence[Change]) -> Replaced:
    head, state = attempt.head, attempt.operation
    if attempt.amends and head is not None:
        ids = trailers.checkpoint_ids(head.message.decode("utf-8", "surrogateescape"))
        beyond = _replaced_by_reset(context, head, changes)
        if beyond is not None and not set(beyond.ids) <= set(ids):  # the amended commit also absorbs undone ones
            return replace(beyond, ids=tuple(dict.fromkeys([*ids, *beyond.ids])), covered=(head.tree, *beyond.covered))
        return Replaced(kind=CommitKind.AMEND, ids=tuple(ids), covered=(head.tree,), commit=head.oid)
    if state.merge_heads:
        others = [context.objects.commit(oid) for oid in state.merge_heads]
        return Replaced(kind=CommitKind.MERGE, covered=tuple(other.tree for other in others if other is not None))
    if state.picked:
        pick = context.objects.commit(state.picked)
        ids = trailers.checkpoint_ids(attempt.message)
        return Replaced(kind=CommitKind.PICK, ids=tuple(ids), covered=(pick.tree,) if pick else ())
    if attempt.event.message_source == "squash" or state.squash_message:
        ids = [*state.squashed_ids, *trailers.checkpoint_ids(attempt.message)]
        tip = context.objects.commit(state.squash_tip) if state.squash_tip else None
        return Replaced(kind=CommitKind.SQUASH, ids=tuple(dict.fromkeys(ids)), covered=(tip.tree,) if tip else ())
    return _replaced_by_reset(context, head, changes) or Replaced(kind=CommitKind.PLAIN)


def _replaced_by_reset(context: Context, head: Commit | None, changes: Sequence[Change]) -> Replaced | None:
    """Recognise a commit that replaces those undone by ``git reset --soft``. Content decides: the reflog shows a hard
    reset in the same way.
    """
    oid = reflog.reset_from(context.place)
    if not oid:
        return None
    tip = context.objects.commit(oid)
    if tip is None:
        return None
    from entire.git import history

    entries = {change.path: change.new_oid for change in changes}
    same = {
        change.path
        for change in diff.changes(context.place.top, head.tree if head else diff.EMPTY_TREE[len(tip.tree)], tip.tree)
        if entries.get(change.path) == change.new_oid
    }
    spec = [tip.oid, *([f"^{head.oid}"] if head else [])]
    ids: list[CheckpointId] = []
    for commit in reversed(history.log(context.place.top, spec, limit=200)):
        found = trailers.checkpoint_ids(commit.message)
        if found and any(path in same for path in history.changed_paths(context.place.top, commit.oid)):
            ids += found
    return Replaced(kind=CommitKind.RESET, ids=tuple(dict.fromkeys(ids)), covered=(tip.tree,)) if ids else None


def _examine(
    context: Context, attempt: Attempt, basis: Pending, parent_tree: str, replaced: Replaced, changes: Sequence[Change]
) -> Content | None:
    """Attribute the commit's content from the journal; None if no session can have any."""
    journal = context.journal
    if not journal.attribution.tree or not (basis.paths or replaced.commit):
        return None
    foreground = [turn for turn in basis.running if not turn.is_background]
    paths = [
        *_with_sources(basis.paths, changes),
        *_moved_away(context, changes),
        *_dropped_by_amend(context, basis, replaced),
    ]
    if not basis.running and not any(path in journal.attribution.agent_paths for path in paths):
        return None
    reports = dict(journal.attribution.reports)
    if len(basis.running) > 1 or len(foreground) != len(basis.running):
        reports.update(_reports_so_far(context))
    entries = journal.attribution.entries_without(replaced.commit)
    recorded = Recorded(entries=tuple(entries), reports=reports, running=tuple(basis.running))
    trees = CommitTrees(
        tree=basis.tree,
        parent_tree=parent_tree,
        covered=tuple(replaced.covered),
        staged=_staged(context, attempt, changes),
        moved_from=_moved_from(context, attempt),
    )
    return content.examine(context.place.top, recorded, trees, paths, journal.attribution.stashed_paths)


def _staged(context: Context, attempt: Attempt, changes: Sequence[Change]) -> str:
    """Return the tree that was staged when git started; '' if the commit's own hooks staged nothing since."""
    from entire.git import staged

    commit = staged.Commit(tree=attempt.tree, changes=changes, index=_index_file(context, attempt.event),
                           started=process.start_time(attempt.git.started))  # fmt: skip
    known = [entry.tree for entry in context.journal.attribution.entries]
    return staged.before_hooks(context.place, context.objects, commit, known)


def _moved_from(context: Context, attempt: Attempt) -> str:
    """Return HEAD's tree at the last snapshot if since then git has only brought other commits to the worktree, which
    replaces no uncommitted work; else ''.
    """
    entries = context.journal.attribution.entries
    known = next((entry.commit or entry.head for entry in reversed(entries) if entry.commit or entry.head), "")
    if attempt.amends or not known or known == attempt.parent:
        return ""
    moves = reflog.moves_since(context.place, known)
    return context.objects.tree_id(known) if moves and all(move.startswith(_BRINGS) for move in moves) else ""


def _moved_away(context: Context, changes: Sequence[Change]) -> list[str]:
    """Return paths of sessions that are gone from the worktree: a person may have moved them to paths that the commit
    adds, now or when a snapshot recorded both.
    """
    added = {change.path for change in changes if change.status == "A"}
    if not added:
        return []
    attribution, known = context.journal.attribution, {change.path for change in changes}
    paths = [path for session in context.relevant_sessions() for path in session.open_files]
    for entry in attribution.entries:
        if not added.isdisjoint(entry.paths):
            paths += [path for path in entry.paths if path in attribution.agent_paths]
    gone = dict.fromkeys(path for path in paths if path not in known)
    return [path for path in gone if not os.path.lexists(os.path.join(context.place.top, path))]


def _dropped_by_amend(context: Context, basis: Pending, replaced: Replaced) -> list[str]:
    """Return the paths that an amend removes from the commit: their content may be uncommitted again."""
    known = set(basis.paths)
    return [
        change.path
        for tree in replaced.covered
        if replaced.commit
        for change in diff.changes(context.place.top, tree, basis.tree)
        if change.path not in known
    ]


def _with_sources(paths: Sequence[str], changes: Sequence[Change]) -> list[str]:
    return list(dict.fromkeys([*paths, *(change.old_path for change in changes)]))


def _reports_so_far(context: Context) -> dict[TurnKey, list[str]]:
    """Return the paths that the tools of each turn in progress have reported so far."""
    found = {}
    for session in context.relevant_sessions():
        is_at_work = session.is_running or bool(session.background)
        if is_at_work and session.turn is not None and context.agent_of(session) is not None:
            transcript = context.transcript(session)
            found[session.turn_key] = transcript.files(session.turn.start, transcript.end())
    return found


def _reverted(context: Context, message: str) -> dict[str, list[bytes]] | None:
    """Return the lines, by path, that a revert restores; None if the commit is not a revert."""
    at = message.find(_REVERTS)
    if at < 0:
        return None
    name = message[at + len(_REVERTS) :].split()[0].rstrip(".,") if message[at + len(_REVERTS) :].split() else ""
    reverted = context.objects.commit(name) if name.isalnum() else None
    if reverted is None:
        return None
    parent = context.objects.commit(reverted.parents[0]) if reverted.parents else None
    before = parent.tree if parent is not None else diff.EMPTY_TREE[len(reverted.oid)]
    found = {}
    for patch in diff.patches(context.place.top, [(before, reverted.tree)], renames=False)[0]:
        found[patch.change.path] = [text for hunk in patch.hunks for kind, text in hunk.lines if kind == b"-"]
    return found


def _texts(held: Content) -> dict[str, list[bytes]]:
    return {
        patch.change.path: [text for hunk in patch.hunks for kind, text in hunk.lines if kind == b"+"]
        for patch in held.patch
    }


def _write_trailers(context: Context, attempt: Attempt, decided: Pending) -> None:
    has_editor = _has_editor(attempt)
    comment_char, comments = "#", []
    if has_editor:
        comment_char = index.comment_char(context.place.top)
        comments = _comments(context, decided) if decided.id else []
    ids = [CheckpointId(name) for name in decided.ids]
    text = trailers.add_checkpoints(attempt.message, ids, comment_char, comments, editor=has_editor)
    if text != attempt.message:
        path = os.path.join(context.place.top, attempt.event.message_file)
        files.write(path, text.encode("utf-8", "surrogateescape"))


def _has_editor(attempt: Attempt) -> bool:
    """Tell whether git opens an editor, and removes comments afterwards. Without one it sets GIT_EDITOR to ``:``; a
    program that calls the hook with a message may not.
    """
    is_given = attempt.event.message_source == "message" and not attempt.git.edits
    return attempt.event.environment.get("GIT_EDITOR") != ":" and not is_given


def _comments(context: Context, decided: Pending) -> list[str]:
    """Return the comment lines that the editor shows with the trailer."""
    session = context.session(next(iter(decided.sessions)))
    prompt = " ".join(session.turn.prompt.split()) if session is not None and session.turn is not None else ""
    return [
        "Remove the Entire-Checkpoint line to leave this commit unlinked.",
        *([f"Last prompt: {prompt[:60]}"] if prompt else []),
        "The session's transcript will be saved on the branch entire/checkpoints/v1.",
    ]
