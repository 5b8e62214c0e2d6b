"""Our own record beside the slots, for what the Go format cannot express (docs/reference/lineage.md).

``lineage.json`` in a checkpoint's folder holds the linked commits (id, tree, patch id), the turns of each session
(prompt position, time, model, tokens), which turn or person wrote which added lines of each file of the commit, and
which token figures of its sessions are not known in full. The ranges of a file partition its added lines. The Go CLI
leaves unknown files untouched.
"""

from __future__ import annotations

from entire.model.times import parse_time
from entire.model.tokens import FIGURES, TokenUsage, of_figures, uncertain
from entire.model.value import Value, replace
from entire.redact import Redacted, trusted
from entire.store import checkpoints, gojson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from entire.git.read import Objects
    from entire.model.records import SessionRecord
    from entire.store.checkpoints import Checkpoint
    from entire.store.turnlog import TurnNote

NAME = "lineage.json"
VERSION = 1
MAX_BYTES = 8 << 20
_SUBAGENTS = "subagent_tokens."


class LineageLink(Value):
    """A commit with the checkpoint's id. ``time``: when it was linked, in seconds since the epoch.

    ``examined``: whose lines it has was looked into then, so a line which no record names is no session's.
    """

    commit: str
    tree: str
    patch_id: str = ""
    branch: str = ""
    time: float = 0.0
    examined: bool = False


class FileLines(Value):
    """One path of the commit. ``added``: (first line, last line, owner), counted from 1 in the new file.

    The owner is ``session/turn``, ``person``, or ``person instead`` (in place of another line). ``made_by`` created,
    moved or removed the file, changed its mode, or wrote it as a binary file.
    """

    status: str
    added: tuple[tuple[int, int, str], ...] = ()
    removed: Mapping[str, int] = {}
    made_by: str = ""
    old_path: str = ""
    binary: bool = False


class LineageFile(Value):
    """The complete record. ``numbered_in``: the one of ``commits`` whose files ``files`` describes, '' if unknown."""

    commits: tuple[LineageLink, ...] = ()
    numbered_in: str = ""
    turns: Mapping[str, Sequence[Mapping[str, Any]]] = {}  # session id -> its turns
    files: Mapping[str, FileLines] = {}
    unknown_tokens: Mapping[str, Sequence[str]] = {}  # session id -> figures that are unknown, or in part


def make(
    before: LineageFile | None,
    link: LineageLink,
    files: Mapping[str, FileLines],
    notes: Mapping[str, Sequence[TurnNote]],
) -> LineageFile:
    """Return the record of a new link; earlier links of an amended commit are kept."""
    commits = tuple(older for older in before.commits if older.commit != link.commit) if before is not None else ()
    turns = {
        **(before.turns if before is not None else {}),
        **{session_id: _turns(own_notes) for session_id, own_notes in notes.items()},
    }
    unknown = before.unknown_tokens if before is not None else {}
    return LineageFile(commits=(*commits, link), numbered_in=link.commit, turns=turns, files=files,
                       unknown_tokens=unknown)  # fmt: skip


def with_turns(before: LineageFile, session_id: str, notes: Sequence[TurnNote]) -> LineageFile:
    """Return the record with a session's turns replaced."""
    return replace(before, turns={**before.turns, session_id: _turns(notes)})


def with_commit(before: LineageFile, link: LineageLink) -> LineageFile:
    """Return the record with one more commit that carries the same id (a rebase, a cherry-pick)."""
    return replace(before, commits=(*(older for older in before.commits if older.commit != link.commit), link))


def with_tokens(before: LineageFile, record: SessionRecord) -> LineageFile:
    """Return the record with what is unknown of a session's tokens."""
    others = {name: figures for name, figures in before.unknown_tokens.items() if name != record.session_id}
    figures = _uncertain(record.token_usage) if record.token_usage is not None else []
    return replace(before, unknown_tokens={**others, **({record.session_id: figures} if figures else {})})


def tokens(own: LineageFile | None, record: SessionRecord) -> TokenUsage | None:
    """Return a session's tokens. The Go CLI writes 0 for what is unknown when it writes the metadata again."""
    figures = own.unknown_tokens.get(record.session_id, ()) if own is not None else ()
    return _with_uncertain(record.token_usage, figures) if record.token_usage is not None else None


def _uncertain(usage: TokenUsage) -> list[str]:
    inner = _uncertain(usage.subagents) if usage.subagents is not None else []
    return [*uncertain(usage), *(_SUBAGENTS + name for name in inner)]


