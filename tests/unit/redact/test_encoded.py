"""Secrets that are encoded with the text around them."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest

from entire.redact import encoded, find, redact, redact_jsonl
from tests.unit.redact.planted_secrets import SECRETS, word

TOKEN = SECRETS["github-token"][1]
TEXT = f'{{"token": "{TOKEN}", "é": "/a+b?c=d&e"}}'
GONE = b"[REDACTED:github-token]"


def test_percent_encoded_words_are_listed() -> None:
    text = b"100% done, see a%3Db%26c and 'x?y=%2Fz' %zz %3"
    assert [text[start:end] for start, end in encoded.percent(text)] == [b"a%3Db%26c", b"x?y=%2Fz"]
    assert encoded.percent(b"nothing") == []


@pytest.mark.parametrize("quoted", [quote, quote_plus])
def test_of_percent_encoding_only_the_secret_goes(quoted: object) -> None:
    assert callable(quoted)
    text = f"GET /?q={quoted(TEXT)}&x=1 HTTP/1.1"
    assert redact(text.encode()) == text.encode().replace(TOKEN.encode(), GONE)


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("pad", ["", "x", "xy"])
def test_base64_of_a_text_with_a_secret_goes_as_a_whole(encode: object, pad: str) -> None:
    assert callable(encode)
    for tail in ("", "="):
        inner = encode((TEXT + pad).encode()).decode().rstrip("=") + tail * (-len((TEXT + pad).encode()) % 3)
        assert redact(f"data: {inner} end".encode()) == b"data: " + GONE + b" end"


def test_encodings_may_be_nested() -> None:
    inner = base64.b64encode(base64.b64encode(json.dumps({"a": TEXT}).encode())).decode()
    assert redact(f"x {quote(inner)}".encode()) == b"x " + GONE
    line = json.dumps({"text": json.dumps({"out": f"{inner}\n"})}).encode()
    assert json.loads(json.loads(redact_jsonl(line))["text"])["out"] == GONE.decode() + "\n"


def test_base64_of_other_things_stays() -> None:
    for data in (bytes(range(256)) * 4, b"only words of prose here, nothing else", word(90).encode()):
        text = b"image " + base64.b64encode(data) + b" /usr/share/doc/SomeVeryLongCamelCaseIdentifier"
        assert find(text) == []


def test_the_end_of_a_text_may_be_cut() -> None:
    cut = base64.b64encode("token=é".encode() * 4)[:-3]
    assert [decoded[:8] for _, _, decoded in encoded.base64(cut)] == ["token=é".encode()]
    assert list(encoded.base64(b"A" * 19)) == []
