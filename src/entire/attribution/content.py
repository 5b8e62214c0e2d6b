"""Decides which sessions' content a commit contains, and so which are linked to it (linking.md sections 1, 5 and 6)."""

from __future__ import annotations

from entire.attribution import commit_lines
from entire.attribution.brought import BroughtTree
from entire.attribution.path_lines import PathLines
from entire.attribution.replay import Lineage, is_trivial
from entire.git import diff
from entire.model.turns import BASE, NOBODY, PERSON, Owner, TurnKey, owner_between
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from entire.git.diff import FilePatch
    from entire.model.session import Entry
    from entire.model.setup_lines import SetupLines
    from entire.model.turns import RunningTurn, Unreported

    Pair = tuple[str, str]  # of trees: from, to

_OWN_FOLDER = ".entire/"


class Content(Value):
    """The lines of a commit with their owners, and which of them no checkpoint has yet."""

    lines: tuple[PathLines, ...]  # against the first parent
    fresh: tuple[PathLines, ...]  # only what is in none of the covered trees
    left: dict[str, list[Owner]]  # by path, owners of new content that the worktree has and the commit does not
    patch: tuple[FilePatch, ...]  # from the first parent
    moved: tuple[str, ...] = ()  # paths of the last snapshot that the commit renames
    unreported: Unreported = {}  # as it was recorded

    def sessions(self) -> list[str]:
        """Return the ids of the sessions with new content in the commit."""
        owners = [owner for path in self.fresh for owner in sorted(path.owners()) if owner.is_new]
        return list(dict.fromkeys(owner.session_id for owner in owners))

    def turns(self, session_id: str) -> list[str]:
        """Return the ids of a session's turns with new content in the commit."""
        owners = {owner for path in self.fresh for owner in path.owners() if owner.is_new}
        return sorted(owner.turn.turn_id for owner in owners if owner.session_id == session_id)


class Recorded(Value):
    """What the journal recorded about changes up to a commit."""

    entries: tuple[Entry, ...]
    reports: Mapping[TurnKey, Sequence[str]]  # the paths that each turn's tools reported
    running: tuple[RunningTurn, ...] = ()  # may own what the commit has beyond the last snapshot
    unreported: Unreported = {}  # and what of that no tool has reported


class CommitTrees(Value):
    """The trees that a commit is compared with."""

    tree: str
    parent_tree: str
    covered: tuple[str, ...] = ()  # already linked: the amended commit, a merge's other side, a squashed branch
    staged: str = ""  # what was staged before the commit's own hooks changed it; '' if they changed nothing
    brought: tuple[str, ...] = ()  # trees that git has brought since the last snapshot
    moved_from: str = ""  # HEAD's tree at the last snapshot, if git has brought the parent since; '' if not


def examine(
    where: str, recorded: Recorded, trees: CommitTrees, paths: Sequence[str], stashed: Container[str] = ()
) -> Content:
    """Replay the recorded snapshots for ``paths`` and return what the commit contains. Runs one git process.

    ``stashed`` are paths that a stash removed: their lines may come back.
    """
    steps = list(_with_trees(recorded.entries))
    last = _last_snapshot(recorded.entries)
    others = (trees.parent_tree, *trees.covered)
    end = trees.staged or trees.tree
    pairs = [pair for _, pair in steps]
    made = _made_before(recorded.entries)
    pairs += [(tree, entry.tree) for at, (entry, _) in enumerate(steps, 1) for tree in (*entry.brought, *made[at])]
    pairs += [(other, trees.tree) for other in (last, *others)]
    pairs += [(last, end), (end, trees.tree), *((tree, end) for tree in (*trees.brought, *made[-1]))]
    pairs += [(trees.moved_from, trees.parent_tree)] if trees.moved_from else []
    patches, wanted = _patches(where, list(dict.fromkeys(pairs)), paths), frozenset(paths)
    to_tree, commit_patch = patches[last, trees.tree], patches[trees.parent_tree, trees.tree]
    new_paths = {patch.change.path for patch in commit_patch if patch.change.status == "A"}
    owners = Lineage(lambda path: path not in new_paths, stashed)
    for at, (entry, pair) in enumerate(steps, 1):
        owner = entry.owner(recorded.reports)
        brought = [BroughtTree(patches[tree, entry.tree]) for tree in entry.brought]
        brought += [BroughtTree(patches[tree, entry.tree], is_made=True) for tree in made[at]]
        if entry.is_stash:
            known = [patch for patch in patches[pair] if not entry.paths or patch.change.path in entry.paths]
            owners.learn(known, owner, brought)
        elif entry.commit:
            owners.mark_committed(patches[pair], [path for path in entry.paths if path in wanted], owner, brought)
        else:
            owners.advance(patches[pair], owner, brought)
    left = owners.left_out(to_tree)
    owner = owner_between(TurnKey(), recorded.running, recorded.reports, recorded.unreported)
    brought = [BroughtTree(patches[tree, end]) for tree in trees.brought]
    brought += [BroughtTree(patches[tree, end], is_made=True) for tree in made[-1]]
    owners.advance(patches[last, end], owner, brought)
    if trees.moved_from:
        to_end = [patches[tree, end] for tree in (trees.parent_tree, *trees.brought)]
        _take_back(owners, patches[trees.moved_from, trees.parent_tree], to_end, owner)
    if trees.staged:
        owners.advance(patches[end, trees.tree], _owner_of_hooks)
    moved = tuple(patch.change.old_path for patch in to_tree if patch.change.status == "R")
    lines = commit_lines.attribute(owners, commit_patch)
    fresh = lines
    for other in others[1:]:
        patch = patches[other, trees.tree]
        fresh = _common(fresh, commit_lines.attribute(owners, patch), _moved_lines(patch))
    return Content(lines=tuple(lines), fresh=tuple(fresh), left=left, patch=tuple(commit_patch), moved=moved,
                   unreported=recorded.unreported)  # fmt: skip


