"""The story of a range of commits: what a pull request should say about how they came about."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.digests import FailureDigest, TestRunDigest
    from entire.model.tokens import TokenUsage


class StoryCommitView(Value):
    """A commit of the story. ``reason``: why it has no session, if that is recorded."""

    oid: str
    subject: str
    author: str
    time: float
    prompts: tuple[str, ...] = ()  # shortened, in order; each is in the first commit only that it led to
    checkpoint_ids: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # checkpoints that are not stored here
    forgotten: Mapping[str, str] = {}  # those of them that were forgotten, and on which day
    agents: tuple[str, ...] = ()
    is_merge: bool = False
    reason: str = ""


class StoryFileView(Value):
    """A file that the range changes. ``by_agents`` and ``by_people``: of the lines that its commits added, those whose
    owner is recorded.
    """

    path: str
    old_path: str = ""  # if it was renamed
    added: int | None = None  # lines; None for a binary file
    removed: int | None = None
    is_counted: bool = True  # False: a partial clone has not the file's content
    by_agents: int = 0
    by_people: int = 0


class StorySessionView(Value):
    """A session that worked on the commits. ``tokens``: what these commits' checkpoints count."""

    session_id: str
    agent: str = ""  # display name
    models: tuple[str, ...] = ()
    prompts: int = 0
    commits: int = 0
    tokens: TokenUsage | None = None


class StoryView(Value):
    """The story of the commits that ``head`` has and ``base`` does not, oldest first."""

    base: str  # commit ids
    head: str
    title: str = ""
    commits: tuple[StoryCommitView, ...] = ()
    files: tuple[StoryFileView, ...] = ()
    by_agents: int = 0  # added lines of all commits whose owner is recorded
    by_people: int = 0
    failures: tuple[FailureDigest, ...] = ()
    tests: tuple[TestRunDigest, ...] = ()
    sessions: tuple[StorySessionView, ...] = ()
