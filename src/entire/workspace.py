"""One repository with Entire in it: the library's front room. Every face and every library user starts here.

Reading writes nothing, also where the repository cannot be written.
"""

from __future__ import annotations

import os
import time

from entire import files, layout, log, settings
from entire.agents import capabilities, conversation, registry
from entire.errors import EntireError, NotARepositoryError, NotEnabledError
from entire.git import history, hooks, read
from entire.githooks import install
from entire.model import ids, requests, trailers, views
from entire.model.records import SessionRecord, usage_from_json
from entire.model.times import parse_time
from entire.model.transcripts import Position, Prompt
from entire.model.value import replace
from entire.store import browse, checkpoints, lineage_file, sessions
from entire.store.journal import Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from entire.git.history import Logged
    from entire.layout import Place
    from entire.lifecycle.context import Context
    from entire.model.session import Session
    from entire.rewind.plan import Rewind
    from entire.store.checkpoints import Checkpoint, Slot, Task
    from entire.store.lineage_file import FileLines, LineageFile


class Workspace:
    """A work tree and what is kept of the sessions in it."""

    def __init__(self, place: Place, *, now: Callable[[], float] = time.time) -> None:
        self.place = place
        self._now = now
        self._forget()

    def _forget(self) -> None:
        """Read everything again the next time."""
        self.settings = settings.load(self.place)
        self._tips: Mapping[str, str] | None = None
        self._stored_sessions: Mapping[str, tuple[str, ...]] | None = None

    def __repr__(self) -> str:
        return f"Workspace({self.place.top!r})"

    @classmethod
    def find(cls, path: str | os.PathLike[str] | None = None) -> Workspace:
        """Return the workspace that contains a path (the current directory); raises NotARepositoryError elsewhere."""
        if path is None:
            return cls(layout.here())
        place = layout.find(os.fspath(path))
        if place is None:
            raise NotARepositoryError(f"{os.fspath(path)} is in no git work tree", hint="run `git init` there first")
        return cls(place)

    @property
    def branch(self) -> str:
        """The branch that is checked out, '' when HEAD is detached."""
        return history.branch(self.place.top)

    @property
    def pager(self) -> str:
        """The pager that git uses here."""
        return history.pager(self.place.top)

    # ------------------------------------------------------------ sessions

    def sessions(self) -> list[views.SessionView]:
        """Return the sessions that are remembered, the one seen last first."""
        return [_session_view(state, self.place) for state in sessions.list_states(self.place)]

    def session_id(self, prefix: str) -> str:
        """Return the id of the session that begins so, from the states and the checkpoints; '' if there is none."""
        known = sessions.ids(self.place)
        found = [one for one in known if one.startswith(prefix)]
        if not found:
            stored = {one for some in self.sessions_by_checkpoint.values() for one in some}
            found = sorted(one for one in stored if one.startswith(prefix))
        if len(found) > 1 and prefix not in found:
            raise EntireError(f"several sessions begin with {prefix!r}", hint="for example " + ", ".join(found[:4]))
        return (prefix if prefix in found else found[0]) if found else ""

    # ------------------------------------------------------------ commits

    def commit(self, name: str) -> views.CommitView:
        """Return a commit by any name that git understands; raises EntireError if it is none."""
        oid = history.resolve(self.place.top, name)
        found = history.show(self.place.top, [oid]) if oid else []
        if not found:
            raise EntireError(f"commit not found: {name}")
        return _commit_view(found[0])

    def has_commit(self, name: str) -> bool:
        """Tell whether git knows a commit by that name."""
        return bool(history.resolve(self.place.top, name))

    def reason(self, commit: str) -> str:
        """Return why a commit near a living session was not linked, '' if nothing is recorded."""
        reasons = (one for one in Journal(self.place).reasons if one.get("commit") == commit)
        return next((str(one.get("reason", "")) for one in reasons), "")

    def linked_commits(self, *, everywhere: bool = False) -> list[views.CommitView]:
        """Return the commits with a checkpoint's id, newest first: of this branch, or of all branches and tags."""
        start = "" if everywhere else "HEAD"
        found = [_commit_view(one) for one in history.containing(self.place.top, trailers.CHECKPOINT, start=start)]
        return [one for one in found if one.checkpoint_ids or one.foreign_ids]

    # ------------------------------------------------------------ checkpoints

    @property
    def tips(self) -> Mapping[str, str]:
        """The checkpoints branches, the local one first."""
        if self._tips is None:
            self._tips = checkpoints.tips(self.place.top)
        return self._tips

    def checkpoints(self, limit: int = 20, *, session_id: str = "") -> list[views.ListedView]:
        """Return the checkpoints of this branch's commits, newest first; ``limit`` 0 returns all of them.

        A trailer whose checkpoint does not exist is in the list too, with ``is_stored`` false.
        """
        return self.listing(limit, session_id=session_id)[0]

    def listing(self, limit: int = 20, *, session_id: str = "") -> tuple[list[views.ListedView], int]:
        """Return the newest of this branch's checkpoints, and how many there are in all."""
        by_id: dict[str, list[views.CommitView]] = {}
        for commit in self.linked_commits():
            for one in (*commit.checkpoint_ids, *commit.foreign_ids):
                by_id.setdefault(one, []).append(commit)
        wanted = list(by_id)
        if session_id:
            wanted = [name for name in wanted if session_id in self.sessions_by_checkpoint.get(name, ())]
        shown = wanted[:limit] if limit > 0 else wanted
        stored = browse.listed(self.place.top, list(self.tips.values()), shown)
        out = [replace(stored.get(name, views.ListedView(id=name)), commits=tuple(by_id[name])) for name in shown]
        return out, len(wanted)

    @property
    def sessions_by_checkpoint(self) -> Mapping[str, tuple[str, ...]]:
        """The sessions of every stored checkpoint, by checkpoint id."""
        if self._stored_sessions is None:
            self._stored_sessions = browse.session_ids(self.place.top, list(self.tips.values()))
        return self._stored_sessions

    def has_checkpoint(self, checkpoint_id: str) -> bool:
        """Tell whether a checkpoint is stored, by its whole id."""
        return checkpoint_id in browse.listed(self.place.top, list(self.tips.values()), [checkpoint_id])

    def checkpoint(self, prefix: str) -> views.CheckpointView:
        """Return a checkpoint by its id or the beginning of it; raises EntireError if there is none, or several."""
        with read.Objects(self.place.top) as objects:
            found = self._find(objects, prefix)
            own = lineage_file.read(objects, found)
            parts = tuple(self._part(objects, slot, own) for slot in found.slots)
            tasks = tuple(_task_view(task) for task in checkpoints.tasks(objects, found))
        everywhere = history.containing(self.place.top, found.id)
        commits = tuple(view for one in everywhere if found.id in (view := _commit_view(one)).checkpoint_ids)
        return _checkpoint_view(found, parts, tasks, commits, own)

    def checkpoint_ids(self) -> list[str]:
        """Return the ids of all stored checkpoints, also those of other branches, in order of id."""
        return [one.id for one in checkpoints.list_all(self.place.top, list(self.tips.values()))]

    def transcript(self, checkpoint: views.CheckpointView | str, session_id: str = "") -> bytes:
        """Return a stored transcript as the agent wrote it, secrets removed: the latest session's, or a named one's."""
        wanted = checkpoint if isinstance(checkpoint, str) else checkpoint.id
        with read.Objects(self.place.top) as objects:
            found = self._find(objects, wanted)
            slot = found.slot_of(session_id) if session_id else found.latest
            return checkpoints.transcript(objects, slot) if slot is not None else b""

    def _find(self, objects: read.Objects, prefix: str) -> Checkpoint:
        candidates = [prefix]
        if len(prefix) < 12:
            candidates = [one for one in self.checkpoint_ids() if one.startswith(prefix)] if prefix else []
        if len(candidates) > 1:
            raise EntireError(
                f"several checkpoints begin with {prefix!r}", hint="for example " + ", ".join(candidates[:4])
            )
        try:
            exact = ids.CheckpointId(candidates[0]) if candidates else None
        except ValueError:
            exact = None
        found = checkpoints.read(objects, list(self.tips.values()), exact) if exact is not None else None
        if found is None:
            raise EntireError(f"checkpoint not found: {prefix}", hint="`entire explain` lists those of this branch")
        return found

    def _part(self, objects: read.Objects, slot: Slot, own: LineageFile | None) -> views.PartView:
        record = slot.record or _NO_RECORD
        turns = _turns_in(own, record.session_id)
        start = record.checkpoint_transcript_start
        return views.PartView(
            slot=slot.number,
            session_id=record.session_id,
            agent=record.agent,
            created=parse_time(record.created_at),
            branch=record.branch,
            start=start,
            prompts=_with_turns(self._prompts(objects, slot, record.agent, start), turns),
            files=record.files_touched,
            tokens=record.token_usage,
            lines=record.initial_attribution,
            summary=record.summary,
            steps=record.checkpoints_count,
        )

    def _prompts(self, objects: read.Objects, slot: Slot, agent_type: str, start: int) -> list[Prompt]:
        """Return the prompts of a checkpoint's own part: from its transcript; without one, all that were stored."""
        data = checkpoints.transcript(objects, slot)
        if not data:
            return [Prompt(text=one, position=-1) for one in checkpoints.prompts(objects, slot)]
        agent = registry.make_by_type(agent_type)
        analyzer = capabilities.transcript_analyzer(agent) if agent is not None else None
        if analyzer is None:
            said = conversation.read(data, start)
            return [Prompt(text=one.text, position=one.at) for one in said if one.who == conversation.USER]
        import tempfile

        with tempfile.TemporaryDirectory(prefix="entire-") as folder:
            path = os.path.join(folder, "session.jsonl")
            files.write(path, data, mode=0o600)
            return analyzer.prompts(path, Position(count=start))

    # ------------------------------------------------------------ back to a point

    def points(self, limit: int = 100, *, session_id: str = "") -> list[views.PointView]:
        """Return the points of this branch that one can go back to, newest first; ``limit`` 0 returns all of them.

        A subagent's steps follow the point that they belong to.
        """
        from entire.rewind.points import Points

        context = self._context()
        try:
            return Points(context).find(limit=limit, session_id=session_id)
        finally:
            context.close()

    def rewind(
        self, point: str, *, paths: Sequence[str] = (), session_id: str = "", logs_only: bool = False,
        files_only: bool = False, keep_mine: bool = False, reset: bool = False,
    ) -> Rewind:  # fmt: skip
        """Plan to go back to a point, by its id or the beginning of it. Nothing changes before ``carry_out``.

        ``paths`` (relative to the top): only these files; ``session_id``: only what this session did since;
        ``logs_only`` and ``files_only``: the conversation, or the files, alone; ``keep_mine``: merge what a person
        changed since; ``reset``: move the branch to a checkpoint's commit. Use it as a context manager.
        """
        from entire.rewind import plan
        from entire.rewind.files import RewindRequest

        request = RewindRequest(paths=tuple(paths), session_id=session_id, logs_only=logs_only, files_only=files_only,
                    keep_mine=keep_mine, reset=reset)  # fmt: skip
        return self._planned(lambda context: plan.plan(context, point, request))

    def undo(self, name: str = "") -> Rewind:
        """Plan to take back the last rewind, or all back to the one with that undo point; undo it to repeat it."""
        from entire.rewind import plan

        return self._planned(lambda context: plan.undo(context, name))

    def undo_points(self) -> list[views.UndoView]:
        """Return what rewinds saved before they changed anything, newest first."""
        from entire.rewind import plan

        return [
            views.UndoView(id=one.id, time=one.time, title=one.title, files=one.paths,
                           session_ids=tuple(one.notes.get("sessions", ())))
            for one in plan.undo_points(self._context())
        ]  # fmt: skip

    def _planned(self, make: Callable[[Context], Rewind]) -> Rewind:
        if self.settings is None:
            raise NotEnabledError("Entire was never enabled here: there is no point to go back to",
                                  hint="`entire enable` starts keeping sessions")  # fmt: skip
        context = self._context()
        try:
            return make(context)
        except BaseException:
            context.close()
            raise

    def _context(self) -> Context:
        from entire.lifecycle.context import Context

        return Context(self.place, self.settings or settings.Settings(enabled=False))

    # ------------------------------------------------------------ status

    def status(self) -> views.StatusView:
        """Return how this worktree stands."""
        found = self.settings or settings.Settings(enabled=False)
        paths = (self.place.settings, self.place.main_local_settings, self.place.local_settings)
        return views.StatusView(
            enabled=found.enabled,
            is_set_up=self.settings is not None,
            strategy=found.strategy,
            branch=self.branch,
            top=self.place.top,
            push_sessions=found.push_sessions,
            sessions=tuple(self.sessions()),
            unlinked=tuple(self._unlinked()),
            hooks=tuple(self._hooks()),
            checkpoints=len(self.checkpoint_ids()),
            unpushed=self._unpushed(),
            settings_files=tuple(path for path in paths if path and os.path.isfile(path)),
            warnings=(*found.warnings, *registry.problems()),
            failures=log.failures(self.place.log),
        )

    def _unlinked(self) -> list[views.UnlinkedView]:
        """Return the commits near a living session that were not linked and are still there, newest first."""
        reasons = {str(one.get("commit", "")): one for one in Journal(self.place).reasons}
        out = []
        for commit in history.show(self.place.top, [oid for oid in reasons if oid]):
            one = reasons[commit.oid]
            out.append(views.UnlinkedView(commit=commit.oid, subject=commit.subject, reason=str(one.get("reason", "")),
                                          time=commit.time))  # fmt: skip
        return out[::-1]

    def _hooks(self) -> list[views.HookView]:
        return [_git_hooks(self.place), *_agent_hooks(self.place)]

    def _unpushed(self) -> dict[str, int]:
        """Return, for each remote, how many commits of the checkpoints branch it lacks, as far as is known here."""
        if checkpoints.LOCAL_REF not in self.tips:
            return {}
        missing = {}
        for remote in history.remotes(self.place.top):
            ref = f"refs/remotes/{remote}/{layout.METADATA_BRANCH}"
            known = [f"^{self.tips[ref]}"] if ref in self.tips else []
            number = history.count(self.place.top, self.tips[checkpoints.LOCAL_REF], *known)
            if number:
                missing[remote] = number
        return missing

    # ------------------------------------------------------------ setting up

    def agents(self, *, user: bool = False) -> list[views.AgentView]:
        """Return the agents that are known here; with ``user``, with the state of their hooks for all repositories."""
        from entire.maintenance import setup

        return setup.agents(self.place, user=user)

    def check_enable(self, request: requests.EnableRequest) -> None:
        """Raise UsageError if ``enable`` would refuse a request."""
        from entire.maintenance import setup

        setup.check(request)

    def enable(self, request: requests.EnableRequest | None = None) -> views.EnableView:
        """Start keeping sessions; raises UsageError, before anything is written, if the request cannot be met."""
        from entire.maintenance import setup

        try:
            return setup.enable(self.place, request or requests.EnableRequest())
        finally:
            self._forget()

    def add_hook_lines(self) -> tuple[views.HookLineView, ...]:
        """Add the lines that hook files lack, as ``enable`` returned them; return them with what was done.

        A hook file that is no shell script is left alone.
        """
        from entire.maintenance import setup

        return setup.add_hook_lines(self.place)

    def disable(self, request: requests.DisableRequest | None = None) -> views.DisableView:
        """Stop keeping sessions; hooks stay and do nothing."""
        from entire.maintenance import setup

        try:
            return setup.disable(self.place, request or requests.DisableRequest())
        finally:
            self._forget()

    def uninstall(self, request: requests.UninstallRequest) -> views.UninstallView:
        """Remove hooks, settings, session states and steps. Checkpoints stay. This cannot be undone."""
        from entire.maintenance import uninstall

        try:
            return uninstall.uninstall(self.place, request)
        finally:
            self._forget()

    def uncommitted_sessions(self) -> list[views.SessionView]:
        """Return the sessions with steps that no commit holds yet: what ``uninstall`` would lose."""
        return [one for one in self.sessions() if one.steps and one.open_files]

    # ------------------------------------------------------------ looking after it

    def doctor(self, request: requests.DoctorRequest | None = None) -> views.DoctorView:
        """Return the problems found here; with ``fix``, repair them and return what was repaired and what is left."""
        from entire.maintenance import doctor

        try:
            return doctor.diagnose(self.place, request or requests.DoctorRequest(), now=self._now)
        finally:
            self._forget()

    def clean(self, request: requests.CleanRequest) -> views.CleanView:
        """Remove data that is no longer used, or with ``dry_run`` only return it."""
        from entire.maintenance import clean

        return clean.clean(self.place, request, now=self._now())

    def undo_clean(self) -> views.UndoneView:
        """Bring back what the last ``clean`` removed; undo points themselves do not come back."""
        from entire.maintenance import clean

        return clean.undo(self.place, now=self._now())

    def reset(self, request: requests.ResetRequest) -> views.ResetView:
        """Forget the steps on HEAD and the sessions on them, or with ``dry_run`` only return them.

        Raises EntireError while a turn is in progress (unless forced), and while a commit is being made.
        """
        from entire.maintenance import reset

        return reset.reset(self.place, request, now=self._now())

    def undo_reset(self) -> views.UndoneView:
        """Bring back what the last ``reset`` forgot; raises EntireError if one of its sessions went on since."""
        from entire.maintenance import reset

        return reset.undo(self.place, now=self._now())


