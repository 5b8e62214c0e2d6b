"""The origins of uncommitted lines, and of a file that has some: the journal's owners with what describes them."""

from __future__ import annotations

import contextlib

from entire import settings
from entire.directory import AgentDirectory
from entire.git.read import Objects
from entire.model.origins import PERSON, TURN, UNKNOWN, FileOrigins, LineRange, Origin
from entire.model.turns import Owner
from entire.model.value import replace
from entire.origins import uncommitted
from entire.origins.brought_lines import BroughtLines
from entire.origins.details import Details, of_turn
from entire.origins.stored import StoredCheckpoints
from entire.recording.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from entire.layout import Place
    from entire.model.turns import TurnKey
    from entire.origins.uncommitted import UncommittedFile
    from entire.store.catalog import Catalog

    Line = tuple[Origin, int]  # and the line's number in its commit's version


def find(place: Place, path: str = "", blame_options: Sequence[str] | None = None) -> list[UncommittedFile]:
    """Return the files of a worktree that differ from HEAD, with the owners of their lines; with ``path`` only that
    one, also blamed with options of git.
    """
    chosen = settings.load(place) or settings.Settings(enabled=False)
    with contextlib.closing(Context(place, chosen, AgentDirectory.without_plugins())) as context:
        return uncommitted.find(context, path, blame_options)


def describe(place: Place, catalog: Catalog, files: Iterable[UncommittedFile]) -> list[FileOrigins]:
    """Return files with the origins of their uncommitted lines."""
    with Objects(place.top) as objects:
        turns = _Turns(Details(place, catalog, stored := StoredCheckpoints(objects, catalog.commits)), stored, catalog)
        brought = BroughtLines(place, objects, catalog)
        return [_describe(brought.give_back(file), turns) for file in files]


def complete(file: FileOrigins, described: FileOrigins) -> FileOrigins:
    """Return a file of the worktree in which the lines that no commit has have the origins of its description."""
    own = dict(_lines(described.ranges))
    lines = {number: line if line[0].commit else own.get(number, line) for number, line in _lines(file.ranges)}
    return replace(file, ranges=tuple(_ranges(lines)), status=described.status, old_path=described.old_path,
                   change=described.change)  # fmt: skip


def within(file: FileOrigins, first: int, last: int) -> FileOrigins:
    """Return the part of a described file within a range of lines."""
    texts = dict(zip((number for number, _ in _lines(file.ranges)), file.lines, strict=True))
    lines = {number: line for number, line in _lines(file.ranges) if first <= number <= last}
    return replace(file, ranges=tuple(_ranges(lines)), lines=tuple(texts[number] for number in lines))


def _describe(file: UncommittedFile, turns: _Turns) -> FileOrigins:
    def origin(owner: Owner, reason: str) -> Origin:
        if owner.is_turn:
            return turns.origin(owner, file.path)
        return Origin(kind=UNKNOWN if reason else PERSON, reason=reason, path=file.path)

    texts = file.text.decode("utf-8", "surrogateescape").split("\n")
    return FileOrigins(
        path=file.path,
        ranges=tuple(
            LineRange(first=part.first, last=part.last, origin=origin(part.owner, part.reason), source_line=part.first)
            for part in file.ranges
        ),
        lines=tuple(text.removesuffix("\r") for part in file.ranges for text in texts[part.first - 1 : part.last]),
        is_binary=file.is_binary,
        status=file.status,
        old_path=file.head_path if file.head_path != file.path else "",
        change=origin(file.owner, file.reason) if file.owner else None,
    )


def _lines(ranges: Iterable[LineRange]) -> Iterator[tuple[int, Line]]:
    for part in ranges:
        for number in range(part.first, part.last + 1):
            yield number, (part.origin, part.source_line + number - part.first)


def _ranges(lines: Mapping[int, Line]) -> list[LineRange]:
    ranges: list[LineRange] = []
    for number, (origin, source_line) in sorted(lines.items(), key=lambda line: line[0]):
        if ranges and ranges[-1].last == number - 1 and ranges[-1].origin == origin:
            ranges[-1] = replace(ranges[-1], last=number)
        else:
            ranges.append(LineRange(first=number, last=number, origin=origin, source_line=source_line))
    return ranges


class _Turns:
    """Describes the turns of uncommitted lines. An earlier checkpoint may have them."""

    def __init__(self, details: Details, stored: StoredCheckpoints, catalog: Catalog) -> None:
        self._details = details
        self._stored = stored
        self._catalog = catalog

    def origin(self, owner: Owner, path: str) -> Origin:
        """Return the origin of a line that an owner wrote in a file."""
        turn = self._details.of(owner.turn, "" if owner.is_new else self._holder(owner.turn, path))
        checkpoint_id = "" if owner.is_new else turn.checkpoint_id
        return of_turn(Origin(kind=TURN, path=path, checkpoint_id=checkpoint_id), turn)

    def _holder(self, key: TurnKey, path: str) -> str:
        """Return the checkpoint that has a turn's lines of a file, '' if there is none."""
        ids = [name for name, held in self._catalog.sessions_by_checkpoint.items() if key.session_id in held]
        self._stored.load(ids)
        holder = next((name for name in ids if self._holds(name, key, path)), "")
        self._stored.load_sessions([holder] if holder else ())
        return holder

    def _holds(self, checkpoint_id: str, key: TurnKey, path: str) -> bool:
        own = self._stored.lineage(checkpoint_id)
        lines = own.files.get(path) if own is not None else None
        writers = {lines.made_by, *(who for _, _, who in lines.added)} if lines is not None else set()
        return any(Owner(who).turn == key for who in writers)
