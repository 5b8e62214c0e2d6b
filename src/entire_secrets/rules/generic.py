"""Values of a telling name: assigned, passed, written into an element, a cell or a sentence."""

from __future__ import annotations

from entire_secrets.rules.guards import NAMES
from entire_secrets.rules.macros import LIKELY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire_secrets.rules.macros import RegionRow, Row

FLAGS: tuple[bytes, ...] = (
    b"-password", b"-passwd", b"-passphrase", b"-secret", b"-token", b"-api-key", b"-apikey", b"-access-key", b"-pass",
    b"-pwd",
    b"-auth-key", b"-authkey", b"-account-key", b"-license-key", b"-encryption-key", b"-client-secret", b"-secret-key",
    b"-psk", b"-shared-key",
)  # fmt: skip
"""Keywords of ``generic-flag``."""

# The name from its keyword on; not one that says "this is about a secret, not a secret" (token_uri, secretName).
_RUN = rb"[A-Za-z_-][A-Za-z0-9_.-]{2,48}(?:[ ](?:key|Key|KEY)[A-Za-z0-9_.-]{0,40})?"
_NO_NAME = (
    rb"(?<![nN]ame)(?<![nN]ames)(?<!NAME)(?<!_id)(?<!-id)(?<!_ID)(?<!Id)(?<!ur[il])(?<!Ur[il])(?<!UR[IL])"
    rb"(?<![pP]ath)(?<!PATH)(?<![fF]ile)(?<!FILE)"
    rb"(?<![tT]ype)(?<!TYPE)(?<!_ref)(?<!Ref)(?<![fF]ield)(?<![lL]abel)(?<![hH]int)(?<![hH]ash)(?<![cC]ount)"
    rb"(?<![lL]imit)(?<![lL]ength)(?<![pP]olicy)"
    rb"(?<![nN]extToken)(?<!next_token)(?<![pP]ageToken)(?<!page_token)(?<!inuationToken)(?<!inuation_token)"
    rb"(?<![vV]ersion)(?<!izer)(?<!anager)(?<!HashKey)"
)
_NAME = _RUN + rb"(?![A-Za-z0-9])" + _NO_NAME
# Names that mean nothing else: what stands beside one without an operator may be a secret too.
_STRONG = (
    rb"(?i:password|passwd|passphrase|passwort|api[_-]?key|(?:client|app|api|shared|jwt|webhook)[_-]?secret|"
    rb"(?:access|auth|api|bot|refresh|bearer)[_-]?token)"
)
# What languages write between a name and its value: a subscript's end, a type.
_TYPE = (
    rb"(?:[\"'`]?\]|\[\d{0,4}\])?(?:[ ]?:[ ]?(?:&?(?:'static )?|Final\[|Optional\[)?(?:str|[sS]tring|String|char"
    rb"|bytes|SecretStr|NSString)\b[\]?!*]{0,2}(?:[ ]\|[ ]None)?"
    rb"|[ ](?:string|\[\]byte|[Aa]s[ ][Ss]tring)\b)?"
)
_OPERATOR = (
    _TYPE + rb"(?:[\"'`]?\*{0,2}[ \t]{0,8}+(?::=|=>|={1,3}|:-|:\*{0,2}|->|\xe2\x86\x92|<-|\|\||\?\?)"
    rb"|[\"'`]\)[ ]{0,2}(?:\|\||\?\?|or(?=[ ])))[ \t]{0,8}+(?:![\w-]{1,20}[ ])?"
    rb"(?:[|>]-?%L|\(%L(?=[\"'])|%Lstring\(\d{1,4}\)[ ])?"
    rb"(?:&|@|Base64\.get\w{0,8}Decoder\(\)\.decode\(|(?:(?=[\w.:\[\]]{2,42}+\()[\w.:\[\]]{0,24}"
    rb"(?i:fromhex|b64decode|from|decodestring|frombase64string|fromhexstring|unhexlify|secretstr|securestring"
    rb"|bytes|byte|of|env|getenv))\((?:[\"']\w{1,40}[\"'],[ ])?|\(str,[ ]?)?"
)
_ASSIGNED = rb"(?P<n>" + _NAME + rb")" + _OPERATOR
_LISTED = rb"(?<=`, `)[a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){1,6}`"
_SETTING = rb"(?-i:[a-z]{2,20}(?:[A-Z][a-z]{2,20}){0,3}|[A-Z_]{2,40})="
_BARE = (
    rb"(?:[^\s\"'`,;(){}\[\]<>|&\x7f]|&(?![&\s]|[A-Za-z][A-Za-z_.-]{0,40}\d?=)"
    rb"|,(?=[^\s\"'`{}()\[\]])(?![A-Za-z][A-Za-z_.-]{1,40}(?:\d[A-Za-z_.-]{3,40}|\d?)[=:(]))"
)
_ANY = rb"[^\s\"'`<>\\]{0,60}"
"""What a password without quotes may consist of."""

