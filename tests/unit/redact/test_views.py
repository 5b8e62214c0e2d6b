"""Text as a person sees it, and where it comes from."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.redact.views import INNER_QUOTE, View, plain

SEEN = "export TOKEN=\"abc\" \\\n  --and 'more'\t<a & b>=é\r\nend"
WANTED = "export TOKEN=\"abc\"    --and 'more'\t<a & b>=é\nend"


def nested(text: str, depth: int, *, ascii_only: bool = True) -> str:
    """Put ``text`` into JSON strings, one in another."""
    for _ in range(depth):
        text = json.dumps(text, ensure_ascii=ascii_only)
    return text


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_json_in_json_is_seen_as_what_it_says(depth: int, ascii_only: bool) -> None:
    seen = plain(nested(SEEN, depth, ascii_only=ascii_only).encode()).decode()
    assert seen.strip('"') == WANTED


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (rb"a\u003db\u0026c\u002fd\x3de", b"a=b&c/d=e"),
        (b"&lt;a href=&quot;x&#39;&#x27;&amp;&quot;&gt;", b"<a href=\"x''&\">"),
        (rb"\u0026quot;x\u0026quot;", b'"x"'),
        (b"\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mx\x1b[K", b"red x"),
        (rb"\u001b[31mpass\u001b[mword \x1b[0m\033[1m\e[0m=", b"password ="),
        (b"^[[31mred^[[0m", b"red"),
        (b"a\x1b(B\x1b7b\x1bghi \x1b Word\x1b", b"abghi  Word"),
        (b"\x1b]8;;https://x.org/?token=1\x1b\\link\x1b]8;;\x1b\\", b"https://x.org/?token=1link"),
        (b"a\\\r\n b\\\n c\r\nd", b"a   b   c\nd".replace(b"   ", b"  ")),
        (rb"50% \q C:\dir \u12 \xg", rb"50% \q C:\dir \u12 \xg"),
        (rb'"pass\"word"', b'"pass' + INNER_QUOTE + b'word"'),
        (rb" f\"x\" b\"y\"", b' f"x" b"y"'),
        (b"\\ud83d\\ude00\\u4e2d", "\ufffd\ufffd中".encode()),
        (b"", b""),
    ],
)
def test_what_is_seen(raw: bytes, expected: bytes) -> None:
    assert plain(raw) == expected


def test_percent_signs_are_decoded_on_demand() -> None:
    raw = quote('a="b c"\n&d=é').encode()
    assert plain(raw) == raw
    assert plain(raw, percent=True) == b'a="b c"%0A&d=%C3%A9'


PIECES = rb'\ \\ n r t " \' u003d u001b[ x1b e[ 033[ m &quot; &amp; &#61; a b = %3D %25'.split()
RAW = st.lists(st.sampled_from([*PIECES, b"\x1b[31m", b"\r", b"\n", b" ", b"\xff", "é".encode()]), max_size=14).map(
    b"".join
)


@given(RAW, st.booleans())
def test_a_view_is_the_plain_text_and_knows_where_it_comes_from(raw: bytes, percent: bool) -> None:
    view = View(raw, percent=percent)
    assert view.text == plain(raw, percent=percent)
    previous = 0
    for at in range(len(view.text)):
        start, end = view.origin(at, at + 1)
        assert 0 <= start < end <= len(raw)
        assert start >= previous
        previous = start
        if start + 1 == end:
            assert raw[start:end] == view.text[at : at + 1] or raw[start:end] == b"\\"


TEXT = st.text(st.characters(exclude_characters="W\x1b"), max_size=20)


@given(TEXT, st.from_regex(r"W[A-Z0-9]{1,12}", fullmatch=True), TEXT)
def test_the_origin_of_a_word_is_the_word(before: str, word: str, after: str) -> None:
    raw = nested(f"{before} {word} {after}", 2).encode()
    view = View(raw)
    at = view.text.find(word.encode())
    start, end = view.origin(at, at + len(word))
    assert raw[start:end].decode() == word
