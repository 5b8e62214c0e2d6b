"""Stored and live transcripts: what agrees, what is cut, what is joined, what has gone apart."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire import contents
from entire.agents import lines
from entire.agents.contract import Agent, Transcript
from entire.agents.documents import DocumentTranscript
from entire.agents.lines import LineTranscript
from entire.contents import Scratch
from entire.directory import AgentDirectory
from entire.layout import Place
from entire.model.positions import SessionRef
from entire.model.session import Session
from entire.model.transcripts import Message
from entire.resume import transcript_merge
from entire.resume.transcript_merge import CUT, MISSING, UNCHANGED, WRITTEN, TranscriptChange
from tests.unit.entire_secrets.built_in import redact_json, redact_jsonl

if TYPE_CHECKING:
    from entire.model.transcripts import Content

SECRET = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"
ID = "3f1c9a52-0000-4000-8000-000000000001"


class Memory:
    """Claude Code with its one transcript in memory."""

    name = "claude-code"
    capabilities: ClassVar[frozenset[str]] = frozenset({"session_resumer"})

    def __init__(self, live: Content) -> None:
        self.live = live

    def is_lines(self, beginning: bytes) -> bool:
        return True

    def transcript(self, session_ref: str, stored: Content | None = None) -> Transcript:
        live = self.live if session_ref == "/sessions/" + ID else b""
        return LineTranscript(session_ref, live if stored is None else stored)

    def session_dir(self, root: str) -> str:
        assert root == PLACE.top
        return "/sessions"

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        return f"{session_dir}/{session_id}"

    def format_resume_command(self, session_id: str) -> str:
        return f"go-on {session_id}"


class Document(Memory):
    def transcript(self, session_ref: str, stored: Content | None = None) -> Transcript:
        live = self.live if session_ref == "/sessions/" + ID else b""
        return DocumentTranscript(session_ref, live if stored is None else stored)


PLACE = Place(top="/nowhere/repo", git_dir="/nowhere/repo/.git", common_dir="/nowhere/repo/.git")


def back_to(live: bytes, stored: bytes, lines: int | None = None, kind: type[Memory] = Memory) -> TranscriptChange:
    return _alike(lambda stored, live: transcript_merge.back_to(
        PLACE, kind(live), None, ID, stored, lines), stored, live)  # type: ignore[arg-type]  # fmt: skip


def onto(live: bytes, stored: bytes, kind: type[Memory] = Memory, *, created: float = 0.0) -> TranscriptChange:
    return _alike(lambda stored, live: transcript_merge.onto(
        PLACE, kind(live), None, ID, stored, created), stored, live)  # type: ignore[arg-type]  # fmt: skip


def _alike(merge: Callable[[Content, Content], TranscriptChange], stored: bytes, live: bytes) -> TranscriptChange:
    """Return what becomes of transcripts in memory, and see that those that are too long for it become the same."""
    found = merge(stored, live)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "MOST", 8)
        patch.setattr(contents, "_BLOCK", 50)
        long = merge(*(Scratch().keep([content]) for content in (stored, live)))
        assert (long.what, bytes(long.data), long.live_is_newer) == (found.what, found.data, found.live_is_newer)
    return found


def record(number: int, text: str) -> bytes:
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(1_800_000_000 + number))
    return json.dumps({"uuid": f"u{number}", "timestamp": at + ".5Z", "text": text}).encode() + b"\n"


def joined(texts: list[str], start: int = 0) -> bytes:
    return b"".join(record(start + n, text) for n, text in enumerate(texts))


texts = st.lists(
    st.one_of(
        st.text(max_size=20), st.just(f"key {SECRET} end"), st.just("x" * 6000), st.just(f'"{SECRET}"\n{SECRET}')
    ),
    max_size=8,
)


@given(texts, texts, st.booleans())
def test_a_live_file_that_extends_the_point_is_cut_and_keeps_its_secrets(
    past: list[str], later: list[str], whole: bool
) -> None:
    before, after = joined(past), joined(later, 100)
    stored = bytes(redact_jsonl(before))
    found = back_to(before + after, stored if whole else stored.removesuffix(b"\n"))
    if not past:
        assert found.what == MISSING
    else:
        assert (found.what, found.data) == (CUT if later else UNCHANGED, before)


class Placing(Memory):
    """An agent whose transcripts name the worktree in which they go on."""

    def placed(self, root: str, session_ref: str, transcript: Content) -> Content:
        assert session_ref == "/sessions/" + ID
        return contents.joined(root.encode() + b"\n", transcript)


def test_what_is_written_may_name_the_worktree() -> None:
    """Positions are those in the agent's own file, so it has to be known before the state is made."""
    here, past = PLACE.top.encode() + b"\n", joined(["a"])
    for merge in (onto, back_to):
        assert merge(b"", past, kind=Placing).data == here + past
        assert merge(past, past, kind=Placing).data == past


