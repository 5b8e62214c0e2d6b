"""Asks ``git blame`` for the commit of each line, and parses its porcelain form."""

from __future__ import annotations

from entire.git import run
from entire.git.diff import unquote
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ID_LENGTHS = (40, 64)


class Source(Value):
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
    sources: dict[str, Source] = {}  # by commit id
    lines: tuple[bytes, ...] = ()  # those of the groups, without line ends


def of(where: str, args: Sequence[str], path: str, rev: str = "") -> Blame:
    """Blame a file, as it is in the worktree or in a commit; raises GitError with git's message.

    Lines are numbered in what git stores: no text conversion.
    """
    revision = [rev] if rev else []
    done = run.git(where, "blame", *args, "--porcelain", "--no-textconv", *revision, "--", path, timeout=None)
    return parse(done.stdout)


def run_as_asked(where: str, args: Sequence[str]) -> bytes:
    """Run ``git blame`` with a person's arguments; lines are numbered in what git stores: no text conversion."""
    at = list(args).index("--") if "--" in args else len(args)
    return run.git(where, "blame", *args[:at], "--no-textconv", *args[at:], timeout=None).stdout


def clip(found: Blame, first: int, last: int) -> Blame:
    """Return only these lines of a blame."""
    kept = []
    for group in found.groups:
        start, end = max(group.line, first), min(group.line + group.count - 1, last)
        if start <= end:
            there = group.source_line + start - group.line
            kept.append(replace(group, source_line=there, line=start, count=end - start + 1))
    before = first - min((group.line for group in found.groups), default=first)
    return replace(found, groups=tuple(kept), lines=found.lines[before : before + last - first + 1])


def parse(data: bytes) -> Blame:
    """Parse the output of ``git blame --porcelain`` or ``--line-porcelain``."""
    parser = _Parser()
    for line in data.split(b"\n")[:-1]:
        parser.read(line)
    return parser.result()


class _Parser:
    def __init__(self) -> None:
        self._heads: list[tuple[str, int, int, int]] = []  # commit, line there, line here, number of lines
        self._paths: list[str] = []  # of the heads
        self._fields: dict[str, dict[str, str]] = {}  # by commit
        self._lines: list[bytes] = []
        self._oid = ""

    def read(self, line: bytes) -> None:
        if line.startswith(b"\t"):
            self._lines.append(line[1:])
            return
        words = line.split(b" ")
        if len(words[0]) in _ID_LENGTHS and len(words) > 2 and words[1].isdigit():
            if len(words) == 4:
                self._oid = words[0].decode("ascii")
                self._heads.append((self._oid, int(words[1]), int(words[2]), int(words[3])))
                self._paths.append(self._fields.setdefault(self._oid, {}).get("filename", ""))
            return
        name, _, value = line.decode("utf-8", "surrogateescape").partition(" ")
        self._fields[self._oid][name] = value
        if name == "filename":
            self._paths[-1] = value

    def result(self) -> Blame:
        groups = tuple(
            Group(oid=oid, path=unquote(path), source_line=there, line=here, count=count)
            for (oid, there, here, count), path in zip(self._heads, self._paths, strict=True)
        )
        return Blame(groups=groups, sources={oid: _source(oid, fields) for oid, fields in self._fields.items()},
                     lines=tuple(self._lines))  # fmt: skip


def _source(oid: str, fields: dict[str, str]) -> Source:
    return Source(
        oid=oid,
        author=fields.get("author", ""),
        mail=fields.get("author-mail", ""),
        time=float(fields.get("author-time") or 0),
        zone=fields.get("author-tz", ""),
        subject=fields.get("summary", ""),
        is_boundary="boundary" in fields,
    )
