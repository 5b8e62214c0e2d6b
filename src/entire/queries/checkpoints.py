"""Checkpoints as views: the list of a branch, and a checkpoint with its sessions, prompts and attribution."""

from __future__ import annotations

from typing import NamedTuple

from entire import contents
from entire.agents import capabilities
from entire.conversation.messages import BY_USER
from entire.conversation.records import Prompt
from entire.errors import EntireError, MissingObjectError, PartialCloneError
from entire.git import bulk, read
from entire.model.ids import CheckpointId, is_checkpoint_id
from entire.model.jsontext import whole
from entire.model.positions import START
from entire.model.records import CheckpointSummary, SessionRecord
from entire.model.times import parse_time
from entire.model.tokens import FIGURES, TokenUsage, of_figures, uncertain, usage_from_json
from entire.model.transcripts import Subagent
from entire.model.turns import NOBODY, Owner
from entire.model.value import replace
from entire.model.views.checkpoints import (
    CheckpointView,
    CommitView,
    ExplanationView,
    FileView,
    ListedView,
    MessageView,
    PartView,
    PromptView,
    RangeView,
    RemovedView,
    TaskView,
)
from entire.queries import commits, turns
from entire.queries.transcripts import subagents
from entire.queries.transcripts.outlines import SlotPrompts
from entire.queries.transcripts.stored_transcripts import StoredTranscripts
from entire.store import checkpoint_listing, checkpoints, lineage_file, stored_contents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from entire.agents.contract import Agent, TranscriptAnalyzer
    from entire.directory import AgentDirectory
    from entire.queries.transcripts.session_transcripts import ReadTranscript
    from entire.store.catalog import Catalog
    from entire.store.checkpoints import Checkpoint, Slot
    from entire.store.lineage_file import FileLines, LineageFile

_LARGE = 16 << 20
"""Bytes of a transcript that is read for its prompts alone: with all that is said in it, it takes much memory."""
_NO_RECORD = SessionRecord(checkpoint_id="", session_id="", strategy="", created_at="")


def listing(
    catalog: Catalog, limit: int, session_id: str = "", *, everywhere: bool = False
) -> tuple[list[ListedView], int]:
    """Return the newest checkpoints of the commits of this branch, or of all branches and tags, and their total number;
    ``limit`` 0 returns all.

    A checkpoint that a trailer names but that does not exist is included, with ``is_stored`` false.
    """
    by_id: dict[str, list[CommitView]] = {}
    for commit in commits.linked(catalog, everywhere=everywhere):
        for name in (*commit.checkpoint_ids, *commit.foreign_ids):
            by_id.setdefault(name, []).append(commit)
    wanted = list(by_id)
    if session_id:
        wanted = [name for name in wanted if session_id in catalog.sessions_by_checkpoint.get(name, ())]
    shown = wanted[:limit] if limit > 0 else wanted
    known = checkpoint_listing.listed(catalog.place.top, catalog.commits, shown)
    out = [replace(known.get(name, ListedView(id=name)), commits=tuple(by_id[name])) for name in shown]
    return out, len(wanted)


def find(catalog: Catalog, prefix: str) -> CheckpointView:
    """Return a checkpoint by its id or id prefix; raises EntireError if there is none, or several."""
    with catalog.shared(StoredTranscripts) as transcripts:
        checkpoint = stored(catalog, transcripts.objects, prefix)
        sketch = _sketch(
            transcripts, checkpoint, commits.of_checkpoint(catalog, checkpoint.id), _gone(catalog, [checkpoint])
        )
        transcripts.expect(checkpoint.slots)
        parts = {slot.number: sketch.part(transcripts, slot) for slot in checkpoint.slots}
        return sketch.view(parts, sketch.tasks(transcripts))


def sketches(catalog: Catalog, transcripts: StoredTranscripts, names: Sequence[str]) -> dict[str, Sketch]:
    """Return those of the checkpoints, by their whole ids, that are stored and readable, without their prompts."""
    readable = [_readable(catalog, transcripts, name) for name in names]
    present = [one for one in readable if one is not None]
    linked = commits.of_checkpoints(catalog, [one.id for one in present])
    gone = _gone(catalog, present)
    return {one.id: _sketch(transcripts, one, linked[one.id], gone) for one in present}


def _readable(catalog: Catalog, transcripts: StoredTranscripts, name: str) -> Checkpoint | None:
    try:
        return stored(catalog, transcripts.objects, name)
    except PartialCloneError:
        raise
    except EntireError:
        return None


