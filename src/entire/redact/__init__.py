"""Replaces secrets before anything is stored.

What people and agents said (transcripts, prompts, metadata) passes through here on its way into git. The store accepts
only ``Redacted`` for it, so the type checker proves that nothing bypasses redaction. See
``docs/explanation/redaction.md``.

Redaction is idempotent (``redact(redact(x)) == redact(x)``), and text without secrets stays the same bytes. A secret is
replaced by ``[REDACTED:<rule id>]``.
"""

from __future__ import annotations

import os

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from entire.redact.config import Config
    from entire.redact.memory_file import MemoryFile
    from entire_secrets.replacing import Replacer
    from entire_secrets.streams import Hit
    from entire_secrets.streams import Source as Source
    from entire_secrets.text import Finding

    IsOwn = Callable[[], bool]


class Redacted(bytes):
    """Bytes without known secrets: a marker for the type checker.

    Only this package creates them: a ``Redactor`` from what a person, agent or tool wrote, ``trusted`` from what the
    program itself produced. Never call the class elsewhere.
    """

    __slots__ = ()


def trusted(data: bytes) -> Redacted:
    """Mark bytes that the program made of ids, counts and times, without any text of a person, agent or tool."""
    return Redacted(data)


withheld: set[bytes] = set()
"""What this process was given as a secret, by its environment. It is the process's own: whichever repository a text is
of, the value is a secret in it, and nothing of it is kept.
"""


class Sources(Value):
    """Where a repository keeps its configuration and what it remembers; '' for none. ``trusted``: the hashes of the
    exceptions that this person trusts.
    """

    config: str = ""
    memory: str = ""
    trusted: str = ""


class Redactor:
    """Redacts what one repository stores: by the built-in rules, by its own rules and exceptions, and by what it
    remembers. These are read when they are first needed. A broken entry of the configuration never stops a hook: the
    rest applies, and ``problems`` says what is wrong.
    """

    def __init__(self, sources: Sources | None = None, is_own: IsOwn | None = None) -> None:
        """``is_own`` tells whether the configuration is of this person, so its exceptions count, unless they are
        trusted; None: they count.
        """
        self.sources = sources = sources or Sources()
        self._is_own = is_own
        self._memory: MemoryFile | None = None
        self._config: Config | None = None
        self._replacer: Replacer | None = None
        self._has_config = bool(sources.config) and os.path.lexists(sources.config)

    @property
    def replacer(self) -> Replacer:
        if self._replacer is None:
            from entire_secrets.replacing import Replacer

            own = self.config.own if self.config is not None else None
            self._replacer = Replacer(self.memory, own, withheld, _sealed)
        return self._replacer

    @property
    def memory(self) -> MemoryFile:
        if self._memory is None:
            from entire.redact.memory_file import MemoryFile

            self._memory = MemoryFile(self.sources.memory)
        return self._memory

    @property
    def config(self) -> Config | None:
        """The repository's own rules and exceptions; None if it has none."""
        if self._config is None and self._has_config:
            from entire.redact import config

            read = config.load(self.sources.config)
            if read.exceptions and not self._is_trusted(read):
                read = read.without_exceptions()
            self._config = read
        return self._config

    def _is_trusted(self, config: Config) -> bool:
        """Tell whether the exceptions count: no commit brought them, or this person trusts what they are now."""
        if self._is_own is None:
            return True
        from entire.redact import config_file

        return config.exceptions_id in config_file.trusted(self.sources.trusted) or self._is_own()

    @property
    def seen_config(self) -> Config | None:
        """The repository's own rules and exceptions, if something had to be redacted, so they were read."""
        return self._config

    def redact(self, data: bytes) -> Redacted:
        """Replace the secrets in plain text."""
        return data if isinstance(data, Redacted) else Redacted(self.replacer.text(data))

    def redact_json(self, data: bytes) -> Redacted:
        """Replace the secrets in the string values of a JSON document, which stays valid; other data is plain text."""
        return data if isinstance(data, Redacted) else Redacted(self.replacer.document(data))

    def redact_jsonl(self, data: bytes) -> Redacted:
        """Replace the secrets in JSON lines, each separately; a line that is not JSON is plain text.

        Number, order and ends of lines are kept; lines without secrets are copied. Appended lines can be redacted
        alone: if ``a`` ends with a line, ``redact_jsonl(a + b) == redact_jsonl(a) + redact_jsonl(b)``, but for a secret
        in ``a`` that only ``b`` reveals.
        """
        return data if isinstance(data, Redacted) else Redacted(self.replacer.lines(data))

    def redact_text(self, text: str) -> str:
        return self.redact(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def remembered(self) -> int:
        """Return how many secrets this repository remembers; see ``entire_secrets.memory``."""
        return self.memory.count

    def memory_size(self) -> int:
        """Return the size of the repository's memory, in bytes of its file, as far as this process knows it."""
        return self.memory.seen

    def remembered_at(self, size: int) -> int | None:
        """Return how many secrets the repository remembered when its memory had ``size`` bytes, or fewer; None if it
        has that now. Reads nothing in that case.
        """
        try:
            now = os.stat(self.sources.memory).st_size
        except OSError:  # there is none
            now = 0
        return None if max(size, 0) == now else self.memory.count_at(size)

    def reveals(self, data: bytes, since: int) -> bool:
        """Tell whether JSON lines contain a secret that the repository remembers, but for the first ``since``."""
        return self.replacer.reveals(data, since)

    def find(self, data: bytes, *, lines: bool = False) -> list[Finding]:
        """List what would be replaced, in order: in plain text or a JSON document, or with ``lines`` in JSON lines."""
        return self.replacer.find(data, by_line=lines)

    def find_long(self, text: Source, name: str, progress: Callable[[int], None]) -> Iterator[Hit]:
        """Yield what would be replaced in a text of any size, block by block."""
        from entire_secrets import streams  # no hook asks

        return streams.scan(self.replacer, text, name, progress)

    def rules_version(self) -> str:
        """Return what tells one state of the rules from another: a digest of the files that find secrets and of the
        repository's own rules and exceptions.
        """
        import entire_secrets
        from entire.model.digest import sha256
        from entire.redact import config_file

        try:
            digest = sha256(config_file.read(self.sources.config) if self.sources.config else b"")
        except OSError:  # there is none, or it cannot be read
            digest = sha256(b"")
        if self.config is not None and self.config.unfollowed:
            digest.update(b"without its exceptions")
        for package in (__file__, entire_secrets.__file__):
            for top, folders, names in os.walk(os.path.dirname(package)):
                folders.sort()
                for name in sorted(names):
                    if name.endswith(".py"):
                        with open(os.path.join(top, name), "rb") as file:
                            digest.update(name.encode() + b"\0" + file.read())
        return digest.hexdigest()[:16]


def _sealed(data: bytes) -> frozenset[int]:
    from entire.redact import seals

    return seals.values(data)
