"""A measured figure with its floor and budget, and the tables that show it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """A row of the table. ``value`` is compared with ``budget``; ``form`` formats both."""

    row: str
    title: str
    floor: str
    ours: str
    value: float
    budget: float
    form: str  # "1.3 x + {} P", "{} MB"
    git: int | None = None  # git processes that we start
    at_least: bool = False
    note: str = ""

    @property
    def ok(self) -> bool:
        """Tell whether the value is within the budget."""
        return self.value >= self.budget if self.at_least else self.value <= self.budget

    def cells(self) -> list[str]:
        """Return the cells of the printed row."""
        value, budget = (self.form.format(_short(number)).replace("+ -", "- ")
                         for number in (self.value, self.budget))  # fmt: skip
        sign = ">=" if self.at_least else "<="
        git = "" if self.git is None else str(self.git)
        return [
            self.row,
            self.title,
            self.floor,
            self.ours,
            value,
            f"{sign} {budget}",
            git,
            "ok" if self.ok else "OVER",
            self.note,
        ]


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.2f}".rstrip("0").rstrip(".")


HEAD = ["row", "what", "floor", "ours", "measured", "budget", "git", "", ""]


def table(results: list[Result]) -> str:
    """Return the table for a terminal."""
    rows = [HEAD, *(result.cells() for result in results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def markdown(results: list[Result]) -> str:
    """Return the table for a page of the documentation."""
    rows = [result.cells() for result in results]
    lines = ["| " + " | ".join([*cells[1:7], " ".join(cells[7:]).strip()]) + " |" for cells in rows]
    return "\n".join(
        ["| what | floor | ours | measured | budget | git processes | |", "|---|---|---|---|---|---|---|", *lines]
    )


def as_json(result: Result) -> dict[str, object]:
    """Return the row as JSON for programs, with the title under the key ``what``."""
    values = {"what" if name == "title" else name: value for name, value in result.__dict__.items()}
    return {**values, "ok": result.ok}


def ms(seconds: float) -> str:
    """Format seconds as milliseconds."""
    return f"{seconds * 1000:.1f} ms"
