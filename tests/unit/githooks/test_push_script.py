"""Pre-push without an interpreter: which pushes it stops, and what it passes on to an earlier hook."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from entire.githooks import scripts

SHELLS = [
    [name, *more] for name, more in (("dash", []), ("bash", ["--posix"]), ("busybox", ["sh"])) if shutil.which(name)
]
OID, ZERO = "1" * 40, "0" * 40


class Pushing:
    """A repository whose pre-push has an earlier hook, which notes what it reads."""

    def __init__(self, folder: Path, shell: list[str]) -> None:
        self._folder, self._shell = folder, shell
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        self._hook = folder / ".git" / "hooks" / "pre-push"
        self._hook.parent.mkdir(exist_ok=True)
        self._hook.write_bytes(scripts.text("pre-push"))
        earlier = self._hook.with_name("pre-push" + scripts.BACKUP)
        earlier.write_text('#!/bin/sh\necho "$1" >noted\ncat >>noted\nexit 7\n')
        earlier.chmod(0o755)

    def push(self, *lines: str) -> tuple[int, list[str]]:
        """Run the hook with lines of git's list; return its exit code and the first words of what it printed."""
        done = subprocess.run(
            [*self._shell, str(self._hook), "origin", "url"],
            cwd=self._folder,
            input="".join(line + "\n" for line in lines),
            capture_output=True,
            text=True,
        )
        return done.returncode, [line.split(": ")[0].strip() for line in done.stderr.splitlines()]

    def noted(self) -> str:
        return (self._folder / "noted").read_text()


@pytest.fixture(params=SHELLS, ids=lambda shell: shell[0])
def pushing(request: pytest.FixtureRequest, tmp_path: Path) -> Pushing:
    return Pushing(tmp_path, request.param)


def test_the_earlier_hook_reads_the_list_and_decides(pushing: Pushing) -> None:
    line = f"refs/heads/main {OID} refs/heads/main {ZERO}"
    assert pushing.push(line) == (7, [])
    assert pushing.noted() == f"origin\n{line}\n"
    assert pushing.push() == (7, [])
    assert pushing.noted() == "origin\n"


@pytest.mark.parametrize(
    "ref", ["refs/entire/journal/main", "refs/heads/entire/checkpoints/v1", "refs/entire/kept/1a2b3c4"]
)
def test_private_refs_stop_a_push_unless_they_are_deleted(pushing: Pushing, ref: str) -> None:
    assert pushing.push(f"refs/heads/main {OID} refs/heads/main {ZERO}", f"{ref} {OID} {ref} {ZERO}")[0] == 1
    assert pushing.push(f"HEAD~1 {OID} {ref} {ZERO}")[1][:2] == ["entire", ref]
    assert pushing.push(f"(delete) {ZERO} {ref} {OID}") == (7, [])


def test_a_branch_that_only_looks_like_ours_is_pushed(pushing: Pushing) -> None:
    name = "refs/heads/entire/feature"
    assert pushing.push(f"{name} {OID} {name} {ZERO}") == (7, [])
