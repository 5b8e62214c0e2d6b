"""Which of several stored transcripts of a session is its latest."""

from __future__ import annotations

import itertools

from entire.resume import targets
from entire.resume.targets import StoredSession

RECORD = b'{"timestamp":"2026-01-01T00:00:00Z"}\n'
OLDER = StoredSession(session_id="s", agent_type="x", data=RECORD, created=1767225600.0)
NEWER = StoredSession(session_id="s", agent_type="x", data=RECORD + RECORD, created=1767225700.0)
LOST = StoredSession(session_id="s", agent_type="x", data=b"", created=1767229200.0, damage="it is missing")


def latest(*stored: StoredSession) -> StoredSession:
    found: dict[str, StoredSession] = {}
    for session in stored:
        targets._keep_latest(found, session)
    return found["s"]


def test_no_older_copy_hides_that_the_newest_is_lost() -> None:
    for order in itertools.permutations([OLDER, NEWER, LOST]):
        assert latest(*order) is LOST


def test_the_newest_is_taken_in_whatever_order_they_are_found() -> None:
    assert latest(OLDER, NEWER) is latest(NEWER, OLDER) is NEWER
