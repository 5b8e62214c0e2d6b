"""Plugins that hang, flood, fork and stay: none holds a hook up beyond its limits, none stays behind."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from entire import process
from entire.plugin_host.language import protocol
from entire.plugin_host.language.protocol import PluginError
from entire.plugin_host.programs import running
from tests.unit.plugin_host.scripted import NODE, PYTHON, Make, pids, plugins, stopped_until, survivors

WITHOUT_NODE = pytest.mark.skipif(os.system("command -v node >/dev/null") != 0, reason="needs Node")

# A child that leaves the group and keeps the pipes, as a daemon started carelessly does.
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("pids", "w").write(str(os.getpid()))
        {daemon}
        time.sleep(60)
    os._exit(0)
os.wait()
{program}
"""


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    yield from plugins(tmp_path)


@pytest.mark.parametrize(
    "script",
    [
        "sleep 61 & echo $! >pids; (sleep 62 & echo $! >>pids); echo $$ >>pids; exec sleep 63",
        "trap '' TERM INT HUP PIPE; sleep 61 & echo $! >pids; sleep 62 & echo $! >>pids; echo $$ >>pids; wait",
        "exec >&- 2>&- <&-; sleep 61 & echo $! >pids; sleep 62 & echo $! >>pids; echo $$ >>pids; wait",
        "sleep 61 & echo $! >pids; sleep 62 & echo $! >>pids; echo $$ >>pids; kill -STOP $$",
        "sleep 61 & echo $! >pids; sleep 62 & echo $! >>pids; echo $$ >>pids; while :; do echo x; sleep 0.01; done",
    ],
    ids=["with children", "ignores signals", "with closed pipes", "stopped", "always prints a little"],
)
def test_a_program_that_hangs_is_killed_with_all_it_started(make: Make, tmp_path: Path, script: str) -> None:
    begin = time.monotonic()
    with pytest.raises(PluginError, match=r"^`entire-agent-strange info` did not finish within 30 seconds$"):
        make(script, clock=stopped_until(tmp_path / "pids", 3)).run("info")
    assert time.monotonic() - begin < 10
    assert survivors(pids(tmp_path / "pids", 3)) == []


@WITHOUT_NODE
def test_one_in_node_that_hangs(make: Make, tmp_path: Path) -> None:
    script = """
const child = require('child_process').spawn('sleep', ['61'], {stdio: 'inherit'})
require('fs').writeFileSync('pids', `${process.pid} ${child.pid} `)
setInterval(() => {}, 1000)
"""
    with pytest.raises(PluginError, match=r"did not finish within 30 seconds"):
        make(script, head=NODE, clock=stopped_until(tmp_path / "pids", 2)).run("info")
    assert survivors(pids(tmp_path / "pids", 2)) == []


def test_an_answer_just_in_time_and_just_too_late(make: Make) -> None:
    plugin = make("sleep 0.3; echo {}")
    assert plugin.run("info", seconds=5) == b"{}\n"
    with pytest.raises(PluginError, match="did not finish"):
        plugin.run("info", seconds=0.2)


def test_what_a_killed_call_printed_is_no_answer(make: Make) -> None:
    with pytest.raises(PluginError, match="did not finish"):
        make("echo '{}'; sleep 60", in_hook=False).run("info", seconds=0.7)


@pytest.mark.parametrize("redirect", ["", ">&2", "2>&1 </dev/null"])
def test_what_it_leaves_behind_with_its_pipes_holds_nothing_up(make: Make, tmp_path: Path, redirect: str) -> None:
    begin = time.monotonic()
    plugin = make(f"echo '{{}}'; (sleep 60; echo late) {redirect} & echo $! >pids", in_hook=False)
    assert plugin.run("info") == b"{}\n"
    assert time.monotonic() - begin < 10
    assert survivors(pids(tmp_path / "pids", 1)) == []


def test_what_it_leaves_behind_may_print_for_a_moment(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "GRACE_SECONDS", 20)
    assert make("printf '{'; (sleep 0.1; echo '}') &").call("info") == {}


def test_what_it_leaves_behind_without_its_pipes_is_ended_too(make: Make, tmp_path: Path) -> None:
    plugin = make("echo {}; sleep 60 >/dev/null 2>&1 </dev/null & echo $! >pids")
    assert plugin.call("info") == {}
    assert survivors(pids(tmp_path / "pids", 1)) == []


