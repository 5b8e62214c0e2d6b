"""Judges whether a value in the place of a secret looks like one.

A vendor's token needs little more than its prefix. ``password = ...`` needs judgement: most of what follows it in code
and prose is a variable, a type, a path or an id. Free-standing text is never judged, so a path, a UUID, a hash, an
integrity line or a thinking block's signature is never replaced for looking random.
"""

from __future__ import annotations

from entire_secrets import MARK, patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire_secrets.judging.names import Name

STRUCTURAL_KEYS: frozenset[bytes] = frozenset(
    b"agent_id agentId call_id callID conversation_id cwd encrypted_content file file_path filename filePath "
    b"gitBranch hash id integrity leafUuid logicalParentUuid message_id messageID messageId notebook_path "
    b"parent_id parent_uuid parentId parentID parentUuid path projectHash promptId request_id requestId "
    b"rolloutPath session_id sessionId sessionID sha sha256 shellId signature slug sourceToolAssistantUUID "
    b"sourceToolUseID textSignature thinkingSignature thoughtSignature thread_id timestamp tool_call_id "
    b"tool_use_id toolCallId toolUseID toolUseId transcript_path turn_id url uuid version workdir".split()
)
"""Transcript keys whose values are ids, paths and signatures, which generic rules do not touch."""

_DIGITS = frozenset(b"0123456789")
_LOWER = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_UPPER = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTERS = _LOWER | _UPPER
_HEX = frozenset(b"0123456789abcdefABCDEF")
_JOINTS = frozenset(b"_-./:")
_OPERATORS = _JOINTS | frozenset(b"$*+=?")
_PATH = _DIGITS | _LETTERS | frozenset(b"_-./~\\@")
_CONTINUES = frozenset(b"([._") | _DIGITS | _LETTERS
_LETTERS_AND_JOINTS = bytes(_LETTERS | _JOINTS)
_OF_NAMES = bytes(_LETTERS | _DIGITS | frozenset(b"_"))
_OF_IDENTIFIERS = bytes(_LETTERS | _DIGITS | _JOINTS)
_SIGNS_AT_END = (b"_", b".", b"-")
"""What people put behind the number of a password, and no name of code ends in: ``Copper5420_``."""
_FOREIGN = frozenset(range(0x80, 0x100))
_BESIDE_WORDS = _FOREIGN | frozenset(b"()!?,\"'")
"""Letters of other languages, and signs that stand beside their words."""

_SIGILS = (b"$", b"%", b"<", b"{", b"*", b"@", b"&", b"#", b"(?")
"""What a value in code does not start with."""

_HASHES = (
    b"sha1-",
    b"sha1:",
    b"sha256-",
    b"sha256:",
    b"sha384-",
    b"sha512-",
    b"sha512:",
    b"urn:",
    b"arn:",
    b"aws:arn:",
    b"workspace:",
)
_REFERENCES = (
    b"://", b"${", b"$(", b"{{", b"#{", b"<%", b"%(", b"{}", b"ENV[", b"arn:", b":secret:", b"***", b"\xe2\x80\xa6",
    b")?.", b".*", b"'+", b"+'", b"=!0", b"=!1", b"??!", b"===", b"!=null", b"().", b"(?:",
)  # fmt: skip
_MEMBER_REFERENCES = (
    b"process.env", b"os.environ", b"env.", b"secrets.", b"var.", b"config.", b"self.", b"this.", b"args.",
    b"settings.", b"...",
)  # fmt: skip
_NAMED_REFERENCES = (b"getenv", b"PBEWith", b"PBEWITH", b"aws4_request")
"""What code, templates and cut texts contain, and no secret: with signs, with a dot, and of what names consist of."""

_UNSIGNED = bytes(_LETTERS | _DIGITS | frozenset(b"_./$-"))


_KEPT = 4096
_entropies: dict[bytes, float] = {}
"""Of the last values: several rules ask about each, and so does the memory."""

_COUNTED = 256
_LOGARITHMS: list[float] = []
_SUMMANDS: list[float] = []
"""For each number up to ``_COUNTED`` its logarithm, and what a byte takes from an entropy that occurs so often."""


