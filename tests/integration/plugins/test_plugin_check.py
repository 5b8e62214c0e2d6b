"""`entire plugin check` as authors use it: which plugin, what it shows, JSON, exit codes; and the promises."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from entire_plugin_kit import fixtures
from tests.unit.entire_plugin_kit.plugin_faults import CAPTURED, FAULTS, GOOD

RIG = """
import json, os
from pathlib import Path
from entire_plugin_kit import Player, Rig

class GoodPlayer(Player):
    names_turns = False

    @property
    def ref(self):
        return self.agent.resolve_session_file(self.agent.session_dir(str(self.root)), self.id)

    def fire(self, verb, **more):
        self.call(verb, json.dumps({"session_id": self.id, "session_ref": self.ref, **more}).encode())

    def say(self, **record):
        Path(self.ref).parent.mkdir(parents=True, exist_ok=True)
        with open(self.ref, "a") as file:
            file.write(json.dumps(record) + "\\n")

    def start(self):
        self.fire("session-start")

    def prompt(self, text):
        self.fire("prompt", user_prompt=text)
        self.say(role="user", text=text)

    def change(self, path):
        self.say(role="tool", path=path)

    def answer(self, text):
        self.say(role="agent", text=text, tokens=[5, 2])

    def stop(self):
        self.fire("stop")

    def end(self):
        self.fire("session-end")

class GoodRig(Rig):
    player = GoodPlayer

RIG = GoodRig()
"""


def check(*args: object, folder: Path | None = None, env: Mapping[str, str] = {}) -> tuple[int, str, str]:
    """Run the command; return its status and what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "entire", "plugin", "check", *map(str, args)],
        cwd=folder, env={**os.environ, **env}, capture_output=True, text=True,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def on_path(tmp_path: Path) -> dict[str, str]:
    """Return a PATH on which the good plugin is."""
    shutil.copy(GOOD, tmp_path / GOOD.name)
    return {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}


def test_a_good_plugin_is_reported_in_groups_with_a_summary() -> None:
    status, said, _ = check(GOOD, "--only", "info", "--only", "detect", "--only", "chunks", "--only", "lines")
    assert (status, said.splitlines()[:-1]) == (
        0,
        ["Identity", "  passed   info", "  passed   detect", "Sessions", "  passed   chunks", "Reading",
         "  skipped  lines  it has no transcripts: name some with `--fixtures` or `--rig`", ""],
    )  # fmt: skip
    assert said.splitlines()[-1].startswith("3 passed, 1 skipped, in ")


def test_a_failure_says_what_was_promised_sent_and_expected(tmp_path: Path) -> None:
    plugin = FAULTS["session-id"][0].write(tmp_path)
    status, said, _ = check(plugin, "--only", "session-id", "--only", "detect")
    assert status == 1
    report = said[said.index("FAILED session-id") :]
    assert "promised  `get-session-id` answers the id that the input has" in report
    assert "expected  `session_id` is 'check-0a1b2c3d'" in report
    assert "called    entire-agent-good get-session-id" in report
    assert 'sent      {"hook_type": "agent-spawn", "session_id": "check-0a1b2c3d"' in report
    assert "came to   exit status 0, after " in report
    assert 'stdout    {"session_id": ""}' in report
    assert "stderr    (nothing)" in report
    assert "1 passed, 1 failed, in " in report


def test_json_has_everything(tmp_path: Path) -> None:
    plugin = FAULTS["detect"][0].write(tmp_path)
    status, said, _ = check(plugin, "--only", "detect", "--only", "text", "--json")
    found = json.loads(said)
    assert status == 1
    assert (found["plugin"], found["ok"]) == (str(plugin), False)
    assert found["counts"] == {"passed": 1, "failed": 1, "skipped": 0, "note": 0}
    failed, passed = found["checks"]
    assert set(failed) == {"name", "group", "promise", "status", "reason", "exchange", "seconds"}
    assert (failed["name"], failed["status"], passed["exchange"]) == ("detect", "failed", None)
    assert set(failed["exchange"]) == {"command", "folder", "sent", "status", "stdout", "stderr", "seconds"}
    assert failed["exchange"]["stdout"] == '{"present": "no"}\n'


def test_one_that_cannot_say_what_it_is_is_asked_nothing_else(tmp_path: Path) -> None:
    plugin = tmp_path / "entire-agent-broken"
    plugin.write_text("#!/bin/sh\necho no >&2\nexit 3\n")
    plugin.chmod(0o755)
    status, said, _ = check(plugin, "--quick", "--json")
    found = json.loads(said)
    assert status == 1
    assert [each["name"] for each in found["checks"] if each["status"] == "failed"] == ["info"]
    reasons = {each["reason"] for each in found["checks"] if each["status"] == "skipped"}
    assert reasons == {"`info` failed, and nothing else is asked: it ended with status 3"}


def test_a_name_is_one_that_the_user_allowed(on_path: dict[str, str]) -> None:
    status, _, error = check("good", env=on_path)
    assert (status, error.splitlines()[0].partition(" (")[0]) == (2, "entire: the plugin good is not allowed to run")
    allowed = subprocess.run([sys.executable, "-m", "entire", "plugin", "allow", "good", "--yes"],
                             env={**os.environ, **on_path}, capture_output=True)  # fmt: skip
    assert allowed.returncode == 0, allowed.stderr
    assert check("good", "--only", "info", env=on_path)[0] == 0
    assert check("other", env=on_path)[2].startswith("entire: there is no plugin 'other' on PATH")


