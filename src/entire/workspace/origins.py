"""Where the lines of files come from."""

from __future__ import annotations

from entire.git import history
from entire.workspace.opened import Subject, without_fetching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.model import origins


class Origins(Subject):
    """Where the lines of files come from."""

    @without_fetching
    def why(self, request: origins.WhyRequest) -> origins.WhyView:
        """Return where the lines of a file come from: the turn, the person's commit, or why that is not known.

        Raises EntireError if there is no such file, line or revision.
        """
        from entire.origins import answer

        return answer.why(self._opened.place, self._opened.catalog, request)

    @without_fetching
    def blame(self, args: Sequence[str], *, folder: str = "") -> origins.BlameView:
        """Return what ``git blame`` prints for ``args`` in a folder (default: the root), with the lines' origins.

        Raises EntireError with git's message if it refuses them.
        """
        from entire.origins import annotated

        return annotated.annotate(self._opened.place, self._opened.catalog, folder or self._opened.place.top, args)

    def blame_dates(self, view: origins.BlameView, form: str) -> origins.BlameView:
        """Return the view with its commits' dates in one of git's forms (``relative``, ``short``, ...)."""
        from entire.origins import annotated

        return annotated.dates(self._opened.place, view, form)

    @property
    def blame_settings(self) -> Mapping[str, str]:
        """What git's configuration says about ``git blame``, and ``digits``: how many git shows of a commit's id."""
        top = self._opened.place.top
        return {**history.blame_settings(top), "digits": str(history.abbreviation(top))}
