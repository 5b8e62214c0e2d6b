"""Each row of the rules: its example goes, whatever stands around it, and its pattern is cheap on any text."""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from importlib import import_module
from time import process_time
from typing import Any

import pytest

from entire_secrets.rules.table import BY_ID, PROVIDERS, RULES
from tests.secrets.templates import CLASSES, expand
from tests.unit.entire_secrets.built_in import redact_jsonl, redact_text
from tests.unit.entire_secrets.every import every

TABLES = {
    f"{trade}.{table}": list(getattr(import_module(f"entire_secrets.rules.providers.{trade}"), table))
    for trade in PROVIDERS
    for table in ("ROWS", "KEYED")
}
ROWS = {row[0]: row for table in TABLES.values() for row in table}
SEEDS = 4
BATCH = 50
"""How many texts are redacted in one."""

RULER = f"\n\n{'=' * 20}\n\n"
"""Stands between them."""

LOOSE = (b"1//0", b":aa", b"q~", b"recovery phrase", b"seed phrase")
"""Keywords that are not words, from before; each costs a pass over the text, so there shall be no others."""

CARRIERS = {
    "alone": "{}",
    "a line": "before\n{}\nafter",
    "prose": "this is {} there",
    "the start": "{} is it",
    "the end": "it is {}",
    "a diff": "-old\n+{}\n-new",
    "a coloured diff": "\x1b[31m-old\x1b[m\n\x1b[32m+\x1b[m\x1b[32m{}\x1b[m\n",
    "a numbered line": "    12→{}\n    13→end",
}
CARRIERS_OF_A_VALUE = {
    "double quotes": 'send("{}", 1)',
    "single quotes": "send('{}', 1)",
    "backquotes": "it is `{}`, see",
    "a variable": "VALUE={}\nOTHER=1",
    "a field": '{{"value": "{}", "other": 1}}',
    "a list": "one,{},two",
    "a tag": "<value>{}</value>",
    "parentheses": "({})",
    "the end of a sentence": "Use {}. Then go on.",
}
"""What may stand around an example that is nothing but a secret."""


def seeds(name: str) -> range:
    return range(max(SEEDS, len(ROWS[name][1])))


@every("table", [name for name, rows in TABLES.items() if rows])
def test_a_table_is_sorted(table: str) -> None:
    ids = [row[0] for row in TABLES[table]]
    assert ids == sorted(ids)


def test_ids_are_unique_and_all_rows_are_used() -> None:
    counted = Counter(row[0] for table in TABLES.values() for row in table)
    assert [name for name, count in counted.items() if count > 1] == []
    assert set(counted) == {rule.id for rule in RULES if rule.rank == 0}


@every("name", sorted(ROWS))
def test_a_row_is_complete(name: str) -> None:
    _id, keywords, _pattern, entropy, source, example = ROWS[name]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert source and example and 0 <= entropy < 6
    assert "[" not in "".join(expand(example, seed).secret for seed in seeds(name))
    expansions = [expand(example, seed).text.lower().encode() for seed in seeds(name)]
    for keyword in keywords:
        assert re.fullmatch(rb"(?: |[a-z0-9_.-])[a-z0-9_.-]{2,}", keyword) or keyword in LOOSE
        assert any(keyword.strip() in text for text in expansions), f"no example has {keyword.decode()}"


def examples() -> list[tuple[str, str, str, str]]:
    """Return each example in each carrier: the id, the carrier, the text and what becomes of it."""
    cases = []
    for name, row in sorted(ROWS.items()):
        carriers = CARRIERS if "«" in row[5] else CARRIERS | CARRIERS_OF_A_VALUE
        for number, (where, carrier) in enumerate(carriers.items()):
            for seed in (number, number + 1):  # each carrier has other values, each value two carriers
                sample = expand(row[5], seed)
                text, redacted = (carrier.format(it) for it in (sample.text, sample.replaced(f"[REDACTED:{name}]")))
                cases.append((name, where, text, redacted))
    return cases