@given(texts, texts, st.integers(0, 9))
def test_only_the_first_lines_of_a_point_count(past: list[str], later: list[str], lines: int) -> None:
    live = joined(past + later)
    stored = bytes(redact_jsonl(joined(past)))
    found = back_to(live, stored, lines)
    if past:
        assert found.data == joined((past + later)[: min(lines, len(past))])
    elsewhere = back_to(b"", stored, lines)
    assert elsewhere.data == bytes(redact_jsonl(joined(past[:lines])))


@given(texts, texts)
def test_a_live_file_that_went_another_way_is_replaced_by_what_is_stored(past: list[str], later: list[str]) -> None:
    stored = bytes(redact_jsonl(joined([*past, "the stored way"])))
    live = joined([*past, "another way", *later])
    data = joined([*past, "the stored way"])  # what both have stays as it is, secrets included
    assert (back_to(live, stored).what, back_to(live, stored).data) == (WRITTEN, data)
    assert (back_to(joined(past), stored).what, back_to(joined(past), stored).data) == (WRITTEN, data)
    assert (back_to(b"", stored).what, back_to(b"", stored).data) == (WRITTEN, stored)


@given(texts, texts, st.integers(0, 30))
def test_what_is_missing_here_is_added_behind_the_live_bytes(past: list[str], more: list[str], cut: int) -> None:
    """Also behind a line whose writer was killed."""
    before = joined(past)
    rest = bytes(redact_jsonl(joined([*more, "plain"], 50)))
    stored = bytes(redact_jsonl(before)) + rest
    found = onto(before, stored)
    assert (found.what, found.live_is_newer) == (WRITTEN, False)
    assert found.data == (before + rest)
    fragment = rest.split(b"\n")[0][:cut]
    assert onto(before + fragment, stored).data == before + rest
    assert onto(before.removesuffix(b"\n"), stored).data == before + rest


@given(texts, texts)
def test_a_live_file_that_went_on_stays(past: list[str], later: list[str]) -> None:
    live = joined(past) + joined(later, 100)
    found = onto(live, bytes(redact_jsonl(joined(past))))
    if live:
        assert (found.what, found.data, found.live_is_newer) == (UNCHANGED, live, bool(later))
    else:
        assert found.what == MISSING


def test_nothing_here_and_something_stored() -> None:
    found = onto(b"", joined(["a"]))
    assert (found.what, found.data, found.path, found.command) == (
        WRITTEN, joined(["a"]), "/sessions/" + ID, "go-on " + ID)  # fmt: skip


@pytest.mark.parametrize(("mine", "theirs", "newer"), [(9, 5, True), (5, 9, False)])
def test_of_two_that_went_apart_the_last_record_tells_which_is_newer(mine: int, theirs: int, newer: bool) -> None:
    start = joined(["same"])
    found = onto(start + record(mine, "here"), start + record(theirs, "there"))
    assert (found.what, found.live_is_newer) == (WRITTEN, newer)
    assert found.data == start + record(theirs, "there")


@pytest.mark.parametrize("unit", [1, 1000, 1_000_000])
@pytest.mark.parametrize(
    "form",
    ['{{"timestamp": {time}, "text": "{text}"}}', '{{"info": {{"time": {{"created": {time}}}}}, "text": "{text}"}}',
     '{{"data": {{"created_at": {time}}}, "text": "{text}"}}'],
)  # fmt: skip
def test_times_may_be_numbers(form: str, unit: int) -> None:
    def said(second: int, text: str) -> bytes:
        return form.format(time=(1_800_000_000 + second) * unit, text=text).encode() + b"\n"

    start = joined(["same"])
    assert onto(start + said(9, "here"), start + said(5, "there"), created=1.0).live_is_newer
    assert not onto(start + said(5, "here"), start + said(9, "there"), created=1.0).live_is_newer


