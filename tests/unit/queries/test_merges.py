"""The branches that a merge's subject names."""

from __future__ import annotations

import pytest

from entire.queries import merges


@pytest.mark.parametrize(
    ("subject", "names"),
    [
        ("Merge branch 'topic'", ["topic"]),
        ("Merge branch 'topic' into 'main'", ["topic"]),
        ("Merge branches 'a' and 'b'", ["a", "b"]),
        ("Merge remote-tracking branch 'origin/topic'", ["origin/topic"]),
        ("Merge pull request #12 from ada/topic", ["ada/topic"]),
        ("Release 'one'", []),
        ("Merge it all", []),
        ("", []),
    ],
)
def test_branches(subject: str, names: list[str]) -> None:
    assert merges.branches(subject) == names
