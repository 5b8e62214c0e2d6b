"""Builds a long file whose every commit has a checkpoint of its own, for ``why`` and ``blame``."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from bench.worlds import BRANCH, World

PATH = "big.py"
_WHO = "Bench <bench@example.com> 1767225600 +0000"
_WORDS = "alpha beta gamma delta omega kappa sigma theta value index result config".split()


def build(world: World, commits: int, lines: int) -> None:
    """Add ``commits`` that lead to ``lines`` lines, each linked to a copy of HEAD's checkpoint that describes it."""
    known = world.linked()
    folder = f"{known[:2]}/{known[2:]}"
    names = world.git("ls-tree", "-r", "--name-only", BRANCH, folder + "/").split()
    contents = {name.removeprefix(folder + "/"): world.git("show", f"{BRANCH}:{name}") for name in names}
    start = world.git("rev-parse", "HEAD").strip()
    changes = list(_changes(random.Random(1), commits, lines))
    ids = [f"{number * 0x9E3779B97F4A % (1 << 48):012x}" for number in range(1, commits + 1)]
    stream = "".join(_commit(start if not n else "", ids[n], text) for n, (text, _) in enumerate(changes))
    world.git("fast-import", "--quiet", "--force", stdin=stream.encode())
    oids = world.git("rev-list", "--reverse", f"{start}..main").split()
    tip = world.git("rev-parse", BRANCH).strip()
    parts = [_checkpoint(contents, known, ids[n], oid, changes[n][1]) for n, oid in enumerate(oids)]
    message = f"commit refs/heads/{BRANCH}\ncommitter {_WHO}\ndata 0\nfrom {tip}\n"
    world.git("fast-import", "--quiet", "--force", stdin=(message + "".join(parts)).encode())
    world.git("read-tree", "--reset", "-u", "HEAD")
    world.git("repack", "-adq")


def _changes(chance: random.Random, commits: int, lines: int) -> Iterator[tuple[str, list[list[int]]]]:
    """Yield the file's text after each commit, and the ranges of lines that the commit added."""
    text = [_line(chance) for _ in range(lines * 4 // 5)]
    yield "".join(text), [[1, len(text)]]
    for number in range(1, commits):
        at, size = chance.randrange(len(text)), max(1, (lines - len(text)) // (commits - number))
        text[at:at] = [_line(chance) for _ in range(size)]
        yield "".join(text), [[at + 1, at + size]]


def _line(chance: random.Random) -> str:
    words = " ".join(chance.choice(_WORDS) for _ in range(chance.randint(2, 7)))
    return f"    {words} = {chance.getrandbits(40)}\n"


def _commit(start: str, checkpoint: str, text: str) -> str:
    message = f"Change\n\nEntire-Checkpoint: {checkpoint}\n"
    parent = f"from {start}\n" if start else ""
    return (f"commit refs/heads/main\ncommitter {_WHO}\ndata {len(message)}\n{message}{parent}"
            f"M 100644 inline {PATH}\ndata {len(text)}\n{text}\n")  # fmt: skip


def _checkpoint(contents: dict[str, str], known: str, checkpoint: str, oid: str, added: list[list[int]]) -> str:
    out = []
    for name, data in contents.items():
        copy = data.replace(known, checkpoint).replace(f"{known[:2]}/{known[2:]}", f"{checkpoint[:2]}/{checkpoint[2:]}")
        if name == "lineage.json":
            record = json.loads(copy)
            session, turns = next(iter(record["turns"].items()))
            owner = f"{session}/{turns[-1]['turn']}"
            record["commits"] = [{**record["commits"][0], "commit": oid}]
            record["files"] = {PATH: {"status": "M", "added": [[*span, owner] for span in added]}}
            copy = json.dumps(record)
        path = f"{checkpoint[:2]}/{checkpoint[2:]}/{name}"
        out.append(f"M 100644 inline {path}\ndata {len(copy.encode())}\n{copy}\n")
    return "".join(out)
