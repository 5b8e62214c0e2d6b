"""Differences between trees: changed paths and their lines, for several pairs in one git process."""

from __future__ import annotations

from entire.errors import PartialCloneError
from entire.git import run
from entire.model.ids import Argument
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Line = tuple[bytes, bytes]

_QUOTED = ("-c", "core.quotePath=true")  # headers as git prints them by default: patch ids depend on them
_MANY_PATHS = 400  # longer lists gain nothing from a pathspec, and command lines are limited
_TO_THE_END = 1 << 60
GITLINK = "160000"
EMPTY_TREE = {  # by id length
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


class FileChange(Value):
    """A changed path. Modes as git prints them, ``000000`` if there is no file; ids are zeros then."""

    path: str
    old_path: str  # differs from ``path`` only for a rename
    status: str  # A D M R T
    old_mode: str
    new_mode: str
    old_oid: str
    new_oid: str


class Hunk(Value):
    """A run of changed lines with context; ``old_start`` and ``new_start`` count from 1 as git prints them."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[Line, ...]  # (b" " or b"-" or b"+", the line with its newline if it has one)

    def blocks(self) -> list[tuple[list[bytes], list[bytes], int]]:
        """Return the blocks of changes as (removed lines, added lines, number of unchanged lines after them)."""
        blocks: list[tuple[list[bytes], list[bytes], int]] = []
        removed: list[bytes] = []
        added: list[bytes] = []
        unchanged = 0
        for kind, text in self.lines:
            if kind == b" ":
                unchanged += 1
                continue
            if unchanged or (kind == b"-" and added):
                blocks.append((removed, added, unchanged))
                removed, added, unchanged = [], [], 0
            (removed if kind == b"-" else added).append(text)
        blocks.append((removed, added, unchanged))
        return blocks


class FilePatch(Value):
    """The changed lines of one path; ``binary`` files and submodules have none, and ``is_unread`` ones none that could
    be read: a partial clone lacks them.
    """

    change: FileChange
    binary: bool
    hunks: tuple[Hunk, ...]
    is_unread: bool = False
    header: tuple[bytes, ...] = ()  # the lines before the first hunk
    halves: tuple[FilePatch, ...] = ()  # if the file type changed: its deletion and its creation

    def blocks(self) -> Iterator[tuple[int, list[bytes], list[bytes]]]:
        """Yield the blocks of changes as (number of unchanged lines before them, removed lines, added lines)."""
        at = 1
        for hunk in self.hunks:
            start = hunk.old_start if hunk.old_count else hunk.old_start + 1
            unchanged = start - at
            for removed, added, after in hunk.blocks():
                yield unchanged, removed, added
                unchanged = after
            at = start + hunk.old_count - unchanged


def changes(where: str, old: str, new: str) -> list[FileChange]:
    """Return the paths that differ between two trees or commits; a rename is a deletion and an addition."""
    done = run.git(where, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=dirty",
                   Argument(old), Argument(new))  # fmt: skip
    return parse_raw_z(done.stdout)


def unchanged_lines(where: str, old: str, new: str) -> list[tuple[int, int, int]]:
    """Return the runs of lines that two blobs have in common: (first line in the old, in the new, number of lines).

    The last run may reach past the ends; binary files have none.
    """
    options = ("--no-ext-diff", "--no-textconv", "--no-color", "--unified=0")
    data = run.git(where, "diff", *options, Argument(old), Argument(new)).stdout
    runs = []
    at_old = at_new = 1
    for line in data.split(b"\n"):
        if line.startswith(b"Binary files "):
            return []
        if line.startswith(b"@@ "):
            _, minus, plus, *_ = line.split(b" ")
            (old_start, old_count), (new_start, new_count) = _span(minus), _span(plus)
            first = new_start if new_count else new_start + 1
            runs.append((at_old, at_new, first - at_new))
            at_old, at_new = (old_start if old_count else old_start + 1) + old_count, first + new_count
    return [*runs, (at_old, at_new, _TO_THE_END)]


def entries(where: str, tree: str, paths: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return mode and object id of the paths that a tree contains (files, links, submodules)."""
    entries: dict[str, tuple[str, str]] = {}
    for start in range(0, len(paths) if tree else 0, _MANY_PATHS):
        batch = paths[start : start + _MANY_PATHS]
        done = run.git(where, "--literal-pathspecs", "ls-tree", "-z", "--full-tree", Argument(tree), "--", *batch)
        for line in done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]:
            head, _, path = line.partition("\t")
            mode, kind, oid = head.split(" ")
            if kind != "tree":
                entries[path] = (mode, oid)
    return entries


