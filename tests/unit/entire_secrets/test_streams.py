"""Texts of any size are searched in bounded memory, with the same answer as in one piece."""

from __future__ import annotations

import io
import json

import pytest

from entire_secrets import streams
from tests.unit.entire_secrets.built_in import REPLACER
from tests.unit.entire_secrets.planted_secrets import SECRETS

TOKEN = SECRETS["github-token"][1]


def hits(data: bytes, name: str = "") -> list[tuple[int, int, str]]:
    return [(hit.line, hit.record, hit.rule) for hit in streams.scan(REPLACER, io.BytesIO(data), name, lambda _: None)]


def test_plain_text_has_lines() -> None:
    assert hits(f"a\nb {TOKEN}\nc {TOKEN} {TOKEN}\n".encode()) == [
        (2, 0, "github-token"),
        *[(3, 0, "github-token")] * 2,
    ]


def test_json_lines_have_records_by_name_or_content() -> None:
    line = json.dumps({"a": f"x\n{TOKEN}"}).encode() + b"\n"
    assert hits(b"{}\n" + line) == [(2, 2, "github-token")]
    assert hits(b"no JSON\n" + line, "a.jsonl") == [(2, 2, "github-token")]
    assert hits(b"no JSON\n" + line) == [(2, 0, "github-token")]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_has_the_records_of_its_longest_list(indent: int | None) -> None:
    value = {"ids": ["a"], "messages": [{"n": [1, 2, {"b": "]}"}]}, {"t": "x"}, {"c": [{"t": TOKEN}]}], "end": TOKEN}
    found = hits(json.dumps(value, indent=indent).encode())
    assert [(record, rule) for _, record, rule in found] == [(3, "github-token"), (0, "github-token")]


def test_a_large_text_is_searched_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BLOCK", 1000)
    monkeypatch.setattr(streams, "BESIDE", 200)
    monkeypatch.setattr(streams, "WHOLE", 3000)
    for filling in (17, 60, 499):
        text = b"".join(b"x" * filling + b"\n" + TOKEN.encode() + b"\n" for _ in range(40))
        assert hits(text) == [(2 * n + 2, 0, "github-token") for n in range(40)], filling
        lines = b"".join(json.dumps({"a": "x" * filling, "b": TOKEN}).encode() + b"\n" for _ in range(40))
        assert hits(lines) == [(n + 1, n + 1, "github-token") for n in range(40)], filling
    document = json.dumps([{"a": "x" * 90, "b": TOKEN}] * 40).encode()
    assert len(hits(document)) == 40  # too large to be read as a document
    assert len(hits(json.dumps({"a": "x" * 5000}).encode() + b"\n", "a.jsonl")) == 0


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BLOCK", 1000)
    monkeypatch.setattr(streams, "WHOLE", 3000)
    monkeypatch.setattr(streams, "BESIDE", 100)
    searched: list[int] = []
    find = REPLACER.find

    def noted(data: bytes, *, by_line: bool = False) -> list[object]:
        searched.append(len(data))
        return list(find(data, by_line=by_line))

    monkeypatch.setattr(REPLACER, "find", noted)
    hits(b"{}\n" + b"x" * 50_000)  # one endless line
    hits(b"x" * 50_000)
    assert max(searched) < 5000
