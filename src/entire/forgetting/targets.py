"""Finds out what a request names: a checkpoint, a session, a secret, or a finding of an audit with its value."""

from __future__ import annotations

from entire.audit import own_files, sources, verdicts
from entire.audit.verdicts import Verdicts
from entire.errors import EntireError, UsageError
from entire.forgetting.planning import ForgetTarget
from entire.forgetting.values import Secret
from entire.git import additions
from entire.model.audits import ForgetView
from entire.recording import liveness
from entire.store import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.model.audits import ForgetRequest
    from entire.recording.context import Context
    from entire.store.catalog import Catalog

_BATCH = 32


def find(context: Context, catalog: Catalog, request: ForgetRequest) -> tuple[ForgetTarget, ForgetView]:
    """Return what a request names, and a view that names it; raises EntireError if that is not stored here."""
    if request.checkpoint:
        name = catalog.checkpoint(request.checkpoint)
        if not name:
            raise catalog.forgotten(request.checkpoint) or EntireError(
                f"checkpoint not found: {request.checkpoint}", hint="run `entire log` to list them"
            )
        return ForgetTarget(checkpoints=frozenset([name])), ForgetView(kind="checkpoint", name=name)
    if request.session:
        name = catalog.session(request.session)
        if not name:
            raise catalog.unknown_session(request.session)
        _check_session(context, name)
        return ForgetTarget(sessions=frozenset([name])), ForgetView(kind="session", name=name)
    known = Verdicts(context.place, context.redactor)
    if request.finding:
        value, rule = _value_of(context, known, request.finding)
    elif request.secret:
        value, rule = request.secret.encode("utf-8", "surrogateescape"), verdicts.FORGOTTEN
    else:
        raise UsageError("nothing to forget is named", hint="run `entire forget --help`")
    view = ForgetView(kind="secret", name=known.digest(value), mask=verdicts.mask(value))
    return ForgetTarget(secret=Secret(value, rule)), view


def _check_session(context: Context, name: str) -> None:
    """Raise EntireError while a session's agent works: its next step would store the conversation again."""
    state = sessions.find(context.place, name)
    if state is not None and liveness.is_at_work(state, context.now(), silence=liveness.NEVER):
        raise EntireError(f"session {name} has a turn in progress; nothing was changed", hint="wait until it ends")


def _value_of(context: Context, known: Verdicts, digest: str) -> tuple[bytes, str]:
    """Return the value and the rule of a finding, by the beginning of its digest."""
    values: dict[str, tuple[bytes, str]] = {}
    for name, data in _texts(context):
        for finding in context.redactor.find(data, lines=verdicts.is_lines(name)):
            value = verdicts.plain(data[finding.start : finding.end])
            if known.digest(value).startswith(digest):
                values[known.digest(value)] = (value, finding.rule)
    if not values:
        raise EntireError(f"no finding starts with {digest}; nothing was changed",
                          hint="run `entire audit` to list them")  # fmt: skip
    if len(values) > 1:
        raise EntireError(f"{digest} is ambiguous: {', '.join(sorted(values))}", hint="give more digits")
    return next(iter(values.values()))


def _texts(context: Context) -> Iterator[tuple[str, bytes]]:
    place = context.place
    names: dict[str, str] = {}
    for source in sources.local(place.top):
        for added in additions.find(place.top, [source.tip], source.folders):
            yield "message", added.message.encode("utf-8", "surrogateescape")
            names.update({oid: path for path, oid in added.blobs})
    oids = list(names)
    for start in range(0, len(oids), _BATCH):
        batch = oids[start : start + _BATCH]
        blobs = context.objects.get_all(batch)
        yield from ((names[oid], blob.data) for oid, blob in zip(batch, blobs, strict=True) if blob is not None)
    for _, path in own_files.find(place):
        try:
            yield from ((path, text) for text in own_files.texts(own_files.read(path) or b""))
        except OSError:
            continue  # `entire audit`, which numbers the findings, says so
