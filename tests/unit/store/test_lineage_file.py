"""Our own record beside the slots: what was written is read, what is strange is not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.model.records import SessionRecord
from entire.model.tokens import TokenUsage, usage_from_json
from entire.model.value import replace
from entire.store import lineage_file
from entire.store.lineage_file import FileLines, LineageFile, LineageLink
from entire.store.turnlog import TurnNote

oid = st.text("0123456789abcdef", min_size=40, max_size=40)
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
owner = st.sampled_from(["s1/t1", "s2/t1", "person", "person instead"])
moment = st.integers(1_600_000_000, 2_000_000_000).map(float)
link = st.builds(LineageLink, commit=oid, tree=oid, patch_id=oid, branch=text, time=moment, examined=st.booleans())


@st.composite
def ranges(draw: st.DrawFn) -> tuple[tuple[int, int, str], ...]:
    found, at = [], 1
    for gap, size in draw(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), max_size=4)):
        found.append((at + gap, at + gap + size - 1, draw(owner)))
        at += gap + size
    return tuple(found)


lines = st.builds(
    FileLines,
    status=st.sampled_from("ADMRT"),
    added=ranges(),
    removed=st.dictionaries(owner, st.integers(1, 9), max_size=2),
    made_by=st.just("") | owner,
    old_path=text,
    binary=st.booleans(),
)
notes = st.lists(
    st.builds(TurnNote, turn=text, prompt=text, position=st.integers(0, 99), time=moment, ended=moment, model=text),
    max_size=2,
)


@given(link, st.dictionaries(text, lines, max_size=3), st.dictionaries(text, notes, max_size=2))
def test_what_is_written_is_read_again(
    link: LineageLink, files: dict[str, FileLines], turns: dict[str, list[TurnNote]]
) -> None:
    record = lineage_file.make(None, link, files, turns)
    assert lineage_file.parse(lineage_file.dumps(record)) == record
    value = json.loads(lineage_file.dumps(record))
    assert list(value) == ["version", "commits", "turns", "files"]
    assert value["version"] == 1


@given(link, link, st.dictionaries(text, lines, max_size=2), st.dictionaries(text, notes, max_size=2))
def test_an_amended_commit_keeps_the_older_links(
    first: LineageLink, second: LineageLink, files: dict[str, FileLines], turns: dict[str, list[TurnNote]]
) -> None:
    before = lineage_file.make(None, first, {}, {})
    for after in (lineage_file.make(before, second, files, turns), lineage_file.with_commit(before, second)):
        assert [linked.commit for linked in after.commits] == list(dict.fromkeys([first.commit, second.commit]))
        assert after.commits[-1] == second


def test_prompts_are_not_in_the_record() -> None:
    note = TurnNote(
        turn="t", prompt="what a person said", position=3, time=1.7e9, model="m", tokens={"input_tokens": 1}
    )
    record = lineage_file.with_turns(LineageFile(), "s", [note])
    content = lineage_file.dumps(record)
    assert content.find(b"what a person said") < 0
    assert json.loads(content)["turns"]["s"] == [
        {
            "turn": "t",
            "prompt_position": 3,
            "started_at": "2023-11-14T22:13:20Z",
            "model": "m",
            "token_usage": {"input_tokens": 1},
        }
    ]


records = st.builds(
    lambda links, files, turns: replace(lineage_file.make(None, links[0], files, turns), commits=tuple(links)),
    st.lists(link, min_size=1, max_size=3, unique_by=lambda entry: entry.commit),
    st.dictionaries(text, lines, max_size=2),
    st.dictionaries(text, notes, max_size=2),
)


def test_joined_records_list_each_commit_once_in_order() -> None:
    first, second, third = (
        LineageLink(commit=name * 40, tree="0" * 40, time=time) for name, time in (("b", 1.0), ("c", 2.0), ("a", 3.0))
    )
    joined = lineage_file.join(LineageFile(commits=(first, second)), LineageFile(commits=(first, third)))
    assert joined.commits == (first, second, third)


@given(records, records, records)
def test_joined_records_have_the_commits_of_both(ours: LineageFile, theirs: LineageFile, common: LineageFile) -> None:
    ours, theirs = (replace(side, commits=(*side.commits, *common.commits)) for side in (ours, theirs))
    joined = lineage_file.join(ours, theirs)
    assert joined == lineage_file.join(theirs, ours)
    assert lineage_file.join(joined, theirs) == lineage_file.join(ours, joined) == lineage_file.join(joined, joined)
    assert {one.commit for one in joined.commits} == {one.commit for side in (ours, theirs) for one in side.commits}
    assert [one.time for one in joined.commits] == sorted(one.time for one in joined.commits)
    assert (joined.turns, joined.files) in [(side.turns, side.files) for side in (ours, theirs)]


@pytest.mark.parametrize(
    "rewritten",
    [
        {"input_tokens": 0, "output_tokens": 3, "api_call_count": 1, "subagent_tokens": {"output_tokens": 0}},
        {"input_tokens": None, "output_tokens": 3, "api_call_count": 1, "subagent_tokens": {"output_tokens": None}},
    ],
    ids=["by the Go CLI", "as it was"],
)
def test_what_is_unknown_of_tokens_outlives_the_metadata(rewritten: dict[str, Any]) -> None:
    spent = TokenUsage(
        input_tokens=None, output_tokens=3, api_call_count=1, at_least=("output_tokens",),
        subagents=TokenUsage(output_tokens=None),
    )  # fmt: skip
    own = lineage_file.with_tokens(LineageFile(), session("s", spent))
    own = lineage_file.with_tokens(own, session("known", TokenUsage(input_tokens=1)))
    content = lineage_file.dumps(own)
    figures = ["input_tokens", "output_tokens", "subagent_tokens.output_tokens"]
    assert json.loads(content)["unknown_tokens"] == {"s": figures}
    read = lineage_file.parse(content)
    assert read == own
    assert lineage_file.tokens(read, session("s", usage_from_json(rewritten))) == spent
    assert lineage_file.tokens(read, session("s", None)) is None
    assert lineage_file.tokens(None, session("s", spent)) == spent
    known = lineage_file.with_tokens(own, session("s", TokenUsage(output_tokens=9)))
    assert known.unknown_tokens == {}, "the turn's end may know more"
    assert lineage_file.dumps(known).find(b"unknown_tokens") < 0


def session(name: str, usage: TokenUsage | None) -> SessionRecord:
    return SessionRecord(checkpoint_id="", session_id=name, strategy="", created_at="", token_usage=usage)


@pytest.mark.parametrize(
    "value",
    [None, {}, {"version": 2}, {"version": 1}, {"version": 1, "commits": [], "turns": {}, "files": {"a": {}}},
     {"version": 1, "commits": [1], "turns": {}, "files": {}}, {"version": 1, "commits": [], "turns": {}, "files": []},
     {"version": 1, "commits": [], "turns": {}, "files": {"a": {"status": "A", "added": [[1, 2]]}}},
     {"version": 1, "commits": [], "turns": {}, "files": {}, "unknown_tokens": {"s": 3}},
     {"version": 1, "commits": [], "turns": [], "files": {}}],
)  # fmt: skip
def test_what_cannot_be_understood_is_none(value: dict[str, Any] | None) -> None:
    assert lineage_file.parse(None if value is None else json.dumps(value).encode()) is None


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_none(data: bytes) -> None:
    assert lineage_file.parse(data) is None
