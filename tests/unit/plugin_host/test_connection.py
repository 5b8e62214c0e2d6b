"""Plugins are asked questions, one line each: over one process, whatever that does."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from entire.plugin_host.language import protocol
from entire.plugin_host.language.protocol import PluginError
from entire.plugin_host.programs import connection
from tests.unit.plugin_host.scripted import NODE, PYTHON, Make, pids, plugins, stopped_until, survivors

GOOD = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps({"answer": question}), flush=True)
"""


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    yield from plugins(tmp_path)


def test_many_questions_over_one_process(make: Make, tmp_path: Path) -> None:
    plugin = make(GOOD, head=PYTHON)
    since = [1, 2, "é\n\u2028\ud800"]
    assert plugin.ask("files", since=since, session_ref="a b", stored=None) == {
        "ask": "files", "root": str(tmp_path), "since": since, "session_ref": "a b", "stored": None,
    }  # fmt: skip
    assert [plugin.ask("tokens", n=n)["n"] for n in range(500)] == list(range(500))
    assert plugin.processes == 1


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
def test_questions_to_a_plugin_in_node(make: Make) -> None:
    script = """
const lines = require('readline').createInterface({input: process.stdin})
lines.on('line', line => console.log(JSON.stringify({answer: JSON.parse(line).n + 1})))
"""
    plugin = make(script, head=NODE)
    assert [plugin.ask("tokens", n=n) for n in range(50)] == list(range(1, 51))
    assert plugin.processes == 1


def test_a_large_question_and_a_large_answer(make: Make) -> None:
    plugin = make(GOOD, head=PYTHON)
    data = "x" * (4 << 20)
    assert plugin.ask("end", data=data)["data"] == data
    assert plugin.ask("end", data=data)["data"] == data
    assert plugin.processes == 1


def test_any_answer_is_one_and_an_error_is_none(make: Make) -> None:
    plugin = make(
        """
import sys
answers = ['{"answer": null}', '{"answer": [], "more": 1}', '{"answer": 0, "error": null}',
           '{"error": "no\\\\u0007such"}', '{"answer": "after"}\\r', ' {"answer": "blanks"} \\n', '{"answer": "end"}']
for line in sys.stdin:
    print(answers.pop(0), flush=True)
""",
        head=PYTHON,
    )  # fmt: skip
    assert [plugin.ask("model") for _ in range(3)] == [None, [], 0]
    with pytest.raises(PluginError, match=r"^`entire-agent-strange entire-ask model` failed: no such$"):
        plugin.ask("model")
    assert [plugin.ask("model") for _ in range(3)] == ["after", "blanks", "end"]
    assert plugin.processes == 1


@pytest.mark.parametrize(
    "script",
    [
        "read line; printf '{\"answer\": %s}\\n' $$",
        "read line; printf '{\"answer\": %s}' $$",
        "read line; exec <&-; printf '{\"answer\": %s}\\n' $$",
        "read line; printf '{\"answer\": %s}\\n' $$; exec >&-; sleep 60",
        "read line; printf '{\"answer\": %s}\\n' $$; sleep 60 >/dev/null 2>&1 &",
        "read line; printf '{\"answer\": %s}\\n' $$; sleep 0.01",
    ],
    ids=["exits", "without the line's end", "closes its input", "closes its output", "leaves a child", "exits late"],
)
def test_a_plugin_that_answers_one_question_is_started_again(make: Make, script: str) -> None:
    plugin = make(script)
    assert len({plugin.ask("files") for _ in range(5)}) == 5
    assert plugin.processes == 5


def test_a_child_that_holds_the_pipes_delays_the_next_question_only_a_little(make: Make) -> None:
    plugin = make("read line; printf '{\"answer\": %s}\\n' $$; sleep 60 &")
    begin = time.monotonic()
    assert len({plugin.ask("files") for _ in range(3)}) == 3
    assert time.monotonic() - begin < 15


def test_a_plugin_that_answers_before_it_has_read_the_whole_question(make: Make) -> None:
    plugin = make("head -c 10 >/dev/null; printf '{\"answer\": %s}\\n' $$; sleep 60")
    assert len({plugin.ask("end", data="x" * (1 << 20)) for _ in range(3)}) == 3


