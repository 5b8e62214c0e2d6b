"""A commit, before and after: which sessions it holds, under which ids, and what becomes of the rest."""

from __future__ import annotations

import os

from entire import files, process
from entire.git import diff, history, run
from entire.git.patchid import patch_id
from entire.lifecycle import condense, driver, pending
from entire.lifecycle.pending import Pending
from entire.lifecycle.reading import Reading
from entire.lifecycle.scene import turn_key
from entire.model import trailers
from entire.model.events import EventType
from entire.model.ids import new_id
from entire.model.phases import Action, Facts, Phase, transition
from entire.model.session import Entry
from entire.model.value import Value, replace
from entire.strategies import content
from entire.strategies.content import WEAK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.diff import Change
    from entire.git.read import Commit
    from entire.lifecycle.scene import Scene
    from entire.model.ids import CheckpointId
    from entire.model.session import Session
    from entire.strategies.content import Content

_EMPTY = {40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", 64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"}
_REVERTS = "This reverts commit "


class Replaced(Value):
    """What a commit stands in for: the ids that it carries on, and the trees whose content they cover."""

    kind: str
    ids: tuple[CheckpointId, ...] = ()
    covered: tuple[str, ...] = ()


def prepare(scene: Scene, message_file: str, source: str, maker: str) -> None:
    """Decide about the commit that git is about to make, note the decision, then write the trailers.

    ``maker`` is the session whose agent runs git, '' for a person.
    """
    complete_pending(scene)
    git = driver.find()
    state = driver.state(scene.place)
    if git.picks or source == "merge":
        pending.drop(scene.place)
        return
    message = (files.read(message_file) or b"").decode("utf-8", "surrogateescape")
    decided = _decide(scene, message, source, maker, git, state)
    pending.save(scene.place, decided)
    if decided.ids:
        _write_trailers(scene, message_file, message, decided)


def _decide(scene: Scene, message: str, source: str, maker: str, git: driver.Driver, state: driver.State) -> Pending:
    head = scene.objects.commit("HEAD")
    tree = _index_tree(scene)
    amends = _amends(scene, git, source, head, tree)
    parent = scene.objects.commit(head.parents[0]) if amends and head is not None and head.parents else None if amends else head
    parent_tree = parent.tree if parent is not None else _EMPTY[len(tree)]
    changes = diff.changes(scene.place.top, parent_tree, tree)
    replaced = _replaced(scene, message, source, state, head, amends, changes)
    basis = Pending(kind=replaced.kind, head=head.oid if head else "", tree=tree, moment=scene.now(), ids=replaced.ids,
                    paths=tuple(change.path for change in changes), running=tuple(scene.running_turns()), pid=git.pid,
                    started=git.started)  # fmt: skip
    if not changes and not amends:
        return replace(basis, reason="an empty commit holds no content")
    held = _examine(scene, basis, parent_tree, replaced, changes)
    if held is not None and (reverted := _reverted(scene, message)) is not None:
        held = content.without_reverted(held, reverted, _texts(held))
        basis = replace(basis, kind="revert")
    sessions = {one: held.turns(one) for one in held.sessions()} if held is not None else {}
    if maker and basis.kind == "plain":
        sessions.setdefault(maker, [])
    lines = () if held is None else held.lines if basis.kind in ("plain", "amend") else held.fresh
    moved = tuple(path for path in (held.moved if held is not None else ()) if path not in basis.paths)
    basis = replace(basis, lines=lines, left=held.left if held is not None else {}, paths=(*basis.paths, *moved),
                    patch_id=patch_id(held.patch, len(tree)) if held is not None else "")
    return _with_ids(basis, sessions, scene)


def _with_ids(basis: Pending, sessions: dict[str, list[str]], scene: Scene) -> Pending:
    """Choose the checkpoint: a new one, the amended commit's own, or none with a reason."""
    if not sessions:
        return replace(basis, reason=_reason(scene, basis))
    if basis.kind == "amend" and basis.ids:
        return replace(basis, update=basis.ids[-1], sessions=sessions)
    fresh = new_id()
    return replace(basis, id=fresh, ids=(*basis.ids, fresh), sessions=sessions)


