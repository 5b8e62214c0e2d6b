"""Conversations that are too long for memory are put back, compared, rewound and printed block by block."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.integration import memory
from tests.integration.hostile.test_bounded_reading import ID, SESSION, foreign, record, root
from tests.integration.story import Story

SIZE = 64 << 20
"""Bytes: whoever holds that much has no bound."""
_PART = 2 << 20
_SHOWN = 150 << 20  # what `explain` reads to show it: 48 MB of text


def said(size: int, month: int = 11) -> bytes:
    """Return a transcript of Claude Code of about so many bytes."""
    text = "word " * 40_000
    lines: list[bytes] = []
    for number in range(size // len(text)):
        moment = f"2026-{month}-01T00:{number // 60 % 60:02}:{number % 60:02}"
        lines += (json.dumps(line).encode() + b"\n" for line in (
            {"type": "user", "uuid": f"{month}u{number}", "parentUuid": f"{month}a{number - 1}" if number else None,
             "promptSource": "typed", "timestamp": f"{moment}.000Z",
             "message": {"role": "user", "content": f"prompt {number}"}},
            {"type": "assistant", "uuid": f"{month}a{number}", "parentUuid": f"{month}u{number}",
             "timestamp": f"{moment}.500Z", "message": {"id": f"{month}m{number}", "role": "assistant",
                                                        "content": [{"type": "text", "text": text}]}},
        ))  # fmt: skip
    return b"".join(lines)


def parts(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield a transcript's parts as they are stored, by their names."""
    at = number = 0
    while at < len(data):
        end = data.rfind(b"\n", at, at + _PART) + 1
        name = "0/full.jsonl" + (f".{number:03}" if number else "")
        yield name, data[at:end] if end == len(data) else data[at : end - 1]
        at, number = end, number + 1


def run(story: Story, *args: str, most: int = SIZE) -> bytes:
    done, peak = memory.peak(story, args)
    assert (args, done.returncode) == (args, 0), done.stderr
    assert peak < most, args
    return done.stdout


def test_a_conversation_that_is_too_long_for_memory(story: Story) -> None:
    story.env["ENTIRE_TEST_CLAUDE_PROJECT_DIR"] = str(story.projects)
    own: Path = story.projects / f"{SESSION}.jsonl"
    data = said(SIZE)
    foreign(story, {"metadata.json": json.dumps(root()).encode(), "0/metadata.json": json.dumps(record()).encode(),
                    **dict(parts(data))})  # fmt: skip
    assert run(story, "explain", "-c", ID, "--raw-transcript", most=_SHOWN) == data
    assert b"prompt 334" in run(story, "search", "prompt", most=memory.MOST)
    run(story, "resume", ID, "--force")
    assert own.read_bytes() == data
    with own.open("r+b") as file:  # it went on, and what was said first is no longer what is stored
        file.seek(-1, 2)
        file.write(b"\n" + said(1 << 20, month=12))
    changed = own.read_bytes()
    assert b"cut back" in run(story, "resume", ID, "--force")
    assert own.read_bytes() == data
    run(story, "resume", "--undo")
    assert own.read_bytes() == changed
    run(story, "rewind", "--to", "HEAD", "--force")
    assert own.read_bytes() == data
    run(story, "rewind", "--undo", "--yes")
    assert own.read_bytes() == changed
