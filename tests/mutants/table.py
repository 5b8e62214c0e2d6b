"""The table of mutants: named changes that break one behaviour, in the TOML files of this folder."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


@dataclass(frozen=True)
class Mutant:
    """One change of one source file. A reason in ``equal`` says why no test can notice it."""

    name: str
    file: str  # below src/entire, or a package beside it with its name
    old: str  # occurs exactly once in the file
    new: str
    tests: tuple[str, ...]  # as pytest takes them
    equal: str = ""

    def path(self, root: Path = ROOT) -> Path:
        return root / "src" / ("" if self.file.startswith("entire_secrets/") else "entire") / self.file

    def source(self) -> str:
        """Return the changed source. Raises ValueError unless ``old`` occurs exactly once."""
        text = self.path().read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: its old text occurs {text.count(self.old)} times in {self.file}")
        return text.replace(self.old, self.new)


def load() -> list[Mutant]:
    """Return all mutants in the order of the files. Raises ValueError for a name that occurs twice."""
    found: dict[str, Mutant] = {}
    for path in sorted(HERE.glob("*.toml")):
        for name, row in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if name in found:
                raise ValueError(f"two mutants are called {name}")
            found[name] = Mutant(name=name, tests=tuple(row.pop("tests")), **row)
    return list(found.values())
