"""Queries about commits, each by one git process."""

from __future__ import annotations

import os
import time

from entire import process
from entire.git import run
from entire.model.ids import Argument
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_FORMAT = "--format=%H%n%P%n%at%n%ct%n%an%n%B"
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks", "y": "years"}
_NOT_OURS = ("refs/heads/entire/*", "refs/remotes/*/entire/*", "refs/entire/*", "refs/stash")


class Logged(Value):
    """A commit in ``git log``; ``time`` is the author's, ``committed`` the committer's, in seconds since the epoch."""

    oid: str
    parents: tuple[str, ...]
    time: float
    author: str
    message: str
    committed: float = 0.0

    @property
    def subject(self) -> str:
        return self.message.lstrip().partition("\n")[0].rstrip()

    @property
    def made_by(self) -> float:
        """The moment by which it was made: git's times are whole seconds."""
        return self.committed + 1.0


def resolve(where: str, name: str) -> str:
    """Return the id of the commit that ``name`` resolves to, or ''."""
    if not name or "\n" in name or "\0" in name:
        return ""
    query = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    done = run.git(where, *query, ok=(0, 1, 128))
    return done.stdout.decode("ascii", "replace").strip() if done.status == 0 else ""


def oid_size(where: str) -> int:
    """Return the number of hex digits of object ids."""
    return 64 if run.lines(where, "rev-parse", "--show-object-format") == ["sha256"] else 40


def dated(text: str) -> str:
    """Return a time as git understands it: ``7d`` is seven days ago, for git it is the 7th of the month."""
    number, unit = text.strip()[:-1], _UNITS.get(text.strip()[-1:].lower())
    return f"{number} {unit} ago" if unit and number.isascii() and number.isdigit() else text


def moment(where: str, text: str) -> float:
    """Return the time that people gave, in seconds since the epoch; 0 for a text that says no time."""
    given = dated(text)
    before = int(time.time())
    answer = (
        run.git(where, "rev-parse", f"--since={given}").stdout.decode("ascii", "replace").rpartition("=")[2].strip()
    )
    is_now = answer.isdigit() and before <= int(answer) <= int(
        time.time()
    )  # git's answer to what it does not understand
    means_now = given != text or text.strip().lower() in ("now", "today")
    return float(answer) if answer.isdigit() and (means_now or not is_now) else 0.0


def branch(where: str) -> str:
    """Return the name of the current branch, '' if HEAD is detached."""
    done = run.git(where, "symbolic-ref", "--quiet", "--short", "HEAD", ok=(0, 1, 128))
    return done.stdout.decode("utf-8", "surrogateescape").strip() if done.status == 0 else ""


