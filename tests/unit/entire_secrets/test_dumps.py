"""Dumps of bytes in hex: the lines that hold a secret go, in hex and as they are shown."""

from __future__ import annotations

import json

import pytest

from tests.unit.entire_secrets.built_in import find, redact, redact_jsonl
from tests.unit.entire_secrets.planted_secrets import SECRETS

TOKEN = SECRETS["github-token"][1]
TEXT = f'{{"token": "{TOKEN}", "é": "/a+b?c=d&e"}}'
GONE = b"[REDACTED:github-token]"


def dumped(data: bytes, *, coloned: bool, width: int = 16) -> list[str]:
    """Return the lines of a dump as ``xxd`` prints them, or as ``hexdump -C`` does."""
    lines = []
    for at in range(0, len(data), width):
        part = data[at : at + width]
        shown = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in part)
        if coloned:
            lines.append(f"{at:08x}: {part.hex(' ', -2):<{width * 5 // 2}} {shown}")
        else:
            pairs = f"{part[:8].hex(' '):<23}  {part[8:].hex(' '):<23}"
            lines.append(f"{at:08x}  {pairs}  |{shown}|")
    return lines


@pytest.mark.parametrize("coloned", [True, False])
@pytest.mark.parametrize("before", ["", "+", "{:6}→", "{}\t", "app.hex:{}:"])
def test_of_a_dump_the_lines_with_the_secret_go(coloned: bool, before: str) -> None:
    data = b"# caf\xc3\xa9 <settings> of \\n the service\n" + TEXT.encode() + b"\n# the end of the file, really\n"
    lines = [before.format(number) + line for number, line in enumerate(dumped(data, coloned=coloned), 1)]
    first, last = (data.index(TOKEN.encode()) + at for at in (0, len(TOKEN) - 1))
    gone = lines[first // 16][: len(before.format(first // 16 + 1)) + 10] + GONE.decode()
    wanted = "\n".join([*lines[: first // 16], gone, *lines[last // 16 + 1 :]]) + "\n"
    assert redact("\n".join((*lines, "")).encode()).decode() == wanted
    line = json.dumps({"out": json.dumps({"text": "\n".join((*lines, ""))})}).encode()
    assert json.loads(json.loads(redact_jsonl(line))["out"])["text"] == wanted


def test_dumps_of_other_layouts_are_read() -> None:
    words = TEXT.encode() + b" " * (len(TEXT.encode()) % 2)
    swapped = b"".join(words[at : at + 2][::-1] for at in range(0, len(words), 2))
    for data, width, form in (
        (TEXT.encode(), 32, "{:08x}: {}"),
        (TEXT.encode(), 16, "{:07o} {}"),
        (TEXT.encode(), 16, "0x{:04x}:  {}"),
        (swapped, 16, "{:07x} {}"),
    ):
        group = -1 if "o" in form else -2
        lines = [form.format(at, data[at : at + width].hex(" ", group)) for at in range(0, len(data), width)]
        redacted = redact("\n".join(lines).encode()).replace(b" ", b"")
        assert redacted.count(GONE) == 1 and redacted.count(TOKEN[4:12].encode().hex().encode()) == 0


def test_a_dump_may_begin_in_the_middle_of_a_file() -> None:
    lines = dumped(b"#" * 0x2340 + TEXT.encode(), coloned=True)[0x232:]
    assert lines[0].startswith("00002320:")
    assert redact("\n".join(lines).encode()).count(GONE) == 1


def test_numbers_in_columns_are_no_dump_with_a_secret() -> None:
    rows = b"".join(b"%08d %02d %04d  0x0000: ab cd\n" % (at, at % 60, at * 7) for at in range(300))
    assert find(rows + b"0000 00 00: 0000") == []
    twice = "\n".join(dumped(b"nothing to see here, move on", coloned=True) + dumped(TEXT.encode(), coloned=False))
    assert redact(twice.encode()).count(GONE) == 1


def test_a_line_may_end_in_what_reads_as_a_backslash() -> None:
    data = b'{"key": "first\\nsecond", ' + b" " * 6 + b"\\n" + TEXT.encode()
    lines = dumped(data, coloned=True)
    assert any(line.endswith("\\") for line in lines)
    assert TOKEN[4:12].encode().hex(" ", -2) not in redact("\n".join(lines).encode()).decode()
    assert redact("\n".join(lines).encode()).count(GONE) == 1