@pytest.mark.parametrize(
    "daemon",
    ["pass", "while True: os.write(2, b'noise ' * 1000)", "time.sleep(0.1); os.close(1)"],
    ids=["silent", "noisy", "closes one pipe"],
)
def test_a_daemon_that_left_the_group_with_the_pipes_holds_nothing_up(make: Make, tmp_path: Path, daemon: str) -> None:
    begin = time.monotonic()
    try:
        plugin = make(DAEMON.format(daemon=daemon, program="print({})"), head=PYTHON, in_hook=False)
        assert plugin.call("info") == {}
        assert time.monotonic() - begin < 10
    finally:
        with contextlib.suppress(ProcessLookupError):  # a noisy one was ended by SIGPIPE
            os.kill(pids(tmp_path / "pids", 1)[0], signal.SIGKILL)


def test_a_daemon_that_floods_a_call_that_has_ended_meets_the_limits(make: Make, tmp_path: Path) -> None:
    script = DAEMON.format(daemon="while True: os.write(1, b'x' * 60000)", program="print({})")
    with pytest.raises(PluginError, match=r"printed more than 10 MB|did not answer with JSON"):
        make(script, head=PYTHON).call("info")
    assert survivors(pids(tmp_path / "pids", 1)) == [], "writing to a closed pipe ends it"


DETACHED = "null = os.open('/dev/null', 2); [os.dup2(null, fd) for fd in range(3)]"
ON_LINUX = pytest.mark.skipif(
    not os.path.isdir("/proc/self/task"), reason="only Linux gives us what has left its group"
)


@ON_LINUX
@pytest.mark.parametrize("daemon", [DETACHED, f"{DETACHED}; os.execve('/bin/sleep', ['sleep', '60'], {{}})"],
                         ids=["as it is", "with no environment"])  # fmt: skip
def test_a_daemon_that_left_the_group_is_ended(make: Make, tmp_path: Path, daemon: str) -> None:
    assert make(DAEMON.format(daemon=daemon, program="print({})"), head=PYTHON).call("info") == {}
    assert survivors(pids(tmp_path / "pids", 1)) == []


@ON_LINUX
def test_what_a_daemon_started_is_ended_too(make: Make, tmp_path: Path) -> None:
    daemon = "setsid sleep 61 & echo $! >pids; setsid sleep 62 & echo $! >>pids; touch done; sleep 63"
    plugin = make(f"(setsid sh -c '{daemon}' &) </dev/null >/dev/null 2>&1; while [ ! -e done ]; do :; done; echo {{}}")
    assert plugin.call("info") == {}
    assert survivors(pids(tmp_path / "pids", 2)) == []


@ON_LINUX
def test_what_others_left_behind_goes_on(make: Make, tmp_path: Path) -> None:
    """While a connection is open, git may start an agent for keys, which is meant to stay."""
    plugin = make(DAEMON.format(daemon=DETACHED, program="""
for line in sys.stdin:
    print('{"answer": null}', flush=True)
"""), head=PYTHON)  # fmt: skip
    plugin.ask("x")
    other = (
        "(setsid sh -c 'echo $$ >other; exec sleep 60' &) </dev/null >/dev/null 2>&1; while [ ! -s other ]; do :; done"
    )
    assert process.run(["sh", "-c", other], folder=str(tmp_path)).status == 0
    plugin.close()
    assert survivors(pids(tmp_path / "pids", 1)) == []
    (pid,) = pids(tmp_path / "other", 1)
    os.kill(pid, 0)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert not running._orphans


