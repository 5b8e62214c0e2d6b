"""A secret that was found once goes from all later texts, in every form; only keyed hashes of it are kept."""

from __future__ import annotations

import base64
import json
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from entire.redact.memory_file import MemoryFile
from tests.integration import secrets
from tests.integration.reading.test_queries_shown import AGENT, delegate
from tests.integration.story import Session, Story

PASSWORD = "tr0ub4dor&3-xK"
FORMS = {
    "alone": PASSWORD,
    "JSON": json.dumps({"a": json.dumps({"b": PASSWORD})}),
    "URL": f"https://x.test/?q={quote(PASSWORD, safe='')}",
    "HTML": PASSWORD.replace("&", "&amp;"),
    "base64": base64.b64encode(PASSWORD.encode()).decode(),
    "base64 of echo": base64.b64encode(f"{PASSWORD}\n".encode()).decode(),
    "base64 within": base64.b64encode(f"the login is {PASSWORD} for all".encode()).decode(),
    "colours": f"\x1b[31m{PASSWORD[:5]}\x1b[1m{PASSWORD[5:]}\x1b[0m",
}


def test_a_secret_goes_from_later_turns_other_sessions_and_subagents(story: Story) -> None:
    first = story.started()
    first.prompt(f"the db_password = '{PASSWORD}', please")
    first.write("a.py", "1\n")
    first.stop()
    with first.turn("and again"):
        with first.shell("env") as output:
            output.append("\n".join(f"<{name}> {form}" for name, form in FORMS.items()))
        first.write("a.py", "2\n")
    second = story.started()
    second.prompt(f"use {PASSWORD} here")
    delegate(second)
    path = second.file.with_suffix("") / "subagents" / f"agent-{AGENT}.jsonl"
    path.write_text(path.read_text().replace("Nothing here.", f"it says {PASSWORD} there"))
    second.hook("post-task", tool_name="Task", tool_use_id="toolu_2", tool_input={"description": "look"},
                tool_response={"status": "completed", "agentId": AGENT})  # fmt: skip
    second.write("b.py", "1\n")
    second.stop()
    story.commit("Add both")
    stored = secrets.stored(story)
    for name, form in FORMS.items():
        needle = form if "\x1b" not in form else PASSWORD[5:]
        assert needle not in stored, name
        assert f"<{name}>" in stored
    assert "use [REDACTED:generic-quoted] here" in stored
    assert "it says [REDACTED:generic-quoted] there" in stored


def reveal_in_prompt(session: Session) -> None:
    session.prompt(f"the db_password = '{PASSWORD}', please")


def reveal_in_another_session(session: Session) -> None:
    other = session.story.started()
    reveal_in_prompt(other)
    other.stop()
    session.prompt("go on")


def reveal_in_a_subagent(session: Session) -> None:
    session.prompt("look around")
    delegate(session)
    path = session.file.with_suffix("") / "subagents" / f"agent-{AGENT}.jsonl"
    path.write_text(path.read_text().replace("Nothing here.", f"password = '{PASSWORD}'"))


@pytest.mark.parametrize("has_step", [True, False])
@pytest.mark.parametrize("reveal", [reveal_in_prompt, reveal_in_another_session, reveal_in_a_subagent])
def test_what_others_reveal_goes_from_a_sessions_earlier_turns(
    story: Story, reveal: Callable[[Session], None], has_step: bool
) -> None:
    session = story.started()
    with session.turn(f"what is {PASSWORD} for?"):
        with session.shell("env") as output:
            output.append(f"it says {PASSWORD} there")
        session.write("a.py", "1\n")
    assert PASSWORD in secrets.stored(story), "no rule knows it without its name"
    reveal(session)
    session.write("b.py", "1\n")
    if has_step:
        session.stop()
        story.commit("Add both")
    else:
        session.commit("Add both")
    (checkpoint_id,) = story.ids()
    stored = story.files(checkpoint_id.path)
    assert "it says [REDACTED:" in "".join(stored.values())
    assert [path for path, text in stored.items() if PASSWORD in text] == []
    assert secrets.files_with(story, PASSWORD) == []
    assert story.log_errors() == []


def test_a_subagents_transcript_has_nothing_that_its_session_reveals(story: Story) -> None:
    session = story.started()
    session.prompt("look around")
    delegate(session)
    path = session.file.with_suffix("") / "subagents" / f"agent-{AGENT}.jsonl"
    path.write_text(path.read_text().replace("Nothing here.", f"it says {PASSWORD} there"))
    with session.shell("env") as output:
        output.append(f"DB_PASSWORD='{PASSWORD}'")
    session.write("a.py", "1\n")
    session.commit("Add a")
    session.stop()
    assert "it says [REDACTED:" in secrets.stored(story)
    assert PASSWORD not in secrets.stored(story)


def test_another_worktree_knows_it(story: Story, tmp_path: Path) -> None:
    story.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    story.write("../side/.entire/keep", "")
    first = story.started()
    first.prompt(f"password = '{PASSWORD}'")
    first.stop()
    second = story.session()
    second.cwd = tmp_path / "side"
    second.start()
    second.prompt(f"use {PASSWORD} here")
    second.stop()
    assert PASSWORD not in secrets.stored(story)


def test_the_file_is_private_and_goes_with_the_rest(story: Story) -> None:
    session = story.started()
    session.prompt(f"password = '{PASSWORD}'")
    session.write("a.py", "1\n")
    session.stop()
    path = story.path(".git/entire/known-secrets")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert PASSWORD not in path.read_text()
    assert "tr0ub4dor" not in path.read_text()
    story.commit("Add a")
    assert story.entire("disable", "--uninstall", "--force") == 0
    assert not path.exists()


LEARN = """
import sys
from entire.redact.memory_file import MemoryFile
memory = MemoryFile(sys.argv[1])
sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.readline()
for number in range(20):
    memory.learn("jwt", f"{sys.argv[2]}-9xQ{number:04}zP".encode())
    memory.save()
"""


def test_two_processes_that_learn_at_once_lose_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "known")
    started = [subprocess.Popen([sys.executable, "-c", LEARN, path, name], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True) for name in ("left", "right", "third")]  # fmt: skip
    for process in started:  # all have found no file before one writes it
        assert process.stdout is not None
        process.stdout.readline()
    for process in started:
        process.communicate("\n", timeout=60)
        assert process.returncode == 0
    from entire_secrets.text import Text

    memory = MemoryFile(path)
    for name in ("left", "right", "third"):
        for number in range(20):
            assert list(memory.find(Text(f"see {name}-9xQ{number:04}zP there".encode()))), (name, number)
    assert [entry.name for entry in tmp_path.iterdir()] == ["known"]
