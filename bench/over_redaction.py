"""Measures over-redaction: what redaction would replace in ordinary files, for each rule and 10 MB.

Run ``python -m bench over-redaction [--show] FOLDER...`` on sources, logs, lock files or manuals that hold no secret.
Files in binary formats are skipped. With ``--show`` it lists each finding.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from entire.redact import Redactor

UNIT = 10_000_000


def measure(paths: list[Path], *, show: bool = False) -> tuple[int, Counter[str]]:
    """Return the bytes scanned and the findings of each rule in the text files in ``paths``."""
    size, found = 0, Counter[str]()
    for path in _files(paths):
        data = _read(path)
        size += len(data)
        for finding in Redactor().find(data, lines=path.suffix == ".jsonl"):
            found[finding.rule] += 1
            if show:
                line = data.count(b"\n", 0, finding.start) + 1
                print(f"{path}:{line}: {finding.rule} {_around(data, finding.start, finding.end)}")
    return size, found


def main(arguments: list[str]) -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench over-redaction", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="FOLDER", help="a folder or file")
    parser.add_argument("--show", action="store_true", help="list each finding with the text around it")
    options = parser.parse_args(arguments)
    size, found = measure(options.paths, show=options.show)
    for rule, count in found.most_common():
        print(f"{rule:32}{count:8}{count * UNIT / size:10.2f} in 10 MB")
    total = found.total()
    print(f"{'all rules':32}{total:8}{total * UNIT / max(size, 1):10.2f} in 10 MB of {size / 1e6:.1f} MB")
    return 0


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_file():
            yield path
        for base, _, names in os.walk(path):
            yield from (
                file for name in sorted(names) if (file := Path(base, name)).is_file() and not file.is_symlink()
            )


def _read(path: Path) -> bytes:
    """Return the text of a file, unpacked; nothing of a binary one."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError):
            return b""
    return b"" if b"\0" in data[:8192] else data


def _around(data: bytes, start: int, end: int) -> str:
    left = data[max(start - 60, data.rfind(b"\n", 0, start) + 1) : start]
    return f"{left!r} {data[start : min(end, start + 80)]!r} {data[end : end + 20]!r}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
