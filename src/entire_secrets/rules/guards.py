"""What must follow a keyword that is common in clean text before its rules are tried.

A guard stands right behind its keyword. The compiled tier finds keyword and guard in one pass; otherwise a guard is
tried at each keyword. It is written in what both ``re`` and RE2 know: no possessive repetitions, and of assertions only
``(?=...)`` without groups in it. RE2 leaves that out: what reaches far behind a keyword takes an automaton many states.
"""

from __future__ import annotations

NAMES: tuple[bytes, ...] = (
    b"secret", b"token", b"password", b"passwd", b"passphrase", b"pwd", b"api_key", b"apikey", b"api-key",
    b"access_key", b"accesskey", b"access-key", b"private_key", b"privatekey", b"signing_key", b"encryption_key",
    b"master_key", b"credential", b"_auth", b"_pass", b"dbpass", b"userpass", b"app_key", b"auth_key", b"authkey",
    b"license_key", b"licensekey", b"licence_key", b"encryptionkey", b"encryption-key", b"signing-key", b"signingkey",
    b"master-key",
    b"masterkey", b"master.key", b"shared_key", b"sharedkey", b"account_key", b"accountkey", b"storage_key",
    b"session_key",
    b"cookie_key", b"hmac_key", b"aes_key", b"aeskey", b"cipher_key", b"jwt_key", b"fernet_key", b"private-key",
    b"client-key-data",
    b"bindpw", b"rootpw", b"pepper", b"_salt", b"salt_", b"passwort", b"kennwort", b"webhook_key", b"bind_pw",
    b"hashkey", b"blockkey",
    b"hash_key", b"_seed", b"seed_", b"_psk", b"wpa_psk", b"storepass", b"keypass", b"sshpass", b"encryption.key",
    b"signing.key", b"secret.key", b"api.key", b"api key", b"pre_shared_key", b"passcode",
)  # fmt: skip
"""Words in the name of a variable, field or flag whose value may be a secret."""

_WORD = rb"[a-z_./:-]"
_OTHER = rb"(?:[^\sa-z_./:,;(){}\[\]<>|\"'`-]|,[^\s\"'`{}()\[\]]|\((?:[\"'`]|[^\s)]{8}))"
# In quotes, or five characters that are more than a short word: most of what is assigned in code is a variable.
_VALUE = (
    rb"(?:(?:\[\]byte\(|\(str,[ ]?)?[bfrun@]{0,2}[\"'`][^\s]{4}|[|>]|\(\n|\n[ \t]{0,80}string\(|"
    + _WORD + rb"{14}|" + _WORD + rb"{4,13}" + _OTHER + rb"|" + _WORD + rb"{1,13}[\]{}][^\s]{6}|"
    + b"|".join(_WORD * before + _OTHER + rb"[^\s,;)}]" * (4 - before) for before in range(4)) + rb")"
)  # fmt: skip
_NAMED = (
    rb"(?i)[A-Za-z0-9_.-]{0,48}(?:"
    rb"(?P<pair>[\"'`]?[ \t]{0,4}(?:(?:,|:[ ]?\{)?[ \t]{0,40}(?:\w{1,20}:)?[\"'`]?(?:val|default|content)"
    rb"|:[ ]?\{\s{0,80}\"(?:sensitive|type)\"|(?:,|:[ ]?\{)?[ ]?\n(?=[^\n]{0,60}val|[^\n]{0,60}default"
    rb"|[^\n]{0,60}content))"
    rb"|(?:value|default|content|val)[\"'`]?[ \t]{0,8}[:=])"
    rb"|[\"'`\])*_]{0,3}[ \t]{0,40}(?:"
    rb"(?P<assigned>(?:(?:&?(?:as[ ])?(?:str|string)\b|\[\]byte|\[\d{0,4}\])[ \t]{0,8})?(?:[:=]|->|\xe2\x86\x92|<-|\?\?"
    rb"|\|\||or[ ])[=>*-]{0,2}[ \t]{0,8}"
    rb"(?:&?(?:'static )?(?:final\[|optional\[)?(?:str|string|char|bytes|secretstr|nsstring)\b[\]?!*]{0,2}"
    rb"(?:[ ]\|[ ]none)?[ ]{0,8}=[ ]{0,8})?" + _VALUE + rb")"
    rb"|(?P<cell>\||\xe2\x94\x82)|(?P<element>>|</key|</t[dh]>)|(?P<called>\(|,[ ]{0,16}(?:with:[ ])?[\"'`b@&]"
    rb"|\.(?:type|fill|send|set|input|clear)\w{0,12}\()|(?P<which>, which is|[;,.][ ](?:the|its|our|my)[ ]new[ ]one))"
    rb"|(?P<attributes>[\"']?[ ][\w:.-]{1,40}=[\"'](?=[^<>\n]{0,80}>))"
    rb"|(?P<beside>(?:'|\xe2\x80\x99)s[ ][^\s]{0,60}\d|"
    rb"[ \t]{1,16}(?:\(?[\"'`*]|(?:is|are|was|for|to|of|on|in|here|there|from|at|now|again|will|should"
    rb"|generated|set|created|changed|reset|key|has|you|we|ist|est|es)\b"
    rb"|\xc3[\xa8\xa9][ ]|[^\s]{0,60}\d))"
    rb"|(?P<lines>[\"'`*]{0,2}(?:;|[ \t]{0,80}\n))|(?P<shown>(?:[\"'`]\]|\})[ \t]{0,80}\n))"
)

