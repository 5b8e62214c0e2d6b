"""What a session tried and took back: lines that it wrote and that did not stay."""

from __future__ import annotations

from collections import Counter

from entire.model.digests import AttemptDigest
from entire.summaries import excerpts, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from entire.model.transcripts import Edit

_MAX_TEXT = 1 << 20  # characters of a file whose content is followed
_REVERTING = {"checkout", "restore", "reset", "stash", "clean", "rm"}  # of git
_NAMED = shell.naming(("git", "rm", "unlink"))
_ALL = ("", ".", "./", "*", ":/")


class DiscardedEdit:
    """The lines of one edit that did not stay."""

    def __init__(self, path: str, at: int) -> None:
        self.path = path
        self.at = at
        self.added: list[str] = []
        self.gone: dict[str, str] = {}  # by the line's key: its fate
        self.instead = ""

    def digest(self) -> AttemptDigest:
        """Return what became of most of its lines; of those, the first telling one is shown."""
        fates = Counter(self.gone.values())
        fate = max(fates, key=lambda name: fates[name])
        lines = [line for line in self.added if _key(line) in self.gone]
        return AttemptDigest(path=self.path, at=self.at, fate=fate, text=excerpts.first_telling(lines),
                             lines=len(lines), instead=self.instead if fate == "replaced" else "")  # fmt: skip


class DiscardedLines:
    """Follows the edits of a session. Lines are compared without white space, quotes and trailing commas, so moved
    and formatted ones count as kept.
    """

    def __init__(self) -> None:
        self._made: list[DiscardedEdit] = []
        self._texts: dict[str, str] = {}  # of files whose whole content is known
        self._written: dict[str, dict[str, tuple[DiscardedEdit, str]]] = {}  # path -> line's key -> its edit, the line
        self._lost: dict[tuple[str, str], DiscardedEdit] = {}  # by path and line's key

    @property
    def paths(self) -> list[str]:
        """The paths of all edits."""
        return list(self._written)

    def edit(self, path: str, edit: Edit, at: int) -> None:
        """Take in an edit."""
        written = self._written.setdefault(path, {})
        old, new = self._sides(path, edit)
        before, after = _keyed(old), _keyed(new)
        gone = (written.keys() if edit.is_whole else before.keys()) - after.keys()
        added = {key: line for key, line in after.items() if key not in before or edit.is_whole}
        fate = "replaced" if added else "removed"
        for key in [key for key in written if key in gone]:
            self._lose(path, key, fate, instead=[line for name, line in added.items() if name not in written])
        made = DiscardedEdit(path, at)
        for key, line in added.items():
            earlier = self._lost.pop((path, key), None)
            if earlier is not None:  # it is back
                del earlier.gone[key]
                written[key] = earlier, line
            elif key not in written:
                made.added.append(line)
                written[key] = made, line
        if made.added:
            self._made.append(made)

    def command(self, command: str) -> None:
        """Take in a command that succeeded: it may have reverted or deleted files."""
        for program in shell.programs(command) if shell.may_run(command, _NAMED) else ():
            for path in list(_reverted(program, self.paths)):
                self._texts.pop(path, None)
                for key in list(self._written[path]):
                    self._lose(path, key, "reverted", instead=[])

    def digests(self, committed: Mapping[str, str | None]) -> list[AttemptDigest]:
        """Return what did not stay, in order. ``committed``: the texts of files in the commit, None for those that it
        does not have; of files that it leaves out, only what the session itself took back is known.
        """
        for path, written in self._written.items():
            if path in committed:
                text = _key(committed[path] or "")
                for key in [key for key in written if key not in text]:
                    self._lose(path, key, "not in the commit", instead=[])
        return [made.digest() for made in self._made if made.gone]

    def _lose(self, path: str, key: str, fate: str, *, instead: Sequence[str]) -> None:
        made, _ = self._written[path].pop(key)
        self._lost[path, key] = made
        made.gone[key] = fate
        made.instead = made.instead or excerpts.first_telling(instead)

    def _sides(self, path: str, edit: Edit) -> tuple[list[str], list[str]]:
        """Return the lines before and after an edit: of the whole file if it is known, else those of the edit; a part
        of a line is one of the line that has it.
        """
        text = self._texts.pop(path, None)
        if edit.is_whole:
            after = edit.new
        elif text is not None and edit.old and edit.old in text:
            after = text.replace(edit.old, edit.new, 1)
        else:
            lines = [line for _, line in self._written[path].values() if edit.old.strip() and edit.old in line]
            whole = lines[0] if len(lines) == 1 else edit.old
            return whole.splitlines(), (
                whole.replace(edit.old, edit.new, 1) if len(lines) == 1 else edit.new
            ).splitlines()
        if len(after) <= _MAX_TEXT:
            self._texts[path] = after
        return (text or "").splitlines(), after.splitlines()


def _keyed(lines: Sequence[str]) -> dict[str, str]:
    """Return the telling lines by what of them a formatter does not change."""
    return {key: line for line in lines if excerpts.is_telling(line) and (key := _key(line))}


def _key(line: str) -> str:
    return "".join(line.split()).translate(_QUOTES).rstrip(",;")


_QUOTES = str.maketrans("", "", "'\"`")


def _reverted(program: shell.ShellProgram, paths: Sequence[str]) -> Iterator[str]:
    """Yield the paths that a program puts back or deletes."""
    words = [word for word in program.arguments if not word.startswith("-")]
    options = set(program.arguments) - set(words)
    if program.name == "git":
        verb, words = (words[0], words[1:]) if words else ("", [])
        if verb not in _REVERTING or (
            verb == "restore" and options & {"--staged", "-S"} and "--worktree" not in options
        ):
            return
        if verb in ("reset", "stash"):
            words = ["."] if "--hard" in options or (verb == "stash" and words[:1] in ([], ["push"])) else []
        elif verb == "checkout" and "--" not in program.arguments:
            words = [word for word in words if word in _ALL or any(_covers(word, path) for path in paths)]
        elif verb == "clean":
            return  # only files that git ignores or does not know, and those may be written again
    elif program.name not in ("rm", "unlink"):
        return
    yield from (path for path in paths if any(_covers(word, path) for word in words))


def _covers(word: str, path: str) -> bool:
    """Tell whether an argument of a command names a path, or a folder above it; the folder it ran in is not known."""
    name = word.removeprefix("./").rstrip("/")
    return name in _ALL or f"/{path}".endswith(f"/{name}") or path.startswith(f"{name}/")
