"""``entire audit``: scans what is stored here, or what remotes hold, and says where the secrets are."""

from __future__ import annotations

import io
import os

from entire import contents, settings
from entire.audit import own_files, record, remotes, sources, verdicts
from entire.audit.verdicts import Verdicts
from entire.git import additions, promised
from entire.git.read import Objects
from entire.index import database, digests
from entire.model.audits import AuditView, PlaceView, SecretView
from entire.model.value import replace
from entire.recording import proposals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from entire.audit.sources import AuditSource
    from entire.audit.verdicts import Verdict
    from entire.layout import Place
    from entire.model.audits import AuditRequest
    from entire.redact import Redactor

    Progress = Callable[[int, int], None]

_BATCH = 32  # blobs between two reports of the progress


def audit(place: Place, redactor: Redactor, request: AuditRequest, *, now: float, progress: Progress) -> AuditView:
    """Scan everything that is stored, or with ``pushed`` what remotes are known to hold."""
    scan = Scan(place, redactor, progress)
    try:
        known = remotes.find(place.top, fetch=request.fetch, now=now)
        for remote in known:
            scan.note_pushed(remote.view.name, remote.sources)
        if request.pushed:
            scan.read([source for remote in known for source in remote.sources])
        else:
            scan.read(sources.local(place.top))
            scan.read_files()
    finally:
        if request.fetch:
            remotes.forget_fetched(place.top)
    if not request.pushed:
        scan.verdicts.save()
        if not scan.left_out:
            record.note(place, scan.verdicts.rules, now=now)
    unfollowed = proposals.unfollowed(place, settings.load(place), redactor)
    config = redactor.config
    return replace(scan.view(), remotes=tuple(remote.view for remote in known), pushed=request.pushed,
                   unfollowed=tuple(f"{each.text}; {each.remedy}" for each in unfollowed),
                   exceptions=config.exceptions if config is not None else "")  # fmt: skip


class Scan:
    """Collects secrets with their places, each text read once."""

    def __init__(self, place: Place, redactor: Redactor, progress: Progress) -> None:
        self.place = place
        self.verdicts = Verdicts(place, redactor)
        self.unread: list[str] = []
        self._progress = progress
        self._secrets: dict[str, Verdict] = {}
        self._places: dict[str, list[PlaceView]] = {}
        self._pushed: dict[str, list[str]] = {}  # by blob or commit
        self._remotes: dict[str, dict[str, None]] = {}  # by digest
        self._scanned = self._remembered = 0

    def note_pushed(self, remote: str, pushed: Iterable[AuditSource]) -> None:
        """Remember which objects a remote has."""
        for source in pushed:
            for added in additions.find(self.place.top, [source.tip], source.folders):
                for oid in (added.commit, *(oid for _, oid in added.blobs)):
                    names = self._pushed.setdefault(oid, [])
                    if remote not in names:
                        names.append(remote)

    def read(self, audited: Sequence[AuditSource]) -> None:
        """Scan the blobs and the commit messages of refs."""
        places: dict[str, list[PlaceView]] = {}
        for source in audited:
            for added in additions.find(self.place.top, [source.tip], source.folders):
                where = PlaceView(kind=source.kind, ref=source.ref, commit=added.commit, time=added.time)
                self._read_message(added.commit, added.message, where)
                for path, oid in added.blobs:
                    places.setdefault(oid, []).append(replace(
                        where, path=path, session=sources.session_of(path, added.message),
                        checkpoint=sources.checkpoint_of(path) if source.kind == sources.CHECKPOINT else "",
                    ))  # fmt: skip
        self._scanned += len(places)
        wanted = []
        for oid in places:
            verdict = self._known(oid)
            if verdict is None:
                wanted.append(oid)
            else:
                self._note(oid, verdict, places[oid])
        promised.fetch(self.place.top, [source.tip for source in audited], wanted)
        self._read_blobs(wanted, places)

    def _known(self, oid: str) -> list[Verdict] | None:
        known = self.verdicts.known(oid)
        self._remembered += known is not None
        return known

    def _read_message(self, commit: str, message: str, where: PlaceView) -> None:
        verdict = self._known(commit)
        if verdict is None:
            verdict = self.verdicts.note(commit, "message", io.BytesIO(message.encode("utf-8", "surrogateescape")))
        self._scanned += 1
        session = sources.session_of("", message)
        self._note(commit, verdict, [replace(where, kind=sources.MESSAGE, session=session)])

    def _read_blobs(self, wanted: Sequence[str], places: dict[str, list[PlaceView]]) -> None:
        with Objects(self.place.top) as objects:
            for start in range(0, len(wanted), _BATCH):
                self._progress(start, len(wanted))
                batch = wanted[start : start + _BATCH]
                for oid in batch:
                    path, blocks = places[oid][0].path, objects.blocks(oid)
                    if blocks is None:
                        self.unread.append(f"{path} (git lacks blob {oid})")
                        continue
                    text = contents.BlockReader(blocks)
                    self._note(oid, self.verdicts.note(oid, path, text), places[oid])
        if wanted:
            self._progress(len(wanted), len(wanted))

    def read_files(self) -> None:
        """Scan the files of ours, and the texts of the search index."""
        for kind, path in own_files.find(self.place):
            shown = os.path.relpath(path, self.place.top) if path.startswith(self.place.top + os.sep) else path
            try:
                data = own_files.read(path)
            except OSError as error:
                self.unread.append(f"{shown} ({error.strerror})")
                continue
            if data is None:
                continue
            self._scanned += 1
            lines = verdicts.is_lines(path) or (kind == own_files.UNDO and own_files.has_lines(data))
            source = io.BytesIO(data) if isinstance(data, bytes) else data.open()
            secrets = self.verdicts.scan(path, source, lines=lines)
            if kind == own_files.UNDO:  # one of ``forget`` is there to bring it back
                secrets = [verdict for verdict in secrets if verdict.rule != verdicts.FORGOTTEN]
            self._note("", secrets, [PlaceView(kind=kind, path=shown)])
        folder = os.path.join(self.place.common_own_dir, database.FOLDER)
        for kept in (database, digests):
            where = PlaceView(
                kind=own_files.INDEX, path=os.path.relpath(os.path.join(folder, kept.NAME), self.place.top)
            )
            for body in kept.bodies(folder):
                self._note(
                    "", self.verdicts.scan("body", io.BytesIO(body.encode("utf-8", "replace")), lines=False), [where]
                )

    def _note(self, oid: str, secrets: Iterable[Verdict], places: Sequence[PlaceView]) -> None:
        for verdict in secrets:
            self._secrets.setdefault(verdict.digest, verdict)
            known = self._places.setdefault(verdict.digest, [])
            known += [place for place in places if place not in known[-1:]]
            self._remotes.setdefault(verdict.digest, {}).update(dict.fromkeys(self._pushed.get(oid, ())))

    @property
    def left_out(self) -> tuple[str, ...]:
        """What could not be read, or not as a whole."""
        return (*self.unread, *self.verdicts.late)

    def view(self) -> AuditView:
        secrets = [
            SecretView(digest=digest, rule=verdict.rule, mask=verdict.mask, pushed=tuple(self._remotes[digest]),
                       places=tuple(sorted(self._places[digest], key=lambda where: (not where.time, where.time))))
            for digest, verdict in self._secrets.items()
        ]  # fmt: skip
        secrets.sort(key=lambda secret: (not secret.since, secret.since, secret.digest))
        return AuditView(secrets=tuple(secrets), scanned=self._scanned, remembered=self._remembered,
                         unread=self.left_out, rules=self.verdicts.rules)  # fmt: skip
