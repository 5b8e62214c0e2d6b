"""The names of secrets."""

from __future__ import annotations

import pytest

from entire_secrets.judging import names


@pytest.mark.parametrize(
    ("left", "text", "quoted"),
    [
        (b"DB_PASSWORD=", b"DB_PASSWORD", False),
        (b"  password: ", b"password", False),
        (b'{"client_secret": "', b"client_secret", True),
        (b"password = b'", b"password", True),
        (b"a.token := `", b"a.token", True),
        (b"tool --api-key ", b"--api-key", False),
        (b"$env:API_KEY = '", b"API_KEY", True),
        (b"key1=", b"key1", False),
        (b"dbpassword=", b"dbpassword", False),
    ],
)
def test_names_of_secrets(left: bytes, text: bytes, quoted: bool) -> None:
    assert names.read(left) == names.Name(text=text, quoted=quoted)


@pytest.mark.parametrize(
    "left",
    [
        b"",
        b"= ",
        b'"AWS::IAM::AccessKey": "',
        b"arn:aws:secretsmanager:us-west-2:123456789012:secret:",
        b"arn:aws:secretsmanager:",
        b'"SecretArn": "',
        b"AWSAccessKeyId=",
        b"TokenKind = ",
        b'"nextToken": "',
        b"NextContinuationToken=",
        b"GIT_AUTHOR=",
        b"tokenizer = ",
        b"https://codecov.io/gh/me/it/graph/badge.svg?token=",
    ],
)
def test_names_about_secrets_and_of_other_things(left: bytes) -> None:
    assert names.read(left) is None


@pytest.mark.parametrize(
    ("text", "quoted", "qualities"),
    [
        (b"token", False, ""),
        (b"token", True, "literal"),
        (b"access_token", False, "strong compound"),
        (b"DB_PASSWORD1", False, "strong chosen literal compound"),
        (b"JWT_SECRET", False, "strong chosen literal compound"),
        (b"JWT_SECRET", True, "strong literal compound"),
        (b"clientSecret", False, "strong compound"),
        (b"passphrase", False, "strong chosen"),
    ],
)
def test_what_a_name_says(text: bytes, quoted: bool, qualities: str) -> None:
    name = names.Name(text=text, quoted=quoted)
    found = {
        "strong": name.is_strong,
        "chosen": name.is_chosen,
        "literal": name.is_literal,
        "compound": name.is_compound,
    }
    assert " ".join(quality for quality, holds in found.items() if holds) == qualities
