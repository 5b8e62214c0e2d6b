"""The demo agent at work: files, transcript, memory, hooks."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from entire_demo_agent import memory, program
from tests.unit.entire_demo_agent.conftest import Bench


def test_it_does_what_it_is_told(bench: Bench) -> None:
    bench.ask(
        'create a file sub/a.txt with one then append "two\\nthree" to sub/a.txt; replace two with 2 in sub/a.txt\n'
        "create b.txt with b; delete b.txt; run printf x > c.txt"
    )
    assert (bench.folder / "sub/a.txt").read_bytes() == b"one\n2\nthree\n"
    assert not (bench.folder / "b.txt").exists()
    assert (bench.folder / "c.txt").read_bytes() == b"x"


def test_appended_text_begins_on_a_line_of_its_own(bench: Bench) -> None:
    (bench.folder / "a.bin").write_bytes(b"\xff\xfe")
    bench.ask("append z to a.bin")
    assert (bench.folder / "a.bin").read_bytes() == b"\xff\xfe\nz\n"


@pytest.mark.parametrize(
    "prompt",
    [
        "create ../out.txt with x",
        "create /etc/entire-demo-test with x",
        "create .git/config with x",
        "create link/x with y",
        "append x to link",
        'create "" with x',
        'create "a\\0b" with x',
        "create . with x",
        "delete missing",
        "append x to missing",
        "replace a with b in full.txt",
        "delete sub",
        'run "printf \\0"',
        "run exit 3",
    ],
)
def test_what_cannot_be_done_is_answered(bench: Bench, prompt: str) -> None:
    (bench.folder / "sub").mkdir()
    (bench.folder / "full.txt").write_text("xyz\n")
    (bench.folder / "link").symlink_to("..")
    shown = bench.ask(f"{prompt}\ncreate after.txt with ok", "--session-id", "s")
    assert "Done, but 1 went wrong" in shown
    assert [record["ok"] for record in bench.records("s") if record["type"] == "result"] == [False, True]
    assert (bench.folder / "after.txt").exists()
    assert not {"out.txt", "x"} & set(os.listdir(bench.folder.parent))


def test_deleting_a_link_keeps_its_target(bench: Bench) -> None:
    (bench.folder / "target").write_text("x")
    (bench.folder / "link").symlink_to("target")
    bench.ask("delete link")
    assert sorted(path.name for path in bench.folder.iterdir()) == ["target"]


def test_unknown_words_and_empty_prompts_are_answered(bench: Bench) -> None:
    assert bench.ask("dance") == "I do not understand: dance\n"
    assert bench.ask(" ").startswith("Tell me what to do")


def test_the_transcript_is_a_chain_that_tells_everything(bench: Bench) -> None:
    bench.ask("create a.txt with x; say hello; delete nope", "--session-id", "s-1")
    records = bench.records("s-1")
    kinds = "session prompt answer call result answer answer call result answer"
    assert [record["type"] for record in records] == kinds.split()
    assert [record["parent"] for record in records] == [None, *(record["id"] for record in records[:-1])]
    assert len({record["id"] for record in records}) == len(records)
    assert [record["time"] for record in records] == sorted(record["time"] for record in records)
    call, result = records[3:5]
    assert (call["answer"], call["tool"], call["input"]) == (records[2]["id"], "create", {"path": "a.txt", "text": "x"})
    assert (result["call"], result["ok"], result["change"]) == (call["id"], True, "created")
    assert result["path"] == os.path.realpath(bench.folder / "a.txt")
    assert "path" not in records[8]


def test_tokens_follow_from_the_texts(bench: Bench) -> None:
    bench.ask("say hello", "--session-id", "a")
    bench.ask("say hello", "--session-id", "b")
    usage_a, usage_b = ([r["usage"] for r in bench.records(name) if r["type"] == "answer"] for name in "ab")
    assert usage_a == usage_b == [{"input": 3, "cache_write": 0, "cache_read": 0, "output": 2}]
    bench.ask("say bye", "--resume", "a")
    assert bench.records("a")[-1]["usage"] == {"input": 2, "cache_write": 2, "cache_read": 3, "output": 1}


def test_a_resumed_session_remembers(bench: Bench) -> None:
    bench.ask("remember tea is hot; remember ice is not", "--session-id", "s")
    before = bench.transcript("s").read_bytes()
    assert bench.ask("what do you remember", "--resume", "s") == (
        "I remember: tea is hot; ice is not. This is turn 2 of our conversation.\n"
    )
    assert bench.transcript("s").read_bytes().startswith(before)
    assert "turn 3 of" in bench.ask("what do you remember", "--continue")
    assert "I remember: nothing. This is turn 1" in bench.ask("what do you remember")


def test_a_restored_transcript_is_the_conversation_as_it_was(bench: Bench) -> None:
    bench.ask("remember one", "--session-id", "s")
    early = bench.transcript("s").read_bytes()
    bench.ask("remember two", "--resume", "s")
    bench.transcript("s").write_bytes(early)
    assert "I remember: one. This is turn 2" in bench.ask("what do you remember", "--resume", "s")


def test_a_torn_last_line_is_passed_over(bench: Bench) -> None:
    bench.ask("remember one", "--session-id", "s")
    path = bench.transcript("s")
    path.write_bytes(path.read_bytes() + b'{"type": "prompt", "te')
    assert "I remember: one. This is turn 2" in bench.ask("what do you remember", "--resume", "s")
    lines = path.read_bytes().splitlines()
    assert lines.count(b'{"type": "prompt", "te') == 1
    assert json.loads(lines[-1])["type"] == "answer"


@pytest.mark.parametrize(
    "junk", [b"", b"\n\n", b"\xff\xfe\n", b"[1]\n7\nnull\n", b'{"type": 3}\n', b"[" * 100_000 + b"\n"]
)
def test_junk_in_a_transcript_is_passed_over(bench: Bench, junk: bytes) -> None:
    bench.ask("remember one", "--session-id", "s")
    path = bench.transcript("s")
    path.write_bytes(junk + path.read_bytes() + b'{"type": "answer", "usage": {"input": "x", "output": -1}}\n' + junk)
    assert "one" in bench.ask("what do you remember", "--resume", "s")


def test_sessions_that_cannot_be_opened_are_refused(bench: Bench) -> None:
    assert "there is no session in this folder" in bench.fails("--continue")
    assert "there is no session x" in bench.fails("--resume", "x")
    assert "is not a valid session id" in bench.fails("--resume", "../x")
    assert "is not a valid session id" in bench.fails("--session-id", ".")
    bench.ask("say x", "--session-id", "x")
    assert "--resume x" in bench.fails("--session-id", "x")


def test_a_session_is_found_from_another_folder(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.ask("remember one", "--session-id", "s")
    (bench.folder / "sub").mkdir()
    monkeypatch.chdir(bench.folder / "sub")
    assert "I remember: one" in bench.ask("what do you remember", "--resume", "s")
    assert "there is no session in this folder" in bench.fails("--continue")


def test_hooks_fire_in_order_with_their_payloads(bench: Bench) -> None:
    bench.write_hooks(bench.folder, lambda event: f"cat >> {bench.log}; echo >> {bench.log}")
    bench.ask('ask a helper to "create h.txt with x"', "--session-id", "s")
    fired = bench.fired()
    order = "SessionStart PromptSubmit SubagentStart SubagentEnd TurnEnd SessionEnd"
    assert [payload["hook_event_name"] for payload in fired] == order.split()
    assert {payload["session_id"] for payload in fired} == {"s"}
    assert {payload["cwd"] for payload in fired} == {str(bench.folder)}
    assert {payload["transcript_path"] for payload in fired} == {str(bench.transcript("s"))}
    start, submit, helper_start, helper_end, end, over = fired
    assert start["source"] == "startup"
    assert submit["prompt"] == 'ask a helper to "create h.txt with x"'
    assert submit["prompt_id"] == end["prompt_id"]
    assert end["last_answer"] == "Done."
    assert over["reason"] == "done"
    call = next(record for record in bench.records("s") if record["type"] == "call")
    assert (helper_start["subagent_id"], helper_start["tool_use_id"]) == (call["helper"], call["id"])
    assert helper_end["task"] == "create h.txt with x"
    own = [json.loads(line) for line in Path(helper_end["subagent_transcript_path"]).read_bytes().splitlines()]
    assert [record["type"] for record in own] == ["session", "prompt", "answer", "call", "result", "answer"]


def test_a_hook_finds_the_turn_already_written(bench: Bench) -> None:
    copy = bench.home / "copy"
    code = f'import json, sys, shutil; shutil.copy(json.load(sys.stdin)["transcript_path"], "{copy}")'
    command = f"{sys.executable} -c '{code}'"
    bench.write_hooks(bench.folder, lambda event: command if event == "TurnEnd" else "true")
    bench.ask("create a.txt with x", "--session-id", "s")
    assert copy.read_bytes() == bench.transcript("s").read_bytes()


def test_hooks_of_user_and_project_both_fire_equal_ones_once(bench: Bench) -> None:
    (bench.folder / ".git").mkdir()
    (bench.folder / "sub").mkdir()
    os.chdir(bench.folder / "sub")
    for base, name in ((bench.home, "user"), (bench.folder, "project")):
        entries = [{"command": f"echo '\"{name}\"' >> {bench.log}"}, {"command": f"echo '\"both\"' >> {bench.log}"}]
        (base / ".demo-agent").mkdir()
        (base / ".demo-agent/settings.json").write_text(json.dumps({"hooks": {"TurnEnd": entries}}))
    bench.ask("say x")
    assert bench.fired() == ["user", "both", "project"]


@pytest.mark.parametrize(
    "settings",
    [
        b"{",
        b"\xff",
        b"[]",
        b'{"hooks": 3}',
        b'{"hooks": {"TurnEnd": {"command": "x"}}}',
        b'{"hooks": {"TurnEnd": [1, {"command": 3}, {}, {"command": " "}, {"command": "exit 2"}]}}',
        b'{"hooks": {"TurnEnd": [{"command": "/no/such/program"}, {"command": "echo [; kill -9 $$"}]}}',
        b'{"hooks": {"TurnEnd": [{"command": "sleep 60", "timeout": 0.05}]}}',
    ],
)
def test_bad_settings_and_failing_hooks_do_not_stop_it(bench: Bench, settings: bytes) -> None:
    (bench.folder / ".demo-agent").mkdir()
    (bench.folder / ".demo-agent/settings.json").write_bytes(settings)
    assert bench.ask("say x") == "x\n"


def test_a_message_of_a_hook_is_shown_other_output_is_not(bench: Bench) -> None:
    bench.write_hooks(
        bench.folder,
        lambda event: {
            "SessionStart": """echo '{"message": "watching"}'""",
            "TurnEnd": "echo chatter",
        }.get(event, "true"),
    )
    assert bench.ask("say x") == "watching\nx\n"


def test_commands_and_hooks_know_the_session(bench: Bench) -> None:
    bench.write_hooks(bench.folder, lambda event: f'echo "\\"$DEMO_AGENT_SESSION_ID\\"" >> {bench.log}')
    bench.ask("run echo $DEMO_AGENT_SESSION_ID > id.txt", "--session-id", "s-9")
    assert (bench.folder / "id.txt").read_text() == "s-9\n"
    assert set(bench.fired()) == {"s-9"}


def test_a_conversation_on_standard_input(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.write_hooks(bench.folder, lambda event: f"cat >> {bench.log}; echo >> {bench.log}")
    typed = "remember one\n\ncreate a.txt with ```\nx; y\n```\n/compact\n/clear\nwhat do you remember\n/exit\nsay no\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    assert program.main(["--session-id", "s"]) == 0
    assert (bench.folder / "a.txt").read_text() == "x; y\n"
    shown = capsys.readouterr().out
    assert "I remember: nothing. This is turn 1" in shown
    assert "no" not in shown.splitlines()
    fired = [(payload["hook_event_name"], payload["session_id"] == "s") for payload in bench.fired()]
    turn = ("PromptSubmit", "TurnEnd")
    first, second = ("SessionStart", *turn, *turn, "Compaction", "SessionEnd"), ("SessionStart", *turn, "SessionEnd")
    assert fired == [*((event, True) for event in first), *((event, False) for event in second)]
    assert [payload["reason"] for payload in bench.fired() if "reason" in payload] == ["clear", "exit"]
    assert "I remember: one." in bench.ask("what do you remember", "--resume", "s")
    assert bench.records("s")[-1]["usage"]["cache_read"] == 0


def test_ctrl_c_ends_the_turn_without_its_hook(bench: Bench) -> None:
    bench.write_hooks(bench.folder, lambda event: f"cat >> {bench.log}; echo >> {bench.log}")
    command = [sys.executable, "-m", "entire_demo_agent", "--session-id", "s", "-p", 'run "touch started; sleep 60"']
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while not (bench.folder / "started").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        assert child.wait(30) == 130
    finally:
        child.kill()
    assert [payload["hook_event_name"] for payload in bench.fired()] == ["SessionStart", "PromptSubmit", "SessionEnd"]
    assert [record["type"] for record in bench.records("s")][-2:] == ["call", "interrupt"]
    assert "This is turn 2" in bench.ask("what do you remember", "--resume", "s")


def test_it_works_on_when_nobody_reads_what_it_shows(bench: Bench) -> None:
    bench.write_hooks(bench.folder, lambda event: f"cat >> {bench.log}; echo >> {bench.log}")
    read, write = os.pipe()
    os.close(read)
    child = subprocess.run(
        [sys.executable, "-m", "entire_demo_agent", "-p", "say x; create a with b"], stdout=write, timeout=30
    )
    os.close(write)
    assert child.returncode == 0
    assert bench.fired()[-1]["hook_event_name"] == "SessionEnd"


@pytest.mark.parametrize(("text", "tokens"), [("", 1), ("a", 1), ("abcd", 1), ("abcde", 2)])
def test_count_tokens(text: str, tokens: int) -> None:
    assert memory.count_tokens(text) == tokens


def test_stamp() -> None:
    assert memory.stamp(1_700_000_000.25) == "2023-11-14T22:13:20.250000Z"
