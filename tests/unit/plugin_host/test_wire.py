"""Values travel to another program and back unchanged; what another program may write does no harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.conversation.records import Prompt
from entire.model import jsontext
from entire.model.effects import Delete, PutBack, Run, Write
from entire.model.events import Event, EventType
from entire.model.health import HooksHealth, HookStatus
from entire.model.positions import Position
from entire.model.tokens import FIGURES, UNKNOWN, TokenUsage, of_figures
from entire.model.transcripts import Agreement, Edit, FileLines, FileReport, Message, SessionFile, Subagent, ToolCall
from entire.plugin_host.language import questions, wire

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAME = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
PATH = st.binary(min_size=1, max_size=20).filter(lambda data: b"\0" not in data).map(
    lambda data: data.decode("utf-8", "surrogateescape")
)  # fmt: skip
EDIT = st.builds(Edit, path=NAME, old=TEXT, new=TEXT, is_whole=st.booleans())
ABSOLUTE = PATH.map(lambda path: "/" + path)
ID = st.text("abc-123é ", min_size=1, max_size=20)
NUMBER = st.integers(0, jsontext.LARGEST)
MOMENT = st.floats(0, 4e9)
DATA = st.binary(max_size=40)
POSITIONS = st.builds(Position, count=NUMBER, byte=NUMBER, mark=TEXT)
EVENTS = st.builds(
    Event,
    type=st.sampled_from([*list(EventType)[:8], EventType.TOOL_END]),
    session_id=ID,
    **dict.fromkeys(
        """previous_session_id session_ref prompt model tool_use_id subagent_id subagent_ref tool_name tool_input
        subagent_type task_description response_message turn_ref final_text source cwd handled_by""".split(),
        TEXT,
    ),
    timestamp=MOMENT,
    metadata=st.dictionaries(TEXT, TEXT, max_size=3),
    pid=NUMBER,
    background=st.lists(NAME, max_size=3).map(tuple),
    **dict.fromkeys(("is_compaction", "is_clearing", "only_in_background", "is_automatic"), st.booleans()),
)


def usages(subagents: st.SearchStrategy[TokenUsage | None]) -> st.SearchStrategy[TokenUsage]:
    figures = st.fixed_dictionaries(dict.fromkeys(FIGURES, st.integers(0, wire.MOST_TOKENS)))
    return st.builds(of_figures, figures, st.sets(st.sampled_from(FIGURES)), subagents)


EFFECTS = (
    st.builds(Write, path=ABSOLUTE, data=DATA)
    | st.builds(Delete, path=ABSOLUTE)
    | st.builds(
        Run,
        argv=st.lists(PATH | st.just(""), min_size=1, max_size=3).map(tuple),
        undo_argv=st.lists(PATH | st.just(""), min_size=1, max_size=3).map(tuple),
        stdin=DATA,
        undo_stdin=DATA,
        env=st.dictionaries(st.text("AB_é", min_size=1), PATH, max_size=2),
    )
)
VALUES: dict[str, tuple[wire.Codec, st.SearchStrategy[Any]]] = {
    "event": (wire.EVENT, st.none() | EVENTS),
    "position": (wire.POSITION, POSITIONS),
    "optional position": (wire.OPTIONAL_POSITION, st.none() | POSITIONS),
    "prompts": (wire.PROMPTS, st.lists(st.builds(Prompt, text=TEXT, position=NUMBER, time=MOMENT, id=TEXT))),
    "files": (wire.FILES, st.lists(st.builds(FileReport, path=NAME, call=TEXT), unique=True)),
    "tokens": (wire.TOKENS, usages(st.none() | usages(st.none()))),
    "subagents": (wire.SUBAGENTS, st.lists(st.builds(
        Subagent, id=NAME, session_ref=PATH, tool_use_id=TEXT, type=TEXT, description=TEXT, background=st.booleans()
    ))),
    "agreement": (wire.AGREEMENT, st.builds(
        Agreement, common=DATA, joined=DATA, extent=NUMBER, stored_is_longer=st.booleans(), own_is_longer=st.booleans()
    )),
    "file lines": (
        wire.OPTIONAL_FILE_LINES,
        st.none()
        | st.builds(FileLines, path=PATH, lines=NUMBER, size=NUMBER.filter(bool), settled=st.none() | NUMBER),
    ),
    "messages": (wire.MESSAGES, st.lists(st.builds(
        Message, who=st.sampled_from(["user", "agent", "tool"]), text=TEXT, at=NUMBER, name=TEXT,
        call=st.none() | st.builds(
            ToolCall, id=TEXT, command=TEXT, output=TEXT, has_failed=st.booleans(), subagent=TEXT,
            edits=st.lists(EDIT, max_size=3).map(tuple),
        ),
    ))),
    "session files": (wire.SESSION_FILES, st.lists(st.builds(
        SessionFile, session_id=ID, session_ref=PATH, changed=MOMENT
    ))),
    "put back": (wire.PUT_BACK, st.builds(PutBack, effects=st.lists(EFFECTS, max_size=3).map(tuple), problem=TEXT)),
    "health": (wire.HEALTH, st.builds(HooksHealth, status=st.sampled_from(list(HookStatus)), detail=TEXT)),
    "content": (wire.CONTENT, DATA),
    "contents": (wire.CONTENT_MAP, st.dictionaries(TEXT, DATA)),
}  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8) | st.sampled_from(
        ["type", "session_id", "entire", "path", "data", "text", "effects", "write", "run", "undo", "status", "common"]
    ), inner, max_size=5),
    max_leaves=12,
)  # fmt: skip


def sent(value: Any, codec: wire.Codec) -> Any:
    """Return a value as the other side reads it."""
    return codec.read(jsontext.loads(jsontext.dumps(wire.pack(codec.write(value)))))


@pytest.mark.parametrize("name", VALUES)
@given(data=st.data())
def test_a_value_comes_back(name: str, data: st.DataObject) -> None:
    codec, values = VALUES[name]
    value = data.draw(values)
    assert sent(value, codec) == value


@pytest.mark.parametrize("name", VALUES)
@given(given=JSON)
def test_any_json_is_read_or_refused(name: str, given: Any) -> None:
    codec, _ = VALUES[name]
    try:
        found = codec.read(given)
    except ValueError:
        return
    assert sent(found, codec) == found


def test_an_event_has_the_published_keys() -> None:
    event = Event(
        type=EventType.TURN_END,
        session_id="s",
        prompt="go",
        timestamp=1.5,
        tool_input='{"a": 1}',
        metadata={"k": "v"},
        turn_ref="t1",
        background=("h1",),
    )
    assert wire.EVENT.write(event) == {
        "type": 3,
        "session_id": "s",
        "prompt": "go",
        "timestamp": "1970-01-01T00:00:01.500000Z",
        "tool_input": {"a": 1},
        "metadata": {"k": "v"},
        "entire": {"turn_ref": "t1", "background": ["h1"]},
    }


@pytest.mark.parametrize(
    "given", [{}, [], "x", 3, {"type": "3", "session_id": "s"}, {"type": 3}, {"type": 3, "session_id": "../s"}]
)
def test_what_is_no_event_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="an event must"):
        wire.EVENT.read(given)


@pytest.mark.parametrize("kind", [9, 10, 11, 13, 99])
def test_a_plugin_cannot_report_gits_events_or_later_ones(kind: int) -> None:
    assert wire.EVENT.read({"type": kind, "session_id": "s"}) is None


def test_surrogates_are_replaced_in_texts_and_preserved_in_paths() -> None:
    assert wire.TEXT.read("a\udcffb") == "a?b"
    assert wire.PATH.read("/a\udcff") == "/a\udcff"
    assert wire.PATH.read("/a\ud800") == "/a?"
    assert wire.PATH.read("/a\0") == ""


@pytest.mark.parametrize(
    ("given", "figures"),
    [
        ({"input_tokens": 5, "output_tokens": 2}, (5, 0, 0, 2, 0)),
        ({"input_tokens": 5}, (5, 0, 0, None, 0)),
        ({"input_tokens": None, "output_tokens": 2, "cache_read_tokens": None}, (None, 0, None, 2, 0)),
        ({"input_tokens": -1, "output_tokens": 1 << 70, "api_call_count": "3"}, (None, 0, 0, None, None)),
        ({"input_tokens": 1 << 50, "output_tokens": (1 << 50) + 1}, (1 << 50, 0, 0, None, 0)),
        ({"input_tokens": 5.0, "output_tokens": 2.5}, (5, 0, 0, None, 0)),
        ({}, (None,) * 5),
        (None, (None,) * 5),
        ([], (None,) * 5),
    ],
)
def test_a_figure_that_is_missing_or_makes_no_sense_is_unknown(given: Any, figures: tuple[int | None, ...]) -> None:
    found = wire.TOKENS.read(given)
    assert tuple(getattr(found, name) for name in FIGURES) == figures


def test_usages_in_usages_end_somewhere() -> None:
    usage: dict[str, Any] = {}
    for _ in range(5000):
        usage = {"input_tokens": 1, "output_tokens": 1, "subagent_tokens": usage}
    assert wire.TOKENS.read(usage) != UNKNOWN


@pytest.mark.parametrize(
    ("given", "position"),
    [
        (7, Position(count=7)),
        (7.0, Position(count=7)),
        ([7], Position(count=7)),
        ([7, 9, "m", "more"], Position(count=7, byte=9, mark="m")),
        (None, Position()),
        ("7", Position()),
        ([-1, True, 3], Position()),
    ],
)
def test_positions_of_version_1_and_of_extensions(given: Any, position: Position) -> None:
    assert wire.POSITION.read(given) == position


def test_lists_of_version_1_are_texts() -> None:
    assert wire.PROMPTS.read(["a", "", None, {"text": "b", "position": 3}]) == [
        Prompt(text="a", position=0),
        Prompt(text="b", position=3),
    ]
    assert wire.FILES.read(["a", "a", "", 5, {"path": "b", "call": "c"}]) == [
        FileReport(path="a"),
        FileReport(path="b", call="c"),
    ]


@pytest.mark.parametrize(
    "effect",
    [
        {"write": "relative", "content": {"data": ""}},
        {"write": "/a", "content": {"data": "?"}},
        {"delete": ""},
        {"run": ["a"]},
        {"run": ["a", 5], "undo": ["b"]},
        {"run": ["a"], "undo": ["b"], "env": {"A=B": "c"}},
        {"chmod": "/a"},
        None,
    ],
)
def test_a_plan_is_not_understood_in_part(effect: Any) -> None:
    with pytest.raises(ValueError):
        wire.PUT_BACK.read({"effects": [{"delete": "/a"}, effect]})


def test_a_large_content_travels_in_a_file(tmp_path: Path) -> None:
    data = b"x" * (wire.INLINE + 1)
    packed = wire.pack([data, b"small"], str(tmp_path))
    assert packed[1] == {"data": "c21hbGw="}
    assert [wire.CONTENT.read(json.loads(json.dumps(part))) for part in packed] == [data, b"small"]
    assert [str(path) for path in tmp_path.iterdir()] == [packed[0]["path"]]


@pytest.mark.parametrize("given", [{"path": "relative"}, {"path": "/"}, {"path": "/nowhere"}, {}, None, {"data": "a"}])
def test_a_content_that_cannot_be_read_is_refused(given: Any) -> None:
    with pytest.raises(ValueError):
        wire.CONTENT.read(given)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, ""),
        (1e300, ""),
        (1767225600.0, "2026-01-01T00:00:00Z"),
        (1767225600.25, "2026-01-01T00:00:00.250000Z"),
        (1767225599.9999998, "2026-01-01T00:00:00Z"),
    ],
)
def test_a_time_has_a_zone(seconds: float, text: str) -> None:
    assert wire.rfc3339(seconds) == text


def test_questions_carry_their_arguments(tmp_path: Path) -> None:
    until = Position(count=3)
    given = questions.write_arguments("files", Position(count=1, byte=9), until)
    assert given == {"since": [1, 9, ""], "until": [3, 0, ""]}
    assert questions.read_arguments("files", given) == [Position(count=1, byte=9), until]
    assert questions.read_arguments("files", {}) == [Position(), None]
    plan = questions.write_arguments("put_back", "/s", b"x" * (wire.INLINE + 1), {"h": b"y"}, folder=str(tmp_path))
    assert questions.read_arguments("put_back", plan) == ["/s", b"x" * (wire.INLINE + 1), {"h": b"y"}]


def test_answers_come_back() -> None:
    answer = questions.write_answer("hook_config_paths", ("/a", "/b"))
    assert (answer, questions.read_answer("hook_config_paths", answer)) == (["/a", "/b"], ("/a", "/b"))