class Dated(LineTranscript):
    def last_time(self) -> float:
        return float(self.snapshot().rpartition(b"day ")[2][:1])


class Shown(LineTranscript):
    def messages(self) -> list[Message]:
        return [Message(who="user", text="", at=0, time=Dated(self.session_ref, self.snapshot()).last_time())]


@pytest.mark.parametrize("form", [Dated, Shown])
def test_the_transcript_itself_says_how_old_it_is(form: type[LineTranscript]) -> None:
    class Own(Memory):
        def transcript(self, session_ref: str, stored: Content | None = None) -> Transcript:
            return form(session_ref, self.live if stored is None else stored)

    for mine, theirs, newer in ((9, 5, True), (5, 9, False)):
        found = onto(f'"a"\n"day {mine}"\n'.encode(), f'"a"\n"day {theirs}"\n'.encode(), Own, created=1e9)
        assert (found.what, found.live_is_newer) == (WRITTEN, newer)


def test_times_inside_what_was_said_do_not_count() -> None:
    start = joined(["same"])
    said = record(3, 'the log says "timestamp": "2099-01-01T00:00:00Z"')
    assert not onto(start + said, start + record(5, "there")).live_is_newer


def test_a_live_file_without_times_is_not_newer_than_a_checkpoint() -> None:
    """When the file was written says nothing: it may be a copy. Content tells what only continues the stored one."""
    live, other = b'{"a": 1}\n{"a": 2}\n', b'{"a": 1}\n{"b": 2}\n'
    found = onto(live, other, created=1.0)
    assert (found.what, found.live_is_newer) == (WRITTEN, False)
    assert not onto(live, joined(["has a time"])).live_is_newer
    found = onto(live, live[: live.index(b"\n") + 1], created=1.0)
    assert (found.what, found.live_is_newer) == (UNCHANGED, True)


def test_without_any_time_the_live_file_stays() -> None:
    """A step has no time of its own, and is older than the file that it was made from."""
    assert onto(b'{"a": 1}\n', b'{"b": 1}\n').live_is_newer


@pytest.mark.parametrize("mark", [b"REDACTED", b"[REDACTED:some-rule-of-another-version]"])
def test_marks_of_other_rules_stand_for_what_they_replaced(mark: bytes) -> None:
    live = joined(["a", "the code is 4711, and 4712 too", "b"])
    stored = live.replace(b"4711", mark).replace(b"4712", mark)
    assert (back_to(live, stored, 2).what, back_to(live, stored, 2).data) == (
        CUT,
        joined(["a", "the code is 4711, and 4712 too"]),
    )
    assert onto(live, stored).what == UNCHANGED


def test_a_mark_stands_for_a_piece_of_one_string_only() -> None:
    stored = b'{"a": "REDACTED", "c": 3}\n'
    assert back_to(b'{"a": "x", "c": 3}\n', stored).what == UNCHANGED
    assert back_to(b'{"a": "x", "b": "y", "c": 3}\n', stored).what == WRITTEN
    assert back_to(b'{"a": "", "c": 3}\n', stored).what == WRITTEN
    both = b'{"a": "REDACTED", "b": 2, "c": "REDACTED"}\n'
    assert back_to(b'{"a": "x", "b": 2, "c": "y"}\n', both).what == UNCHANGED
    assert back_to(b'{"a": "x", "z": "", "b": 2, "c": "y"}\n', both).what == WRITTEN


@pytest.mark.parametrize("text", ['say \\"a\\" and go', "a\\\\b", 'c\\"', "\\u0022"])
def test_a_mark_stands_for_whole_escapes(text: str) -> None:
    """Whatever the rules were: no agent's room knows those of a repository."""
    live = f'{{"a": "x {text} y", "b": "{text}"}}\n'.encode()
    stored = b'{"a": "x [REDACTED:acme] y", "b": "[REDACTED:acme]"}\n'
    assert back_to(live, stored).what == UNCHANGED
    assert back_to(live.replace(b" y", b'", "z": " y'), stored).what == WRITTEN


