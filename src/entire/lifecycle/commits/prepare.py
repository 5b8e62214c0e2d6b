"""Before a commit: which sessions it will hold, under which ids. The decision is noted before the message is
changed.
"""

from __future__ import annotations

import os

from entire import files
from entire.attribution import content
from entire.git import diff, index, operation, reflog
from entire.git.patchid import patch_id
from entire.lifecycle.commits import pending
from entire.lifecycle.commits.pending import Pending
from entire.lifecycle.context import turn_key
from entire.model import trailers
from entire.model.ids import new_id
from entire.model.session import WEAK
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from entire.attribution.content import Content
    from entire.git.diff import Change
    from entire.git.read import Commit
    from entire.lifecycle.context import Context
    from entire.model.ids import CheckpointId

_REVERTS = "This reverts commit "


class Replaced(Value):
    """What a commit stands in for: the ids that it carries on, and the trees whose content they cover."""

    kind: str
    ids: tuple[CheckpointId, ...] = ()
    covered: tuple[str, ...] = ()
    commit: str = ""  # the amended one: what it settled is decided anew


def prepare(context: Context, message_file: str, source: str, maker: str) -> None:
    """Decide about the commit that git is about to make, note the decision, then write the trailers.

    ``maker`` is the session whose agent runs git, '' for a person.
    """
    if os.path.exists(context.place.pending_file):
        from entire.lifecycle.commits import complete

        complete.complete_pending(context, anew=True)
    git = operation.find()
    state = operation.state(context.place)
    message = (files.read(message_file) or b"").decode("utf-8", "surrogateescape")
    if git.picks:
        pending.drop(context.place)
        _keep_folded(context, message_file, message, state)
        return
    if source == "merge" and git.command in ("merge", "pull"):  # clean: git calls no post-commit
        pending.drop(context.place)
        return
    decided = _decide(context, message, source, maker, git, state)
    pending.save(context.place, decided)
    if decided.ids:
        _write_trailers(context, message_file, message, decided)


def _keep_folded(context: Context, message_file: str, message: str, state: operation.State) -> None:
    """Keep the ids of a commit that a rebase folds into the one before it: `fixup` drops its message."""
    folded = context.objects.commit(state.folds) if state.folds else None
    head = context.objects.commit("HEAD") if folded is not None else None
    texts = [one.message.decode("utf-8", "surrogateescape") for one in (head, folded) if one is not None]
    ids = tuple(dict.fromkeys(one for text in texts for one in trailers.checkpoint_ids(text)))
    if ids:
        text = trailers.add_checkpoints(message, ids, editor=False)
        if text != message:
            files.write(message_file, text.encode("utf-8", "surrogateescape"))


def _decide(
    context: Context, message: str, source: str, maker: str, git: operation.Driver, state: operation.State
) -> Pending:
    head = context.objects.commit("HEAD")
    tree = _index_tree(context)
    amends = _amends(context, git, source, head, tree)
    parent = (
        context.objects.commit(head.parents[0])
        if amends and head is not None and head.parents
        else None
        if amends
        else head
    )
    parent_tree = parent.tree if parent is not None else diff.EMPTY_TREE[len(tree)]
    changes = diff.changes(context.place.top, parent_tree, tree)
    replaced = _replaced(context, message, source, state, head, amends, changes)
    basis = Pending(
        kind=replaced.kind,
        head=head.oid if head else "",
        tree=tree,
        moment=context.now(),
        ids=replaced.ids,
        paths=tuple(change.path for change in changes),
        running=_running(context, maker),
        pid=git.pid,
        started=git.started,
    )
    if not changes and not amends:
        return replace(basis, reason="an empty commit holds no content")
    held = _examine(context, basis, parent_tree, replaced, changes)
    if held is not None and (reverted := _reverted(context, message)) is not None:
        held = content.without_reverted(held, reverted, _texts(held))
        basis = replace(basis, kind="revert")
    sessions = {one: held.turns(one) for one in held.sessions()} if held is not None else {}
    if maker and basis.kind == "plain":
        sessions.setdefault(maker, [])
    lines = () if held is None else held.lines if basis.kind in ("plain", "amend") else held.fresh
    moved = tuple(path for path in (held.moved if held is not None else ()) if path not in basis.paths)
    basis = replace(
        basis,
        lines=lines,
        left=held.left if held is not None else {},
        paths=(*basis.paths, *moved),
        patch_id=patch_id(held.patch, len(tree)) if held is not None else "",
    )
    return _with_ids(basis, sessions, context)


