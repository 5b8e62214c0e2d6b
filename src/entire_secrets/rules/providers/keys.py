"""Private keys: PEM, OpenSSH, PGP, PuTTY, JWK, PKCS #12; and JSON Web Tokens."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire_secrets.rules.macros import Row

# From a line to the next where they are strings: in code, in an array of lines, or both. Only if it looks like more.
_STRINGS = (
    rb"\"[ \t]{0,8}[,+.]?(?:\s{0,80}\"[ \t]{0,8},?)?\s{0,80}(?:[+>-][ \t]{0,40})?\"(?:[+>-]?[ \t]{0,40}\")?"
    rb"(?=[+>-]?[ \t]{0,40}'?"
)
_PEM = (
    rb"-----BEGIN[A-Z0-9 _-]{0,60}PRIVATE KEY(?: BLOCK)?-----(?=(?:[^\[\"]|\[(?!REDACTED:)|\"[\s,+.>-]{0,80}\")"
    rb"{0,400}?%6{24})(?P<s>"
    # To the end marker, if one is near; else as far as it looks like a key.
    rb"(?:[^\"\[-]|\[(?!REDACTED:)|-(?!----)|"
    + _STRINGS
    + rb"(?:=?%6{1,80}={0,2}[\s\"']|[A-Z][\w-]{2,20}: |-----END|\s?[\"']))){16,20000}?"
    rb"(?=-{5,6}END[A-Z0-9 _-]{0,60}PRIVATE KEY)"
    rb"|(?:[A-Za-z0-9+/=:,\s.|>\xe2\x86\x92]|-(?!----)|" + _STRINGS + rb"%6{16})){16,20000})"
)
_LINE = "<b64:64>\n"
# The rest of a base64 text that may be wrapped; the last line only if it is not a short word of prose.
_BODY = rb"%6{20,12000}(?:%L%6{60,76}){0,200}(?:%L%6{16,76})?={0,2}"
_PPK_LINE = rb"%6{16,80}={0,2}(?![\w:-])"
# How the DER of a private key starts in base64: a version after the length, then an algorithm or numbers.
_STARTS = (
    rb"(?:MII%6{3}IB(?:AA[JK]|ADANBgkqhkiG9w0BAQEF)|MII%6{5}BgkqhkiG9w0BBQ0w|MI%6{2}AgEAMB[AM]GByqGSM49"
    rb"|MHcCAQEEI|MIGkAgEBBD|MIHcAgEBBE|MC4CAQAwBQYDK2V|b3BlbnNzaC1rZXktdjEA)"
)
_MEMBERS = ("d", "dp", "dq", "k", "p", "q", "qi")
"""The private members of a JWK."""

_MEMBER = rb"(?:[\"']%b[\"']\s{0,4}:\s{0,4}|\|[ ]{1,20}%b[ ]{1,20}\|[ ]{1,20})[\"'](?P<s>[\w-]{20,2000})[\"']"

# fmt: off
_JWK: tuple[Row, ...] = (
    *(
        (f"jwk-{member}-after-type", (b" kty",), rb"(?:(?<=[\"'])kty[\"']|(?<=\| )kty[ ]{1,20}\|)[^{}\[\]]{1,6000}?"
         + _MEMBER % ((member.encode(),) * 2), 3,
         "RFC 7517: JSON Web Key", f'{{"kty": "RSA", "e": "AQAB", "{member}": "«<b64url:86>»"}}')
        for member in _MEMBERS
    ),
    *(
        (f"jwk-{member}-before-type", (b" kty",),
         rb"[\s\S]{0,3000}?" + _MEMBER % ((member.encode(),) * 2) + rb"[^{}\[\]]{0,3000}?[\"']kty[\"']", 3,
         "RFC 7517: JSON Web Key", f'{{"{member}": "«<b64url:86>»", "e": "AQAB", "kty": "RSA"}}')
        for member in _MEMBERS
    ),
)
ROWS: tuple[Row, ...] = (
    ("java-keystore", (b"7qaaaa",), rb"/u3\+7QAAAA[IE]%6{100,20000}={0,2}", 3, "Java: JKS format",
     "/u3+7QAAAAI<b64:400>="),
    *sorted(_JWK),
    ("jwt", (b"eyj", b"eyai"), rb"%bey(?:J|Ai)[\w-]{10,4000}\.[\w-]{0,12000}\.[\w-]{10,2000}(?:\.[\w-]{8,2000}){0,2}",
     3,
     "RFC 7519: JSON Web Token", "<eyJ|eyAi><b64url:30>.eyJ<b64url:80>.<b64url:42>x"),
    ("minisign-key", (b"rwrty0iy",), rb"%bRWRTY0Iy%6{100,260}={0,2}", 3, "minisign: secret key", "RWRTY0Iy<b64:204>"),
    ("openvpn-key", (b"-----begin",), rb"-----BEGIN OpenVPN Static key V1-----(?P<s>(?>%L[0-9a-f]{16,64}%E){4,40})",
     2.5,
     "OpenVPN: static key",
     "-----BEGIN OpenVPN Static key V1-----«\n" + "<hex:32>\n" * 15 + "<hex:32>»\n-----END OpenVPN Static key V1-----"),
    ("pkcs12", (b"ibazcc", b"miacaqmwg"), rb"[\s\S]{0,6}?(?<![A-Za-z0-9/])(?P<s>MI(?:I%6{3}IBAzCC|ACAQMwg)"
     + _BODY + rb")", 3,
     "RFC 7292: PKCS #12", "MI<IPuQIBAzCC|ACAQMwg><b64:800>=="),
    ("private-key", (b"-----begin",), _PEM, 0, "RFC 7468: PEM",
     "-----BEGIN <RSA |EC |OPENSSH |ENCRYPTED |DSA |><|||||PGP >PRIVATE KEY-----«\n" + _LINE * 5 + "<b64:30>=\n»"
     "-----END PRIVATE KEY-----"),
    ("private-key-body", (b"ibaakc", b"ibaakb", b"ibaajb", b"ibadanbgkqhkig9w0baqef", b"bgkqhkig9w0bbq0w",
                          b"ageambmgbyqgsm49", b"ageambagbyqgsm49", b"mhccaqeei", b"migkagebbd", b"mihcagebbe",
                          b"mc4caqawbqydk2v", b"b3blbnnzac1rzxktdjea"),
     rb"[\s\S]{0,8}?(?<![A-Za-z0-9/])(?P<s>" + _STARTS + _BODY + rb")", 3,
     "RFC 5208, RFC 8017, RFC 5915: private keys in DER",
     "<MIIEpQIBAAKC|MIICXAIBAAKB|MIIBOgIBAAJB|MIIEvQIBADANBgkqhkiG9w0BAQEF|MIIFLTBXBgkqhkiG9w0BBQ0w|MIGHAgEAMBMGByqGSM49"
     "|MIG2AgEAMBAGByqGSM49|MHcCAQEEI|MIGkAgEBBD|MIHcAgEBBE|MC4CAQAwBQYDK2V|b3BlbnNzaC1rZXktdjEA><b64:60>\n"
     + _LINE * 3 + "<b64:40>=="),
    ("private-key-end", (b"key-----",),
     rb"[\s\S]{0,3500}?(?<![A-Za-z0-9/])(?P<s>(?>%6{4,76}={0,2}%L(?=%6|-----END)){1,80})"
     rb"-----END[A-Z0-9 ]{0,40}PRIVATE KEY-----", 3,
     "RFC 7468: PEM", "<..\n|message=>«" + _LINE * 3 + "<b64:30>=\n»-----END <RSA |EC |OPENSSH |>PRIVATE KEY-----"),
    ("private-key-numbers", (b"privateexponent", b"prime1", b"prime2", b"exponent1", b"exponent2", b"coefficient"),
     rb"(?:privateExponent|prime[12]|exponent[12]|coefficient):(?P<s>(?>%L(?:[0-9a-f]{2}:){1,40}(?:[0-9a-f]"
     rb"{2}%E)?){2,80})", 2.5,
     "OpenSSL: openssl rsa -text",
     "<privateExponent|prime1|prime2|exponent1|exponent2|coefficient>:«" + "\n    <hex:2>:<hex:2>:<hex:2>:"
     "<hex:2>:<hex:2>:<hex:2>:<hex:2>:" * 4 + "»\nprime1:"),
    ("private-key-putty", (b"private-lines",),
     rb"Private-Lines[: |]{1,16}\d{1,4}(?P<s>(?:(?:%L|[ ])" + _PPK_LINE + rb"){1,300}\n?)", 0,
     "PuTTY: PPK format",
     "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 5«\n" + _LINE * 5 + "»Private-MAC: 12"),
    ("private-key-putty-mac", (b"private-mac", b"private-hash"),
     rb"Private-(?:MAC|Hash)[: |]{1,16}(?P<s>[0-9a-f]{40,64})%E",
     2.5,
     "PuTTY: PPK format", "<Private-MAC|Private-Hash>: «<hex:64>»"),
    ("private-key-ssh2", (b"ssh2",),
     rb"---- BEGIN SSH2 [A-Z ]{0,20}PRIVATE KEY ----(?:%L[A-Z][\w-]{2,20}: [^\n]{0,200}){0,4}(?P<s>[^\[\"-]"
     rb"{40,20000}?)(?=---- END SSH2|$)", 3,
     "SSH2: private key format", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----<\nComment: \"me\"|>«\n"
     + _LINE * 5 + "»---- END SSH2 ENCRYPTED PRIVATE KEY ----"),
    ("private-key-xml", (b"rsakeyvalue",),
     rb"<RSAKeyValue>[^\[\]]{20,6000}?<(?:P|D)>(?P<s>[A-Za-z0-9+/=<>\s]{100,8000}?)</D>", 3,
     ".NET: RSA.ToXmlString", "<RSAKeyValue><Modulus>x<b64:80>==</Modulus><Exponent>AQAB</Exponent>"
     "<P>«<b64:86>==</P><Q><b64:86>==</Q><D><b64:172>»</D></RSAKeyValue>"),
    ("wireguard-key", (b"privatekey", b"presharedkey", b"private_key", b"preshared_key"),
     rb"(?i:private_?key|preshared_?key)%=(?P<s>%6{42}[AEIMQUYcgkosw048]=)", 3, "WireGuard: wg(8)",
     "<PrivateKey|PresharedKey|private_key|preshared_key> = «<b64:42>A=»"),
)
"""Sorted by id."""

KEYED: tuple[Row, ...] = ()
# fmt: on

BACK: dict[str, int] = {
    **{f"jwk-{member}-before-type": 3000 for member in _MEMBERS},
    "java-keystore": 4,
    "pkcs12": 6,
    "private-key-body": 8,
    "private-key-end": 3500,
    "private-key-ssh2": 11,
    "private-key-xml": 1,
}
"""How many bytes before its keyword a pattern starts."""