def sizes(where: str, pairs: Sequence[tuple[str, str]]) -> list[dict[str, tuple[int, int]]]:
    """Return, for each pair of trees, the changed paths with their added and removed lines (0 and 0 for binary files).

    One git process. Pairs after a missing tree are left out.
    """
    by_pair: dict[str, dict[str, tuple[int, int]]] = {f"{old} {new}": {} for old, new in pairs}
    request = "".join(f"{pair}\n" for pair in by_pair).encode()
    options = ("--stdin", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty")
    data = run.git(where, "diff-tree", *options, stdin=request, ok=(0, 128)).stdout if by_pair else b""
    current: dict[str, tuple[int, int]] = {}
    for text in data.decode("utf-8", "surrogateescape").split("\0"):
        head, newline, rest = text.partition("\n")
        while newline and head in by_pair:  # a pair's line precedes its first path
            current, text = by_pair[head], rest
            head, newline, rest = text.partition("\n")
        added, _, rest = text.partition("\t")
        removed, _, path = rest.partition("\t")
        if path:
            current[path] = (_number(added), _number(removed))
    return [by_pair[f"{old} {new}"] for old, new in pairs]


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0


def parse_raw_z(data: bytes) -> list[FileChange]:
    """Parse ``--raw -z`` output of a git diff without renames."""
    fields = data.decode("utf-8", "surrogateescape").split("\0")
    changed = []
    for meta, path in zip(fields[::2], fields[1::2], strict=False):
        changed.append(_change(meta, path, path))
    return changed


def _change(meta: str, old_path: str, path: str) -> FileChange:
    old_mode, new_mode, old_oid, new_oid, status = meta.lstrip(":").split(" ")
    return FileChange(
        path=path,
        old_path=old_path,
        status=status[0],
        old_mode=old_mode,
        new_mode=new_mode,
        old_oid=old_oid,
        new_oid=new_oid,
    )


def patches(
    where: str, pairs: Sequence[tuple[str, str]], paths: Sequence[str] = (), *, renames: bool = True
) -> list[list[FilePatch]]:
    """Return, for each pair of tree ids, the patches of ``paths`` (default: all). One git process, if git has all that
    it reads or may fetch it.
    """
    limit = [f":(literal){path}" for path in paths] if len(paths) <= _MANY_PATHS else []
    try:
        return _read_patches(where, pairs, limit, renames=renames)
    except PartialCloneError:
        return _readable_patches(where, pairs, limit, paths, renames=renames)


def _readable_patches(
    where: str, pairs: Sequence[tuple[str, str]], limit: Sequence[str], paths: Sequence[str], *, renames: bool
) -> list[list[FilePatch]]:
    """Return the patches where a partial clone lacks contents: the files that need them are unread."""
    from entire.git import promised

    trees = list(dict.fromkeys(tree for pair in pairs for tree in pair))
    lacking = promised.missing(where, trees, paths if limit else ())
    between = [changes(where, old, new) for old, new in pairs]
    unread = {change.path for changed in between for change in changed if not lacking.isdisjoint(_oids(change))}
    if len(unread) > _MANY_PATHS:  # too many to name: none is read
        unread = {change.path for changed in between for change in changed}
        rest: list[list[FilePatch]] = [[] for _ in pairs]
    else:
        wanted = [*limit, *(f":(exclude,literal){path}" for path in sorted(unread))]
        rest = _read_patches(where, pairs, wanted, renames=renames)
    return [
        [*patches, *(_unread(change) for change in changed if change.path in unread)]
        for patches, changed in zip(rest, between, strict=True)
    ]


def _oids(change: FileChange) -> tuple[str, str]:
    return change.old_oid, change.new_oid


def _unread(change: FileChange) -> FilePatch:
    """Return the patch of a file whose contents are not here, with the header of a binary file."""
    name = change.path.encode("utf-8", "surrogateescape")
    index = f"index {change.old_oid}..{change.new_oid}".encode()
    header = (b"diff --git a/%b b/%b" % (name, name), index, b"Binary files a/%b and b/%b differ" % (name, name))
    return FilePatch(change=change, binary=True, hunks=(), is_unread=True, header=header)


def _read_patches(
    where: str, pairs: Sequence[tuple[str, str]], pathspecs: Sequence[str], *, renames: bool
) -> list[list[FilePatch]]:
    if not pairs:
        return []
    options = ["-M", "-l400"] if renames else ["--no-renames"]
    limit = ["--", *pathspecs] if pathspecs else []
    done = run.git(
        where,
        *_QUOTED,
        "diff-tree",
        "--stdin",
        "-r",
        "--raw",
        "-p",
        "-U3",
        "--full-index",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--ignore-submodules=dirty",
        *options,
        *limit,
        stdin="".join(f"{old} {new}\n" for old, new in pairs).encode(),
    )
    return _Parser(done.stdout, pairs).parse()


class _Parser:
    """Reads ``diff-tree --stdin --raw -p``: per pair a line with both ids, the raw lines, the patches in that order."""

    def __init__(self, data: bytes, pairs: Sequence[tuple[str, str]]) -> None:
        self._lines = data.split(b"\n")
        self._at = 0
        self._pairs = pairs
        self._starts = {f"{old} {new}".encode() for old, new in pairs}

    def _peek(self) -> bytes:
        return self._lines[self._at] if self._at < len(self._lines) else b""

    def parse(self) -> list[list[FilePatch]]:
        parsed = []
        for old, new in self._pairs:
            if self._peek() == f"{old} {new}".encode():
                self._at += 1
            parsed.append(self._pair())
        return parsed

    def _pair(self) -> list[FilePatch]:
        raw = []
        while self._peek().startswith(b":"):
            meta, *names = self._peek().decode("utf-8", "surrogateescape").split("\t")
            names = [unquote(name) for name in names]
            raw.append(_change(meta, names[0], names[-1]))
            self._at += 1
        if raw and not self._peek():
            self._at += 1
        return [self._file(change) for change in raw]

    def _file(self, change: FileChange) -> FilePatch:
        patch = self._segment(change)
        if change.status == "T":  # the file type changed: git prints a deletion and a creation
            second = self._segment(change)
            return FilePatch(
                change=change,
                binary=patch.binary or second.binary,
                hunks=(*patch.hunks, *second.hunks),
                header=patch.header,
                halves=(patch, second),
            )
        return patch

    def _segment(self, change: FileChange) -> FilePatch:
        header = []
        binary = GITLINK in (change.old_mode, change.new_mode)
        if self._peek().startswith(b"diff --git "):
            header.append(self._peek())
            self._at += 1
            while (
                self._at < len(self._lines) and (line := self._peek()) and not line.startswith((b"@@ ", b"diff --git "))
            ):
                if line in self._starts:
                    break
                binary = binary or line.startswith((b"Binary files ", b"GIT binary patch"))
                header.append(line)
                self._at += 1
        hunks = []
        while self._peek().startswith(b"@@ "):
            hunks.append(self._hunk())
        if GITLINK in (change.old_mode, change.new_mode):  # its ids are not lines, but part of the patch id
            header += [kind + text for hunk in hunks for kind, text in hunk.lines]
        return FilePatch(change=change, binary=binary, hunks=() if binary else tuple(hunks), header=tuple(header))

    def _hunk(self) -> Hunk:
        spans = self._peek().split(b" ")
        self._at += 1
        old_start, old_count = _span(spans[1])
        new_start, new_count = _span(spans[2])
        old_left, new_left = old_count, new_count
        lines: list[Line] = []
        while old_left or new_left or self._peek().startswith(b"\\"):
            line = self._peek()
            self._at += 1
            kind = line[:1]
            if kind == b"\\":  # "\ No newline at end of file" refers to the previous line
                last_kind, last = lines[-1]
                lines[-1] = (last_kind, last[:-1])
                continue
            old_left -= kind != b"+"
            new_left -= kind != b"-"
            lines.append((kind, line[1:] + b"\n"))
        return Hunk(
            old_start=old_start, old_count=old_count, new_start=new_start, new_count=new_count, lines=tuple(lines)
        )


def _span(text: bytes) -> tuple[int, int]:
    start, _, count = text[1:].partition(b",")
    return int(start), int(count) if count else 1


_ESCAPES = {"n": b"\n", "t": b"\t", "r": b"\r", "a": b"\a", "b": b"\b", "f": b"\f", "v": b"\v", '"': b'"', "\\": b"\\"}


def unquote(name: str) -> str:
    """Undo git's C-style quoting of a path; return an unquoted path unchanged."""
    if len(name) < 2 or name[0] != '"' or name[-1] != '"':
        return name
    out = bytearray()
    at = 1
    while at < len(name) - 1:
        char = name[at]
        if char != "\\":
            out += char.encode("utf-8", "surrogateescape")
            at += 1
        elif name[at + 1] in _ESCAPES:
            out += _ESCAPES[name[at + 1]]
            at += 2
        else:
            out.append(int(name[at + 1 : at + 4], 8))
            at += 4
    return out.decode("utf-8", "surrogateescape")
