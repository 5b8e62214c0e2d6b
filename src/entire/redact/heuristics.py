"""Judges whether a value in the place of a secret looks like one.

A vendor's token needs little more than its prefix. ``password = ...`` needs judgement: most of what follows it in code
and prose is a variable, a type, a path or an id. Free-standing text is never judged, so a path, a UUID, a hash, an
integrity line or a thinking block's signature is never replaced for looking random.
"""

from __future__ import annotations

MARK = b"[REDACTED:"
"""Start of every replacement; text that contains it is never a secret again."""

STRUCTURAL_KEYS: frozenset[bytes] = frozenset(
    b"agent_id agentId call_id callID conversation_id cwd encrypted_content file file_path filename filePath "
    b"gitBranch hash id integrity leafUuid logicalParentUuid message_id messageID messageId notebook_path "
    b"parent_id parent_uuid parentId parentID parentUuid path projectHash promptId request_id requestId "
    b"rolloutPath session_id sessionId sessionID sha sha256 shellId signature slug sourceToolAssistantUUID "
    b"sourceToolUseID textSignature thinkingSignature thoughtSignature thread_id timestamp tool_call_id "
    b"tool_use_id toolCallId toolUseID toolUseId transcript_path turn_id url uuid version workdir".split()
)
"""Transcript keys whose values are ids, paths and signatures, which generic rules do not touch."""

_STRONG = (b"secret", b"pass", b"pwd", b"key", b"credential")
_HASHES = (b"sha1-", b"sha1:", b"sha256-", b"sha256:", b"sha384-", b"sha512-", b"sha512:")
_STRENGTHENING = (b"auth", b"access", b"api", b"refresh", b"bearer", b"github", b"secret")
_DIGITS = frozenset(b"0123456789")
_LOWER = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_UPPER = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTERS = _LOWER | _UPPER
_HEX = frozenset(b"0123456789abcdefABCDEF")
_JOINTS = frozenset(b"_-./:")
_PATH = _DIGITS | _LETTERS | frozenset(b"_-./~\\@")
_REFERENCES = (b"://", b"${", b"{{", b"process.env", b"os.environ", b"os.getenv", b"ENV[", b"secrets.", b"...", b"***")


def entropy(value: bytes) -> float:
    """Return the Shannon entropy of ``value`` in bits per byte, from 0 to 8."""
    from math import log2

    size = len(value)
    total = 0.0
    for byte in sorted(set(value)):
        share = value.count(byte) / size
        total -= share * log2(share)
    return total


def assigned(before: bytes, name: bytes, value: bytes, *, quoted: bool) -> bool:
    """Tell whether ``value`` looks like a secret; in its name, the keyword ``name`` follows ``before``."""
    if (
        value[:1] in (b"$", b"%", b"<", b"{", b"*", b"@", b"&", b"#")
        or value.startswith(_HASHES)
        or any(sign in value for sign in _REFERENCES)
    ):
        return False
    kinds = set(value)
    # PASSWORD=..., as in an environment file, and "..." contain values; elsewhere a name often follows a name.
    name, literal = name.lower(), quoted or name.isupper()
    strong = name.startswith(_STRONG) or name.endswith(b"key") or any(word in before.lower() for word in _STRENGTHENING)
    if is_path(value, kinds) or is_uuid(value, kinds) or (not strong and is_object_id(value, kinds)):
        return False
    digits, letters = bool(kinds & _DIGITS), bool(kinds & _LETTERS)
    symbols = bool(kinds - _DIGITS - _LETTERS - _JOINTS)
    if strong and literal:
        return len(value) >= 6 and (digits or symbols) and entropy(value) >= 2.5
    if len(value) < 8 or not digits or not letters or _is_identifier(value, kinds):
        return False
    mixed = symbols or (bool(kinds & _LOWER) and bool(kinds & _UPPER)) or kinds <= _HEX or len(value) >= 20
    return (mixed or strong) and entropy(value) >= (2.75 if strong else 3.0)


def is_path(value: bytes, kinds: set[int]) -> bool:
    """Tell whether ``value`` is a path: rooted, or several parts with an extension."""
    if value[1:3] == b":\\":
        return kinds <= _PATH | {0x3A}
    if not kinds <= _PATH:
        return False
    if value.startswith((b"/", b"./", b"../", b"~/")):
        return True
    return b"/" in value and b"." in value.rpartition(b"/")[2]


def is_uuid(value: bytes, kinds: set[int]) -> bool:
    """Tell whether ``value`` is a UUID in its usual spelling."""
    return len(value) == 36 and value.count(b"-") == 4 and value[8] == value[23] == 0x2D and kinds <= _HEX | {0x2D}


def is_object_id(value: bytes, kinds: set[int]) -> bool:
    """Tell whether ``value`` looks like a git object id or content hash: 40 or 64 hex digits."""
    return len(value) in (40, 64) and kinds <= _HEX


def _is_identifier(value: bytes, kinds: set[int]) -> bool:
    """Tell whether ``value`` is words joined by ``_ - .`` and a final number: ``user_token2``, ``config.auth-v2``."""
    if not kinds <= _LETTERS | _DIGITS | _JOINTS:
        return False
    return any(joint in value for joint in (b"_", b".", b"-")) and not set(value.rstrip(b"0123456789")) & _DIGITS
