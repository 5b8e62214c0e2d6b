"""``.entire/redact.toml`` through hooks: own rules, exceptions and personal data, and what is wrong with the file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from entire.audit import verdicts
from entire.model.conversations import ShowRequest
from entire.workspace import Workspace
from entire.workspace.rules import Rules
from entire_secrets.linear import Budget
from entire_secrets.own_rules import value_hash
from tests.integration import secrets
from tests.integration.commandline import Command
from tests.integration.reading.test_queries_shown import AGENT, delegate
from tests.integration.secrets import TOKEN
from tests.integration.story import Session, Story

RULE = '[[rule]]\nid = "acme-token"\npattern = "acme_[a-z0-9]{12}"\nexample = "acme_abcdef012345"\n'
OWN = "acme_0123456789ab"
CONFIG = ".entire/redact.toml"
MAIL = "ann.miller@corp.test"


def work(story: Story, text: str, name: str = "a.py") -> Session:
    """Have a session say something in a prompt, an answer and a tool's output, and store it all."""
    session = story.started()
    session.prompt(f"prompt {text}")
    with session.shell(f"echo {text}") as output:
        output.append(f"output {text}\n")
    session.write(name, "1\n")
    session.stop(f"answer {text}")
    story.commit(f"Add {name}")
    return session


def test_own_rules_apply_to_all_that_hooks_store(story: Story) -> None:
    story.write(CONFIG, f"{RULE}[personal]\nemail = true\n")
    session = story.started()
    session.prompt(f"prompt {OWN} {MAIL}")
    delegate(session)
    path = session.file.with_suffix("") / "subagents" / f"agent-{AGENT}.jsonl"
    path.write_text(path.read_text().replace("Nothing here.", f"found {OWN} of {MAIL}"))
    session.hook("post-task", tool_name="Task", tool_use_id="toolu_2", tool_input={"description": f"look {OWN}"},
                 tool_response={"status": "completed", "agentId": AGENT})  # fmt: skip
    session.write("a.py", "1\n")
    session.stop(f"answer {OWN}")
    story.commit("Add a")
    stored = secrets.stored(story)
    assert OWN not in stored
    assert MAIL not in stored
    assert "prompt [REDACTED:acme-token] [REDACTED:email]" in stored
    assert "found [REDACTED:acme-token] of [REDACTED:email]" in stored
    assert not story.log_errors()


def test_exceptions_by_value_rule_and_path(story: Story) -> None:
    allowed = f'values = ["{value_hash(TOKEN.encode())}"]\nrules = ["jwt"]\npaths = ["fixtures/*.py"]\n'
    story.write(CONFIG, f"{RULE}[allow]\n{allowed}")
    session = story.started()
    session.prompt(f"prompt {TOKEN} {OWN}")
    for name in ("fixtures/keys.py", "keys.py"):
        path = str(story.path(name))
        value = f'{name.split("/")[0]} = "acme_{"x" * 8}{len(name):04}"'
        session.tool("Read", {"file_path": path}, {"type": "text", "file": {"filePath": path, "content": value}})
    session.write("a.py", "1\n")
    session.stop()
    stored = secrets.stored(story)
    assert f"prompt {TOKEN} [REDACTED:acme-token]" in stored
    assert "acme_xxxxxxxx0016" in stored  # in a file that is an exception
    assert "acme_xxxxxxxx0007" not in stored


