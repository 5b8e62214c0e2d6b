"""Plugins are called, asked and ended: real programs that behave well, badly or strangely."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import entire
from entire.agents.external import program, protocol
from entire.agents.external.program import Program
from entire.agents.external.protocol import PluginError

Make = Callable[..., Program]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Return what makes a plugin of a script; leaves no process running."""
    made: list[Program] = []

    def make_program(script: str, *, head: str = "#!/bin/sh", **options: object) -> Program:
        path = tmp_path / "entire-agent-strange"
        path.write_text(f"{head}\n{script}\n")
        path.chmod(0o755)
        made.append(Program(str(path), **{"root": str(tmp_path), "in_hook": True, **options}))  # type: ignore[arg-type]
        return made[-1]

    yield make_program
    for plugin in made:
        plugin.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


PYTHON = f"#!{sys.executable} -I"


def test_a_call_in_the_repository_with_the_protocols_environment(make: Make, tmp_path: Path) -> None:
    plugin = make(
        'cat; echo "|$1|$2|$ENTIRE_REPO_ROOT|$ENTIRE_PROTOCOL_VERSION|$ENTIRE_CLI_VERSION|$PWD|$GIT_DIR|$X"; pwd -P',
        env={**os.environ, "GIT_DIR": "/elsewhere", "X": "inherited", "ENTIRE_REPO_ROOT": "old"},
    )
    root = str(tmp_path)
    assert plugin.name == "strange"
    assert plugin.run("parse-hook", "--hook", stdin=b"payload").decode().splitlines() == [
        f"payload|parse-hook|--hook|{root}|1|{entire.__version__}|{root}||inherited",
        os.path.realpath(root),
    ]
    assert plugin.processes == 1


def test_a_json_object_is_answered(make: Make) -> None:
    assert make('echo \'{"present": true, "more": null}\'').call("detect") == {"present": True, "more": None}


def test_an_error_says_which_plugin_which_call_and_its_own_message(make: Make) -> None:
    with pytest.raises(PluginError) as caught:
        make("echo no such file >&2; exit 3").call("read-session")
    assert caught.value.message == "`entire-agent-strange read-session` failed with status 3: no such file"
    assert caught.value.hint == "run `entire plugin check strange`"
    assert caught.value.errors == "no such file\n"


def test_many_questions_over_one_process(make: Make, tmp_path: Path) -> None:
    plugin = make(
        """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps({"answer": [question["ask"], question["root"], question.get("since")]}), flush=True)
""",
        head=PYTHON,
    )
    assert plugin.ask("files", since=[1, 2, "é\n"]) == ["files", str(tmp_path), [1, 2, "é\n"]]
    assert [plugin.ask(name)[0] for name in ("tokens", "prompts", "summary")] == ["tokens", "prompts", "summary"]
    assert plugin.processes == 1
    plugin.close()
    assert plugin.ask("files")[0] == "files"
    assert plugin.processes == 2


def test_a_plugin_that_ends_after_each_answer_is_started_again(make: Make) -> None:
    plugin = make("read line; printf '{\"answer\": %s}\\n' $$")
    assert len({plugin.ask("files") for _ in range(4)}) == 4
    assert plugin.processes == 4


def test_a_program_that_hangs_is_killed_with_all_it_started(make: Make, tmp_path: Path) -> None:
    plugin = make("sleep 61 & echo $! >pids; (sleep 62 & echo $! >>pids); echo $$ >>pids; exec sleep 63")
    begin = time.monotonic()
    with pytest.raises(PluginError, match=r"strange info` did not finish within 0\.5 seconds"):
        plugin.run("info", seconds=0.5)
    assert time.monotonic() - begin < 20
    assert not [pid for pid in (tmp_path / "pids").read_text().split() if is_running(int(pid))]


def is_running(pid: int) -> bool:
    """Tell whether a process runs; one that was killed may be seen for a moment."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return False
        if state == "Z":
            return False
        time.sleep(0.01)
    return True


def test_a_hooks_budget_is_shared(make: Make) -> None:
    made: list[Program] = []
    plugin = make("echo {}", clock=lambda: sum(plugin.processes for plugin in made) * 11.0)
    made.append(plugin)
    assert [plugin.call("info") for _ in range(4)] == [{}] * 4
    with pytest.raises(PluginError, match="did not finish within 1 second$"):
        plugin.call("info")
    with pytest.raises(PluginError, match="was not called: this hook's 45 seconds for plugins are over"):
        plugin.call("info")
    with pytest.raises(PluginError, match="was not called: this hook's 45 seconds for plugins are over"):
        plugin.ask("files")
    assert plugin.processes == 5


def test_a_hook_starts_few_processes_and_a_command_any_number(make: Make) -> None:
    plugin = make("echo {}")
    for _ in range(protocol.HOOK_PROCESSES):
        plugin.call("info")
    with pytest.raises(PluginError, match="was not called: a hook starts at most 8 processes of a plugin"):
        plugin.call("info")
    plugin = make("echo {}", in_hook=False)
    assert [plugin.call("info") for _ in range(20)] == [{}] * 20


def test_the_last_lines_are_shown_clean() -> None:
    assert program.shown("\x1b[31mred\x1b[0m\a text\n\n") == "red  text"
