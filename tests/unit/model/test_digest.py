"""The small modules' digests are those of ``hashlib``."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.model import digest


@given(st.lists(st.binary(max_size=200), max_size=5))
def test_digests(pieces: list[bytes]) -> None:
    for ours, theirs in ((digest.sha1(), hashlib.sha1()), (digest.sha256(), hashlib.sha256())):
        for piece in pieces:
            ours.update(piece)
            theirs.update(piece)
        assert ours.hexdigest() == theirs.hexdigest()
        assert ours.digest() == theirs.digest()


@pytest.mark.parametrize("name", ["sha1", "sha256"])
@pytest.mark.parametrize("size", [0, 1000, 1 << 20])
def test_the_digest_for_a_size(name: str, size: int) -> None:
    found = digest.for_size(name, size)
    found.update(b"x" * size)
    assert found.hexdigest() == hashlib.new(name, b"x" * size).hexdigest()