def test_starting_again_counts(make: Make) -> None:
    plugin = make("read line; echo '{\"answer\": 1}'")
    assert [plugin.ask("files") for _ in range(protocol.HOOK_PROCESSES)] == [1] * 8
    with pytest.raises(
        PluginError, match="`entire-agent-strange entire-ask files` was not called: a hook starts at most"
    ):
        plugin.ask("files")
    plugin = make("read line; echo '{\"answer\": 1}'", in_hook=False)
    assert [plugin.ask("files") for _ in range(12)] == [1] * 12


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("read line; echo usage: none; exec sleep 60", "did not answer with JSON: usage: none"),
        ("read line; echo '{}'; exec sleep 60", "did not answer with the JSON object that it should: {}"),
        ("read line; echo '[1]'; exec sleep 60", "did not answer with the JSON object that it should: [1]"),
        ("read line; echo '{\"error\": 1}'; exec sleep 60", 'did not answer with the JSON object that it should: {'),
        ("read line; printf '\\377\\0\\n'; exec sleep 60", "did not answer with JSON: \ufffd"),
        ("read line; printf '{\"answer\": 1}\\n{\"answer\": 2}\\n'; exec sleep 60", "wrote more than one line"),
        ("read line; printf '{\"answer\": 1'; exec sleep 60", "did not finish within 30 seconds"),
        ("read line; exec sleep 60", "did not finish within 30 seconds"),
        ("exec sleep 60", "did not finish within 30 seconds"),
        ("exec <&-; exec sleep 60", "did not finish within 30 seconds"),
        ("yes problem >&2", "did not finish within 30 seconds: problem; problem"),
        ("read line; yes", "printed more than 1 MB|did not answer with JSON: y|wrote more than one line"),
        ("read line; tr -d '\\n' </dev/zero", "printed more than 1 MB"),
        ("read line; printf '{\"ans'; exit 0", 'did not answer with JSON: {"ans'),
        ("read line; printf '{\"ans'; echo out of memory >&2; exit 2", "failed with status 2: out of memory"),
        ("read line; echo out of memory >&2; exit 2", "failed with status 2: out of memory"),
        ("echo unknown subcommand >&2; exit 1", "failed with status 1: unknown subcommand"),
        ("read line; kill -9 $$", "was killed by signal 9"),
        ("exit 0", "ended without an answer"),
        ("cat >/dev/null & exit 0", "ended without an answer"),
    ],
)  # fmt: skip
def test_no_answer_is_an_error_and_ends_the_process(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, reason: str
) -> None:
    monkeypatch.setattr(connection, "MAX_ANSWER", 1 << 20)
    clock = stopped_until(tmp_path / "pids", 2) if reason.startswith("did not finish") else time.monotonic
    plugin = make(f"sleep 61 & echo $! >>pids; echo $$ >>pids; {script}", clock=clock)
    begin = time.monotonic()
    with pytest.raises(PluginError) as caught:
        plugin.ask("files", data="x" * (1 << 20))
    said = caught.value.message
    assert said.startswith("`entire-agent-strange entire-ask files` ")
    assert any(said.split("` ", 1)[1].startswith(words) for words in reason.split("|")), said
    assert survivors(pids(tmp_path / "pids", 2)) == []
    assert time.monotonic() - begin < 20
    assert plugin.processes == 1


def test_after_an_error_the_next_question_starts_a_new_process(make: Make, tmp_path: Path) -> None:
    plugin = make("read line; [ -e again ] || { >again; echo no; exec sleep 60; }; echo '{\"answer\": 1}'; read line")
    with pytest.raises(PluginError, match="did not answer with JSON: no"):
        plugin.ask("files")
    assert plugin.ask("files") == 1
    assert plugin.processes == 2


def test_a_crash_after_an_answer_is_not_asked_again(make: Make) -> None:
    plugin = make("read line; echo '{\"answer\": 1}'; read line; echo crash >&2; exit 3")
    assert plugin.ask("files") == 1
    with pytest.raises(PluginError, match=r"failed with status 3: crash$"):
        plugin.ask("tokens")
    assert plugin.processes == 1
    assert plugin.ask("files") == 1


def test_what_is_written_between_two_questions_is_not_taken_for_an_answer(make: Make, tmp_path: Path) -> None:
    plugin = make("read line; echo '{\"answer\": 1}'; sleep 0.2; echo '{\"answer\": 2}'; >said; exec sleep 60")
    assert plugin.ask("files") == 1
    end = time.monotonic() + 20
    while not (tmp_path / "said").exists() and time.monotonic() < end:
        time.sleep(0.01)
    with pytest.raises(PluginError, match="`entire-agent-strange entire-ask tokens` wrote more than one line"):
        plugin.ask("tokens")


def test_errors_for_ever_do_not_block_answers(make: Make) -> None:
    plugin = make("yes problem >&2 & while read line; do echo '{\"answer\": 1}'; done; kill $!")
    assert [plugin.ask("files") for _ in range(20)] == [1] * 20
    assert plugin.processes == 1


def test_a_hook_takes_an_answer_without_the_lines_end(make: Make, tmp_path: Path) -> None:
    plugin = make("read line; printf '{\"answer\": 1}'; read line; printf '{\"answer\": 2}'; sleep 60")
    assert [plugin.ask("files"), plugin.ask("files")] == [1, 2]
    plugin = make(
        "read line; printf '{\"answer\": 1}'; echo $$ >pids; sleep 60",
        in_hook=False,
        clock=stopped_until(tmp_path / "pids", 1),
    )
    with pytest.raises(PluginError, match="did not finish"):
        plugin.ask("files")


def test_closing_is_polite(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "GRACE_SECONDS", 20)
    script = (
        "while read line; do echo '{\"answer\": 1}'; done; yes | head -c 1000000; yes | head -c 1000000 >&2; >clean"
    )
    plugin = make(script)
    assert plugin.ask("files") == 1
    plugin.close()
    assert (tmp_path / "clean").exists()
    assert plugin.ask("files") == 1
    assert plugin.processes == 2


def test_closing_is_short(make: Make, tmp_path: Path) -> None:
    plugin = make("trap '' TERM; read line; echo '{\"answer\": 1}'; sleep 61 & echo $! $$ >pids; wait; sleep 62")
    assert plugin.ask("files") == 1
    begin = time.monotonic()
    plugin.close()
    plugin.close()
    assert time.monotonic() - begin < 10
    assert survivors(pids(tmp_path / "pids", 2)) == []


def test_a_call_beside_the_connection(make: Make) -> None:
    plugin = make(
        '[ "$1" = entire-ask ] || { echo \'{"n": 2}\'; exit; }; while read line; do echo \'{"answer": 1}\'; done'
    )
    assert [plugin.ask("files"), plugin.call("info"), plugin.ask("files")] == [1, {"n": 2}, 1]
    assert plugin.processes == 2