def of_commit(catalog: Catalog, name: str) -> ExplanationView:
    """Return a commit, given by any revision that git understands, with its checkpoints."""
    commit = commits.find(catalog, name)
    present = [checkpoint_id for checkpoint_id in commit.checkpoint_ids if catalog.has_checkpoint(checkpoint_id)]
    missing = [*commit.foreign_ids, *(name for name in commit.checkpoint_ids if name not in present)]
    return ExplanationView(
        commit=commit,
        checkpoints=tuple(find(catalog, checkpoint_id) for checkpoint_id in present),
        missing=tuple(missing),
        forgotten=catalog.forgotten_days(missing),
        reason=commits.reason(catalog.place, commit.oid, commit.unlinked_ids) or None,
    )


def transcript(catalog: Catalog, prefix: str, session_id: str = "") -> bytes:
    """Return a stored transcript: the latest session's, or a given one's; b'' if the checkpoint has none."""
    return b"".join(transcript_blocks(catalog, prefix, session_id))


def transcript_blocks(catalog: Catalog, prefix: str, session_id: str = "") -> Iterator[bytes]:
    """Return what ``transcript`` does, block by block. Raises MissingObjectError before the first one."""
    with read.Objects(catalog.place.top) as objects, catalog.agents as agents:
        checkpoint = stored(catalog, objects, prefix)
        slot = checkpoint.slot_of(session_id) if session_id else checkpoint.latest
        return contents.blocks(
            stored_contents.of_slot(objects, slot, _agent(slot, agents)) if slot is not None else b""
        )


def messages(catalog: Catalog, prefix: str, session_id: str = "", start: int = 0) -> list[MessageView]:
    """Return the messages of a stored transcript from record ``start`` on: the latest session's, or a given one's."""
    with catalog.shared(StoredTranscripts) as transcripts:
        checkpoint = stored(catalog, transcripts.objects, prefix)
        slot = checkpoint.slot_of(session_id) if session_id else checkpoint.latest
        if slot is None:
            return []
        read = transcripts.of_slot(slot)
        if not read.is_there:
            raise MissingObjectError(read.problem, hint=read.hint)
        return [message for message in read.since(start) if message.at >= start]


def _agent(slot: Slot, agents: AgentDirectory) -> Agent | None:
    return agents.make_by_type(slot.record.agent) if slot.record is not None else None


def stored(catalog: Catalog, objects: read.Objects, prefix: str) -> Checkpoint:
    """Return a checkpoint as it is stored, by its id or id prefix; raises EntireError if there is none, or several."""
    name = prefix if is_checkpoint_id(prefix) else catalog.checkpoint(prefix)
    checkpoint = catalog.read(objects, CheckpointId(name)) if name else None
    if checkpoint is None:
        raise catalog.forgotten(name or prefix) or EntireError(
            f"checkpoint not found: {prefix}", hint="run `entire explain` to list this branch's checkpoints"
        )
    return checkpoint


def _gone(catalog: Catalog, stored_checkpoints: Iterable[Checkpoint]) -> set[str]:
    """Return the files of sessions, by their ids, that git lacks."""
    oids = [oid for one in stored_checkpoints for slot in one.slots for oid in slot.files.values()]
    return set(bulk.missing(catalog.place.top, oids)) if oids else set()


class Sketch(NamedTuple):
    """A checkpoint as far as it is known without reading transcripts."""

    stored: Checkpoint
    own: LineageFile | None
    frame: CheckpointView  # its parts have no prompts

    def part(self, transcripts: StoredTranscripts, slot: Slot) -> PartView:
        """Return a session's part, with its prompts."""
        read_prompts = _prompts_of(transcripts, slot)
        recorded = turns.in_record(self.own, slot.session_id)
        return replace(
            self.frame_of(slot), prompts=_with_turns(read_prompts.prompts, recorded), left_out=read_prompts.left_out
        )

    def frame_of(self, slot: Slot) -> PartView:
        return next(part for part in self.frame.parts if part.slot == slot.number)

    def tasks(self, transcripts: StoredTranscripts) -> tuple[TaskView, ...]:
        return tuple(_task_views(transcripts, self.stored))

    def view(self, parts: Mapping[int, PartView], tasks: tuple[TaskView, ...]) -> CheckpointView:
        """Return the checkpoint with its parts, by the numbers of their slots."""
        whole = tuple(parts[part.slot] for part in self.frame.parts)
        left_out = (f"session {part.session_id}: {part.left_out}" for part in whole if part.left_out)
        return replace(self.frame, parts=whole, tasks=tasks, problems=(*self.frame.problems, *left_out))


