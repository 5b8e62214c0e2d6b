"""Programs are started, fed, heard and ended."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from entire import process
from entire.errors import EntireError

PYTHON = sys.executable


def test_status_and_both_outputs() -> None:
    done = process.run(["sh", "-c", "printf out; printf err >&2; exit 3"])
    assert (done.status, done.stdout, done.stderr) == (3, b"out", b"err")


def test_much_in_and_out_at_the_same_time() -> None:
    """Each pipe holds 64 KB: who writes everything before it reads would wait for ever."""
    data = os.urandom(1 << 20) * 4
    done = process.run(["sh", "-c", "tee /dev/stderr"], stdin=data, timeout=60)
    assert (done.status, done.stdout == data, done.stderr == data) == (0, True, True)


def test_a_program_that_does_not_read_its_input() -> None:
    assert process.run(["sh", "-c", "exec <&-; echo done"], stdin=b"x" * (1 << 20), timeout=60).stdout == b"done\n"


@pytest.mark.parametrize("has_memory_files", [True, False])
def test_a_program_is_started_with_its_input_and_waited_for_later(
    monkeypatch: pytest.MonkeyPatch, has_memory_files: bool
) -> None:
    if not has_memory_files:
        monkeypatch.delattr(os, "memfd_create", raising=False)
    data = os.urandom(1 << 20)
    before = len(os.listdir("/dev/fd"))
    finish = process.start(["sh", "-c", "cat; exit 3"], data, os.environ)
    done = finish()
    assert (done.status, done.stdout == data) == (3, True)
    assert len(os.listdir("/dev/fd")) == before


def test_an_empty_standard_input_is_at_its_end() -> None:
    assert process.run(["cat"], timeout=30).stdout == b""


def test_a_program_that_runs_too_long_is_ended(tmp_path: object) -> None:
    begin = time.monotonic()
    with pytest.raises(EntireError, match=r"did not finish within 0\.2 seconds"):
        process.run(["sleep", "60"], timeout=0.2)
    with pytest.raises(EntireError, match="did not finish"):
        process.run(["sleep", "60"], stdin=b"x" * (1 << 20), timeout=0.2)
    assert time.monotonic() - begin < 30


def test_a_program_that_says_too_much_is_ended() -> None:
    with pytest.raises(EntireError, match="more than 1000 bytes"):
        process.run(["sh", "-c", "while :; do echo many words; done"], max_output=1000, timeout=60)


def test_a_program_that_is_missing() -> None:
    with pytest.raises(EntireError, match="cannot start no-such-program") as caught:
        process.run(["no-such-program"])
    assert caught.value.hint


def test_a_program_starts_in_another_folder(tmp_path: Path) -> None:
    here = os.getcwd()
    assert process.run(["pwd", "-P"], folder=str(tmp_path)).stdout == os.fsencode(os.path.realpath(tmp_path)) + b"\n"
    with pytest.raises(process.StartError, match="cannot start pwd: No such file or directory"):
        process.run(["pwd"], folder=str(tmp_path / "missing"))
    assert os.getcwd() == here


def test_a_signal_is_a_negative_status() -> None:
    assert process.run(["sh", "-c", "kill -9 $$"]).status == -9


def test_the_environment_is_the_one_given_and_arguments_are_bytes_too() -> None:
    env = {"X": "1", "PATH": os.environ["PATH"]}
    done = process.run(["sh", "-c", 'printf "%s|%s" "$X" "$1"', "sh", b"\xff"], env=env)
    assert done.stdout == b"1|\xff"


def test_no_file_stays_open_and_no_child_is_left() -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(20):
        process.run(["true"], stdin=b"x")
        with pytest.raises(EntireError):
            process.run(["no-such-program"])
        with pytest.raises(EntireError):
            process.run(["sh", "-c", "echo much; exec sleep 60"], max_output=1)
    assert len(os.listdir("/proc/self/fd")) == len(before)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_child_is_talked_to_and_ended() -> None:
    child = process.Child(["cat"], os.environ)
    os.write(child.stdin, b"hello")
    assert os.read(child.stdout, 5) == b"hello"
    child.kill()
    assert child.wait() == -9
    assert child.wait() == -9
    child.kill()
    for fd in (child.stdin, child.stdout, child.stderr):
        os.close(fd)


def test_this_process_and_those_above_it_are_known() -> None:
    me = process.look(os.getpid())
    assert me is not None
    assert (me.pid, me.parent) == (os.getpid(), os.getppid())
    assert process.is_running(me.pid, me.started)
    assert not process.is_running(me.pid, "another start")
    above = process.ancestors(os.getpid())
    assert [program.pid for program in above][:2] == [os.getpid(), os.getppid()] or os.getppid() <= 1
    assert process.ancestors(os.getpid(), limit=1) == [above[0]]


def test_a_program_with_a_strange_name_is_told_right(tmp_path: object) -> None:
    path = os.path.join(str(tmp_path), "a) (b 1")
    with open(path, "w") as file:
        file.write("#!/bin/sh\nread line\n")
    os.chmod(path, 0o755)
    child = process.Child([path, "x y", ""], os.environ)
    deadline = time.monotonic() + 30
    try:
        program = process.look(child.pid)
        while (program is None or "x y" not in program.argv) and time.monotonic() < deadline:
            program = process.look(child.pid)
        assert program is not None
        assert (program.name, program.parent) == ("a) (b 1", os.getpid())
        assert program.argv[-2:] == ("x y", "")
    finally:
        child.kill()
        child.wait()
        for fd in (child.stdin, child.stdout, child.stderr):
            os.close(fd)


def test_a_process_that_is_gone() -> None:
    child = process.Child(["true"], os.environ)
    child.wait()
    for fd in (child.stdin, child.stdout, child.stderr):
        os.close(fd)
    assert process.look(child.pid) is None
    assert not process.is_running(child.pid, "")
    assert process.ancestors(child.pid) == []


def test_a_program_that_never_stops_printing_is_ended_in_time() -> None:
    begin = time.monotonic()
    with pytest.raises(EntireError, match=r"sh did not finish within 0\.5 seconds"):
        process.run(["sh", "-c", "exec yes"], timeout=0.5)
    assert time.monotonic() - begin < 10


def test_an_environment_without_a_repository() -> None:
    env = {"GIT_DIR": "a", "GIT_INDEX_FILE": "b", "GIT_PREFIX": "", "GIT_SSH_COMMAND": "ssh", "PATH": "/bin"}
    assert process.without_repository(env) == {"GIT_SSH_COMMAND": "ssh", "PATH": "/bin"}
    assert len(env) == 5


def test_a_word_that_no_program_can_be_given() -> None:
    with pytest.raises(process.StartError, match="cannot start echo: embedded null byte"):
        process.run(["echo", "a\0b"])


def test_an_isolated_child_is_killed_with_all_it_started_also_after_its_end() -> None:
    child = process.Child(["sh", "-c", "sleep 60 & echo $!; sleep 60 & echo $!"], os.environ, isolated=True)
    with os.fdopen(child.stdout) as output:
        left = [int(output.readline()), int(output.readline())]
        while not child.has_ended():
            time.sleep(0.001)
        assert [os.getsid(pid) for pid in left] == [child.pid, child.pid]
        assert child.has_ended()
        child.kill()
        assert output.read() == "", "nobody holds the pipe any more"
    assert child.wait() == 0
    child.kill()
    os.close(child.stdin)
    os.close(child.stderr)


def test_a_program_that_has_closed_its_pipes_is_ended_in_time_too() -> None:
    begin = time.monotonic()
    with pytest.raises(EntireError, match=r"sh did not finish within 0\.5 seconds"):
        process.run(["sh", "-c", "exec >&- 2>&- <&-; exec sleep 60"], timeout=0.5)
    assert time.monotonic() - begin < 20
    assert process.run(["sh", "-c", "exec >&- 2>&-; sleep 0.1; exit 4"], timeout=60).status == 4


@pytest.mark.parametrize("timeout", [60, None])
def test_what_a_program_leaves_running_with_its_pipes_holds_nothing_up(timeout: float | None) -> None:
    begin = time.monotonic()
    for left in ("sleep 30", "(while echo x; do :; done) >&2", "sleep 30 >/dev/null"):
        child = process.Child(["sh", "-c", f"cat; {left} & exit 3"], os.environ, isolated=True)
        done = child.finish(b"text", timeout=timeout)
        assert (done.status, done.stdout) == (3, b"text")
        assert _is_empty(child.pid)
    assert time.monotonic() - begin < 20


def test_on_a_system_without_waitid_and_without_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """macOS before Python 3.13; the BSDs."""
    spawn = os.posix_spawnp

    def refuse_sessions(*args: Any, **options: Any) -> int:
        if "setsid" in options:
            raise NotImplementedError
        return spawn(*args, **options)

    monkeypatch.delattr(os, "waitid")
    monkeypatch.setattr(os, "posix_spawnp", refuse_sessions)
    assert process.run(["sh", "-c", "exit 3"], timeout=60).status == 3
    for ending, status in (("exit 3", 3), ("kill -9 $$", -9)):
        child = process.Child(["sh", "-c", f"sleep 60 & {ending}"], os.environ, isolated=True)
        assert child.finish(timeout=60).status == status
        assert _is_empty(child.pid)
    child = process.Child(["sh", "-c", "sleep 60 & sleep 60"], os.environ, isolated=True)
    with pytest.raises(EntireError, match="did not finish"):
        child.finish(timeout=0.2)
    assert _is_empty(child.pid)


def _is_empty(group: int) -> bool:
    """Tell whether no process runs in a group; what was killed may be seen for a moment."""
    end = time.monotonic() + 10
    while any(_runs_in(group, path) for path in Path("/proc").glob("[0-9]*/stat")):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def _runs_in(group: int, stat: Path) -> bool:
    try:
        state, _, its_group, *_ = stat.read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return int(its_group) == group and state != "Z"


# ---------------------------------------------------------------- where programs are found


@pytest.fixture
def spied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder holds programs with the names of others, as a repository may."""
    for name in ("git", "sh", "agent"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho started >{tmp_path}/started\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "bin").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("entry", ["", ".", "./", "bin/..", "../{}"])
