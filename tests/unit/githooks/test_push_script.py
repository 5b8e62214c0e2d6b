"""Pre-push without an interpreter: which pushes it stops, and what it passes on to an earlier hook."""

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
OID, ZERO = "1" * 40, "0" * 40


class Pushing:
    """A repository whose pre-push has an earlier hook, which notes what it reads."""

    def __init__(self, folder: Path, shell: list[str]) -> None:
        self._folder, self._shell, self._path = folder, shell, os.environ["PATH"]
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        self._hook = folder / ".git" / "hooks" / "pre-push"
        self._hook.parent.mkdir(exist_ok=True)
        self._hook.write_bytes(scripts.text("pre-push"))
        earlier = self._hook.with_name("pre-push" + scripts.BACKUP)
        earlier.write_text('#!/bin/sh\necho "$1" >noted\ncat >>noted\nexit 7\n')
        earlier.chmod(0o755)

    def search_without_end(self, *found: str) -> None:
        """Let git find these commits and then go on for ever; the time is over as soon as it has found them."""
        folder = self._folder / "slow"
        folder.mkdir()
        said = folder / "said"
        text = "".join(f"echo '{line}'\n" for line in found)
        real = shutil.which("sleep")
        search = f"case $* in *rev-list*) cat >/dev/null\n{text}echo >{said}\nexec sleep 100 ;; esac\n"
        for name, script in (
            ("git", f'#!/bin/sh\n{search}exec {shutil.which("git")} "$@"\n'),
            ("sleep", f"#!/bin/sh\nwhile [ $1 = 30 ] && ! rm {said} 2>/dev/null; do {real} 0.01; done\n"
                      f"[ $1 = 30 ] || exec {real} $1\n"),
        ):  # fmt: skip
            (folder / name).write_text(script)
            (folder / name).chmod(0o755)
        self._path = f"{folder}:{os.environ['PATH']}"

    def push(self, *lines: str) -> tuple[int, list[str]]:
        """Run the hook with lines of git's list; return its exit code and the first words of what it printed."""
        done = subprocess.run(
            [*self._shell, str(self._hook), "origin", "url"],
            cwd=self._folder,
            input="".join(line + "\n" for line in lines),
            env={**os.environ, "PATH": self._path},
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


def test_a_search_that_takes_too_long_ends_and_the_push_goes_on(pushing: Pushing) -> None:
    pushing.search_without_end()
    code, said = pushing.push(f"refs/heads/main {OID} refs/heads/main {ZERO}")
    assert (code, said) == (7, ["entire", "hint"])
    assert pushing.noted()


def test_what_was_found_in_time_stops_the_push(pushing: Pushing) -> None:
    pushing.search_without_end(f"commit {OID}", f"{OID} [{OID}] Entire journal: snapshot of the worktree")
    code, said = pushing.push(f"refs/heads/main {OID} refs/heads/main {ZERO}")
    assert code == 1
    assert "refs/heads/main" in said
