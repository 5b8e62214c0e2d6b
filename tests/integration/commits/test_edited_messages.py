"""Edited messages in every mode: what git makes of them is what it makes of them without us, plus the trailer, and it
aborts where it would abort. Each situation is played twice: with Entire and a session, and with git alone.
"""

from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path

import pytest

from entire.model.value import Value
from tests.integration.story import Story

HINTS = ("Remove the Entire-Checkpoint line", "Last prompt: ", "transcript will be saved")
SUBJECT = """sed -i '1s/^/Add a\\n/' "$1" """  # typed into the first line, as people do
FORMS = {
    "plain": "",
    "template": "Why: because\n\n# a hint of the team\n",
    "marked template": "# Title\n\n; note\n@ more\n# last\n",
    "comments only": "# only a hint\n",
}
EDITS = {
    "nothing": "",
    "subject": SUBJECT,
    "number": """sed -i '1s/^/#12 add a\\n\\n/' "$1" """,
    "no comments": """sed -i '/^[#;@!$%^&|:]/d' "$1"; { printf 'Add a\\n\\n'; cat "$1"; } >"$1.x"; mv "$1.x" "$1" """,
    "emptied": """sed -i '/^[#;@!$%^&|:]/d' "$1" """,
    "blank": """printf '\\n\\n' >"$1" """,
    "signed": """printf 'Signed-off-by: A <a@b>\\n' >>"$1" """,
}
CHARACTERS = ("", "auto", ";", "*")
CLEANUPS = ("", "strip", "whitespace", "scissors", "verbatim")


class Situation(Value):
    """A way to commit: the settings, git's options, and what the editor does; without an editor, a message."""

    char: str = ""
    cleanup: str = ""
    form: str = "plain"
    edit: str = "subject"
    options: tuple[str, ...] = ()
    message: str = ""

    def settings(self) -> list[str]:
        found = [f"core.commentChar={self.char}"] if self.char else []
        found += [f"commit.cleanup={self.cleanup}"] if self.cleanup else []
        found += ["commit.template={FORM}"] if FORMS[self.form] and "-t" not in self.options else []
        return found


def table() -> list[Situation]:
    found = [Situation(char=char, cleanup=cleanup, form=form, edit=edit)
             for char, cleanup, form, edit in itertools.product(CHARACTERS, CLEANUPS, FORMS, EDITS)]  # fmt: skip
    some = found[::17]  # every value of each column; ENTIRE_LONG=1 plays all
    verbose = itertools.product(("", "auto"), ("plain", "marked template"), ("subject", "nothing"))
    some += [Situation(char=char, form=form, edit=edit, options=("-v",)) for char, form, edit in verbose]
    some += [Situation(options=("--no-status",), char="auto", form="marked template"),
             Situation(options=("--no-status",), edit="nothing"),
             Situation(options=("-t", "{FORM}"), form="template", edit="nothing"),
             Situation(options=("-t", "{FORM}"), form="template", edit="signed"),
             Situation(options=("-s",), form="template", edit="nothing"),
             Situation(options=("--cleanup", "verbatim"), form="template", edit="blank"),
             Situation(options=("--clean=whitespace", "-v"), char="auto"),
             Situation(options=("-e",), message="#1 first\\n\\nbody", char="auto", edit="nothing"),
             Situation(options=("-e",), message="Add a\\n\\n# kept?\\n", cleanup="scissors", edit="nothing"),
             Situation(message="#1 first", cleanup="strip"),
             Situation(message="#1 first", cleanup="strip", char="auto"),
             Situation(message="#1 first"),
             Situation(message="Add a\\n\\n; note", char=";", options=("--cleanup=strip",))]  # fmt: skip
    return found if os.environ.get("ENTIRE_LONG") else some


class Bench:
    """Two worktrees of the same files: one with a session's work to commit, one that knows nothing of us."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.story = Story(folder / "with")
        session = self.story.started()
        with session.turn("Make a"):
            session.write("a.txt", "a\n")
        self.story.git("add", "-A")
        self.form, self.editor, self.shown = folder / "form", folder / "editor.sh", folder / "shown"
        self.alone = folder / "alone"
        subprocess.run(["git", "init", "-q", str(self.alone)], check=True)
        (self.alone / "a.txt").write_text("a\n")
        self._run(self.alone, "commit", "-q", "--allow-empty", "-m", "init")
        self._run(self.alone, "add", "-A")
        self.head = self.story.head()

    def _run(self, top: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *args], cwd=top, env={**self.story.env, **env}, text=True, capture_output=True)

    def commit(self, top: Path, situation: Situation) -> tuple[int, str, str]:
        """Commit in a worktree, and take the commit back; return git's status, the message, what the editor saw."""
        self.form.write_text(FORMS[situation.form])
        self.editor.write_text(f'#!/bin/sh\ncp "$1" "{self.shown}"\n{EDITS[situation.edit]}\n')
        self.editor.chmod(0o755)
        self.shown.write_text("")
        settings = [word for entry in situation.settings() for word in ("-c", entry.replace("{FORM}", str(self.form)))]
        options = [option.replace("{FORM}", str(self.form)) for option in situation.options]
        if situation.message:
            options += ["-m", situation.message.encode().decode("unicode_escape")]
        done = self._run(top, *settings, "commit", "-q", *options, GIT_EDITOR=str(self.editor))
        if done.returncode:
            return done.returncode, done.stderr, self.shown.read_text()
        message = self._run(top, "log", "-1", "--format=%B").stdout
        return 0, message, self.shown.read_text()


@pytest.mark.parametrize("situation", table(), ids=lambda one: " ".join(map(str, one.__dict__.values())))
def test_git_makes_of_a_message_what_it_makes_without_us(tmp_path: Path, situation: Situation) -> None:
    bench = Bench(tmp_path)
    status, message, shown = bench.commit(bench.story.root, situation)
    expected, without, _ = bench.commit(bench.alone, situation)
    assert status == expected, (message, without, shown)
    if status:
        assert not bench.story.path(".git/COMMIT_EDITMSG").read_text().count("Entire-Checkpoint:")
        assert message.splitlines()[-1:] == without.splitlines()[-1:]
        return
    assert not [hint for hint in HINTS if hint in message], shown
    if situation.edit == "blank":  # with the trailer
        assert (bench.story.ids(), message.strip(), without.strip()) == ([], "", "")
        return
    (one,) = bench.story.ids()
    ours = [line for line in message.split("\n") if line != f"Entire-Checkpoint: {one}"]
    assert [line for line in ours if line.strip()] == [line for line in without.split("\n") if line.strip()]
