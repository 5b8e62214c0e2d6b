"""``entire explain --generate`` with plugins: the model is asked by an executable, which may do anything."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from entire import SummaryRequest, Workspace
from entire.errors import EntireError
from tests import golden, plugins
from tests.integration.commandline import Repo

ONE = "1cc5a4cd674f"
ENTIRE = Path(sys.executable).with_name("entire")
ANSWER = {"text": json.dumps({"intent": "Greet", "outcome": "Done"})}


class World(Repo):
    """A repository that the Go CLI left, and plugins on PATH."""

    bin: Path

    def plugin(self, script: str, *, name: str = "quill", allowed: bool = True, capable: bool = True) -> Path:
        """Put a plugin on PATH whose ``generate-text`` is this script."""
        can = {"hooks": False, "text_generator": capable}
        info = {"protocol_version": 1, "name": name, "type": name.capitalize(), "capabilities": can}
        text = f"case $1 in\ninfo) echo '{json.dumps(info)}' ;;\ngenerate-text) {script} ;;\n*) exit 1 ;;\nesac\n"
        path = plugins.shell(self.bin, name, text)
        if allowed:
            Workspace.find().plugins.allow(name)
        return path


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> World:
    top = golden.repositories(golden.unpack("manual/12-amend-with-open-step", tmp_path / "home"))[0]
    monkeypatch.chdir(top)
    found = World(top, capsys)
    found.bin = tmp_path / "bin"
    found.bin.mkdir()
    monkeypatch.setenv("PATH", f"{found.bin}{os.pathsep}{os.environ['PATH']}")
    return found


def test_a_plugin_writes_the_summary(world: World) -> None:
    record = """cat >"$0.prompt"; printf '%s\\n' "$@" >"$0.words"; pwd >"$0.folder\""""
    world.plugin(f"{record}; echo '{json.dumps(ANSWER)}'")
    out = world.ok("explain", "--generate", "--model", "small-1", ONE)
    assert out.startswith("Quill wrote the summary of session ")
    assert "  Intent   Greet\n  Outcome  Done\n" in out
    plugin = world.bin / "entire-agent-quill"
    assert Path(f"{plugin}.words").read_text() == "generate-text\n--model\nsmall-1\n"
    assert Path(f"{plugin}.folder").read_text() == f"{world.top}\n"
    assert "1. create greeting file\n2. shell edit\n" in Path(f"{plugin}.prompt").read_text()


def test_without_a_model_the_plugin_chooses(world: World) -> None:
    world.plugin("""cat >/dev/null; printf '{"text": "%s words, model <%s>"}' $# "$3" """)
    assert "Intent  3 words, model <>\n" in world.ok("explain", "--generate", ONE)


def test_only_an_allowed_plugin_is_asked(world: World) -> None:
    path = world.plugin('touch "$0.asked"', allowed=False)
    assert world.entire("explain", "--generate", ONE) == 1
    assert "no agent here can write summaries" in world.err
    assert world.entire("explain", "--generate", "--with", "quill", ONE) == 2
    assert "the plugin quill is not allowed to run" in world.err
    assert "`entire plugin allow quill`" in world.err
    assert not Path(f"{path}.asked").exists()


def test_a_plugin_without_the_capability_is_not_asked(world: World) -> None:
    path = world.plugin('touch "$0.asked"', capable=False)
    assert world.entire("explain", "--generate", "--with", "quill", ONE) == 1
    assert "Quill cannot write summaries" in world.err
    assert not Path(f"{path}.asked").exists()


def test_of_several_plugins_one_is_chosen(world: World) -> None:
    world.plugin('cat >/dev/null; echo \'{"text": "by quill"}\'')
    world.plugin('cat >/dev/null; echo \'{"text": "by pen"}\'', name="pen")
    assert world.entire("explain", "--generate", ONE) == 1
    assert "choose one with --with: pen, quill" in world.err
    assert "Intent  by pen\n" in world.ok("explain", "--generate", "--with", "pen", ONE)


