"""How secrets are replaced: joined where they overlap, until none is left, and nothing besides."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections import Counter

import pytest

from entire_secrets import documents, engine, replacing
from entire_secrets.reading import views
from entire_secrets.replacing import Replacer
from entire_secrets.text import Finding, Text
from tests.unit.entire_secrets.built_in import REPLACER, KeptMemory, redact_jsonl
from tests.unit.entire_secrets.planted_secrets import SECRETS, WORDS, sample, word

RULE = "aws-access-key"
KEY = SECRETS[RULE][1].encode()
GONE = b"[REDACTED:" + RULE.encode() + b"]"
GLUED = SECRETS["digitalocean-token"][1].encode()
MOST_CALLS = 600
"""For a secret, to judge, remember, place and replace it; its base64 and its hex digits are remembered, too."""

GLUED_GONE = b"[REDACTED:digitalocean-token]"
PASSWORD = sample("abcdefghkmnp23456789#!", 16).encode()


def test_only_the_secret_goes() -> None:
    assert REPLACER.text(b"aws " + KEY + b" there \xff\x00") == b"aws " + GONE + b" there \xff\x00"
    assert REPLACER.text(b"") == b""


def test_of_two_findings_at_one_place_the_vendors_name_stays() -> None:
    data = b'password = "' + KEY + b'"'
    assert REPLACER.find(data) == [Finding(rule=RULE, start=12, end=12 + len(KEY), value=KEY)]
    assert REPLACER.text(data) == b'password = "' + GONE + b'"'


def test_a_document_keeps_its_keys_and_its_layout() -> None:
    data = b'{ "' + KEY + b'" :\t"' + KEY + b'", "n": 1.50e400 }'
    assert REPLACER.document(data) == data.replace(b'"' + KEY + b'",', b'"' + GONE + b'",')
    assert REPLACER.text(data) == data.replace(KEY, GONE)


def test_what_is_no_document_is_text() -> None:
    data = b'{"a": "' + KEY + b'", '
    assert REPLACER.document(data) == REPLACER.text(data) == data.replace(KEY, GONE)


def test_lines_are_documents_each_by_itself() -> None:
    line = json.dumps({"password": PASSWORD.decode()}).encode()
    result = REPLACER.document(line)
    assert PASSWORD not in result
    assert list(json.loads(result)) == ["password"]
    data = b"\n".join((b'{"a": 1}\r', line + b"\r", b"broken " + KEY, b"", line))
    assert REPLACER.lines(data) == b"\n".join((b'{"a": 1}\r', result + b"\r", b"broken " + GONE, b"", result))
    assert REPLACER.lines(data + b"\n") == REPLACER.lines(data) + b"\n"


def test_a_name_on_one_line_says_nothing_of_the_next() -> None:
    data = b'"password":\n"' + PASSWORD + b'"\n'
    assert REPLACER.lines(data) == data
    assert REPLACER.find(data, by_line=True) == []


def test_findings_in_lines_are_counted_from_the_texts_start() -> None:
    data = b'{"a": 1}\n{"b": "' + KEY + b" " + KEY + b'"}\n' + KEY + b"\n"
    found = REPLACER.find(data, by_line=True)
    assert [data[finding.start : finding.end] for finding in found] == [KEY, KEY, KEY]
    assert [finding.start for finding in found] == sorted({finding.start for finding in found})


@pytest.mark.parametrize("by_line", [False, True])
def test_a_key_that_is_a_secret_is_not_found(by_line: bool) -> None:
    assert REPLACER.find(b'{"' + KEY + b'": 1}', by_line=by_line) == []


@pytest.mark.parametrize("count", [1, 2, replacing.TOKEN_ROUNDS])
def test_what_a_replacement_uncovers_goes_too(count: int) -> None:
    assert REPLACER.text(b"see " + GLUED * count + b" end") == b"see " + GLUED_GONE * count + b" end"


def test_after_some_rounds_the_word_goes_as_a_whole() -> None:
    """It may hold a hostile number of tokens; a blank, a quote or a backslash ends it."""
    for border in (b" ", b'"', b"\\n"):
        result = REPLACER.text(b"see " + GLUED * 300 + border + b"end")
        marks = result.removeprefix(b"see ").removesuffix(border + b"end")
        assert marks.replace(GLUED_GONE, b"") == b""


def test_no_character_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that ends or begins inside a UTF-8 character takes it whole; stray bytes are left."""
    data = "a☃b☃c".encode()

    def found(start: int, end: int) -> list[bytes]:
        monkeypatch.setattr(REPLACER, "_search", lambda _data: [Finding(rule=RULE, start=start, end=end)])
        return [data[finding.start : finding.end] for finding in REPLACER.find(data)]

    assert found(4, 5) == [b"b"]
    assert found(3, 5) == ["☃b".encode()]
    assert found(4, 6) == ["b☃".encode()]
    assert found(2, 7) == ["☃b☃".encode()]
    data = b"\xbf" * 12
    assert found(5, 6) == [b"\xbf" * 7]  # three on each side: no character has more