def _reason(scene: Scene, basis: Pending) -> str:
    if basis.ids:
        return "its content is in checkpoints already"
    if basis.kind in ("merge", "revert"):
        return f"a {basis.kind} with no new content of a session"
    if not scene.journal.entries:
        return "no session has worked here yet"
    return "no content of a session is in it"


def _index_tree(scene: Scene) -> str:
    """Return the tree of the index that git commits, through a second name of its file: the index itself stays untouched."""
    facts = scene.facts
    index = facts.get("GIT_INDEX_FILE") or os.path.join(scene.place.git_dir, "index")
    index = os.path.join(scene.place.top, index)
    twin = os.path.join(scene.place.own_dir, f"index.{os.getpid()}")
    env = run.environment(GIT_INDEX_FILE=twin, GIT_DIR=scene.place.git_dir, GIT_WORK_TREE=scene.place.top)
    os.makedirs(scene.place.own_dir, exist_ok=True)
    try:
        files.remove(twin)
        try:
            os.link(index, twin)
        except FileNotFoundError:
            pass  # no index yet: an empty one
        except OSError:
            files.write(twin, files.read(index) or b"")
        return run.git(scene.place.top, "write-tree", env=env).stdout.decode("ascii").strip()
    finally:
        files.remove(twin)
        files.remove(twin + ".lock")


def _amends(scene: Scene, git: driver.Driver, source: str, head: Commit | None, tree: str) -> bool:
    if head is None:
        return False
    if git.amends is not None and git.command:
        return git.amends
    date = scene.facts.get("GIT_AUTHOR_DATE", "").lstrip("@")
    return source in ("message", "commit") and tree == head.tree and bool(date) and head.author.endswith(date)


def _replaced(
    scene: Scene, message: str, source: str, state: driver.State, head: Commit | None, amends: bool, changes: Sequence[Change]
) -> Replaced:
    if amends and head is not None:
        text = head.message.decode("utf-8", "surrogateescape")
        return Replaced(kind="amend", ids=tuple(trailers.checkpoint_ids(text)), covered=(head.tree,))
    if state.merge_heads:
        others = [scene.objects.commit(oid) for oid in state.merge_heads]
        return Replaced(kind="merge", covered=tuple(other.tree for other in others if other is not None))
    if source == "squash" or state.squash_message:
        ids = [*trailers.checkpoint_ids(state.squash_message), *trailers.checkpoint_ids(message)]
        tip = scene.objects.commit(state.squash_tip) if state.squash_tip else None
        return Replaced(kind="squash", ids=tuple(dict.fromkeys(ids)), covered=(tip.tree,) if tip else ())
    return _replaced_by_reset(scene, head, changes) or Replaced(kind="plain")


def _replaced_by_reset(scene: Scene, head: Commit | None, changes: Sequence[Change]) -> Replaced | None:
    """Recognise a commit in place of those that ``git reset --soft`` took back: by content, since a hard reset looks alike."""
    oid = driver.reset_from(scene.place)
    if not oid:
        return None
    tip = scene.objects.commit(oid)
    if tip is None:
        return None
    entries = {change.path: change.new_oid for change in changes}
    same = {change.path for change in diff.changes(scene.place.top, head.tree if head else _EMPTY[len(tip.tree)], tip.tree)
            if entries.get(change.path) == change.new_oid}  # fmt: skip
    spec = [tip.oid, *([f"^{head.oid}"] if head else [])]
    ids: list[CheckpointId] = []
    for one in reversed(history.log(scene.place.top, spec, limit=200)):
        found = trailers.checkpoint_ids(one.message)
        if found and any(path in same for path in history.changed_paths(scene.place.top, one.oid)):
            ids += found
    return Replaced(kind="reset", ids=tuple(dict.fromkeys(ids)), covered=(tip.tree,)) if ids else None