def entropy(value: bytes) -> float:
    """Return the Shannon entropy of ``value`` in bits per byte, from 0 to 8."""
    if value not in _entropies:
        if len(_entropies) >= _KEPT:
            _entropies.clear()
        _entropies[value] = _entropy(value)
    return _entropies[value]


def is_varied(value: bytes, least: float) -> bool:
    """Tell whether the entropy of ``value`` is at least so much. Its distinct bytes are counted first: if all others
    were the same byte, it would be lowest, and mostly even that is enough.
    """
    size = len(value)
    if not _SUMMANDS:
        _measure()
    if 0 < size < _COUNTED and _LOGARITHMS[size] - _SUMMANDS[size - len(set(value)) + 1] / size >= least:
        return True
    return entropy(value) >= least


def _entropy(value: bytes) -> float:
    size = len(value)
    if not _SUMMANDS:
        _measure()
    counts = list(map(value.count, set(value)))
    if size >= _COUNTED:
        from math import log2

        return log2(size) - sum(count * log2(count) for count in counts) / size
    return _LOGARITHMS[size] - sum(map(_SUMMANDS.__getitem__, counts)) / size if size else 0.0


def _measure() -> None:
    from math import log2

    _LOGARITHMS.extend((0.0, *map(log2, range(1, _COUNTED))))
    _SUMMANDS.extend(count * logarithm for count, logarithm in enumerate(_LOGARITHMS))


def assigned(left: bytes, value: bytes, right: bytes = b"") -> bool:
    """Tell whether ``value`` looks like a secret: ``left`` is the text before it, with a name and an operator."""
    if _is_ordinary(value) or _is_subscripted(value):
        return False
    from entire_secrets.judging import names

    name = names.read(left)
    if name is None or value.lstrip(b"\\").startswith(_SIGILS) or is_reference(value):
        return False
    if _is_foreign(value):
        return False
    value = value.lstrip(b"+")  # a blank, in a form
    value = value.replace(b"\\-", b"-").replace(b"\\&", b"")  # as in a manual's source
    if left.endswith(b":") and value.startswith(b":"):
        return False  # a path of Rust
    if value.replace(b"\\", b"").startswith(b"--") or b'","' in value or b'":"' in value:
        return False  # the next flag, the next strings
    if b"," in value and all(len(piece) < 3 or piece.isdigit() for piece in value.split(b",")):
        return False  # numbers
    kinds = set(value)
    if is_uuid(value, kinds):
        return name.is_strong and (name.is_literal or name.is_compound)
    if is_path(value, kinds) or (not name.is_strong and is_object_id(value, kinds)):
        return False
    if not name.is_literal and right and right[0] in _CONTINUES:
        return False
    if _is_code(value, kinds, literal=name.is_literal):
        is_type = not name.is_literal and right in (b";", b",", b")")
        if name.is_chosen and (_ends_in_number(value) if name.is_literal else _is_bare_pair(value)):
            return True
        return name.is_chosen and not is_type and _is_memorable(value, kinds, literal=name.is_literal)
    return _is_random(value, kinds, name)


def _is_ordinary(value: bytes) -> bool:
    """Tell whether ``value`` is so clearly a name that nothing else needs to be asked: most are."""
    if value.translate(None, _LETTERS_AND_JOINTS) or is_drawn(value):
        return False
    return len(value) < 15 or (b"-" not in value and (value.islower() or value.isupper()))


def placed(value: bytes, *, is_coded: bool, is_worded: bool) -> bool:
    """Tell whether ``value``, in a place where only secrets stand, may be one.

    ``is_coded`` where names of code may stand as well, ``is_worded`` where these and passwords of words may.
    """
    if is_reference(value) or _is_subscripted(value):
        return False
    value = value.lstrip(b"+").rstrip(b",;")  # a blank, in a form; the end of a statement
    if b"(" not in value:
        value = value.rstrip(b")")
    kinds = set(value)
    if len(kinds) < 3 or _is_call(value) or (is_path(value, kinds) and not _is_mixed(kinds)):
        return False
    if not (is_coded or is_worded) or not (_is_code(value, kinds, literal=True) or _is_numbered(value, kinds)):
        return True
    if not is_worded:
        return _is_passphrase(value)
    return _is_memorable(value, kinds, literal=True) or _is_pair(value)


