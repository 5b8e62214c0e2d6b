"""Whatever a plugin does, its hooks end well, git goes on, and what is known is recorded."""

from __future__ import annotations

import json
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import forks
from tests.integration.plugin_at_work import PluginAtWork
from tests.integration.recording_plugin import NAME, RecordingPlugin
from tests.integration.story import Story


@pytest.fixture
def capabilities() -> dict[str, bool]:
    """Return the plugin's further capabilities."""
    return {}


@pytest.fixture
def is_process() -> bool:
    """Return whether the plugin's processes are the subject, so that no fork stands for them."""
    return False


class Recorded(PluginAtWork):
    plugin: RecordingPlugin


@pytest.fixture
def played(tmp_path: Path, capabilities: dict[str, bool], is_process: bool) -> Recorded:
    story = Story(tmp_path / "repo", enable=False)
    played = Recorded(story, RecordingPlugin(tmp_path / "plugin", capabilities, is_process=is_process))
    played.enable()
    played.hook("session-start")
    return played


OF_A_TURN = (
    "parse-hook",
    "get-session-dir",
    "get-transcript-position",
    "extract-modified-files",
    "extract-prompts",
    "extract-summary",
    "calculate-tokens",
    "prepare-transcript",
    "read-transcript",
    "write-hook-response",
)
HANG = "import time; time.sleep(1000)"
HUNG = 60
"""Seconds of a hook that nobody ended: of a plugin it waits for three."""
UNHEARD = ("parse-hook", "all")  # no event comes of the hook
UNASKED = ("get-session-dir", "write-hook-response")  # it is remembered; there is no message


@pytest.mark.parametrize("capabilities", [{"transcript_preparer": True, "hook_response_writer": True}])
@pytest.mark.parametrize("is_process", [True])
@pytest.mark.parametrize("subcommand", [*OF_A_TURN, "all"])
def test_a_plugin_hangs(played: Recorded, subcommand: str) -> None:
    played.turn("zero.txt", 1)
    played.story.commit("Add zero")
    played.plugin.instead(HANG, subcommand)
    played.hurry(2, 3)
    played.turn("one.txt", 10)
    assert played.seconds < HUNG
    assert played.survivors() == []
    played.story.commit("Add one")
    if subcommand not in UNHEARD:
        assert played.slot()["files_touched"] == ["one.txt"]
    told = f"`entire-agent-recorder {subcommand.replace('all', 'parse-hook')}` did not finish within 2 seconds"
    if subcommand not in UNASKED:
        (said,) = played.warnings()
        assert told in said
        assert [told in line for line in played.doctor()].count(True) == 1
    played.plugin.recover()
    played.turn("two.txt", 100)
    if subcommand not in UNHEARD:
        assert (played.tokens(), played.slot()["transcript"].splitlines()[-1]) == (10, played.text().splitlines()[5])
    played.story.commit("Add two")
    assert played.slot()["transcript"] == played.text()
    played.hook("session-end")
    assert played.tokens() == (110 if subcommand in UNHEARD else 100)
    assert [told in message for message in played.story.log_errors()] == [True] * (subcommand not in UNASKED)


@pytest.mark.parametrize("capabilities", [{"transcript_preparer": True}])
def test_a_checkpoint_keeps_what_it_has_if_its_turn_ends_without_an_answer(played: Recorded) -> None:
    played.turn("zero.txt", 1)
    played.begin("Create one.txt")
    played.work("one.txt", 10)
    played.story.commit("Add both")
    before = played.slot()["transcript"]
    played.say(answer="Done.", tokens=100)
    played.plugin.break_down("read-transcript")
    played.end()
    assert "Create zero.txt" in before
    assert (played.slot()["transcript"], played.tokens()) == (before, 1)
    played.plugin.recover()
    played.hook("session-end")
    assert (played.slot()["transcript"], played.tokens()) == (played.text(), 111)


def test_tokens_that_are_never_told_are_no_tokens(played: Recorded) -> None:
    played.plugin.break_down("calculate-tokens")
    for name in ("one.txt", "two.txt"):
        played.turn(name, 1)
        played.story.commit(f"Add {name}")
        played.begin("Go on")
        assert (played.slot()["transcript"].count("answer"), played.tokens()) == (played.text().count("answer"), None)


