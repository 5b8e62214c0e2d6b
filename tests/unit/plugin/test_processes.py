"""A plugin made with the kit, as the executable that a host starts."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HEAVY = {"argparse", "asyncio", "click", "dataclasses", "inspect", "json", "pathlib", "re", "subprocess", "typing"}


@pytest.fixture
def plugin(tmp_path: Path) -> str:
    path = tmp_path / "entire-agent-sample"
    path.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "from entire.agents.demo.agent import Demo\n"
        "from entire.plugin import main\n"
        "class Sample(Demo):\n"
        "    name = 'sample'\n"
        "    type = 'Sample'\n"
        "if __name__ == '__main__':\n"
        "    try:\n"
        "        main(Sample)\n"
        "    finally:\n"
        "        if 'REPORT' in __import__('os').environ:\n"
        "            open(__import__('os').environ['REPORT'], 'w').write(' '.join(sys.modules))\n"
    )
    path.chmod(0o755)
    return str(path)


def test_info_loads_nothing_heavy_and_opens_nothing(plugin: str, tmp_path: Path) -> None:
    report = tmp_path / "report"
    environment = {"REPORT": str(report), "HOME": "/nonexistent", "PATH": ""}
    done = subprocess.run([sys.executable, "-S", "-c", _RUN, plugin, "info"], env=environment, capture_output=True)
    assert json.loads(done.stdout)["name"] == "sample", done.stderr
    assert HEAVY & set(report.read_text().split()) == set()


_RUN = f"""
import sys
sys.path[:0] = {[path for path in sys.path if path]!r}
sys.argv = sys.argv[1:]
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"), {{"__name__": "__main__"}})
"""


def test_the_host_closes_the_pipe(plugin: str, tmp_path: Path) -> None:
    transcript = tmp_path / "s.jsonl"
    transcript.write_bytes(b"{}\n" * 1_000_000)
    with subprocess.Popen(
        [plugin, "read-transcript", "--session-ref", transcript], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.read(10)
        child.stdout.close()
        assert child.wait(20) == 1
        assert child.stderr.read() == b""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("info >&-", "standard output is closed"),
        ("get-session-id <&-", "standard input is not JSON: "),
    ],
)
def test_what_the_host_closed_is_told(plugin: str, words: str, message: str) -> None:
    done = subprocess.run(["sh", "-c", f'"$0" {words}', plugin], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith(f"entire-agent-sample: {message}")


def test_an_answer_comes_before_the_next_question(plugin: str) -> None:
    with subprocess.Popen([plugin, "entire-ask"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for _ in range(3):
            child.stdin.write(b'{"ask": "end"}\n')
            child.stdin.flush()
            assert child.stdout.readline() == b'{"answer": [0, 0, ""]}\n'
        child.stdin.close()
        assert child.wait(20) == 0


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4])
def test_a_killed_write_leaves_the_old_session_or_the_new(plugin: str, tmp_path: Path, delay: float) -> None:
    ref = tmp_path / "sessions" / "s.jsonl"
    ref.parent.mkdir()
    ref.write_bytes(old := b'{"old": 1}\n' * 2_000_000)
    new = b'{"new": 2}\n' * 2_000_000
    record = {"session_id": "s", "session_ref": str(ref), "native_data": base64.b64encode(new).decode()}
    child = subprocess.Popen([plugin, "write-session"], stdin=subprocess.PIPE)
    assert child.stdin is not None
    child.stdin.write(json.dumps(record).encode())
    child.stdin.close()
    time.sleep(delay)
    child.send_signal(signal.SIGKILL)
    child.wait(20)
    assert ref.read_bytes() in (old, new)


def test_a_write_that_fails_half_way_leaves_the_old_session(plugin: str, tmp_path: Path) -> None:
    ref = tmp_path / "s.jsonl"
    ref.write_bytes(old := b'{"old": 1}\n')
    record = {"session_id": "s", "session_ref": str(ref), "native_data": base64.b64encode(b"new\n" * 10_000).decode()}
    command = ["sh", "-c", 'ulimit -f 1; exec "$0" write-session', plugin]
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # or Python's cache gets half a file, too
    done = subprocess.run(command, input=json.dumps(record).encode(), env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert ref.read_bytes() == old


def test_many_at_once(plugin: str, tmp_path: Path) -> None:
    ref = tmp_path / "s.jsonl"
    contents = [json.dumps({"n": n}).encode() * 10_000 + b"\n" for n in range(6)]
    children = []
    for content in contents:
        record = {"session_id": "s", "session_ref": str(ref), "native_data": base64.b64encode(content).decode()}
        child = subprocess.Popen([plugin, "write-session"], stdin=subprocess.PIPE)
        assert child.stdin is not None
        child.stdin.write(json.dumps(record).encode())
        child.stdin.close()
        children.append(child)
    assert [child.wait(30) for child in children] == [0] * 6
    assert ref.read_bytes() in contents
    assert sorted(os.listdir(tmp_path)) == ["entire-agent-sample", "s.jsonl"]
