"""HEAD of a work tree, moved as git moves it: to a branch, or to a commit."""

from __future__ import annotations

from entire.git import run


def read(where: str) -> tuple[str, str]:
    """Return the ref that HEAD names ('' when it is detached) and the commit it leads to ('' on an unborn branch)."""
    ref = run.git(where, "symbolic-ref", "--quiet", "HEAD", ok=(0, 1))
    oid = run.git(where, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=(0, 1, 128))
    return (
        ref.stdout.decode("utf-8", "surrogateescape").strip() if ref.status == 0 else "",
        oid.stdout.decode("ascii", "replace").strip() if oid.status == 0 else "",
    )


def write(where: str, ref: str, oid: str, *, reason: str) -> None:
    """Let HEAD name a ref, or with '' for the ref a commit; ``reason`` goes to its reflog. Files stay as they are."""
    if ref:
        run.git(where, "symbolic-ref", "-m", reason, "HEAD", ref)
    else:
        run.git(where, "update-ref", "-m", reason, "--no-deref", "HEAD", oid)