MISCONDUCT = {
    "hang": HANG,
    "flood": "while True: os.write(1, bytes(1 << 16))",
    "flood of errors": "while True: os.write(2, bytes(1 << 16))",
    "fork": "os.fork() or os.execlp('sleep', 'sleep', '1000'); as_told()",
    "many children": "[os.fork() or os.execlp('sleep', 'sleep', '1000') for _ in range(20)]; sys.exit(1)",
    "killed": "os.kill(os.getpid(), 9)",
    "kills its group": "os.kill(0, 15)",
    "stopped": "os.kill(os.getpid(), 19)",
    "exit": "sys.exit(1)",
    "message": "os.write(2, bytes(range(256))); sys.exit(1)",
    "binary": "os.write(1, bytes(range(256)) * 100)",
    "no UTF-8": r"""os.write(1, b'{"type": 3, "session_id": "\xff\xfe", "files": ["\xff"], "text": "\\ud800"}')""",
    "deep": "os.write(1, b'[' * 200000)",
    "list": "os.write(1, b'[1, 2, 3]')",
    "wrong types": "tell(type='3', session_id=5, files=7, position='9', prompts={}, summary=[], current_position=-1)",
    "infinite": "tell(type=3, session_id='session-1', position=float('inf'), input_tokens=float('nan'))",
    "two answers": "as_told(); as_told()",
    "answers and fails": "as_told(); sys.exit(3)",
    "answers and stays": f"as_told(); sys.stdout.flush(); {HANG}",
    "closes its pipes": f"[os.close(fd) for fd in range(3)]; {HANG}",
    "reads nothing": "os.close(0); tell()",
    "empty": "pass",
    "null": "print('null')",
}

LONG = "x" * (1 << 17)
"""More than a pipe holds: who reads nothing would block who writes."""
HARMLESS = ("fork", "answers and stays", "infinite")  # unless time is over


@pytest.mark.parametrize("is_process", [True])
@pytest.mark.parametrize("name", MISCONDUCT)
def test_misconduct(played: Recorded, name: str) -> None:
    """In a turn no event can be read, in another nothing else is answered, then all is well."""
    code = textwrap.indent(MISCONDUCT[name], "  ")
    played.hurry(2, 3)
    for number, condition in enumerate(("==", "!=")):
        played.plugin.instead(f"if WORDS[0] {condition} 'parse-hook':\n{code}\nelse:\n  as_told()\n")
        for verb in ("turn-start", "turn-end"):
            played.hook(verb, prompt=LONG)
            assert (played.seconds < HUNG, played.out, played.survivors()) == (True, b"", [])
            played.work(f"{number}{verb}.txt", 1)
    assert len(played.warnings()) == len(played.story.log_errors()) == 1 or name in HARMLESS
    played.plugin.recover()
    played.program = forks.command()
    played.turn("two.txt", 100)
    played.story.commit("Add everything")
    played.hook("session-end")
    assert {"1turn-start.txt", "two.txt"} <= set(played.slot()["files_touched"])
    assert played.tokens() == 104
    assert played.slot()["transcript"] == played.text()


def test_a_turn_that_goes_on_after_a_commit_is_counted_once(played: Recorded) -> None:
    played.turn("one.txt", 1)
    played.story.commit("Add one")
    played.work("two.txt", 10)
    played.end()
    played.turn("three.txt", 100)
    played.story.commit("Add both")
    played.hook("session-end")
    assert (played.tokens("HEAD~"), played.tokens()) == (1, 110)


def test_a_rewritten_transcript_is_counted_from_its_start(played: Recorded) -> None:
    """The agent compacts its session: it writes less than there was, with answers that nothing has counted."""
    played.turn("one.txt", 1)
    played.turn("two.txt", 10)
    played.story.commit("Add both")
    assert played.tokens() == 11
    played.begin("Go on")
    Path(played.ref).write_text("")
    played.say(answer="a summary", tokens=100)
    played.hook("compaction")
    played.work("three.txt", 1000)
    played.end()
    played.story.commit("Add another")
    assert (played.tokens(), played.slot()["transcript"]) == (1100, played.text())
    assert played.slot().get("checkpoint_transcript_start", 0) == 0
    played.turn("four.txt", 10000)
    played.story.commit("Add the last")
    assert played.tokens() == 10000
    assert played.story.log_errors() == []


def test_files_that_are_none_of_the_repositorys(played: Recorded) -> None:
    names = ["/etc/passwd", "../x", "a\0b", "x\ny", "-rf", ".git/config", "", ".", "/", "\ud800", "a" * 5000, 5, None]
    played.plugin.instead(f"tell(files={names!r}, current_position=3)", "extract-modified-files")
    played.turn("one.txt", 1)
    played.story.commit("Add one")
    assert (played.slot()["files_touched"], played.tokens()) == (["one.txt"], 1)
    assert played.story.log_errors() == []


