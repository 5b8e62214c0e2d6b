"""Putting a session back for agents that keep each transcript in a file of its own."""

from __future__ import annotations

from entire.model.effects import Delete, PutBack, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from entire.model.transcripts import Content


def files(
    session_ref: str, transcript: Content, subagents: Mapping[str, Content], locate: Callable[[str], str]
) -> PutBack:
    """Return the effects that write a session's file and those of its subagents, or delete the session's if nothing
    remains of it: no agent can continue an empty one. ``locate`` returns a subagent's file, '' if it has no place.
    """
    own = Write(path=session_ref, data=transcript) if transcript else Delete(path=session_ref)
    located = {locate(subagent): data for subagent, data in subagents.items()}
    return PutBack(effects=(own, *(Write(path=path, data=data) for path, data in located.items() if path)))
