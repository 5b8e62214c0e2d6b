"""Cutting transcripts into parts and joining them; shortening single records; reading from any place."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from entire.agents import transcripts
from entire.agents.claude_code.agent import ClaudeCode
from entire.model.times import parse_time
from tests.agents.claude_code import oracle

LIMIT = 100


def line_of(size: int) -> bytes:
    """Return one JSON line of ``size`` bytes with its newline."""
    return b'{"a":"' + b"x" * (size - 9) + b'"}\n'


@pytest.mark.parametrize("end", [b"\n", b""])
@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT, LIMIT + 1])
@pytest.mark.parametrize("head", [b"", b"{}\n", b"\n\n\n", b'{"b":1}\n' * 30])
def test_round_trip_around_the_limit(head: bytes, size: int, end: bytes) -> None:
    agent = ClaudeCode()
    whole = (head + line_of(40) + line_of(size - 40)).removesuffix(b"\n") + end
    parts = agent.chunk_transcript(whole, LIMIT)
    assert agent.reassemble_transcript(parts) == whole
    assert all(len(part) <= LIMIT for part in parts)
    assert (len(parts) == 1) is (len(whole) <= LIMIT)


lines = st.lists(st.binary(max_size=90).map(lambda line: line.replace(b"\n", b"")), max_size=12)


@given(lines, st.booleans(), st.integers(92, 300))
@example([b"", b"", b""], True, 92)
def test_any_lines_come_back(content: list[bytes], newline: bool, limit: int) -> None:
    whole = b"\n".join(content) + (b"\n" if newline and content else b"")
    parts = transcripts.chunk(whole, limit)
    assert transcripts.join(parts) == whole
    for number, part in enumerate(parts):
        inner = number < len(parts) - 1
        assert len(part) + inner <= limit
    for part in parts[:-1]:
        assert part + b"\n" in whole or not part


def test_an_oversized_line_is_cut_inside_its_record() -> None:
    record = {"uuid": "u", "toolUseResult": {"stdout": "é" * 5000, "n": [1, 2]}, "small": "kept"}
    for ensure_ascii in (True, False):
        big = json.dumps(record, ensure_ascii=ensure_ascii).encode()
        for whole in (b"{}\n" + big + b'\n{"z":1}\n', b"{}\n" + big, b"{}\n" + big + b"\n", big):
            parts = transcripts.chunk(whole, 1000)
            assert all(len(part) <= 1000 for part in parts)
            joined = transcripts.join(parts)
            assert joined.count(b"\n") == whole.count(b"\n")
            assert joined.endswith(b"\n") is whole.endswith(b"\n")
            cut = next(json.loads(line) for line in joined.splitlines() if b"uuid" in line)
            assert (cut["uuid"], cut["small"], cut["toolUseResult"]["n"]) == ("u", "kept", [1, 2])
            assert cut["toolUseResult"]["stdout"].startswith("é" * 50)
            assert "[cut: " in cut["toolUseResult"]["stdout"]


def test_a_line_that_cannot_be_shortened_leaves_a_mark() -> None:
    for line in (b"\x00" * 5000, json.dumps(list(range(2000))).encode(), b'{"open": "' + b"x" * 5000):
        parts = transcripts.chunk(b"{}\n" + line + b"\n{}\n", 200)
        assert [json.loads(part) for part in parts] == [{}, {"type": "cut", "bytes": len(line)}, {}]


texts = st.text(max_size=60) | st.text(alphabet='\\"é😀\n\u2028x', max_size=200)
json_values = st.recursive(
    texts | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
)


@given(json_values, st.booleans(), st.integers(1, 40), st.lists(st.integers(1, 30), min_size=1))
def test_shortened_json_is_json(value: object, ensure_ascii: bool, keep: int, sizes: list[int]) -> None:
    data = json.dumps(value, ensure_ascii=ensure_ascii).encode("utf-8", "replace")
    shortener, at, turn = transcripts.Shortener(keep), 0, 0
    while at < len(data):
        size = sizes[turn % len(sizes)]
        shortener.feed(data[at : at + size])
        at, turn = at + size, turn + 1
    short = shortener.result()
    found = json.loads(short.decode())  # strict UTF-8: no character is cut
    assert type(found) is type(value)
    if b"[cut: " not in short:
        assert short == data
    json.dumps(found, ensure_ascii=False).encode()  # no half of a surrogate pair


@given(texts.filter(lambda text: len(json.dumps(text)) > 60), st.integers(8, 30))
def test_what_is_kept_is_a_beginning(text: str, keep: int) -> None:
    shortener = transcripts.Shortener(keep)
    shortener.feed(json.dumps({"k": text}).encode())
    kept = json.loads(shortener.result())["k"]
    assert text.startswith(kept.partition("... [cut: ")[0])


def test_long_lines_are_read_shortened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "MAX_LINE", 50)
    monkeypatch.setattr(transcripts, "KEEP", 10)
    path = tmp_path / "t"
    records = [{"a": "x" * size, "b": size} for size in range(0, 200, 7)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    ends = []
    for record, (line, end) in zip(records, transcripts.lines(str(path)), strict=True):
        found = json.loads(line)
        assert found["b"] == record["b"]
        assert line.endswith(b"\n")
        ends.append(end)
    whole = path.read_bytes()
    assert ends == [at + 1 for at, byte in enumerate(whole) if byte == 10]


def test_searching_over_block_borders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "_BLOCK", 8)
    path = tmp_path / "t"
    for at in range(40):
        path.write_bytes(b"." * at + b"needle" + b"." * 20)
        assert transcripts.contains(str(path), (b"other", b"needle"), at + 6)
        assert not transcripts.contains(str(path), (b"needle",), at + 5)


@given(st.lists(st.sampled_from([b"", b"a", b"bb"]), max_size=30), st.integers(0, 35))
def test_offsets_by_counting(tmp_path_factory: pytest.TempPathFactory, content: list[bytes], count: int) -> None:
    path = tmp_path_factory.mktemp("count") / "t"
    data = b"".join(line + b"\n" for line in content)
    path.write_bytes(data)
    offset, found = transcripts.offset_of(str(path), count)
    assert found == min(count, len(content))
    assert data[:offset].count(b"\n") == found
    assert offset == 0 or data[offset - 1 : offset] == b"\n"


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=12))
def test_lines_backwards(tmp_path_factory: pytest.TempPathFactory, content: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("back") / "t"
    data = b"\n".join(content)
    path.write_bytes(data)
    assert list(transcripts.last_lines(str(path), len(data), 1 << 20)) == data.split(b"\n")[::-1]


def test_lines_backwards_in_a_long_file(tmp_path: Path) -> None:
    path = tmp_path / "t"
    content = [b"%d" % number + b"x" * (number % 300) for number in range(5000)]
    path.write_bytes(b"\n".join(content))
    found = list(transcripts.last_lines(str(path), path.stat().st_size, 4 << 20))
    assert found == content[::-1]


@given(st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1)), st.integers(-14 * 4, 14 * 4))
def test_times(moment: datetime, quarters: int) -> None:
    for zone in (UTC, timezone(timedelta(minutes=15 * quarters))):
        there = moment.replace(tzinfo=zone)
        for text in (there.isoformat(), there.isoformat(timespec="milliseconds")):
            wanted = datetime.fromisoformat(text).timestamp()
            assert parse_time(text) == pytest.approx(wanted, abs=1e-4)
            assert parse_time(text.replace("+00:00", "Z")) == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize(
    "text", ["", "x", None, 5, "2026-11-21", "2026-11-21T05:56", "20xx-11-21T05:56:28Z", "2026-11-21T05:56:28+"]
)
def test_times_that_are_none(text: object) -> None:
    assert parse_time(text) in (
        0.0,
        parse_time("2026-11-21T05:56:28Z") if text and "+" in str(text) else 0.0,
    )


def test_captured_transcripts_come_back_from_parts() -> None:
    agent = ClaudeCode()
    for name in oracle.transcripts():
        whole = Path(oracle.path_of(name)).read_bytes()
        longest = max(map(len, whole.splitlines(keepends=True)))
        for limit in (longest, longest + 1, 20_000, len(whole) - 1, len(whole)):
            if limit >= longest:
                assert agent.reassemble_transcript(agent.chunk_transcript(whole, limit)) == whole
    assert agent.reassemble_transcript([]) == b""
