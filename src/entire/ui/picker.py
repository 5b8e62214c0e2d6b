"""One out of a list: arrow keys, a filter and a preview on a terminal; a numbered list wherever that is not wanted.

Both draw on standard error: what is on standard output is the command's result.
"""

from __future__ import annotations

import shutil
import sys

import click

from entire.errors import EntireError
from entire.ui import prompts, terminal, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from entire.ui.terminal import Terminal

    Line = tuple[str, str]  # a line, and its colour
    Rows = Callable[[int], Sequence[Line]]
    Preview = Callable[[int], Iterable[Line]]

_MOVES = {"up": -1, "k": -1, "down": 1, "j": 1}
_FAR = {"home": -1, "g": -1, "end": 1, "G": 1}
_PAGES = {"page up": -1, "page down": 1}
_HELP = "↑↓ move   enter choose   d preview   / search   q leave"
_HELP_FILTER = "type to search   enter keep   esc all again"
_PREVIEW_LINES = 200
_REST = 0.12  # seconds without a key before a preview is worked out


class State:
    """What is shown and what is chosen, apart from any terminal."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self.shown = list(range(len(words)))
        self.at = 0  # in ``shown``
        self.top = 0
        self.query = ""
        self.is_typing = False
        self.has_pane = False

    @property
    def current(self) -> int | None:
        """The number of the highlighted line, None if the filter leaves none."""
        return self.shown[self.at] if self.shown else None

    def press(self, key: str, page: int) -> str:
        """Take a key; return ``chosen`` or ``left`` when that is the end."""
        step = _MOVES.get(key, 0) + _PAGES.get(key, 0) * page + _FAR.get(key, 0) * len(self._words)
        if step and not (self.is_typing and len(key) == 1):
            self.at = max(0, min(len(self.shown) - 1, self.at + step))
            return ""
        if key == "end of input":
            return "left"
        return self._type(key) if self.is_typing else self._command(key)

    def _command(self, key: str) -> str:
        if key == "enter":
            return "chosen" if self.shown else ""
        if key == "q" or (key == "escape" and not self.query):
            return "left"
        if key == "escape":
            self.search("")
        elif key == "/":
            self.is_typing = True
        elif key in ("d", " "):
            self.has_pane = not self.has_pane
        return ""

    def _type(self, key: str) -> str:
        if key in ("enter", "escape"):
            self.is_typing = False
        if key in ("escape", "clear"):
            self.search("")
        elif key == "backspace":
            self.search(self.query[:-1])
        elif len(key) == 1:
            self.search(self.query + key)
        return ""

    def search(self, query: str) -> None:
        """Show only what contains all words of the query; the highlighted line stays so if it is among them."""
        before = self.current
        self.query = query
        self.shown = matching(self._words, query)
        self.at = self.shown.index(before) if before in self.shown else 0

    def window(self, height: int) -> Sequence[int]:
        """Return the part of the list that is on the screen, the highlighted line in it."""
        self.top = max(0, min(self.top, self.at, len(self.shown) - height))
        self.top = max(self.top, self.at - height + 1)
        return self.shown[self.top : self.top + height]


def matching(words: Sequence[str], query: str) -> list[int]:
    """Return which texts contain all words of a query, in whatever case."""
    wanted = query.casefold().split()
    return [number for number, said in enumerate(words) if all(one in said.casefold() for one in wanted)]


def list_height(state: State, height: int) -> int:
    """Return how many lines of the list there is room for: with a preview, a third of the screen."""
    room = max(1, min(height - 4, 20) if not state.has_pane else (height - 5) // 3)
    return max(1, min(room, len(state.shown)))


def frame(
    title: str, state: State, rows: Sequence[Line], pane: Sequence[Line] | None, size: tuple[int, int]
) -> list[Line]:
    """Return the lines of one picture; never more than the terminal has."""
    width, height = size
    room = list_height(state, height)
    out = [(title, "bold")]
    for number in state.window(room):
        line, kind = rows[number]
        out.append((f"> {line}", "bold") if number == state.current else (f"  {line}", kind))
    if not state.shown:
        out.append(("  (nothing matches)", "dim"))
    if state.has_pane:
        out.append(("─" * (width - 1), "dim"))
        left = max(1, height - len(out) - 3)
        shown = list(pane) if pane is not None else [("...", "dim")]
        more = [(f"... and {len(shown) - left + 1:,} more lines", "dim")] if len(shown) > left else []
        out += [(line.expandtabs(4), kind) for line, kind in shown[: left - len(more)]] + more
    place = f"{state.at + 1 if state.shown else 0}/{len(state.shown)}"
    search = f"   /{state.query}{'_' if state.is_typing else ''}" if state.query or state.is_typing else ""
    out.append((f"{place}{search}   {_HELP_FILTER if state.is_typing else _HELP}", "dim"))
    return out[: max(1, height - 1)]


def pick(title: str, words: Sequence[str], rows: Rows, preview: Preview) -> int | None:
    """Let a person choose one of the lines; None if they leave.

    ``words`` is what a search looks at; ``rows`` returns the lines for a width; ``preview`` tells more about one line
    and is asked only when somebody looks.
    """
    if not words:
        return None
    if not terminal.can_draw():
        return _pick_plain(title, words, rows, preview)
    with terminal.Terminal(text.style_for(sys.stderr)) as screen:
        return _pick_drawn(screen, title, State(words), rows, preview)


def _pick_drawn(screen: Terminal, title: str, state: State, rows: Rows, preview: Preview) -> int | None:
    panes: dict[int, Sequence[Line]] = {}
    width, lines = 0, rows(80)
    while True:
        size = screen.size()
        if size[0] != width:
            width, lines = size[0], rows(size[0] - 3)
        current = state.current
        screen.draw(frame(title, state, lines, panes.get(-1 if current is None else current), size))
        is_missing = state.has_pane and current is not None and current not in panes
        key = screen.key(_REST if is_missing else None)
        if not key and current is not None:
            panes[current] = _preview(preview, current)
        end = state.press(key, list_height(state, size[1])) if key not in ("", "resize") else ""
        if end:
            return state.current if end == "chosen" else None


def _preview(preview: Preview, number: int) -> list[Line]:
    """Return the beginning of a preview. What cannot be previewed says why, and the list stays."""
    found: list[Line] = []
    try:
        for line in preview(number):
            found.append(line)
            if len(found) == _PREVIEW_LINES:
                break
    except EntireError as error:
        found.append((text.plain(error.message), "red"))
    return found


def _pick_plain(title: str, words: Sequence[str], rows: Rows, preview: Preview) -> int | None:
    """Ask by numbers, one line after the other: for screen readers, simple terminals and scripts."""
    lines = rows(shutil.get_terminal_size((100, 24)).columns - 6)
    _list(title, lines, range(len(lines)))
    while True:
        try:
            answer = prompts.answer("Number; d and a number for a preview; words to search; empty to leave: ")
        except click.Abort:
            return None
        if answer.casefold() in ("", "q"):
            return None
        number = prompts.number_in(answer, len(lines))
        if number is not None:
            return number
        looked = prompts.number_in(answer[1:].strip(), len(lines)) if answer[:1] in ("d", "D") else None
        if looked is not None:
            text.write([line for line, _ in _preview(preview, looked)], sys.stderr)
        else:
            _list(f"{title} ({text.plain(answer)})", lines, matching(words, answer))


def _list(title: str, lines: Sequence[Line], shown: Iterable[int]) -> None:
    """Print the lines with their numbers, which a search does not change."""
    out = [f"{number + 1:>4}) {lines[number][0]}" for number in shown]
    text.write([title, *(out or ["  (nothing matches)"])], sys.stderr)
    sys.stderr.flush()