def pager(where: str) -> str:
    """Return git's pager for this repository, by its absolute path."""
    import shlex

    done = run.git(where, "var", "GIT_PAGER", ok=(0, 1, 128), env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"})
    chosen = done.stdout.decode("utf-8", "replace").strip() if done.status == 0 else ""
    for words in (chosen.split(maxsplit=1), ["less"], ["cat"]):
        if words and (program := process.find(words[0])):
            return " ".join((shlex.quote(program), *words[1:]))
    return ""


def abbreviation(where: str) -> int:
    """Return how many digits git shows of a commit's id in this repository."""
    done = run.git(where, "rev-parse", "--short", "--quiet", "--verify", "HEAD", ok=(0, 1, 128))
    return len(done.stdout.strip()) or 7


def dates(where: str, oids: Sequence[str], form: str) -> dict[str, str]:
    """Return when commits were authored, in one of git's forms; raises GitError if there is no such form."""
    if not oids:
        return {}
    options = ("--no-walk=unsorted", "--ignore-missing", f"--date={form}", "--format=%H %ad", "--no-color")
    done = run.git(where, "log", *options, "--stdin", stdin="".join(f"{oid}\n" for oid in oids).encode())
    rows = (line.partition(" ") for line in done.stdout.decode("utf-8", "surrogateescape").split("\n"))
    return {oid: date for oid, _, date in rows if oid}


def blame_settings(where: str) -> dict[str, str]:
    """Return what is set for ``git blame``, by lower-case names without ``blame.``."""
    done = run.git(where, "config", "-z", "--get-regexp", r"^blame\.", ok=(0, 1))
    rows = (entry.partition("\n") for entry in done.stdout.decode("utf-8", "surrogateescape").split("\0"))
    return {name.removeprefix("blame."): value for name, _, value in rows if name}


def remotes(where: str) -> list[str]:
    return run.lines(where, "remote")


def show(where: str, oids: Sequence[str]) -> list[Logged]:
    """Return these commits in order; missing ones are left out."""
    if not oids:
        return []
    stdin = "".join(f"{oid}\n" for oid in oids).encode()
    return _log(where, "--no-walk=unsorted", "--ignore-missing", "--stdin", stdin=stdin)


def containing(where: str, text: str, *, start: str = "", limit: int = 0, first_parent: bool = False) -> list[Logged]:
    """Return the commits whose message contains ``text``, newest first.

    Searches what ``start`` reaches, or without it what any branch, tag or HEAD reaches (our own refs excluded).
    """
    options = ["--fixed-strings", f"--grep={text}", *([f"--max-count={limit}"] if limit else [])]
    return _log(where, *options, *_from(start, first_parent=first_parent))


def reached(where: str, *, start: str = "", first_parent: bool = False, since: float = 0.0) -> list[str]:
    """Return the ids of the commits in which ``containing`` searches, in its order; only recent ones with ``since``."""
    options = [f"--since=@{since:.0f}"] if since else []
    done = run.git(where, "log", "--format=%H", *options, *_from(start, first_parent=first_parent), ok=(0, 128))
    return done.stdout.decode("ascii", "replace").split()


def _from(start: str, *, first_parent: bool) -> list[str]:
    chain = ["--first-parent"] if first_parent else []
    if start:
        return [*chain, "--end-of-options", start]
    return [*chain, *everywhere()]


def everywhere() -> list[str]:
    """Return the options of ``git log`` for what any branch, tag or HEAD reaches, our own refs excluded."""
    return [*(f"--exclude={pattern}" for pattern in _NOT_OURS), "--all"]


def between(where: str, start: str, end: str, *, limit: int) -> list[str]:
    """Return the commits that ``end`` reaches and ``start`` does not, newest first, at most ``limit``."""
    return run.lines(where, "rev-list", f"--max-count={limit}", Argument(end), f"^{start}", "--", ok=(0, 128))


def is_complete(where: str, tip: str) -> bool:
    """Tell whether git has a commit with everything that it reaches."""
    return not run.git(where, "rev-list", "--objects", "--quiet", Argument(tip), ok=(0, 1, 128)).status


def oldest_first(where: str, tips: Sequence[str]) -> list[str]:
    """Return all commits that the tips reach, parents before their children."""
    stdin = "".join(f"{tip}\n" for tip in tips).encode()
    return run.lines(where, "rev-list", "--topo-order", "--reverse", "--stdin", stdin=stdin) if tips else []


def log(where: str, revs: Sequence[str], *, limit: int = 0) -> list[Logged]:
    """Return the commits that ``revs`` reach (``^name`` excludes), newest first, at most ``limit`` (0: all)."""
    return _log(where, "--topo-order", *([f"--max-count={limit}"] if limit else []), *map(Argument, revs), "--")


def newest(where: str, limit: int) -> list[Logged]:
    """Return the newest commits that HEAD reaches, without a walk through all of them; none on an unborn branch."""
    return _log(where, f"--max-count={limit}", "HEAD", "--")


def outside(where: str, start: str, oids: Sequence[str]) -> set[str]:
    """Return the commits that ``start`` does not reach; all of them without ``start``."""
    if not oids or not resolve(where, start):
        return set(oids)
    request = "".join(f"{rev}\n" for rev in (*oids, f"^{start}")).encode()
    return set(oids) & set(run.lines(where, "rev-list", "--stdin", stdin=request))


def fork_point(where: str, one: str, other: str) -> str:
    """Return the last commit that two commits have in common; '' without one."""
    done = run.git(where, "merge-base", Argument(one), Argument(other), ok=(0, 1, 128))
    return done.stdout.decode("ascii", "replace").strip() if done.status == 0 else ""


def left_by(where: str, tip: str, new: str) -> tuple[str, ...]:
    """Return the oldest of the commits that a branch leaves when it moves from ``tip`` to ``new``: a ref that has any
    of them has one of these.
    """
    rows = [line.split() for line in run.lines(where, "rev-list", "--parents", Argument(tip), f"^{new}", "--")]
    gone = {oid for oid, *_ in rows}
    return tuple(oid for oid, *parents in rows if gone.isdisjoint(parents))


def made_on(where: str, start: str, end: str) -> set[str]:
    """Return the commits up to ``end`` that were made on top of ``start``: none that a merge brought from elsewhere."""
    return set(run.lines(where, "rev-list", "--ancestry-path", Argument(end), f"^{start}", "--"))


def on_branches(where: str, oids: Sequence[str]) -> list[str]:
    """Return the commits, in order, that a local branch reaches."""
    if not oids:
        return []
    others = set(run.lines(where, "rev-list", *map(Argument, oids), "--not", "--exclude=entire/*", "--branches"))
    return [oid for oid in oids if oid not in others]


def changed_paths(where: str, oid: str) -> list[str]:
    """Return the paths that a commit changed relative to its first parent."""
    done = run.git(
        where,
        "diff-tree",
        "-r",
        "-z",
        "--root",
        "--name-only",
        "--no-commit-id",
        "--no-renames",
        "-m",
        "--first-parent",
        Argument(oid),
    )
    return [path for path in done.stdout.decode("utf-8", "surrogateescape").split("\0") if path]


def paths_of(where: str, oids: Sequence[str]) -> dict[str, set[str]]:
    """Return the paths that each of these commits changed; none for merges. One git process."""
    if not oids:
        return {}
    options = ("--no-walk=unsorted", "--stdin", "-z", "--format=//%H", "--name-only", "--no-renames", "--root")
    done = run.git(
        where, "log", *options, "--no-color", "--no-show-signature", stdin="".join(f"{oid}\n" for oid in oids).encode()
    )
    by_commit: dict[str, set[str]] = {}
    current: set[str] = set()
    for word in done.stdout.decode("utf-8", "surrogateescape").split("\0"):
        text = word.removeprefix("\n")
        if text.startswith("//"):  # as no path does
            current = by_commit.setdefault(text[2:].strip(), set())
        elif text:
            current.add(text)
    return by_commit


def count(where: str, *revs: str, is_chain: bool = False) -> int:
    """Return how many commits ``git rev-list`` finds (``^name`` excludes); with ``is_chain``, of those on the
    first-parent chain, without merges.
    """
    options = ["--first-parent", "--no-merges"] if is_chain else []
    done = run.git(where, "rev-list", "--count", *options, *map(Argument, revs), "--", ok=(0, 128))
    text = done.stdout.decode("ascii", "replace").strip()
    return int(text) if text.isdigit() else 0


def _log(where: str, *args: str, stdin: bytes = b"") -> list[Logged]:
    """Run ``git log``; status 128 means a repository without commits, or an unknown name."""
    done = run.git(where, "log", "-z", "--encoding=UTF-8", "--no-color", "--no-show-signature", _FORMAT, *args,
                   stdin=stdin, ok=(0, 128))  # fmt: skip
    commits = []
    for entry in done.stdout.decode("utf-8", "surrogateescape").split("\0"):
        fields = entry.split("\n", 5)
        if len(fields) == 6:
            oid, parents, moment, committed, author, message = fields
            commits.append(Logged(oid=oid, parents=tuple(parents.split()), time=float(moment or 0), author=author,
                                message=message, committed=float(committed or 0)))  # fmt: skip
    return commits
