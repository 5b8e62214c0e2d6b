"""``git blame`` with any of its options, and the origin of each line that it prints."""

from __future__ import annotations

from entire.errors import EntireError, GitError, UsageError
from entire.git import blame, history, read
from entire.model.origins import BlamedCommit, BlamedLines, BlameView
from entire.model.turns import PERSON, Owner
from entire.model.value import replace
from entire.origins import line_origins
from entire.origins.line_origins import LineOrigins, Owned
from entire.origins.owners import Owners

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.blame import Blame, BlameSource
    from entire.layout import Place
    from entire.store.catalog import Catalog

_MERGED = "a merge brought it in, and --first-parent does not look where from"


def annotate(place: Place, catalog: Catalog, folder: str, args: Sequence[str]) -> BlameView:
    """Run ``git blame`` in a folder and return its lines with their origins.

    ``args`` are git's; they should name a porcelain form. Raises EntireError with git's message if it refuses them.
    """
    if "--reverse" in args:
        raise UsageError("--reverse tells when lines went away, not who wrote them", hint="use `git blame --reverse`")
    try:
        output = blame.run_as_asked(folder, args)
    except GitError as error:
        raise _refused(error) from None
    blamed = blame.parse(output)
    with read.Objects(place.top) as objects:
        owners = Owners(place, objects, catalog.commits)
        owners.prepare(blamed.groups)
        owned = list(line_origins.pieces(owners, blamed))
        if "--first-parent" in args:
            owned = [_unmerged(owners, entry) for entry in owned]
        origins = LineOrigins(place, catalog, owners)
        origins.load(owned)
        ranges = _ranges(blamed, origins, owned)
    return BlameView(ranges=ranges, porcelain=output)


def dates(place: Place, view: BlameView, form: str) -> BlameView:
    """Return the view with the dates of its commits in one of git's forms (``relative``, ``short``, ...)."""
    oids = dict.fromkeys(part.commit.oid for part in view.ranges if part.commit.oid.strip("0"))
    return replace(view, dates=history.dates(place.top, list(oids), form))


def _refused(error: GitError) -> EntireError:
    lines = [line for line in error.stderr.split("\n") if line.startswith(("fatal: ", "error: "))]
    message = lines[0].partition(": ")[2] if lines else error.stderr
    if error.status == 129:  # usage
        return UsageError(f"git blame: {message}", hint="run `git blame -h` for its options")
    return EntireError(f"git blame: {message}")


def _unmerged(owners: Owners, entry: Owned) -> Owned:
    """Return a person's line of a merge as unknown: the merge only brought it in."""
    piece = entry.piece
    if piece.owner != PERSON or piece.checkpoint_id or not owners.is_merge(entry.group.oid):
        return entry
    return replace(entry, piece=replace(piece, owner=Owner(""), reason=_MERGED))


def _ranges(blamed: Blame, origins: LineOrigins, owned: Sequence[Owned]) -> tuple[BlamedLines, ...]:
    texts = {}
    at = 0
    for group in blamed.groups:
        for offset in range(group.count):
            if at < len(blamed.lines):
                texts[group.line + offset] = blamed.lines[at]
                at += 1
    commits = {oid: _commit(source) for oid, source in blamed.sources.items()}
    return tuple(
        BlamedLines(
            commit=commits[entry.group.oid],
            path=entry.group.path,
            source_line=entry.piece.line,
            first=entry.line,
            lines=tuple(texts.get(line, b"") for line in range(entry.line, entry.line + entry.piece.count)),
            origin=origins.of(entry),
        )
        for entry in owned
    )


def _commit(source: BlameSource) -> BlamedCommit:
    return BlamedCommit(oid=source.oid, author=source.author, mail=source.mail, time=source.time, zone=source.zone,
                        is_boundary=source.is_boundary)  # fmt: skip
