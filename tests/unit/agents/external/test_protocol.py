"""The protocol's names and limits fit together."""

from __future__ import annotations

from entire.agents.external import protocol


def test_our_own_capabilities_have_our_prefix_and_no_others() -> None:
    assert all(name.startswith("entire_") for name in protocol.EXTENSIONS)
    assert not any(name.startswith("entire_") for name in protocol.CAPABILITIES)
    assert list(protocol.EXTENSIONS) == sorted(protocol.EXTENSIONS)


def test_one_call_never_uses_the_time_of_a_whole_hook() -> None:
    assert protocol.GRACE_SECONDS < protocol.CALL_SECONDS < protocol.HOOK_SECONDS
