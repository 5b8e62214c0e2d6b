"""Measures redaction: MB/s of each tier on a clean transcript, and the time for up to 50 KB in a new process.

Run ``python bench/redaction.py [--json] [MB]`` (100 MB by default). ``python -m bench redaction`` calls it. With
``--floor FILE`` it prints the seconds that zlib and redaction take for a file, with ``--dense`` those for texts that
are full of secrets.
"""

from __future__ import annotations

import gc
import json
import os
import random
import string
import subprocess
import sys
import tempfile
import time
import zlib

from entire.redact import Redactor, Sources
from entire_secrets import engine, keyword_search, replacing
from entire_secrets.reading import views
from entire_secrets.text import LINE_END

COLD = """
import json, sys, time
data = open(sys.argv[1], "rb").read()
start = time.perf_counter()
from entire_secrets import literals
from entire.redact import Redactor
imported = time.perf_counter()
redact_jsonl = Redactor().redact_jsonl
if sys.argv[2] == "pure":
    literals.COMPILED_FROM = 1 << 60
same = redact_jsonl(data) == data
done = time.perf_counter()
redact_jsonl(data)
print(json.dumps([imported - start, done - imported, time.perf_counter() - done, same]))
"""


def transcript(size: int) -> bytes:
    """Return a transcript without secrets, as Claude Code writes it: answers with token counts, tool calls, results."""
    lines: list[bytes] = []
    total = number = 0
    while total < size:
        number += 1
        ids = {"uuid": f"db40ea7b-651e-464a-8f9b-{number:012x}", "sessionId": "04b82098"}
        text = f"Step {number}: read the parser, keep the token stream, see https://example.com/doc/{number}.\n"
        usage = {
            "input_tokens": number,
            "cache_creation_input_tokens": 7,
            "cache_read_input_tokens": 9,
            "output_tokens": 3,
        }
        code = (
            "def load(path: str, password: str | None = None) -> Config:\n    return Config(path, password=password)\n"
        )
        tool = {"type": "tool_use", "id": f"toolu_{number:024x}", "input": {"file_path": "/home/dev/project/a.py"}}
        result = {"type": "tool_result", "tool_use_id": tool["id"], "content": code + text * 12}
        message = {"role": "assistant", "content": [{"type": "text", "text": text * 4}, tool], "usage": usage}
        lines.append(json.dumps({**ids, "type": "assistant", "message": message}).encode())
        lines.append(json.dumps({**ids, "type": "user", "message": {"role": "user", "content": [result]}}).encode())
        total += len(lines[-1]) + len(lines[-2]) + 2
    return b"\n".join(lines) + b"\n"


def rates(data: bytes) -> dict[str, float]:
    """Return MB/s of each tier and of the function that the store calls."""
    compiled = keyword_search.compiled_tier()
    tiers = {"pure": keyword_search.PURE, **({"compiled": compiled} if compiled else {})}
    found: dict[str, float] = {}
    for name, tier in tiers.items():
        for _ in range(3):  # the fastest run counts
            start = time.perf_counter()
            for at in range(0, len(data), replacing.BLOCK):
                block = data[at : at + replacing.BLOCK]
                engine.scan(views.plain(block.replace(b"\n", LINE_END)), tier=tier)
            found[name] = max(found.get(name, 0.0), len(data) / (time.perf_counter() - start) / 1e6)
    for _ in range(3):
        start = time.perf_counter()
        assert Redactor().redact_jsonl(data) == data
        found["redact_jsonl"] = max(found.get("redact_jsonl", 0.0), len(data) / (time.perf_counter() - start) / 1e6)
    return found


def secrets(count: int, size: int, form: str) -> bytes:
    """Return JSON lines of ``size`` bytes with ``count`` secrets, ten a line: GitHub's tokens, or rows with hashes."""
    chosen = random.Random(count)
    letters = string.ascii_letters + string.digits
    rows = []
    for number in range(count):
        token = "".join(chosen.choices(letters, k=53))
        hashed = f"{number} | u{number}@a.test | $2b$12${token}"
        row = f"ghp_{token[:36]} of run {number}" if form == "tokens" else hashed
        rows.append(f"{row} ".ljust(size // count - 4, "."))
    lines = [json.dumps({"type": "user", "text": "\n".join(rows[at : at + 10])}) for at in range(0, count, 10)]
    return "\n".join(lines).encode() + b"\n"


def dense() -> dict[str, float]:
    """Return the seconds of processor time for texts that are full of secrets: cost by byte, not by finding."""
    gc.disable()  # as hooks do
    found = {}
    for name, data in {"10,000 tokens": secrets(10_000, 5_000_000, "tokens"),
                       "bcrypt": secrets(15_000, 1_500_000, "hashes")}.items():  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            redactor = Redactor(Sources(memory=os.path.join(folder, "known")))
            start = time.process_time()
            redactor.redact_jsonl(data)
            found[name] = time.process_time() - start
    return found


def floor(path: str) -> tuple[float, float]:
    """Return the seconds in which zlib compresses a file and in which it is redacted, each in blocks of lines."""
    with open(path, "rb") as file:
        blocks = list(iter(lambda: b"".join(file.readlines(2 << 20)), b""))
    start = time.perf_counter()
    for block in blocks:
        zlib.compress(block)
    compressed, redactor = time.perf_counter(), Redactor()
    for block in blocks:
        redactor.redact_jsonl(block)
    return compressed - start, time.perf_counter() - compressed


def main() -> None:
    """Print the figures."""
    if sys.argv[1:2] == ["--floor"]:
        print(json.dumps(floor(sys.argv[2])))
        return
    if sys.argv[1:2] == ["--dense"]:
        print(json.dumps(dense()))
        return
    words = [word for word in sys.argv[1:] if word != "--json"]
    data = transcript(int(words[0] if words else 100) * 1_000_000)
    if "--json" in sys.argv:
        print(json.dumps(rates(data)))
        return
    for name, rate in rates(data).items():
        print(f"{name:16}{rate:8.0f} MB/s  ({len(data) / 1e6:.0f} MB)")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "full.jsonl")
        for kilobytes in (1, 8, 16, 50):
            with open(path, "wb") as file:
                file.write(data[: kilobytes * 1000])
            for tier in ("pure", "auto"):
                runs = [cold(folder, path, tier) for _ in range(10)][1:]  # the first run fills the bytecode cache
                parts = [sorted(run[part] for run in runs)[4] * 1000 for part in range(3)]
                print(
                    "cold {:2} KB {:4}  import {:4.1f} ms, first {:4.1f} ms, again {:4.2f} ms".format(
                        kilobytes, tier, *parts
                    )
                )


def cold(folder: str, path: str, tier: str) -> list[float]:
    """Redact a file in a new process; return the seconds for the import, the first call and the second call."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", COLD, path, tier]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=env | {"PYTHONPYCACHEPREFIX": folder}
    )
    figures: list[float] = json.loads(done.stdout)
    return figures


if __name__ == "__main__":
    main()
