"""What a model may answer, and what becomes of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.errors import EntireError
from entire.model.records import CodeLearning, Summary
from entire.redact import Redactor
from entire.summaries import answer

SECRET = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"
OBJECT = {"intent": "Greet", "outcome": "Done", "open_items": ["Tests"]}
WHOLE = Summary(intent="Greet", outcome="Done", open_items=("Tests",))


def parse(text: str) -> Summary:
    return answer.parse(text, Redactor())


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(OBJECT),
        json.dumps(OBJECT, indent=2) + "\n",
        "```json\n" + json.dumps(OBJECT, indent=2) + "\n```",
        "```\n" + json.dumps(OBJECT) + "\n```\n",
        "Here is the summary:\n\n```JSON\n" + json.dumps(OBJECT) + "\n```\nTell me if you need more.",
        "Here it is: " + json.dumps(OBJECT) + " That is all.",
        json.dumps({**OBJECT, "later": {"key": 1}, "learnings": None, "friction": [None, 1, {}]}),
    ],
)
def test_an_object_wherever_it_stands(text: str) -> None:
    assert parse(text) == WHOLE


@pytest.mark.parametrize("text", ["Greeted people.", "Greeted\n\npeople. ", "\x1b[1mGreeted\x1b[0m people."])
def test_plain_text_is_the_intent(text: str) -> None:
    assert parse(text) == Summary(intent="Greeted people.")


def test_braces_in_plain_text_are_text() -> None:
    assert parse("[WIP] Greet") == Summary(intent="[WIP] Greet")
    assert parse("[" * 100_000).intent.startswith("[[[")
    assert parse('Replaced {} by {"a": 1}') == Summary(intent='Replaced {} by {"a": 1}')


@pytest.mark.parametrize(
    "text",
    ["", " ", "{}", "[]", "{", '{"intent": "cut', '["intent"]', "```json\n{\n```", '{"intent": ""}', "[1, 2]",
     '"Greet"', "3", "null", '{"learnings": {"code": [{"path": "a", "finding": "\\u0007"}]}}',
     '{"intent": "\\u0000"}', '{"learnings": {"code": [{"path": "a"}]}}', "x" * (1 << 17) + "x"],
)  # fmt: skip
def test_what_is_no_summary(text: str) -> None:
    with pytest.raises(EntireError, match=r"^the model's answer "):
        parse(text)


def test_secrets_are_replaced_in_every_field_however_they_are_hidden() -> None:
    hidden = SECRET[:9] + "\x00\x1b[0m\u202e" + SECRET[9:]
    long = "word " * 398 + SECRET  # the limit of the field is inside of the secret
    learnings = {"repo": [SECRET], "code": [{"path": SECRET, "finding": hidden}], "workflow": [hidden]}
    lists = {"friction": [SECRET], "open_items": ["x " * 240 + SECRET]}
    found = parse(json.dumps({"intent": hidden, "outcome": long, "learnings": learnings, **lists}))
    text = json.dumps(found.to_json())
    assert "REDACTED" in found.intent
    for start in range(len(SECRET) - 8):
        assert SECRET[start : start + 8] not in text, start


def test_a_key_over_several_lines_is_replaced() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEAx8f3kQ\n" * 8 + "-----END RSA PRIVATE KEY-----"
    assert "MIIEpA" not in parse(json.dumps({"intent": f"Use {key}"})).intent


def test_nothing_commands_a_terminal() -> None:
    given = 'Title \x1b]0;owned\x07 and \x1b[2J\x9b31m \u202eleft \x08\x7f\ud800 "quoted"\r\nnext\u2028line'
    found = parse(json.dumps({"intent": given, "friction": [given], "open_items": ["\x00", " \n"]}))
    assert found.intent == 'Title and 31m left "quoted" next line'
    assert found.friction == (found.intent,)
    assert found.open_items == ()


def test_joined_letters_and_signs_stay() -> None:
    assert parse("می\u200cخواهم 👩\u200d💻 grüßt 日本").intent == "می\u200cخواهم 👩\u200d💻 grüßt 日本"


def test_sizes_are_bounded() -> None:
    learning = {"path": "p" * 600, "finding": "f " * 300}
    learnings = {"repo": ["r " * 300] * 30, "code": [learning] * 30, "workflow": ["w"] * 900}
    value = {"intent": "i " * 9_000, "outcome": "o" * 9_000, "learnings": learnings, "friction": ["f"] * 900}
    found = parse(json.dumps(value))
    assert len(found.intent) <= 2_000
    assert found.intent.endswith("…")
    assert len(found.outcome) == 2_000
    assert len(found.repo) == len(found.code) == len(found.workflow) == len(found.friction) == 20
    assert max(map(len, (*found.repo, found.code[0].path, found.code[0].finding))) <= 500


@pytest.mark.parametrize(
    ("line", "end", "shown"),
    [(3, 5, (3, 5)), (3, 3, (3, 3)), (3, 1, (3, 0)), (0, 5, (0, 0)), (-1, 5, (0, 0)), (10**30, 10**30, (0, 0)),
     (3, 10**30, (3, 0)), (3.0, 4.5, (3, 4)), ("3", None, (0, 0)), (True, True, (0, 0))],
)  # fmt: skip
def test_line_numbers_that_the_go_cli_can_read(line: object, end: object, shown: tuple[int, int]) -> None:
    code = [{"path": "a.py", "finding": "x", "line": line, "end_line": end}]
    (found,) = parse(json.dumps({"learnings": {"code": code}})).code
    assert found == CodeLearning(path="a.py", finding="x", line=shown[0], end_line=shown[1])


KEYS = st.sampled_from(["intent", "outcome", "learnings", "code", "repo", "path", "finding", "line"])
VALUES = st.recursive(
    st.none() | st.text() | st.integers() | st.floats(), lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner)
)


@given(VALUES)
def test_any_answer_is_a_summary_or_an_error(value: object) -> None:
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        found = parse(text)
    except EntireError:
        return
    assert Summary.from_json(json.loads(json.dumps(found.to_json()))) == found
    assert found != Summary()