GUARDS: tuple[tuple[tuple[bytes, ...], bytes], ...] = (
    (NAMES, _NAMED),
    # A login first, for a query may follow it.
    ((b"://",), rb"(?:(?P<login>[^\s\"'`/?<>]{1,400}@)|(?P<query>[^\s\"'`<>?#]{1,300}[?#]))"),
    ((b" as ",), rb"(?i)(?:[\w-]{1,20}[ ]){0,4}(?:password|passwd|passphrase|api key|token)"),
    ((b"cookie",), rb"(?i)s?[\"'`]?[ \t]{0,4}(?:[:=,\"']|=>)"),
    ((b"sid", b"sessionid", b"phpsessid", b"jsessionid", b"connect.sid", b"laravel_session", b"csrftoken"), rb"="),
    ((b"pass", b"salt", b" pw"), rb"(?:(?:\[\d{0,4}\])?[\"'`]?[ \t]{0,8}[=:]|[ ]{1,40}\||[ ](?=[^<>\n]{0,60}>)|>)"),
    (
        (b"license", b"licence", b"serial", b"product", b"activation"),
        rb"(?i)(?:[ _-]?(?:key|code|number|no))?[\"'`]?[ \t]{0,60}(?:[:=,|*]|is[ ])",
    ),
    ((b"expect",), rb"[ ](?=[^\n]{0,60}[Pp]ass|[^\n]{0,60}PASS|[^\n]{0,60}assword)"),
    ((b"config",), rb":set"),
    ((b"net",), rb"[ ]use"),
    ((b" az",), rb"[ ](?:sql|mysql|postgres|mariadb|synapse)[ ]"),
    ((b"accounts",), rb"[\"']?[ ]{0,4}[:=][ ]{0,4}\["),
    ((b"tcp", b"unix"), rb"\("),
    ((b"smtp",), rb"[\w.-]{1,100}\]?:\d{2,5}[ \t]"),
    ((b"465", b"587"), rb"[ \t]{1,20}[^\s:\"'`]{1,100}:[^\s]"),
    ((b"fernet",), rb"\("),
    ((b"username",), rb"[\"'][ ]{0,2}:[ ]{0,2}[\"'][A-Za-z0-9_-]{1,40}[\"'],\s{0,8}[\"']key[\"']"),
    ((b"oauth",), rb":[a-z0-9]{30}"),
    ((b"alias",), rb"[ ]set[ ]"),
    ((b"variable",), rb"[ ]\""),
    ((b"backup", b"recovery"), rb"(?i)[ _-]?code"),
    ((b"insert",), rb"(?i)[ ]into[ ]"),
    # Prefixes of tokens that are also the beginnings of words.
    ((b" mt", b" mj", b" mz", b" nd", b" nt", b" nj", b" nz", b" od", b" ot"), rb"[\w-]{22}"),
    ((b" 119", b" 120", b" 121"), rb"\d{10}"),
    ((b"sdk-", b"api-"), rb"[0-9A-Fa-f]{8}-"),
    ((b"pat",), rb"[A-Za-z0-9]{14}\."),
    ((b"eaa", b"napi_", b" s.", b" test_", b" live_", b" v1.", b" key_", b"key-"), rb"[A-Za-z0-9]{20}"),
    ((b"re_", b"secret_", b"secret-"), rb"\w{20}"),
    ((b" asb", b" aeh", b" arm", b" ast", b" aba", b" amc"), rb"[A-Za-z0-9+/]{4}"),
    ((b" sha256",), rb"~"),
)
"""Keywords, and the guard of each. A named group tells what follows."""

COLUMNS = ("table-column", "table-column-1", "table-column-2", "table-column-3")
"""Rules for a table's column of secrets, with so many columns behind it."""

FOLLOWS: dict[str, tuple[str, ...]] = {
    "device-secret": ("beside",),
    "csv-column": ("pair", "beside", "lines", "cell"),
    "generic-quoted": ("pair", "assigned", "cell", "element"),
    "generic-value": ("pair", "assigned", "cell", "element"),
    "mixed-value": ("pair", "assigned", "cell", "element"),
    "named-token": ("beside",),
    "shown-value": ("lines", "shown"),
    "named-argument": ("pair", "called", "beside"),
    "named-cell": ("cell", "beside"),
    "named-element": ("element", "attributes", "beside"),
    "named-environment": ("pair", "beside"),
    "named-pair": ("pair", "attributes"),
    "named-part": ("lines", "cell", "beside"),
    "named-prompt": ("beside",),
    "named-sentence": ("beside", "which"),
    **dict.fromkeys(COLUMNS, ("cell", "beside", "lines")),
    "typed-value": ("called",),
    "url-credentials": ("login",),
    "url-parameter": ("pair", "assigned"),
    "url-query": ("login", "query"),
    "url-token": ("login",),
}
"""Which groups of its keyword's guard a rule can match behind; a rule that is not named, behind all."""

UNGUARDED = frozenset((
    *("api-key-header", "app-key", "azure-account-key", "azure-key", "ethereum-private-key", "ethereum-wallet"),
    *("keystore-password",),
    *("ldap-bind", "login-pair", "named-abroad", "octopus-key", "secret-assignment", "secret-store", "sshpass-flag"),
    *("vpn-key", "wireguard-key", "wordpress-salt"),
))  # fmt: skip
"""Rules that share a rare one of ``NAMES``, and match where its guard does not."""

GUARD_OF = {keyword: guard for keywords, guard in GUARDS for keyword in keywords}


def is_free(keyword: bytes, rule: str) -> bool:
    """Tell whether a rule is tried wherever this keyword of it stands."""
    return keyword not in GUARD_OF or (rule in UNGUARDED and keyword in NAMES)
