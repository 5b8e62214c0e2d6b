"""Which prompts lead to the end of a conversation, against a plain model: a list that is cut and gone back to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from entire.conversation.branches import Branches
from entire.conversation.records import EXPANDED, LOCAL, MOVED, RESTARTED, REWOUND, Mark, Prompt, Record


def branches(*records: Record) -> Branches:
    found = Branches()
    for record in records:
        found.take(record)
    return found


def texts(found: Branches, stop: int | None = None) -> list[str]:
    return [prompt.text for prompt in found.prompts(stop)]


ONE, TWO = Prompt(position=0, text="one"), Prompt(position=2, text="two")


def test_prompts_follow_each_other() -> None:
    found = branches(ONE, TWO)
    assert (texts(found), texts(found, 2), texts(found, 0)) == (["one", "two"], ["one"], [])


def test_a_prompt_after_a_move_leaves_what_went_on_there() -> None:
    found = branches(ONE, TWO, Mark(position=4, kind=MOVED, first=0), Prompt(position=4, text="instead"))
    assert texts(found) == ["one", "instead"]
    assert texts(found, 4) == ["one", "two"], "as it was before"
    back = Mark(position=6, kind=MOVED, first=2)
    assert texts(branches(ONE, TWO, Mark(position=4, kind=MOVED, first=0), Prompt(position=4, text="x"), back)) == [
        "one",
        "two",
    ]


def test_a_mark_may_come_late() -> None:
    found = branches(ONE, TWO, Prompt(position=6, text="three"), Mark(position=4, kind=MOVED, first=-1))
    assert (texts(found, 5), texts(found, 4), texts(found)) == ([], ["one", "two"], ["one", "two", "three"])


def test_what_is_rewound_is_taken_back() -> None:
    found = branches(ONE, TWO, Mark(position=4, kind=REWOUND, first=2), Prompt(position=5, text="three"))
    assert (texts(found), texts(found, 4)) == (["one", "three"], ["one", "two"])
    assert (found.rewound(), found.rewound(4)) == ([(2, 4)], [])
    assert texts(branches(ONE, Mark(position=1, kind=REWOUND, first=-1))) == []


def test_the_spans_that_were_taken_back_are_apart() -> None:
    marks = [Mark(position=end, kind=REWOUND, first=first) for first, end in ((4, 6), (2, 5), (8, 9))]
    assert branches(*marks).rewound() == [(2, 6), (8, 9)]


def test_a_conversation_that_starts_again() -> None:
    found = branches(ONE, TWO, Mark(position=3, kind=RESTARTED, first=2))
    assert (texts(found), texts(found, 3)) == (["two"], ["one", "two"])


def test_a_command_is_a_prompt_once_it_was_expanded() -> None:
    command = Prompt(position=2, text="/review", by=LOCAL)
    assert texts(branches(ONE, command)) == ["one"]
    found = branches(ONE, command, Mark(position=3, kind=EXPANDED, first=2))
    assert (texts(found), texts(found, 3)) == (["one", "/review"], ["one"])


@given(st.lists(st.one_of(st.just(None), st.integers(0, 6)), max_size=20))
def test_moves_and_prompts_against_a_list(steps: list[int | None]) -> None:
    """``None`` is a prompt; a number goes back to that prompt, if there is one, or before all of them."""
    found, active = Branches(), list[int]()
    said: dict[int, list[int]] = {}  # each prompt, with those that lead to it
    for position, step in enumerate(steps):
        if step is None:
            found.take(Prompt(position=position, text=str(position)))
            active = said[position] = [*active, position]
        else:
            target = sorted(said)[step] if step < len(said) else -1
            found.take(Mark(position=position, kind=MOVED, first=target))
            active = said.get(target, [])
    assert [prompt.position for prompt in found.prompts()] == active
