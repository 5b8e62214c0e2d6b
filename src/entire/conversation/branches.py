"""Which prompts lead to the end of a conversation: people rewind, and may go back to what they left."""

from __future__ import annotations

from entire.conversation.records import EXPANDED, LOCAL, MOVED, PERSON, RESTARTED, REWOUND, Mark, Prompt, is_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.conversation.records import Record

NONE = -1
"""The number of no prompt: before the first one that was read."""


class Branches:
    """Numbers the prompts in the order in which they were read, and knows the one after which each goes on."""

    def __init__(self) -> None:
        self._prompts: list[Prompt] = []
        self._above: list[int] = []  # by a prompt's number, that of the one that it follows
        self._restarted: dict[int, int] = {}  # number of a prompt -> the record that shows that it follows none
        self._numbers: dict[int, int] = {}  # record of a prompt -> its number
        self._tips = [(NONE, NONE)]  # (record, prompt) wherever the conversation's last prompt changes
        self._expanded: dict[int, int] = {}  # record of a local prompt -> that of its expansion
        self._rewinds: list[tuple[int, int]] = []  # (first record taken back, record that says so)

    @property
    def tip(self) -> int:
        """The number of the prompt with which the conversation ends."""
        return self._tips[-1][1]

    def take(self, record: Record) -> None:
        if isinstance(record, Prompt):
            self._numbers[record.position] = len(self._prompts)
            self._prompts.append(record)
            self._above.append(self.tip)
            self._move(record.position, len(self._prompts) - 1)
        elif isinstance(record, Mark):
            if record.kind == MOVED:
                self._move(record.position, self._numbers.get(record.first, NONE))
            elif record.kind == REWOUND:
                self._rewind(record)
            elif record.kind == RESTARTED:
                self._restarted[self._numbers.get(record.first, NONE)] = record.position
            elif record.kind == EXPANDED:
                self._expanded[record.first] = record.position

    def _rewind(self, mark: Mark) -> None:
        self._rewinds.append((mark.first, mark.position))
        tip = self.tip
        while tip != NONE and self._prompts[tip].position >= mark.first:
            tip = self._above[tip]
        self._move(mark.position, tip)

    def _move(self, at: int, tip: int) -> None:
        place = len(self._tips)
        while place > 1 and self._tips[place - 1][0] > at:  # a mark may come late
            place -= 1
        self._tips.insert(place, (at, tip))

    def active(self, stop: int | None = None) -> list[int]:
        """Return the numbers of the prompts on the branch that was active before record ``stop``, in order."""
        tip = next(tip for at, tip in reversed(self._tips) if is_before(at, stop))
        numbers: list[int] = []
        while tip != NONE:
            numbers.append(tip)
            restarted = self._restarted.get(tip)
            tip = NONE if restarted is not None and is_before(restarted, stop) else self._above[tip]
        return numbers[::-1]

    def prompts(self, stop: int | None = None) -> list[Prompt]:
        """Return what people asked the model on the active branch."""
        prompts = (self._prompts[number] for number in self.active(stop))
        return [prompt for prompt in prompts if self.is_persons(prompt, stop)]

    def is_persons(self, prompt: Prompt, stop: int | None = None) -> bool:
        """Tell whether a person asked the model this: a command to the agent only if it was expanded by then."""
        if prompt.by == LOCAL:
            expanded = self._expanded.get(prompt.position)
            return expanded is not None and is_before(expanded, stop)
        return prompt.by == PERSON

    def rewound(self, stop: int | None = None) -> list[tuple[int, int]]:
        """Return the spans of records that were taken back before record ``stop``, in order and apart."""
        spans: list[tuple[int, int]] = []
        for first, end in sorted(span for span in self._rewinds if is_before(span[1], stop)):
            if spans and first <= spans[-1][1]:
                spans[-1] = spans[-1][0], max(end, spans[-1][1])
            else:
                spans.append((first, end))
        return spans