# fmt: off
ROWS: tuple[Row, ...] = (
    ("generic-flag", FLAGS,
     rb"(?i)(?P<n>-[a-z]{2,12}(?:-[a-z]{1,12}){0,3})"
     rb"(?<!-file)(?<!-stdin)(?<!-path)(?<!-id)(?<!-name)(?<!-url)(?<!-env)"
     rb"(?<!-fd)(?<!-ttl)"
     rb"(?:[ ]{1,4}|=|[\"'],[ ]?(?=[\"'][^+]))" + LIKELY + rb"(?!%Q" + _SETTING + rb"[\w./-])%A",
     0, "a flag of a command",
     "mytool --password «<alnum:4>-4<alnum:4>»"),
    ("listed-flag", FLAGS,
     rb"(?i)(?P<n>(?:(?<=[ ]-)|(?<=[ ][\"']-))-[a-z]{2,12}(?:-[a-z]{1,12}){0,3})"
     rb"(?<!-file)(?<!-stdin)(?<!-path)(?<!-id)(?<!-name)(?<!-url)(?<!-env)[\"']?(?=\n)%L(?<=[- \"'])[\"']?"
     + LIKELY + rb"(?!-)%A", 0, "a list of arguments, each on its line",
     "args:\n  - --password\n  - «<alnum:4>-4<alnum:4>»\n"),
    ("generic-quoted", NAMES,
     _ASSIGNED + rb"[bfruN@]?(?P<q>[\"'`])(?P<s>(?:[^\"'`\s]|(?!(?P=q))[\"'`]){4,400})(?P=q)",
     0, "a name with a quoted value", "db_password = '«<alnum:4>-4<alnum:4>»'"),
    ("generic-value", NAMES, _ASSIGNED + rb"(?:(?<==)3D)?(?P<s>" + _BARE + rb"{6,4000}+)(?![(\[])", 0,
     "a name with a bare value", "DB_PASSWORD=«<alnum:4>-4<alnum:4>»"),
    ("named-key", (b" key is", b" key to "),
     rb"[ ](?<!public )(?<!cache )(?<!primary )(?<!foreign )(?<!partition )(?<!sort )(?<!group )(?<!object )(?<!hash )"
     rb"(?P<n>key)(?:[ ]to[ ](?:open|unlock|decrypt|decode|read)[ ][\w ]{1,40}?)?[ ]is(?:[ ](?:now|still))?"
     rb"[ :]{1,3}[\"'`*]{0,3}" + LIKELY
     + rb"(?P<s>[\w+/=.~-]{16,400}(?<![.]))(?=[\s,.;)\"'`*:!?]|$)", 3, "a sentence",
     "the access key is «<alnum:32>» for now"),
    ("mixed-value", NAMES,
     rb"(?P<n>" + _NAME + rb")(?:(?<=[A-Z]{3})=|(?:=|:[ ]|[ ]=[ ])(?=" + _ANY + rb"[!#%^~@]))"
     rb"(?=" + _ANY + rb"[\[\](){};|&,])(?=" + _ANY + rb"[A-Z])(?=" + _ANY + rb"[a-z])(?=" + _ANY + rb"\d)"
     rb"(?!" + _ANY + rb"[;&|,]{1,2}[A-Za-z_][\w.-]{0,40}[=:(])(?![/^(\[{])"
     rb"(?P<s>[^\s\"'`<>\\]{8,200})(?<![,;)}\]])(?=[ \t]*(?:\n|$|[\"'`](?:[\s,\])}]|$)))", 3,
     "a bare value of all signs up to the line's end", "DB_PASSWORD=«<alnum:6>]<alnum:4>{<alnum:4>7x»\n"),
    ("named-argument", NAMES,
     rb"(?P<n>" + _STRONG + rb"(?=[ (])|" + _NAME + rb"(?=[\"'`]?[ ]?,))(?:[ ]{1,16}\(?|\(|[\"'`]?[ ]?,[ ]{0,16})"
     rb"(?:(?:defaultV|v)alue:[ ]?)?(?:@|&|b)?(?P<q>[\"'`])[\"'`]{0,2}(?![a-z_.]{1,40}\d?[\"'`]|-[a-z]|" + _LISTED
     + rb"|" + _SETTING + rb"[\w./-])" + LIKELY + rb"(?P<s>[^\"'`\s<>]{6,400})[\"'`]{0,2}(?P=q)", 2.5,
     "a call or a definition",
      'builder.setPassword("«<alnum:6>-4<alnum:6>»")'),
    ("named-cell", NAMES, _NAME + rb"[*`_]{0,3}[ \t]{0,40}[|\xe2](?![|=])[\x94\x82]{0,2}[ \t]{0,40}[*`_\"']{0,3}"
     + LIKELY + rb"(?P<s>[^\s\"'`|<>\[\]]{6,400}?)(?:[*`\"',;]{0,3}[ \t]{0,80}(?:[|\n]|\xe2\x94\x82|$)"
     rb"|(?:[\"'`]|(?=[ ][a-z][\w-]{1,20}[ ]-))[ ][^|\n]{1,300}\|)", 2.5,
     "a row of a table", "| DB_PASSWORD | «<alnum:6>-4<alnum:6>» |"),
    ("named-element", NAMES,
     _NAME + rb"(?:[\"']?[ ][^<>\n]{0,100})?(?:[\"']?[ ]?>|</key>(?:%L|[ ])?<string>|</t[dh]>(?:%L|[ ])?<t[dh]>)"
     rb"(?:(?:%L)?(?i:<value>)|<(?:code|b|strong)>|<!\[CDATA\[)?"
      + LIKELY +
      rb"(?!\d{1,4}<)(?P<s>(?:(?!\xc2\xa0|\]\]>)[^\s<>\"'`]){4,4000})(?:</|\]\]>)", 0,
     "an element of XML", "<dbPassword>«<alnum:6>-4<alnum:6>»</dbPassword>"),
    ("named-environment", NAMES,
     rb"[A-Z_][A-Z0-9_]{2,48}(?<!_FILE)(?<!_URL)(?<!_PATH)(?<!_NAME)[ \t]{1,4}" + LIKELY +
     rb"(?!%Q" + _SETTING + rb")(?=%Q[^\s]*[a-zA-Z])%A[ \t]*(?:[\n\"'`;&|<\\]|$)", 2.5,
     "ENV of Docker, set -x of fish, setx", "ENV DB_PASSWORD «<alnum:6>-4<alnum:6>»"),
    ("named-pair", NAMES,
     _RUN + _NO_NAME + rb"[\"'`]?(?:[ ](?!value)[\w:.-]{1,40}=[\"'][^\s\"'`<>]{0,60}[\"']){0,3}[ \t]{0,4}"
     rb"(?:,|:[ ]?\{(?:(?:%L|[ ])?\"(?:sensitive|type)\":[ ]?[^\n,{}]{1,20},){0,2})?(?:%L)?[ \t]{0,40}[\"'`]?"
     rb"(?:\w{1,20}:)?(?i:value|defaultValue|default|content|val)"
     rb"(?!,[ ]?\w{1,40}[ ]?[=,)])%=" +
     LIKELY + rb"(?P<s>(?:(?<=[\"'`])[^\s\"'`<>]{4,4000}(?=[\"'`])|[^\s\"'`<>\[\],;{}]{4,4000}))", 0,
     "name and value side by side", '{"name": "DB_PASSWORD", "value": "«<alnum:6>-4<alnum:6>»"}'),
    ("named-passphrase", (b"passphrase",), rb"(?i:passphrase)[\"'`]?[ ]{0,4}[:=][ ]{0,4}" + LIKELY
     + rb"%A(?![\w.(\[])", 2.5, "a passphrase", "PASSPHRASE=«<lower:6>-<lower:5>-<lower:6>-<lower:5><digits:2>»"),
    ("shown-value", NAMES,
     rb"(?:[$#%>]|\((?:Pdb|gdb|lldb)\))[ ](?:(?:echo|printenv|print|pp?|po)[ ]%Q\$?\{?|cat[ ]/(?:var/)?run/secrets/"
     rb"|(?:os\.environ|ENV|process\.env)[\[.][\"']?)?"
     rb"[\w.-]{0,40}(?i:pass|secret|token|key|pwd|auth|credential)[\w.-]{0,24}[\"'\])}]{0,3}[ ]?%L(?:=>[ ])?%Q"
     + LIKELY + rb"(?=[^\s]{0,60}\d)(?!&|[A-Za-z_][a-z_]{3,30}=)(?P<s>[^\s\"'`<>\\]{8,200})(?<![$#%>:,;])"
     rb"(?=[\"'`]?[ \t]*(?:[\n\"'`]|$))", 2.5,
     "a command or an expression and what it prints", "$ echo $DB_PASSWORD\n«<alnum:6>-4<alnum:6>»\n"),
    ("typed-value", NAMES,
     _NAME + rb"[\"'`\])]{1,4}(?:\.(?:type|fill|send_?keys|set_?value|set|input|clear_and_type)\("
     rb"|,[ ]?with:[ ]?|(?<=\][\"'`]),[ ]?)"
     rb"(?P<q>[\"'`])" + LIKELY + rb"(?P<s>[^\s\"'`<>]{6,400})(?P=q)", 2.5,
     "what a test types into a web page", "cy.get('#password').type('«<alnum:6>-4<alnum:6>»')"),
    ("named-part", NAMES, rb"name=\"[\w.-]{0,40}" + _NAME + rb"\"(?:;[^\n]{0,100})?(?:%L(?i:content-[^\n]{1,100}))?"
     rb"(?:%L%L|[ ]{4})(?P<s>[^\s\"'`<>\[\]]{4,4000})", 0, "RFC 7578: multipart/form-data",
     'Content-Disposition: form-data; name="password"\n\n«<alnum:6>-4<alnum:6>»\n'),
)

