"""Files that a commit brought only propose what reaches further than recording here: this person must choose it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire_secrets.own_rules import value_hash
from tests.integration import secrets
from tests.integration.commandline import Command
from tests.integration.secrets import TOKEN
from tests.integration.story import Session, Story

SHARED, LOCAL, OWN = ".entire/settings.json", ".entire/settings.local.json", ".entire/entire.json"
CONFIG = ".entire/redact.toml"
AUTO = "settings.json asks for auto-commit: not followed here; `entire enable --strategy auto-commit` agrees"
ALLOW = f'[allow]\nvalues = ["{value_hash(TOKEN.encode())}"]\nrules = ["jwt"]\npaths = ["*"]\n'


def pull(story: Story, name: str, content: str) -> None:
    """Commit a file as a teammate's commit brings it."""
    story.write(name, content)
    story.git("add", "-f", name)
    story.git("commit", "-q", "--no-verify", "-m", f"Change {name}")


def settings(**values: object) -> str:
    return json.dumps({"enabled": True, **values})


def turn(story: Story, name: str = "a.py", text: str = "") -> Session:
    session = story.started()
    session.prompt(f"write {name} {text}")
    session.write(name, "1\n")
    session.stop(f"done {text}")
    return session


def commits_turns(story: Story, name: str) -> bool:
    """Play a turn; tell whether it was committed."""
    before = story.head()
    turn(story, name)
    return story.head() != before


