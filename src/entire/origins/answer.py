"""Answers where a file's lines come from: git's blame, with what the checkpoints of its commits say."""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError, GitError
from entire.git import blame, index, read
from entire.git.blame import Blame, BlameSource, Group
from entire.model.origins import FileOrigins, LineRange, WhyRequest, WhyView
from entire.model.value import replace
from entire.origins import line_origins, targets
from entire.origins.line_origins import LineOrigins
from entire.origins.owners import Owners

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from entire.layout import Place
    from entire.model.origins import Origin
    from entire.origins.line_origins import Owned
    from entire.origins.targets import OriginTarget
    from entire.store.catalog import Catalog

_MOVES, _COPIES = ("-M", "-C"), ("-C",)
_FEW_COMMITS = 64  # in a file of more, looking for moved lines costs more than the rest of the answer
_FEW_FILES = 5_000  # in a bigger tree, copies are looked for only among the files that the commit changes
_AROUND = 20  # lines
_ZEROS = "0" * 40
_EVERY = 1 << 60


def why(place: Place, catalog: Catalog, request: WhyRequest) -> WhyView:
    """Return the origins of the lines that a request asks about; raises EntireError if there are none such."""
    if request.is_uncommitted:
        return _uncommitted(place, catalog, request)
    target = targets.resolve(place, request)
    blamed, moved_in, options = _blamed(place, target)
    changed = None
    if not target.rev and not all(source.is_commit for source in blamed.sources.values()):
        from entire.origins import open_lines

        changed = next(iter(open_lines.find(place, target.path, options)), None)
        if changed is not None and changed.blame is not None:
            blamed = blame.clip(changed.blame, target.first, target.last) if target.first else changed.blame
            moved_in = {line: oid for line, oid in moved_in.items() if oid.strip("0")}
    view = WhyView(rev=target.rev, is_of_lines=bool(target.first))
    if b"\0" in b"".join(blamed.lines):
        return replace(view, files=(FileOrigins(path=target.path, is_binary=True),))
    with read.Objects(place.top) as objects:
        owners = Owners(place, objects, catalog.commits)
        owners.prepare(blamed.groups)
        owned = list(line_origins.pieces(owners, blamed))
        origins = LineOrigins(place, catalog, owners)
        origins.load(owned)
        ranges = [_range(entry, origins.of(entry, moved_in.get(entry.line, ""))) for entry in _by_move(owned, moved_in)]
    lines = tuple(line.decode("utf-8", "surrogateescape").removesuffix("\r") for line in blamed.lines)
    file = FileOrigins(path=target.path, ranges=tuple(_joined(ranges)), lines=lines)
    if changed is not None:
        from entire.origins import open_lines

        file = open_lines.complete(file, *open_lines.describe(place, catalog, [changed]))
    if target.first:
        from entire.origins import turn_calls

        file = turn_calls.add(place, catalog, file, changed)
    return replace(view, files=(file,))


def _uncommitted(place: Place, catalog: Catalog, request: WhyRequest) -> WhyView:
    """Return the lines that are not committed: of every file, or of what the request names."""
    from entire.origins import open_lines, turn_calls

    if not (request.target or request.path):
        return WhyView(is_of_worktree=True, files=tuple(open_lines.describe(place, catalog, open_lines.find(place))))
    target = targets.resolve(place, request)
    changed = [] if target.rev else open_lines.find(place, target.path)
    first, last = target.first or 1, target.last or _EVERY
    files = [open_lines.within(file, first, last) for file in open_lines.describe(place, catalog, changed)]
    if target.first:
        files = [turn_calls.add(place, catalog, file, changed[0]) for file in files]
    return WhyView(is_of_lines=bool(target.first), files=tuple(files))


# ---------------------------------------------------------------- blame


def _blamed(place: Place, target: OriginTarget) -> tuple[Blame, dict[int, str], list[str] | None]:
    """Blame a file; return also the commits that moved or copied lines, by line, and git's options for finding these,
    None if they are not looked for.
    """
    first, last = target.first, target.last
    # A single line is too short to be found where it was moved from: its neighbours moved with it.
    limit = [f"-L{max(1, first - _AROUND)},{last + _AROUND}"] if first else []
    options = [*limit, *_MOVES, *(_COPIES if index.count(place.git_dir) <= _FEW_FILES else ())]
    try:
        direct = blame.of(place.top, limit, target.path, target.rev)
        if first and not blame.clip(direct, first, last).groups:
            blame.of(place.top, [f"-L{first},{last}"], target.path, target.rev)  # git says how many lines there are
    except GitError as error:
        return _unknown_to_git(place, target, error), {}, options
    if not first and len(direct.sources) > _FEW_COMMITS:
        return direct, {}, None
    thorough = blame.of(place.top, options, target.path, target.rev)
    before, after = _commits_by_line(direct), _commits_by_line(thorough)
    moved_in = {line: oid for line, oid in before.items() if after.get(line) != oid}
    return blame.clip(thorough, first, last) if first else thorough, moved_in, options


def _commits_by_line(blamed: Blame) -> dict[int, str]:
    return {line: group.oid for group in blamed.groups for line in range(group.line, group.line + group.count)}


def _unknown_to_git(place: Place, target: OriginTarget, error: GitError) -> Blame:
    """Return the lines of a file that no commit has; raises EntireError with git's message if that is not why."""
    full = os.path.join(place.top, target.path)
    data = None if target.rev or os.path.islink(full) or not os.path.isfile(full) else files.read(full)
    if data is None or "no such" not in error.stderr:
        raise EntireError(error.stderr.removeprefix("fatal: ") or str(error)) from None
    lines = data.split(b"\n")
    lines = lines[: len(lines) - (not lines[-1])]
    first, last = target.first or 1, min(target.last or len(lines), len(lines))
    if first > last:
        if target.first:
            raise EntireError(f"file {target.path} has only {len(lines)} line{'s' * (len(lines) != 1)}")
        return Blame()
    group = Group(oid=_ZEROS, path=target.path, source_line=first, line=first, count=last - first + 1)
    return Blame(groups=(group,), sources={_ZEROS: BlameSource(oid=_ZEROS)}, lines=tuple(lines[first - 1 : last]))


# ---------------------------------------------------------------- ranges


def _by_move(owned: Iterable[Owned], moved_in: Mapping[int, str]) -> Iterator[Owned]:
    """Split pieces where the commit that moved their lines changes."""
    for entry in owned if moved_in else ():
        start = entry.line
        end = start + entry.piece.count
        for line in range(start + 1, end + 1):
            if line == end or moved_in.get(line, "") != moved_in.get(start, ""):
                offset = start - entry.line
                piece = replace(entry.piece, line=entry.piece.line + offset, count=line - start)
                yield replace(entry, line=start, piece=piece)
                start = line
    if not moved_in:
        yield from owned


def _range(entry: Owned, origin: Origin) -> LineRange:
    last = entry.line + entry.piece.count - 1
    return LineRange(first=entry.line, last=last, origin=origin, source_line=entry.piece.line)


def _joined(ranges: Iterable[LineRange]) -> list[LineRange]:
    """Join neighbouring ranges of the same origin: equal ones are one object."""
    joined: list[LineRange] = []
    for part in ranges:
        if joined and joined[-1].origin is part.origin and joined[-1].last == part.first - 1:
            joined[-1] = replace(joined[-1], last=part.last)
        else:
            joined.append(part)
    return joined
