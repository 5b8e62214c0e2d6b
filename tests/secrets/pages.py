"""Draws the tables of the corpus, for the terminal and for docs/reference/secrets.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from tests.secrets import kinds
from tests.secrets.carriers import CARRIERS
from tests.secrets.table import Result
from tests.secrets.transcripts import AGENTS

GROUPS = ("cloud", "hosting", "services", "payments", "models", "identity", "private keys", "places", "generic")
STEP = 3
"""Of the pairs of kind and carrier, the page tries one in so many."""
Key = Callable[[Result], str]
HEAD = """\
# Secrets

What redaction finds, measured by `scripts/secrets_page.py` with a corpus of {kinds} kinds of secrets. Their forms come
from public facts: documentation of providers, public rule sets. Each kind stands in every third carrier; carriers,
spellings and agents take turns. A secret counts as found only if at most a quarter of it, or four letters, is left in
any decoded form, and the transcript is still the same JSON around it. The values are random and the same each time;
`python -m tests.secrets --missed` lists what is missed, `--full` tries all agents.

[Redaction](../explanation/redaction.md) explains how it works, and what it does not find.
"""


def page(results: Sequence[Result]) -> str:
    """Return secrets.md."""
    every = kinds.every()
    listed = [
        f"### {group.capitalize()}\n\n{', '.join(f'`{kind.name}`' for kind in every if kind.group == group)}\n"
        for group in dict.fromkeys(kind.group for kind in every)
    ]
    parts = [
        HEAD.format(kinds=len(every)),
        "## Carriers\n\nWhere a secret stands in a transcript, and in what form. Found, in percent.\n",
        by_carrier(results, _percent),
        "## Agents\n",
        by_agent(results, _percent),
        "## Places\n\nA secret without a form of its own is found by where it stands.\n",
        by_group([result for result in results if column(result) == "places"], _percent),
        "## Kinds\n",
        *listed,
    ]
    return "\n".join(parts)


def tables(results: Sequence[Result]) -> str:
    """Return the tables with all numbers: by carrier, by agent, by group."""
    return "\n".join(table(results, _counts) for table in (by_carrier, by_agent, by_group))


Cell = Callable[[int, int], str]


def by_carrier(results: Sequence[Result], cell: Cell) -> str:
    """Return the table of carriers and groups."""
    rows = [carrier.name for carrier in CARRIERS]
    return _table("carrier", results, rows, lambda result: result.case.carrier.name, cell)


def by_agent(results: Sequence[Result], cell: Cell) -> str:
    """Return the table of agents and groups."""
    rows = [agent.name for agent in AGENTS]
    return _table("agent", results, rows, lambda result: result.case.agent.name, cell)


def by_group(results: Sequence[Result], cell: Cell) -> str:
    """Return the table of groups, the places by sub-class."""
    rows = list(dict.fromkeys(kind.group for kind in kinds.every()))
    return _table("group", results, rows, lambda result: result.case.kind.group, cell, columns=())


def column(result: Result) -> str:
    """Return the column that a result is counted in."""
    return result.case.kind.group.split(":")[0]


def is_provider(result: Result) -> bool:
    """Tell whether a rule of its own finds the kind: a provider's, or a private key."""
    return column(result) not in ("places", "generic")


def share(results: Iterable[Result]) -> float:
    """Return which part is found."""
    outcomes = [not result.problem for result in results]
    return sum(outcomes) / len(outcomes) if outcomes else 1.0


def missed(results: Iterable[Result]) -> str:
    """Return the kinds that are missed: how often, where, and what is left of an example."""
    tried: Counter[str] = Counter()
    found: dict[str, list[Result]] = {}
    for result in results:
        name = f"{result.case.kind.group} / {result.case.kind.name}"
        tried[name] += 1
        if result.problem:
            found.setdefault(name, []).append(result)
    lines = []
    for name, these in sorted(found.items(), key=lambda item: -len(item[1])):
        where = _where(these, tried[name])
        lines.append(f"{name}: {len(these)} of {tried[name]} ({where})")
        for example in {result.case.spelling: result for result in these}.values():
            case = example.case
            lines.append(f"    {example.problem} [{case.carrier.name}, {case.agent.name}]: {case.marked!r}")
    return "\n".join(lines) + "\n"


def _where(these: Sequence[Result], tried: int) -> str:
    names = list(dict.fromkeys(result.case.carrier.name for result in these))
    if len(these) == tried:
        return "everywhere"
    return ", ".join(names) if len(names) <= 8 else ", ".join([*names[:7], "..."])


def _table(
    title: str,
    results: Sequence[Result],
    rows: Sequence[str],
    row: Key,
    cell: Cell,
    columns: Sequence[str] = GROUPS,
) -> str:
    found: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    for result in results:
        for key in ((row(result), column(result)), (row(result), "all"), ("all", column(result)), ("all", "all")):
            total[key] += 1
            found[key] += not result.problem
    heads = [*(name for name in columns if total["all", name]), "all"]
    lines = [f"| {title} | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for name in (*rows, "all"):
        if total[name, "all"]:
            cells = [cell(found[name, head], total[name, head]) for head in heads]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _counts(found: int, total: int) -> str:
    return f"{found}/{total} ({found / total:.1%})" if total else "-"


def _percent(found: int, total: int) -> str:
    return str(found * 100 // total) if total else "-"
