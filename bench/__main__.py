"""Run the benchmarks: ``python -m bench [--json] [--quick] [ROW...]``.

A row is named as the table names it (``turn-end@large``), or by one half of it (``turn-end``, ``@large``).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import installed, results, rows
from bench.processes import Programs


def main() -> int:
    """Measure and print; 1 if something failed, or a budget is not kept and ``--check`` asks for it."""
    asked = _arguments()
    found: list[results.Result] = []
    failed: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="entire-bench-")).resolve()
    try:
        programs = Programs(asked.bin.absolute() if asked.bin else installed.private(), folder / "home", cpu=asked.cpu)
        run = rows.Run(
            programs=programs,
            folder=folder,
            repeat=asked.repeat or (3 if asked.quick else 15),
            divide=10 if asked.quick else 1,
            wanted=lambda row: _is_wanted(row, asked.rows),
        )
        for _ in range(5):
            run.start()
        for names, measure in rows.groups():
            if any(map(run.wanted, names)):
                began = time.monotonic()
                found += [one for one in _measured(measure, run, failed) if run.wanted(one.row)]
                _say(f"{', '.join(names)}: {time.monotonic() - began:.0f} s")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    _print(asked, found, run)
    return 1 if failed or (asked.check and not all(one.ok for one in found)) else 0


def _measured(
    measure: Callable[[rows.Run], Iterator[results.Result]], run: rows.Run, failed: list[str]
) -> list[results.Result]:
    """Measure a group; one that fails does not take the others along."""
    try:
        return list(measure(run))
    except RuntimeError as error:
        failed.append(str(error))
        _say(f"failed: {error}")
        return []


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="measure only these")
    parser.add_argument("--quick", action="store_true", help="a tenth of everything, few repetitions: below a minute")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/explanation/performance.md")
    parser.add_argument("--repeat", type=int, metavar="N", help="how often (15; 3 with --quick)")
    parser.add_argument("--bin", type=Path, metavar="FOLDER", help="measure the entire in this folder, not the wheel")
    parser.add_argument("--cpu", action="store_true", help="count processor time, not the clock: for a busy machine")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a budget is not kept")
    asked = parser.parse_args()
    names = {name for group, _ in rows.groups() for name in group}
    unknown = [row for row in asked.rows if not any(_is_wanted(name, [row]) for name in names)]
    if unknown:
        parser.error(f"no such row: {', '.join(unknown)} (there are {', '.join(sorted(names))})")
    return asked


def _is_wanted(row: str, asked: list[str]) -> bool:
    what, _, where = row.partition("@")
    return not asked or any(one in (row, what) or (one.startswith("@") and one[1:] == where) for one in asked)


def _print(asked: argparse.Namespace, found: list[results.Result], run: rows.Run) -> None:
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    machine = {
        "p_ms": round(run.p * 1000, 2),
        "python": platform.python_version(),
        "git": git.removeprefix("git version "),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "repeat": run.repeat,
        "quick": asked.quick,
        "time": "cpu" if asked.cpu else "clock",
    }
    if asked.json:
        print(json.dumps({**machine, "rows": [results.as_json(one) for one in found]}, indent=2))
        return
    said = f"Python {machine['python']}, git {machine['git']}, {machine['system']}"
    print(f"P = {machine['p_ms']} ms ({machine['time']}); {said}\n")
    print(results.markdown(found) if asked.markdown else results.table(found))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