def test_a_mark_in_text_stands_for_quotes_too() -> None:
    live = b'said: "a" and "b" then\n{"a": 1}\n'
    assert back_to(live, b'said: [REDACTED:acme] then\n{"a": 1}\n').what == UNCHANGED


def thinking(seal: str) -> bytes:
    thought = f'{{"type":"thinking","thinking":"hm","signature":"{seal}"}}' if seal else ""
    return b'{"message":{"id":"m","content":[%s]}}\n' % thought.encode()


def test_thoughts_whose_signature_was_redacted_are_left_out() -> None:
    """Wherever a conversation is put back, also over a file that an earlier version put back."""
    before, key, later = record(1, "a"), record(2, f"key {SECRET} end"), record(3, "b")
    stored = bytes(redact_jsonl(before + thinking("CAIS[REDACTED:a-rule]") + thinking("sealed") + key))
    whole = before + thinking("") + thinking("sealed") + key
    redacted = bytes(redact_jsonl(whole))
    assert (onto(b"", stored).data, back_to(b"", stored).data) == (redacted, redacted)
    for live in (stored, stored + later):
        found = onto(live, stored)
        assert (found.what, found.data, found.live_is_newer) == (WRITTEN, live.replace(stored, redacted), False)
        assert back_to(live, stored).data == redacted
    assert (onto(whole, stored).what, onto(whole, stored).live_is_newer) == (UNCHANGED, False)
    assert (onto(whole + later, stored).what, onto(whole + later, stored).live_is_newer) == (UNCHANGED, True)
    assert (back_to(whole + later, stored).what, back_to(whole + later, stored).data) == (CUT, whole)
    assert onto(before + thinking("") + thinking(""), stored).what == WRITTEN  # the second one was whole


@given(texts, texts)
def test_what_of_a_transcript_is_stored_already(past: list[str], later: list[str]) -> None:
    before, data = joined(past), joined(past) + joined(later, 100)
    stored = bytes(redact_jsonl(before))
    lines: Any = Memory(b"")
    assert transcript_merge.covered(lines, "", stored, data) == before
    assert transcript_merge.covered(lines, "", stored + record(99, "more"), data) is None
    assert transcript_merge.covered(lines, "", b"", data) == b""
    document: Any = Document(b"")
    whole = document_of("one", "two")
    assert json.loads(bytes(transcript_merge.covered(document, "", document_of("one"), whole) or b"")) == json.loads(
        document_of("one")
    )
    assert transcript_merge.covered(document, "", whole, document_of("one")) is None


def document_of(*messages: str, updated: str = "2026-01-01T00:00:00Z") -> bytes:
    return json.dumps({"messages": list(messages), "lastUpdated": updated}).encode()


def test_documents_are_cut_between_messages() -> None:
    live = document_of(f"key {SECRET} end", "more", "most", updated="2027-01-01T00:00:00Z")
    stored = bytes(redact_json(live))
    assert stored != live
    assert (onto(live, stored, Document).what, back_to(live, stored, None, Document).data) == (UNCHANGED, live)
    cut = back_to(live, stored, 2, Document)
    assert (cut.what, json.loads(bytes(cut.data))["messages"]) == (CUT, [f"key {SECRET} end", "more"])
    short = bytes(redact_json(document_of(f"key {SECRET} end")))
    assert onto(live, short, Document).live_is_newer
    longer = bytes(redact_json(document_of(f"key {SECRET} end", "more", "most", "last")))
    joined = onto(live, longer, Document)
    assert (joined.what, joined.live_is_newer) == (WRITTEN, False)
    assert json.loads(bytes(joined.data))["messages"] == [f"key {SECRET} end", "more", "most", "last"]
    other = onto(live, document_of("another"), Document)
    assert (other.what, other.live_is_newer) == (WRITTEN, True), "they differ: the live one is more recent"