@pytest.mark.parametrize("first", [True, False])
def test_a_relative_entry_of_the_path_supplies_no_program(
    spied: Path, monkeypatch: pytest.MonkeyPatch, entry: str, first: bool
) -> None:
    entry = entry.format(spied.name)
    system = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{entry}:{system}" if first else f"{system}:{entry}")
    assert os.path.isabs(process.find("git"))
    assert process.run(["git", "--version"]).stdout.startswith(b"git version")
    assert process.find("agent") == ""
    with pytest.raises(process.StartError, match="cannot start agent: No such file"):
        process.run(["agent"])
    with pytest.raises(process.StartError, match=r"cannot start \./agent"):
        process.run(["./agent"], folder=str(spied))
    with pytest.raises(process.StartError, match="cannot start agent"):
        process.become(["agent"], str(spied))
    assert not (spied / "started").exists()
    assert process.absolute_path(os.environ) == system


def test_a_path_without_an_absolute_folder_is_the_systems(spied: Path) -> None:
    assert process.absolute_path({"PATH": ".::bin"}) == os.defpath
    assert process.absolute_path({}) == os.defpath
    assert process.find("agent", ".") == ""
    assert process.find("agent", f".:{spied}") == str(spied / "agent")
    assert process.find("", str(spied)) == ""


def test_a_program_that_moved_is_found_again(spied: Path) -> None:
    path = f"{spied / 'bin'}:{spied}"
    assert process.find("agent", path) == str(spied / "agent")
    (spied / "agent").rename(spied / "bin/agent")
    assert process.find("agent", path) == str(spied / "bin/agent")
