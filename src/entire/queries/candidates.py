"""Names to complete: commits, checkpoints, sessions, turns, branches, agents and plugins, each with a few words.

A shell asks while a person types: a bounded part of the history is read, nothing is written, and no plugin is started.
"""

from __future__ import annotations

from entire.audit import verdicts
from entire.directory import AgentDirectory
from entire.git import bulk, history, read
from entire.model.candidates import Candidate
from entire.model.ids import CheckpointId, is_session_id
from entire.store import checkpoint_listing, checkpoints, sessions, turnlog
from entire.store.catalog import Catalog
from entire.store.links import CheckpointLinks
from entire.store.steps import SEPARATOR
from entire.undo import changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from entire.layout import Place
    from entire.model.session import Session
    from entire.store.links import Linked

_RECENT = 100  # commits
_MOST = 50  # of anything that takes a read of its own to describe
_SHORT = 10  # characters of a commit's id


# ---------------------------------------------------------------- in a repository


def commits(place: Place, start: str) -> Iterator[Candidate]:
    """Yield the newest commits of HEAD, with their subjects."""
    for commit in history.newest(place.top, _RECENT):
        yield Candidate(name=commit.oid[: max(_SHORT, len(start))], about=commit.subject)


def checkpoints_of(place: Place, start: str) -> Iterator[Candidate]:
    """Yield the checkpoints of the newest commits with those commits' subjects; then, with the beginning of an id, any
    stored one with its first prompt.
    """
    tips = list(checkpoints.tips(place.top).values())
    linked = _linked(place, tips)
    subjects = {name: linked_commit.commit.subject for linked_commit in linked for name in linked_commit.checkpoint_ids}
    yield from (Candidate(name=name, about=subject) for name, subject in subjects.items())
    if start:
        stored = [listed.id for listed in checkpoints.list_all(place.top, tips) if listed.id.startswith(start)]
        others = [name for name in stored if name not in subjects][:_MOST]
        prompts = _first_prompts(place, tips, others)
        yield from (Candidate(name=name, about=prompts.get(name, "")) for name in others)


def sessions_of(place: Place, start: str) -> Iterator[Candidate]:
    """Yield the sessions of this repository, the last seen first, then those of the newest commits' checkpoints."""
    known = _states(place, start)
    yield from (Candidate(name=state.session_id, about=state.first_prompt) for state in known)
    tips = list(checkpoints.tips(place.top).values())
    names = [name for linked_commit in _linked(place, tips) for name in linked_commit.checkpoint_ids][:_MOST]
    listed = checkpoint_listing.listed(place.top, tips, names)
    prompts = _first_prompts(place, tips, names)
    seen = {state.session_id for state in known}
    for name in dict.fromkeys(names):
        for session_id in listed[name].session_ids[:1] if name in listed else ():  # whose prompts those are
            if session_id not in seen and is_session_id(session_id):
                seen.add(session_id)
                yield Candidate(name=session_id, about=prompts.get(name, ""))


def turns(place: Place, start: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Yield the turns of the sessions last seen, newest first, with their prompts."""
    notes = [note for state in sessions.recent(place, _MOST) for note in turnlog.read(place, state.session_id)]
    prompts = {note.turn: note.prompt for note in sorted(notes, key=lambda note: -note.time)}
    yield from (Candidate(name=turn, about=prompt) for turn, prompt in prompts.items())


def prompts(place: Place, start: str) -> Iterator[Candidate]:
    """Yield the prompts of the session that ``start`` names before a slash, as ``SESSION/N``."""
    prefix, slash, _ = start.partition("/")
    named = [name for name in sessions.ids(place) if slash and prefix and name.startswith(prefix)]
    notes = turnlog.read(place, named[0]) if len(named) == 1 else []
    yield from (Candidate(name=f"{prefix}/{number}", about=note.prompt) for number, note in enumerate(notes, 1))


def branches(place: Place, start: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Yield the local branches and tags, except our own."""
    yield from (Candidate(name=name, about=kind) for name, kind in Catalog(place).branches.items())


def _states(place: Place, start: str) -> list[Session]:
    if not start:
        return sessions.recent(place, _MOST)
    named = [name for name in sessions.ids(place) if name.startswith(start)][:_MOST]
    states = [state for state in (sessions.find(place, name) for name in named) if state is not None]
    return sorted(states, key=lambda state: -state.times.last_seen)


def _linked(place: Place, tips: Sequence[str]) -> list[Linked]:
    with read.Objects(place.top) as objects:
        newest = CheckpointLinks(place.top, objects, tips).linked(history.newest(place.top, _RECENT))
    return [linked for linked in newest if linked.checkpoint_ids]


def _first_prompts(place: Place, tips: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Return the first prompt of each checkpoint's first session, with one git process."""
    paths = [(name, f"{tip}:{CheckpointId(name).path}/0/prompt.txt") for name in names for tip in reversed(tips)]
    blobs = bulk.get(place.top, [path for _, path in paths]) if paths else ()
    by_name = {}
    for (name, _), blob in zip(paths, blobs, strict=True):
        if blob is not None:
            by_name[name] = blob.data.decode("utf-8", "replace").partition(SEPARATOR)[0]
    return by_name


# ---------------------------------------------------------------- anywhere


def agents(place: Place | None, start: str) -> Iterator[Candidate]:
    """Yield the agents, and the plugins that would be asked what they are."""
    known = AgentDirectory.without_plugins()
    yield from (Candidate(name=entry.name, about=entry.description) for entry in known.entries())
    yield from plugins_of(place, start)


def plugins_of(place: Place | None, start: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Yield the plugins on PATH."""
    with AgentDirectory.with_plugins(place) as agents:
        usable = [executable for executable in agents.plugins.find_all() if not executable.problem]
    yield from (Candidate(name=executable.name, about=f"plugin {executable.path}") for executable in usable)


def findings(place: Place, start: str) -> Iterator[Candidate]:
    """Yield the secrets that the last audit found, by their digests."""
    for digest, verdict in verdicts.remembered(place).items():
        if digest.startswith(start):
            yield Candidate(name=digest, about=f"{verdict.rule} {verdict.mask}")


def changes_of(place: Place, start: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Yield the changes that can be undone now."""
    for change in changes.of(place):
        if change.can_undo:
            yield Candidate(name=change.id, about=change.title)


KINDS: dict[str, Callable[[Place, str], Iterator[Candidate]]] = {
    "branch": branches,
    "change": changes_of,
    "checkpoint": checkpoints_of,
    "commit": commits,
    "finding": findings,
    "prompt": prompts,
    "session": sessions_of,
    "turn": turns,
}
"""What a repository has, by kind."""
ANYWHERE: dict[str, Callable[[Place | None, str], Iterator[Candidate]]] = {"agent": agents, "plugin": plugins_of}
"""What can be completed outside of repositories, too."""
