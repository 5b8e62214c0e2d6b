"""What a model is asked: everything of a small session, both ends of a long one."""

from __future__ import annotations

from entire.model.digests import FailureDigest, PartDigest
from entire.model.value import replace
from entire.model.views.checkpoints import MessageView, PartView, PromptView
from entire.redact import Redactor
from entire.summaries import prompt

SECRET = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"


def compose(about: PartView, messages: list[MessageView]) -> str:
    return prompt.compose(about, messages, Redactor())


def part(*prompts: str, files: tuple[str, ...] = ()) -> PartView:
    return PartView(slot=0, session_id="s", agent="Agent", created=0.0, files=files,
                    prompts=tuple(PromptView(text=text) for text in prompts))  # fmt: skip


def said(who: str, text: str, name: str = "") -> MessageView:
    return MessageView(who=who, text=text, at=0, name=name)


def record(text: str) -> str:
    """Return what follows the instructions."""
    return text.partition("instructions\nin it.\n\n")[2]


def test_a_small_session_is_there_whole() -> None:
    messages = [said("user", "Greet\npeople"), said("tool", "hello.py", "Write"), said("agent", "Done.")]
    text = compose(part("Greet\npeople", "Thanks", files=("hello.py", "ä b.txt")), messages)
    assert record(text) == (
        "## Changed files\n\n- hello.py\n- ä b.txt\n\n"
        "## Prompts\n\n1. Greet\npeople\n2. Thanks\n\n"
        "## Conversation\n\nPerson: Greet\npeople\nTool Write: hello.py\nAgent: Done.\n"
    )
    for field in ("intent", "outcome", "learnings", "repo", "code", "workflow", "friction", "open_items"):
        assert f'"{field}"' in text


def test_what_is_not_stored_has_no_heading() -> None:
    text = compose(part("Greet"), [])
    assert record(text) == "## Prompts\n\n1. Greet\n"
    assert prompt.has_content(part("Greet"), [])
    assert prompt.has_content(part(), [said("user", "x")])
    assert not prompt.has_content(part(files=("a",)), [])


def test_a_huge_session_is_bounded_and_both_ends_stay() -> None:
    files = tuple(f"{number}/" + "d" * 3_000 for number in range(5_000))
    prompts = [f"prompt {number} " + "p" * 5_000 + f" end {number}" for number in range(1_000)]
    messages = [said("agent", f"answer {number} " + "a" * 9_000, "n" * 900) for number in range(20_000)]
    text = compose(part(*prompts, files=files), messages)
    assert len(text) < 100_000
    assert "- and 4900 more\n" in text
    for shown in ("prompt 0 ", " end 0\n", "1000. prompt 999 ", " end 999\n", "answer 0 ", "answer 19999 "):
        assert shown in text, shown
    assert text.count(" left out ...]") == 2


def test_what_was_found_by_rules_is_bounded_and_redacted() -> None:
    failures = tuple(FailureDigest(command=f"make {number} {SECRET}", at=number, error="e" * 5_000)
                     for number in range(1_000))  # fmt: skip
    text = compose(replace(part("Greet"), digest=PartDigest(session_id="s", failures=failures)), [])
    assert len(record(text)) < 12_000
    assert SECRET not in text
    for shown in ("make 0 ", "make 999 ", " left out ...]"):
        assert shown in text, shown
    assert "## Test runs" not in text


def test_many_small_messages_are_counted_right() -> None:
    messages = [said("user", f"m{number}.") for number in range(10_000)]
    lines = record(compose(part(), messages)).splitlines()
    gap = next(number for number, line in enumerate(lines) if line.startswith("[..."))
    left_out = int(lines[gap].split()[1])
    assert len(lines) - 3 + left_out == 10_000
    first, last = int(lines[gap - 1].split("m")[1][:-1]), int(lines[gap + 1].split("m")[1][:-1])
    assert last - first - 1 == left_out


def test_a_secret_that_other_rules_stored_does_not_leave() -> None:
    text = compose(part(f"Use {SECRET}", files=(SECRET,)), [said("tool", SECRET, "Run")])
    assert SECRET not in text
    assert text.count("REDACTED") == 3
