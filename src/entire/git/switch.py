"""Finds and checks out branches as a person does: with the user's hooks and filters, never by force."""

from __future__ import annotations

import os

from entire import process
from entire.git import history, refs, remote, run
from entire.model.ids import Argument


def changed(top: str) -> list[str]:
    """Return the tracked paths with uncommitted changes, staged or not."""
    done = run.git(top, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no",
                   "--ignore-submodules=dirty", timeout=600)  # fmt: skip
    return [line[3:] for line in done.stdout.decode("utf-8", "surrogateescape").split("\0") if line]


def is_branch_name(name: str) -> bool:
    """Tell whether git accepts ``name`` as a branch name."""
    if name in ("", "HEAD") or name.startswith("-") or "\0" in name or "\n" in name:
        return False
    return not run.git("/", "check-ref-format", f"refs/heads/{name}", ok=(0, 1)).status


def find(top: str, name: str) -> dict[str, str]:
    """Return a branch's refs and their commits: the local one, then the remotes' as last fetched, origin first."""
    names = sorted(history.remotes(top), key=lambda remote_name: (remote_name != "origin", remote_name))
    wanted = [f"refs/heads/{name}", *(f"refs/remotes/{remote_name}/{name}" for remote_name in names)]
    commits = refs.read(top, *wanted) if is_branch_name(name) else {}
    return {ref: commits[ref] for ref in wanted if ref in commits}


def fetch(top: str, remote_name: str, name: str, timeout: float) -> str:
    """Fetch only one branch of a remote; return its remote-tracking ref. Raises EntireError."""
    tracking = f"refs/remotes/{remote_name}/{name}"
    remote.fetch(top, remote_name, f"refs/heads/{name}", tracking, timeout)
    return tracking


def default_branch(top: str) -> str:
    """Return the ref of the default branch, '' if unknown."""
    done = run.git(top, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD", ok=(0, 1, 128))
    named = done.stdout.decode("utf-8", "surrogateescape").strip()
    local = "refs/heads/" + named.removeprefix("refs/remotes/origin/") if named else ""
    names = [name for name in (local, named, "refs/heads/main", "refs/heads/master") if name]
    commits = refs.read(top, *names)
    return next((name for name in names if name in commits), "")


def is_on_chain(top: str, commit: str, start: str) -> bool:
    """Tell whether a commit is on the first-parent chain of ``start``."""
    if not remote.is_ancestor(top, commit, start):
        return False
    return commit in run.lines(top, "rev-list", "--first-parent", Argument(start), f"^{commit}^@")


def later(top: str, commit: str, start: str) -> int:
    """Count the commits on the first-parent chain that are newer than ``commit``, without merges."""
    return history.count(top, f"{commit}..{start}", is_chain=True)


def switch(top: str, name: str, track: str = "") -> None:
    """Check out a branch; with ``track``, create it first from that remote-tracking ref.

    Raises GitError with git's message. Uncommitted changes are kept, or make git refuse. The user asked for it, so
    locks and hooks apply.
    """
    args = (["--create", Argument(name), "--track", Argument(track.removeprefix("refs/remotes/"))] if track
            else ["--no-guess", Argument(name)])  # fmt: skip
    run.git(top, "switch", "--quiet", *args, timeout=None, env=process.without_repository(os.environ))
