"""What a search takes a given agent for."""

from __future__ import annotations

import pytest

from entire.queries.searches import search


@pytest.mark.parametrize(
    ("given", "meant"),
    [("gemini", "Gemini CLI"), ("gemini-cli", "Gemini CLI"), ("cursor", "Cursor"), ("claude", "claude"), ("", "")],
)
def test_an_agent_is_found_by_its_name_or_alias(given: str, meant: str) -> None:
    assert search._agent_type(given) == meant