def _running(context: Context, maker: str) -> tuple[str, ...]:
    """Return the turns in progress, that of the agent which makes the commit first: it breaks ties."""
    return tuple(sorted(context.running_turns(), key=lambda turn: content.session_of(turn) != maker))


def _with_ids(basis: Pending, sessions: dict[str, list[str]], context: Context) -> Pending:
    """Choose the checkpoint: a new one, the amended commit's own, or none with a reason."""
    if not sessions:
        head = context.objects.commit(basis.head) if basis.kind == "amend" and basis.ids and basis.lines else None
        changed = head is not None and head.tree != basis.tree
        return replace(basis, reason=_reason(context, basis), update=basis.ids[-1] if changed else "")
    basis = replace(basis, ends=_ends(context, sessions))
    if basis.kind == "amend" and basis.ids:
        return replace(basis, update=basis.ids[-1], sessions=sessions)
    fresh = new_id()
    return replace(basis, id=fresh, ids=(*basis.ids, fresh), sessions=sessions)


def _ends(context: Context, sessions: Iterable[str]) -> dict[str, list[Any]]:
    """Return where the last turns of the sessions without one in progress ended in their transcripts."""
    found = {}
    for session in map(context.session, sessions):
        if session is not None and not session.is_running and session.turn is not None and session.turn.finish.byte:
            finish = session.turn.finish
            found[session.session_id] = [finish.count, finish.byte, finish.mark]
    return found


def _reason(context: Context, basis: Pending) -> str:
    if basis.ids:
        return "its content is in checkpoints already"
    if basis.kind in ("merge", "revert", "pick"):
        return f"a {basis.kind} with no new content of a session"
    if not context.journal.entries:
        return "no session has worked here yet"
    return "no content of a session is in it"


def _index_tree(context: Context) -> str:
    """Return the tree of the index that git commits (with paths or ``-a`` that is a temporary one)."""
    place = context.place
    name = context.facts.get("GIT_INDEX_FILE") or os.path.join(place.git_dir, "index")
    return index.tree(place.top, place.git_dir, name, place.own_dir)


def _amends(context: Context, git: operation.Driver, source: str, head: Commit | None, tree: str) -> bool:
    if head is None:
        return False
    if git.amends is not None and git.command:
        return git.amends
    date = context.facts.get("GIT_AUTHOR_DATE", "").lstrip("@")
    return source in ("message", "commit") and tree == head.tree and bool(date) and head.author.endswith(date)


def _replaced(
    context: Context,
    message: str,
    source: str,
    state: operation.State,
    head: Commit | None,
    amends: bool,
    changes: Sequence[Change],
) -> Replaced:
    if amends and head is not None:
        text = head.message.decode("utf-8", "surrogateescape")
        ids = trailers.checkpoint_ids(text)
        beyond = _replaced_by_reset(context, head, changes)
        if beyond is not None and not set(beyond.ids) <= set(ids):  # commits taken back are folded into the one below
            return replace(beyond, ids=tuple(dict.fromkeys([*ids, *beyond.ids])), covered=(head.tree, *beyond.covered))
        return Replaced(kind="amend", ids=tuple(ids), covered=(head.tree,), commit=head.oid)
    if state.merge_heads:
        others = [context.objects.commit(oid) for oid in state.merge_heads]
        return Replaced(kind="merge", covered=tuple(other.tree for other in others if other is not None))
    if state.picked:
        pick = context.objects.commit(state.picked)
        return Replaced(kind="pick", ids=tuple(trailers.checkpoint_ids(message)), covered=(pick.tree,) if pick else ())
    if source == "squash" or state.squash_message:
        ids = [*state.squashed_ids, *trailers.checkpoint_ids(message)]
        tip = context.objects.commit(state.squash_tip) if state.squash_tip else None
        return Replaced(kind="squash", ids=tuple(dict.fromkeys(ids)), covered=(tip.tree,) if tip else ())
    return _replaced_by_reset(context, head, changes) or Replaced(kind="plain")