def _sketch(
    transcripts: StoredTranscripts, checkpoint: Checkpoint, linked: tuple[CommitView, ...], gone: Collection[str]
) -> Sketch:
    own = lineage_file.read(transcripts.objects, checkpoint)
    oids = {
        f"{checkpoint.id.path}/{slot.number}/{name}": oid
        for slot in checkpoint.slots
        for name, oid in slot.files.items()
    }
    lost = [checkpoints.missing_object(path, oid) for path, oid in oids.items() if oid in gone]
    problems = (*checkpoint.problems, *(message for message in lost if message not in checkpoint.problems))
    frame = _checkpoint_view(checkpoint, tuple(_frame(slot, own) for slot in checkpoint.slots), linked, own)
    return Sketch(stored=checkpoint, own=own, frame=replace(frame, problems=problems))


# ---------------------------------------------------------------- a session's part


def _frame(slot: Slot, own: LineageFile | None) -> PartView:
    record = slot.record or _NO_RECORD
    return PartView(
        slot=slot.number,
        session_id=record.session_id,
        agent=record.agent,
        created=parse_time(record.created_at),
        branch=record.branch,
        start=record.checkpoint_transcript_start,
        files=record.files_touched,
        tokens=lineage_file.tokens(own, record),
        lines=record.initial_attribution,
        summary=record.summary,
        steps=record.checkpoints_count,
    )


def _prompts_of(transcripts: StoredTranscripts, slot: Slot) -> SlotPrompts:
    known = transcripts.digests.get("prompts", slot.tree)
    if isinstance(known, SlotPrompts) and transcripts.may_keep(slot):
        return known
    transcript = transcripts.of_slot(slot)
    carried = checkpoints.prompts(transcripts.objects, slot)
    start = (slot.record or _NO_RECORD).checkpoint_transcript_start
    slot_prompts = SlotPrompts(
        prompts=tuple(_prompts(carried, transcript, start, transcripts.agent(slot))),
        left_out=transcript.problem if transcript.is_there else "",
    )
    if transcript.is_there and transcripts.may_keep(slot):
        transcripts.digests.put(slot_prompts, "prompts", slot.tree)
    return slot_prompts


def _prompts(stored: Sequence[str], read: ReadTranscript, start: int, agent: Agent | None) -> list[Prompt]:
    """Return the prompts of this checkpoint's part of the transcript; all that are stored, as events carried them, if
    there is no transcript or nothing in it can be read.
    """
    carried = [Prompt(text=prompt, position=-1) for prompt in stored]
    if not read.content:
        return carried
    analyzer = _analyzer(read, agent)
    is_large = len(read.content) > _LARGE and analyzer is not None
    if not is_large and read.state is not None and read.state.is_native:
        read_prompts = read.state.prompts()
    elif analyzer is not None:
        read_prompts = analyzer.prompts(analyzer.at(max(start - read.first, 0)))
    else:
        said = [message for message in read.since(start) if message.who == BY_USER and message.at >= start]
        return [Prompt(text=message.text, position=message.at) for message in said] or carried
    read_prompts = [replace(prompt, position=prompt.position + read.first) for prompt in read_prompts]
    read_prompts = [prompt for prompt in read_prompts if prompt.position >= start]
    if carried and analyzer is not None and carried[-1].text not in [prompt.text for prompt in read_prompts]:
        read_prompts = [*read_prompts, *_not_in(analyzer, carried)]
    return read_prompts


def _analyzer(read: ReadTranscript, agent: Agent | None) -> TranscriptAnalyzer | None:
    return capabilities.transcript_analyzer(agent, agent.transcript("", read.content)) if agent is not None else None


def _not_in(analyzer: TranscriptAnalyzer, carried: Sequence[Prompt]) -> list[Prompt]:
    """Return the prompts that events carried and the transcript does not have: none if it has others."""
    known = [prompt.text for prompt in analyzer.prompts(START)]
    if known != [prompt.text for prompt in carried[: len(known)]]:
        return []
    end = analyzer.end().count  # a plugin's turn is running: its transcript is stored when it can be asked
    return [replace(prompt, position=end) if known else prompt for prompt in carried[len(known) :]]


def _with_turns(prompts: Sequence[Prompt], recorded: Sequence[Mapping[str, object]]) -> tuple[PromptView, ...]:
    """Join prompts with our records of their turns."""
    by_prompt = _turns_of(prompts, recorded)
    return tuple(
        PromptView(
            text=prompt.text,
            position=prompt.position,
            turn=str(by_prompt.get(number, {}).get("turn", "")),
            model=str(by_prompt.get(number, {}).get("model", "")),
            tokens=usage_from_json(by_prompt.get(number, {}).get("token_usage")),
        )
        for number, prompt in enumerate(prompts)
    )


