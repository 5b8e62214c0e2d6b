"""A plain model of who wrote which line: files as lists of lines, each with those who may be named as its writer.

It knows nothing of git, snapshots or checkpoints. A line that somebody moved or copied may be given to its writer, who
is followed, or to the one who put it there. Of lines with the same text, each may be given to any of their writers: git
may take one for another.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PERSON = "person"


@dataclass(frozen=True)
class Line:
    """A line and its possible writers: prompts of turns, or PERSON."""

    text: str
    writers: frozenset[str]

    def also(self, *names: str) -> Line:
        return Line(self.text, self.writers | {*names})


Files = dict[str, list[Line]]


@dataclass
class Model:
    """The worktree."""

    files: Files = field(default_factory=dict)
    commits: dict[str, Files] = field(default_factory=dict)  # as they were at each commit
    count: int = 0
    repeated: dict[str, set[str]] = field(default_factory=dict)  # text: writers

    def text(self, path: str) -> str:
        return "".join(line.text + "\n" for line in self.files[path])

    def fresh(self, who: str) -> Line:
        self.count += 1
        return Line(f"line {self.count} of {who}", frozenset({who}))

    def again(self, who: str, number: int) -> Line:
        """Return a line with a text that others may have too."""
        text = ("    return", "    pass", "}")[number % 3]
        self.repeated.setdefault(text, set()).add(who)
        return Line(text, frozenset({who}))

    def copy(self) -> Files:
        return {path: list(lines) for path, lines in self.files.items()}

    def writers(self, line: Line) -> set[str]:
        """Return who may be named as a line's writer."""
        return {*line.writers, *self.repeated.get(line.text, ())}

    # ------------------------------------------------------------ what people and agents do

    def act(self, kind: str, path: str, other: str, at: int, who: str) -> list[str]:
        """Change files; return those that were changed."""
        lines = self.files.get(path)
        if kind == "create" or lines is None:
            if lines is not None:
                return []
            self.files[path] = [self.fresh(who) for _ in range(4 + at % 3)]
            return [path]
        place = at % (len(lines) + 1)
        if kind == "insert":
            lines[place:place] = [self.fresh(who) for _ in range(1 + at % 2)]
        elif kind == "repeat":
            lines[place:place] = [self.fresh(who), self.again(who, at)]
        elif kind == "change" and lines:
            lines[place % len(lines)] = self.fresh(who)
        elif kind == "delete" and len(lines) > 3:
            del lines[place % len(lines)]
        elif kind == "move":
            return self._move(path, other, place, who)
        elif kind == "copy" and other not in self.files:
            self.files[other] = [line.also(who) for line in lines]
            return [other]
        elif kind == "rename" and other not in self.files:
            self.files[other] = [line.also(who) for line in self.files.pop(path)]
            return [path, other]
        else:
            return []
        return [path]

    def _move(self, path: str, other: str, place: int, who: str) -> list[str]:
        lines = self.files[path]
        block = [line.also(who) for line in lines[place : place + 4]]
        if len(block) < 4 or len(lines) < 7:
            return []
        del lines[place : place + 4]
        target = self.files.setdefault(other, [])
        target[len(target) // 2 : len(target) // 2] = block
        if path == other:  # that the block passed the others looks the same as that they passed it
            lines[:] = [line.also(who) for line in lines]
        return list(dict.fromkeys((path, other)))

    def format(self, path: str) -> list[str]:
        """Indent every line, as a formatter does: they remain their writers'."""
        for at, line in enumerate(self.files.get(path, ())):
            text = "  " + line.text
            if line.text in self.repeated:
                self.repeated.setdefault(text, set()).update(self.repeated[line.text])
            self.files[path][at] = Line(text, line.writers)
        return [path] if path in self.files else []
