"""Values that are code, and values that are as random as passwords."""

from __future__ import annotations

import pytest

from entire_secrets.judging import code


@pytest.mark.parametrize(
    "value",
    [
        *("1.2.3", "13.0.0-next-8.29", "0xFFu", "32_u64", "pkcs#12", "PBKDF2-SHA256", "RFC-6749", "AES_128-CBC"),
        *(
            "isPassword2",
            "HelloWorldV2",
            "handle_call/3",
            "::std::env",
            "App\\Models",
            "crypto::Cipher",
            "Net.Http#get",
        ),
        *("Uint8Array", "e.a=e.b=", "$1.", "!isDone"),
    ],
)
def test_a_whole_value_is_code(value: str) -> None:
    assert code.is_code(value.encode())
    assert not code.is_code(f"{value}~Xk4!q".encode())


@pytest.mark.parametrize(
    "value",
    [
        *("a,password:e", "t}=e", "a+=b", "a.b===c", "x||y", "user?.password", "+value)", ").then("),
        *("$get(x)", "rgba(0,0", "a{color:red", "12→text", "!RC4:!MD5", "\\-p"),
    ],
)
def test_a_value_begins_as_code(value: str) -> None:
    assert code.is_code(value.encode())
    assert code.is_code(f"{value} more".encode())


@pytest.mark.parametrize(
    "value", ["hunter2", "Orb1t%thunder1583", "cFniFgodUHTQJkzuS", "V7r{x3[d{T}hYB1=@6M1", "tulip-42"]
)
def test_a_password_is_no_code(value: str) -> None:
    assert not code.is_code(value.encode())