BROKEN = {
    "no TOML": ("[[rule", "it is not TOML"),
    "a pattern that needs more than linear time": (
        '[[rule]]\nid = "slow"\npattern = "(a+)\\\\1b"\nexample = "aab"\n', "not a regular expression that RE2"),
    "a pattern that is too large": (
        '[[rule]]\nid = "slow"\npattern = ".{0,4096}.{0,4096}.{0,4096}Q"\nexample = "Q"\n', "that RE2 can run"),
    "an unknown key": ("[allow]\nvalue = []\n", "`allow.value` is not known"),
    "too large": ("#" * (1 << 20) + "\n", "it is larger than 1,048,576 bytes"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_fails_no_hook_and_is_named(story: Story, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    text, problem = BROKEN[kind]
    story.write(CONFIG, text + ("" if text == "[[rule" else RULE))
    work(story, f"{TOKEN} {'a' * 60}")
    stored = secrets.stored(story)
    assert TOKEN not in stored
    assert "prompt [REDACTED:github-token]" in stored
    assert [message for message in story.log_errors() if problem in message][1:] == []  # once
    assert problem in str(story.log_errors())
    status = json.loads(Command(story, capsys, "status")("--json"))
    assert [warning for warning in status["warnings"] if problem in warning and CONFIG in warning]
    found = json.loads(Command(story, capsys, "doctor")("--json", status=1))["findings"]
    assert [row for row in found if row["check"] == "redaction" and problem in row["message"] and row["hint"]]
    story.write(CONFIG, RULE)
    assert not json.loads(Command(story, capsys, "status")("--json"))["warnings"]


def test_an_edit_that_is_wrong_again_is_logged_again(story: Story) -> None:
    for number, text in enumerate(("x = 1\n", "x = 1\n", "y = 1\n", RULE, "y = 1\n")):
        story.write(CONFIG, text)
        work(story, TOKEN, f"f{number}.py")
    named = [message[:30] for message in story.log_errors() if "is not known" in message]
    assert [message[21:24] for message in named] == ["`x`", "`y`", "`y`"]


@pytest.mark.parametrize("kind", ["fifo", "link to a fifo", "device", "folder", "dangling link", "unreadable"])
def test_a_file_that_cannot_be_read_stops_nothing(story: Story, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    path = story.path(CONFIG)
    if kind.endswith("fifo"):
        os.mkfifo(path if kind == "fifo" else story.path("pipe"))
    if kind == "folder":
        path.mkdir()
    elif kind == "unreadable":
        path.write_text(RULE)
        path.chmod(0)
    elif kind != "fifo":
        path.symlink_to({"link to a fifo": "../pipe", "device": "/dev/zero"}.get(kind, "nowhere"))
    session = story.started()
    session.prompt(f"prompt {TOKEN}")
    session.stop()
    assert TOKEN not in secrets.stored(story)
    is_read = kind == "unreadable" and os.access(path, os.R_OK)  # by root
    warnings = json.loads(Command(story, capsys, "status")("--json"))["warnings"]
    assert is_read or [warning for warning in warnings if "it cannot be read" in warning]


def test_each_worktree_has_its_own_file(story: Story, tmp_path: Path) -> None:
    other = tmp_path / "side"
    story.git("worktree", "add", "-q", "-b", "side", str(other))
    (other / ".entire").mkdir(exist_ok=True)
    (other / CONFIG).write_text(RULE)
    (other / "sub").mkdir()
    for cwd, word in ((story.root, "main"), (other / "sub", "side")):
        session = story.session()
        session.cwd = cwd
        session.start()
        session.prompt(f"{word} {OWN}")
        session.stop()
    stored = secrets.stored(story)
    assert f"main {OWN}" in stored
    assert f"side {OWN}" not in stored


def test_a_commit_in_another_worktree_has_what_the_sessions_own_rules_left(story: Story, tmp_path: Path) -> None:
    other = tmp_path / "side"
    story.git("worktree", "add", "-q", "-b", "side", str(other))
    (other / ".entire").mkdir(exist_ok=True)
    (other / CONFIG).write_text("[personal]\nemail = true\n")  # which is not remembered: only the rule knows it
    session = story.session()
    session.cwd = other
    session.start()
    session.prompt(f"side {MAIL}")
    with session.shell(f"echo {MAIL}") as output:
        output.append(f"output {MAIL}\n")
    session.write("a.py", "1\n")
    story.git("add", "a.py")
    story.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "Add a")
    session.stop(f"answer {MAIL}")
    assert story.recorded(), "the commit was not linked"
    assert MAIL not in secrets.stored(story)


def test_a_separate_git_directory(tmp_path: Path) -> None:
    story = Story(tmp_path / "repo")
    story.git("init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere.git"))
    story.write(CONFIG, RULE)
    session = story.started()
    session.prompt(f"prompt {OWN}")
    session.write("a.py", "1\n")
    session.stop()
    assert "prompt [REDACTED:acme-token]" in secrets.stored(story)
    assert OWN not in secrets.stored(story)


def test_an_edit_makes_an_audit_due(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    work(story, "nothing")
    assert Command(story, capsys, "audit")()
    assert json.loads(Command(story, capsys, "status")("--json"))["is_audit_due"] is False
    story.write(CONFIG, RULE)
    assert json.loads(Command(story, capsys, "status")("--json"))["is_audit_due"] is True


def test_what_own_rules_had_no_time_for_is_named_and_found_by_an_audit(
    story: Story, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    story.write(CONFIG, RULE)
    said = Command(story, capsys)
    with monkeypatch.context() as patch:
        patch.setattr(Budget.__init__, "__defaults__", (0.0, 2048))
        work(story, f"{OWN} {TOKEN}")
    stored = secrets.stored(story)
    assert OWN in stored
    assert TOKEN not in stored  # the built-in rules see everything
    late = "its rules took too long and did not see all that is stored: run `entire audit`"
    assert [message for message in story.log_errors() if late in message][1:] == []  # once
    assert late in " ".join(said("status").split())
    assert late in " ".join(said("doctor", status=1).split())
    (found,) = json.loads(said("audit", "--json", status=1))["secrets"]
    assert found["rule"] == "acme-token"
    assert late not in " ".join(said("status").split())


def test_an_audit_says_what_own_rules_had_no_time_for(
    story: Story, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    work(story, OWN)
    story.write(CONFIG, RULE)
    said = Command(story, capsys)
    with monkeypatch.context() as patch:
        patch.setattr(verdicts, "_SECONDS", 0.0)
        late = json.loads(said("audit", "--json", status=2))["unread"]
        assert all("(own rules took too long for " in name for name in late)
    assert json.loads(said("audit", "--json", status=1))["unread"] == []


def test_two_workspaces_in_one_process_redact_each_by_its_own_rules(tmp_path: Path) -> None:
    """Opened side by side and asked by turns, as a viewer does; the first has a rule, the second an exception."""
    opened = []
    for name, config in (("one", RULE), ("two", f'[allow]\nvalues = ["{value_hash(TOKEN.encode())}"]\n')):
        story = Story(tmp_path / name / "repo")
        story.write(CONFIG, config)
        session = story.started()
        session.prompt("Look")
        session.answer({"type": "text", "text": f"found {OWN} and {TOKEN}"})
        opened.append(Workspace.find(story.root))
    both = ("found [REDACTED:acme-token] and [REDACTED:github-token]", f"found {OWN} and {TOKEN}")
    for _ in range(2):
        for workspace, expected in zip(opened, both, strict=True):
            (part,) = workspace.history.show(ShowRequest(is_uncommitted=True)).conversations
            assert expected in [message.text for message in part.messages or ()]
    rules = [Rules.find(workspace.place.top) for workspace in opened]
    assert ["acme-token" in {rule.id for rule in each.listing()} for each in rules] == [True, False]
