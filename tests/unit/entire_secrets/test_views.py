"""Text as a person sees it, and where it comes from."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire_secrets import literals
from entire_secrets.reading.views import FORM, INNER_QUOTE, PERCENT, PRINTABLE, View, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire_secrets.reading.views import Pass

SEEN = "export TOKEN=\"abc\" \\\n  --and 'more'\t<a & b>=é\r\nend"
WANTED = "export TOKEN=\"abc\" --and 'more'\t<a & b>=é\nend"


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


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("digit", "cC")
@pytest.mark.parametrize("numbered", [{1}, {2}, {3}, {1, 2, 3}])
def test_a_backslash_that_is_written_as_its_number_is_one(depth: int, digit: str, numbered: set[int]) -> None:
    raw = SEEN
    for level in range(1, depth + 1):
        raw = json.dumps(raw)[1:-1]
        raw = raw.replace("\\\\", f"\\u005{digit}") if level in numbered else raw
    assert plain(raw.encode()).decode() == WANTED


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (rb"\\u0033\\u001b\\u005bm\\u0033\\u0034", b"334"),
        (rb"C:\u005cdir \u005c\u005Cd \u005cu005c\u0022x\u005c\u005c\u0022", rb"C:\dir \d" + b' "x"'),
        (rb"a\u003db\u0026c\u002fd\x3de", b"a=b&c/d=e"),
        (b"&lt;a href=&quot;x&#39;&#x27;&amp;&quot;&gt;", b"<a href=\"x''&\">"),
        (rb"\u0026quot;x\u0026quot;", b'"x"'),
        (b"\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mx\x1b[K", b"red x"),
        (rb"\u001b[31mpass\u001b[mword \x1b[0m\033[1m\e[0m=", b"password ="),
        (b"^[[31mred^[[0m", b"red"),
        (b"a\x1b(B\x1b7b\x1bghi \x1b Word\x1b", b"abghi  Word"),
        (b"\x1b]8;;https://x.org/?token=1\x1b\\link\x1b]8;;\x1b\\", b"https://x.org/?token=1 link"),
        (b"a\x1b]8;id=1;file:///x?y\x07b\x1b]8;;\x07=c\x1b]8;;file:///x\x1b\\d", b"afile:///x?y b=cd"),
        (b"pass\xc2\x9b31mword\xc2\x9b0m= \\u009b1mx \\x9b0my \\xe9", b"password= x y \\xe9"),
        (b"pass\x9b31mword\x9b0m=\x9b1m\x80x\x85y\x9d8;;ftp:///x\x9cz\xc3\xa9", b"password=x\nyftp:///x z\xc3\xa9"),
        (b'\x1b]8;;file:///x\x1b\\"name"\x1b]8;;\x1b\\\nx', b'"name"\nx'),
        ("pass\x9bmword\x85\x80= \x9d8;;x\x9c é⛔à“".encode(), "password\n= x  é⛔à“".encode()),
        ("é\ufffd31mé".encode() + b"\x9b0m", "éé".encode()),  # as what reads UTF-8 writes what is none
        ("\u200bpa\u200css\u200dwo\u2060rd\ufeff\xad= \\u200b\\u00ad\\xad→ —é".encode(), "password= → —é".encode()),
        (rb"a\u003d\"x\" =3D\"x\" \x3d\"x\" %3d\"x\"", b'a="x" =3D"x" ="x" %3d"x"'),
        (b"sh -c 'a='\\''b'\\'' c='\"'\"'d'\"'\"''", b"sh -c 'a='b' c='d''"),
        (b"10%\r90%\r\r\nend\\r.", b"10%\n90%\n\nend\n."),
        ("key=é\n".encode("utf-16-le"), b"key=\xe9\n"),
        ("key=x\n".encode("utf-16-be"), b"key=x\n"),
        ("\0".join("ключ=密xé").encode(), "ключ=密xé".encode()),
        (b"k\\u0000e\\u0000y\\u0000", b"key"),
        (b"A=1\0KEY=word\0PATH=/bin\0", b"A=1\nKEY=word\nPATH=/bin\n"),
        (b"a\\\r\n b \\\n    c\\\n\td \\\ne\r\nf\\|", b"a b c d  e\nf|"),
        (rb"a \\\n    b\\\nc \\\nd\\\\n  e \\\\\\n   f", b"a bc  d\n  e f"),
        (rb"50% \q C:\dir \u12 \xg", rb"50% \q C:\dir \u12 \xg"),
        (rb'"pass\"word"', b'"pass' + INNER_QUOTE + b'word"'),
        (rb" f\"x\" b\"y\"", b' f"x" b"y"'),
        (b"\\ud83d\\ude00\\u4e2d", "\ufffd\ufffd中".encode()),
        (b"", b""),
    ],
)
def test_what_is_seen(raw: bytes, expected: bytes) -> None:
    assert plain(raw) == expected


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_the_end_of_a_link_is_no_escape(depth: int) -> None:
    link = "\x1b]8;;{}\x1b\\"
    shown = ("name", '"key": x', "\ttab", "u")
    raw = "\n".join(f"{link.format('file:///x')}{line}{link.format('')}" for line in shown)
    assert plain(nested(raw, depth).encode()).decode().strip('"') == "\n".join(shown)
    assert plain(repr(raw).encode()).decode() == f"'{chr(10).join(shown)}'"


def test_percent_signs_are_decoded_on_demand() -> None:
    raw = quote('a="b c"\n&d=é').encode()
    assert plain(raw) == raw
    assert plain(raw, PERCENT) == 'a="b c"\n&d=é'.encode()


def test_other_encodings_are_decoded_on_demand() -> None:
    assert plain(b"a+b%3D%22c%2Bd%22&e=%26", FORM) == b'a b="c+d"\n&e=&'
    assert plain(b"a=3Db =22long =\r\nline=22=0A=C3=A9=G", PRINTABLE) == 'a=b "long line"\né=G'.encode()


MACROS = rb'\ \\ n r t " \' \u005c u005C u003d u001b[ x1b e[ 033[ m &quot; &amp; &#61; a b = %3D %25'.split()
ODD = [b"=0A", b"=\n", b"+", b"\0", b"\a", b"\x1b]8;;", b"\x1b\\", b"\xc2", b"\x9b1m", b"\xad", b"\xe2\x80", b"\x8b"]
RAW = st.lists(
    st.sampled_from([*MACROS, b"\x1b[31m", b"\r", b"\n", b" ", b"\xff", "é".encode(), *ODD]), max_size=14
).map(b"".join)


@given(RAW, st.sampled_from([(), PERCENT, FORM, PRINTABLE]))
def test_a_view_is_the_plain_text_and_knows_where_it_comes_from(raw: bytes, first: tuple[Pass, ...]) -> None:
    view = View(raw, first)
    traced = View(raw, first, is_traced=True)
    assert traced.text == view.text == plain(raw, first)
    previous = 0
    for at in range(len(view.text)):
        start, end = view.origin(at, at + 1)
        assert traced.origin(at, at + 1) == (start, end)
        assert 0 <= start < end <= len(raw)
        assert start >= previous
        previous = start
        if start + 1 == end:
            assert raw[start:end] == view.text[at : at + 1] or raw[start:end] in b"\\+\r\0\a&"


@given(st.lists(RAW, max_size=8), st.integers(0, 2000))
def test_a_large_text_reads_as_a_small_one(lines: list[bytes], clean: int) -> None:
    raw = (b"\n" + b"clean\n" * clean).join(lines)
    expected = plain(raw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(literals, "COMPILED_FROM", 0)
        assert plain(raw) == expected


TEXT = st.text(st.characters(exclude_characters="W\x1b\x9b\x9d"), max_size=20)


@given(TEXT, st.from_regex(r"W[A-Z0-9]{1,12}", fullmatch=True), TEXT)
def test_the_origin_of_a_word_is_the_word(before: str, word: str, after: str) -> None:
    raw = nested(f"{before} {word} {after}", 2).encode()
    view = View(raw)
    at = view.text.find(word.encode())
    start, end = view.origin(at, at + len(word))
    assert raw[start:end].decode() == word
