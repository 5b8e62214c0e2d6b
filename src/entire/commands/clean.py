"""``entire clean``."""

from __future__ import annotations

import click

from entire.errors import UsageError
from entire.model.requests import CleanRequest
from entire.ui.console import group, json_output, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.views.maintenance import CleanView, UnusedView


@click.command("clean", cls=group.Command)
@click.option("-n", "--dry-run", is_flag=True, help="List unused data without deleting it (the default).")
@click.option("-f", "--force", "--yes", "force", is_flag=True, help="Delete the listed data.")
@click.option("--all", "everything", is_flag=True, help="Include all undo points, not only old ones.")
@click.option("--undo", "undoing", is_flag=True, help="Restore what the last clean deleted.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(dry_run: bool, force: bool, everything: bool, undoing: bool, as_json: bool) -> int:
    """List unused data; with --force, delete it.

    Unused are steps without a session, states of sessions without uncommitted work, steps that a commit condensed, old
    undo points, and files left by a killed process. Checkpoints and data of live sessions are never deleted.

    Example: entire clean --force
    """
    if undoing and (dry_run or force or everything):
        raise UsageError("--undo cannot be combined with other options", hint="run `entire clean --undo`")
    if undoing:
        return undo(as_json=as_json)
    return run(CleanRequest(everything=everything, dry_run=dry_run or not force), as_json=as_json)


def run(request: CleanRequest, *, as_json: bool = False) -> int:
    view = Workspace.find().maintenance.clean(request)
    if as_json:
        text.write(json_output.dumps({
            "dry_run": request.dry_run, "items": [_as_json(item) for item in view.items], "notes": view.notes,
            "removed": len(view.removed), "undo_id": view.undo_id or None,
        }))  # fmt: skip
    else:
        text.write_wrapped(_preview(view) if request.dry_run else _summary(view))
    return 0


def undo(*, as_json: bool = False) -> int:
    done = Workspace.find().undo.clean()
    if as_json:
        text.write(json_output.dumps({"undo_id": done.undo_id, "refs": done.refs, "files": done.files}))
    else:
        restored = [text.count(len(done.refs), "ref")] if done.refs else []
        restored += [text.count(len(done.files), "file")] if done.files else []
        text.write_wrapped([f"Restored: {' and '.join(restored)}."])
    return 0


def _as_json(item: UnusedView) -> dict[str, object]:
    return {"kind": item.kind, "name": item.name, "reason": item.reason, "size": item.size}


def _preview(unused: CleanView) -> list[str]:
    if not unused.items:
        return ["Nothing to clean up.", *unused.notes]
    lines = [f"{text.count(len(unused.items), 'unused item')}:", *_table(unused.items), *unused.notes]
    if any(item.undo_id for item in unused.items):
        lines.append("Deleted undo points cannot be restored; `entire clean --undo` restores everything else.")
    return [*lines, "Nothing was deleted: run `entire clean --force` to delete them."]


def _summary(done: CleanView) -> list[str]:
    if not done.removed:
        return ["Nothing to clean up.", *done.notes]
    lines = [f"Deleted {text.count(len(done.removed), 'item')}:", *_table(done.removed), *done.notes]
    return [*lines, *(["Run `entire clean --undo` to restore them."] if done.undo_id else [])]


def _table(items: Sequence[UnusedView]) -> list[str]:
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
