"""Run the benchmarks: ``python -m bench [--json] [--quick] [ROW...]``, or ``python -m bench over-redaction FOLDER...``.

ROW is a name from the table (``turn-end@large``) or half of one (``turn-end``, ``@large``).
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

from bench import installed, over_redaction, results, rows
from bench.processes import Programs


def main() -> int:
    """Measure and print; return 1 on a failure or, with ``--check``, on an exceeded budget."""
    if sys.argv[1:2] == ["over-redaction"]:
        return over_redaction.main(sys.argv[2:])
    options = _arguments()
    found: list[results.Result] = []
    failed: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="entire-bench-")).resolve()
    try:
        bin_folder = options.bin.absolute() if options.bin else installed.private()
        programs = Programs(bin_folder, folder / "home", cpu=options.cpu)
        run = rows.Run(
            programs=programs,
            folder=folder,
            repeat=options.repeat or (3 if options.quick else 15),
            divide=10 if options.quick else 1,
            is_selected=lambda row: _is_selected(row, options.rows),
        )
        for _ in range(5):
            run.start()
        for names, measure in rows.groups():
            if any(map(run.is_selected, names)):
                began = time.monotonic()
                found += [result for result in _measure(measure, run, failed) if run.is_selected(result.row)]
                _report(f"{', '.join(names)}: {time.monotonic() - began:.0f} s")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    _print(options, found, run)
    return 1 if failed or (options.check and not all(result.ok for result in found)) else 0


def _measure(
    measure: Callable[[rows.Run], Iterator[results.Result]], run: rows.Run, failed: list[str]
) -> list[results.Result]:
    """Measure a group; a failure does not stop the others."""
    try:
        return list(measure(run))
    except RuntimeError as error:
        failed.append(str(error))
        _report(f"failed: {error}")
        return []


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="measure only these")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size, few repetitions: under a minute")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/explanation/performance.md")
    parser.add_argument("--repeat", type=int, metavar="N", help="number of repetitions (15; 3 with --quick)")
    parser.add_argument("--bin", type=Path, metavar="FOLDER", help="measure `entire` in this folder, not the wheel")
    parser.add_argument("--cpu", action="store_true", help="measure CPU time instead of wall time (for a busy machine)")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a budget is exceeded")
    options = parser.parse_args()
    names = {name for group, _ in rows.groups() for name in group}
    unknown = [row for row in options.rows if not any(_is_selected(name, [row]) for name in names)]
    if unknown:
        parser.error(f"no such row: {', '.join(unknown)} (the rows are {', '.join(sorted(names))})")
    return options


def _is_selected(row: str, selectors: list[str]) -> bool:
    action, _, kind = row.partition("@")
    return not selectors or any(
        selector in (row, action) or (selector.startswith("@") and selector[1:] == kind) for selector in selectors
    )


def _print(options: argparse.Namespace, found: list[results.Result], run: rows.Run) -> None:
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    machine = {
        "p_ms": round(run.p * 1000, 2),
        "python": platform.python_version(),
        "git": git.removeprefix("git version "),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "repeat": run.repeat,
        "quick": options.quick,
        "time": "cpu" if options.cpu else "clock",
    }
    if options.json:
        print(json.dumps({**machine, "rows": [results.as_json(result) for result in found]}, indent=2))
        return
    versions = f"Python {machine['python']}, git {machine['git']}, {machine['system']}"
    print(f"P = {machine['p_ms']} ms ({machine['time']}); {versions}\n")
    print(results.markdown(found) if options.markdown else results.table(found))


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