def is_reference(value: bytes) -> bool:
    """Tell whether ``value`` stands for another: a variable, URL, format, version, date, hash or resource name."""
    if value.startswith(_HASHES) or value[:1] in b"<{*@" or _refers(value):
        return True
    if value[:1] in b"$%" and (value[-1:] == b"%" or _is_name(value[1:])):
        return True  # a variable
    from entire_secrets.judging.code import is_code

    if (b"=" in value and _is_settings(value)) or is_code(value):
        return True
    if not value.isascii() and any(b"$%d" % number in value for number in (1, 2, 3)):
        return True  # a sentence with a place for a word
    if value[:1] == b"#" and len(value) in (4, 7, 9) and set(value[1:]) <= _HEX:
        return True  # a colour
    if value.rstrip(b"),;").endswith((b"PublicKey", b"PrivateKey")):
        return True  # a type of a cryptographic library
    name, _, member = value.partition(b".")
    if _is_bundled(value) or (_is_bundled(name) and _is_name(member)):
        return True
    if (value[:2] == b"0x" and len(value) <= 18) or (value[:1] in b"^~" and value[1:2].isdigit()):
        return True
    if (value.count(b":") > 2 and not value.translate(None, _OF_IDENTIFIERS)) or (
        value[:1] == b"+" and value[-1:] in b"+)"
    ):  # an address, a term of code
        return True
    return value[4:5] == b"-" == value[7:8] and value[:4].isdigit() and value[5:7].isdigit()


def _refers(value: bytes) -> bool:
    tried = (*_REFERENCES, *_NAMED_REFERENCES) if value.translate(None, _UNSIGNED) else _NAMED_REFERENCES
    for each in (*tried, *_MEMBER_REFERENCES) if b"." in value else tried:  # noqa: SIM110 (a generator is slower)
        if each in value:
            return True
    return False


def _is_foreign(value: bytes) -> bool:
    """Tell whether ``value`` is a sentence of a language without blanks."""
    return not value.isascii() and sum(byte >= 0x80 for byte in value) * 2 > len(value) > 30


def _is_settings(value: bytes) -> bool:
    """Tell whether ``value`` is ``name=value``, of words, or several: ``source=ssh-key,target=ssh``."""
    pieces = [piece.partition(b"=") for piece in value.rstrip(b",").split(b",")]
    if not all(name and sign and not name.translate(None, _OF_IDENTIFIERS) for name, sign, _ in pieces):
        return False
    if len(pieces) > 1:
        return all(rest for _, _, rest in pieces)
    from entire_secrets.judging import words

    name, _, rest = pieces[0]
    is_short = len(rest) <= 5 or words.share(rest) >= 0.5
    digits = len(rest) - len(rest.translate(None, bytes(_DIGITS)))
    return digits <= 4 and is_short and not set(name) & _DIGITS and words.share(name) >= 0.5


def _is_bundled(name: bytes) -> bool:
    """Tell whether a bundler made this name: ``constants$3``."""
    return name[-2:-1] == b"$" and name[-1:].isdigit()


def _is_name(value: bytes) -> bool:
    return not value.translate(None, _OF_NAMES)


def _is_call(value: bytes) -> bool:
    """Tell whether ``value`` is a call, whole or cut, of a function that has words as its name, or a short one."""
    name, parenthesis, _ = value.partition(b"(")
    if parenthesis and len(value) < 8 and value.translate(None, b"()=.").isalpha():
        return True
    if not parenthesis or name.translate(None, _OF_IDENTIFIERS):
        return False
    from entire_secrets.judging import words

    return value.rstrip(b",;").endswith(b")") or words.share(name) >= 0.5


_SUBSCRIPT = rb"\[(?:\^|\w-\w|\\\w|[\"'`]|-?\d{0,3}\])"


