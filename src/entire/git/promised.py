"""What a partial clone lacks, and fetching it at once: git itself asks its remote for one object after another."""

from __future__ import annotations

from entire.errors import EntireError
from entire.git import bulk, remote, run
from entire.git.offline import promisor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_LIMIT = 600.0


def missing(where: str, revisions: Sequence[str], paths: Sequence[str] = ()) -> set[str]:
    """Return the objects of these revisions (``^name`` excludes) that a partial clone lacks; only those of ``paths``,
    if any are given. Fetches nothing.
    """
    if not revisions or not bulk.fetches_missing(where):
        return set()
    stdin = "".join(f"{name}\n" for name in revisions).encode()
    query = ("--literal-pathspecs", "rev-list", "--objects", "--missing=print", "--stdin")
    lines = run.lines(where, *query, "--", *paths, stdin=stdin)
    return {line[1:] for line in lines if line.startswith("?")}


def fetch(where: str, revisions: Sequence[str], wanted: Collection[str]) -> None:
    """Fetch those of the wanted objects that a partial clone lacks; raises EntireError if its remote does not give
    them.
    """
    lacking = missing(where, revisions).intersection(wanted)
    if not lacking:
        return
    name = promisor(where)
    try:
        remote.fetch_objects(where, name, sorted(lacking), _LIMIT)
    except EntireError as error:
        lacks = f"this partial clone lacks texts that must be read ({len(lacking)}), and {name} did not give them"
        message = f"{lacks}: {error.message}; nothing was changed"
        raise EntireError(message, hint="connect to it and try again") from error
