"""How much memory a command takes, measured in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.integration.story import Story

MOST = 300 << 20  # bytes, of any hook or command on anything that is stored
_MEASURED = """if True:
    import sys
    from pathlib import Path
    from resource import RUSAGE_SELF, getrusage
    from entire.cli import main
    status = main(sys.argv[2:])
    most = getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    if (own := Path("/proc/self/status")).exists():  # on Linux, the other figure includes the process that started this
        most = next(int(line.split()[1]) for line in own.read_text().splitlines() if line.startswith("VmHWM")) * 1024
    Path(sys.argv[1]).write_text(str(most))
    sys.exit(status)
"""


def peak(
    story: Story, args: Sequence[str], stdin: bytes = b"", timeout: float | None = None
) -> tuple[subprocess.CompletedProcess[bytes], int]:
    """Run a command in a story's repository; return what came of it, and the most bytes of memory that it took."""
    report: Path = story.root.parent / "memory"
    done = subprocess.run([sys.executable, "-c", _MEASURED, report, *args], input=stdin, cwd=story.root, env=story.env,
                          capture_output=True, timeout=timeout, check=False)  # fmt: skip
    return done, int(report.read_text())
