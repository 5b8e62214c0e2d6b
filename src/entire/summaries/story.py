"""Collects the story of a range of commits from their checkpoints, for a pull request."""

from __future__ import annotations

import functools

from entire.errors import EntireError, PartialCloneError, UsageError
from entire.git import history, ranges, read
from entire.model import tokens
from entire.model.stories import StoryCommitView, StoryFileView, StorySessionView, StoryView
from entire.model.value import replace
from entire.queries import commits
from entire.store.links import CheckpointLinks
from entire.summaries import excerpts, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.digests import DigestView, FailureDigest, PartDigest, TestRunDigest
    from entire.model.views.checkpoints import CheckpointView, PartView
    from entire.store.catalog import Catalog
    from entire.store.links import Linked

_TITLE = 72


def of_range(catalog: Catalog, name: str) -> StoryView:
    """Return the story of a range; '' is what HEAD has since it left the default branch."""
    top = catalog.place.top
    base, head = ranges.parse(top, name) if name else ranges.since_fork(top)
    if not head and not name:
        raise EntireError("there are no commits yet")
    if not base or not head:
        problem = f"not a range of commits: {name}" if name else "cannot tell where this branch began"
        raise UsageError(problem, hint="name both ends: `entire story main..HEAD`")
    with read.Objects(top) as objects:
        order = history.log(top, [f"^{base}", head])[::-1]
        linked = CheckpointLinks(top, objects, catalog.commits).linked(order)
    names = dict.fromkeys(name for commit in linked for name in commit.checkpoint_ids)
    story = _Story(catalog, reading.of_checkpoints(catalog, list(names)))
    for commit in linked:
        story.add(commit)
    return story.view(base, head)