def _replaced_by_reset(context: Context, head: Commit | None, changes: Sequence[Change]) -> Replaced | None:
    """Recognise a commit in place of those that ``git reset --soft`` took back: by content, since a hard reset looks
    alike.
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
    for one in reversed(history.log(context.place.top, spec, limit=200)):
        found = trailers.checkpoint_ids(one.message)
        if found and any(path in same for path in history.changed_paths(context.place.top, one.oid)):
            ids += found
    return Replaced(kind="reset", ids=tuple(dict.fromkeys(ids)), covered=(tip.tree,)) if ids else None


def _examine(
    context: Context, basis: Pending, parent_tree: str, replaced: Replaced, changes: Sequence[Change]
) -> Content | None:
    """Ask the journal whose content the commit holds; None where nobody can have any."""
    journal = context.journal
    if not journal.tree or not (basis.paths or replaced.commit):
        return None
    strong = [one for one in basis.running if not one.startswith(WEAK)]
    paths = [
        *_with_sources(basis.paths, changes),
        *_moved_away(context, changes),
        *_taken_out(context, basis, replaced),
    ]
    if not strong and not basis.running and not any(path in journal.made for path in paths):
        return None
    reports = dict(journal.reports)
    if len(basis.running) > 1 or len(strong) != len(basis.running):
        reports.update(_present_reports(context))
    return content.examine(
        context.place.top,
        journal.entries_without(replaced.commit),
        reports,
        basis.running,
        parent_tree=parent_tree,
        tree=basis.tree,
        covered=replaced.covered,
        paths=paths,
        aside=journal.aside,
    )


def _moved_away(context: Context, changes: Sequence[Change]) -> list[str]:
    """Return open paths that are gone from the work tree: a person may have moved them to paths that the commit
    adds.
    """
    if not any(change.status == "A" for change in changes):
        return []
    known = {change.path for change in changes}
    paths = dict.fromkeys(
        path for session in context.relevant_sessions() for path in session.open_files if path not in known
    )
    return [path for path in paths if not os.path.lexists(os.path.join(context.place.top, path))]


def _taken_out(context: Context, basis: Pending, replaced: Replaced) -> list[str]:
    """Return the paths that an amend takes out of the commit: they may be open work again."""
    known = set(basis.paths)
    return [
        one.path
        for tree in replaced.covered
        if replaced.commit
        for one in diff.changes(context.place.top, tree, basis.tree)
        if one.path not in known
    ]


def _with_sources(paths: Sequence[str], changes: Sequence[Change]) -> list[str]:
    return list(dict.fromkeys([*paths, *(change.old_path for change in changes)]))


def _present_reports(context: Context) -> dict[str, list[str]]:
    """Return what the tools of turns in progress have reported so far."""
    from entire.lifecycle.session_transcript import SessionTranscript

    found = {}
    for session in context.relevant_sessions():
        agent = context.agent_of(session) if session.is_running or session.background else None
        if agent is not None and session.turn is not None:
            transcript = SessionTranscript(agent, session, context.place.top)
            found[turn_key(session)] = transcript.files(session.turn.start, transcript.end())
    return found


def _reverted(context: Context, message: str) -> dict[str, list[bytes]] | None:
    """Return the lines, by path, that a revert puts back; None if the commit is no revert."""
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


def _write_trailers(context: Context, message_file: str, message: str, decided: Pending) -> None:
    editor = context.facts.get("GIT_EDITOR") != ":"
    comment_char = "#"
    comments: list[str] = []
    if editor:
        comment_char = index.comment_char(context.place.top)
        if decided.id:
            session = context.session(next(iter(decided.sessions)))
            prompt = session.turn.prompt if session is not None and session.turn is not None else ""
            comments = ["Remove the Entire-Checkpoint line to leave this commit without its session.",
                        f"Last prompt: {' '.join(prompt.split())[:60]}" if prompt else "",
                        "The session's transcript will be kept on the branch entire/checkpoints/v1."]  # fmt: skip
    ids = [*decided.ids]
    text = trailers.add_checkpoints(
        message, _as_ids(ids), comment_char, [one for one in comments if one], editor=editor
    )
    if text != message:
        files.write(message_file, text.encode("utf-8", "surrogateescape"))


def _as_ids(ids: Sequence[str]) -> list[CheckpointId]:
    from entire.model.ids import CheckpointId

    return [CheckpointId(one) for one in ids]
