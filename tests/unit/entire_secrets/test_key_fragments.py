"""Lines of a private key go though neither its beginning nor its end is shown; other wrapped base64 stays."""

from __future__ import annotations

import random
import time
from base64 import b64encode

import pytest

from tests.unit.entire_secrets.built_in import redact_text

DASHES = "-" * 5


def wrapped(count: int, width: int = 64, start: bytes = b"") -> list[str]:
    data = start + random.Random(f"{count} {width}").randbytes(count * width * 3 // 4)
    letters = b64encode(data).decode()
    return [letters[at : at + width] for at in range(0, count * width, width)]


@pytest.mark.parametrize("width", [64, 70])
@pytest.mark.parametrize("before", ["", "+", "    12\N{RIGHTWARDS ARROW}"])
def test_the_middle_of_a_key_goes(width: int, before: str) -> None:
    lines = wrapped(5, width)
    redacted = redact_text("the rest:\n" + "\n".join(before + line for line in lines) + "\nthat is all")
    assert not [line for line in lines if line[8:24] in redacted]
    assert redacted.startswith("the rest:\n") and redacted.endswith("\nthat is all")


@pytest.mark.parametrize("width", [60, 72, 76])
def test_lines_of_another_width_stay(width: int) -> None:
    text = "\n".join(wrapped(6, width))
    assert redact_text(text) == text


@pytest.mark.parametrize("before", ["", "    ", "\t", "| ", '    "'])
def test_more_lines_than_a_key_has_are_a_file(before: str) -> None:
    lines = wrapped(150)
    text = "\n".join(before + line for line in lines)
    started = time.process_time()
    assert redact_text(text) == text
    assert time.process_time() - started < 5  # indentation can be matched in many ways


def test_few_lines_stay() -> None:
    text = "\n".join(wrapped(3))
    assert redact_text(text) == text


@pytest.mark.parametrize("label", ["CERTIFICATE", "PUBLIC KEY", "PGP SIGNATURE"])
@pytest.mark.parametrize("shown", ["beginning", "end"])
def test_what_is_marked_as_something_else_stays(label: str, shown: str) -> None:
    body = "\n".join(wrapped(6))
    marked = {"beginning": f"{DASHES}BEGIN {label}{DASHES}\n{body}\n", "end": f"{body}\n{DASHES}END {label}{DASHES}\n"}
    assert redact_text(marked[shown]) == marked[shown]


@pytest.mark.parametrize("start", [b"\x89PNG\r\n\x1a\n", b"\x1f\x8b\x08\x00", b"\x30\x82\x04\x00", b"%PDF-1.7"])
def test_files_and_certificates_stay(start: bytes) -> None:
    text = "\n".join(wrapped(6, start=start))
    assert redact_text(text) == text


def test_the_middle_of_a_certificate_stays() -> None:
    lines = wrapped(3) + wrapped(4, start=b"\x06\x03\x55\x04\x03")
    text = "\n".join(lines)
    assert redact_text(text) == text
