"""What a scenario of the campaign is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.campaign.hurt import Ended, Fault
from tests.campaign.truth import Picture, Told, sound
from tests.campaign.worlds import World


@dataclass(frozen=True)
class Views:
    """How everything looked before the act, and after it when nothing went wrong."""

    before: Picture
    after: Picture
    own_before: object = None  # what a scenario compares of ours
    own_after: object = None
    kind: str = "kill"

    @property
    def was_told(self) -> bool:
        """Tell whether the fault lets our process live, so that it may put files aside and log what went wrong."""
        return self.kind != "kill"


@dataclass(frozen=True)
class Scenario:
    """One call that is hurt. ``then`` checks what must be true, and returns a word for the outcome."""

    name: str
    prepare: Callable[[World], None]
    act: Callable[[World, Fault], Ended]
    then: Callable[[World, Ended, Views], str]
    own: Callable[[World], object] = lambda world: None
    words: Callable[[World], tuple[str, ...]] | None = None  # of the command line, to kill it as a real process
    stdin: Callable[[World], bytes] = lambda world: b""


def next_hook(world: World, views: Views) -> None:
    """Let the next hook be that of a session which has nothing to do with it; then everything is whole."""
    told = Told(world)
    world.story.session().start()
    sound(world, broken=views.was_told)
    told.none()
