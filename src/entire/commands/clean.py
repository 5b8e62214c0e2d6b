"""``entire clean``."""

from __future__ import annotations

import time

import click

from entire import layout
from entire.errors import UsageError
from entire.maintenance import clean
from entire.ui import form, group, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.layout import Place
    from entire.maintenance.clean import Found, Item


@click.command("clean", cls=group.Command)
@click.option("-n", "--dry-run", is_flag=True, help="Only show what would go; so it is without --force.")
@click.option("-f", "--force", "--yes", "force", is_flag=True, help="Remove it.")
@click.option("--all", "everything", is_flag=True, help="Remove all undo points too, not only the old ones.")
@click.option("--undo", "undoing", is_flag=True, help="Bring back what the last clean removed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(dry_run: bool, force: bool, everything: bool, undoing: bool, as_json: bool) -> int:
    """Show, and with --force remove, what nobody needs any more.

    Steps on which no session stands, states of sessions with nothing open, steps that a commit condensed, old undo
    points, files that a killed process left. Checkpoints stay, and what belongs to a session at work.

    Example: entire clean --force
    """
    if undoing and (dry_run or force or everything):
        raise UsageError("--undo stands alone", hint="`entire clean --undo`")
    place = layout.here()
    if undoing:
        return undo(place, as_json=as_json)
    return run(place, force=force and not dry_run, everything=everything, as_json=as_json)


def run(place: Place, *, force: bool = False, everything: bool = False, as_json: bool = False) -> int:
    """Show what nobody needs; with ``force`` remove it."""
    now = time.time()
    found = clean.find(place, now=now, everything=everything)
    removal = clean.remove(place, found.items, now=now) if force and found.items else clean.Removal()
    if as_json:
        text.write(form.dumps({
            "dry_run": not force, "items": [_as_json(one) for one in found.items], "notes": found.notes,
            "removed": len(removal.items), "undo_id": removal.undo_id or None,
        }))  # fmt: skip
    elif force:
        text.write(_after(removal, found))
    else:
        text.write(_preview(found))
    return 0


def undo(place: Place, *, as_json: bool = False) -> int:
    """Bring back what the last clean removed."""
    done = clean.undo(place, now=time.time())
    if as_json:
        text.write(form.dumps({"undo_id": done.id, "refs": done.refs, "files": done.private}))
    else:
        back = [text.count(len(done.refs), "ref")] if done.refs else []
        back += [text.count(len(done.private), "file")] if done.private else []
        text.write([f"Brought back: {' and '.join(back)}."])
    return 0


def _as_json(item: Item) -> dict[str, object]:
    return {"kind": item.kind, "name": item.name, "reason": item.reason, "size": item.size}


def _preview(found: Found) -> list[str]:
    if not found.items:
        return ["Nothing to clean up.", *found.notes]
    lines = [f"{text.count(len(found.items), 'thing')} that nobody needs:", *_table(found.items), *found.notes]
    if any(item.undo_id for item in found.items):
        lines.append("Undo points are removed for good; `entire clean --undo` brings everything else back.")
    return [*lines, "Nothing was removed: run `entire clean --force` to remove them."]


def _after(removal: clean.Removal, found: Found) -> list[str]:
    if not removal.items:
        return ["Nothing to clean up.", *found.notes]
    lines = [f"Removed {text.count(len(removal.items), 'thing')}:", *_table(removal.items), *found.notes]
    return [*lines, *(["`entire clean --undo` brings them back."] if removal.undo_id else [])]


def _table(items: Sequence[Item]) -> list[str]:
    return text.table(
        ([item.kind, text.plain(item.name), text.plain(item.reason) + _size(item.size)] for item in items), lead="  "
    )


def _size(size: int) -> str:
    if not size:
        return ""
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f" ({size} {unit})"
        size = (size + 1023) // 1024
    return f" ({size} GB)"
