"""One repository with Entire in it: the entry point of commands and library users.

Reading changes nothing, except that commits which no hook saw are recorded first. It also works in a read-only
repository.
"""

from __future__ import annotations

import contextlib
import functools
import os
import time

from entire import layout, settings
from entire.errors import EntireError, NotARepositoryError, NotEnabledError
from entire.git import history
from entire.git.read import Offline
from entire.model import origins, requests, views
from entire.model.candidates import Candidate
from entire.model.ids import HEX
from entire.model.value import replace
from entire.redact import policy
from entire.store.catalog import Catalog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from typing import Concatenate, ParamSpec, TypeVar

    from entire.layout import Place
    from entire.lifecycle.context import Context
    from entire.model import findings
    from entire.model.audits import AuditRequest, AuditView, ForgetRequest, ForgetView, PrunedView
    from entire.model.conversations import ShownView, ShowRequest
    from entire.model.digests import DigestView
    from entire.model.histories import LogRequest, LogRow
    from entire.model.linking import LinkRequest, LinkUndoneView, LinkView, UnlinkRequest
    from entire.model.stories import StoryView
    from entire.model.trials import RuleView, TrialRequest, TrialView
    from entire.resume.plan import Resume
    from entire.rewind.plan import Rewind
    from entire.settings import Settings

    Given = ParamSpec("Given")
    Answer = TypeVar("Answer")

_COMPLETED_POINTS = 50


