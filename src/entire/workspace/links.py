"""Which commits are linked to which checkpoints, by a person's hand."""

from __future__ import annotations

import contextlib

from entire.workspace.opened import Subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.linking import LinkRequest, LinkView, UnlinkRequest


class Links(Subject):
    """Which commits are linked to which checkpoints, by a person's hand."""

    def link(self, request: LinkRequest) -> LinkView:
        """Link a commit by its id to a session or a stored checkpoint, or with ``dry_run`` only return what changes.

        Raises EntireError if several sessions may have made it. Neither the commit nor its message changes.
        """
        from entire.linking import repair

        catalog = self._opened.catalog
        with contextlib.closing(self._opened.context()) as context:
            view = repair.link(context, catalog, request)
        self._opened.drop_catalog()
        return view

    def unlink(self, request: UnlinkRequest) -> LinkView:
        """Record that a commit is not linked to its checkpoints, or with ``dry_run`` only return what changes."""
        from entire.linking import repair

        self._opened.catch_up()
        with contextlib.closing(self._opened.context(starts_plugins=False)) as context:
            view = repair.unlink(context, request)
        self._opened.drop_catalog()
        return view
