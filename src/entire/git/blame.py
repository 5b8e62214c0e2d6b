"""Asks ``git blame`` for the commit of each line, and parses its porcelain form."""

from __future__ import annotations

from entire.errors import GitError, PartialCloneError
from entire.git import run
from entire.git.diff import unquote
from entire.git.offline import Offline
from entire.model.ids import Argument
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ID_LENGTHS = (40, 64)
_KEEPS_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(64 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}
"""git reads each version of the file into memory and frees it: getting that from the system in small pages, and giving
it back each time, takes a quarter of its time. Known to the GNU C library; others ignore it.
"""
_PARTIAL = "fatal: earlier versions of the file are not in this partial clone; `git blame` fetches them"


class BlameSource(Value):
    """A commit as ``git blame`` describes it, with mapped names. Zeros as its id: not committed yet."""

    oid: str
    author: str = ""
    mail: str = ""  # in angle brackets
    time: float = 0.0
    zone: str = ""
    subject: str = ""
    is_boundary: bool = False  # history is not known, or was not asked for, before it

    @property
    def is_commit(self) -> bool:
        return bool(self.oid.strip("0"))


class Group(Value):
    """Neighbouring lines of one commit: ``line`` here is line ``source_line`` of ``path`` in the commit."""

    oid: str
    path: str
    source_line: int
    line: int
    count: int


class Blame(Value):
    """A blamed file, or part of it."""

    groups: tuple[Group, ...] = ()
    sources: dict[str, BlameSource] = {}  # by commit id
    lines: tuple[bytes, ...] = ()  # those of the groups, without line ends


def of(where: str, args: Sequence[str], path: str, rev: str = "", *, mailmap: str = "") -> Blame:
    """Blame a file, as it is in the worktree or in a commit; raises GitError with git's message.

    Lines are numbered in what git stores: no text conversion. ``mailmap`` names a file in a commit that maps authors.
    """
    revision = [Argument(rev)] if rev else []
    settings = ["-c", f"mailmap.blob={mailmap}"] if mailmap else []
    return parse(_run(where, *settings, "blame", *args, "--porcelain", "--no-textconv", *revision, "--", path))


def run_as_asked(where: str, args: Sequence[str]) -> bytes:
    """Run ``git blame`` with a person's arguments; lines are numbered in what git stores: no text conversion."""
    at = list(args).index("--") if "--" in args else len(args)
    return _run(where, "blame", *args[:at], "--no-textconv", *args[at:])


def _run(where: str, *args: str) -> bytes:
    """Run git without the network: in a partial clone it would fetch each version of the file that is not here."""
    try:
        with Offline(where, "HEAD"):
            return run.at_once(where, *args, env={**_KEEPS_MEMORY, **run.environment()})
    except PartialCloneError as error:
        raise GitError(str(error), status=error.status, stderr=_PARTIAL) from None


def clip(blame: Blame, first: int, last: int) -> Blame:
    """Return only these lines of a blame."""
    kept = []
    for group in blame.groups:
        start, end = max(group.line, first), min(group.line + group.count - 1, last)
        if start <= end:
            there = group.source_line + start - group.line
            kept.append(replace(group, source_line=there, line=start, count=end - start + 1))
    before = first - min((group.line for group in blame.groups), default=first)
    return replace(blame, groups=tuple(kept), lines=blame.lines[before : before + last - first + 1])


def parse(data: bytes) -> Blame:
    """Parse the output of ``git blame --porcelain`` or ``--line-porcelain``."""
    heads: list[tuple[str, int, int, int]] = []  # commit, line there, line here, number of lines
    paths: list[bytes] = []  # of the heads
    known: dict[str, dict[bytes, bytes]] = {}  # by commit
    lines: list[bytes] = []
    fields: dict[bytes, bytes] = {}
    for line in data.split(b"\n")[:-1]:
        if line[:1] == b"\t":
            lines.append(line[1:])
            continue
        name, _, value = line.partition(b" ")
        if len(name) not in _ID_LENGTHS or not value[:1].isdigit():
            fields[name] = value
            if name == b"filename":
                paths[-1] = value
        elif value.count(b" ") == 2:
            oid = name.decode("ascii")
            there, here, count = value.split(b" ")
            heads.append((oid, int(there), int(here), int(count)))
            fields = known.setdefault(oid, {})
            paths.append(fields.get(b"filename", b""))
    groups = tuple(
        Group(oid=oid, path=unquote(_text(path)), source_line=there, line=here, count=count)
        for (oid, there, here, count), path in zip(heads, paths, strict=True)
    )
    return Blame(
        groups=groups, sources={oid: _source(oid, source) for oid, source in known.items()}, lines=tuple(lines)
    )


def _source(oid: str, fields: dict[bytes, bytes]) -> BlameSource:
    return BlameSource(
        oid=oid,
        author=_text(fields.get(b"author", b"")),
        mail=_text(fields.get(b"author-mail", b"")),
        time=float(fields.get(b"author-time") or 0),
        zone=_text(fields.get(b"author-tz", b"")),
        subject=_text(fields.get(b"summary", b"")),
        is_boundary=b"boundary" in fields,
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