def _is_subscripted(value: bytes) -> bool:
    """Tell whether brackets in ``value`` are those of a list, a subscript, a type, a pattern or our mark; a random
    password may have some, too.
    """
    if b"[" not in value:
        return False
    if value[:1] == b"[" or MARK in value or patterns.compile(_SUBSCRIPT).search(value):
        return True
    rest = patterns.compile(rb"\[([^\[]*)\]").sub(lambda found: found[0] if _is_mixed(set(found[1])) else b"", value)
    if rest == value:
        return False
    kinds = set(rest)
    return len(rest) < 8 or not kinds & _DIGITS or _is_code(rest, kinds, literal=False)


def _is_mixed(kinds: set[int]) -> bool:
    return all(kinds & some for some in (_DIGITS, _LOWER, _UPPER))


def _is_code(value: bytes, kinds: set[int], *, literal: bool) -> bool:
    """Tell whether ``value`` consists of words as a name, a type or an expression does, or is a constant."""
    if kinds - _DIGITS - _LETTERS - (_JOINTS if literal else _OPERATORS):
        return False
    from entire_secrets.judging import words

    return words.share(value) >= (0.5 if literal else 0.35) or (b"_" in value and value.isupper())


def _is_memorable(value: bytes, kinds: set[int], *, literal: bool) -> bool:
    """Tell whether words may be a password: ``hunter2``, ``correct-horse-battery-staple``, but no identifier."""
    if value[-1:] in _SIGNS_AT_END and value[-3:-1].isdigit():
        value = value[:-1]
        kinds = set(value)
    if kinds & _JOINTS:
        return _is_disguised(value) or (literal and _is_passphrase(value))
    from entire_secrets.judging import words

    sizes = [len(run) for run in words.runs(value)]
    few = sum(size >= 4 for size in sizes) <= 3 and len(sizes) <= 6
    return bool(kinds & _DIGITS) and len(value) >= 6 and few and b"passw" not in value.lower()


def _is_disguised(value: bytes) -> bool:
    """Tell whether ``value`` is words in which digits replace letters, and a number: ``C0pper-meadow17``."""
    return bool(
        patterns.compile(
            rb"(?=.*[A-Za-z][013457][A-Za-z_.:/-])[A-Za-z0-9]{3,20}[_.:/-][A-Za-z][A-Za-z013457]{2,20}\d{2,4}"
        ).fullmatch(value)
    )


def _ends_in_number(value: bytes) -> bool:
    """Tell whether ``value`` is a passphrase or two words, and a number."""
    return _is_pair(value) or _is_passphrase(value.rstrip(b"0123456789-"))


def _is_pair(value: bytes) -> bool:
    """Tell whether ``value`` is two words, one with a capital, and a number: ``Coffee-garden812``."""
    from entire_secrets.judging import placeholders

    match = patterns.compile(rb"(?=.*[A-Z])([A-Za-z][a-z]{2,14})[_.:/-]([A-Za-z][a-z]{2,14})\d{2,4}").fullmatch(value)
    return match is not None and not any(placeholders.is_kind(word.lower()) for word in match.groups())


def _is_bare_pair(value: bytes) -> bool:
    """Tell whether a bare ``value`` is two words and a number, with a hyphen or more digits than a name has."""
    return _is_pair(value) and (b"-" in value or (b"_" in value and value[-3:].isdigit()))


def _is_passphrase(value: bytes) -> bool:
    from entire_secrets.judging import placeholders

    pieces = value.rstrip(b"0123456789").split(b"-")
    return len(pieces) >= 4 and all(
        3 <= len(piece) <= 12 and piece.isalpha() and piece.islower() and not placeholders.is_kind(piece)
        for piece in pieces
    )


