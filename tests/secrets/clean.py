"""Text without secrets that looks like secrets: ids, hashes, lock files, traces, images, placeholders.

Nothing in it may be redacted, in any carrier of any agent's transcript.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.secrets.carriers import CARRIERS, Text
from tests.secrets.harmless import CLEAN
from tests.secrets.table import BATCH, REDACT, SEED, records_of
from tests.secrets.transcripts import AGENTS, FIXTURES, Agent, record, transcript
from tests.secrets.values import expand


def texts() -> Iterator[tuple[str, Text]]:
    """Yield every clean text, with the name of its group."""
    for name, templates in CLEAN.items():
        for template in templates:
            yield name, Text(expand(template, random.Random(f"{SEED} {template}")))


def findings(*, full: bool = False) -> list[str]:
    """Return what redaction takes for a secret in the clean texts, and in the transcripts of real sessions."""
    found: list[str] = []
    chosen: dict[str, list[tuple[str, str]]] = {agent.name: [] for agent in AGENTS}
    for number, (name, text) in enumerate(texts()):
        for at, carrier in enumerate(CARRIERS):
            agents = AGENTS if full else (AGENTS[(number * 3 + at) % len(AGENTS)],)
            for agent in agents:
                line = record(agent, carrier.slot, carrier.planted(text))
                chosen[agent.name].append((f"{name}, {carrier.name}, {agent.name}: {text.plain!r}", line))
    for agent in AGENTS:
        size = BATCH if agent.form != "text" else 1
        for start in range(0, len(chosen[agent.name]), size):
            found += _changed(agent, chosen[agent.name][start : start + size])
    return found + _changed_fixtures()


def _changed(agent: Agent, labelled: list[tuple[str, str]]) -> list[str]:
    before = transcript(agent, [line for _, line in labelled])
    after = REDACT[agent.form](before)
    if after == before:
        return []
    pairs = zip(labelled, records_of(agent, after.decode("utf-8", "surrogateescape")), strict=True)
    return [label for (label, line), redacted in pairs if line != redacted]


def _changed_fixtures() -> list[str]:
    """Return the transcripts of real sessions that redaction changes: they hold ids and texts, and no secret."""
    found = []
    for path in sorted(FIXTURES.rglob("*.json*")):
        if "transcripts" in path.parts or "conversations" in path.parts:
            data = path.read_bytes()
            form = "lines" if path.suffix == ".jsonl" else "document"
            found += [f"{path.relative_to(FIXTURES)}"] if REDACT[form](data) != data else []
    return found
