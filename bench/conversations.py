"""A repository with many stored conversations, made through the store itself: no hook is played."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from entire.git import refs
from entire.git.write import ImportStream
from entire.index import database, search
from entire.model.findings import SearchRequest
from entire.model.ids import CheckpointId
from entire.model.records import SessionRecord
from entire.model.times import parse_time
from entire.redact import trusted
from entire.store import checkpoint_writer, checkpoints

MESSAGES = 200_000
MESSAGES_A_SESSION = 1_000
CHECKPOINTS_A_SESSION = 4
"""Checkpoints that hold a session, each with more of it."""
_WORDS = ("deploy", "retry timeout", '"the build"', "parse_config", "the", "of a -to", "nothing_like_this",
          "conf*", "retry conf*", "par*", "c*", "t*", "co*")  # fmt: skip
_FILTERS: dict[str, dict[str, Any]] = {
    "--session": {"session": "00000000"},
    "--failed": {"failed": True},  # no call has failed: each text with the word would have to be looked at
    "--tool": {"tool": "bash"},
    "--agent": {"agent": "claude"},
    "--branch": {"branch": "main"},
    "--file": {"file": "src/file0.py"},
    "--kind": {"kinds": ("output",)},
    "--since": {"since": "2026-01-13T00:00:00Z"},
    "--until": {"until": "2026-01-04T00:00:00Z"},
}
QUERIES = {
    **{query: SearchRequest(query=query) for query in _WORDS},
    **{
        f"{word} {name}": SearchRequest(query=word, **given)
        for name, given in _FILTERS.items()
        for word in ("the", "conf*", "c*", "t*")
    },
}
"""What is asked, by what a person types: words, prefixes, and very common ones with each filter."""
_WHO = "Bench <bench@example.com> 1767225600 +0000"
_START = 1_767_225_600
_COMMON = ("the", "to", "a", "of", "in", "build", "retry", "timeout", "deploy", "config", "parse_config", "test")


def fill(top: Path, messages: int) -> int:
    """Store sessions with about so many prompts, answers, calls and outputs; return how many they have in all."""
    source = random.Random(1)
    vocabulary = [*_COMMON, *(_name(source) for _ in range(20_000))]
    stream = ImportStream(str(top))
    changes = {}
    count = max(1, messages // MESSAGES_A_SESSION)
    for number in range(count):
        lines = list(_transcript(number, source, vocabulary))
        for part in range(1, CHECKPOINTS_A_SESSION + 1):
            held = b"".join(lines[: len(lines) * part // CHECKPOINTS_A_SESSION])
            slot = _slot(number, part, held)
            for path, entry in checkpoint_writer.compose([slot]).items():
                assert entry is not None
                changes[path] = (entry[0], stream.blob(entry[1]) if isinstance(entry[1], bytes) else entry[1])
    mark = stream.commit(message=b"Conversations", author=_WHO, changes=changes)
    refs.move(str(top), [refs.RefMove(ref=checkpoints.LOCAL_REF, new=stream.write()[mark], old="")])
    return count * MESSAGES_A_SESSION


def answer_time(folder: Path, request: SearchRequest, repeat: int) -> float:
    """Return the shortest time in seconds in which an index in a folder answers a query."""
    times = []
    for _ in range(repeat):
        with closing(database.connect(str(folder / database.NAME))) as db:
            search.find(db, SearchRequest(query="nothing"))  # reads the schema
            start = time.perf_counter()
            search.find(db, request, since=parse_time(request.since), until=parse_time(request.until))
            times.append(time.perf_counter() - start)
    return min(times)


def _slot(number: int, part: int, held: bytes) -> checkpoint_writer.SlotContent:
    """Return a session in its n-th checkpoint, as the store writes it: all but the last line are shared parts."""
    record = SessionRecord(
        checkpoint_id=CheckpointId(f"{number * 100 + part:012x}"[::-1]),
        session_id=f"{number:08x}-0000-4000-8000-000000000000",
        strategy="manual-commit",
        created_at=_stamp(number, part * MESSAGES_A_SESSION),
        branch="main",
        agent="Claude Code",
        files_touched=(f"src/file{number}.py",),
    )
    return checkpoint_writer.SlotContent(record=record, parts=(trusted(held),))


def _transcript(number: int, source: random.Random, vocabulary: list[str]) -> Iterator[bytes]:
    """Yield the records of a session: a prompt, an answer, a call and its output, and so on."""
    parent = None
    for at in range(MESSAGES_A_SESSION):
        name = f"{number:08x}-{at:08x}"
        record = {
            "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/home/bench/repo",
            "sessionId": f"{number:08x}", "version": "2.1.0", "uuid": name, "timestamp": _stamp(number, at),
            **_message(at, name, source, vocabulary),
        }  # fmt: skip
        parent = name
        yield json.dumps(record).encode() + b"\n"


def _message(at: int, name: str, source: random.Random, vocabulary: list[str]) -> dict[str, Any]:
    def words(most: int) -> str:
        chosen = (min(int(source.paretovariate(0.5)) - 1, len(vocabulary) - 1) for _ in range(source.randint(3, most)))
        return " ".join(vocabulary[index] for index in chosen)

    usage = {"input_tokens": 5, "output_tokens": 9}
    if at % 4 == 0:
        return {"type": "user", "message": {"role": "user", "content": words(20)}}
    if at % 4 == 3:
        before = f"t{name[:9]}{at - 1:08x}"
        block = {"type": "tool_result", "tool_use_id": before, "content": words(90)}
        return {"type": "user", "message": {"role": "user", "content": [block]}}
    block = {"type": "text", "text": words(60)}
    if at % 4 == 2:
        block = {"type": "tool_use", "id": f"t{name}", "name": "Bash", "input": {"command": words(12)}}  # type: ignore[dict-item]
    body = {"id": f"m{name}", "role": "assistant", "content": [block], "usage": usage}
    return {"type": "assistant", "message": body}


def _name(source: random.Random) -> str:
    """Return an identifier: a word, some in snake_case, some in camelCase."""
    parts = ["".join(source.choices("abcdefghijklmnoprstuvwy", k=source.randint(3, 8))) for _ in range(2)]
    return source.choice((parts[0], "_".join(parts), parts[0] + parts[1].title(), parts[1]))


def _stamp(number: int, seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_START + number * 7200 + seconds))
