"""A program of ``tests.forks`` is to its caller what an interpreter would be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import forks
from tests.integration.story import Story

ALL = """\
import json, os, sys
mask = os.umask(0)
print(json.dumps([sys.argv, os.getcwd(), os.getppid(), mask, sorted(os.environ.items()), sys.stdin.read(), os.isatty(1),
                  sys.stdout.encoding, sys.stdout.errors, sys.stdin.errors, sys.stderr.line_buffering, __name__]))
print("é", file=sys.stderr)
"""
ENDS = {
    "a number": "sys.exit(7)",
    "a text": "sys.exit('no')",
    "nothing": "sys.exit()",
    "an error": "raise ValueError('x')",
    "its end": "import atexit; atexit.register(print, 'at exit')",
    "at once": "print('lost'); os._exit(3)",
    "a signal": "os.kill(os.getpid(), signal.SIGTERM)",
    "a closed pipe": "os.close(1); print('x')",
}


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what writes one program twice: for forks and for an interpreter."""

    def write(code: str) -> list[Path]:
        forked, started = tmp_path / "forked" / "program", tmp_path / "started" / "program"
        for path in (forked, started):
            path.parent.mkdir(exist_ok=True)
        forks.write(forked, code)
        started.write_text(f"#!{sys.executable} -IS\n{code}")
        started.chmod(0o755)
        return [forked, started]

    return write


def said(path: Path, *words: str, **more: Any) -> tuple[int, str, str]:
    done = subprocess.run([path, *words], capture_output=True, text=True, check=False, **more)
    return done.returncode, done.stdout.replace(str(path), "PATH"), done.stderr.replace(str(path), "PATH")


def test_it_is_given_the_same(both: Any, tmp_path: Path) -> None:
    environment = {**os.environ, "ODD": "a=b\n", "EMPTY": "", "BYTES": "\udcff"}
    given = {"input": "in\0put\n", "cwd": tmp_path, "env": environment}
    answers = [said(path, "one", "", "tw\no", "\udcff", umask=0o27, **given) for path in both(ALL)]
    assert answers[0] == answers[1]
    assert answers[0][0] == 0 and str(os.getpid()) in answers[0][1]


@pytest.mark.parametrize("end", ENDS)
def test_it_ends_as_the_same(both: Any, end: str) -> None:
    forked, started = [said(path) for path in both(f"import os, signal, sys\n{ENDS[end]}\n")]
    assert forked[:2] == started[:2]
    assert forked[2].splitlines()[-1:] == started[2].splitlines()[-1:]


def test_without_an_input_or_with_another_locale_it_is_an_interpreter(both: Any) -> None:
    path, started = both("import sys\nprint(sys.stdin, sys.stdout.encoding)")
    for command in (f"{path} <&-", f"LC_ALL=en_US.ISO-8859-1 {path}"):
        other = command.replace(str(path), str(started))
        assert said(Path("/bin/sh"), "-c", command)[1] == said(Path("/bin/sh"), "-c", other)[1]


def test_killed_it_takes_the_child_along(both: Any) -> None:
    path, _ = both("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(60)")
    with subprocess.Popen([path], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.send_signal(signal.SIGKILL)
        assert running.stdout.read() == ""  # only once the child has gone, too


def test_no_call_sees_what_another_changed(both: Any) -> None:
    path, _ = both(
        "import json, os, sys\nprint(getattr(json, 'x', 0), 'X' in os.environ)\njson.x = os.environ['X'] = '1'"
    )
    assert [said(path)[1] for _ in range(3)] == ["0 False\n"] * 3


def test_it_has_the_libraries_of_the_installed_program(tmp_path: Path) -> None:
    """Without them hooks search in another way, and commands fail."""
    code = (
        "import ahocorasick_rs, click, re2, rich\nprint(*(one.__file__ for one in (ahocorasick_rs, click, re2, rich)))"
    )
    forks.write(tmp_path / "forked", code)
    assert said(tmp_path / "forked")[:2] == said(Path(sys.executable), "-c", code)[:2]


def test_git_runs_its_hooks_with_it(story: Story) -> None:
    session = story.started()
    session.prompt("write")
    session.write("a.txt", "a\n")
    story.commit("a")
    assert story.linked()["slots"].keys() == {session.id}
    assert not story.log_errors()
