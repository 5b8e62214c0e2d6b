"""One promise: a check of a rig, and what it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from entire.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from entire.testing.promises.rig import Rig


class Promise(Value):
    """One promise. ``needs``: parts of the rig, as ``Rig.has`` knows them, and capabilities."""

    name: str
    check: Callable[[Rig, Path], None]
    needs: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What is promised."""
        return " ".join((self.check.__doc__ or "").split())

    def why_not(self, rig: Rig) -> str:
        """Return why the promise is skipped for a rig; '' if it holds for it."""
        if self.name in rig.exceptions:
            return rig.exceptions[self.name]
        missing = [rig.lack(part) for part in self.needs if not rig.has(part)]
        return f"it has {' and '.join(missing)}" if missing else ""