def _examine(scene: Scene, basis: Pending, parent_tree: str, replaced: Replaced, changes: Sequence[Change]) -> Content | None:
    """Ask the journal whose content the commit holds; None where nobody can have any."""
    journal = scene.journal
    if not journal.tree or not basis.paths:
        return None
    strong = [one for one in basis.running if not one.startswith(WEAK)]
    paths = [*_with_sources(basis.paths, changes), *_moved_away(scene, changes)]
    if not strong and not basis.running and not any(path in journal.made for path in paths):
        return None
    reports = dict(journal.reports)
    if len(basis.running) > 1 or len(strong) != len(basis.running):
        reports.update(_present_reports(scene))
    return content.examine(scene.place.top, journal.entries, reports, basis.running, parent_tree=parent_tree, tree=basis.tree,
                           covered=replaced.covered, paths=paths)


def _moved_away(scene: Scene, changes: Sequence[Change]) -> list[str]:
    """Return open paths that are gone from the work tree: a person may have moved them to paths that the commit adds."""
    if not any(change.status == "A" for change in changes):
        return []
    known = {change.path for change in changes}
    paths = dict.fromkeys(path for session in scene.near() for path in session.open_files if path not in known)
    return [path for path in paths if not os.path.lexists(os.path.join(scene.place.top, path))]


def _with_sources(paths: Sequence[str], changes: Sequence[Change]) -> list[str]:
    return list(dict.fromkeys([*paths, *(change.old_path for change in changes)]))


def _present_reports(scene: Scene) -> dict[str, list[str]]:
    """Return what the tools of turns in progress have reported so far."""
    found = {}
    for session in scene.near():
        agent = scene.agent_of(session) if session.is_running or session.background else None
        if agent is not None and session.turn is not None:
            reading = Reading(agent, session, scene.place.top)
            found[turn_key(session)] = reading.files(session.turn.start, reading.end())
    return found


def _reverted(scene: Scene, message: str) -> dict[str, list[bytes]] | None:
    """Return the lines, by path, that a revert puts back; None if the commit is no revert."""
    at = message.find(_REVERTS)
    if at < 0:
        return None
    name = message[at + len(_REVERTS) :].split()[0].rstrip(".,") if message[at + len(_REVERTS) :].split() else ""
    commit = scene.objects.commit(name) if name.isalnum() else None
    parent = scene.objects.commit(commit.parents[0]) if commit is not None and commit.parents else None
    if commit is None:
        return None
    before = parent.tree if parent is not None else _EMPTY[len(commit.oid)]
    found = {}
    for patch in diff.patches(scene.place.top, [(before, commit.tree)], renames=False)[0]:
        found[patch.change.path] = [text for hunk in patch.hunks for kind, text in hunk.lines if kind == b"-"]
    return found


def _texts(held: Content) -> dict[str, list[bytes]]:
    return {patch.change.path: [text for hunk in patch.hunks for kind, text in hunk.lines if kind == b"+"] for patch in held.patch}


def _write_trailers(scene: Scene, message_file: str, message: str, decided: Pending) -> None:
    editor = scene.facts.get("GIT_EDITOR") != ":"
    comment_char = "#"
    comments: list[str] = []
    if editor:
        comment_char = (run.lines(scene.place.top, "config", "core.commentChar", ok=(0, 1)) or ["#"])[0] or "#"
        comment_char = "#" if comment_char == "auto" else comment_char
        if decided.id:
            session = scene.session(next(iter(decided.sessions)))
            prompt = session.turn.prompt if session is not None and session.turn is not None else ""
            comments = ["Remove the Entire-Checkpoint line to leave this commit without its session.",
                        f"Last prompt: {' '.join(prompt.split())[:60]}" if prompt else "",
                        "The session's transcript will be kept on the branch entire/checkpoints/v1."]  # fmt: skip
    ids = [*decided.ids]
    text = trailers.add_checkpoints(message, _as_ids(ids), comment_char, [one for one in comments if one], editor=editor)
    if text != message:
        files.write(message_file, text.encode("utf-8", "surrogateescape"))


