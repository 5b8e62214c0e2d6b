"""The history of commits with what their checkpoints say: the rows of ``log``, read and answered in batches."""

from __future__ import annotations

from entire.directory import AgentDirectory
from entire.errors import EntireError, GitError, PartialCloneError
from entire.git import bulk, history, log_stream, read
from entire.model import records, tokens
from entire.model.histories import LogRequest, LogRow
from entire.model.reasons import by_hand
from entire.model.value import replace
from entire.queries import agent_names, line_owners, merges, time_arguments, turns
from entire.store import journal, lineage_file, listed_sessions
from entire.store.links import CheckpointLinks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from entire.git.log_stream import LoggedChange
    from entire.model.histories import MergedView
    from entire.model.ids import CheckpointId
    from entire.model.tokens import TokenUsage
    from entire.store.catalog import Catalog
    from entire.store.links import Linked
    from entire.store.listed_sessions import ListedCheckpoint, ListedSession

    Stored = Mapping[CheckpointId, ListedCheckpoint]


def rows(catalog: Catalog, request: LogRequest) -> Generator[LogRow]:
    """Yield the rows of a request, newest first; close the iterator to stop early.

    Raises EntireError if git does not understand the request, or if there are no rows because the session or agent is
    not known here. A repository without commits has no rows.
    """
    where = request.folder or catalog.place.top
    for given in (request.since, request.until):
        time_arguments.moment(where, given)  # git takes what it does not understand for now
    reasons = journal.reasons_everywhere(catalog.place)
    count, listed = 0, set[str]()
    with read.Objects(catalog.place.top) as objects:
        links = CheckpointLinks(catalog.place.top, objects, catalog.commits)
        sessions = listed_sessions.ListedSessionReader(catalog.place.top, objects, catalog.commits)
        shallow = log_stream.ends_of_shallow_clone(catalog.place.common_dir)
        for batch in _batches(where, request):
            linked = links.linked(replace(commit, files=None) if commit.oid in shallow else commit for commit in batch)
            stored = sessions.read([checkpoint_id for one in linked for checkpoint_id in one.checkpoint_ids])
            days = catalog.forgotten_days([name for one in linked for name in one.checkpoint_ids if name not in stored])
            for row in _rows(catalog.place.top, linked, stored, request, reasons):
                yield replace(row, forgotten={name: days[name] for name in row.missing if name in days})
                count += 1
                listed.update((*row.checkpoint_ids, *row.missing))
                if 0 < request.limit <= count and len(listed) >= request.checkpoints:
                    return
    if not count:
        _check_names(catalog, request)


def forgotten(catalog: Catalog, limit: int) -> Iterator[tuple[str, str, str]]:
    """Yield the commits of this branch whose checkpoint was forgotten, with its id and on which day."""
    if catalog.has_forgotten:
        for row in rows(catalog, LogRequest(limit=limit)):
            yield from ((row.oid, name, day) for name, day in row.forgotten.items())


def _check_names(catalog: Catalog, request: LogRequest) -> None:
    """Raise EntireError if a request names a session or agent that is not known here."""
    if request.session_id and not any(name.startswith(request.session_id) for name in catalog.session_ids):
        raise catalog.unknown_session(request.session_id)
    if request.agent:
        agent_names.check(request.agent)


def _batches(where: str, request: LogRequest) -> Iterator[list[LoggedChange]]:
    batches = log_stream.batches(
        where, request.revisions or (() if request.everywhere else ("HEAD",)), request.paths, _options(request),
        sizes=not bulk.fetches_missing(where),
    )  # fmt: skip
    try:
        yield from batches
    except PartialCloneError:
        raise
    except GitError as error:
        if not request.revisions and not history.resolve(where, "HEAD"):  # no commit yet
            return
        message = error.stderr.strip().partition("\n")[0].removeprefix("fatal: ")
        hint = "give a range or a branch, and paths after --: entire log main..HEAD -- src"
        raise EntireError(f"git cannot list these commits: {message}", hint=hint) from error


