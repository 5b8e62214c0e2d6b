"""The protocol's names and limits fit together."""

from __future__ import annotations

import json

import pytest

from entire.plugin_host.language import protocol


def test_our_own_capabilities_have_our_prefix_and_no_others() -> None:
    assert all(name.startswith("entire_") for name in protocol.EXTENSIONS)
    assert not any(name.startswith("entire_") for name in protocol.CAPABILITIES)
    assert list(protocol.EXTENSIONS) == sorted(protocol.EXTENSIONS)


def test_one_call_never_uses_the_time_of_a_whole_hook() -> None:
    assert protocol.GRACE_SECONDS < protocol.CALL_SECONDS < protocol.HOOK_SECONDS


def answer(**fields: object) -> bytes:
    return json.dumps({"protocol_version": 1, "name": "x", "type": "My Agent", **fields}).encode()


def test_the_least_that_a_plugin_must_say() -> None:
    assert protocol.parse_info(answer(), "x") == protocol.Info(name="x", type="My Agent")


def test_everything_that_a_plugin_can_say() -> None:
    data = answer(
        description="does it",
        is_preview=True,
        protected_dirs=[".x", "./a/b/", "", "..", "/etc", "a/../..", "."],
        hook_names=["stop", "stop", "go"],
        capabilities={"hooks": True, "token_calculator": False, "uses_terminal": True, "new": 5, "entire_ranges": True},
        caller_env_vars=["X_PID"],
        entire={"spoken_name": "ex", "project_variable": "X_DIR", "session_variable": "X_ID", "more": 1},
        unknown={"key": None},
    )  # fmt: skip
    assert protocol.parse_info(data, "x") == protocol.Info(
        name="x",
        type="My Agent",
        description="does it",
        is_preview=True,
        protected_dirs=(".x", "a/b"),
        hook_names=("stop", "go"),
        capabilities=frozenset({"hooks", "entire_ranges"}),
        caller_env_vars=("X_PID",),
        spoken_name="ex",
        project_variable="X_DIR",
        session_variable="X_ID",
    )


def test_null_means_empty() -> None:
    names = ("description", "is_preview", "protected_dirs", "hook_names", "capabilities", "caller_env_vars", "entire")
    data = b"\xef\xbb\xbf" + answer(**dict.fromkeys(names)) + b"\n\n"
    assert protocol.parse_info(data, "x") == protocol.Info(name="x", type="My Agent")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "something that is not JSON"),
        (b"hello", "something that is not JSON"),
        (answer() + answer(), "something that is not JSON"),
        (b"[" * 100_000, "something that is not JSON"),
        (answer().replace(b"My", b"\xff"), "something that is not UTF-8"),
        (b"null", "is not an object"),
        (b"[]", "is not an object"),
        (answer(protocol_version=2), "has protocol_version 2; this version of entire speaks 1"),
        (answer(protocol_version="1"), 'has protocol_version "1"'),
        (answer(protocol_version=True), "has protocol_version true"),
        (b'{"name": "x", "type": "X"}', "has protocol_version null"),
        (answer(name="y"), 'has the name "y"; its file name says x'),
        (answer(name=None), "has the name null"),
        (answer(type=""), "has no type"),
        (answer(type="  "), "has no type"),
        (answer(type=5), "has a type that is not a line of text"),
        (answer(type="a\nb"), "has a type that is not a line of text"),
        (answer(type="\ud800"), "has a type that is not a line of text"),
        (answer(capabilities=["hooks"]), "has capabilities that are not an object"),
        (answer(capabilities={"hooks": True}), "declares hooks, but has no hook_names"),
        (answer(capabilities={"hooks": True}, hook_names="stop"), "has hook_names that are not a list of texts"),
        (answer(protected_dirs={"a": 1}), "has protected_dirs that are not a list of texts"),
        (answer(protected_dirs=[1]), "has protected_dirs that are not a list of texts"),
        (answer(entire=[]), "has entire that is not an object"),
    ],
)
def test_an_answer_that_cannot_be_used(data: bytes, what: str) -> None:
    with pytest.raises(protocol.PluginError) as error:
        protocol.parse_info(data, "x")
    assert error.value.message.startswith("the plugin x ")
    assert what in error.value.message