def test_where_the_system_adopts_nothing_plugins_run_as_well(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_adopt", lambda **_: False)
    assert make("echo {}").call("info") == {}


def test_a_flood_of_output_is_ended_in_bounded_memory(make: Make, tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(PluginError, match=r"info` printed more than 10 MB$"):
            make("sleep 60 & echo $! >pids; yes").run("info")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * protocol.MAX_ANSWER
    assert survivors(pids(tmp_path / "pids", 1)) == []


def test_the_limit_is_exact(make: Make) -> None:
    plugin = make("head -c 1000 /dev/zero")
    assert plugin.run("info", max_output=1000) == bytes(1000)
    with pytest.raises(PluginError, match="printed more than 999 bytes"):
        plugin.run("info", max_output=999)


def test_errors_for_ever_do_not_block_an_answer_and_are_not_collected(make: Make) -> None:
    plugin = make("yes problem >&2 & dd if=/dev/zero bs=1M count=20 >&2 2>/dev/null; echo '{}'; kill $!")
    tracemalloc.start()
    try:
        assert plugin.call("info") == {}
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20


def test_errors_for_ever_do_not_extend_the_time_limit(make: Make) -> None:
    begin = time.monotonic()
    with pytest.raises(PluginError, match=r"did not finish within 0\.5 seconds: problem; problem; problem; problem$"):
        make("yes problem >&2").run("info", seconds=0.5)
    assert time.monotonic() - begin < 10


def test_the_end_of_many_errors_is_what_is_shown(make: Make) -> None:
    with pytest.raises(PluginError, match=r"failed with status 1: x; x; x; the reason$") as caught:
        make("yes x | head -c 300000 >&2; echo the reason >&2; exit 1").run("info")
    assert len(caught.value.errors) == protocol.MAX_ERRORS


HANGS_AFTER_ANSWER = [
    pytest.param("sleep 61 & echo $! >pids; echo $$ >>pids; echo '{\"a\": 1}'; wait", "#!/bin/sh", id="open"),
    pytest.param(
        "sleep 61 & echo $! >pids; echo $$ >>pids; echo '{\"a\": 1}'; exec >&-; wait", "#!/bin/sh", id="closed"
    ),
    pytest.param(
        "require('fs').writeFileSync('pids', `${process.pid} ${process.pid}`); console.log('{\"a\": 1}')\n"
        "setInterval(() => {}, 1000)",
        NODE,
        id="node",
        marks=WITHOUT_NODE,
    ),
]


@pytest.mark.parametrize(("script", "head"), HANGS_AFTER_ANSWER)
def test_a_hook_takes_the_answer_of_a_program_that_stays(make: Make, tmp_path: Path, script: str, head: str) -> None:
    begin = time.monotonic()
    assert make(script, head=head).call("info") == {"a": 1}
    assert time.monotonic() - begin < 10
    assert survivors(pids(tmp_path / "pids", 2)) == []


@pytest.mark.parametrize(("script", "head"), HANGS_AFTER_ANSWER)
def test_a_command_waits_for_it(make: Make, tmp_path: Path, script: str, head: str) -> None:
    """It may still be writing what it has announced."""
    with pytest.raises(PluginError, match="did not finish"):
        make(script, head=head, in_hook=False, clock=stopped_until(tmp_path / "pids", 2)).run("install-hooks")
    assert survivors(pids(tmp_path / "pids", 2)) == []


def test_a_hook_waits_for_a_program_that_has_not_answered_yet(make: Make) -> None:
    assert make("printf '{\"a\": '; sleep 0.8; printf '1}'").call("info") == {"a": 1}
    assert make("exec >/dev/null; sleep 0.8; echo x >done").run("prepare-transcript") == b""


def test_no_file_can_be_opened_any_more(make: Make) -> None:
    plugin = make("echo {}")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/dev/fd")) + 1, limits[1]))
    try:
        with pytest.raises(PluginError, match="`entire-agent-strange info` cannot be started: Too many open files"):
            plugin.run("info")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_hook_that_is_ended_takes_the_plugin_with_it(make: Make, tmp_path: Path, number: signal.Signals) -> None:
    """An agent ends a hook that takes too long; what the hook waits for would run on, once per turn."""
    plugin = make("sleep 61 & echo $! >pids; echo $$ >>pids; wait")
    code = "import sys; from entire.plugin_host.programs.program import Program\n"
    code += "Program(sys.argv[1], root='.', in_hook=True).run('info')"
    hook = subprocess.Popen([sys.executable, "-c", code, plugin.path], cwd=tmp_path, stderr=subprocess.DEVNULL)
    started = pids(tmp_path / "pids", 2)
    hook.send_signal(number)
    assert hook.wait(20) == -number
    assert survivors(started) == []


def test_a_command_that_forgets_the_connection_ends_it(make: Make, tmp_path: Path) -> None:
    plugin = make("read line; echo '{\"answer\": 1}'; sleep 61 & echo $! >pids; echo $$ >>pids; wait")
    code = "import sys; from entire.plugin_host.programs.program import Program\n"
    code += "print(Program(sys.argv[1], root='.', in_hook=False).ask('files')); sys.stdin.read()"
    command = subprocess.Popen(
        [sys.executable, "-c", code, plugin.path], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    started = pids(tmp_path / "pids", 2)
    assert command.communicate()[0] == b"1\n"
    assert survivors(started) == []


def test_signals_are_left_as_they_were(make: Make) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)]
    make("echo").run("info")
    after = [signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)]
    assert before == after


def test_where_the_ends_of_children_are_ignored(make: Make, tmp_path: Path) -> None:
    """What started the hook may ignore SIGCHLD: the system then forgets the statuses of its children."""
    plugin = make("echo '{\"a\": 1}'")
    code = "import signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    code += "from entire import process; assert process.run(['true']).status == 0\n"
    code += "from entire.plugin_host.programs.program import Program\n"
    code += "print(Program(sys.argv[1], root='.', in_hook=True).call('info'))"
    done = subprocess.run([sys.executable, "-c", code, plugin.path], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.stdout == b"{'a': 1}\n", done.stderr.decode()
