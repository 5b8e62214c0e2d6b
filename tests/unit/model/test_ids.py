"""Identifiers are checked where they enter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.errors import EntireError
from entire.model import ids
from entire.model.ids import CheckpointId


def test_a_checkpoint_id_knows_its_folder() -> None:
    assert CheckpointId("a1b2c3d4e5f6").path == "a1/b2c3d4e5f6"


@pytest.mark.parametrize(
    "text", ["", "a1b2c3d4e5f", "a1b2c3d4e5f67", "A1B2C3D4E5F6", "a1b2c3d4e5f ", "../../../etc/x", "٠" * 12]
)
def test_what_is_no_checkpoint_id(text: str) -> None:
    with pytest.raises(ValueError):
        CheckpointId(text)


def test_new_ids_differ_and_are_valid() -> None:
    made = {ids.new_id() for _ in range(200)}
    assert len(made) == 200
    assert all(CheckpointId(checkpoint_id) == checkpoint_id for checkpoint_id in made)


@given(st.text(max_size=300))
def test_a_session_id_stays_in_its_folder(text: str) -> None:
    if ids.is_session_id(text):
        assert "/" not in text
        assert "\\" not in text
        assert "\0" not in text
        assert "\n" not in text
        assert text not in (".", "..")
        assert 0 < len(text) <= 200


@pytest.mark.parametrize("text", ["0b5a9f3e-4c1d-4f6a-9e57-2d8c3b7a1f60", "ses_1", "a b", "é"])
def test_ids_of_real_agents_are_taken(text: str) -> None:
    assert ids.is_session_id(text)


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("toolu_01AbC-x", True),
        ("", False),
        ("a/b", False),
        ("..", False),
        ("a b", False),
        ("é", False),
        ("x" * 201, False),
        ("\u00e9" * 101, False),  # too many bytes for a file name
        ("\ud800", False),
    ],
)
def test_tool_ids(text: str, fine: bool) -> None:
    assert ids.is_tool_id(text) is fine


@given(st.text(max_size=300))
def test_an_id_in_a_path_is_safe_and_stays_the_same(text: str) -> None:
    found = ids.path_id(text)
    assert found == ids.path_id(text)
    assert found == text if not text or ids.is_tool_id(text) else ids.is_tool_id(found)


def test_unsafe_ids_stay_apart() -> None:
    assert len({ids.path_id(text) for text in ("a/b", "a\\b", "a b", "/team/maker", "\ud800", "")}) == 6


# ---------------------------------------------------------------- words of commands


@pytest.mark.parametrize("text", ["a", "", "3f2-b_c", "refs/heads/x", "/a b/ü", "ä\u202e", "x" * 4096, "bytes\udcff"])
def test_what_may_stand_on_a_command_line(text: str) -> None:
    assert ids.Argument(text) == text
    assert ids.argument_problem(text) == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("-x", "'-x' would be an option"),
        ("--mcp-config=x", "'--mcp-config=x' would be an option"),
        ("a\nb", r"'a\nb' holds a control character"),
        ("a\x1b[2J", r"'a\x1b[2J' holds a control character"),
        ("a\x9b", r"'a\x9b' holds a control character"),
        ("a\0", r"'a\x00' holds a control character"),
        ("x" * 5000, f"'{'x' * 40}'... has 5,000 characters"),
    ],
)
def test_what_may_not_stand_on_a_command_line(text: str, problem: str) -> None:
    assert ids.argument_problem(text) == problem
    with pytest.raises(EntireError, match="the branch cannot stand on a command line: "):
        ids.Argument(text, "the branch")
    assert ids.shell_word(text, "BRANCH") == "BRANCH"


def test_a_word_of_a_printed_command_is_quoted() -> None:
    assert [ids.shell_word(text, "ID") for text in ("a-1", "it's", "$(x)")] == ["a-1", "'it'\"'\"'s'", "'$(x)'"]
