"""Trailers are placed where git looks for them, found wherever they are, and removed without a trace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.model import trailers
from entire.model.ids import CheckpointId

A = CheckpointId("a1b2c3d4e5f6")
B = CheckpointId("0123456789ab")
LINE = f"Entire-Checkpoint: {A}"
BLOCK = "# Please enter the commit message for your changes.\n#\n# On branch main\n"
SCISSORS = "# ------------------------ >8 ------------------------\ndiff --git a/x b/x\n Entire-Checkpoint: "

texts = st.text(st.sampled_from("ab:# \n\r-") | st.characters(codec="utf-8"), max_size=60)
ids = st.lists(st.sampled_from([A, B, CheckpointId("ffffffffffff")]), min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("message", "found"),
    [
        (f"fix: x\n{LINE}\n", [A]),
        (f"fix\n\n{LINE}\nEntire-Checkpoint:{B}\n{LINE}", [A, B]),
        (f"Squashed commit of the following:\n\n    one\n\n    {LINE}\n", [A]),
        (f"x\r\n\r\n{LINE}\r\n", [A]),
        (f"x\n\nEntire-Checkpoint : {A} \n", [A]),
        (f"x\n\n{LINE}0\n", []),
        ("x\n\nEntire-Checkpoint: A1B2C3D4E5F6\n", []),
        (f"x\n\n# {LINE}\n", []),
        ("x\n\nEntire-Checkpoint:\n", []),
        (f"x Entire-Checkpoint: {A}", []),
    ],
)
def test_ids_are_found_in_order_without_repeats(message: str, found: list[str]) -> None:
    assert trailers.checkpoint_ids(message) == found


def test_indentation_and_scissors_can_be_respected() -> None:
    assert trailers.checkpoint_ids(f"    {LINE}\n", indented=False) == []
    assert trailers.checkpoint_ids(f"x\n{SCISSORS}{A}\n", comment_char="#") == []


@pytest.mark.parametrize(
    ("message", "count"),
    [
        ("Two\n\n    Entire-Checkpoint: 1cc5a4cd674f\nEntire-Checkpoint: b1fac6cd5d81\n", 2),
        ("One\n\n    Entire-Checkpoint: 1cc5a4cd674f\nand text\n", 0),
        ("Entire-Checkpoint: 1cc5a4cd674f\n", 0),
    ],
)
def test_a_last_paragraph_of_nothing_but_ids_links(message: str, count: int) -> None:
    assert len(trailers.trailing_ids(message)) == count


def test_the_newer_ids_are_recognised() -> None:
    ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    message = f"x\n\nEntire-Checkpoint: {ulid}\nEntire-Checkpoint: {ulid.lower()}\nEntire-Checkpoint: {'U' * 26}\n"
    assert trailers.ulid_ids(message) == [ulid, ulid.lower()]
    assert trailers.checkpoint_ids(message) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Add x", f"Add x\n\n{LINE}\n"),
        ("fix: add x\n\n\n", f"fix: add x\n\n{LINE}\n"),
        ("Key: a\nOther: b\n", f"Key: a\nOther: b\n\n{LINE}\n"),
        ("x\n\nSigned-off-by: A <a@b>\n", f"x\n\nSigned-off-by: A <a@b>\n{LINE}\n"),
        ("x\n\nSome text: here\nmore text\n", f"x\n\nSome text: here\nmore text\n\n{LINE}\n"),
        ("x\n\nReviewed-by: A\n  on Monday\n", f"x\n\nReviewed-by: A\n  on Monday\n{LINE}\n"),
        ("x\n\na\nSigned-off-by: A <a@b>\nb\n", f"x\n\na\nSigned-off-by: A <a@b>\nb\n{LINE}\n"),
        ("x\r\n\r\nbody\r\n", f"x\r\n\r\nbody\r\n\r\n{LINE}\r\n"),
        ("#12 fix\n", f"#12 fix\n\n{LINE}\n"),
        (f"x\n{LINE}\n", f"x\n{LINE}\n"),
        ("", f"{LINE}\n"),
    ],
)
def test_the_trailer_is_placed_as_git_would(before: str, after: str) -> None:
    assert trailers.add_checkpoints(before, [A]) == after


def test_several_ids_come_in_order_and_only_the_missing_are_added() -> None:
    assert trailers.add_checkpoints(f"x\n\n{LINE}\n", [B, A, B]) == f"x\n\n{LINE}\nEntire-Checkpoint: {B}\n"


def test_an_indented_trailer_does_not_count_as_present() -> None:
    message = f"Squashed\n\n    one\n\n    {LINE}\n"
    assert trailers.add_checkpoints(message, [A]) == f"{message}\n{LINE}\n"


def test_an_editor_finds_line_one_free_and_comments_above_gits_block() -> None:
    out = trailers.add_checkpoints(f"\n{BLOCK}", [A], comments=["one", "two\nlines", "three", "four"])
    assert out == f"\n\n{LINE}\n# one\n# two lines\n# three\n\n{BLOCK}"


def test_an_editor_with_text_keeps_the_text_first() -> None:
    out = trailers.add_checkpoints(f"subject\n\nbody\n\n{BLOCK}", [A], ";", editor=True)
    assert out.endswith(f"\n{LINE}\n")  # with another comment character the block is text
    out = trailers.add_checkpoints(f"subject\n\nbody\n\n{BLOCK}", [A], editor=True)
    assert out == f"subject\n\nbody\n\n{LINE}\n\n{BLOCK}"


def test_nothing_goes_below_the_scissors() -> None:
    message = f"\n{BLOCK}{SCISSORS}{A}\n"
    out = trailers.add_checkpoints(message, [A], comments=["one"])
    assert out == f"\n\n{LINE}\n# one\n\n{BLOCK}{SCISSORS}{A}\n"


def test_no_comments_where_git_would_keep_them() -> None:
    """With ``commit.cleanup=scissors`` only what is below the line is dropped."""
    assert trailers.add_checkpoints(f"\n{SCISSORS}{A}\n", [A], comments=["one"]) == f"\n\n{LINE}\n\n{SCISSORS}{A}\n"


def test_where_git_keeps_comments_only_its_own_block_stays_below() -> None:
    kept = f"subject\n\n# a heading\n\n{BLOCK}"
    out = trailers.add_checkpoints(kept, [A], editor=True, removes=False)
    assert out == f"subject\n\n# a heading\n\n{LINE}\n\n{BLOCK}"
    out = trailers.add_checkpoints(f"subject\n\n# last\n{SCISSORS}", [A], editor=True, removes=False)
    assert out == f"subject\n\n# last\n\n{LINE}\n\n{SCISSORS}"


@pytest.mark.parametrize(
    ("message", "content"),
    [
        (f"\n\n{LINE}\n# x\n{BLOCK}", False),
        (f"\n\nSigned-off-by: A <a@b>\n{LINE}\n{BLOCK}", False),
        (f"subject\n\n{LINE}\n{BLOCK}", True),
        (f"\n{SCISSORS}text\n", False),
        ("Entire-Checkpoint: broken\n", True),
        ("", False),
        ("\r\n", False),
    ],
)
def test_only_our_own_lines_are_no_message(message: str, content: bool) -> None:
    assert trailers.has_content(message, "#") is content


def test_other_comment_characters() -> None:
    assert not trailers.has_content(f"; x\n{LINE}\n", ";")
    assert trailers.has_content("# x\n", ";")


def test_commit_trailers_are_formatted_and_parsed() -> None:
    pairs = [(trailers.SESSION, "s1"), (trailers.AGENT, ""), (trailers.STRATEGY, "manual\n-commit")]
    text = trailers.format_lines(pairs)
    assert text == "Entire-Session: s1\nEntire-Strategy: manual -commit\n"
    assert trailers.parse(f"Checkpoint: {A}\n\n{text}Entire-Session: s2") == {
        "Entire-Session": ["s1", "s2"],
        "Entire-Strategy": ["manual -commit"],
    }


@given(texts, ids, st.booleans())
def test_what_is_added_is_found(message: str, wanted: list[CheckpointId], editor: bool) -> None:
    out = trailers.add_checkpoints(message, wanted, editor=editor)
    found = trailers.checkpoint_ids(out, comment_char="#" if editor else "")
    assert set(wanted) <= set(found)
    assert trailers.add_checkpoints(out, wanted, editor=editor) == out
    assert trailers.has_content(out) == trailers.has_content(message)