_NO_RECORD = SessionRecord(checkpoint_id="", session_id="", strategy="", created_at="")


def _git_hooks(place: Place) -> views.HookView:
    try:
        problems = install.health(place.top)
        where = hooks.folder(place.top).path
    except EntireError as error:
        problems, where = [error.message], ""
    return views.HookView(name="git", where=where, is_installed=not problems, problem="; ".join(problems))


def _agent_hooks(place: Place) -> list[views.HookView]:
    """Return where hooks of agents are; an agent without any is not mentioned, one with a part of them is."""
    problem = "entries are missing, or not as this version writes them"
    return [
        views.HookView(name=one.agent_type, where=one.path, is_installed=one.is_whole,
                       problem="" if one.is_whole else problem)
        for one in registry.installed(place.top)
    ]  # fmt: skip


def _session_view(state: Session, place: Place) -> views.SessionView:
    return views.SessionView(
        session_id=state.session_id,
        agent=state.agent_type,
        phase=state.phase.value,
        worktree=state.worktree_path,
        is_here=state.worktree_name == place.worktree_name,
        base_commit=state.base_commit,
        started=state.started,
        ended=state.ended,
        last_seen=state.last_seen,
        steps=state.steps,
        open_files=tuple(state.open_files),
        last_checkpoint=state.last_checkpoint,
        first_prompt=state.first_prompt,
        model=state.model,
    )


