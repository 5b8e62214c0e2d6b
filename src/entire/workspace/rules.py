"""The rules for secrets."""

from __future__ import annotations

import os

from entire import layout
from entire.git import history
from entire.git.offline import Offline
from entire.redact import Redactor
from entire.store import redactor_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.layout import Place
    from entire.model.redaction_previews import PreviewRequest, PreviewView, RuleView


class Rules:
    """The rules for secrets as they apply in a folder. Needs no repository; writes nothing and remembers nothing."""

    def __init__(self, place: Place | None) -> None:
        self._place = place
        self._redactor = redactor_of(place) if place is not None else Redactor()

    @classmethod
    def find(cls, path: str | os.PathLike[str] | None = None) -> Rules:
        """Return the rules of the worktree that contains a path (default: the current directory), or the built-in
        ones outside of any.
        """
        return cls(layout.find(os.getcwd() if path is None else os.fspath(path)))

    @property
    def pager(self) -> str:
        """The pager that git uses here."""
        return history.pager(self._place.top if self._place else os.getcwd())

    def listing(self) -> list[RuleView]:
        """Return all rules, the repository's own included."""
        from entire.queries import redaction_previews

        return redaction_previews.rules(self._redactor)

    def test(self, request: PreviewRequest, progress: Callable[[int, int], None] | None = None) -> PreviewView:
        """Return what would be replaced in files, or in a session's transcript, with its values masked.

        ``progress`` is called with how many bytes of a text are read and how many it has. Raises EntireError if the
        session is not found, and NotARepositoryError for a session outside of a worktree.
        """
        from entire.queries import redaction_previews

        note = progress or (lambda _done, _total: None)
        if not request.session:
            return redaction_previews.of_files(self._redactor, request.files, note)
        place = self._place or layout.here()
        with Offline(place.top, layout.METADATA_BRANCH):
            return redaction_previews.of_session(self._redactor, place, request.session, note)
