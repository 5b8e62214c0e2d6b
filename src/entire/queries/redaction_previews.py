"""What ``entire redact`` shows: what would be replaced in files and in a session's transcript, and all rules.

Nothing is written, and nothing found here is remembered.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys

from entire import files, settings
from entire.audit import verdicts
from entire.errors import EntireError
from entire.model.redaction_previews import HitView, PreviewView, RuleView
from entire.model.value import Value, replace
from entire.queries import checkpoints
from entire.recording.context import Context
from entire.store import checkpoint_listing, sessions, step_transcripts
from entire.store.catalog import Catalog
from entire_secrets import own_rules, personal
from entire_secrets.rules import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    from entire.layout import Place
    from entire.model.session import Session
    from entire.redact import Redactor, Source
    from entire_secrets.own_rules import OwnRule

    Progress = Callable[[int, int], None]

STDIN = "-"
OWN = ".entire/redact.toml"
_KINDS = ("provider", "place", "name", "opinion")  # by a rule's rank


def of_files(redactor: Redactor, names: Sequence[str], progress: Progress) -> PreviewView:
    """Return what would be replaced in files. One that cannot be read is named, and the others are tried."""
    hits: list[HitView] = []
    unread: list[str] = []
    size = 0
    for name in names:
        try:
            if name == STDIN:
                size += _scan(redactor, _PreviewText(file=sys.stdin.buffer, size=0, name=name), progress, hits)
            else:
                with files.open_regular(name) as file:
                    text = _PreviewText(file=file, size=os.fstat(file.fileno()).st_size, name=name)
                    size += _scan(redactor, text, progress, hits)
        except (OSError, ValueError) as error:  # a name with a NUL is a value that no file can have
            unread.append(f"{name} ({getattr(error, 'strerror', '') or 'cannot be read'})")
    view = PreviewView(hits=tuple(hits), size=size, files=len(names) - len(unread), unread=tuple(unread))
    return _view(redactor, view)


class _Bounded:
    """A file up to the size that it has now: one that grows without end is not followed."""

    def __init__(self, file: Source, size: int) -> None:
        self._file = file
        self._left = size

    def read(self, size: int) -> bytes:
        data = self._file.read(min(size, self._left))
        self._left -= len(data)
        return data


def _scan(redactor: Redactor, text: _PreviewText, progress: Progress, hits: list[HitView]) -> int:
    """Add what would be replaced in a text; return how many bytes were read."""
    read = 0

    def note(done: int) -> None:
        nonlocal read
        read = done
        progress(done, max(done, text.size))

    file = _Bounded(text.file, text.size) if text.size else text.file
    for hit in redactor.find_long(file, text.name, note):
        hits.append(HitView(file=text.name, line=hit.line, record=hit.record, rule=hit.rule,
                            mask=verdicts.mask(hit.value), hash=own_rules.value_hash(hit.value)))  # fmt: skip
    return read


def _view(redactor: Redactor, view: PreviewView) -> PreviewView:
    """Add the repository's own rules that apply, and what is wrong with them."""
    config = redactor.config
    if config is None:
        return view
    unseen = config.own.budget.unchecked
    late = (f"own rules took too long: they did not see {unseen:,} bytes",) if unseen else ()
    return replace(view, config=redactor.sources.config, problems=(*config.problems, *late),
                   unfollowed=config.unfollowed)  # fmt: skip


# ---------------------------------------------------------------- sessions


def of_session(redactor: Redactor, place: Place, prefix: str, progress: Progress) -> PreviewView:
    """Return what would be replaced in a session's transcript: in the agent's own, or else in what is stored of it.

    Raises EntireError if there is no such session, or nothing of it can be read.
    """
    catalog = Catalog(place, redactor)
    session_id = catalog.session(prefix)
    if not session_id:
        raise catalog.unknown_session(prefix)
    hits: list[HitView] = []
    with _opened(place, catalog, session_id) as text:
        size = _scan(redactor, text, progress, hits)
    unnamed = [replace(hit, file="") for hit in hits]
    return _view(redactor, PreviewView(hits=tuple(unnamed), session=session_id, source=text.source, size=size, files=1))


class _PreviewText(Value):
    """What is read: its size, 0 if unknown, a name that tells lines from a document, and of a transcript, where it was
    found: agent, step or checkpoint.
    """

    file: BinaryIO
    size: int
    name: str = ""
    source: str = ""


@contextlib.contextmanager
def _opened(place: Place, catalog: Catalog, session_id: str) -> Iterator[_PreviewText]:
    chosen = settings.load(place) or settings.Settings(enabled=False)
    context = Context(place, chosen, catalog.agents)
    try:
        state = sessions.find(place, session_id)
        text = _own(context, state) if state is not None else None
        content, source = (b"", "") if text is not None else _stored(context, catalog, session_id, state)
        if text is None and not content:
            raise EntireError(f"nothing of the transcript of session {session_id} can be read",
                              hint="it was deleted by its agent, or is not stored in this clone")  # fmt: skip
        text = text or _PreviewText(source=source, file=io.BytesIO(content), size=len(content))
        with text.file:
            yield text
    finally:
        context.close()


def _own(context: Context, state: Session) -> _PreviewText | None:
    """Return the transcript that the agent keeps; None if that is gone or cannot be read."""
    if not state.session_ref:
        return None
    try:
        native = context.adapters.reader(state).transcript(state.session_ref)
        lines = native.file_lines(native.end())
        if lines is not None and lines.size:
            file, size = files.open_named(lines.path)
            return _PreviewText(source="agent", file=file, size=size, name=".jsonl")
        content = native.snapshot()
    except (EntireError, OSError):
        return None
    return _PreviewText(source="agent", file=io.BytesIO(content), size=len(content)) if content else None


def _stored(context: Context, catalog: Catalog, session_id: str, state: Session | None) -> tuple[bytes, str]:
    """Return what is stored of a session's transcript, and where: at its last turn's end, or in a checkpoint."""
    if state is not None:
        saved = step_transcripts.latest(context.objects, state, context.adapters.reader(state))
        if saved is not None and saved.content:
            return saved.content, "step" if state.conversation else "checkpoint"
    names = [name for name, ids in catalog.sessions_by_checkpoint.items() if session_id in ids]
    listed = sorted(
        checkpoint_listing.listed(catalog.place.top, catalog.commits, names).values(), key=lambda view: view.created
    )
    return (checkpoints.transcript(catalog, listed[-1].id, session_id) if listed else b""), "checkpoint"


# ---------------------------------------------------------------- rules


def rules(redactor: Redactor) -> list[RuleView]:
    """Return all rules: the built-in ones, the repository's own, and the kinds of personal data it can ask for."""
    by_id = {rule.id: RuleView(id=rule.id, kind=_KINDS[rule.rank], source=rule.source, example=rule.example)
             for rule in reversed((*table.RULES, table.OPINION))}  # fmt: skip
    config = redactor.config
    own = config.own.rules if config is not None else ()
    asked = [RuleView(id=kind, kind="personal", source=OWN, example="") for kind in personal.KINDS]
    return [*sorted(by_id.values(), key=lambda rule: (_KINDS.index(rule.kind), rule.id)), *map(_own_rule, own), *asked]


def _own_rule(rule: OwnRule) -> RuleView:
    return RuleView(id=rule.id, kind="own", source=OWN, example=rule.example)
