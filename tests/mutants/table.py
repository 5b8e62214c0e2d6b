"""Mutants: named changes that break one behaviour. Those of the laws are rows of the TOML files of this folder; those
of the lines that differ from a commit are made from the code.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.mutants import changes
from tests.mutants.changes import Anchor, Span

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """One change of one source file. A reason in ``equal`` says why no test can notice it."""

    name: str
    file: str  # below src
    change: Anchor | Span
    tests: tuple[str, ...]  # as pytest takes them
    equal: str = ""

    def path(self, root: Path | None = None) -> Path:
        return (root or ROOT) / "src" / self.file

    def source(self) -> str:
        """Return the changed source. Raises ValueError unless its place is there once."""
        try:
            return self.change.made(self.path().read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{self.name}: {self.file}: {error}") from None


def load() -> list[Mutant]:
    """Return the mutants of the laws in the order of the files. Raises ValueError for a name that occurs twice."""
    found: dict[str, Mutant] = {}
    for path in sorted(HERE.glob("*.toml")):
        for name, row in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if name in found:
                raise ValueError(f"two mutants are called {name}")
            (kind,) = row.keys() & {"condition", "statement", "value"}
            change = Anchor(row["function"], kind, row[kind], row.get("becomes", "pass"))
            found[name] = Mutant(name, row["file"], change, tuple(row["tests"]), row.get("equal", ""))
    return list(found.values())


def changed(base: str) -> list[Mutant]:
    """Return what can be broken in the lines of src that differ from a commit; their tests are those of the folder
    that mirrors theirs.
    """
    found = []
    for file in _git("diff", "--name-only", "--diff-filter=AM", "--relative=src", base).splitlines():
        tests = _mirror(file)
        if file.endswith(".py") and tests:
            text = (ROOT / "src" / file).read_text(encoding="utf-8")
            hunks = _HUNK.findall(_git("diff", "-U0", base, "--", f"src/{file}"))
            lines = {line for start, count in hunks for line in range(int(start), int(start) + int(count or 1))}
            for number, (word, span) in enumerate(changes.of_lines(text, lines)):
                line = text.count("\n", 0, span.start) + 1
                found.append(Mutant(f"{file}:{line}:{word}-{number}", file, span, (tests,)))
    return found


def _mirror(file: str) -> str:
    """Return the tests of a module: its own file, else the nearest folder; '' if there are none."""
    place = Path("tests/unit", file.removeprefix("entire/"))
    own = place.with_name(f"test_{place.name}")
    for path in (own, *list(place.parents)[:-2]):
        if (ROOT / path).exists():
            return str(path)
    return ""


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout
