"""Secrets that are encoded with the text around them."""

from __future__ import annotations

import base64
import bz2
import gzip
import json
import lzma
import quopri
import zlib
from collections.abc import Callable
from functools import partial
from urllib.parse import quote, quote_plus

import pytest

from entire_secrets.reading import encoded
from entire_secrets.text import Text
from tests.unit.entire_secrets.built_in import find, redact, redact_jsonl
from tests.unit.entire_secrets.planted_secrets import SECRETS, word

TOKEN = SECRETS["github-token"][1]
TEXT = f'{{"token": "{TOKEN}", "é": "/a+b?c=d&e"}}'
GONE = b"[REDACTED:github-token]"


def test_percent_encoded_words_are_listed() -> None:
    text = b"100% done, see a%3Db%26c and 'x?y=%2Fz' %zz %3"
    assert [text[start:end] for start, end in encoded.percent(text)] == [b"a%3Db%26c", b"x?y=%2Fz"]
    assert encoded.percent(b"nothing") == []
    assert encoded.percent(b"a && b &c=d; x=1&y=2+3 z=%20&y=1") == [(23, 32), (7, 12), (13, 22)]


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
    assert [decoded[:8] for _, _, decoded in encoded.base64(Text(cut))] == ["token=é".encode()]
    assert list(encoded.base64(Text(b"A" * 19))) == []


def test_form_encoded_and_doubly_encoded_words_are_decoded() -> None:
    text = f'password = "zK8.{word(8)}-2" &'
    for raw in (quote_plus(text), quote(quote(text, safe=""), safe=""), "".join(f"%{ord(sign):02x}" for sign in text)):
        assert redact(f"a=b&m={raw}&n=1".encode()).startswith(b"a=b&m="), raw
        assert redact(f"a=b&m={raw}&n=1".encode()).count(b"[REDACTED:generic-quoted]") == 1, raw


KEY = "-----BEGIN PRIVATE KEY-----\n" + "\n".join(word(64) for _ in range(4)) + "\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize("encode", [quote, quote_plus])
def test_a_private_key_is_found_in_a_url(encode: Callable[[str], str]) -> None:
    assert redact(f"key={encode(KEY)}&x".encode()).endswith(
        b"[REDACTED:private-key]" + encode("-----END PRIVATE KEY-----\n").encode() + b"&x"
    )


def test_a_field_of_a_form_ends_where_the_next_begins() -> None:
    assert find(b"x=1&message=the+password+is+wrong&tail=20 ?m=Password%3A%20&tail=20") == []


def test_quoted_printable_is_decoded() -> None:
    raw = quopri.encodestring(f"Hello,\n  {'x' * 60} password = 'zK8.{word(8)}-2' é\nBye".encode())
    assert b"=\n" in raw
    redacted = redact(raw)
    assert redacted.find(b"zK8") < 0 and redacted.startswith(b"Hello,\n  xxx") and redacted.endswith(b"' =C3=A9\nBye")
    assert [raw[start:end] for start, end in encoded.printable(raw)] == [raw[7:-4]]
    mail = f"Content-Transfer-Encoding: quoted-printable\n\n{'x' * 59} {TOKEN[:15]}=\n{TOKEN[15:]}\n".encode()
    assert redact(mail) == mail[: mail.index(TOKEN[:4].encode())] + GONE + b"\n"
    assert list(encoded.printable(b"no equals sign\n")) == []


def wrapped(data: bytes, width: int, before: str = "") -> str:
    """Return base64 in lines."""
    digits = base64.b64encode(data).decode()
    lines = [digits[at : at + width] for at in range(0, len(digits), width)]
    return "\n".join(f"{before.format(number)}{line}" for number, line in enumerate(lines, 1))


LONG = f"# the settings of the service\nregion: eu-west-1\n{TEXT}\n# é, and so on: until the end of the file\n".encode()


@pytest.mark.parametrize("width", [60, 64, 70, 76])
@pytest.mark.parametrize("before", ["", "+", "-", "{:6}→", "{}\t", "app.b64:{}:", "    ", "> "])
def test_base64_over_several_lines_goes_as_a_whole(width: int, before: str) -> None:
    for tail in ("\n", "\ndone\n", "\n-----\n"):
        for pad in range(0, width, 7):
            text = wrapped(LONG + b"." * pad, width, before) + tail
            redacted = redact(text.encode()).decode()
            assert redacted.count("[REDACTED:github-token]") == 1
            assert redacted.strip() in (
                f"{before.format(1)}[REDACTED:github-token]{tail}".strip(),
                f"{before.format(1)}[REDACTED:github-token]".strip(),
            )


def test_lines_of_base64_that_are_no_whole_are_decoded_one_by_one() -> None:
    lines = [base64.b64encode(f"{number} is: {TEXT}".encode()).decode().rstrip("=") for number in range(3)]
    assert len(lines[0]) % 4
    assert redact("\n".join(lines).encode()) == b"\n".join([GONE] * 3)


def test_base64_of_utf_16_is_decoded() -> None:
    for text in (TEXT, "\ufeff" + TEXT):
        raw = base64.b64encode(text.encode("utf-16-le")).decode()
        assert redact(f"powershell -EncodedCommand {raw}\n".encode()) == b"powershell -EncodedCommand " + GONE + b"\n"


def zstandard(data: bytes) -> bytes:
    packed: bytes = pytest.importorskip("compression.zstd").compress(data)
    return packed


ZLIB = [partial(zlib.compress, level=level) for level in (0, 1, 5, 6, 9)]
LZMA = partial(lzma.compress, format=lzma.FORMAT_ALONE)


@pytest.mark.parametrize("compress", [gzip.compress, *ZLIB, bz2.compress, lzma.compress, LZMA, zstandard])
def test_base64_of_compressed_text_is_decoded(compress: Callable[[bytes], bytes]) -> None:
    packed = compress(LONG)
    for data in (packed, packed[:-8], packed + b"more"):
        if compress is not bz2.compress or data != packed[:-8]:  # all of it is one block
            assert redact(f"data: {base64.b64encode(data).decode()} end".encode()) == b"data: " + GONE + b" end"
    assert redact(f"data: {wrapped(packed, 76)}\nend".encode()) == b"data: " + GONE + b"\nend"
    url = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    assert redact(f"?state={url}&x=1".encode()) == b"?state=" + GONE + b"&x=1"
    broken = base64.b64encode(packed[:10] + b"\xff" * 40)
    assert redact(broken) == broken


@pytest.mark.parametrize("compress", [gzip.compress, zlib.compress, bz2.compress, lzma.compress, zstandard])
def test_of_what_is_compressed_only_as_much_is_unpacked_as_a_text_may_be(compress: Callable[[bytes], bytes]) -> None:
    bomb = base64.b64encode(compress(b"a" * 8_000_000))
    ((_, _, unpacked),) = encoded.base64(Text(bomb))
    assert len(unpacked) <= min(24 * len(bomb), 1 << 22)
    assert list(encoded.base64(Text(bomb), packed=False)) == []


def test_what_text_begins_with_in_base64_is_what_decodes_to_text() -> None:
    firsts = {
        base64.b64encode(bytes((byte,)))[0] for byte in range(256) if encoded._is_text(bytes((byte, 0x61, 0x61, 0x61)))
    }
    others = {base64.b64encode(bytes((byte, 0x80, 0x80, 0x80)))[0] for byte in range(0xC2, 0xF5)}
    assert firsts | others | set(b"-_") == encoded._OF_TEXT