def _patches(where: str, pairs: Sequence[Pair], paths: Sequence[str]) -> dict[Pair, list[FilePatch]]:
    """Return the patches of these paths for each pair of trees; git may return more."""
    wanted = frozenset(paths)
    return {
        pair: [patch for patch in between if patch.change.path in wanted or patch.change.old_path in wanted]
        for pair, between in zip(pairs, diff.patches(where, pairs, paths), strict=True)
    }


def _take_back(
    owners: Lineage,
    moved: Sequence[FilePatch],
    to_end: Sequence[Sequence[FilePatch]],
    owner: Callable[[str], Owner],
) -> None:
    """Give turns the lines that git removed (``moved``) and they wrote again: the last snapshot has them, and none of
    the trees that git brought, from which ``to_end`` lead, the first from the parent.
    """
    gone = {
        patch.change.path: {text for hunk in patch.hunks for kind, text in hunk.lines if kind == b"-"}
        for patch in moved
    }
    others = [{patch.change.path: numbered(patch) for patch in patches} for patches in to_end[1:]]
    for patch in to_end[0]:
        name = patch.change.path
        if (who := owner(name)).is_turn and name in gone:
            back = {
                number
                for number, text in numbered(patch).items()
                if text in gone[name] and all(number in other.get(name, ()) for other in others)
            }
            owners.take_back(patch, back, who)


def _owner_of_hooks(_path: str) -> Owner:
    return NOBODY


def _made_before(entries: Sequence[Entry]) -> list[list[str]]:
    """Return, for each entry and for what follows the last one, the trees of the commits made since the snapshot
    before.
    """
    made_by_entry: list[list[str]] = []
    made: list[str] = []
    for entry in entries:
        made_by_entry.append(made)
        if not entry.commit:
            made = []
        elif not entry.is_stash and entry.tree not in made:
            made = [*made, entry.tree]
    return [*made_by_entry, made]


def _with_trees(entries: Sequence[Entry]) -> list[tuple[Entry, tuple[str, str]]]:
    """Return each entry but the first with the previous tree and its own; a commit's tree never counts as previous."""
    pairs = []
    at = entries[0].tree if entries else ""
    for entry in entries[1:]:
        pairs.append((entry, (at, entry.tree)))
        if not entry.commit:
            at = entry.tree
    return pairs


def _last_snapshot(entries: Sequence[Entry]) -> str:
    return [entry.tree for entry in entries if not entry.commit][-1]


def _moved_lines(patches: Sequence[FilePatch]) -> dict[str, set[int]]:
    """Return the numbers of the added lines that the old file had elsewhere, by path."""
    lines_by_path = {}
    for patch in patches:
        gone = [text for hunk in patch.hunks for kind, text in hunk.lines if kind == b"-" and not is_trivial(text)]
        lines_by_path[patch.change.path] = (
            {number for number, text in numbered(patch).items() if text in gone} if gone else set()
        )
    return lines_by_path


def _common(ours: Sequence[PathLines], theirs: Sequence[PathLines], moved: Mapping[str, set[int]]) -> list[PathLines]:
    """Return the part of ``ours`` that is also in ``theirs``, without lines that are only moved there; both count lines
    in the same commit.
    """
    other = {path.path: path for path in theirs}
    common = []
    for path in ours:
        twin = other.get(path.path)
        if twin is None:
            continue
        gone = moved.get(path.path, set())
        added = tuple(
            part
            for a, b, owner in path.added
            for c, d, _ in twin.added
            if max(a, c) <= min(b, d)
            for part in _without_numbers((max(a, c), min(b, d), owner), gone)
        )
        removed = {
            who: min(count, twin.removed.get(who, 0)) for who, count in path.removed.items() if twin.removed.get(who)
        }
        path_owner = path.path_owner if twin.path_owner else BASE
        if added or removed or path_owner:
            common.append(replace(path, added=added, removed=removed, path_owner=path_owner))
    return common


def _without_numbers(span: tuple[int, int, Owner], gone: set[int]) -> list[tuple[int, int, Owner]]:
    first, last, owner = span
    if gone.isdisjoint(range(first, last + 1)):
        return [span]
    return [(number, number, owner) for number in range(first, last + 1) if number not in gone]