@pytest.mark.parametrize("figure", [-5, 10**30, 2**63 - 1, 1.5, "7", None, True])
def test_figures_that_cannot_be_tokens_are_unknown(played: Recorded, figure: object) -> None:
    played.plugin.instead(f"tell(input_tokens=3, output_tokens={figure!r})", "calculate-tokens")
    played.turn("one.txt", 1)
    played.story.commit("Add one")
    usage = played.slot()["token_usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (3, None)
    played.ok("explain")


@pytest.mark.parametrize("position", [1, -1, 0, 10**30, 2**63 - 1, "9", None])
def test_positions_that_are_lies(played: Recorded, position: object) -> None:
    """Whatever they are: the conversation is stored, and later turns count."""
    played.turn("one.txt", 1)
    played.plugin.instead(f"tell(position={position!r})", "get-transcript-position")
    played.plugin.instead(f"tell(files=[], current_position={position!r})", "extract-modified-files")
    played.turn("two.txt", 10)
    played.story.commit("Add both")
    assert played.slot()["files_touched"] == ["one.txt", "two.txt"]
    assert played.slot()["transcript"] == played.text()
    played.plugin.recover()
    played.turn("three.txt", 100)
    played.turn("four.txt", 1000)
    played.story.commit("Add more")
    played.hook("session-end")
    assert played.slot()["transcript"] == played.text()
    assert played.tokens() in (1100, 1110, 1111)


@pytest.mark.parametrize(
    "ref", ["../x", "{above}/x", "{here}/../x", "{here}/link", "{here}/folder/x", "/etc/passwd", "/", "a\nb"]
)
def test_references_that_lead_out_are_refused(played: Recorded, tmp_path: Path, ref: str) -> None:
    (tmp_path / "x").write_text('{"prompt": "a secret"}\n')
    (played.plugin.sessions / "link").symlink_to(tmp_path / "x")
    (played.plugin.sessions / "folder").symlink_to(tmp_path)
    (played.plugin.sessions.parent / "x").write_text('{"prompt": "a secret"}\n')
    named = ref.format(above=tmp_path, here=played.plugin.sessions)
    played.hook("turn-start", session_ref=named, prompt="Go")
    played.work("one.txt")
    played.hook("turn-end", session_ref=named)
    played.story.commit("Add one")
    assert played.slot()["transcript"] == played.text(), "the plugin finds the session's own"
    objects = played.story.git("rev-list", "--all").split()
    assert played.story.git("grep", "a secret", *objects, ok=False) == ""
    (said,) = played.warnings()
    assert f"the plugin recorder named the transcript {named!r}, which is ignored" in said


@pytest.mark.parametrize("session_id", ["../../x", "a/b", "..", "", "x\0y", "x\ny", "a" * 300, 5, None])
def test_ids_that_are_none(played: Recorded, session_id: object) -> None:
    before = sorted((played.story.root / ".git").rglob("*"))
    played.plugin.instead(f"tell(type=2, session_id={session_id!r}, prompt='p')", "parse-hook")
    played.hook("turn-start")
    after = sorted((played.story.root / ".git").rglob("*"))
    assert [path.name for path in after if path not in before and path.is_file()] == ["plugin-problems.json"]
    assert len(played.warnings()) == len(played.story.log_errors()) == 1


@pytest.mark.parametrize("fields", [{"hook_names": ["turn-start"]}, {"capabilities": {}}])
def test_a_plugin_that_has_lost_its_hooks(played: Recorded, fields: dict[str, object]) -> None:
    played.plugin.tell(**fields)
    played.ok("plugin", "allow", NAME)
    played.end()
    (said,) = played.warnings()
    assert "the plugin recorder was called for 'turn-end', which is not in its hook_names" in said


def test_a_plugin_that_comes_and_goes(played: Recorded) -> None:
    played.begin("Create one.txt")
    played.work("one.txt", 1)
    played.plugin.path.chmod(0o644)
    played.end()
    (said,) = played.warnings()
    assert said.startswith("the plugin recorder is not on PATH any more, so its sessions are not recorded")
    played.story.commit("Add one")
    played.plugin.path.chmod(0o755)
    played.turn("two.txt", 10)
    played.story.commit("Add two")
    assert (played.slot("HEAD~")["transcript"].count("\n"), played.tokens("HEAD~")) == (3, 1)
    assert (played.slot()["transcript"], played.tokens()) == (played.text(), 10)
    assert played.story.log_errors() == ["the plugin recorder was not on PATH"]


def test_sessions_side_by_side(played: Recorded) -> None:
    """Four sessions of the plugin call their hooks at once, and one of another agent works beside them."""
    played.ok("enable", "--agent", "claude-code")
    several = [Recorded(played.story, played.plugin, f"side-{number}") for number in range(4)]

    def call(verb: str) -> None:
        with ThreadPoolExecutor() as pool:
            payloads = ({"session_id": each.id, "session_ref": each.ref, "prompt": "Go"} for each in several)
            words = ("hooks", NAME, verb)
            for done in pool.map(lambda given: played.run(*words, stdin=json.dumps(given).encode()), payloads):
                assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    call("session-start")
    call("turn-start")
    beside = played.story.started()
    beside.prompt("Work beside them")
    for each in several:
        each.work(f"{each.id}.txt", 1)
    beside.write("beside.txt", "b\n")
    call("turn-end")
    beside.stop()
    played.story.commit("Add all")
    slots = played.story.linked()["slots"]
    expected = {each.id: [f"{each.id}.txt"] for each in several} | {beside.id: ["beside.txt"]}
    assert {session_id: slot["files_touched"] for session_id, slot in slots.items()} == expected
    assert [slots[each.id]["token_usage"]["output_tokens"] for each in several] == [1, 1, 1, 1]
    assert (played.warnings(), played.story.log_errors()) == ([], [])