def test_the_sessions_own_plugin_comes_first(world: World) -> None:
    world.plugin('cat >/dev/null; echo \'{"text": "by quill"}\'')
    world.plugin('cat >/dev/null; echo \'{"text": "by pen"}\'', name="pen")
    path = f"{ONE[:2]}/{ONE[2:]}/0/metadata.json"
    world.put(path, world.git("show", f"entire/checkpoints/v1:{path}").replace("Claude Code", "Quill"))
    assert "Intent  by quill\n" in world.ok("explain", "--generate", ONE)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'no key: set QUILL_KEY' >&2; exit 3", "failed with status 3: no key: set QUILL_KEY"),
        ("kill -9 $$", "was killed by signal 9"),
        ("cat >/dev/null", "answered nothing"),
        ("echo sure", "did not answer with JSON: sure"),
        ("printf '\\000\\377'", "did not answer with JSON"),
        ("echo '[]'", "did not answer with the JSON object"),
        ("echo '{\"text\": 3}'", "Quill answered nothing"),
        ('echo \'{"text": ""}\'', "Quill answered nothing"),
        ("echo '{}'", "Quill answered nothing"),
        ('yes \'{"text": "x"}\'', "printed more than 10 MB"),
        ("exec <&-; sleep 0.1; exit 4", "failed with status 4"),
    ],
)
def test_a_plugin_that_fails_says_why_and_nothing_changes(world: World, script: str, said: str) -> None:
    world.plugin(script)
    before = world.files()
    assert world.entire("explain", "--generate", ONE) == 1
    assert said in world.err
    assert "; nothing was changed\nhint: " in world.err
    assert "Traceback" not in world.err
    assert world.files() == before


def test_a_slow_plugin_is_killed_with_its_children(world: World) -> None:
    world.plugin('sleep 60 & echo $! >"$0.pid"; wait')
    before = world.files()
    start = time.monotonic()
    with pytest.raises(EntireError, match="Quill did not answer within 1 second; nothing was changed"):
        Workspace.find().checkpoints.summarize(SummaryRequest(checkpoint=ONE, seconds=1))
    assert time.monotonic() - start < 10
    assert not _runs(int((world.bin / "entire-agent-quill.pid").read_text()))
    assert world.files() == before


def test_ctrl_c_ends_the_plugin_and_changes_nothing(world: World) -> None:
    world.plugin('sleep 60 & echo $! >"$0.pid"; wait')
    before = world.files()
    command = [str(ENTIRE), "explain", "--generate", ONE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        pid = world.bin / "entire-agent-quill.pid"
        end = time.monotonic() + 30
        while not (pid.exists() and pid.read_text().strip()) and time.monotonic() < end:
            time.sleep(0.02)
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=30)
    assert (started.returncode, out, err) == (130, b"", b"")
    assert not _runs(int(pid.read_text()))
    assert world.files() == before


def _runs(pid: int) -> bool:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX":
                return False
        except OSError:
            return False
        time.sleep(0.02)
    return True


def test_what_the_models_program_does_is_no_session(world: World) -> None:
    """It may be the agent itself, without a terminal: its hooks run here, and know no better."""
    payload = json.dumps({"session_id": "of-the-model", "prompt": "Summarize", "cwd": str(world.top)})
    hook = f"echo '{payload}' | {ENTIRE} hooks claude-code user-prompt-submit"
    world.plugin(f"cat >/dev/null; env >\"$0.env\"; {hook}; touch new.txt; echo '{json.dumps(ANSWER)}'")
    state = world.top / ".git/entire-sessions/of-the-model.json"
    world.ok("explain", "--generate", ONE)
    assert not state.exists()
    assert (world.top / "new.txt").exists()
    assert "ENTIRE_SUMMARY" not in os.environ

    inherited = dict(line.split("=", 1) for line in (world.bin / "entire-agent-quill.env").read_text().splitlines())
    assert inherited["ENTIRE_SUMMARY"]
    subprocess.run(["sh", "-c", hook], env={**os.environ, **inherited}, check=True)
    assert state.exists(), "a server that the model's program left running serves people later"


def test_no_hook_asks_for_a_summary(world: World) -> None:
    path = world.plugin('touch "$0.asked"; exit 1')
    (world.top / "new.txt").write_text("1\n")
    world.git("add", "new.txt")
    for words in (["explain", ONE], ["status"], ["explain"], ["doctor"], ["rewind", "--list"]):
        world.entire(*words)
    world.git("commit", "-qm", "Add new")
    assert not Path(f"{path}.asked").exists()
