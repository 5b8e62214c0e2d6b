"""What ``forget`` shows, as lines of text."""

from __future__ import annotations

from entire.ui.console import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.model.audits import ForgetView, HolderView

_SHOWN = 5
BRANCH = "entire/checkpoints/v1"
PRUNE = "git gc --prune=now"


def name(view: ForgetView) -> str:
    """Name what is forgotten."""
    return f"{view.kind} {text.plain(view.mask) or text.plain(view.name)}"


def changes(view: ForgetView, now: float) -> Iterator[str]:
    """Show what a forgetting changes, and who else has it."""
    yield f"To forget: {name(view)}"
    yield from text.table(_rows(view), lead="  ")
    if view.own_files:
        files = text.count(view.own_files, "file")
        yield f"{files} of your own in steps hold it too. Steps are copies of your worktree and stay on this machine: "
        yield "they are not changed, and go when `entire clean` deletes the steps."
    yield from (text.plain(note) for note in view.notes)
    yield from _holders(view, now)


def forgotten(view: ForgetView, now: float) -> Iterator[str]:
    """Show what was forgotten, and what remains to be done."""
    yield f"Forgotten: {name(view)}"
    yield from text.table(_rows(view), lead="  ")
    yield from _holders(view, now)
    if view.holders:
        yield "Until then `git push` does not push checkpoints there, and `entire status` says so."
        yield "Other clones keep what they fetched. In each, after that push (what it has not pushed is lost):"
        for remote in dict.fromkeys(text.plain(holder.remote) for holder in view.holders if holder.branch == BRANCH):
            yield f"  git fetch {remote} && git branch --force {BRANCH} {remote}/{BRANCH}"
        yield "or run the same `entire forget` there."
    if view.kind == "secret":
        yield "A secret that was stored may have been read: replace it at its source."
    yield f"No ref of this clone holds it{' but those of the remotes' if view.holders else ''}."
    yield "`entire forget --undo` restores it until git deletes the old objects. To delete them at once:"
    yield f"  entire forget --prune && {PRUNE}"


def elsewhere(view: ForgetView, now: float) -> Iterator[str]:
    """Show who has something that is not stored here (any more)."""
    if view.holders:
        yield from _holders(view, now)


def _rows(view: ForgetView) -> Iterator[tuple[str, str]]:
    if view.checkpoints:
        yield "checkpoints", _some(view.checkpoints)
    if view.sessions:
        yield "sessions", _some(view.sessions)
    if view.commits:
        yield BRANCH, f"{text.count(view.commits, 'commit')} with new content"
    if view.steps:
        yield "steps", f"{text.count(view.steps, 'commit')} with new content"
    if view.texts:
        yield "texts", f"{view.texts:,}"
    if view.files:
        yield "files", _some(tuple(text.full_path(text.path(name, view.top)) for name in view.files))
    if view.has_index:
        yield "search index", "deleted; the next search builds it again"


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(map(text.plain, names[:_SHOWN])) + (f" and {more} more" if more > 0 else "")


def _holders(view: ForgetView, now: float) -> Iterator[str]:
    if not view.holders:
        yield "No remote has it, as far as is known here (`entire audit --pushed --fetch` asks them)."
        return
    yield "Remotes still have it:"
    for holder in view.holders:
        seen = f", as of {text.ago(holder.time, now)}" if holder.time else ""
        yield f"  {text.plain(holder.remote)}: {text.plain(holder.branch)} at {holder.tip[:7]}{seen}"
    yield "Run, to replace it there:"
    yield from commands(view.holders)


def commands(holders: tuple[HolderView, ...]) -> Iterator[str]:
    """Show the commands that make remotes forget."""
    yield from (f"  {text.plain(command)}" for holder in holders for command in holder.commands)
