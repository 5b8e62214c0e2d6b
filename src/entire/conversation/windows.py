"""When a turn's tools were at work that can run programs: only then can it have changed files that no tool reports."""

from __future__ import annotations

from entire.conversation.records import ANSWERED, CALLED, ENDED, OPEN, STOPPED
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from entire.conversation.records import Seen

SLACK = 2.0  # seconds by which a change may lie beside a window


class Window(Value):
    """When a tool was at work, from its call to its result; ``ended`` is 0 while it still is."""

    call: str
    began: float
    ended: float = 0.0

    def covers(self, moment: float) -> bool:
        return self.began - SLACK <= moment and (not self.ended or moment <= self.ended + SLACK)


class Activity(Value):
    """What a transcript says about a turn: its windows, when it was interrupted (0: it was not), and the times of its
    first and last record.
    """

    windows: tuple[Window, ...] = ()
    interrupted: float = 0.0
    first: float = 0.0
    last: float = 0.0
    has_answers: bool = False

    def can_change(self, moment: float, end: float = 0.0) -> bool:
        """Tell whether a tool was at work at a moment (0: unknown, any will do) before the turn ended (0: not yet)."""
        if not moment:
            return bool(self.windows)
        return not (end and moment > end) and any(window.covers(moment) for window in self.windows)


def derive(seen: Iterable[Seen]) -> Activity | None:
    """Return the activity that a turn's records tell; None if they cannot tell it: there is none, or one has no time.

    What follows an interruption cancels it: the conversation goes on. Only what it stopped may come late: results, and
    calls that had begun by then.
    """
    windows: dict[str, Window] = {}
    first = last = interrupted = stopped = 0.0
    has_answers = False
    open_answer: Window | None = None
    for kind, _, time, call in seen:
        if not time:
            return None
        first, last = first or time, max(last, time)
        is_late = kind in (ANSWERED, OPEN, CALLED) and time <= stopped
        has_answers = has_answers or (kind in (ANSWERED, OPEN, CALLED) and not is_late)
        if kind == STOPPED:
            interrupted = stopped = time
            if open_answer is not None:
                windows[open_answer.call] = replace(open_answer, ended=time)
        elif kind == ENDED:
            interrupted = interrupted and max(interrupted, time)
            if (window := windows.get(call)) is not None:
                windows[call] = replace(window, ended=max(window.ended, time))
        elif not is_late:
            interrupted = 0.0
        open_answer = Window(call=call, began=time) if kind == OPEN and not is_late else None
        if kind == CALLED and call:
            windows.setdefault(call, Window(call=call, began=time))
    if not last:
        return None
    if open_answer is not None:
        windows[open_answer.call] = open_answer
    return Activity(
        windows=tuple(windows.values()), interrupted=interrupted, first=first, last=last, has_answers=has_answers
    )


def with_subagents(activity: Activity, subagents: Mapping[str, Sequence[Activity | None]]) -> Activity:
    """Return an activity in which the windows of subagents' own tools stand for those of the calls that started them.

    ``subagents`` maps a call's id to what the subagents' transcripts say. Where one cannot tell, the whole call counts.
    """
    windows: list[Window] = []
    for call, known in subagents.items():
        for inner in known:
            windows += inner.windows if inner is not None else ()
        if None in known:
            windows += (window for window in activity.windows if window.call == call)
    others = (window for window in activity.windows if window.call not in subagents)
    return replace(activity, windows=(*others, *windows))