def test_a_path_is_any_file_and_needs_no_permission(tmp_path: Path) -> None:
    (tmp_path / "some-file").touch()
    assert check("./some-file", "--only", "file-name", folder=tmp_path)[0] == 1
    assert check("some-file", folder=tmp_path)[0] == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "name a plugin, or the path of one"),
        (("./missing",), "there is no file "),
        ((Path(GOOD).parent,), f"{Path(GOOD).parent} is a folder"),
        ((GOOD, "--only", "nothing-of-the-kind"), "there is no promise called 'nothing-of-the-kind'"),
        ((GOOD, "--rig", "rig.txt"), "rig.txt is not a Python file"),
        ((GOOD, "--fixtures", "missing"), "missing is not a folder"),
        ((GOOD, "--fixtures", "."), "there are no fixtures in ."),
    ],
    ids=["no-name", "no-file", "folder", "no-promise", "no-rig", "no-folder", "no-fixtures"],
)
def test_what_cannot_be_understood_is_refused(args: tuple[object, ...], message: str, tmp_path: Path) -> None:
    status, said, error = check(*args, folder=tmp_path)
    assert (status, said, error.startswith(f"entire: {message}")) == (2, "", True), error


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "Expecting property name"),
        ("[]", "it must be an object"),
        ('{"hook": "stop"}', "the key 'payload' is missing"),
        ('{"hook": 7, "payload": {}, "event": null}', "7 must be a text"),
        ('{"hook": "stop", "payload": {}, "event": 7}', "7 must be an object"),
        ('{"hook": "stop", "payload": {}, "event": {}}', "the key 'type' is missing"),
        ('{"hook": "stop", "payload": {}, "event": {"type": "stop"}}', "must be a number from 1 to 7"),
    ],
)
def test_fixtures_that_make_no_sense_are_named(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "payloads").mkdir()
    (tmp_path / "payloads" / "one.json").write_text(content)
    with pytest.raises(Exception, match=message) as caught:
        fixtures.load(tmp_path)
    assert str(tmp_path / "payloads" / "one.json") in str(caught.value)


def test_the_list_names_checks_and_promises() -> None:
    status, said, _ = check("--list", "--only", "detect", "--only", "declarations")
    assert status == 0
    assert said.splitlines()[0] == "Identity"
    assert "  detect  `detect` tells whether the agent is here" in said
    assert "declarations  The adapter has the name and type" in said
    everything = json.loads(check("--list", "--json")[1])["checks"]
    assert {"info", "turns"} <= {each["name"] for each in everything}


# ---------------------------------------------------------------- promises


def outcomes(said: str) -> dict[str, str]:
    return {each["name"]: each["status"] for each in json.loads(said)["checks"]}


def test_a_rig_has_the_plugin_play_sessions_through_the_host(tmp_path: Path) -> None:
    plugin = Path(shutil.copy(GOOD, tmp_path))
    (tmp_path / "rig.py").write_text(RIG)
    names = ("turns", "commit", "shell", "answer-ends")
    only = [word for name in names for word in ("--only", name)]
    status, said, _ = check(plugin, "--rig", tmp_path / "rig.py", *only, "--json")
    assert outcomes(said) == {"turns": "passed", "commit": "passed", "shell": "passed", "answer-ends": "skipped"}, said
    assert status == 0
    reasons = {each["name"]: each["reason"] for each in json.loads(said)["checks"]}
    assert "declare `entire_positions` and `entire_answer_boundaries`" in reasons["answer-ends"]


def test_a_broken_promise_fails_with_what_was_compared(tmp_path: Path) -> None:
    fault = FAULTS["captured"][0]
    assert fault.changes
    plugin = tmp_path / GOOD.name
    plugin.write_text(GOOD.read_text().replace('"user", "text", until)]', '"agent", "text", until)]'))
    plugin.chmod(0o755)
    status, said, _ = check(plugin, "--only", "captured", "--fixtures", CAPTURED)
    assert status == 1
    assert "FAILED captured" in said
    assert "['Done.', 'Done again.'] == ['hi', 'ho', 'on', 'up', 'go']" in said


def test_a_rig_that_cannot_be_loaded_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rig.py").write_text("raise ValueError('oops')\n")
    status, said, error = check(GOOD, "--rig", tmp_path / "rig.py", "--only", "declarations")
    assert (status, said) == (2, "")
    assert "rig.py cannot be loaded: ValueError('oops')" in error


def test_neither_pytest_nor_hypothesis_is_needed(tmp_path: Path) -> None:
    """What only hypothesis can do says how to get it."""
    script = (
        "import importlib.util, sys\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'hypothesis' else find(name, *rest)\n"
        "from entire.cli import main\n"
        "status = main(sys.argv[1:])\n"
        "assert 'pytest' not in sys.modules and 'hypothesis' not in sys.modules\n"
        "sys.exit(status)\n"
    )
    only = [word for name in ("info", "shell", "parts") for word in ("--only", name)]
    done = subprocess.run(
        [sys.executable, "-c", script, "plugin", "check", str(GOOD), *only], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if "passed   " in line] == ["  passed   info", "  passed   shell"]
    assert "  skipped  parts  it has no hypothesis: `pip install 'entire[testing]'` brings it" in done.stdout