SENTENCES: tuple[Row, ...] = (
    ("login-pair", (b"login", b"log in", b"credential", b"creds"),
     rb"(?i)(?:log[ ]?in|credentials?|creds)(?:[ ](?:with|as|using|is|are))?[: ]{1,3}"
     rb"(?!`\w{1,20}:\")%Q[\w.@-]{2,60}[ ]?[/:][ ]?%Q"
     rb"(?=[^\s/]{0,60}\d)(?=[^\s/]{0,60}[a-z])(?P<s>[^\s\"'`<>\[\]()/]{8,100}(?<![.,;:!?]))", 2.5,
     "a sentence", "login with maria / «<alnum:6>-4<alnum:6>»"),
    ("named-abroad", (b"passwort", b"kennwort", b"mot de passe", b"contrase", b"senha", b"wachtwoord", b"has\xc5\x82o",
     b"\xd0\xbf\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c",
                      b"\xe5\xaf\x86\xe7\xa0\x81", b"\xe5\xaf\x86\xe7\xa2\xbc",
                      b"\xe3\x83\x91\xe3\x82\xb9\xe3\x83\xaf\xe3\x83\xbc\xe3\x83\x89",
                      b"\xeb\xb9\x84\xeb\xb0\x80\xeb\xb2\x88\xed\x98\xb8", b"parola", b"l\xc3\xb6senord", b"lozinka",
                      b"salasana", b"\xc5\x9fifre", b"heslo", b"passord", b"adgangskode", b"jelsz\xc3\xb3",
                      b"m\xe1\xba\xadt kh\xe1\xba\xa9u"),
     rb"(?i:mot de passe|m\xe1\xba\xadt kh\xe1\xba\xa9u|parola d'ordine|(?:(?<![a-z])|(?!senha))[a-z\x80-\xff]{4,30})"
     rb"(?:[ ][^\n.:;!?\"'`]{0,50}?)?(?:[ ](?:ist|lautet|est|es|\xc3\xa9"
     rb"|\xc3\xa8|is|to|\xc3\xa4r|je|on)[ :]{1,3}|[ ]?(?::|\xef\xbc\x9a|=|\xe2\x80\x94)[ ]?"
     rb"|[ ]?\xe6\x98\xaf[ ]?|\xe3\x81\xaf[ ]?|\xeb\x8a\x94[ ]?|[ ]{1,40}\|[ ]{1,40})%Q"
     rb"(?![A-Za-z]{4,20}!(?:[\s\"'.]|$))" + LIKELY +
     rb"(?P<s>[!-~]{5,199}[0-9A-Za-z!#$%*+=?@^~])", 2.5, "a sentence in another language",
     "das Passwort ist «<alnum:6>-4<alnum:6>»"),
    ("named-key-abroad", (b"schl\xc3\xbcssel", b"cl\xc3\xa9", b"clave", b"chave", b"chiave", b"jeton"),
     rb"(?i)[a-z\x80-\xff]{4,30}(?:[ ][^\n.:;!?\"'`]{0,30}?)?(?:[ ](?:ist|lautet|est|es|\xc3\xa9|\xc3\xa8)[ :]{1,3}"
     rb"|[ ]?:[ ]|[ ](?=%Q%X))%Q(?=[^\s]{0,60}\d)(?=[^\s]{0,60}[a-z])"
     rb"(?P<s>[\w!#$%*+=?@^~.-]{12,200}(?<![.!?]))(?=[\s,.;:)\"'`]|$)", 3.2,
     "a sentence in another language", "der API-Schlüssel ist «<alnum:32>»"),
    ("named-sentence", (*NAMES, b"login"), rb"(?i)[a-z_-]{3,14}(?:[ ]key)?[`*\"']{0,2}(?:[ ](?:for|to|of|on|in|here"
     rb"|from|at)[ ][^\n.:;!?\"]{1,60}?(?P<p>(?=:[ ]))?|[ ](?:there|now|again)"
     rb"|[ ](?:you|we|I)[ ](?:need|want|use|must use|should use)|[ ]?[;,.][ ](?:the|its|our|my)[ ]new[ ]one)?"
     rb"(?:,[ ]which)?(?:(?:(?<=password)|(?<=passphrase)|(?<=passcode))(?:'|\xe2\x80\x99)s"
     rb"(?=[ ][^\s]{6,200}(?:(?<=[,.;!?)\"'`*])|[ ]?(?:\n|$)))"
     rb"|(?(p)|(?!))|[ ]{1,3}(?:is|(?:was|is|are|has[ ]been)[ ](?:changed|set|reset|rotated)[ ]to|was|are|will[ ]be"
     rb"|should[ ]be|to|now|ist|est|es|\xc3\xa8|\xc3\xa9))"
     rb"(?:[ ](?:now|still|set[ ]to|just"
     rb"|simply))?[ :]{1,3}[\"'`*]{0,3}" + LIKELY
     + rb"(?P<s>(?<=[\"'`])[^\s\"'`<>]{6,200}(?=[\"'`])|[^\s\"'`<>\[\]()]{6,200}(?<![.,;:!?*)]))", 2.5,
     "a sentence",
      "the password for staging is «<alnum:6>-4<alnum:6>»."),
    ("named-pass", (b"pass", b"salt", b" pw"),
     rb"[ ]?(?<![a-z])(?!PASS:[ ])(?:(?:(?P<n>(?i:pass|pw))(?:\[\d{0,4}\])?(?:(?<=\| pass)[ ]{1,40}\|[ ]{1,40}"
     rb"|[\"'`]?[ \t]{0,8}(?:=>|[:=])[ \t]{0,8}|[ ][^<>\n]{0,60}>|>)" + LIKELY +
     rb")|(?i:salt)[\"'`]?[ \t]{0,8}(?:=>|[:=])[ \t]{0,8}(?!//)(?=%Q[^\s]{0,12}[a-zA-Z])(?=%Q[^\s]{16}))"
     rb"%A(?<![,;])(?![\w.(\[:])", 2.5, "a short name", "smtp: {user: olga, pass: '«<alnum:6>-4<alnum:6>»'}"),
    ("named-prompt", (b"password", b"passphrase", b"passwd"),
     rb"(?i:password|passphrase|passwd)[ ](?:for|of|generated|is|set|created|changed"
     rb"|reset)\b[^\n:=\"']{0,60}:[ ]{1,2}%Q" + LIKELY +
     rb"(?=[^\s]{0,60}[a-zA-Z0-9]{3})(?P<s>[^\s\"'`<>\[\]]{6,100}(?<![.,;:!?)]))",
     2.5, "a prompt", "Password for olga@db: «<alnum:6>-4<alnum:6>»"),
    ("named-token", (b"api key", b"token"), rb"(?<![\w-])(?<![uU]nexpected )(?i:api[ ]key|token)[ ][`\"']?"
     rb"(?=[^\s]{0,60}\d)(?=[^\s]{0,60}[a-z])(?=[^\s]{0,60}[A-Z])(?P<s>[\w+/=~!^*.-]{14,200}(?<![.!]))"
     rb"(?=[\s,.;)\"'`:!?<]|$)", 3.5,
     "a sentence", "use the API key «<alnum:16>7xX» from now on"),
    ("named-use", (b" as ",),
     rb"(?i)(?<![^\s\"'`(*])(?P<s>" + LIKELY + rb"[^\s\"'`<>\[\]()]{6,100})[\"'`*]{0,2},?[ ]{1,3}as[ ](?:(?:the|my"
     rb"|your|our|its|a|this)[ ])?(?:[\w-]{1,20}[ ]){0,3}?" + rb"(?:password|passwd|passphrase|api key|token)", 3,
     "a sentence", "use «<alnum:6>-4<alnum:6>» as the password"),
    ("named-word", (b"password", b"passphrase", b" pw is", b" pass is"),
     rb"[ ]?(?<![\w-])(?i:password|passphrase|pw|pass(?=[ ]is))(?:[ ]is|:)?[ ][`\"']?(?=[^\s]{0,60}\d)"
     rb"(?=[^\s]{0,60}[a-zA-Z])(?=[^\s]{0,60}(?:[a-z][A-Z]|[A-Z]\d?[a-z]|[0-9][a-zA-Z]{1,8}[0-9]|[!#$%*+=?@^~]))"
     rb"(?P<s>[^\s\"'`<>\[\]()/]{8,100}(?<![.,;:!?]))(?=[\s,.;)\"'`:!?<]|$)", 2.75, "a sentence",
     "use password «<alnum:20>» for the staging box"),
)

REGIONS: tuple[RegionRow, ...] = ()
# fmt: on

BEFORE: dict[str, tuple[int, bytes]] = {
    "named-part": (50, b"name="),
    "named-use": (110, b""),
    "shown-value": (80, b""),
}
"""How far before its keyword the pattern of a rule is searched, and what stands there."""