def test_findings_that_touch_stay_two_and_those_that_overlap_become_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def joined(*found: tuple[str, int, int]) -> list[tuple[str, int, int]]:
        some_found = [Finding(rule=rule, start=start, end=end) for rule, start, end in found]
        monkeypatch.setattr(REPLACER, "_search", lambda _data: some_found)
        return [(finding.rule, finding.start, finding.end) for finding in REPLACER.find(b"x" * 40)]

    generic, other = "generic-value", "age-secret-key"
    assert joined((RULE, 0, 5), (RULE, 5, 9)) == [(RULE, 0, 5), (RULE, 5, 9)]
    assert joined((generic, 0, 9), (RULE, 4, 20)) == [(RULE, 0, 20)]
    assert joined((RULE, 0, 9), (generic, 4, 20)) == [(RULE, 0, 20)]
    assert joined((RULE, 0, 9), (other, 4, 6)) == [(RULE, 0, 9)]
    assert joined((generic, 0, 5), (generic, 4, 9), (other, 8, 12)) == [(other, 0, 12)]


def test_clean_text_comes_back() -> None:
    data = b'{"id": "' + word(30).encode() + b'"}\n\nplain\n'
    assert REPLACER.lines(data) == REPLACER.text(data) == data


def test_the_size_of_a_block_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    line = json.dumps({"text": f"a\n{KEY.decode()}\u2192 {GLUED.decode()}"}).encode()
    data = b"\n".join((b'{"a": 1}', line, b"", b"broken " + KEY, line, b"\x1e", line))
    whole = REPLACER.lines(data)
    for size in range(1, len(line) + 40, 7):
        monkeypatch.setattr(replacing, "BLOCK", size)
        assert REPLACER.lines(data) == whole
        assert len(REPLACER.find(data, by_line=True)) == 7


@pytest.mark.parametrize("indent", [None, 1])
def test_a_large_document_is_searched_in_pieces(monkeypatch: pytest.MonkeyPatch, indent: int | None) -> None:
    """So that its views need memory for a piece; what is found stays the same."""
    text = '}, {"of": 1}, { "' + "word " * 40
    said = [{"id": str(number), "text": text + KEY.decode() * (number % 7 == 0)} for number in range(60)]
    data = json.dumps({"messages": [*said, {"password": PASSWORD.decode()}]}, indent=indent).encode()
    whole = REPLACER.find(data), REPLACER.document(data)
    assert len(whole[0]) == 10
    sizes: list[int] = []
    monkeypatch.setattr(replacing, "PIECE", 1000)
    view = views.View

    def watched(data: bytes, *first: "tuple[views.Pass, ...]") -> views.View:
        sizes.append(len(data))
        return view(data, *first)

    monkeypatch.setattr(views, "View", watched)
    assert (REPLACER.find(data), REPLACER.document(data)) == whole
    assert max(sizes) < 1500


def test_telling_a_document_takes_no_more_memory_than_its_text() -> None:
    data = json.dumps([{"id": number, "text": "ä🎉" * 40, "of": {"a": [1]}} for number in range(4000)],
                      ensure_ascii=False).encode()  # fmt: skip
    tracemalloc.start()
    try:
        assert documents.is_json(data)
        assert tracemalloc.get_traced_memory()[1] < 1.5 * len(data)
    finally:
        tracemalloc.stop()


def test_an_escaped_separator_of_records_moves_no_finding_to_another_line() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    lines = [json.dumps({"text": "\x1e\n" * 3}), json.dumps({"text": "calm"}), json.dumps({"text": f"use {secret}"})]
    assert redact_jsonl("\n".join([*lines, json.dumps({"text": "calm"})] * 2).encode()).count(secret.encode()) == 0


@pytest.mark.parametrize("as_lines", [True, False])
def test_a_text_is_searched_as_a_whole_however_many_secrets_it_has(
    monkeypatch: pytest.MonkeyPatch, as_lines: bool
) -> None:
    """What a search costs for each line or secret would add up to minutes."""
    searched = []
    search = engine.search

    def counted(text: Text) -> list[Finding]:
        searched.append(len(text.plain))
        return search(text)

    monkeypatch.setattr(replacing, "search", counted)
    records = [json.dumps({"text": f"use ghp_{number:036} now\n", "number": number}) for number in range(300)]
    records = [record.replace("0" * 30, "x7Kq" + word(26)) for record in records]
    data = ("\n".join(records) if as_lines else f"[{', '.join(records)}]").encode()
    redacted = REPLACER.lines(data) if as_lines else REPLACER.document(data)
    assert redacted.count(b"[REDACTED:") == 300
    assert len(searched) < 6
    assert sum(searched) < 3 * len(data)


@pytest.mark.parametrize("form", ["ghp_{:.36} of the run", "u@a.test | $2b$12${}"])
def test_many_secrets_cost_few_calls(form: str) -> None:
    """Calls of functions are counted, not time: a transcript may have ten thousand secrets."""
    count, seen = 200, Counter[str]()
    rows = [form.format(sample(WORDS, 53, seed)).ljust(300, ".") for seed in range(count)]
    data = "\n".join(json.dumps({"text": "\n".join(rows[at : at + 10])}) for at in range(0, count, 10)).encode()
    REPLACER.lines(data[:10_000])  # compiles patterns
    remembering = Replacer(KeptMemory())
    sys.setprofile(lambda _frame, event, _argument: seen.update((event,)))
    try:
        redacted = remembering.lines(data)
    finally:
        sys.setprofile(None)
    assert redacted.count(b"[REDACTED:") == count
    assert seen["call"] + seen["c_call"] < MOST_CALLS * count