def _without_fetching(
    ask: Callable[Concatenate[Workspace, Given], Answer],
) -> Callable[Concatenate[Workspace, Given], Answer]:
    """Return a method that asks git only for what is here: a partial clone fetches nothing, and says what it lacks."""

    @functools.wraps(ask)
    def asked(self: Workspace, /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        with self._offline:
            return ask(self, *args, **kwargs)

    return asked


class Workspace:
    """A worktree and the sessions recorded in it."""

    def __init__(self, place: Place, *, now: Callable[[], float] = time.time, only_reads: bool = False) -> None:
        self.place = place
        self._now = now
        self._only_reads = only_reads  # also leave what hooks did not complete
        self._reload()

    def _reload(self) -> None:
        """Load the settings and drop everything cached."""
        from entire.lifecycle.context import Context

        policy.adopt(policy.Sources())  # what was read of them may be old
        Context.adopt_rules(self.place)
        self.settings: Settings | None = settings.load(self.place)  # None: Entire was never enabled here
        self._known_catalog: Catalog | None = None

    @property
    def _offline(self) -> Offline:
        return Offline(self.place.top, layout.METADATA_BRANCH)

    @property
    def _catalog(self) -> Catalog:
        if self._known_catalog is None:
            self._catch_up()
            self._known_catalog = Catalog(self.place)
        return self._known_catalog

    def _catch_up(self) -> None:
        """Complete what hooks left of commits, so that what is read next is true."""
        if self.settings is not None and self.settings.enabled and not self._only_reads:
            from entire.lifecycle import recovery

            with contextlib.closing(self._context(starts_plugins=False)) as context:
                recovery.catch_up(context)

    def __repr__(self) -> str:
        return f"Workspace({self.place.top!r})"

    @classmethod
    def find(cls, path: str | os.PathLike[str] | None = None) -> Workspace:
        """Return the workspace that contains a path (default: the current directory); raises NotARepositoryError."""
        if path is None:
            return cls(layout.here())
        place = layout.find(os.fspath(path))
        if place is None:
            raise NotARepositoryError(f"{os.fspath(path)} is not in a git worktree", hint="run `git init` there first")
        return cls(place)

    @property
    def branch(self) -> str:
        """The current branch, '' when HEAD is detached."""
        return history.branch(self.place.top)

    @property
    def pager(self) -> str:
        """The pager that git uses here."""
        return history.pager(self.place.top)

    def status(self) -> views.StatusView:
        """Return the state of this worktree."""
        from entire.queries import status

        return status.view(self.place, self.settings, self._catalog, now=self._now())

    # ------------------------------------------------------------ names

    @_without_fetching
    def target(self, name: str) -> views.TargetView:
        """Return what a name means: a commit, a checkpoint or a session (the latter two by id prefix too).

        Raises EntireError if it means nothing here, or is ambiguous.
        """
        found = self._catalog.find(name)
        if found is None:
            hint = "run `entire explain` to list checkpoints"
            if gone := self._catalog.forgotten(name):
                raise gone
            if name and HEX.issuperset(name):
                raise EntireError(f"commit or checkpoint not found: {name}", hint=hint)
            raise EntireError(f"no commit, checkpoint or session here is named {name!r}", hint=hint, unknown=name,
                              known=self._catalog.branches)  # fmt: skip
        return found

    @_without_fetching
    def session_id(self, prefix: str, *, default: str = "") -> str:
        """Return the session id that starts with ``prefix``, else ``default``.

        Raises EntireError if there are several, or none and no default.
        """
        found = self._catalog.session(prefix) or default
        if not found:
            raise self._catalog.unknown_session(prefix)
        return found

    # ------------------------------------------------------------ sessions and commits

    def sessions(self) -> list[views.SessionView]:
        """Return the recorded sessions, most recently seen first."""
        from entire.queries import sessions

        self._catch_up()
        return sessions.listing(self.place)

    @_without_fetching
    def commit(self, name: str) -> views.CommitView:
        """Return a commit by any revision that git understands; raises EntireError if there is none."""
        from entire.queries import commits

        return commits.find(self._catalog, name)

    @_without_fetching
    def linked_commits(self, *, everywhere: bool = False) -> list[views.CommitView]:
        """Return the commits with a checkpoint, newest first: of this branch, or of all branches and tags."""
        from entire.queries import commits

        return commits.linked(self._catalog, everywhere=everywhere)

    @_without_fetching
    def explain(self, commit: str) -> views.ExplanationView:
        """Return a commit with its checkpoints, or with the reason why it has none."""
        from entire.queries import checkpoints

        return checkpoints.of_commit(self._catalog, commit)

    # ------------------------------------------------------------ log

    def log(self, request: LogRequest) -> Generator[LogRow]:
        """Yield commits with what their sessions say, newest first, as they are found; close it to stop early.

        Raises EntireError if git does not understand the request.
        """
        from entire.queries import history as rows

        with self._offline:
            found = rows.rows(self._catalog, request)
        return self._offline.steps(found)

    # ------------------------------------------------------------ link

    def link(self, request: LinkRequest) -> LinkView:
        """Link a commit by its id to a session or a stored checkpoint, or with ``dry_run`` only return what changes.

        Raises EntireError if several sessions may have made it. Neither the commit nor its message changes.
        """
        from entire.linking import repair

        catalog = self._catalog
        with contextlib.closing(self._context()) as context:
            found = repair.link(context, catalog, request)
        self._known_catalog = None
        return found

    def unlink(self, request: UnlinkRequest) -> LinkView:
        """Record that a commit is not linked to its checkpoints, or with ``dry_run`` only return what changes."""
        from entire.linking import repair

        self._catch_up()
        with contextlib.closing(self._context(starts_plugins=False)) as context:
            found = repair.unlink(context, request)
        self._known_catalog = None
        return found

    def undo_link(self, *, unlinking: bool = False) -> LinkUndoneView:
        """Undo the last link by hand, or the last unlinking; raises EntireError if there is none."""
        from entire.linking import repair, undo

        with contextlib.closing(self._context(starts_plugins=False)) as context:
            found = undo.undo(context, repair.UNLINK if unlinking else repair.LINK)
        self._known_catalog = None
        return found

    # ------------------------------------------------------------ checkpoints

    @property
    def tips(self) -> Mapping[str, str]:
        """The checkpoints branches and their commits, the local one first."""
        return self._catalog.tips

    @property
    @_without_fetching
    def sessions_by_checkpoint(self) -> Mapping[str, tuple[str, ...]]:
        """The sessions of every stored checkpoint, by checkpoint id."""
        return self._catalog.sessions_by_checkpoint

    def checkpoints(self, limit: int = 20, *, session_id: str = "") -> list[views.ListedView]:
        """Return the checkpoints of this branch's commits, newest first; ``limit`` 0 returns all of them.

        A checkpoint that a trailer names but that does not exist is included, with ``is_stored`` false.
        """
        return self.listing(limit, session_id=session_id)[0]

    @_without_fetching
    def listing(
        self, limit: int = 20, *, session_id: str = "", everywhere: bool = False
    ) -> tuple[list[views.ListedView], int]:
        """Return the newest checkpoints of this branch, or of all branches and tags, and their total number."""
        from entire.queries import checkpoints

        return checkpoints.listing(self._catalog, limit, session_id, everywhere=everywhere)

    @_without_fetching
    def checkpoint(self, prefix: str) -> views.CheckpointView:
        """Return a checkpoint by its id or id prefix; raises EntireError if there is none, or several."""
        from entire.queries import checkpoints

        return checkpoints.find(self._catalog, prefix)

    @_without_fetching
    def checkpoint_ids(self) -> list[str]:
        """Return the ids of all stored checkpoints of all branches, sorted."""
        return list(self._catalog.checkpoint_ids)

    @_without_fetching
    def transcript(self, checkpoint: views.CheckpointView | str, session_id: str = "") -> bytes:
        """Return a stored transcript as the agent wrote it, redacted: the latest session's, or a given one's."""
        from entire.queries import checkpoints

        name = checkpoint if isinstance(checkpoint, str) else checkpoint.id
        return checkpoints.transcript(self._catalog, name, session_id)

    @_without_fetching
    def conversation(
        self, checkpoint: views.CheckpointView | str, session_id: str = "", start: int = 0
    ) -> list[views.MessageView]:
        """Return the messages and tool calls of a stored transcript, from record ``start`` on."""
        from entire.queries import checkpoints

        name = checkpoint if isinstance(checkpoint, str) else checkpoint.id
        return checkpoints.messages(self._catalog, name, session_id, start)

    # ------------------------------------------------------------ show

    @_without_fetching
    def show(self, request: ShowRequest) -> ShownView:
        """Return what a name means, with the conversations behind it; raises EntireError if it means nothing here."""
        from entire.queries import shown

        found = shown.show(self._catalog, request)
        if not request.has_digest:
            return found
        return replace(found, checkpoints=tuple(map(self.with_digest, found.checkpoints)))

    def summarize(
        self, request: requests.SummaryRequest, progress: Callable[[str], None] | None = None
    ) -> views.SummarizedView:
        """Have an agent's own model write the summaries that a checkpoint's sessions lack.

        It may take minutes; ``progress`` is called with a message before each session. Raises EntireError, with the
        checkpoint unchanged, if no agent can write one or a model gives no usable answer.
        """
        from entire.summaries import generation

        catalog = self._catalog
        with contextlib.closing(self._context()) as context:
            written = generation.generate(context, catalog, request, progress or (lambda _: None))
        self._known_catalog = None
        return views.SummarizedView(checkpoint=self.checkpoint(request.checkpoint), written_by=written)

    # ------------------------------------------------------------ why

    @_without_fetching
    def why(self, request: origins.WhyRequest) -> origins.WhyView:
        """Return where the lines of a file come from: the turn, the person's commit, or why that is not known.

        Raises EntireError if there is no such file, line or revision.
        """
        from entire.origins import answer

        return answer.why(self.place, self._catalog, request)

    @_without_fetching
    def blame(self, args: Sequence[str], *, folder: str = "") -> origins.BlameView:
        """Return what ``git blame`` prints for ``args`` in a folder (default: the root), with the lines' origins.

        Raises EntireError with git's message if it refuses them.
        """
        from entire.origins import annotated

        return annotated.annotate(self.place, self._catalog, folder or self.place.top, args)

    def blame_dates(self, view: origins.BlameView, form: str) -> origins.BlameView:
        """Return the view with its commits' dates in one of git's forms (``relative``, ``short``, ...)."""
        from entire.origins import annotated

        return annotated.dates(self.place, view, form)

    @property
    def blame_settings(self) -> Mapping[str, str]:
        """What git's configuration says about ``git blame``, and ``digits``: how many git shows of a commit's id."""
        return {**history.blame_settings(self.place.top), "digits": str(history.abbreviation(self.place.top))}

    # ------------------------------------------------------------ search

    @_without_fetching
    def search(
        self, request: findings.SearchRequest, progress: Callable[[str], None] | None = None
    ) -> findings.SearchView:
        """Find texts in all checkpoints and open sessions; raises UsageError if the query has no word to find.

        Brings the search index up to date first; ``progress`` is called with a message while that takes long.
        """
        from entire.queries.searches import search

        return search.search(self._catalog, request, progress or (lambda _: None))

    # ------------------------------------------------------------ digest and story

    @_without_fetching
    def digest(self, checkpoint: views.CheckpointView | str) -> DigestView:
        """Return a deterministic summary of a checkpoint, or of the one with an id or id prefix; no model is asked."""
        from entire.summaries import reading

        found = self.checkpoint(checkpoint) if isinstance(checkpoint, str) else checkpoint
        return reading.of_checkpoint(self._catalog, found)

    def with_digest(self, checkpoint: views.CheckpointView) -> views.CheckpointView:
        """Return a checkpoint with the digest of each of its sessions' parts."""
        found = {part.session_id: part for part in self.digest(checkpoint).parts}
        parts = tuple(replace(part, digest=found.get(part.session_id)) for part in checkpoint.parts)
        return replace(checkpoint, parts=parts)

    @_without_fetching
    def story(self, commits: str = "") -> StoryView:
        """Return the story of a range of commits (``main..HEAD``), by default of those since HEAD left the default
        branch; raises EntireError if there is no such range.
        """
        from entire.summaries import story

        return story.of_range(self._catalog, commits)

    # ------------------------------------------------------------ rewind

    def points(self, limit: int = 100, *, session_id: str = "") -> list[views.PointView]:
        """Return the points of this branch, newest first; ``limit`` 0 returns all of them.

        A subagent's steps follow the point they belong to.
        """
        from entire.rewind.points import Points

        self._catch_up()
        with contextlib.closing(self._context()) as context:
            return Points(context).find(limit=limit, session_id=session_id)

    def forgotten_points(self, limit: int = 100) -> list[tuple[str, str, str]]:
        """Return the commits of this branch that are no points any more: with the checkpoint that was forgotten, and on
        which day.
        """
        from entire.queries import history

        with self._offline:
            return list(history.forgotten(self._catalog, limit))

    def ways_back(self, commit: str) -> views.WaysBackView:
        """Return what a rewind to a commit's checkpoint can do about the commits after it."""
        from entire.rewind import branch

        with contextlib.closing(self._context()) as context:
            return branch.ways_back(context, commit)

    def rewind(self, request: requests.RewindRequest) -> Rewind:
        """Plan a rewind to a point. Nothing changes before ``carry_out``; use the plan as a context manager."""
        from entire.rewind import plan

        with self._rewind_context() as context:
            return plan.plan(context, request)

    def undo(self, name: str = "") -> Rewind:
        """Plan to revert the last rewind, or every rewind since that undo point; an undo can be undone."""
        from entire.rewind import plan

        with self._rewind_context() as context:
            return plan.undo(context, name)

    def undo_points(self) -> list[views.UndoView]:
        """Return the undo points of rewinds, newest first."""
        from entire.rewind import plan

        with contextlib.closing(self._context()) as context:
            return [
                views.UndoView(id=point.id, time=point.time, title=point.title, files=point.paths,
                               session_ids=tuple(point.notes.get("sessions", ())))
                for point in plan.undo_points(context)
            ]  # fmt: skip

    # ------------------------------------------------------------ undo

    def changes(self) -> list[views.ChangeView]:
        """Return what commands changed that can be undone, or was, newest first."""
        from entire.undo import changes, transaction

        transaction.complete(self.place)
        return changes.of(self.place)

    def undo_last(self, command: str, progress: Callable[[str], None] | None = None) -> str:
        """Undo the last change of a command other than ``rewind``, whose undo is planned first; return the id of the
        undo.
        """
        undo: dict[str, Callable[[], views.UndoneView | views.ResumeUndoneView | LinkUndoneView]] = {
            "clean": self.undo_clean,
            "forget": self.undo_forget,
            "link": self.undo_link,
            "reset": self.undo_reset,
            "resume": lambda: self.undo_resume(progress),
            "unlink": lambda: self.undo_link(unlinking=True),
        }
        return undo[command]().undo_id

    # ------------------------------------------------------------ resume

    def resume(self, request: requests.ResumeRequest, progress: Callable[[str], None] | None = None) -> Resume:
        """Plan to continue the sessions behind a branch, commit, checkpoint or session.

        Missing checkpoints are fetched; ``progress`` is called with a message before slow work. Nothing else changes
        before ``carry_out``; use the plan as a context manager.
        """
        from entire.resume import plan

        with _closed_on_error(self._context()) as context:
            return plan.plan(context, request, progress or (lambda _: None))

    def start_agent(self, sessions: Sequence[views.ResumedView]) -> None:
        """Replace this process by the agent of the last of these sessions. Raises EntireError."""
        from entire.resume import start

        start.start(self.place.top, sessions)

    def undo_resume(self, progress: Callable[[str], None] | None = None) -> views.ResumeUndoneView:
        """Restore the transcripts that the last resume (or its undo) replaced."""
        from entire.resume import restore

        with contextlib.closing(self._context()) as context:
            return restore.undo(context, progress or (lambda _: None))

    # ------------------------------------------------------------ setup

    def agents(self, *, user: bool = False) -> list[views.AgentView]:
        """Return the supported agents; with ``user``, with the state of their user-wide hooks."""
        from entire.maintenance import setup

        return setup.agents(self.place, user=user)

    @property
    def plugins(self) -> Plugins:
        """The plugins on PATH."""
        return Plugins(self.place)

    def check_enable(self, request: requests.EnableRequest) -> None:
        """Raise UsageError if ``enable`` would refuse a request."""
        from entire.maintenance import setup

        setup.check(self.place, request)

    def is_push_chosen(self) -> bool:
        """Tell whether this user has chosen, in this clone, if checkpoints are pushed."""
        from entire.maintenance import setup

        return setup.is_push_chosen(self.place)

    def are_refs_hidden(self) -> bool:
        """Tell whether git's settings keep our refs out of what ``git log`` shows."""
        from entire.git import hidden_refs

        return hidden_refs.are_hidden(self.place.top)

    def hide_refs(self, *, hide: bool) -> list[str]:
        """Keep our refs out of what ``git log`` shows, or show them again; return the names of git's settings.

        The settings are this clone's; ``uninstall`` removes them.
        """
        from entire.git import hidden_refs

        return hidden_refs.hide(self.place.top) if hide else hidden_refs.show(self.place.top)

    def enable(self, request: requests.EnableRequest | None = None) -> views.EnableView:
        """Start recording sessions; raises UsageError, before anything is written, if the request is invalid."""
        from entire.maintenance import setup

        try:
            return setup.enable(self.place, request or requests.EnableRequest())
        finally:
            self._reload()

    def add_hook_lines(self) -> tuple[views.HookLineView, ...]:
        """Add the missing lines that ``enable`` returned to hook files; return them with ``is_added`` set.

        A hook file that is not a shell script is not changed.
        """
        from entire.maintenance import setup

        return setup.add_hook_lines(self.place)

    def git_hooks(self) -> views.HookView:
        """Return whether the git hooks run, so that commits are linked, and what to do if they do not."""
        from entire.queries import status

        return status.git_hooks(self.place)

    def disable(self, request: requests.DisableRequest | None = None) -> views.DisableView:
        """Stop recording sessions; hooks stay installed and do nothing."""
        from entire.maintenance import setup

        try:
            return setup.disable(self.place, request or requests.DisableRequest())
        finally:
            self._reload()

    def uninstall(self, request: requests.UninstallRequest) -> views.UninstallView:
        """Remove hooks, settings, session states and steps. Checkpoints stay. This cannot be undone."""
        from entire.maintenance import uninstall

        try:
            return uninstall.uninstall(self.place, request)
        finally:
            self._reload()

    def uncommitted_sessions(self, *, here: bool = False) -> list[views.SessionView]:
        """Return the sessions with uncommitted steps, which ``uninstall`` would lose; ``here``: of this worktree."""
        found = [session for session in self.sessions() if session.steps and session.open_files]
        return [session for session in found if session.is_here] if here else found

    # ------------------------------------------------------------ maintenance

    def doctor(self, request: requests.DoctorRequest | None = None) -> views.DoctorView:
        """Find problems; with ``fix``, repair them and return which were repaired and which are left."""
        from entire.maintenance import doctor

        try:
            return doctor.diagnose(self.place, request or requests.DoctorRequest(), now=self._now)
        finally:
            self._reload()

    def clean(self, request: requests.CleanRequest) -> views.CleanView:
        """Delete unused data, or with ``dry_run`` only return it."""
        from entire.maintenance import clean

        return clean.clean(self.place, request, now=self._now())

    def undo_clean(self) -> views.UndoneView:
        """Restore what the last ``clean`` deleted, except undo points."""
        from entire.maintenance import clean

        return clean.undo(self.place, now=self._now())

    def reset(self, request: requests.ResetRequest) -> views.ResetView:
        """Discard the steps on HEAD and the sessions that made them, or with ``dry_run`` only return them.

        Raises EntireError while a turn is running (unless forced), and while a commit is being made.
        """
        from entire.maintenance import reset

        return reset.reset(self.place, request, now=self._now())

    def undo_reset(self) -> views.UndoneView:
        """Restore what the last ``reset`` discarded; raises EntireError if one of its sessions has continued since."""
        from entire.maintenance import reset

        return reset.undo(self.place, now=self._now())

    # ------------------------------------------------------------ secrets

    def audit(self, request: AuditRequest, progress: Callable[[int, int], None] | None = None) -> AuditView:
        """Scan what is stored, or what remotes hold, for secrets, with today's rules.

        ``progress`` is called with how many texts are read and how many there are. Raises EntireError, with exit code
        2, if the history cannot be read; what is missing in it is named in the answer.
        """
        from entire.audit import audit

        with contextlib.nullcontext() if request.fetch else self._offline:
            return audit.audit(self.place, request, now=self._now(), progress=progress or (lambda _done, _total: None))

    def forget(self, request: ForgetRequest) -> ForgetView:
        """Remove a secret, a session or a checkpoint from everything stored, or with ``dry_run`` only say what changes.

        Raises EntireError, with nothing changed, if it is not found, or while a commit is being made.
        """
        from entire.forgetting import removal

        catalog = self._catalog
        with contextlib.closing(self._context(starts_plugins=False)) as context:
            found = removal.forget(context, catalog, request)
        self._known_catalog = None
        return found

    def undo_forget(self) -> views.UndoneView:
        """Restore what the last ``forget`` removed; raises EntireError once git has deleted the old objects."""
        from entire.forgetting import undo

        with contextlib.closing(self._context(starts_plugins=False)) as context:
            found = undo.undo(context)
        self._known_catalog = None
        return found

    def prune_forgotten(self) -> PrunedView:
        """Delete the undo points of ``forget``, which hold what was forgotten."""
        from entire.forgetting import undo

        with contextlib.closing(self._context(starts_plugins=False)) as context:
            return undo.prune(context)

    def trust_exceptions(self) -> str:
        """Let the exceptions in ``.entire/redact.toml`` count in this clone as long as they stay what they are now.

        Returns them in words, '' if there are none.
        """
        from entire.lifecycle import redact_problems

        trusted = redact_problems.trust(self.place)
        self._reload()
        return trusted

    # ------------------------------------------------------------ context

    def _context(self, *, starts_plugins: bool = True) -> Context:
        from entire.agents.directory import AgentDirectory
        from entire.lifecycle import directories
        from entire.lifecycle.context import Context

        chosen = self.settings or settings.Settings(enabled=False)
        may_start = starts_plugins and not self._only_reads
        agents = directories.make(self.place) if may_start else AgentDirectory.without_plugins()
        return Context(self.place, chosen, agents)

    def _rewind_context(self) -> contextlib.AbstractContextManager[Context]:
        """Return a context for a rewind plan, which takes it over and closes it."""
        if self.settings is None:
            raise NotEnabledError("Entire was never enabled here, so there is no point to rewind to",
                                  hint="run `entire enable` to start recording sessions")  # fmt: skip
        return _closed_on_error(self._context())


class Candidates:
    """Names that a shell can complete. Needs no repository; writes nothing and starts no plugin."""

    def __init__(self, place: Place | None) -> None:
        self._place = place

    @classmethod
    def find(cls, path: str | os.PathLike[str] | None = None) -> Candidates:
        """Return the names in the worktree that contains a path (default: the current directory)."""
        return cls(layout.find(os.getcwd() if path is None else os.fspath(path)))

    def of(self, kinds: Iterable[str], start: str = "") -> list[Candidate]:
        """Return the names of these kinds that begin with ``start``. Kinds: agent, branch, change, checkpoint,
        commit, finding, plugin, point, prompt, session, turn.
        """
        with Offline(self._place.top if self._place else "", layout.METADATA_BRANCH):
            found = [candidate for kind in kinds for candidate in self._of(kind, start)]
        return list({name.name: name for name in found if name.name.startswith(start)}.values())

    def _of(self, kind: str, start: str) -> Iterable[Candidate]:
        from entire.queries import candidates

        if kind in candidates.ANYWHERE:
            return candidates.ANYWHERE[kind](self._place, start)
        if self._place is None:
            return ()
        if kind == "point":
            points = Workspace(self._place, only_reads=True).points(_COMPLETED_POINTS)
            titles = {point.id: point.message if point.kind == "checkpoint" else point.prompt for point in points}
            return [Candidate(name=point.id, about=titles[point.id] or point.message) for point in points]
        return candidates.KINDS[kind](self._place, start)


class Plugins:
    """The plugins on PATH, and which of them may run. Needs no repository; in one, its own plugins are refused."""

    def __init__(self, place: Place | None) -> None:
        self._place = place

    @classmethod
    def find(cls, path: str | os.PathLike[str] | None = None) -> Plugins:
        """Return the plugins as the worktree that contains a path may use them (default: the current directory)."""
        return cls(layout.find(os.getcwd() if path is None else os.fspath(path)))

    def listing(self) -> list[views.PluginView]:
        """Return every plugin on PATH, by name. Only those that may run are asked what they are."""
        from entire.maintenance import plugins

        return plugins.listing(self._place)

    def plugin(self, name: str) -> views.PluginView:
        """Return the plugin called ``name``; raises UsageError if there is none on PATH."""
        from entire.maintenance import plugins

        return plugins.find(self._place, name)

    def allow(self, name: str, path: str = "", folders: Sequence[str] = ()) -> views.PluginView:
        """Let a plugin run, as long as its file and its interpreter stay the same; ``path`` is the file that the user
        has seen. Its sessions may be in ``folders`` outside of the home folder.

        Raises EntireError if the plugin cannot be used.
        """
        from entire.maintenance import plugins

        return plugins.allow(self._place, name, path, folders)

    def deny(self, name: str) -> None:
        """Keep a plugin from running, also where settings allow every plugin."""
        from entire.maintenance import plugins

        plugins.deny(self._place, name)


class Rules:
    """The rules for secrets as they apply in a folder. Needs no repository; writes nothing and remembers nothing."""

    def __init__(self, place: Place | None) -> None:
        from entire.queries import trials

        self._place = place
        trials.adopt_rules(place)

    @classmethod
    def find(cls, path: str | os.PathLike[str] | None = None) -> Rules:
        """Return the rules of the worktree that contains a path (default: the current directory), or the built-in
        ones outside of any.
        """
        return cls(layout.find(os.getcwd() if path is None else os.fspath(path)))

    @property
    def pager(self) -> str:
        """The pager that git uses here."""
        return history.pager(self._place.top if self._place else os.getcwd())

    def listing(self) -> list[RuleView]:
        """Return all rules, the repository's own included."""
        from entire.queries import trials

        return trials.rules()

    def test(self, request: TrialRequest, progress: Callable[[int, int], None] | None = None) -> TrialView:
        """Return what would be replaced in files, or in a session's transcript, with its values masked.

        ``progress`` is called with how many bytes of a text are read and how many it has. Raises EntireError if the
        session is not found, and NotARepositoryError for a session outside of a worktree.
        """
        from entire.queries import trials

        note = progress or (lambda _done, _total: None)
        if not request.session:
            return trials.of_files(request.files, note)
        place = self._place or layout.here()
        with Offline(place.top, layout.METADATA_BRANCH):
            return trials.of_session(place, request.session, note)


@contextlib.contextmanager
def _closed_on_error(context: Context) -> Iterator[Context]:
    """Close a context if the plan that would own it cannot be made."""
    try:
        yield context
    except BaseException:
        context.close()
        raise
