"""What every subject of a workspace shares: the place, its settings, and what was read of it so far."""

from __future__ import annotations

import contextlib
import functools

from entire import layout, settings
from entire.errors import NotEnabledError
from entire.git.offline import Offline
from entire.store import redactor_of
from entire.store.catalog import Catalog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Concatenate, ParamSpec, TypeVar

    from entire.directory import AgentDirectory
    from entire.layout import Place
    from entire.recording.context import Context
    from entire.settings import Settings

    Given = ParamSpec("Given")
    Result = TypeVar("Result")
    Asked = TypeVar("Asked", bound="Subject")


class Opened:
    """A repository that is open."""

    def __init__(self, place: Place, *, now: Callable[[], float], only_reads: bool) -> None:
        self.place = place
        self.now = now
        self._only_reads = only_reads  # also leave what hooks did not complete
        self.reload()

    def reload(self) -> None:
        """Load the settings and drop everything cached."""
        self.redactor = redactor_of(self.place)
        self.settings: Settings | None = settings.load(self.place)  # None: Entire was never enabled here
        self.drop_catalog()

    def drop_catalog(self) -> None:
        """Forget what was read of the checkpoints, because it changed."""
        self._catalog: Catalog | None = None
        self._agents: AgentDirectory | None = None

    @property
    def catalog(self) -> Catalog:
        """The checkpoints, after what hooks left was completed."""
        if self._catalog is None:
            self.catch_up()
            self._catalog = Catalog(self.place, self.redactor, self.agents, only_reads=self._only_reads)
        return self._catalog

    @property
    def agents(self) -> AgentDirectory:
        """Which agents there are, as long as the catalog is known."""
        if self._agents is None:
            from entire.directory import AgentDirectory

            self._agents = AgentDirectory.with_plugins(self.place)
        return self._agents

    @property
    def offline(self) -> Offline:
        """While this is entered, git fetches nothing."""
        return Offline(self.place.top, layout.METADATA_BRANCH)

    def catch_up(self) -> None:
        """Complete what hooks left of commits, so what is read next is true."""
        if self.settings is not None and self.settings.enabled and not self._only_reads:
            from entire import lifecycle

            with contextlib.closing(self.context(starts_plugins=False)) as context:
                lifecycle.catch_up(context)

    def context(self, *, starts_plugins: bool = True) -> Context:
        """Return a context, which the caller closes."""
        from entire.directory import AgentDirectory
        from entire.recording.context import Context

        chosen = self.settings or settings.Settings(enabled=False)
        may_start = starts_plugins and not self._only_reads
        agents = self.agents if may_start else AgentDirectory.without_plugins()
        return Context(self.place, chosen, agents, redactor=self.redactor)

    def rewind_context(self) -> Context:
        """Return a context for a rewind; raises NotEnabledError where Entire was never enabled."""
        if self.settings is None:
            raise NotEnabledError("Entire was never enabled here, so there is no point to rewind to",
                                  hint="run `entire enable` to start recording sessions")  # fmt: skip
        return self.context()


class Subject:
    """One subject of a workspace."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened


def without_fetching(
    ask: Callable[Concatenate[Asked, Given], Result],
) -> Callable[Concatenate[Asked, Given], Result]:
    """Return a method that asks git only for what is here: a partial clone fetches nothing, and says what it lacks."""

    @functools.wraps(ask)
    def asked(self: Asked, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        with self._opened.offline:
            return ask(self, *args, **kwargs)

    return asked


@contextlib.contextmanager
def closed_on_error(context: Context) -> Iterator[Context]:
    """Close a context if the plan that would own it cannot be made."""
    try:
        yield context
    except BaseException:
        context.close()
        raise