def _options(request: LogRequest) -> list[str]:
    options = ["--fixed-strings", "--regexp-ignore-case", f"--author={request.author}"] if request.author else []
    options += [f"--since={history.dated(request.since)}"] if request.since else []
    options += [f"--until={history.dated(request.until)}"] if request.until else []
    is_counted_by_git = not (request.agent or request.session_id or request.checkpoints)
    if request.limit and is_counted_by_git:
        options.append(f"--max-count={request.limit}")
    return [*options, *history.everywhere()] if request.everywhere else options


def _rows(
    top: str, batch: Sequence[Linked], stored: Stored, request: LogRequest, reasons: Mapping[str, str]
) -> Iterator[LogRow]:
    wanted = _wanted_agents(request.agent)
    order = [linked.commit for linked in batch]
    for at, linked in enumerate(batch):
        listed = [stored[name] for name in linked.checkpoint_ids if name in stored]
        if _matches(listed, wanted, request.session_id):
            yield _row(linked, listed, stored, reasons, merges.of(top, order, at), with_lines=request.with_lines)


def _wanted_agents(name: str) -> frozenset[str]:
    if not name:
        return frozenset()
    return frozenset(map(agent_names.folded, (name, AgentDirectory.without_plugins().describe(name).type)))


def _matches(listed: Iterable[ListedCheckpoint], agents: frozenset[str], session_id: str) -> bool:
    """Tell whether a commit has a session of the agent and with the id that were asked for."""
    if not (agents or session_id):
        return True
    return any(
        (not agents or agent_names.folded(_text(session, "agent")) in agents)
        and _text(session, "session_id").startswith(session_id)
        for checkpoint in listed
        for session in checkpoint.sessions
    )


# ---------------------------------------------------------------- a row


def _row(
    linked: Linked, listed: Sequence[ListedCheckpoint], stored: Stored,
    reasons: Mapping[str, str], merged: tuple[MergedView, ...], *, with_lines: bool,
) -> LogRow:  # fmt: skip
    commit = linked.commit
    files = commit.files if isinstance(commit, log_stream.LoggedChange) and not merged else None
    sessions = [session for checkpoint in listed for session in checkpoint.sessions]
    return LogRow(
        oid=commit.oid,
        subject=commit.subject,
        author=commit.author,
        time=commit.time,
        prompt=next(filter(None, (_prompt(session, checkpoint) for checkpoint in listed
                                  for session in checkpoint.sessions)), ""),
        agents=tuple(dict.fromkeys(filter(None, (_text(session, "agent") for session in sessions)))),
        session_ids=tuple(dict.fromkeys(filter(None, (_text(session, "session_id") for session in sessions)))),
        checkpoint_ids=linked.checkpoint_ids,
        missing=(*linked.foreign_ids, *(name for name in linked.checkpoint_ids if name not in stored)),
        files=len(files) if files is not None else None,
        added=sum(max(added, 0) for _, added, _ in files) if files is not None else None,
        removed=sum(max(removed, 0) for _, _, removed in files) if files is not None else None,
        tokens=_sum([_tokens(session, checkpoint) for checkpoint in listed for session in checkpoint.sessions]),
        reason="" if linked.checkpoint_ids else by_hand(linked.unlinked_ids) or reasons.get(commit.oid, ""),
        merged=merged,
        lines=line_owners.of_commit(linked, listed) if with_lines and not merged else None,
    )  # fmt: skip


def _prompt(session: ListedSession, checkpoint: ListedCheckpoint) -> str:
    start = records.transcript_start(session.record)
    is_clear = not start or len(session.prompts) < 2  # without looking into the lineage
    recorded = () if is_clear else turns.in_record(checkpoint.own, _text(session, "session_id"))
    return turns.first_prompt(recorded, session.prompts, start)


def _tokens(session: ListedSession, checkpoint: ListedCheckpoint) -> TokenUsage | None:
    if b'"unknown_tokens"' in checkpoint.lineage:
        return lineage_file.tokens(checkpoint.own, records.SessionRecord.from_json(session.record))
    return tokens.usage_from_json(session.record.get("token_usage"))


def _sum(usages: Sequence[TokenUsage | None]) -> TokenUsage | None:
    if len(usages) < 2:
        return usages[0] if usages else None
    return tokens.total(usages)


def _text(session: ListedSession, key: str) -> str:
    text = session.record.get(key)
    return text if isinstance(text, str) else ""
