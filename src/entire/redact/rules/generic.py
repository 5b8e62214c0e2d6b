"""Values assigned to a telling name, judged by ``heuristics.assigned``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.redact.rules.pieces import Row

NAMES: tuple[bytes, ...] = (
    b"secret", b"token", b"password", b"passwd", b"passphrase", b"pwd", b"api_key", b"apikey", b"api-key",
    b"access_key", b"accesskey", b"access-key", b"private_key", b"privatekey", b"signing_key", b"encryption_key",
    b"master_key", b"credential", b"_auth",
)  # fmt: skip
"""Words in the name of a variable, field or flag whose value may be a secret."""

FLAGS: tuple[bytes, ...] = (
    b"-password",
    b"-passwd",
    b"-passphrase",
    b"-secret",
    b"-token",
    b"-api-key",
    b"-access-key",
)

# The rest of the name; not one that says "this is about a secret, not a secret" (token_uri, secretName, password_file).
_REST = (
    rb"[A-Za-z0-9_.-]{0,24}"
    rb"(?<!name)(?<!_id)(?<!-id)(?<!tokenid)(?<!uri)(?<!url)(?<!path)(?<!file)(?<!type)(?<!_ref)"
    rb"(?<!field)(?<!label)(?<!hint)(?<!hash)(?<!count)(?<!limit)(?<!length)(?<!policy)(?<!version)(?<!izer)"
)
_WORD = b"(?:" + b"|".join(sorted(NAMES, reverse=True)) + b")"  # longer names first, if one is a prefix of another
_FLAG = rb"(?i)(?:(?<=-)|(?<=--db)|(?<=--api)|(?<=--auth)|(?<=--access)|(?<=--user)|(?<=--client)|(?<=--admin))-"
_OPERATOR = rb"[\"'`]?[ \t]{0,8}(?::=|=>|={1,3}|:)[ \t]{0,8}"

GUARD = rb"[A-Za-z0-9_.-]{0,24}+" + _OPERATOR + rb"(?!\d{1,9}[,}])[^\s]{5}"
"""What must follow a name, checked before any of these rules is tried: names are common in clean text."""

ROWS: tuple[Row, ...] = (
    ("generic-flag", FLAGS, _FLAG + _WORD + _REST + rb"[ ](?P<s>[^\s\"'`,;(){}\[\]<>$|&-]"
     rb"[^\s\"'`,;(){}\[\]<>$|&]{5,300})", 0, "a flag of a command", "mytool --password «<alnum:10>»"),
    ("generic-quoted", NAMES,
     rb"(?i)" + _WORD + _REST + _OPERATOR + rb"[bfru]?(?P<q>[\"'`])"
     rb"(?P<s>(?:[^\"'`\s\[\]]|(?!(?P=q))[\"'`]){4,400})(?P=q)",
     0, "a name with a quoted value", "db_password = '«<alnum:10>»'"),
    ("generic-value", NAMES,
     rb"(?i)" + _WORD + _REST + _OPERATOR + rb"(?P<s>[^\s\"'`,;(){}\[\]<>|&]{6,400})(?![(\[])",
     0, "a name with a bare value", "DB_PASSWORD=«<alnum:10>»"),
)  # fmt: skip
