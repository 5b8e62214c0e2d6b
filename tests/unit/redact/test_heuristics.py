"""Second opinions, one value at a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.redact import heuristics
from tests.unit.redact.planted_secrets import UUID, hexed, word

VALUE = word(24).encode()


@pytest.mark.parametrize(("value", "bits"), [(b"", 0.0), (b"aaaa", 0.0), (b"abab", 1.0), (bytes(range(256)), 8.0)])
def test_entropy_of_known_values(value: bytes, bits: float) -> None:
    assert heuristics.entropy(value) == pytest.approx(bits)


@given(st.binary(max_size=60))
def test_entropy_minds_the_counts_only(value: bytes) -> None:
    bits = heuristics.entropy(value)
    assert 0 <= bits <= 8
    assert bits == pytest.approx(heuristics.entropy(bytes(sorted(value))))
    assert bits == pytest.approx(heuristics.entropy(value * 2))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"/etc/pw1", True),
        (b"./x1", True),
        (b"../x1", True),
        (b"~/x1", True),
        (b"src/a1/b2.py", True),
        (b"@scope/pkg-1/index.js", True),
        (b"src/a1/b2", False),  # base64 has slashes too
        (b"a.b/c1", False),
        (b"file.py", False),
        (b"/etc/pw=1", False),
        (b"/etc/p w", False),
        (b"", False),
    ],
)
def test_paths(value: bytes, expected: bool) -> None:
    assert heuristics.is_path(value, set(value)) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (UUID, True),
        (UUID.upper(), True),
        (UUID[:-1], False),
        (UUID[:-1] + "g", False),
        (UUID.replace("-", "_"), False),
        ("-" + UUID.replace("-", "", 1), False),  # four dashes, elsewhere
        (hexed(36), False),
    ],
)
def test_uuids(value: str, expected: bool) -> None:
    assert heuristics.is_uuid(value.encode(), set(value.encode())) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(hexed(40), True), (hexed(64), True), (hexed(41), False), (hexed(32), False), (hexed(39) + "g", False)],
)
def test_object_ids(value: str, expected: bool) -> None:
    assert heuristics.is_object_id(value.encode(), set(value.encode())) is expected


@pytest.mark.parametrize(
    "value",
    [
        b"$" + VALUE,
        b"%" + VALUE,
        b"<" + VALUE,
        b"{" + VALUE,
        b"*" + VALUE,
        b"sha256:" + VALUE,
        b"sha512-" + VALUE,
        VALUE[:9] + b"${A}" + VALUE[9:],
        b"https://" + VALUE,
        b"process.env." + VALUE,
        VALUE[:9] + b"..." + VALUE[9:],
        b"/run/secrets/" + VALUE,
        UUID.encode(),
    ],
)
@pytest.mark.parametrize("quoted", [False, True])
def test_references_hashes_paths_and_ids_are_never_secrets(value: bytes, quoted: bool) -> None:
    assert heuristics.assigned(b"", b"password", VALUE, quoted=quoted)
    assert not heuristics.assigned(b"", b"password", value, quoted=quoted)


@pytest.mark.parametrize(
    ("before", "name", "value", "quoted", "expected"),
    [
        # a strong name with a value that is written out: six bytes with a digit or a sign do
        (b"", b"password", b"hunt3r", True, True),
        (b"", b"password", b"hunt3", True, False),
        (b"", b"password", b"hunter", True, False),
        (b"", b"password", b"hunter!", True, True),
        (b"", b"password", b"111111", True, False),  # says too little
        # as in an environment file
        (b"", b"PASSWORD", b"hunt3r", False, True),
        (b"", b"password", b"hunt3r", False, False),
        # a bare value behind a name is mostly another name
        (b"", b"token", b"user_token2", False, False),
        (b"", b"token", b"User_Token2", False, False),
        (b"", b"token", b"User_T0ken2", False, True),  # words have no digit inside
        (b"", b"token", b"config.auth-V2", False, False),
        (b"", b"token", b"getUserTokens", False, False),
        (b"", b"token", b"1234567890123", False, False),
        (b"", b"token", VALUE, False, True),
        (b"", b"token", b"aB3dE6gH", False, True),
        (b"", b"token", b"ab3de6gh", False, False),
        (b"access_", b"token", b"ab3de6gh", False, True),  # the word before makes it strong
        (b"ACCESS_", b"token", b"ab3de6gh", False, True),
        # an object id behind a weak name is a hash, behind a strong one a key
        (b"", b"token", hexed(40).encode(), False, False),
        (b"", b"secret", hexed(40).encode(), False, True),
        (b"", b"apikey", hexed(40).encode(), False, True),
    ],
)
def test_a_value_behind_a_name(before: bytes, name: bytes, value: bytes, quoted: bool, expected: bool) -> None:
    assert heuristics.assigned(before, name, value, quoted=quoted) is expected


@given(st.binary(max_size=12), st.binary(max_size=12), st.binary(max_size=60), st.booleans())
def test_any_bytes_get_an_answer(before: bytes, name: bytes, value: bytes, quoted: bool) -> None:
    answer = heuristics.assigned(before, name, value, quoted=quoted)
    assert not (answer and len(value) < 6)
