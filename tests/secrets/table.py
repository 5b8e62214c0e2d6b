"""Counts what redaction finds: kinds of secrets, each in every carrier, in the transcripts of every agent."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from entire.redact import Redactor
from tests.secrets import judging, kinds
from tests.secrets.carriers import CARRIERS, Carrier, Text
from tests.secrets.kinds import Kind
from tests.secrets.transcripts import AGENTS, Agent, record, transcript
from tests.secrets.values import expand, split

SEED = 2026
_BUILT_IN = Redactor()
REDACT = {"lines": _BUILT_IN.redact_jsonl, "document": _BUILT_IN.redact_json, "text": _BUILT_IN.redact}
BATCH = 100
"""Records in a transcript: as in a long session, and few enough that the documents stay ordinary."""


@dataclass(frozen=True)
class Case:
    """One secret in one carrier of one agent's transcript."""

    kind: Kind
    carrier: Carrier
    agent: Agent
    spelling: str
    marked: str

    def text(self) -> Text:
        """Return the text that the carrier takes."""
        return Text(self.marked, self.kind.command)


@dataclass(frozen=True)
class Result:
    """What became of a case: ``problem`` is empty if nothing of the secret is left."""

    case: Case
    problem: str


def sample(every: Sequence[Kind], step: int = 1) -> Iterator[Case]:
    """Yield each kind once in each carrier, or in each carrier but ``step - 1``; spellings and agents take turns."""
    for number, kind in enumerate(every):
        for at, carrier in enumerate(CARRIERS):
            if (number + at) % step == 0:
                agent = AGENTS[(number * 3 + at // step) % len(AGENTS)]
                yield _case(kind, carrier, agent, kind.spellings[(number + at // step) % len(kind.spellings)])


def product(every: Sequence[Kind]) -> Iterator[Case]:
    """Yield each kind in each carrier of each agent; spellings take turns."""
    for kind in every:
        for (at, carrier), (who, agent) in itertools.product(enumerate(CARRIERS), enumerate(AGENTS)):
            yield _case(kind, carrier, agent, kind.spellings[(at + who) % len(kind.spellings)])


def judge(cases: Sequence[Case]) -> list[Result]:
    """Redact the transcripts that hold the cases, and tell what became of each."""
    results = []
    for agent in AGENTS:
        mine = [case for case in cases if case.agent is agent]
        size = BATCH if agent.form != "text" else 1  # a text has no records that could be told apart afterwards
        for start in range(0, len(mine), size):
            results += _judge_transcript(agent, mine[start : start + size])
    return results


def _case(kind: Kind, carrier: Carrier, agent: Agent, spelling: str) -> Case:
    source = random.Random(f"{SEED} {kind.name} {carrier.name} {agent.name} {spelling}")
    marked = expand(spelling, source)
    return Case(kind, carrier, agent, spelling, marked if "«" in marked else f"«{marked}»")


def _judge_transcript(agent: Agent, cases: Sequence[Case]) -> list[Result]:
    records = [record(agent, case.carrier.slot, case.carrier.planted(case.text())) for case in cases]
    redacted = REDACT[agent.form](transcript(agent, records)).decode("utf-8", "surrogateescape")
    after = records_of(agent, redacted)
    if len(after) != len(records):
        return [Result(case, "the transcript has another number of records") for case in cases]
    return [outcome(case, *pair) for case, *pair in zip(cases, records, after, strict=True)]


def records_of(agent: Agent, redacted: str) -> list[str]:
    """Return the records of a redacted transcript, as they stand there."""
    if agent.form == "text":
        return [redacted.removesuffix("\n")]
    lines = redacted.removesuffix("\n").split("\n")
    if agent.form == "document":
        lines[0] = lines[0].partition('"messages":[')[2]
        lines = [*(line.removesuffix(",") for line in lines[:-1]), lines[-1].removesuffix("]}")]
    return lines


def outcome(case: Case, before: str, after: str) -> Result:
    """Return what became of a case whose record was `before` and is `after`."""
    if case.agent.form != "text":
        tree = judging.parsed(after)
        if not judging.has_same_shape(judging.parsed(before), tree):
            return Result(case, "the record has another shape")
        after = "\n".join(judging.strings(tree))
    _, secrets = split(case.marked)
    lines = [line for secret in secrets for line in secret.split("\n")]
    context = case.marked
    for secret in secrets:
        context = context.replace(f"«{secret}»", "\0")
    text = after + "\n" + judging.decoded(after)
    left = judging.is_left(lines, text, context)
    return Result(case, "part of the secret is left" if left else "")


def every_case(*, full: bool = False, only: str = "", step: int = 1) -> list[Case]:
    """Return the cases of the sample, or all; ``only`` is part of the names of the kinds or groups wanted."""
    chosen = [kind for kind in kinds.every() if only in kind.name or only in kind.group]
    return list(product(chosen) if full else sample(chosen, step))
