"""Draws the tables of the corpus, for the terminal and for docs/reference/secrets.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from tests.secrets.table import Result

GROUPS = ("cloud", "hosting", "services", "payments", "models", "identity", "private keys", "places", "generic")


def column(result: Result) -> str:
    """Return the column that a result is counted in."""
    return result.case.kind.group.split(":")[0]


def is_provider(result: Result) -> bool:
    """Tell whether the kind is a provider's own, or a private key: found by a rule of its own."""
    return column(result) not in ("places", "generic")


def share(results: Iterable[Result]) -> float:
    """Return which part is found."""
    outcomes = [not result.problem for result in results]
    return sum(outcomes) / len(outcomes) if outcomes else 1.0


def tables(results: Sequence[Result]) -> str:
    """Return the tables: by carrier, by agent, and the places by sub-class."""
    groups = [group for group in GROUPS if any(column(result) == group for result in results)]
    by_group = _table("group", results, lambda result: result.case.kind.group, ["found"], lambda _: "found")
    parts = [
        _table("carrier", results, lambda result: result.case.carrier.name, groups, column),
        _table("agent", results, lambda result: result.case.agent.name, groups, column),
        by_group,
    ]
    return "\n".join(parts)


def missed(results: Sequence[Result]) -> str:
    """Return the kinds that are missed: how often, where, and what is left of an example."""
    lines = []
    tried = Counter(result.case.kind.name for result in results)
    found: dict[str, list[Result]] = {}
    for result in results:
        if result.problem:
            found.setdefault(f"{result.case.kind.group} / {result.case.kind.name}", []).append(result)
    for name, these in sorted(found.items(), key=lambda item: -len(item[1])):
        total = tried[these[0].case.kind.name]
        where = ", ".join(sorted({result.case.carrier.name for result in these}))
        lines.append(f"{name}: {len(these)} of {total} ({where})")
        example = these[0]
        lines.append(
            f"    {example.problem} [{example.case.carrier.name}, {example.case.agent.name}]: {example.case.marked!r}"
        )
    return "\n".join(lines) + "\n"


def _table(
    title: str,
    results: Sequence[Result],
    row: Callable[[Result], str],
    columns: Sequence[str],
    of: Callable[[Result], str],
) -> str:
    found: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    for result in results:
        for key in ((row(result), of(result)), (row(result), "all"), ("all", of(result)), ("all", "all")):
            total[key] += 1
            found[key] += not result.problem
    heads = [*columns, "all"] if len(columns) > 1 else list(columns)
    rows = [*dict.fromkeys(row(result) for result in sorted(results, key=_order)), "all"]
    lines = [f"| {title} | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for name in rows:
        cells = [_cell(found[name, head], total[name, head]) for head in heads]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _order(result: Result) -> tuple[int, int, int]:
    from tests.secrets.carriers import CARRIERS
    from tests.secrets.transcripts import AGENTS

    group = GROUPS.index(column(result))
    return CARRIERS.index(result.case.carrier), AGENTS.index(result.case.agent), group


def _cell(found: int, total: int) -> str:
    return f"{found}/{total} ({found / total:.1%})" if total else "-"
