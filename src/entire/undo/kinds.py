"""The kinds of changes that commands make and that can be undone. A new one is a line here; its ``Notes`` and its undo
are in its room.
"""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Kind(Value):
    """``undo``: ``module:function``, which undoes the last change with a context, telling its progress; of a rewind,
    which a person sees before, it only plans that.
    """

    command: str
    undo: str
    can_redo: bool = False  # its undo can be undone, too
    starts_plugins: bool = False

    def load(self) -> Callable[..., Any]:
        """Return the function."""
        module, _, name = self.undo.partition(":")
        function: Callable[..., Any] = getattr(__import__(module, fromlist=[name]), name)
        return function


KINDS = {
    kind.command: kind
    for kind in (
        Kind(command="rewind", undo="entire.rewind.plan:undo", can_redo=True, starts_plugins=True),
        Kind(command="resume", undo="entire.resume.restore:undo", can_redo=True, starts_plugins=True),
        Kind(command="clean", undo="entire.maintenance.clean:undo"),
        Kind(command="reset", undo="entire.maintenance.reset:undo"),
        Kind(command="forget", undo="entire.forgetting.undo:undo"),
        Kind(command="link", undo="entire.linking.undo:link"),
        Kind(command="unlink", undo="entire.linking.undo:unlink"),
    )
}


def can_redo(command: str) -> bool:
    """Tell whether the undo of what a command changed can be undone, too."""
    return command in KINDS and KINDS[command].can_redo