def _commit_view(commit: Logged) -> views.CommitView:
    return views.CommitView(
        oid=commit.oid,
        subject=commit.subject,
        author=commit.author,
        time=commit.time,
        checkpoint_ids=tuple(trailers.checkpoint_ids(commit.message)),
        foreign_ids=tuple(trailers.ulid_ids(commit.message)),
    )


def _task_view(task: Task) -> views.TaskView:
    return views.TaskView(tool_use_id=task.tool_use_id, agent_id=task.agent_id, session_id=task.session_id,
                          has_transcript=bool(task.transcripts), notes=len(task.increments))  # fmt: skip


def _checkpoint_view(
    found: Checkpoint, parts: tuple[views.PartView, ...], tasks: tuple[views.TaskView, ...],
    commits: tuple[views.CommitView, ...], own: LineageFile | None,
) -> views.CheckpointView:  # fmt: skip
    summary = found.summary
    return views.CheckpointView(
        id=found.id,
        strategy=summary.strategy,
        branch=summary.branch or next((part.branch for part in parts if part.branch), ""),
        created=max((part.created for part in parts), default=0.0),
        files=summary.files_touched or tuple(sorted({path for part in parts for path in part.files})),
        tokens=summary.token_usage,
        parts=parts,
        commits=commits,
        tasks=tasks,
        problems=found.problems,
        lines=tuple(_file_view(path, one) for path, one in own.files.items()) if own is not None else None,
        recorded_commits=tuple(one.commit for one in own.commits) if own is not None else (),
    )