def _as_ids(ids: Sequence[str]) -> list[CheckpointId]:
    from entire.model.ids import CheckpointId

    return [CheckpointId(one) for one in ids]


# ---------------------------------------------------------------- after the commit


def finish(scene: Scene) -> None:
    """Carry out what was decided for the commit that HEAD is now."""
    decided = pending.load(scene.place)
    head = scene.objects.commit("HEAD")
    if head is None:
        return
    if decided is None:
        if not driver.find().picks:
            _settle_unlinked(scene, head, "git made it without asking")
        return
    _carry_out(scene, decided, head)
    pending.drop(scene.place)


def complete_pending(scene: Scene) -> None:
    """Complete a record whose post-commit never ran; keep it while its git still runs, drop it if the commit never came."""
    decided = pending.load(scene.place)
    if decided is None:
        return
    commit = _commit_of(scene, decided)
    if commit is not None:
        _carry_out(scene, decided, commit)
    elif decided.pid and process.is_running(decided.pid, decided.started) and decided.pid != driver.find().pid:
        return
    pending.drop(scene.place)


def _commit_of(scene: Scene, decided: Pending) -> Commit | None:
    """Find the commit that a record is about: by its id, else by its parent and tree."""
    wanted = decided.id or decided.update
    for one in history.log(scene.place.top, ["HEAD"], limit=50):
        if wanted and wanted in trailers.checkpoint_ids(one.message) and (decided.id or one.oid != decided.head):
            return scene.objects.commit(one.oid)
        if one.oid == decided.head:
            break
    return None


def _carry_out(scene: Scene, decided: Pending, commit: Commit) -> None:
    present = trailers.checkpoint_ids(commit.message.decode("utf-8", "surrogateescape"))
    target = decided.id or decided.update
    if not target or not decided.sessions:
        _settle_unlinked(scene, commit, decided.reason, decided)
        return
    if target not in present:
        _settle_unlinked(scene, commit, "its trailer was removed by hand", decided)
        return
    sessions = [session for session in map(scene.session, decided.sessions) if session is not None]
    facts = Facts(linked=True)
    chosen = []
    for session in sessions:
        _, actions = transition(session.phase, EventType.GIT_COMMIT, facts)
        if Action.CONDENSE in actions:
            chosen.append(session)
    condense.write(scene, decided, commit, chosen)
    for session in chosen:
        session.phase, _ = transition(session.phase, EventType.GIT_COMMIT, facts)
    _note_commit(scene, commit, decided)
    condense.carry_forward(scene, decided, commit, chosen)
    if not any(session.open_files or session.is_running for session in scene.near()):
        scene.journal.settle()
    scene.save(*scene.near())


def _settle_unlinked(scene: Scene, commit: Commit, reason: str, decided: Pending | None = None) -> None:
    """Note a commit that is not linked, with the reason, if a session is near."""
    near = [session for session in scene.near() if session.is_live(scene.now())]
    if decided is not None and (decided.kind == "amend" or "by hand" in reason):
        _note_commit(scene, commit, decided)
        condense.close_files(scene, decided, near)
    if near and not (decided is not None and decided.ids and decided.kind in ("amend", "squash", "reset")):
        scene.journal.note_reason(commit.oid, reason, scene.now())
        scene.log.info("commit not linked", commit=commit.oid, reason=reason)
    scene.save(*near)


def _note_commit(scene: Scene, commit: Commit, decided: Pending) -> None:
    """Tell the journal what is settled now."""
    if scene.journal.entries:
        scene.journal.note(Entry(tree=commit.tree, time=scene.now(), running=decided.running, commit=commit.oid, paths=decided.paths))