def test_an_example_goes_and_nothing_else() -> None:
    """Many texts are redacted in one, since each alone costs three times as much."""
    cases, wrong = examples(), []
    batches = -(-len(cases) // BATCH)
    for number in range(batches):
        batch = cases[number::batches]
        got = redact_text(RULER.join(text for _, _, text, _ in batch)).split(RULER)
        assert len(got) == len(batch)
        wrong += [(*case, text) for case, text in zip(batch, got, strict=True) if text != case[3]]
    assert wrong == []


@every("name", sorted(ROWS))
def test_an_example_goes_from_json_in_json(name: str) -> None:
    def line(text: str) -> str:
        return json.dumps({"type": "x", "text": json.dumps({"output": f"before\n{text}\nafter"})}) + "\n"

    sample = expand(ROWS[name][5], 1)
    assert redact_jsonl(line(sample.text).encode()).decode() == line(sample.replaced(f"[REDACTED:{name}]"))


FORMS_OF_A_NAME = ("{}: {}", "{}={}", '"{}": "{}"', "{} = '{}'")
"""How a provider's name stands beside a value where nothing says what the value is."""


@pytest.mark.parametrize("form", FORMS_OF_A_NAME)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("wasabi", "«<alnum:40>»"),
        ("qdrant", "«<alnum:54>»"),
        ("ghost", "«<hex:24>:<hex:64>»"),
        ("cognito", "«<lowernum:52>»"),
    ],
)
def test_the_name_of_a_provider_is_enough_for_what_is_random(form: str, name: str, value: str) -> None:
    sample = expand(form.format(name, value), 3)
    assert sample.secret not in redact_text(sample.text)


@pytest.mark.parametrize("form", FORMS_OF_A_NAME)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("wasabi", "<hex:40>"), ("xero", "<lower:48>"), ("linode", "<hex:64>"), ("pusher", "<hex:20>")),
        *(("heroku", "<hex:8>-<hex:4>-<hex:4>-<hex:4>-<hex:12>"), ("typesense", "Lower<lower:26>1")),
    ],
)
def test_a_hash_an_id_or_a_name_behind_a_provider_stays(form: str, name: str, value: str) -> None:
    text = expand(form.format(name, value), 3).text
    assert redact_text(text) == text


@every("name", sorted(ROWS))
def test_every_repetition_is_bounded(name: str) -> None:
    parser: Any = importlib.import_module("re._parser")
    limits: Any = importlib.import_module("re._constants")

    def unbounded(node: object) -> bool:
        if isinstance(node, tuple) and node and node[0] in (limits.MAX_REPEAT, limits.MIN_REPEAT):
            return node[1][1] is limits.MAXREPEAT or unbounded(node[1][2])
        if isinstance(node, tuple | list | parser.SubPattern):
            return any(unbounded(item) for item in node)
        return False

    assert not unbounded(parser.parse(BY_ID[name].compile().pattern))


@every("name", sorted(ROWS))
def test_a_pattern_is_cheap_on_hostile_text(name: str) -> None:
    """What a person sees of a token for ever, and the start of a token again and again."""
    rule = BY_ID[name]
    keyword, sample = rule.keywords[0].decode().strip(), expand(ROWS[name][5], 0)
    cut = sample.text.lower().index(keyword) + len(keyword)
    texts = [sample.text[:cut] + letters * (100_000 // len(letters)) for letters in ("a", "0", " ", "\n", "=a ")]
    texts += [sample.text[:cut] + alphabet * (100_000 // len(alphabet)) for alphabet in CLASSES.values()]
    texts += [sample.text[:cut] * (5_000 // cut), (sample.text + " ") * (5_000 // len(sample.text))]
    search = rule.compile().match
    started = process_time()
    for text in texts:
        data = text.encode()
        for place in re.finditer(re.escape(keyword.encode()), data.lower()):
            search(data, max(place.start() - rule.back, 0))
    assert process_time() - started < 0.5