def _turns_of(prompts: Sequence[Prompt], recorded: Sequence[Mapping[str, object]]) -> dict[int, Mapping[str, object]]:
    """Map a prompt's index to its turn: the first prompt between a turn's position and the next turn's.

    If the agent does not tell where its prompts are, they are the turns' in their order.
    """
    known = [(at, turn) for turn in recorded if isinstance(at := turn.get("prompt_position"), int)]
    known.sort(key=lambda pair: pair[0])
    if len({prompt.position for prompt in prompts}) < len(prompts):
        return dict(enumerate(turn for at, turn in known if at >= prompts[0].position))
    by_index: dict[int, Mapping[str, object]] = {}
    for number, (start, turn) in enumerate(known):
        end = known[number + 1][0] if number + 1 < len(known) else None
        later = [n for n, prompt in enumerate(prompts) if prompt.position >= start]
        inside = [n for n in later if end is None or prompts[n].position < end]
        if inside:
            by_index[inside[0]] = turn
    return by_index


# ---------------------------------------------------------------- the checkpoint


def _checkpoint_view(
    checkpoint: Checkpoint, parts: tuple[PartView, ...], linked: tuple[CommitView, ...], own: LineageFile | None
) -> CheckpointView:
    summary = checkpoint.summary
    return CheckpointView(
        id=checkpoint.id,
        strategy=summary.strategy,
        branch=summary.branch or next((part.branch for part in parts if part.branch), ""),
        created=max((part.created for part in parts), default=0.0),
        files=summary.files_touched or tuple(sorted({path for part in parts for path in part.files})),
        tokens=_sum(summary, parts),
        parts=parts,
        commits=linked,
        problems=checkpoint.problems,
        lines=tuple(_file_view(path, lines) for path, lines in own.files.items()) if own is not None else None,
        recorded_commits=tuple(commit.commit for commit in own.commits) if own is not None else (),
    )


def _sum(summary: CheckpointSummary, parts: Sequence[PartView]) -> TokenUsage | None:
    """Return the sum that is stored; what is unknown of a session's tokens is unknown of their sum."""
    unknown = {name for part in parts for name in (FIGURES if part.tokens is None else uncertain(part.tokens))}
    if summary.token_usage is None:
        return None
    known = {name: getattr(summary.token_usage, name) or 0 for name in FIGURES}
    usage = summary.token_usage
    told = of_figures(known, {*uncertain(usage), *unknown}, usage.subagents)
    return told.with_reasoning(usage.reasoning_tokens, usage.reasoning_beside)


def _task_views(transcripts: StoredTranscripts, checkpoint: Checkpoint) -> Iterator[TaskView]:
    """Yield the subagents' tasks, each with what its session's transcript says about it."""
    tasks = checkpoints.tasks(transcripts.objects, checkpoint)
    known = {slot.session_id: subagents.of_slot(transcripts, slot) for slot in checkpoint.slots if tasks}
    for task in tasks:
        told = [known[task.session_id]] if task.session_id in known else list(known.values())
        found_in = (names.of(task.tool_use_id, task.agent_id) for names in told)
        about = next((about for about in found_in if about.description), Subagent(id=""))
        yield TaskView(
            tool_use_id=task.tool_use_id, agent_id=task.agent_id, session_id=task.session_id,
            has_transcript=bool(task.transcripts), notes=len(task.increments),
            description=about.description, type=about.type,
        )  # fmt: skip


def _file_view(path: str, lines: FileLines) -> FileView:
    session_id, turn = _owner(lines.made_by)
    return FileView(
        path=path,
        status=str(lines.status),
        added=tuple(_merged(_range_view(first, last, who) for first, last, who in lines.added)),
        removed=tuple(_removed_view(who, count) for who, count in _counts(lines.removed)),
        session_id=session_id,
        turn=turn,
        old_path=str(lines.old_path),
        is_binary=bool(lines.binary),
    )


def _counts(given: object) -> list[tuple[str, int]]:
    return [(who, whole(count)) for who, count in given.items()] if isinstance(given, dict) else []


def _range_view(first: int, last: int, who: str) -> RangeView:
    session_id, turn = _owner(who)
    return RangeView(first=first, last=last, session_id=session_id, turn=turn, is_by_hook=who == NOBODY)


def _merged(ranges: Iterable[RangeView]) -> Iterator[RangeView]:
    """Join neighbouring ranges of the same owner: the record tells more kinds of people's lines apart."""
    before = None
    for lines in ranges:
        if before is not None and lines == replace(before, first=before.last + 1, last=lines.last):
            before = replace(before, last=lines.last)
            continue
        if before is not None:
            yield before
        before = lines
    if before is not None:
        yield before


def _removed_view(who: str, count: int) -> RemovedView:
    session_id, turn = _owner(who)
    return RemovedView(count=count, session_id=session_id, turn=turn, is_by_hook=who == NOBODY)


def _owner(who: object) -> tuple[str, str]:
    """Return the session and turn of an owner of lines; a person has neither."""
    owner = Owner(str(who))
    return (owner.session_id, owner.turn.turn_id) if owner.is_turn else ("", "")
