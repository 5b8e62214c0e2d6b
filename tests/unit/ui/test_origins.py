"""What ``why`` shows, at three widths, plain and in colour."""

from __future__ import annotations

from entire.model.origins import PERSON, TURN, UNKNOWN, FileOrigins, LineRange, Origin, WhyView
from entire.model.transcripts import Edit, ToolCall
from entire.model.value import replace
from entire.model.views.checkpoints import MessageView
from entire.ui.screens import origins
from tests import screens

TYPED = Origin(
    kind=PERSON, commit="1f3a9c0" + "0" * 33, author="Ada", subject="Greet people", time=1795240178.0, path="greet.py"
)
WRITTEN = replace(
    TYPED, kind=TURN, checkpoint_id="5df8a118a88b", session_id="158caed3-6ee2-47a8", turn="turn-1",
    agent="Demo Agent", model="obedient-1", started=1795240100.0,
    prompt="Write a function that greets people 你好, in as few words as possible\nand a test for it",
)  # fmt: skip
LOST = replace(TYPED, kind=UNKNOWN, reason="checkpoint 5df8a118a88b is not in this clone")
CALL = MessageView(
    who="tool",
    text="greet.py",
    at=4,
    name="Write",
    call=ToolCall(edits=(Edit(path="greet.py", new="x", is_whole=True),)),
)
RANGES = (
    LineRange(first=1, last=9, origin=WRITTEN, source_line=1),
    LineRange(first=10, last=10, origin=TYPED, source_line=10),
    LineRange(first=11, last=12, origin=LOST, source_line=11),
)


def test_the_screens_of_a_file() -> None:
    view = WhyView(files=(FileOrigins(path="greet.py", ranges=RANGES, lines=("x",) * 12),))
    screens.check("why", lambda width, style: origins.listing(view, width, style))


def test_the_screens_of_a_line() -> None:
    line = LineRange(first=2, last=2, origin=WRITTEN, source_line=2, call=CALL)
    view = WhyView(files=(FileOrigins(path="greet.py", ranges=(line,), lines=('    return f"Hello, {name}!"',)),))
    screens.check("why-line", lambda width, style: origins.answers(view, width, style))
