"""What a plugin was asked in one hook, and what it answered: each question is asked once.

A failure is an answer too: it is noted, and the question is not asked again.
"""

from __future__ import annotations

from entire.agents import untrusted
from entire.plugin_host.language.protocol import MAX_ANSWER, PluginError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from entire.plugin_host.programs.program import Program

    T = TypeVar("T")


def ignore(message: str) -> None:
    """Take a message that nobody wants to know."""


class Calls:
    """The calls of one plugin. No method raises: what failed is noted, and its answer is None."""

    def __init__(self, program: Program, note: Callable[[str], None] = ignore) -> None:
        self.program = program
        self._note = note
        self._answers: dict[tuple[object, ...], Any] = {}
        self._noted: set[str] = set()

    def current(self) -> Calls:
        """Return what answers about things that a command may have changed since it asked: in a hook, nothing has."""
        return self if self.program.in_hook else self.fresh()

    def fresh(self) -> Calls:
        """Return calls of the same plugin without any answer."""
        calls = Calls(self.program, self._note)
        calls._noted = self._noted
        return calls

    def forget(self) -> None:
        """Drop the answers: what they are about has changed."""
        self._answers.clear()

    def once(self, question: tuple[object, ...], ask: Callable[[], T], *, may_fail: bool = False) -> T | None:
        """Return what ``ask`` returned when the question was asked first; None if it raised PluginError, ValueError or
        OSError.

        ``may_fail``: a failure means nothing, and is not noted.
        """
        if question not in self._answers:
            self._answers[question] = self._asked(question, ask, may_fail=may_fail)
        answer: T | None = self._answers[question]
        return answer

    def _asked(self, question: tuple[object, ...], ask: Callable[[], T], *, may_fail: bool) -> T | None:
        try:
            return ask()
        except PluginError as error:
            message = error.message
        except ValueError as error:
            message = f"the answer of {self.program.name} to {question[0]} makes no sense: {error}"
        except OSError as error:
            message = f"{self.program.name} could not be asked for {question[0]}: {error}"
        if not may_fail:
            self.report(message)
        return None

    def remember(self, question: tuple[object, ...], answer: object) -> None:
        """Take an answer that another question brought."""
        self._answers.setdefault(question, answer)

    def known(self, question: tuple[object, ...]) -> Any:
        """Return an answer that is there already; None if there is none."""
        return self._answers.get(question)

    def report(self, message: str) -> None:
        """Note a problem, once."""
        if message not in self._noted:
            self._noted.add(message)
            self._note(message)

    def output(self, *words: str, stdin: bytes = b"", max_output: int = MAX_ANSWER) -> bytes | None:
        """Return what a subcommand prints."""
        run = self.program.run
        return self.once((*words, stdin), lambda: run(*words, stdin=stdin, max_output=max_output))

    def call(self, *words: str, stdin: bytes = b"") -> dict[str, Any]:
        """Return the JSON object that a subcommand answers; an empty one if it failed."""
        return self.once((*words, stdin), lambda: self.program.call(*words, stdin=stdin)) or {}

    def text(self, key: str, *words: str, stdin: bytes = b"") -> str:
        """Return one text of the object that a subcommand answers; '' if there is none."""
        return untrusted.clean(self.call(*words, stdin=stdin).get(key))