@pytest.fixture
def said(story: Story, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(story, capsys)


# ---------------------------------------------------------------- auto-commit


def test_a_commit_brings_no_auto_commit(story: Story, said: Command) -> None:
    pull(story, SHARED, settings(strategy="auto-commit"))
    assert not commits_turns(story, "a.py")
    status = said("status")
    assert status.startswith("Enabled (manual-commit)\n")
    assert AUTO in " ".join(status.split())
    assert said.json("doctor")["findings"][0]["message"] == f"{SHARED} asks for auto-commit: not followed here"
    assert AUTO in " ".join(said("audit").split())
    pull(story, LOCAL, settings(strategy="auto-commit"))  # a tracked file is nobody's own, whatever its name
    assert not commits_turns(story, "b.py")
    assert story.entire("enable", "--agent", "claude-code") == 0  # chooses no strategy
    assert not commits_turns(story, "c.py")
    assert story.entire("enable", "--strategy", "auto-commit") == 0
    assert commits_turns(story, "d.py")
    assert said("status").startswith("Enabled (auto-commit)\n")
    assert "not followed" not in said("audit")


def test_a_choice_survives_that_its_file_is_committed(story: Story) -> None:
    assert story.entire("enable", "--strategy", "auto-commit", "--project") == 0
    pull(story, SHARED, story.read(SHARED))
    assert commits_turns(story, "a.py")
    pull(story, SHARED, settings(strategy="manual-commit"))  # a teammate's file can switch it off
    assert not commits_turns(story, "b.py")
    pull(story, SHARED, settings(strategy="auto-commit"))  # and back to what was chosen
    assert commits_turns(story, "c.py")
    assert story.entire("enable", "--strategy", "manual-commit", "--project") == 0
    pull(story, SHARED, story.read(SHARED))
    pull(story, SHARED, settings(strategy="auto-commit"))
    assert not commits_turns(story, "d.py")


def test_what_a_person_writes_into_an_untracked_file_counts(story: Story) -> None:
    story.write(LOCAL, settings(strategy="auto-commit"))
    assert commits_turns(story, "a.py")
    assert story.entire("enable", "--agent", "claude-code") == 0  # remembers what is in effect
    pull(story, LOCAL, story.read(LOCAL))
    assert commits_turns(story, "b.py")


def test_a_link_is_no_file_of_a_persons_own(story: Story, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.json").write_text(settings(strategy="auto-commit"))
    story.path(LOCAL).symlink_to(tmp_path / "elsewhere.json")
    assert not commits_turns(story, "a.py")


# ---------------------------------------------------------------- pushing, numbers


def test_enable_asks_nothing_and_pushes_nothing_without_the_flag(story: Story, said: Command) -> None:
    pull(story, SHARED, settings(strategy_options={"push_sessions": True}))
    assert "settings.json asks for pushing checkpoints: not followed here" in said("audit")
    assert story.entire("enable", "--agent", "claude-code") == 0
    assert json.loads(story.read(LOCAL))["strategy_options"] == {"push_sessions": False}
    assert not story.path(".git/entire/push").exists()
    assert "asks for pushing" not in said("audit")
    assert story.entire("enable", "--agent", "claude-code", "--push-sessions") == 0
    assert json.loads(story.read(LOCAL))["strategy_options"] == {"push_sessions": True}
    assert story.entire("enable", "--agent", "claude-code") == 0  # who chose is not asked, and keeps the choice
    assert story.path(".git/entire/push").exists()


def test_numbers_that_a_commit_brings_only_make_less(story: Story, said: Command) -> None:
    number = 10 * 1024 * 1024 + 1
    story.write("big.bin", b"1" * number)
    story.write(OWN, json.dumps({"max_untracked_bytes": number}))
    pull(story, OWN, story.read(OWN))
    turn(story)
    assert "big.bin" not in steps(story)
    asked = (
        f"{OWN} asks for max_untracked_bytes {number}: not followed here; an {OWN} that git does not track may say so"
    )
    assert asked in " ".join(said("status").split())
    story.git("rm", "-q", "--cached", OWN)
    story.git("commit", "-q", "-m", "Keep it here")
    turn(story, "b.py")
    assert "big.bin" in steps(story)


def steps(story: Story) -> str:
    refs = story.git("for-each-ref", "--format=%(refname)", "refs/heads/entire").split()
    return "".join(story.git("ls-tree", "-r", "--name-only", ref) for ref in refs)


# ---------------------------------------------------------------- exceptions from redaction


def test_exceptions_that_a_commit_brings_do_not_count(story: Story, said: Command) -> None:
    pull(story, CONFIG, ALLOW)
    turn(story, text=TOKEN)
    assert TOKEN not in secrets.stored(story)
    asked = f"{CONFIG} asks for exceptions from redaction (1 value, 1 rule, 1 path): not followed here"
    agrees = "`entire redact trust` agrees to what they are now"
    assert f"{asked}; {agrees}" in " ".join(said("status").split())
    assert {"message": asked, "hint": agrees}.items() <= said.json("doctor")["findings"][0].items()
    assert f"{asked}; {agrees}" in " ".join(said("audit").split())
    assert said.json("audit")["exceptions"] == ""


def test_exceptions_count_once_they_are_trusted_until_they_change(story: Story, said: Command) -> None:
    pull(story, CONFIG, ALLOW)
    assert said("redact", "trust") == (
        "The exceptions of .entire/redact.toml count in this clone until they change: 1 value, 1 rule, 1 path.\n"
    )
    turn(story, text=TOKEN)
    assert TOKEN in secrets.stored(story)
    assert said.json("audit")["exceptions"] == "1 value, 1 rule, 1 path"
    rule = '[[rule]]\nid = "acme"\npattern = "acme_[0-9]{8}"\nexample = "acme_12345678"\n'
    pull(story, CONFIG, f"{rule}{ALLOW}")  # what strengthens counts at once, and takes no trust away
    turn(story, "b.py", f"acme_87654321 {TOKEN}")
    assert "[REDACTED:acme]" in secrets.stored(story)
    assert "not followed" not in said("status")
    pull(story, CONFIG, ALLOW.replace('["jwt"]', '["jwt", "github-token"]'))
    assert "(1 value, 2 rules, 1 path): not followed here" in " ".join(said("status").split())


def test_without_exceptions_there_is_nothing_to_trust(said: Command) -> None:
    assert said("redact", "trust") == "There are no exceptions in .entire/redact.toml.\n"
