"""The hook scripts are valid in every shell here and carry the marker where the Go Entire CLI looks for it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from entire.githooks import scripts

SHELLS = [
    [name, *more] for name, more in (("dash", []), ("bash", ["--posix"]), ("busybox", ["sh"])) if shutil.which(name)
]
A = "Entire-Checkpoint: a1b2c3d4e5f6"
BLOCK = "# Please enter the commit message\n#\n# On branch main\n"


@pytest.mark.parametrize("name", scripts.NAMES)
def test_marker_and_chain(name: str) -> None:
    lines = scripts.text(name).decode().split("\n")
    assert lines[:2] == ["#!/bin/sh", "# Entire CLI hooks"]
    assert "# Chain: run pre-existing hook" in lines


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: shell[0])
@pytest.mark.parametrize("name", scripts.NAMES)
def test_syntax(shell: list[str], name: str) -> None:
    subprocess.run([*shell, "-n"], input=scripts.text(name), check=True)


def commit_msg(shell: list[str], folder: Path, message: str, editor: str, char: str = "") -> str:
    """Run the commit-msg hook as git does; ``editor`` ':' says that there is none, ``char`` what prepare-commit-msg
    noted of comments.
    """
    if char:
        (folder / "entire").mkdir()
        (folder / "entire" / "message").write_text(f"{A}\n{char}\n{char}\n\n")
    (folder / "hook").write_bytes(scripts.text("commit-msg"))
    (folder / "msg").write_bytes(message.encode())
    env = {**os.environ, "GIT_EDITOR": editor}
    done = subprocess.run([*shell, "./hook", "./msg"], cwd=folder, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (folder / "msg.entire").exists()
    return (folder / "msg").read_bytes().decode()


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: shell[0])
@pytest.mark.parametrize(
    ("message", "editor", "char", "stripped"),
    [
        (f"\n\n{A}\n# one\n\n{BLOCK}", "vi", "", True),
        (f"\n\n{A}\n{A}\n{BLOCK}# ------------------------ >8 ------------------------\ntext\n", "vi", "", True),
        (f"\n\nSigned-off-by: A <a@b>\n{A}\n{BLOCK}", "vi", "", True),
        (f"# template\n\n{A}\n{BLOCK}", "vi", "", True),
        (f"{A}\n", ":", "", True),
        (f"\r\n\r\n{A}\r\n{BLOCK}", "vi", "", True),
        (f"\n\n{A}\n; one\n", "vi", ";", True),
        (f"\n\n{A}\n$ one\n", "vi", "$", True),
        (f"\n\n{A}\n* one\n*\n", "vi", "*", True),
        (f"[x] done\n\n{A}\n", "vi", "[a-z", False),
        (f"subject\n\n{A}\n{BLOCK}", "vi", "", False),
        (f"Änderung\n\n{A}\n", "vi", "", False),
        (f"\xff\n\n{A}\n", "vi", "", False),
        (f"#12 fix\n\n{A}\n", ":", "", False),
        (f"#12 fix\n\n{A}\n; one\n", "vi", ";", False),
        (f"; one\n\n{A}\n{BLOCK}", "vi", "", False),
        (f"-x\n\n{A}", "vi", "", False),
        (f"a\\b\n\n{A}\n", "vi", "", False),
        (BLOCK, "vi", "", False),
        ("", "vi", "", False),
    ],
)
def test_an_empty_message_stays_empty(
    shell: list[str], tmp_path: Path, message: str, editor: str, char: str, stripped: bool
) -> None:
    out = commit_msg(shell, tmp_path, message, editor, char)
    if stripped:
        kept = [line for line in message.split("\n") if not line.startswith("Entire-Checkpoint")]
        assert out == "\n".join(kept)
    else:
        assert out == message


def test_a_missing_message_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "hook").write_bytes(scripts.text("commit-msg"))
    for args in (["nothing"], []):
        done = subprocess.run(["sh", "./hook", *args], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0
