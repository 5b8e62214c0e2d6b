"""The integration checklist of the Go CLI for new agents, point by point: the promises that prove it, or the reason why
none does.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Point:
    """A point of the checklist. ``promises``: names; ``reason``: what takes the place of a promise."""

    section: str
    title: str
    promises: tuple[str, ...] = ()
    reason: str = ""


CHECKLIST = (
    Point(section="Transcript Capture", title="Full transcript on every turn", promises=("turns", "growth")),
    Point(section="Transcript Capture", title="Resumed session handling",
          promises=("resumed", "resume", "another-clone")),
    Point(section="Transcript Capture", title="Use agent's canonical export", promises=("captured", "turns"),
          reason="that a transcript is the agent's own, and not made up from events, is seen in review: a rig holds "
                 "transcripts that the real agent wrote"),
    Point(section="Transcript Capture", title="Graceful degradation",
          promises=("nothing", "vanished", "no-transcript", "shutdown")),
    Point(section="Session Storage Abstraction", title="`WriteSession` implementation", promises=("put-back", "resume"),
          reason="here it is `put_back`, a plan that the framework carries out"),
    Point(section="Session Storage Abstraction", title="File-based agents",
          promises=("put-back", "put-back-subagents")),
    Point(section="Session Storage Abstraction", title="Database-backed agents", promises=("put-back",),
          reason="a plan may hold commands, which the promise runs"),
    Point(section="Session Storage Abstraction", title="Single format per agent",
          promises=("captured", "parts", "until", "agreement"),
          reason="a stored copy is the agent's own form and is read by the same code"),
    Point(section="Hook Events", title="turn-start", promises=("events", "turns")),
    Point(section="Hook Events", title="turn-end", promises=("events", "turns")),
    Point(section="Hook Events", title="session-start", promises=("events", "turns")),
    Point(section="Hook Events", title="session-end", promises=("events", "ends-twice")),
    Point(section="Rewind/Resume Support", title="Rewind restores full state", promises=("rewind",)),
    Point(section="Rewind/Resume Support", title="Resume command", promises=("shell", "resume")),
    Point(section="Rewind/Resume Support", title="Session ID preservation",
          promises=("resume", "another-clone", "session-ids")),
    Point(section="Testing", title="New session", promises=("turns",)),
    Point(section="Testing", title="Resumed session", promises=("resumed",)),
    Point(section="Testing", title="Rewind", promises=("rewind",),
          reason="that the real agent understands a restored transcript is proved by the end-to-end tests"),
    Point(section="Testing", title="Agent shutdown", promises=("shutdown",)),
)  # fmt: skip
