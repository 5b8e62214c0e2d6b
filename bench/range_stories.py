"""A repository whose last commits have many checkpoints, each with the long conversations of several sessions."""

from __future__ import annotations

import math
import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from bench.transcripts import ClaudeCode
from entire.model.ids import CheckpointId
from entire.model.records import SessionRecord
from entire.store import checkpoint_writer, checkpoints

COMMITS, TOLD_COMMITS, CHECKPOINTS, SESSIONS = 70, 20, 70, 100
"""All commits; those of which the story is told, which have all checkpoints; the checkpoints, and their sessions."""
_SMALLEST, _LARGEST = 1_000_000, 8_000_000
"""Bytes of a transcript in a checkpoint."""
_TURNS_KEPT = 400  # of which all conversations are made
_COMMANDS = (
    "cd /home/bench/repo && python -m pytest -q tests/test_{0}.py 2>&1 | tail -20",
    "git status --short && git diff --stat -- 'src/{0}.py'",
    "grep -rn \"def {0}\" src/ --include='*.py' | head -n 20",
    "sed -i 's/old_{0}/new_{0}/g' src/{0}.py && echo \"$(wc -l < src/{0}.py) lines\"",
    'for name in a b c; do test -f "src/$name.py" || (echo "no $name" >&2); done',
    "cat <<'END' > notes/{0}.md\n# {0}\n\nIt's \"done\", more or less; see the tests (and the log).\nEND",
    "npm run build --silent && node scripts/check.js --only={0} | tee /tmp/{0}.log",
)
_FOREIGN = b"wun"
"""A syllable of many words and of no name in a record: each session has another in its place, so that most of its texts
are its own."""
_WHO = "Bench <bench@example.com> {0} +0000"
_START = 1_767_225_600


def fill(top: Path, divide: int = 1) -> int:
    """Commit, and store the checkpoints; return how many transcripts they hold. ``divide``: for fewer sessions."""
    source = random.Random(1)
    turns = _turns(source)
    argv = ["git", "-c", "core.compression=1", "fast-import", "--quiet", "--force"]
    with subprocess.Popen(argv, cwd=top, stdin=subprocess.PIPE) as git:
        assert git.stdin is not None
        marks = 0
        slots: dict[int, list[checkpoint_writer.SlotContent]] = {}
        for number in range(max(1, SESSIONS // divide)):
            for at, record, data in _session(number, turns, source):
                marks += 1
                git.stdin.write(b"blob\nmark :%d\ndata %d\n" % (marks, len(data)) + data + b"\n")
                slots.setdefault(at, []).append(checkpoint_writer.SlotContent(record=record, parts=(f":{marks}",)))
        git.stdin.writelines(_checkpoints(slots))
        git.stdin.writelines(_commits(sorted(slots)))
    subprocess.run(["git", "read-tree", "--reset", "-u", "main"], cwd=top, check=True)
    return marks


def _checkpoints(slots: dict[int, list[checkpoint_writer.SlotContent]]) -> Iterator[bytes]:
    yield f"commit {checkpoints.LOCAL_REF}\ncommitter {_WHO.format(_START)}\ndata 0\n".encode()
    for at in sorted(slots):
        for path, entry in checkpoint_writer.compose(slots[at]).items():
            assert entry is not None
            mode, content = entry
            if isinstance(content, bytes):
                yield f"M {mode} inline {path}\ndata {len(content)}\n".encode() + content + b"\n"
            else:
                yield f"M {mode} {content} {path}\n".encode()


def _session(
    number: int, turns: list[list[bytes]], source: random.Random
) -> Iterator[tuple[int, SessionRecord, bytes]]:
    """Yield the number of each checkpoint that holds a session, its record there, and its transcript so far."""
    session_id = f"{number:08x}-0000-4000-8000-{number:012x}"
    size = int(_SMALLEST * math.exp(source.random() * math.log(_LARGEST / _SMALLEST)))
    states = 3 + (number % 10 < 3)
    first = number * (CHECKPOINTS - states) // max(1, SESSIONS - 1)
    own = bytes(source.choices(b"abcdefghijklmnopqrstuvwxyz", k=5))
    lines: list[bytes] = []
    parent = b"null"
    held, done, start = 0, 0, 0
    for turn in source.sample(turns, len(turns)):
        lines += [turn[0].replace(b'"parentUuid": null', b'"parentUuid": ' + parent), *turn[1:]]
        parent = turn[-1][turn[-1].index(b'"uuid": ') + 8 :].partition(b",")[0]
        held += sum(map(len, turn))
        if held >= _SMALLEST + (size - _SMALLEST) * (done + 1) // states:
            data = b"".join(lines).replace(b"SESSION", session_id.encode()).replace(_FOREIGN, own)
            at = first + done
            record = SessionRecord(
                checkpoint_id=_checkpoint(at), session_id=session_id, strategy="manual-commit",
                created_at=_stamp(at), branch="main", agent="Claude Code", files_touched=(f"src/file{at}.py",),
                checkpoint_transcript_start=start,
            )  # fmt: skip
            yield at, record, data
            start, done = len(lines), done + 1
        if done == states:
            return


def _turns(source: random.Random) -> list[list[bytes]]:
    """Return the records of turns, each of which starts without a parent."""
    writer = ClaudeCode("SESSION", "/home/bench/repo", seed=1)
    found = []
    for number in range(_TURNS_KEPT):
        writer.start_again()
        records = [writer.prompt(f"Please make {writer.words(25)}", f"p{number}")]
        for _ in range(source.randint(3, 9)):
            name = writer.words(1)
            records += writer.work(source.randint(3_000, 15_000))
            for command in source.sample(_COMMANDS, source.randint(1, 4)):
                records.append(writer.shell(command.format(name), "\n".join(writer.words(9) for _ in range(20))))
            old, new = ("\n".join(f"    {writer.words(6)}" for _ in range(6)) for _ in range(2))
            records.append(writer.edit(f"/home/bench/repo/src/file{number % 70}.py", old, new))
        records.append(writer.answer(writer.words(120)))
        found.append(b"".join(records).splitlines(keepends=True))
    return found


def _commits(numbers: list[int]) -> Iterator[bytes]:
    """Yield the commits of main: first without checkpoints, then with several each."""
    told = COMMITS - TOLD_COMMITS
    for number in range(COMMITS):
        own = [at for at in numbers if number >= told and at * TOLD_COMMITS // CHECKPOINTS == number - told]
        message = f"Change {number}\n" + "".join(f"\nEntire-Checkpoint: {_checkpoint(at)}" for at in own) + "\n"
        who = _WHO.format(_START + number * 3600)
        yield f"commit refs/heads/main\ncommitter {who}\ndata {len(message)}\n{message}".encode()
        for at in own or [number]:
            text = "".join(f"    {line} {number}\n" for line in range(200))
            yield f"M 100644 inline src/file{at}.py\ndata {len(text)}\n{text}\n".encode()


def _checkpoint(number: int) -> CheckpointId:
    return CheckpointId(f"{number + 1:012x}"[::-1])


def _stamp(number: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_START + number * 3600))
