"""Questions to the user: plain numbered lines, which a screen reader can read and a script can answer.

Where the terminal allows and ``ACCESSIBLE`` is not set, ``entire.ui.console.picker`` draws lists to choose from.

Questions go to standard error, so standard output holds results only. Nothing is asked without a terminal, unless
``ACCESSIBLE=1`` says that answers come on standard input.
"""

from __future__ import annotations

import os
import sys

import click

from entire.ui.console import lists, terminal, text, wrapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from entire.ui.console.lists import Line, Preview, Rows

_ROOM = 4  # cells for a short answer
_YES = {"y": True, "yes": True, "n": False, "no": False}


def can_ask() -> bool:
    """Tell whether questions can be answered."""
    if os.environ.get("ACCESSIBLE", "") not in ("", "0"):
        return True
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str, *, default: bool = False) -> bool:
    """Ask a yes-or-no question; an empty answer and the end of input mean the default."""
    choice = "Y/n" if default else "y/N"
    while True:
        answer = _ask(f"{question} [{choice}] ")
        if not answer:
            return default
        if answer.lower() in _YES:
            return _YES[answer.lower()]
        _say("Please answer yes or no.")


def choose(
    question: str, options: Sequence[tuple[str, str]], *, preset: Collection[str] = (), unlisted: Collection[str] = ()
) -> list[str]:
    """Ask for one or more of the options (name, description); those in ``preset`` are marked. Someone who types names
    can also give ``unlisted`` ones.
    """
    if terminal.can_draw():
        return _choose_drawn(question, options, preset)
    return _choose_plain(question, options, preset, unlisted)


def _choose_drawn(question: str, options: Sequence[tuple[str, str]], preset: Collection[str]) -> list[str]:
    from entire.ui.console import picker

    width = max(len(name) for name, _ in options)
    lines = [f"{name:<{width}}  {text.one_line(description, 400)}" for name, description in options]
    marked = [number for number, (name, _) in enumerate(options) if name in preset]

    def rows(room: int) -> list[Line]:
        return [(wrapping.fit(line, room), "") for line in lines]

    chosen = picker.pick_several(question, lines, rows, marked)
    if chosen is None:
        raise click.Abort
    return [options[number][0] for number in chosen]


def _choose_plain(
    question: str, options: Sequence[tuple[str, str]], preset: Collection[str], unlisted: Collection[str]
) -> list[str]:
    """Ask by numbers or names; an empty answer chooses ``preset``."""
    names = [name for name, _ in options]
    width = max(len(name) for name in names)
    while True:
        _say(question)
        for number, (name, description) in enumerate(options, 1):
            mark = "*" if name in preset else " "
            _say(f" {mark}{number}) {name:<{width}}  {description}")
        hint = f" (* = {', '.join(preset)})" if preset else ""
        answer = _ask(f"Numbers or names, separated by spaces{hint}: ")
        words = (answer or "").replace(",", " ").split()
        numbers = [number_in(word, len(names)) for word in words]
        chosen = [word if at is None else names[at] for word, at in zip(words, numbers, strict=True)]
        if not words and preset:
            return [name for name in names if name in preset]
        if words and all(name in names or name in unlisted for name in chosen):
            return list(dict.fromkeys(chosen))
        if answer is None:
            raise click.Abort
        _say("Please choose from the list.")


def pick(title: str, words: Sequence[str], rows: Rows, preview: Preview) -> int | None:
    """Ask for a line of a list; None if the user quits. The parameters are those of ``picker.pick``."""
    if not words:
        return None
    if terminal.can_draw():
        from entire.ui.console import picker

        return picker.pick(title, words, rows, preview)
    return _pick_plain(title, words, rows, preview)


def _pick_plain(title: str, words: Sequence[str], rows: Rows, preview: Preview) -> int | None:
    import shutil

    lines = rows(shutil.get_terminal_size((100, 24)).columns - 6)
    _print_list(title, lines, range(len(lines)))
    while True:
        try:
            reply = answer("Number to choose, d NUMBER to preview, words to search, empty to quit: ")
        except click.Abort:
            return None
        if reply.casefold() in ("", "q"):
            return None
        number = number_in(reply, len(lines))
        if number is not None:
            return number
        previewed = number_in(reply[1:].strip(), len(lines)) if reply[:1] in ("d", "D") else None
        if previewed is not None:
            text.write([line for line, _ in lists.preview_lines(preview, previewed)], sys.stderr)
        else:
            _print_list(f"{title} ({text.plain(reply)})", lines, lists.matching(words, reply))


def _print_list(title: str, lines: Sequence[Line], shown: Iterable[int]) -> None:
    """Print lines with their numbers; a search keeps the numbers."""
    out = [f"{number + 1:>4}) {lines[number][0]}" for number in shown]
    text.write([title, *(out or ["  (nothing matches)"])], sys.stderr)
    sys.stderr.flush()


def select(question: str, options: Sequence[tuple[str, str]]) -> str:
    """Ask for one of the options (name, description); an empty answer means the first, the end of input aborts."""
    names = [name for name, _ in options]
    width = max(len(name) for name in names)
    _say(question)
    for number, (name, description) in enumerate(options, 1):
        _say(f"  {number}) {name:<{width}}  {description}")
    while True:
        reply = answer(f"Number or name [{names[0]}]: ")
        if not reply:
            return names[0]
        index = number_in(reply, len(names))
        if index is not None or reply in names:
            return names[index] if index is not None else reply
        _say("Please choose from the list.")


def letter(question: str, answers: Mapping[str, str], default: str) -> str:
    """Ask for one of a few letters (letter: its word); an empty answer means the default."""
    shown = ", ".join(f"[{key.upper() if key == default else key}]{word[1:]}" for key, word in answers.items())
    while True:
        reply = answer(f"{question} {shown}: ").casefold()
        keys = [key for key, word in answers.items() if reply in (key, word)]
        if keys or not reply:
            return keys[0] if keys else default
        _say(f"Please answer {', '.join(answers)}.")


def number_in(word: str, count: int) -> int | None:
    """Return the index for a number counted from 1; None if the list has no such number."""
    if len(word) < 10 and word.isascii() and word.isdigit() and 1 <= int(word) <= count:
        return int(word) - 1
    return None


def answer(question: str) -> str:
    """Read a line; the end of input aborts the command."""
    line = _ask(question)
    if line is None:
        raise click.Abort
    return line


def _say(line: str) -> None:
    text.write_wrapped([text.plain(line)], sys.stderr)
    sys.stderr.flush()


def _ask(question: str) -> str | None:
    """Read a line; None at the end of input."""
    width = text.terminal_width(sys.stderr)
    shown = "\n".join(wrapping.wrap(question, width - _ROOM)) + " " if width else question
    text.write(text.plain(shown), sys.stderr)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        _say("")
    return line.strip() if line else None