def test_a_big_transcript_is_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    line = json.dumps({"uuid": "u", "text": "word " * 200}).encode() + b"\n"
    past = line * 5_000 + record(1, f"key {SECRET} end") + line * 5_000
    stored = past.replace(SECRET.encode(), b"[REDACTED:github-pat]")
    looked: list[bytes] = []
    same_record = lines.is_same_record

    def counted(stored: bytes, other: bytes) -> bool:
        looked.append(stored)
        return same_record(stored, other)

    monkeypatch.setattr(lines, "is_same_record", counted)
    found = back_to(past + line, stored)
    assert (found.what, len(found.data)) == (CUT, len(past))
    assert len(looked) < 2_000  # of 10,001 lines: those in the block of the one that differs


# ---------------------------------------------------------------- where it is


@pytest.fixture
def claude(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Agent:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    return AgentDirectory.without_plugins().make("claude-code")


def place_in(tmp_path: Path) -> Place:
    top = str(tmp_path / "repo")
    return Place(top=top, git_dir=top + "/.git", common_dir=top + "/.git")


def with_transcript(path: Path) -> Session:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")
    session = Session(ID, "claude-code", "Claude Code")
    session.session_ref = SessionRef(path)
    return session


def test_the_session_knows_where_its_transcript_is(claude: Agent, tmp_path: Path) -> None:
    place = place_in(tmp_path)
    session = with_transcript(tmp_path / "elsewhere" / "talk.jsonl")
    assert transcript_merge.live_path(place, claude, session, ID) == session.session_ref
    os.unlink(session.session_ref)
    folder = tmp_path / "config" / "projects"
    assert os.path.dirname(os.path.dirname(transcript_merge.live_path(place, claude, session, ID))) == str(folder)


def test_a_copy_in_the_repository_and_a_harness_count_less_and_more(
    claude: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_in(tmp_path)
    copy = with_transcript(tmp_path / "repo" / ".entire" / "tmp" / f"{ID}.jsonl")
    assert transcript_merge.live_path(place, claude, copy, ID).startswith(str(tmp_path / "config"))
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(tmp_path / "given"))
    real = with_transcript(tmp_path / "elsewhere" / "talk.jsonl")
    for session in (copy, real, None):
        assert transcript_merge.live_path(place, claude, session, ID) == str(tmp_path / "given" / f"{ID}.jsonl")


def test_an_id_that_leads_elsewhere_has_no_place(claude: Agent, tmp_path: Path) -> None:
    assert transcript_merge.live_path(place_in(tmp_path), claude, None, "../../x") == ""


def test_an_agent_that_cannot_go_on_has_no_place() -> None:
    class Mute(Memory):
        capabilities: ClassVar[frozenset[str]] = frozenset()

    for found in (back_to(b"", b"{}\n", None, Mute), onto(b"", b"{}\n", Mute)):
        assert (found.what, found.path, found.command, found.data) == (MISSING, "", "", b"")


# ---------------------------------------------------------------- subagents


class Blobs:
    def blocks(self, name: str) -> list[bytes] | None:
        return {"1": [b"one\n"], "2": [b"two\n"]}.get(name)


def test_subagents_come_back_where_they_are_missing(claude: Agent, tmp_path: Path) -> None:
    live = str(tmp_path / "config" / "projects" / "x" / f"{ID}.jsonl")
    folder = live.removesuffix(".jsonl") + "/subagents"
    stored = {"a1": "1", "a2": "2", "gone": "3"}
    objects: object = Blobs()
    found = transcript_merge.missing_subagents(objects, claude, live, b"", stored)  # type: ignore[arg-type]
    assert found == {"a1": b"one\n", "a2": b"two\n"}
    os.makedirs(folder)
    Path(folder, "agent-a1.jsonl").write_text("mine\n")
    found = transcript_merge.missing_subagents(objects, claude, live, b"", stored)  # type: ignore[arg-type]
    assert list(found) == ["a2"]


@pytest.mark.parametrize("name", ["claude-code", "demo"])
@pytest.mark.parametrize("subagent", ["", "../x", "a/b", "a.b", "x\0"])
def test_a_subagent_never_leads_elsewhere(name: str, subagent: str) -> None:
    agent = AgentDirectory.without_plugins().make(name)
    assert agent.transcript("/sessions/a.jsonl").subagent_ref(subagent) == ""  # type: ignore[attr-defined]
    assert agent.transcript("/sessions/a.jsonl").subagent_ref("h1").startswith("/sessions/a/")  # type: ignore[attr-defined]
