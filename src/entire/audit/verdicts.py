"""What the rules say about a text: which secrets are in it, by digests and masks only. Remembered for each blob.

``<common>/entire/audit/`` holds the key of the digests, and the verdicts by the version of the rules and of what is
known without a rule, so an audit reads only what is new. Neither holds a secret.
"""

from __future__ import annotations

import hmac
import itertools
import os

from entire import contents, files
from entire.errors import CorruptError, EntireError
from entire.model import jsontext
from entire.model.digest import sha256
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place
    from entire.redact import Redactor, Source

DIGITS = 12
FORGOTTEN = "forgotten"
"""The rule of what a person named to ``forget``."""
_SECONDS = 10.0  # of own rules, for each text or block of a long one
_LONGEST_LINE = 64 << 20  # that own rules see
_DEEPEST = 4  # JSON in JSON
_ON_ONE_LINE = str.maketrans("\n\t", "  ")
_LINES = (".jsonl", ".log", ".turns")


class Verdict(Value):
    """A secret that was found: its rule, digest and mask."""

    rule: str
    digest: str
    mask: str


class Verdicts:
    """Scans texts and remembers the answer by the id of the blob or commit that holds the text."""

    def __init__(self, place: Place, redactor: Redactor) -> None:
        self._redactor = redactor
        self.rules = redactor.rules_version()
        self.late: list[str] = []  # texts that own rules did not see as a whole
        self._secrets = sha256(files.read(place.known_secrets) or b"").hexdigest()[:16]
        self._folder = os.path.join(place.common_own_dir, "audit")
        self._path = _path(place)
        self.key = self._read_key()
        self._known = self._read()
        self._used: dict[str, list[Verdict]] = {}

    def _read_key(self) -> bytes:
        path = os.path.join(self._folder, "key")
        key = files.read(path)
        if key is None or len(key) != 32:
            key = os.urandom(32)
            try:
                os.makedirs(self._folder, 0o700, exist_ok=True)
                files.write(path, key, mode=0o600)
            except (OSError, EntireError):
                pass  # a read-only repository: the digests hold for this audit only
        return key

    def _read(self) -> dict[str, list[Verdict]]:
        try:
            value = files.read_json(self._path) or {}
            if (value.get("rules"), value.get("secrets")) != (self.rules, self._secrets):
                return {}
            secrets = {str(oid): [Verdict(rule=str(rule), digest=str(digest), mask=str(mask))
                                for rule, digest, mask in rows] for oid, rows in value["found"].items()}  # fmt: skip
            return {**{str(oid): [] for oid in value["clean"]}, **secrets}
        except (CorruptError, OSError, KeyError, TypeError, ValueError, AttributeError):
            return {}

    def save(self) -> None:
        """Remember the verdicts of what was asked for; others are forgotten. A repository may be read-only."""
        value = {
            "rules": self.rules,
            "secrets": self._secrets,
            "clean": [oid for oid, secrets in self._used.items() if not secrets],
            "found": {oid: [[each.rule, each.digest, each.mask] for each in secrets]
                      for oid, secrets in self._used.items() if secrets},
        }  # fmt: skip
        try:
            files.write_json(self._path, value)
        except (OSError, EntireError):
            pass

    def known(self, oid: str) -> list[Verdict] | None:
        """Return what is remembered of an object, None if it must be scanned."""
        secrets = self._known.get(oid)
        if secrets is not None:
            self._used[oid] = secrets
        return secrets

    def note(self, oid: str, name: str, text: Source) -> list[Verdict]:
        """Scan an object's text, and remember the answer."""
        late = len(self.late)
        secrets = self.scan(name, text, lines=is_lines(name))
        if len(self.late) == late:
            self._used[oid] = secrets
        return secrets

    def scan(self, name: str, text: Source, *, lines: bool) -> list[Verdict]:
        """Return the secrets in a text, each once. ``lines``: each of its lines is redacted for itself. One that is
        too long for memory is read block by block.
        """
        data = text.read(contents.MOST)
        self._renew()
        if len(data) < contents.MOST:
            found = [(each.rule, data[each.start : each.end]) for each in self._redactor.find(data, lines=lines)]
            unchecked = self._renew()
        else:
            found, unchecked = self._find_in_blocks(data, text, f"{name}.jsonl" if lines else name)
        if unchecked:
            self.late.append(f"{name} (own rules took too long for {unchecked:,} bytes)")
        secrets = {verdict.digest: verdict for verdict in (self._verdict(rule, value) for rule, value in found)}
        return list(secrets.values())

    def _find_in_blocks(self, head: bytes, text: Source, name: str) -> tuple[list[tuple[str, bytes]], int]:
        unchecked = 0

        def renew(_: int) -> None:
            nonlocal unchecked
            unchecked += self._renew()

        whole = contents.BlockReader(itertools.chain([head], iter(lambda: text.read(contents.MOST), b"")))
        found = [(hit.rule, hit.value) for hit in self._redactor.find_long(whole, name, renew)]
        return found, unchecked + self._renew()

    def _renew(self) -> int:
        """Give own rules their time for the next block; return how many bytes they did not see of the last one."""
        config = self._redactor.config
        if config is None:
            return 0
        unchecked = config.own.budget.unchecked
        config.own.budget.renew(_SECONDS, _LONGEST_LINE)
        return unchecked

    def _verdict(self, rule: str, found: bytes) -> Verdict:
        value = plain(found)
        return Verdict(rule=rule, digest=self.digest(value), mask=mask(value))

    def digest(self, value: bytes) -> str:
        """Return the digest that names a secret: keyed, so it says nothing without this clone's key."""
        return hmac.new(self.key, value, "sha256").hexdigest()[:DIGITS]


def remembered(place: Place) -> dict[str, Verdict]:
    """Return what the last audit found in git, by digest, whatever the rules are now."""
    try:
        value = files.read_json(_path(place)) or {}
        rows = [row for secrets in value["found"].values() for row in secrets]
        return {str(digest): Verdict(rule=str(rule), digest=str(digest), mask=str(mask)) for rule, digest, mask in rows}
    except (CorruptError, OSError, KeyError, TypeError, ValueError, AttributeError):
        return {}


def _path(place: Place) -> str:
    return os.path.join(place.common_own_dir, "audit", "verdicts.json")


def is_lines(name: str) -> bool:
    """Tell whether a file consists of records, one a line, each of which is redacted for itself."""
    stem, _, end = name.rpartition(".")
    return name.endswith(_LINES) or (end.isdigit() and stem.endswith(_LINES))


def plain(value: bytes) -> bytes:
    """Return a value without the escapes of JSON strings around it, at any depth: a secret has one digest."""
    for _ in range(_DEEPEST):
        if b"\\" not in value:
            break
        try:
            decoded = jsontext.loads(b'"' + value + b'"')
        except (ValueError, RecursionError):
            break
        value = str(decoded).encode("utf-8", "surrogatepass")
    return value


def mask(value: bytes) -> str:
    """Return the first characters of a secret and its length: enough to recognise it, too little to use it."""
    text = value.decode("utf-8", "replace")
    shown = 4 if len(text) >= 20 else 3 if len(text) >= 12 else 2 if len(text) >= 6 else 1
    return f"{text[:shown].translate(_ON_ONE_LINE)}… ({len(text)} characters)"
