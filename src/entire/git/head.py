"""Reads and sets a worktree's HEAD, as git does: a branch, or a commit."""

from __future__ import annotations

from entire.git import run
from entire.model.ids import Argument


def read(where: str) -> tuple[str, str]:
    """Return HEAD's ref ('' if detached) and commit ('' on an unborn branch)."""
    ref = run.git(where, "symbolic-ref", "--quiet", "HEAD", ok=(0, 1))
    oid = run.git(where, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=(0, 1, 128))
    return (
        ref.stdout.decode("utf-8", "surrogateescape").strip() if ref.status == 0 else "",
        oid.stdout.decode("ascii", "replace").strip() if oid.status == 0 else "",
    )


def write(where: str, ref: str, oid: str, *, reason: str) -> None:
    """Point HEAD to a ref, or if ``ref`` is '' to a commit; ``reason`` goes to the reflog. Files are not changed."""
    if ref:
        run.git(where, "symbolic-ref", "-m", reason, "HEAD", Argument(ref))
    else:
        run.git(where, "update-ref", "-m", reason, "--no-deref", "HEAD", Argument(oid))
