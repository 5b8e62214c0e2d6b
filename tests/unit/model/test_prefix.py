"""One meaning for the beginning of an id."""

from __future__ import annotations

import pytest

from entire.errors import EntireError
from entire.model import prefix

IDS = ["ab", "abc", "abd", "xyz", "xyz"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [("abc", "abc"), ("x", "xyz"), ("xyz", "xyz"), ("ab", "ab"), ("abx", ""), ("xyzz", ""), ("", ""), ("B", "")],
)
def test_whole_ids_win_and_beginnings_must_be_unique(given: str, expected: str) -> None:
    assert prefix.find(given, IDS, "thing") == expected


def test_several() -> None:
    with pytest.raises(EntireError) as caught:
        prefix.find("a", [f"a{n}" for n in range(9)], "thing")
    assert (caught.value.message, caught.value.hint) == (
        "several things start with 'a'",
        "use a longer prefix, as in a0, a1, a2, a3",
    )


def test_none_where_one_is_needed() -> None:
    assert prefix.require("x", IDS, "thing", "look elsewhere") == "xyz"
    for name in ("q", ""):
        with pytest.raises(EntireError) as caught:
            prefix.require(name, IDS, "thing", "look elsewhere")
        assert (caught.value.message, caught.value.hint) == (f"thing not found: {name}", "look elsewhere")


def test_the_most_similar_beginning_is_offered() -> None:
    ids = ["4620c46d-9b1b", "68345ab6-3f2e"]
    hints = {name: prefix.unknown(name, ids, "thing", "look elsewhere").hint for name in ("68354ab", "683", "ffff")}
    assert hints == {"68354ab": "did you mean `68345ab`? Look elsewhere", "683": "look elsewhere",
                     "ffff": "look elsewhere"}  # fmt: skip