def _turns_in(own: LineageFile | None, session_id: str) -> list[Mapping[str, object]]:
    """Return a session's turns from our record, which may come from anywhere: no shape is taken for granted."""
    turns = own.turns if own is not None else None
    found = turns.get(session_id) if isinstance(turns, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _with_turns(prompts: Sequence[Prompt], turns: Sequence[Mapping[str, object]]) -> tuple[views.PromptView, ...]:
    """Join prompts with what our record says of their turns."""
    told = _turns_of(prompts, turns)
    return tuple(
        views.PromptView(
            text=prompt.text,
            position=prompt.position,
            turn=str(told.get(number, {}).get("turn", "")),
            model=str(told.get(number, {}).get("model", "")),
            tokens=usage_from_json(told.get(number, {}).get("token_usage")),
        )
        for number, prompt in enumerate(prompts)
    )


def _turns_of(prompts: Sequence[Prompt], turns: Sequence[Mapping[str, object]]) -> dict[int, Mapping[str, object]]:
    """Return the turns by number of their prompt: the first one between a turn's position and the next turn's."""
    known = [(at, one) for one in turns if isinstance(at := one.get("prompt_position"), int)]
    known.sort(key=lambda pair: pair[0])
    found: dict[int, Mapping[str, object]] = {}
    for number, (start, turn) in enumerate(known):
        end = known[number + 1][0] if number + 1 < len(known) else None
        inside = [n for n, one in enumerate(prompts) if one.position >= start and (end is None or one.position < end)]
        if inside:
            found[inside[0]] = turn
    return found


def _file_view(path: str, lines: FileLines) -> views.FileView:
    session_id, turn = _owner(lines.made_by)
    return views.FileView(
        path=path,
        status=str(lines.status),
        added=tuple(_range_view(first, last, who) for first, last, who in lines.added),
        removed=tuple(_removed_view(who, count) for who, count in _counts(lines.removed)),
        session_id=session_id,
        turn=turn,
        old_path=str(lines.old_path),
        is_binary=bool(lines.binary),
    )


def _counts(given: object) -> list[tuple[str, int]]:
    return [(who, one) for who, one in given.items() if isinstance(one, int)] if isinstance(given, dict) else []


def _range_view(first: int, last: int, who: str) -> views.RangeView:
    session_id, turn = _owner(who)
    return views.RangeView(first=first, last=last, session_id=session_id, turn=turn)


def _removed_view(who: str, count: int) -> views.RemovedView:
    session_id, turn = _owner(who)
    return views.RemovedView(count=count, session_id=session_id, turn=turn)


def _owner(who: object) -> tuple[str, str]:
    """Split ``session/turn``; people have neither."""
    session_id, slash, turn = str(who).rpartition("/")
    return (session_id, turn) if slash else ("", "")
