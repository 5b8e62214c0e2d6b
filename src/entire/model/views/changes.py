"""What commands changed, and its undo."""

from __future__ import annotations

from entire.model.value import Value


class ChangeView(Value):
    """What a command changed, as one that can be undone."""

    id: str
    command: str
    title: str
    time: float
    is_undone: bool = False
    can_undo: bool = False  # it is the last one of its command


class UndoView(Value):
    """The state saved before a rewind or an undo changed anything."""

    id: str
    time: float
    title: str  # of the rewind or undo
    files: tuple[str, ...] = ()  # that it changed
    session_ids: tuple[str, ...] = ()  # whose conversations it changed


class UndoneView(Value):
    """What an undo restored. ``undo_id`` is its own undo point, ``undoes`` the one that it reverted."""

    undo_id: str
    undoes: str
    title: str  # of what was undone
    refs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
