"""Run the mutants: ``python -m tests.mutants [--list] [--json] [--only TEXT] [--workers N] [--seconds N]
[--changed [COMMIT]]``.

Each mutant is put alone into a copy of the tree, and the tests named with it are run; a failing test has noticed it.
Prints a table. The exit code is 1 if a mutant was not noticed and the table gives no reason, or fewer than 90 % were.
With ``--changed`` they are made from the lines of src that differ from a commit, HEAD if none is named: conditions are
negated, `and` and `or` swapped, comparisons and numbers off by one, statements left out. Not all of them matter.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.mutants.table import ROOT, Mutant, changed, load

LEAST = 0.9  # the part that must be noticed
_LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", ".cache", ".*_cache", "__pycache__", "node_modules", "dist", "build"
)
_ALL_PASSED, _SOME_FAILED = 0, 1  # pytest's exit codes


@dataclass(frozen=True)
class Result:
    """What became of one mutant; ``by`` is the test that noticed it, or the reason why none can."""

    name: str
    outcome: str  # "noticed" | "not noticed" | "equal" | "error"
    by: str
    seconds: float


class Copy:
    """A copy of the tree, with an environment in which the installed commands run the copy's sources too."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        shutil.copytree(ROOT, folder, ignore=_LEFT_OUT)
        lib = Path("lib", f"python{sys.version_info.major}.{sys.version_info.minor}", "site-packages")
        theirs, ours = Path(sys.prefix), folder / ".venv"
        for part in ("bin", lib):
            (ours / part).mkdir(parents=True)
            for path in (theirs / part).iterdir():
                (ours / part / path.name).symlink_to(path)
        for copied in (Path("bin/entire"), lib / "_editable_impl_entire.pth"):
            (ours / copied).unlink()
            shutil.copy(theirs / copied, ours / copied)
        shutil.copy(theirs / "pyvenv.cfg", ours)
        (ours / lib / "_editable_impl_entire.pth").write_text(f"{folder / 'src'}\n")
        self._python = ours / "bin" / Path(sys.executable).name
        self._program: subprocess.Popen[str] | None = None

    def pytest(self, *args: str, seconds: float) -> tuple[int, str]:
        """Run tests; a run that takes too long counts as failed."""
        command = [str(self._python), "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *args]
        environment = {**os.environ, "CI": "1", "PYTHONPATH": ""}
        with subprocess.Popen(
            command,
            cwd=self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as self._program:
            try:
                said, _ = self._program.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                self._program.kill()
                return _SOME_FAILED, "FAILED (took too long)"
            except BaseException:
                self.stop()
                raise
        return self._program.returncode, said

    def stop(self) -> None:
        """Let pytest clean up and end, if it runs."""
        if self._program is not None:
            self._program.send_signal(signal.SIGINT)

    def play(self, mutant: Mutant, source: str, seconds: float) -> Result:
        """Run a mutant's tests with its change in place."""
        path, began = mutant.path(self.root), time.monotonic()
        original = path.read_text(encoding="utf-8")
        self._write(path, source)
        try:
            code, said = self.pytest("-n", "0", *mutant.tests, seconds=seconds)
        finally:
            self._write(path, original)
        taken = round(time.monotonic() - began, 1)
        if code == _SOME_FAILED:
            found = re.search(r"^(?:FAILED|ERROR) (?:tests/\S*/)?(.*?)(?: - .*)?$", said, re.MULTILINE)
            by = found[1] if found else ""
            if mutant.equal:
                return Result(mutant.name, "error", f"its reason is wrong: {by} notices it", taken)
            return Result(mutant.name, "noticed", by, taken)
        if code == _ALL_PASSED:
            return Result(mutant.name, "equal" if mutant.equal else "not noticed", mutant.equal, taken)
        return Result(mutant.name, "error", said.strip()[-500:], taken)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        # Two texts of one length within a second look the same to Python's cache.
        Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)


def run(mutants: Sequence[Mutant], folder: Path, workers: int, seconds: float, *, quiet: bool) -> list[Result]:
    """Play mutants in parallel, each worker in its own copy. Raises SystemExit if a test fails without any change."""
    all_copies: list[Copy] = []
    copies: queue.SimpleQueue[Copy] = queue.SimpleQueue()
    sources = {mutant.name: mutant.source() for mutant in mutants}  # a mutant that does not fit fails at once
    for number in range(workers):
        all_copies.append(Copy(folder / str(number)))
        copies.put(all_copies[-1])
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    first = copies.get()
    code, said = first.pytest("-n", str(workers), *tests, seconds=3600.0)
    copies.put(first)
    if code != _ALL_PASSED:
        raise SystemExit(f"the tests fail without any change:\n{said[-3000:]}")

    def play(mutant: Mutant) -> Result:
        copy = copies.get()
        try:
            result = copy.play(mutant, sources[mutant.name], seconds)
        finally:
            copies.put(copy)
        if not quiet:
            print(f"{result.outcome:<12} {result.name:<50} {result.seconds:5.1f} s  {result.by}", flush=True)
        return result

    with ThreadPoolExecutor(workers) as pool:
        try:
            return list(pool.map(play, mutants))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for copy in all_copies:
                copy.stop()
            raise


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--list", action="store_true", help="list the mutants and their tests")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="only names that start with TEXT")
    parser.add_argument("--changed", nargs="?", const="HEAD", metavar="COMMIT", help="of the lines that differ from it")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--seconds", type=float, default=300.0, metavar="N", help="a longer run counts as noticed")
    asked = parser.parse_args()
    found = changed(asked.changed) if asked.changed else load()
    mutants = [mutant for mutant in found if mutant.name.startswith(tuple(asked.only) or "")]
    if asked.list:
        for mutant in mutants:
            print(f"{mutant.name:<50} {mutant.file}: {', '.join(mutant.tests)}")
        return 0
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # so that the copies are removed
    with tempfile.TemporaryDirectory(prefix="entire-mutants-") as folder:
        results = run(mutants, Path(folder).resolve(), asked.workers, asked.seconds, quiet=asked.json)
    noticed = sum(result.outcome == "noticed" for result in results)
    unexplained = [result.name for result in results if result.outcome in ("not noticed", "error")]
    if asked.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
    else:
        print(f"{noticed} of {len(results)} noticed; without a reason: {', '.join(unexplained) or 'none'}")
    return int(bool(unexplained) or noticed < LEAST * len(results))


if __name__ == "__main__":
    sys.exit(main())
