"""Commands that the demo agent runs: input, output, code, and an end of all they started."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from entire_demo_agent import shell


def is_running(pid: int) -> bool:
    """Tell whether a process is there and no corpse that waits for its parent."""
    stat = Path(f"/proc/{pid}/stat")
    if not Path("/proc/self").exists():
        done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
        return done.stdout.strip()[:1] not in ("", "Z")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends(pid: int) -> bool:
    """Tell whether a process is gone, soon."""
    for _ in range(100):
        if not is_running(pid):
            return True
        time.sleep(0.02)
    return False


def test_what_goes_in_and_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT", "kept")
    monkeypatch.setenv("GIVEN", "old")
    done = shell.run(
        'cat; printf %s "$KEPT $GIVEN" "$(pwd -P)" >&2; exit 3',
        workdir=tmp_path,
        env={"GIVEN": "new"},
        stdin=b"\x00\xff",
        timeout=20,
    )
    assert done == shell.Finished(code=3, output=b"\x00\xff", errors=b"kept new" + os.fsencode(tmp_path.resolve()))


def test_without_input_there_is_an_end_of_file_and_no_terminal(tmp_path: Path) -> None:
    done = shell.run("cat; test -t 0; echo $?; : < /dev/tty", workdir=tmp_path, env={}, timeout=20)
    assert done.output.startswith(b"1\n")
    assert done.code != 0


def test_input_that_nobody_reads_is_no_error(tmp_path: Path) -> None:
    done = shell.run("exit 0", workdir=tmp_path, env={}, stdin=b"x" * 1_000_000, timeout=20)
    assert done == shell.Finished(code=0, output=b"", errors=b"")


def test_a_command_that_takes_too_long_is_stopped_with_its_children(tmp_path: Path) -> None:
    began = time.monotonic()
    done = shell.run("sleep 60 & echo $! > pid; wait", workdir=tmp_path, env={}, timeout=0.5)
    assert time.monotonic() - began < 10
    assert done == shell.Finished(code=124, output=b"", errors=b"took too long\n")
    assert ends(int((tmp_path / "pid").read_text()))


def test_what_is_running_is_seen() -> None:
    assert is_running(os.getpid())


def test_a_command_may_put_its_things_in_order(tmp_path: Path) -> None:
    command = "trap 'echo tidy > end; exit 0' TERM; echo > ready; while :; do sleep 0.05; done"
    assert shell.run(command, workdir=tmp_path, env={}, timeout=0.5).code == 124
    assert (tmp_path / "end").read_text() == "tidy\n"


def test_a_command_that_does_not_listen_is_killed(tmp_path: Path) -> None:
    command = "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done"
    assert shell.run(command, workdir=tmp_path, env={}, timeout=0.3).code == 124
    assert ends(int((tmp_path / "pid").read_text()))


def test_ctrl_c_stops_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    communicate = subprocess.Popen.communicate
    pid = tmp_path / "pid"
    asked: list[Any] = []

    def interrupted(child: subprocess.Popen[bytes], *args: Any, **more: Any) -> Any:
        asked.append(args)
        if len(asked) > 1:
            return communicate(child, *args, **more)
        while not pid.exists() or not pid.read_text().strip():
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        shell.run("echo $$ > pid; sleep 60", workdir=tmp_path, env={}, timeout=30)
    assert len(asked) > 1
    monkeypatch.undo()
    assert ends(int(pid.read_text()))