def _is_random(value: bytes, kinds: set[int], name: Name) -> bool:
    """Tell whether ``value`` is as mixed and long as a secret of such a name."""
    digits, letters = bool(kinds & _DIGITS), bool(kinds & _LETTERS)
    signs = kinds - _DIGITS - _LETTERS - _JOINTS
    symbols = bool(signs - _BESIDE_WORDS if signs & _FOREIGN else signs)
    if name.is_chosen and name.is_literal and is_drawn(value):
        return True
    if name.is_strong and name.is_literal:
        mixed = digits or symbols or (len(value) >= 16 and bool(kinds & _LOWER) and bool(_UPPER & set(value[1:])))
        return len(value) >= 6 and mixed and is_varied(value, 2.5)
    if not digits and is_jumbled(value):
        return True
    if len(value) < 8 or not digits or not letters or _is_identifier(value, kinds):
        return False
    mixed = symbols or (bool(kinds & _LOWER) and bool(kinds & _UPPER)) or kinds <= _HEX or len(value) >= 20
    return (mixed or name.is_strong) and is_varied(value, 2.75 if name.is_strong else 3.0)


def is_jumbled(value: bytes) -> bool:
    """Tell whether ``value`` is letters alone, but random ones: one random value of 16 in fifteen has no digit."""
    from entire_secrets.judging import words

    value = value.translate(None, b"_-")
    return (
        len(value) >= 14
        and value.isalpha()
        and len(patterns.compile(rb"(?<=[A-Z])[a-z]{1,2}(?=[A-Z])|(?<=[a-z])[A-Z]{2,}(?=[a-z])").findall(value)) > 1
        and words.share(value) < 0.35
    )


def is_drawn(value: bytes) -> bool:
    """Tell whether ``value`` is small letters alone, but random ones: Google and Apple draw passwords of apps so."""
    pieces = value.split(b"-")
    if len(pieces) == 1 and 16 <= len(value) <= 32:
        pieces = [value[at : at + 8] for at in range(len(value) - 7)]
    elif list(map(len, pieces)) != [4, 4, 4, 4]:
        return False
    if not all(piece.isalpha() and piece.islower() for piece in pieces):
        return False
    from entire_secrets.judging import words

    return not any(map(words.is_word, pieces))


def is_path(value: bytes, kinds: set[int]) -> bool:
    """Tell whether ``value`` is a path: rooted, or several parts with an extension."""
    if value[1:3] == b":\\":
        return kinds <= _PATH | {0x3A}
    if not kinds <= _PATH:
        return False
    if value.startswith((b"/", b"./", b"../", b"~/")):
        return not _is_base64(value, kinds)
    return b"/" in value and b"." in value.rpartition(b"/")[2]


def _is_base64(value: bytes, kinds: set[int]) -> bool:
    """Tell whether ``value``, which starts like a path, is random."""
    if len(value) < 24 or b"." in value or not _is_mixed(kinds):
        return False
    from entire_secrets.judging import words

    return words.share(value) < 0.35 and value.count(b"/") <= 1 + len(value) // 20


def is_uuid(value: bytes, kinds: set[int]) -> bool:
    """Tell whether ``value`` is a UUID in its usual spelling."""
    return len(value) == 36 and value.count(b"-") == 4 and value[8] == value[23] == 0x2D and kinds <= _HEX | {0x2D}


def is_object_id(value: bytes, kinds: set[int]) -> bool:
    """Tell whether ``value`` looks like a git object id or content hash: 40 or 64 hex digits."""
    return len(value) in (40, 64) and kinds <= _HEX


def _is_numbered(value: bytes, kinds: set[int]) -> bool:
    """Tell whether ``value`` is an identifier with one digit, or of several words: ``eu-west-3``, ``x2_auth_file``."""
    return (value[-2:-1] in (b"-", b"_") or value.count(b"_") > 1) and _is_identifier(value, kinds)


def _is_identifier(value: bytes, kinds: set[int]) -> bool:
    """Tell whether ``value`` is words joined by ``_ - .`` and a final number: ``user_token2``, ``config.auth-v2``,
    ``pkcs1_key``.
    """
    if not kinds <= _LETTERS | _DIGITS | _JOINTS:
        return False
    if not any(joint in value for joint in (b"_", b".", b"-")):
        return False
    if not set(value.rstrip(b"0123456789")) & _DIGITS:
        return True
    pieces = [piece.rstrip(b"0123456789") for piece in value.split(b"_")]
    if not all(map(bytes.isalpha, pieces)):
        return False
    from entire_secrets.judging import words

    return any(map(words.is_word, pieces))
