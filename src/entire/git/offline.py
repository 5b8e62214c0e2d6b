"""Keeps git from fetching objects.

In a partial clone, git gets each missing object that is read from the remote, one by one: that would make an answer
slow, and different without a network.
"""

from __future__ import annotations

from entire.errors import PartialCloneError
from entire.git import run
from entire.model.ids import shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from types import TracebackType
    from typing import TypeVar

    Item = TypeVar("Item")

_VARIABLES = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}  # older versions of git know only the second


class Offline:
    """While this is entered, no git fetches. If an object is missing, PartialCloneError names the command that fetches
    all objects of ``ref`` at once; a hook, which nobody watches, needs none.
    """

    def __init__(self, where: str = "", ref: str = "") -> None:
        self._where = where
        self._ref = ref
        self._before: dict[str, str] = {}

    def __enter__(self) -> None:
        self._before = dict(run.LIMITS)
        run.LIMITS.update(_VARIABLES)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        run.LIMITS.clear()
        run.LIMITS.update(self._before)
        if isinstance(error, PartialCloneError) and self._where and not self._before:
            command = f"git fetch --refetch --no-filter {shell_word(promisor(self._where), 'REMOTE')} {self._ref}"
            hint = f"run `{command}` to fetch what is missing at once"
            raise PartialCloneError(error.message, hint=hint, status=error.status, stderr=error.stderr) from None

    def steps(self, items: Iterator[Item]) -> Generator[Item]:
        """Yield items; only while the next one is looked for, nothing is fetched."""
        try:
            while True:
                with self:
                    item = next(items, self)
                if item is self:
                    return
                yield item  # type: ignore[misc]
        finally:
            if hasattr(items, "close"):
                items.close()


def promisor(where: str) -> str:
    """Return the name of the remote that promised the missing objects."""
    done = run.git(where, "config", "--name-only", "--get-regexp", r"^remote\..*\.promisor$", ok=(0, 1))
    names = done.stdout.decode("utf-8", "surrogateescape").split("\n")
    return names[0].removeprefix("remote.").removesuffix(".promisor") or "REMOTE"
