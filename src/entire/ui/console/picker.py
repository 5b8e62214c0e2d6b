"""An interactive list on a terminal: arrow keys, a search, marks for several choices, a preview of each line.

It draws on standard error, so standard output holds results only. ``prompts`` imports this module only
when it draws, because prompt_toolkit is slow to load.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Always, Condition, has_focus
from prompt_toolkit.input import create_input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    UIContent,
    UIControl,
    VSplit,
    Window,
)
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from entire.ui.console import lists, terminal, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.key_binding import KeyPressEvent

    from entire.ui.console.lists import Line, Preview, Rows

_FAR = 1_000_000_000  # to the first or the last line
_STYLES = {
    "": "", "bold": "bold", "cyan": "ansicyan", "dim": "dim", "green": "ansigreen", "red": "ansired",
    "yellow": "ansiyellow",
}  # fmt: skip
_ONE_LINE = Dimension(min=0, max=1, preferred=1)  # gives way where the terminal has too few lines
_TWO_LINES = Dimension(min=0, max=2)
_GAP = "   "  # between the keys below the list
_LETTERS = ("d", "g", "G")  # keys of a list with a preview; where lines are marked, they begin a name
_INLINE_LINES = 20  # of a list that does not take the whole screen
_REST = 0.12  # seconds without a key before a preview is made
_ESCAPE_WAIT = 0.05  # seconds to tell the Esc key from the start of an escape sequence


def pick(title: str, words: Sequence[str], rows: Rows, preview: Preview) -> int | None:
    """Let the user choose a line; None if they quit.

    ``words`` is searched; ``rows`` returns the lines for a width; ``preview`` returns a line's details and is called
    only when they are shown.
    """
    chosen = Picker(title, lists.Choices(words), rows, preview).run()
    return chosen[0] if chosen else None


def pick_several(title: str, words: Sequence[str], rows: Rows, marked: Collection[int] = ()) -> list[int] | None:
    """Let the user mark at least one line, also by its number or by typing a name; None if they quit."""
    return Picker(title, lists.Choices(words, marked), rows).run()


class Picker:
    """Draws the list: with a preview on the whole screen, else in as few lines as it needs."""

    def __init__(self, title: str, choices: lists.Choices, rows: Rows, preview: Preview | None = None) -> None:
        self._choices = choices
        self._rows = rows
        self._preview = preview
        self._has_pane = False
        self._panes: dict[int, Sequence[Line]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_working = False  # on a preview
        self._timer: asyncio.TimerHandle | None = None
        self._styles = _STYLES if text.style_for(sys.stderr).on else dict.fromkeys(_STYLES, "")
        self._fitted: tuple[int, Sequence[Line]] = (0, ())
        self._search = Buffer(multiline=False, on_text_changed=lambda buffer: choices.search(buffer.text))
        self._list = Window(
            _Lines(self._list_content, lambda: len(choices.shown)), height=self._list_height, always_hide_cursor=True
        )
        self._search_line = Window(BufferControl(self._search), height=1)
        self._is_typing = has_focus(self._search)
        self._is_naming = False  # a search that a letter began: Enter marks what it found
        self._app = self._application(title)

    def run(self) -> list[int] | None:
        """Return what was chosen, None if the user quit."""
        with terminal.restored_on_signals(self._interrupt):
            try:
                return self._app.run(handle_sigint=False, set_exception_handler=False)
            except EOFError:  # the terminal has gone
                return None

    # ------------------------------------------------------------ layout

    def _application(self, title: str) -> Application[list[int] | None]:
        output = Vt100_Output.from_pty(sys.stderr)
        output.enable_cpr = False  # the terminal's reply could arrive after exit, as input of the shell
        is_full = self._preview is not None
        app: Application[list[int] | None] = Application(
            layout=Layout(self._parts(title), focused_element=self._list),
            key_bindings=self._keys(),
            full_screen=is_full,
            erase_when_done=True,
            color_depth=ColorDepth.DEPTH_4_BIT,
            input=create_input(sys.stdin),
            output=output,
        )
        app.ttimeoutlen = _ESCAPE_WAIT
        app.key_processor.after_key_press += lambda _: self._schedule_preview()
        app.pre_run_callables.append(self._start)
        return app

    def _start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.call_soon(terminal.let_ctrl_c_interrupt)  # when the terminal is in raw mode

    def _parts(self, title: str) -> HSplit:
        is_searching = self._is_typing | Condition(lambda: bool(self._choices.query))
        search = VSplit([Window(FormattedTextControl("/"), width=1), self._search_line])
        rule = Window(char="─", height=_ONE_LINE, style=self._styles["dim"])
        pane = Window(_Lines(self._pane_content))
        return HSplit(
            [
                self._words(lambda: text.plain(title).split(" "), " ", "bold"),
                self._list,
                ConditionalContainer(HSplit([rule, pane]), Condition(lambda: self._has_pane)),
                ConditionalContainer(search, is_searching),
                self._words(self._status, _GAP, "dim"),
            ]
        )

    def _words(self, words: Callable[[], Sequence[str]], gap: str, style: str) -> Window:
        """Return a window for words above or below the list: on two lines where one is too short for them; beside a
        preview always on one.
        """

        def content() -> StyleAndTextTuples:
            width = self._app.output.get_size().columns if self._preview is None else _FAR
            return [(self._styles[style], lists.wrapped(words(), gap, width))]

        height = _TWO_LINES if self._preview is None else _ONE_LINE
        return Window(FormattedTextControl(content), height=height, dont_extend_height=True)

    def _list_height(self) -> Dimension:
        if self._preview is not None and not self._has_pane:
            return Dimension(min=1)
        room = (self._app.output.get_size().rows - 5) // 3 if self._has_pane else _INLINE_LINES
        lines = max(1, min(room, len(self._choices.shown)))
        return Dimension(min=1, max=lines, preferred=lines)

    def _list_content(self, width: int, _: int) -> UIContent:
        choices = self._choices
        if self._fitted[0] != width:
            self._fitted = (width, self._rows(max(1, width - (7 if choices.marked is not None else 3))))
        if not choices.shown:
            return self._content([("  (nothing matches)", "dim")])
        return UIContent(self._list_line, len(choices.shown), Point(0, choices.at), show_cursor=False)

    def _list_line(self, at: int) -> StyleAndTextTuples:
        choices = self._choices
        number = choices.shown[at]
        line, kind = self._fitted[1][number]
        line = text.plain(line)
        if choices.marked is not None:
            line = f"[{'x' if number in choices.marked else ' '}] {line}"
        is_current = at == choices.at
        return [(self._styles["bold" if is_current else kind], f"{'>' if is_current else ' '} {line}")]

    def _pane_content(self, _: int, height: int) -> UIContent:
        current = self._choices.current
        lines: Sequence[Line] = [] if current is None else self._panes.get(current, [("...", "dim")])
        if len(lines) > height:
            lines = [*lines[: height - 1], (f"... and {len(lines) - height + 1:,} more lines", "dim")]
        return self._content(lines)

    def _content(self, lines: Sequence[Line]) -> UIContent:
        styled: list[StyleAndTextTuples] = [
            [(self._styles[kind], text.plain(line).expandtabs(4))] for line, kind in lines
        ]
        return UIContent(styled.__getitem__, len(styled), show_cursor=False)

    def _status(self) -> Sequence[str]:
        choices = self._choices
        keys = ["↑↓ move", "enter choose", "d preview", "/ search", "q quit"]
        if self._is_typing():
            keys = ["type to search", "enter mark" if self._is_naming else "enter keep", "esc show all"]
        elif choices.marked is not None:
            accept = "enter accept" if choices.marked else "mark at least one"
            keys = ["↑↓ move", "space mark", accept, "q quit", "number or name"]
        place = f"{choices.at + 1 if choices.shown else 0}/{len(choices.shown)}"
        return [place, *keys]

    # ------------------------------------------------------------ previews

    def _schedule_preview(self) -> None:
        """Make a missing preview once no key has been pressed for a moment."""
        if self._timer is not None:
            self._timer.cancel()
        current = self._choices.current
        if self._loop is not None and self._has_pane and current is not None and current not in self._panes:
            self._timer = self._loop.call_later(_REST, self._make_preview, current)

    def _make_preview(self, number: int) -> None:
        if self._preview is None or self._app.is_done:
            return
        try:
            self._is_working = True
            self._panes[number] = lists.preview_lines(self._preview, number)
            self._is_working = False
        except BaseException as error:  # a bug, which asyncio would only log, or a signal
            self._is_working = False
            self._exit(error)
        self._app.invalidate()

    # ------------------------------------------------------------ exit

    def _interrupt(self) -> None:
        """Exit on a signal: at once while a preview is made, else after the keys already pressed."""
        if self._loop is None or self._loop.is_closed() or self._is_working:
            raise KeyboardInterrupt
        self._loop.call_soon_threadsafe(self._exit, KeyboardInterrupt())

    def _exit(self, error: BaseException) -> None:
        if not self._app.is_done:
            self._app.exit(exception=error)

    # ------------------------------------------------------------ keys

    def _keys(self) -> KeyBindings:
        move, page = self._choices.move, self._turn_page
        always: dict[str, Callable[[], object]] = {
            "up": lambda: move(-1), "c-p": lambda: move(-1), "down": lambda: move(1), "c-n": lambda: move(1),
            "pageup": lambda: page(-1), "c-b": lambda: page(-1), "pagedown": lambda: page(1), "c-f": lambda: page(1),
            "c-c": lambda: self._exit(KeyboardInterrupt()), "c-d": lambda: self._app.exit(),
            "c-z": lambda: None,  # otherwise it would be inserted into the search
        }  # fmt: skip
        in_list: dict[str, Callable[[], object]] = {
            "k": lambda: move(-1), "j": lambda: move(1), "g": lambda: move(-_FAR), "home": lambda: move(-_FAR),
            "G": lambda: move(_FAR), "end": lambda: move(_FAR), "q": lambda: self._app.exit(), "d": self._toggle_pane,
            "/": self._begin_search, "enter": self._accept, "escape": self._leave,
            "space": self._toggle_pane if self._choices.marked is None else self._choices.toggle,
        }  # fmt: skip
        in_search: dict[str, Callable[[], object]] = {
            "enter": self._end_search, "escape": self._show_all
        }  # fmt: skip
        keys = KeyBindings()
        if self._choices.marked is not None:
            in_list = {name: act for name, act in in_list.items() if name not in _LETTERS}
            in_list |= {str(number): partial(self._choices.mark_number, number) for number in range(1, 10)}
            keys.add(Keys.Any, filter=~self._is_typing)(self._begin_name)
        for table, when in ((always, Always()), (in_list, ~self._is_typing), (in_search, self._is_typing)):
            for name, act in table.items():
                keys.add(name, filter=when, eager=name == "escape")(partial(_ignoring_the_event, act))
        return keys

    def _turn_page(self, step: int) -> None:
        drawn = self._list.render_info
        self._choices.move(step * (drawn.window_height if drawn is not None else 1))

    def _accept(self) -> None:
        if self._choices.chosen:
            self._app.exit(result=self._choices.chosen)

    def _begin_search(self) -> None:
        self._is_naming = False
        self._app.layout.focus(self._search)

    def _begin_name(self, event: KeyPressEvent) -> None:
        if event.data.isprintable():
            self._begin_search()
            self._is_naming = True
            self._search.insert_text(event.data)

    def _end_search(self) -> None:
        """Keep what a search found; mark what a name means."""
        self._app.layout.focus(self._list)
        if self._is_naming and len(self._choices.shown) == 1:
            self._choices.toggle()
            self._show_all()

    def _leave(self) -> None:
        if self._choices.query:
            self._show_all()
        else:
            self._app.exit()

    def _show_all(self) -> None:
        self._search.text = ""
        self._app.layout.focus(self._list)

    def _toggle_pane(self) -> None:
        self._has_pane = self._preview is not None and not self._has_pane


def _ignoring_the_event(act: Callable[[], object], _: KeyPressEvent) -> None:
    act()


class _Lines(UIControl):
    """Lines made to fit the available width and height."""

    def __init__(self, make: Callable[[int, int], UIContent], count: Callable[[], int] = lambda: 1) -> None:
        self._make = make
        self._count = count

    def create_content(self, width: int, height: int) -> UIContent:
        return self._make(width, height)

    def preferred_height(self, *_: object) -> int:
        return self._count()

    def is_focusable(self) -> bool:
        return True
