"""Second opinions, one value at a time."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire_secrets.judging import heuristics
from tests.unit.entire_secrets.planted_secrets import HEX as HEXDIGITS
from tests.unit.entire_secrets.planted_secrets import UUID, WORDS, hexed, word

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
        b"(?i)" + VALUE,
        b"^4.0.23",
        b"sha256:" + VALUE,
        b"sha512-" + VALUE,
        b"arn:aws:secretsmanager:us-west-2:123456789012:secret:Db-" + VALUE,
        b"0xc0406619",
        b"2016-09-24T16:18:07Z",
        b"static:::1a:2b:3c:4d",
        VALUE[:9] + b"${A}" + VALUE[9:],
        b"https://" + VALUE,
        b"process.env." + VALUE,
        VALUE[:9] + b"..." + VALUE[9:],
        b"/run/secrets/" + VALUE,
    ],
)
@pytest.mark.parametrize("quote", [b"", b'"'])
def test_references_hashes_and_paths_are_never_secrets(value: bytes, quote: bytes) -> None:
    assert heuristics.assigned(b"password=" + quote, VALUE, quote)
    assert not heuristics.assigned(b"password=" + quote, value, quote)


HEX = hexed(40).encode()


@pytest.mark.parametrize(
    ("left", "value", "right", "expected"),
    [
        # a strong name with a value that is written out: six bytes with a digit or a sign do
        (b"password = '", b"hunt3r", b"'", True),
        (b"password = '", b"hunt3", b"'", False),
        (b"password = '", b"hunter", b"'", False),
        (b"password = '", b"hunter!", b"'", True),
        (b"password = '", b"hunter2", b"'", True),
        (b"password = '", b"Tr0ub4dor&3", b"'", True),
        (b"password = '", b"111111", b"'", False),  # says too little
        # a passphrase, but not the name of a field
        (b"PASSWORD=", b"correct-horse-battery-staple", b"", True),
        (b"password: '", b"correct-horse-battery-staple", b"'", True),
        (b"password: '", b"horse-battery-staple", b"'", False),
        (b"password: '", b"forgot-password-form-field", b"'", False),
        (b"password: ", b"correct-horse-battery-staple", b"", False),
        (b"password: '", b"copper-meadow-falcon-tulip-77", b"'", True),
        (b"DB_PASSWORD=", b"copper-meadow-falcon-tulip42", b"", True),
        (b"secret: '", b"orchard-shop-main-cluster-77", b"'", False),
        # two words and a number, but not those of code
        (b"password: '", b"Coffee-garden812", b"'", True),
        (b"DB_PASSWORD=", b"Coffee.garden812", b"", True),
        (b"password = ", b"Coffee.garden812", b"", False),
        (b"password: '", b"coffee_garden8", b"'", False),
        (b"password: '", b"Token_kind812", b"'", False),
        (b"spring.datasource.password=", b"Coffee-garden1812", b"", True),
        (b"storePassword=", b"Coffee_garden812", b"", True),
        (b"password = ", b"Coffee_garden81", b"", False),
        (b"PASSWORD=", b"Coffee.garden#8121", b"", True),
        (b"PASSWORD=", b"Coffee.garden#brew", b"", False),  # a member
        # small letters that nothing reads like, as providers of mail draw them
        (b"MAIL_PASSWORD=", b"jaztdsrieazwopwk", b"", True),
        (b"mail_password = '", b"jaztdsrieazwopwk", b"'", True),
        (b"APP_SPECIFIC_PASSWORD=", b"zczg-rqab-isut-hytj", b"", True),
        (b"password = ", b"jaztdsrieazwopwk", b"", False),
        (b"token = '", b"jaztdsrieazwopwk", b"'", False),
        (b"PASSWORD=", b"allowedcharacters", b"", False),
        # as in an environment file, or a line of YAML
        (b"PASSWORD=", b"hunt3r", b"", True),
        (b"JWT_SECRET=", b"letmein42", b"", True),
        (b"password: ", b"hunter2", b"\n", True),
        # a bare value behind a name is mostly another name
        (b"token = ", b"user_token2", b"", False),
        (b"token = ", b"User_Token2", b"", False),
        (b"token = ", b"Us3r_T0k3n2", b"", True),  # words have no digit inside
        (b"token = ", b"config.auth-V2", b"", False),
        (b"token = ", b"getUserTokens", b"", False),
        (b"token = ", b"1234567890123", b"", False),
        (b"token: ", b"OAuth2Token", b"", False),
        (b"private_key: ", b"x25519.X25519PrivateKey", b"", False),
        (b"contextToken: ", b"contextToken2", b"", False),
        (b"type CommaToken = ", b"CommaToken$1", b";", False),
        (b"auth_token = ", b"b64decod", b"e(", False),
        (b"password = ", b"base64.b16encode", b"(", False),
        (b"token = ", VALUE, b"", True),
        (b"token = ", b"aB3dE6gH", b"", True),
        (b"token = ", b"ab3de6gh", b"", False),
        (b"access_token = ", b"ab3de6gh", b"", True),  # the word before makes it strong
        (b"ACCESS_TOKEN=", b"ab3de6gh", b"", True),
        # words in quotes are a secret only if people choose such values
        (b'"secret": "', b"V1SecretProjection", b'"', False),
        (b'"secret_name": "', VALUE, b'"', False),
        (b'privateKeyAlgorithm = "', b"ECDH_P521", b'"', False),
        # an id behind a weak name is an id, behind a strong one a key
        (b"token = ", HEX, b"", False),
        (b"secret = ", HEX, b"", True),
        (b"apikey = ", HEX, b"", True),
        (b"token: ", UUID.encode(), b"", False),
        (b"secret: ", UUID.encode(), b"", False),
        (b"client_secret: ", UUID.encode(), b"", True),
        (b'"secret": "', UUID.encode(), b'"', True),
    ],
)
def test_a_value_behind_a_name(left: bytes, value: bytes, right: bytes, expected: bool) -> None:
    assert heuristics.assigned(left, value, right) is expected


@given(st.binary(max_size=60), st.binary(max_size=60), st.binary(max_size=2))
def test_any_bytes_get_an_answer(left: bytes, value: bytes, right: bytes) -> None:
    assert not (heuristics.assigned(left, value, right) and len(value) < 6)


@pytest.mark.parametrize("alphabet", [HEXDIGITS, WORDS])
def test_random_values_behind_a_strong_name_are_secrets(alphabet: str) -> None:
    source = Random(2)
    values = ["".join(source.choice(alphabet) for _ in range(20 + n % 40)).encode() for n in range(2000)]
    assert sum(heuristics.assigned(b"api_key = '", value, b"'") for value in values) >= 1998


def test_letters_alone_are_jumbled_only_if_no_name_reads_so() -> None:
    for value in (b"uaWsDmyooIGjpzqqj", b"CCWMZRWIFbQAxKessh", b"KiaWmZzQpXcRtLvB"):
        assert heuristics.is_jumbled(value), value
        assert heuristics.assigned(b"db_password=", value), value
    for value in (
        b"getUserNameFromHttpRequest",
        b"XMLHttpRequestUpload",
        b"parseJSONToXMLDoc",
        b"uaWsDmyoo",
        b"aB1cD" * 4,
    ):
        assert not heuristics.is_jumbled(value), value