def without_reverted(content: Content, reverted: Mapping[str, Sequence[bytes]]) -> Content:
    """Remove from the new content lines that only restore what a reverted commit had removed: ``reverted``, by path."""
    texts = {patch.change.path: numbered(patch) for patch in content.patch if patch.change.path in reverted}
    fresh = []
    for path in content.fresh:
        restored = list(reverted.get(path.path, ()))
        text_of = texts.get(path.path, {})
        added = []
        for first, last, owner in path.added:
            for number in range(first, last + 1):
                text = text_of.get(number, b"")
                if text in restored:
                    restored.remove(text)
                else:
                    added.append((number, number, owner))
        if added:
            fresh.append(
                PathLines(
                    path=path.path,
                    status=path.status,
                    binary=path.binary,
                    added=tuple(added),
                    removed={},
                    path_owner=BASE,
                )
            )
    return replace(content, fresh=tuple(fresh))


def without_setup(content: Content, noted: Mapping[str, SetupLines]) -> Content:
    """Leave out what ``enable`` wrote: our own folder, and the lines ``noted`` in files of others."""
    patches = {patch.change.path: patch for patch in content.patch}
    kinds = [
        tuple(
            _without_lines(path, patches[path.path], noted[path.path]) if path.path in noted else path
            for path in lines
            if not path.path.startswith(_OWN_FOLDER)
        )
        for lines in (content.lines, content.fresh)
    ]
    lines, fresh = [tuple(path for path in paths if path.owners()) for paths in kinds]
    return replace(content, lines=lines, fresh=fresh)


def _without_lines(path: PathLines, patch: FilePatch, noted: SetupLines) -> PathLines:
    """Return a path's lines without those noted; without an owner, if they are all."""
    text_of = numbered(patch)
    added, left = [], list(noted.added)
    for first, last, owner in path.added:
        for number in range(first, last + 1):
            if text_of.get(number) in left:
                left.remove(text_of[number])
            else:
                added.append((number, number, owner))
    removed = dict(path.removed)
    gone = sum(text in noted.removed for hunk in patch.hunks for kind, text in hunk.lines if kind == b"-")
    for owner in sorted(removed, key=lambda who: who.is_turn):
        taken = min(gone, removed[owner])
        removed[owner], gone = removed[owner] - taken, gone - taken
    removed = {owner: count for owner, count in removed.items() if count}
    is_all = not added and not removed and bool(text_of)
    return replace(path, added=tuple(added), removed=removed, path_owner=BASE if is_all else path.path_owner)


def numbered(patch: FilePatch) -> dict[int, bytes]:
    """Return the lines that a patch adds, by their numbers in the new file."""
    lines = {}
    for hunk in patch.hunks:
        number = hunk.new_start
        for kind, text in hunk.lines:
            if kind == b"+":
                lines[number] = text
            number += kind != b"-"
    return lines


def only(content: Content, paths: Container[str]) -> Content:
    """Leave turns only these paths; the others are people's."""
    lines, fresh = (
        tuple(path if path.path in paths else _of_people(path) for path in lines)
        for lines in (content.lines, content.fresh)
    )
    return replace(content, lines=lines, fresh=fresh)


def _of_people(path: PathLines) -> PathLines:
    added = tuple((first, last, PERSON if owner.is_turn else owner) for first, last, owner in path.added)
    removed: dict[Owner, int] = {}
    for owner, count in path.removed.items():
        who = PERSON if owner.is_turn else owner
        removed[who] = removed.get(who, 0) + count
    return replace(
        path, added=added, removed=removed, path_owner=PERSON if path.path_owner.is_turn else path.path_owner
    )


def joined(own: Content, other: Content) -> Content:
    """Give turns what ``other`` says they wrote, where ``own``, about the same trees, names a person."""
    return replace(own, lines=_joined(own.lines, other.lines), fresh=_joined(own.fresh, other.fresh))


def _joined(ours: Sequence[PathLines], theirs: Sequence[PathLines]) -> tuple[PathLines, ...]:
    twins = {path.path: path for path in theirs if any(owner.is_turn for owner in path.owners())}
    return tuple(_joined_path(path, twins[path.path]) if path.path in twins else path for path in ours)


def _joined_path(path: PathLines, twin: PathLines) -> PathLines:
    writers = {line: owner for first, last, owner in twin.added if owner.is_turn for line in range(first, last + 1)}
    added: list[tuple[int, int, Owner]] = []
    for first, last, owner in path.added:
        for line in range(first, last + 1):
            who = owner if owner.is_turn else writers.get(line, owner)
            if added and added[-1][1:] == (line - 1, who):
                added[-1] = (added[-1][0], line, who)
            else:
                added.append((line, line, who))
    maker = path.path_owner if path.path_owner.is_turn or not twin.path_owner.is_turn else twin.path_owner
    return replace(path, added=tuple(added), path_owner=maker)