def _with_uncertain(usage: TokenUsage, figures: Sequence[str]) -> TokenUsage:
    inner = [name.removeprefix(_SUBAGENTS) for name in figures if name.startswith(_SUBAGENTS)]
    subagents = _with_uncertain(usage.subagents, inner) if usage.subagents is not None else None
    known = {name: getattr(usage, name) or 0 for name in FIGURES}
    told = of_figures(known, {*uncertain(usage), *figures}, subagents)
    return told.with_reasoning(usage.reasoning_tokens, usage.reasoning_beside)


def join(ours: LineageFile, theirs: LineageFile) -> LineageFile:
    """Return the fuller of two states of a record, with the commits of both; either order gives the same."""
    commits: dict[str, LineageLink] = {}
    for link in sorted((*ours.commits, *theirs.commits), key=lambda link: (link.time, link.commit, repr(link))):
        commits.setdefault(link.commit, link)
    return replace(max(ours, theirs, key=_fullness), commits=tuple(commits.values()))


def _fullness(record: LineageFile) -> tuple[int, bytes, str]:
    """Return what orders records by how much they say: the end of a turn adds to them."""
    data = dumps(replace(record, commits=()))
    return len(data), data, record.numbered_in


def _turns(notes: Sequence[TurnNote]) -> list[dict[str, Any]]:
    rows = []
    for note in notes:
        value: dict[str, Any] = {"turn": note.turn, "prompt_position": note.position}
        if note.continues:
            value["continues"] = note.continues
        if note.time:
            value["started_at"] = gojson.rfc3339(note.time)
        if note.ended:
            value["ended_at"] = gojson.rfc3339(note.ended)
        if note.model:
            value["model"] = note.model
        if note.tokens:
            value["token_usage"] = dict(note.tokens)
        rows.append(value)
    return rows


def dumps(record: LineageFile) -> Redacted:
    """Return the file's content: ids, numbers and paths only, no text of people or agents."""
    commits = [_link_json(link) for link in record.commits]
    files = {path: _file_json(lines) for path, lines in sorted(record.files.items())}
    value: dict[str, object] = {"version": VERSION, "commits": commits}
    if len(commits) > 1 and record.numbered_in:
        value["numbered_in"] = record.numbered_in
    value.update(turns=dict(record.turns), files=files)
    if record.unknown_tokens:
        value["unknown_tokens"] = {name: list(figures) for name, figures in sorted(record.unknown_tokens.items())}
    return trusted(gojson.dumps(value))


def _link_json(link: LineageLink) -> dict[str, Any]:
    value = {**link.__dict__, "time": gojson.rfc3339(link.time)}
    if not link.examined:
        del value["examined"]
    return value


def _file_json(lines: FileLines) -> dict[str, Any]:
    value: dict[str, Any] = {"status": lines.status, "added": [list(span) for span in lines.added]}
    if lines.removed:
        value["removed"] = dict(lines.removed)
    for key in ("made_by", "old_path", "binary"):
        if getattr(lines, key):
            value[key] = getattr(lines, key)
    return value


def read(objects: Objects, checkpoint: Checkpoint) -> LineageFile | None:
    """Return a checkpoint's record, or None if there is none that this version can read."""
    oid = next((entry.oid for entry in checkpoint.entries if entry.name == NAME), "")
    return parse(objects.blob(oid)) if oid else None


def parse(data: bytes | None) -> LineageFile | None:
    """Parse the file's content; None if this version cannot read it."""
    value = checkpoints.parse_object(data)
    if value is None or value.get("version") != VERSION:
        return None
    try:
        commits = tuple(
            LineageLink(commit=link["commit"], tree=link["tree"], patch_id=link["patch_id"], branch=link["branch"],
                 time=parse_time(link["time"]), examined=link.get("examined") is True) for link in value["commits"]
        )  # fmt: skip
        return LineageFile(
            commits=commits,
            numbered_in=str(value.get("numbered_in", "")) or _only_change(commits),
            turns={**value["turns"]},
            files={path: _file(lines) for path, lines in value["files"].items()},
            unknown_tokens={
                str(name): [str(figure) for figure in figures]
                for name, figures in value.get("unknown_tokens", {}).items()
            },
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _only_change(commits: Sequence[LineageLink]) -> str:
    """Return the first of commits that all made the same change; '' if one of them made another."""
    return commits[0].commit if len({link.patch_id for link in commits}) == 1 else ""


def _file(value: dict[str, Any]) -> FileLines:
    return FileLines(
        status=value["status"],
        added=tuple((int(first), int(last), str(owner)) for first, last, owner in value["added"]),
        removed=value.get("removed", {}),
        made_by=value.get("made_by", ""),
        old_path=value.get("old_path", ""),
        binary=value.get("binary", False),
    )
