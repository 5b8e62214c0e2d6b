"""Commits with what their sessions say: named, listed, shown, searched and told."""

from __future__ import annotations

from entire.errors import EntireError
from entire.model.ids import HEX
from entire.model.value import replace
from entire.workspace.checkpoints import Checkpoints
from entire.workspace.opened import Subject, without_fetching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from entire.model import findings
    from entire.model.conversations import ShownView, ShowRequest
    from entire.model.histories import LogRequest, LogRow
    from entire.model.stories import StoryView
    from entire.model.views.checkpoints import CommitView, ExplanationView, TargetView


class History(Subject):
    """Commits with what their sessions say: named, listed, shown, searched and told."""

    @without_fetching
    def target(self, name: str) -> TargetView:
        """Return what a name means: a commit, a checkpoint or a session (the latter two by id prefix too).

        Raises EntireError if it means nothing here, or is ambiguous.
        """
        target = self._opened.catalog.find(name)
        if target is None:
            hint = "run `entire explain` to list checkpoints"
            if gone := self._opened.catalog.forgotten(name):
                raise gone
            if name and HEX.issuperset(name):
                raise EntireError(f"commit or checkpoint not found: {name}", hint=hint)
            raise EntireError(f"no commit, checkpoint or session here is named {name!r}", hint=hint, unknown=name,
                              known=self._opened.catalog.branches)  # fmt: skip
        return target

    @without_fetching
    def commit(self, name: str) -> CommitView:
        """Return a commit by any revision that git understands; raises EntireError if there is none."""
        from entire.queries import commits

        return commits.find(self._opened.catalog, name)

    @without_fetching
    def linked_commits(self, *, everywhere: bool = False) -> list[CommitView]:
        """Return the commits with a checkpoint, newest first: of this branch, or of all branches and tags."""
        from entire.queries import commits

        return commits.linked(self._opened.catalog, everywhere=everywhere)

    @without_fetching
    def explain(self, commit: str) -> ExplanationView:
        """Return a commit with its checkpoints, or with the reason why it has none."""
        from entire.queries import checkpoints

        return checkpoints.of_commit(self._opened.catalog, commit)

    def log(self, request: LogRequest) -> Generator[LogRow]:
        """Yield commits with what their sessions say, newest first, as they are found; close it to stop early.

        Raises EntireError if git does not understand the request.
        """
        from entire.queries import history as rows

        with self._opened.offline:
            listed = rows.rows(self._opened.catalog, request)
        return self._opened.offline.steps(listed)

    @without_fetching
    def show(self, request: ShowRequest) -> ShownView:
        """Return what a name means, with the conversations behind it; raises EntireError if it means nothing here."""
        from entire.queries import shown

        view = shown.show(self._opened.catalog, request)
        if not request.has_digest:
            return view
        return replace(view, checkpoints=tuple(map(Checkpoints(self._opened).with_digest, view.checkpoints)))

    @without_fetching
    def search(
        self, request: findings.SearchRequest, progress: Callable[[str], None] | None = None
    ) -> findings.SearchView:
        """Find texts in all checkpoints and open sessions; raises UsageError if the query has no word to find.

        Brings the search index up to date first; ``progress`` is called with a message while that takes long.
        """
        from entire.queries.searches import search

        return search.search(self._opened.catalog, request, progress or (lambda _: None))

    @without_fetching
    def story(self, commits: str = "") -> StoryView:
        """Return the story of a range of commits (``main..HEAD``), by default of those since HEAD left the default
        branch; raises EntireError if there is no such range.
        """
        from entire.summaries import story

        return story.of_range(self._opened.catalog, commits)
