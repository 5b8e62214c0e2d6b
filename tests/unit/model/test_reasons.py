"""Why a commit is not linked: one table of sentences, found again in what is stored."""

from __future__ import annotations

import pytest

from entire.model import reasons

STORED = {
    "its trailer was removed by hand": reasons.BY_HAND,
    "it contains no session content": reasons.NO_CONTENT,
    "no session has run in this worktree yet": reasons.NO_SESSION,
    "made by session 5 of Claude Code, which was not recorded (is entire on the agent's PATH?)": reasons.NOT_RECORDED,
    "an empty commit has no content": reasons.EMPTY,
    "its content is already in checkpoints": reasons.COVERED,
    "a merge with no new session content": reasons.MERGE,
    "a revert with no new session content": reasons.REVERT,
    "a pick with no new session content": reasons.PICK,
    "a copy of commit abc1234, which is linked to 00000000000a, 00000000000b, with other changes": reasons.CHANGED_COPY,
    "the Go CLI removed its session": reasons.GO_REMOVED,
    "HEAD's reflog does not say that it was made here": reasons.NO_REFLOG,
    "this partial clone lacks what it changed": reasons.LACKING,
    "unlinked by hand from 00000000000a": reasons.UNLINKED,
}


@pytest.mark.parametrize("text", STORED)
def test_a_stored_sentence_is_found_by_its_words(text: str) -> None:
    assert reasons.find(text) is STORED[text]


def test_every_reason_is_stored_in_the_words_of_earlier_versions() -> None:
    assert list(map(id, STORED.values())) == [id(STORED[text]) for text in STORED]
    assert {id(reason) for reason in STORED.values()} == set(map(id, reasons.TABLE))


@pytest.mark.parametrize(
    "text",
    ["", "it contains no session content!", "it contains", "made by session 5 of Claude Code", "unlinked by hand",
     "a copy of commit abc1234, which is linked to 00000000000a"],
)  # fmt: skip
def test_other_texts_are_no_reason_of_this_version(text: str) -> None:
    assert reasons.find(text) is None


def test_every_reason_says_its_cause_and_a_remedy() -> None:
    for reason in reasons.TABLE:
        assert reason.cause.endswith(".")
        assert reason.remedy.endswith(".")


def test_some_reasons_do_not_tell_whose_the_lines_are() -> None:
    hiding = [text for text in STORED if reasons.may_hide_a_session(text)]
    assert [STORED[text] for text in hiding] == [
        reasons.BY_HAND, reasons.NOT_RECORDED, reasons.CHANGED_COPY, reasons.GO_REMOVED, reasons.NO_REFLOG,
        reasons.LACKING, reasons.UNLINKED,
    ]  # fmt: skip
    assert not reasons.may_hide_a_session("words of another version")
    assert reasons.by_hand([]) == ""
    assert reasons.find(reasons.by_hand(["00000000000a"])) is reasons.UNLINKED
