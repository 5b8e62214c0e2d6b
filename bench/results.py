"""A measured figure beside its floor and its budget."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """One row of the table. ``value`` is what is compared with ``budget``; ``form`` says how both are written."""

    row: str
    what: str
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
        """Tell whether the budget is kept."""
        return self.value >= self.budget if self.at_least else self.value <= self.budget

    def cells(self) -> list[str]:
        """Return the row as it is printed."""
        value, budget = (self.form.format(_short(number)).replace("+ -", "- ")
                         for number in (self.value, self.budget))  # fmt: skip
        sign = ">=" if self.at_least else "<="
        git = "" if self.git is None else str(self.git)
        return [
            self.row,
            self.what,
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
    rows = [HEAD, *(one.cells() for one in results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def markdown(results: list[Result]) -> str:
    """Return the table for a page of the documentation."""
    rows = [one.cells() for one in results]
    lines = ["| " + " | ".join([*cells[1:7], " ".join(cells[7:]).strip()]) + " |" for cells in rows]
    return "\n".join(
        ["| what | floor | ours | measured | budget | git processes | |", "|---|---|---|---|---|---|---|", *lines]
    )


def as_json(one: Result) -> dict[str, object]:
    """Return the row for a program."""
    return {**one.__dict__, "ok": one.ok}


def ms(seconds: float) -> str:
    """Write a time."""
    return f"{seconds * 1000:.1f} ms"