class _Story:
    """Takes in the commits of a range, oldest first. A checkpoint of several commits counts once."""

    def __init__(self, catalog: Catalog, stored: Mapping[str, tuple[CheckpointView, DigestView]]) -> None:
        self._catalog = catalog
        self._stored = stored
        self._redact = functools.cache(catalog.redactor.redact_text)  # the same commands come again and again
        self._commits: list[StoryCommitView] = []
        self._known: set[str] = set()
        self._prompts: set[tuple[str, int, str]] = set()
        self._failures: dict[tuple[str, int], FailureDigest] = {}
        self._tests: dict[tuple[str, int], TestRunDigest] = {}
        self._sessions: dict[str, StorySessionView] = {}
        self._owners: dict[str, list[int]] = {}  # path -> lines by agents, by people
        self._by_agents = self._by_people = 0
        self._intents: list[str] = []

    def add(self, linked: Linked) -> None:
        commit = linked.commit
        prompts: list[str] = []
        agents: dict[str, None] = {}
        new = [name for name in linked.checkpoint_ids if name not in self._known]
        self._known.update(new)
        for name in new:
            if name in self._stored:
                prompts += self._take(*self._stored[name])
        stored = [self._stored[name][0] for name in linked.checkpoint_ids if name in self._stored]
        parts = {part.session_id: part for view in stored for part in view.parts}
        for part in parts.values():
            agents[part.agent] = None
            session = self._sessions[part.session_id]
            self._sessions[part.session_id] = replace(session, commits=session.commits + 1)
        missing = [name for name in linked.checkpoint_ids if name not in self._stored]
        reason = "" if linked.checkpoint_ids else commits.reason(self._catalog.place, commit.oid)
        self._commits.append(StoryCommitView(
            oid=commit.oid, subject=commit.subject, author=commit.author, time=commit.time, prompts=tuple(prompts),
            checkpoint_ids=linked.checkpoint_ids, missing=(*linked.foreign_ids, *missing),
            forgotten=self._catalog.forgotten_days(missing),
            agents=tuple(filter(None, agents)), is_merge=len(commit.parents) > 1, reason=reason,
        ))  # fmt: skip

    def view(self, base: str, head: str) -> StoryView:
        files = self._counted(base, head) if self._commits else []
        return StoryView(
            base=base,
            head=head,
            title=self._title(),
            commits=tuple(self._commits),
            files=tuple(self._file(file) for file in files),
            by_agents=self._by_agents,
            by_people=self._by_people,
            failures=tuple(self._failures.values()),
            tests=tuple(self._tests.values()),
            sessions=tuple(self._sessions.values()),
        )

    def _counted(self, base: str, head: str) -> list[ranges.Counted]:
        try:
            return ranges.counted(self._catalog.place.top, base, head)
        except PartialCloneError:
            return ranges.named(self._catalog.place.top, base, head)

    # ------------------------------------------------------------ checkpoints

    def _take(self, view: CheckpointView, digest: DigestView) -> list[str]:
        """Take in a checkpoint; return its prompts that no earlier commit had."""
        prompts = []
        for part, said in zip(view.parts, digest.parts, strict=True):
            prompts += self._new_prompts(part)
            self._take_work(said)
            self._take_session(part)
        self._take_lines(view)
        return prompts

    def _new_prompts(self, part: PartView) -> list[str]:
        fresh = []
        for number, prompt in enumerate(part.prompts):
            key = (part.session_id, prompt.position if prompt.position > 0 else -number, prompt.text)
            if key not in self._prompts:
                self._prompts.add(key)
                fresh.append(self._redact(excerpts.prompt(prompt.text)))
                if excerpts.says_something(prompt.text):
                    self._intents.append(fresh[-1])
        return fresh

    def _take_work(self, part: PartDigest) -> None:
        """Take in what failed and what was tested: the checkpoints of a turn with several commits repeat it."""
        for failure in part.failures:
            clean = replace(failure, command=self._redact(failure.command), error=self._redact(failure.error))
            self._failures[part.session_id, failure.at] = clean
        for test in part.tests:
            self._tests[part.session_id, test.at] = replace(test, command=self._redact(test.command))

    def _take_session(self, part: PartView) -> None:
        known = self._sessions.get(part.session_id) or StorySessionView(session_id=part.session_id, agent=part.agent)
        has_more = part.session_id in self._sessions
        models = [*known.models, *(prompt.model for prompt in part.prompts if prompt.model)]
        self._sessions[part.session_id] = replace(
            known,
            models=tuple(dict.fromkeys(models)),
            prompts=len([key for key in self._prompts if key[0] == part.session_id]),
            tokens=tokens.total([known.tokens, part.tokens]) if has_more else part.tokens,
        )

    def _take_lines(self, view: CheckpointView) -> None:
        """Count whose the added lines are: by our record, else by the sums that every checkpoint has."""
        if view.lines is None:
            sums = [part.lines for part in view.parts if part.lines is not None]
            self._by_agents += sum(lines.agent_lines for lines in sums)
            self._by_people += max((lines.human_added + lines.human_modified for lines in sums), default=0)
            return
        for file in view.lines:
            owners = self._owners.setdefault(file.path, [0, 0])
            ranges = [lines for lines in file.added if not lines.is_by_hook]
            for lines in ranges:
                owners[0 if lines.session_id else 1] += lines.last - lines.first + 1
            self._by_agents += sum(lines.last - lines.first + 1 for lines in ranges if lines.session_id)
            self._by_people += sum(lines.last - lines.first + 1 for lines in ranges if not lines.session_id)

    # ------------------------------------------------------------ the whole

    def _title(self) -> str:
        own = [commit.subject for commit in self._commits if not commit.is_merge]
        if len(own) == 1:
            return own[0]
        return excerpts.prompt(self._intents[0], _TITLE) if self._intents else own[-1] if own else ""

    def _file(self, file: ranges.Counted) -> StoryFileView:
        names = {file.path, file.old_path}
        agents, people = (sum(self._owners.get(name, (0, 0))[n] for name in names) for n in (0, 1))
        return StoryFileView(path=file.path, old_path=file.old_path if file.old_path != file.path else "",
                             added=file.added, removed=file.removed, is_counted=file.is_counted, by_agents=agents,
                             by_people=people)  # fmt: skip
