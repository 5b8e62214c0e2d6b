"""Which strings of an INSERT are in columns of secrets."""

from __future__ import annotations

import pytest

from entire_secrets.judging import columns
from tests.unit.entire_secrets.built_in import redact_text
from tests.unit.entire_secrets.planted_secrets import hexed, word

CASES = {
    "one row": (b"name, password", b"('olga', 'x1')", [b"'x1'"]),
    "several rows": (b"token, id", b"('a', 1), ('b', 2)", [b"'a'", b"'b'"]),
    "several columns": (b"id, api_key, `db_passwd`", b"(1, 'a', 'b')", [b"'a'", b"'b'"]),
    "a comma and a bracket in a string": (b"note, pwd", b"('a,b (c', 'x')", [b"'x'"]),
    "a quote in a string": (b"note, pwd", b"('it''s', 'x')", [b"'x'"]),
    "an escaped quote, as a person sees it": (b"note, pwd", b"('it's', 'x')", [b"'x'"]),
    "a call": (b"id, password, note", b"(1, crypt('x', 'y'), 'z')", [b"'x'", b"'y'"]),
    "a number": (b"id, token_count, digest", b"(1, 34, 'x')", []),
    "a string without an end": (b"id, token", b"(1, 'x", []),
}


@pytest.mark.parametrize(("names", "rows", "found"), CASES.values(), ids=CASES)
def test_strings_of_named_columns(names: bytes, rows: bytes, found: list[bytes]) -> None:
    assert [rows[start:end] for start, end in columns.secrets(names, rows)] == found


def test_only_the_named_column_goes() -> None:
    password, digest = word(12) + "7x", hexed(64)
    text = f"INSERT INTO users (digest, password, note) VALUES\n('{digest}', '{password}', 'see #{digest}');"
    assert redact_text(text) == text.replace(password, "[REDACTED:sql-insert]")
