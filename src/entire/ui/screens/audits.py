"""What ``audit`` shows, as lines of text."""

from __future__ import annotations

from entire.ui.console import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.model.audits import AuditView, PlaceView, RemoteView, SecretView

_PLACES = 3
_SHOWN = 10


def audit(view: AuditView, now: float) -> Iterator[str]:
    """Show what an audit found. Scripts read the exit code."""
    for remote in view.remotes:
        yield from _remote(remote, now, pushed=view.pushed)
    if view.pushed and not view.remotes:
        yield "There is no remote, so nothing was pushed from here."
    if view.secrets:
        yield f"{text.count(len(view.secrets), 'secret')} found in {text.count(view.scanned, 'text')}:"
        yield ""
        rows = [("FINDING", "RULE", "VALUE", "SINCE", "PUSHED TO", "WHERE"), *map(_row, view.secrets)]
        yield from text.table(rows)
        yield ""
        yield "Replace each secret at its source first; then `entire forget --finding FINDING` removes it here."
    elif not view.pushed or view.remotes:
        yield f"No secret found in {text.count(view.scanned, 'text')}."
    if view.exceptions:
        yield f"Exceptions of .entire/redact.toml were left out: {view.exceptions}."
    yield from map(text.plain, view.unfollowed)
    if view.unread:
        yield f"{text.count(len(view.unread), 'text')} could not be read, so this is not the whole answer:"
        yield from ("  " + text.plain(name) for name in view.unread[:_SHOWN])
        if len(view.unread) > _SHOWN:
            yield f"  and {len(view.unread) - _SHOWN} more (--json lists them)"


def _remote(remote: RemoteView, now: float, *, pushed: bool) -> Iterator[str]:
    if not remote.tip and not pushed:
        return
    held = f"checkpoints branch at {remote.tip[:7]}" if remote.tip else "no checkpoints branch known"
    seen = f", as of {text.moment(remote.time)} ({text.ago(remote.time, now)})" if remote.time and remote.tip else ""
    note = f"; {remote.note}" if remote.note else ""
    yield f"{text.plain(remote.name)}: {held}{seen}{note}"


def _row(secret: SecretView) -> Sequence[str]:
    since = text.moment(secret.since) if secret.since else "-"
    where = ", ".join(dict.fromkeys(place(spot) for spot in secret.places[:_PLACES]))
    more = len(secret.places) - _PLACES
    pushed = ", ".join(map(text.plain, secret.pushed)) or "-"
    return (
        secret.digest,
        secret.rule,
        text.plain(secret.mask),
        since,
        pushed,
        where + (f" and {more} more" if more > 0 else ""),
    )


def place(where: PlaceView) -> str:
    """Name where a secret is."""
    if not where.ref:
        return f"{where.kind} {text.plain(where.path)}"
    if where.kind == "commit message":
        return f"message of {where.commit[:7]}"
    if where.checkpoint:
        return f"checkpoint {where.checkpoint} {text.plain(where.path[14:])}"
    name = text.plain(where.path.rpartition("/")[2])
    return f"{where.kind} {where.commit[:7]} {name}" + (
        f" of session {text.plain(where.session[:8])}" if where.session else ""
    )
