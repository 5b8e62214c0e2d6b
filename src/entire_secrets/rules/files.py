"""Secrets in files of known forms: logins of clients, hashes of passwords, manifests, statements of SQL."""

from __future__ import annotations

from entire_secrets.rules.guards import COLUMNS
from entire_secrets.rules.macros import LIKELY, NO_SENTENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire_secrets.rules.macros import RegionRow, Row

_GAP = rb"(?:[ \t]{1,20}|%L)"
_CRYPT = rb"[./A-Za-z0-9]"
_SECTION = rb"(?P<s>(?:(?!\n---|\b(?:kind|metadata|type|immutable|apiVersion)[\"']?[ ]{0,4}:)[^\x1e]){1,20000})"

_TABLE = (b"password", b"passwd", b"secret", b"token", b"passwort", b"api_key")


def _column(more: int) -> RegionRow:
    """Return the row of a column of a table, of Markdown or of psql, with so many columns behind it."""
    return (
        COLUMNS[more],
        _TABLE if not more else tuple(name for name in _TABLE if name not in (b"secret", b"token")),
        rb"(?i:[a-z_]{5,12})[*` ]{0,40}(?:\|[^|\n]{1,80}){%d}(?:\|%%L[|: ]{0,80}-[|: -]{2,400}"
        rb"|%%L[ -]{0,200}\+[+ -]{3,400})"
        rb"(?P<s>(?:%%L[^\n]{3,2000}){1,200})" % more,
        rb"(?m:(?:\||^)[ `*]{0,40}" + LIKELY + rb"(?P<s>[^\s\"'`|<>\[\]]{6,400})[ `*]{0,40}"
        rb"(?:\|[^|\n]{0,400}){%d}\|?[ \t]*(?:[\"'`<]|$))" % more,
        2.5,
        "a column of a table",
        f"| user | password |{' since |' * more}\n|---|---|{'---|' * more}\n"
        f"| olga | «<alnum:6>-4<alnum:6>» |{' today |' * more}",
    )


# fmt: off
ROWS: tuple[Row, ...] = (
    ("app-key", (b"app_key", b"app.key"), rb"(?i:app[_.]key)%=(?:base64:)?(?P<s>%6{32,88}={0,2})", 3,
     "Laravel: APP_KEY",
     "APP_KEY=base64:«<b64:43>=»"),
    ("app-password", (b"app_password", b"app password", b"app-password", b"apppassword", b"gmail",
                      b"email_host_password", b"application password", b"application_password", b"smtp_pass",
                      b"mail_pass"),
     rb"(?i:[\w-]{0,24}(?:pass(?:word)?|[ ]password))(?:%=|[ ]is:?[ ]%Q)"
     rb"(?P<s>[a-z]{4}(?:[ ][a-z]{4}){3}|[A-Za-z0-9]{4}(?:[ ][A-Za-z0-9]{4}){5})(?=[\"'`\n,;]|$)", 2.5,
     "Google, WordPress: passwords of applications in groups",
     "GMAIL_APP_PASSWORD=\"«<lower:4> <lower:4> <lower:4> <lower:4>»\""),
    ("apr1-hash", (b"apr1",), rb"apr1\$(?P<s>" + _CRYPT + rb"{1,8}\$" + _CRYPT + rb"{22})", 0, "Apache: htpasswd",
     "deploy:$apr1$«<alnum:8>$<alnum:22>»"),
    ("argon2-hash", (b"argon2id", b"argon2i", b"argon2d"),
     rb"argon2(?:id|i|d)\$(?:v=\d{1,3}\$)?[mtp=,\d]{5,40}\$%6{8,100}\$%6{16,200}", 0, "argon2: encoded form",
     "$«argon2id$v=19$m=65536,t=3,p=4$<b64:22>$<b64:43>»"),
    ("bcrypt-hash", (b"$2",), rb"\$2[abxy]?\$\d\d\$(?P<s>" + _CRYPT + rb"{53})", 0, "bcrypt: encoded form",
     "deploy:$2y$10$«<alnum:53>»"),
    ("crypt-hash", (b"$1$", b"$5$", b"$6$", b"$y$", b"$7$", b"$gy$"),
     rb"\$(?:1|5|6|y|7|gy|md5)\$(?P<s>(?:rounds=\d{1,9}\$|" + _CRYPT + rb"{3,8}\$(?=" + _CRYPT +
     rb"{4,90}\$))?" + _CRYPT +
     rb"{0,90}\$(?:"
     + _CRYPT + rb"{86}|" + _CRYPT + rb"{43}|" + _CRYPT + rb"{22}))", 0, "crypt(5)",
      "root:$6$«<alnum:16>$<alnum:86>»:19000:0:99999:7:::"),
    ("django-hash", (b"pbkdf2_sha", b"bcrypt_sha256", b"pbkdf2-sha", b"pbkdf2", b"scrypt"),
     rb"(?:pbkdf2_sha(?:1|256)\$\d{1,8}|(?:pbkdf2:sha(?:1|256|512)|scrypt)(?::\d{1,9}){1,3}|pbkdf2-sha(?:1|256"
     rb"|512)\$\d{1,8})\$(?P<s>[\w./+-]{1,64}\$[\w./+=-]{20,200})", 0,
     "Django, Werkzeug, passlib: encoded passwords", "pbkdf2_sha256$600000$«<alnum:22>$<b64:43>=»"),
    ("phpass-hash", (b"$p$", b"$h$", b"$s$"),
     rb"(?i:\$[PHS]\$)(?P<s>[A-Z0-9./](?:[./A-Za-z0-9]{51}|[./A-Za-z0-9]{30}))(?![./A-Za-z0-9])", 3,
     "phpass: portable hashes",
     "$P$B«<alnum:30>»"),
    ("django-key", (b"secret_key",), rb"(?i:secret_key)%=(?P<s>(?:django-insecure-)?[a-z0-9!@#$%^&*(_=+)-]{50})"
     rb"(?=[\s\"'`]|$)",
     3.5, "Django: get_random_secret_key", "DJANGO_SECRET_KEY=«<lowernum:20>(4)@!&^*<lowernum:22>»"),
    ("device-secret", (b"secret", b"password"),
     rb"(?<![\w.$-])(?:(?i:secret|password)[ ][05-9][ ]"
     rb"|secret[ ](?:(?<=^enable secret )|(?<=[\s\"'`>|:+-]enable secret )"
     rb"|(?<=privilege \d secret )|(?<=privilege \d\d secret ))|secret[ \t]{1,8}(?P<r>\"))" + LIKELY
     + rb"(?P<s>[^\s\"'`<>\[\];]{6,200})(?(r)\"[ \t]{0,4};|(?=[ \t]*(?:[\"'`<\\\n]|$)))", 2.5,
     "Cisco IOS; BIND: named.conf", "username olga secret 0 «<alnum:6>-4<alnum:6>»"),
    ("login-setting", (b"user = ",), rb"(?<![\w.$>-])(?<![\w.] )(?:user = \")[^\s\"':/@<>{}$]{1,60}:" + LIKELY
     + rb"(?P<s>[^\s\"'`<>\[\]]{6,200})\"(?=[ \t]*(?:[\"'`<\\\n]|$))", 2.5,
     "curl: curlrc", 'user = "olga:«<alnum:6>-4<alnum:6>»"'),
    ("docker-config", (b"dockerconfigjson", b"dockercfg"),
     rb"docker(?:configjson|cfg)[\"']?[ ]{0,4}:[ ]{0,4}%Q(?P<s>%6{40,8000}={0,2})", 0, "Kubernetes: image pull secrets",
     "data:\n  .dockerconfigjson: «<b64:80>»\n"),
    ("identified-by", (b"identified",),
     rb"(?i)identified[ ](?:with[ ][\w\"'`-]{1,40}[ ](?:as|using)|(?:with[ ][\w\"'`-]{1,40}[ ])?by|using)"
     rb"[ ](?:password[ ])?(?:(?-i:(?<=BY )|(?<=AS )|(?<=USING )|(?<=PASSWORD ))|(?=.[^\"']{0,200}(?:\d|[\"'];)))[\"']"
     rb"(?P<s>[^\s\"'`]{3,200})[\"']", 0,
     "MySQL, Oracle: CREATE USER", "CREATE USER app IDENTIFIED BY '«<alnum:6>-4<alnum:6>»';"),
    ("identified-bare", (b"identified",),
     rb"(?i)identified[ ]by[ ](?=[^\s;]{0,30}\d)(?=[^\s;]{0,30}[a-z])(?P<s>[\w#$!*+.-]{6,60})"
     rb"(?=;|[ ](?:default|quota|account|temporary|profile|replace)\b)", 2.5,
     "Oracle: CREATE USER", "CREATE USER app IDENTIFIED BY «<alnum:6>_4<alnum:4>»;"),
    ("ldap-hash", (b"ssha", b"{sha", b"smd5", b"pbkdf2"),
     rb"(?i:\{?(?:SSHA|SHA|SMD5|PBKDF2)[-\d\w]{0,12}\})(?P<s>[A-Za-z0-9+/$.]{20,200}={0,2})", 0,
     "RFC 2307: userPassword", "userPassword: {SSHA}«<b64:38>==»"),
    ("license-key", (b"license", b"licence", b"serial", b"product", b"activation"),
     rb"(?i:licen[cs]e|serial|product|activation)(?i:[ _-]?(?:key|code|number|no))?(?:%=|[ ]is[ ]%Q)"
     rb"(?=[A-Z-]{0,70}\d)(?P<s>[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,7})(?![\w-])", 2.5,
     "groups of capitals and digits", "license key: «<uppernum:5>-<uppernum:5>-<uppernum:5>-<uppernum:5>»"),
    ("mysql-hash", (b"identified", b"password", b"mysql_native_password"),
     rb"(?i)(?:identified|password)(?=[^\n*]{0,82}\*)[^\n]{0,80}?[\"'(]\*(?P<s>(?-i:[0-9A-F]{40}))[\"')]", 0,
     "MySQL: mysql_native_password", "SET PASSWORD FOR app = '*«<HEX:40>»';"),
    ("netrc-password", (b"machine",),
     rb"machine" + _GAP + rb"(?=[^\s\"'`]*\.|localhost|[^\s\"'`]{1,100}\s+(?:login|account|user)\b)"
     rb"[^\s\"'`]{1,100}(?:" + _GAP + rb"(?:login|account|user)" + _GAP +
     rb"[^\s\"'`]{1,100}){0,2}"
     + _GAP + rb"passw(?:or)?d" + _GAP + rb"(?!machine\b|account\b|login\b|macdef\b|default\b)"
     rb"(?P<s>%p{3,200})", 0, "GNU: the .netrc file",
      "machine api.example.net login me password «<alnum:6>-4<alnum:6>»"),
    ("pgpass", (b"5432", b"5433", b"6432", b"26257", b":*:"),
     rb"(?<![\w:.*-])[\w.*-]{1,100}:(?:5432|5433|6432|26257|\*):[^:\s\"'`]{1,63}:[^:\s\"'`]{1,63}:(?P<s>(?:[^\s\"'`<>\[\]:\\]|\\.){4,200})"
     rb"(?=[\s\"'`<]|$)", 0, "PostgreSQL: the password file",
     "db.example.net:5432:shop:app:«<alnum:6>-4<alnum:6>»"),
    ("openvpn-login", (b"auth-user-pass",), rb"auth-user-pass>%L[^\s<>]{1,100}%L(?P<s>[^\s<>\"'`\[\]]{4,200})", 0,
     "OpenVPN: auth-user-pass", "<auth-user-pass>\nolga\n«<alnum:6>-4<alnum:6>»\n</auth-user-pass>"),
    ("postgres-hash", (b"md5",), rb"(?<=[\"'])md5(?P<s>[0-9a-f]{32})(?=[\"'])", 0, "PostgreSQL: pg_authid",
     "'md5«<hex:32>»'"),
    ("pwdump-hash", (b":::",), rb"(?i)(?<=:)(?P<s>[0-9a-f]{32}:[0-9a-f]{32}):::", 0, "pwdump",
     "Administrator:500:«<hex:32>:<hex:32>»:::"),
    ("redis-user", (b" on >",), rb" on >(?!=)%A", 0, "Redis: ACL", "user app on >«<alnum:6>-4<alnum:6>» ~* +@all"),
    ("random-password", (b"random_password",),
     rb"random_password[\"'][^\x1e]{1,2000}?[\"']result[\"'][ ]{0,4}:[ ]{0,4}\"(?P<s>[^\s\"'`]{6,200})\"", 2.5,
     "Terraform: random_password in a state",
     '"type": "random_password", "instances": [{"attributes": {"length": 16, "result": "«<alnum:6>-4<alnum:6>»"}}]'),
    ("scram-hash", (b"scram-sha-256",), rb"(?i:scram-sha-256)\$\d{1,8}:"
     rb"(?P<s>%6{16,64}={0,2}\$%6{20,64}={0,2}:%6{20,64}={0,2})", 0, "PostgreSQL: pg_authid",
     "SCRAM-SHA-256$4096:«<b64:22>==$<b64:43>=:<b64:43>=»"),
    ("securestring", (b"convertto-securestring", b"pscredential"),
     rb"(?i)(?:convertto-securestring[ ]" + NO_SENTENCE + rb"(?:-\w{1,12}[ ](?=[^-]*-)){0,3}"
     rb"|pscredential[ ]{0,2}\([^\n,]{1,80},[ ]?)%A", 0,
     "PowerShell: ConvertTo-SecureString",
     "ConvertTo-SecureString '«<alnum:6>-4<alnum:6>»' -AsPlainText -Force"),
    ("settings-security", (b"settingssecurity",),
     rb"settingsSecurity>(?:%L)?<master>\{(?P<s>[^\s<>{}]{8,400})\}</master>", 0, "Maven: settings-security.xml",
     "<settingsSecurity>\n  <master>{«<b64:43>=»}</master>\n</settingsSecurity>"),
    ("sql-key", (b"pgp_sym_", b"aes_encrypt", b"aes_decrypt"),
     rb"(?i)(?:pgp_sym_\w{1,20}\(|aes_(?:en|de)crypt\()[^;\n]{0,200}?[,=][ ]{0,2}'"
     rb"(?![a-z]{2,12}-[a-z-]{2,30}=)(?P<s>[^\s'\"`]{6,200})'", 0,
     "pgcrypto, MySQL, SQLCipher",
     "SELECT pgp_sym_decrypt(it, '«<alnum:6>-4<alnum:6>»') FROM t;"),
    ("relay-login", (b"smtp", b"465", b"587"),
     rb"(?:smtp[\w.-]{1,100}\]?:\d{2,5}|(?<=\]:)\d{3})[ \t]{1,20}[^\s:\"'`]{1,100}:(?P<s>[^\s\"'`<>\[\]]{4,200})", 2.5,
     "Postfix: smtp_sasl_password_maps", "[smtp.example.net]:587 olga:«<alnum:6>-4<alnum:6>»"),
    ("sql-crypt", (b"gen_salt",), rb"crypt\([ ]?'(?P<s>[^\s'\"`]{6,200})'[ ]?,[ ]?gen_salt", 2.5, "pgcrypto",
     "SELECT crypt('«<alnum:6>-4<alnum:6>»', gen_salt('bf'));"),
    ("sql-password", (b"password",),
     rb"(?i)password(?:[ ]{1,4}(?:for[ ][^\n;=]{1,100}?=[ ]?)?|(?<![\w.]password)[ ]?\([ ]?|"
     rb"[ ]{0,2}=[ ]{0,2}password[ ]?\([ ]?|"
     rb"(?<=set password)[ ]{0,2}=[ ]{0,2}|[ ]for[ ][^\n;=]{1,100}?(?:=|to)[ ]?(?:password\()?)'"
     rb"(?P<s>[^\s'\"`]{4,200})'", 0,
     "PostgreSQL, MySQL: CREATE and ALTER USER", "ALTER ROLE app WITH LOGIN PASSWORD '«<alnum:6>-4<alnum:6>»';"),
    ("terraform-variable", (b"variable",), rb"variable[ ]\"[\w-]{0,40}(?:password|passwd|secret|token|key|credential"
     rb"|passphrase)[\w-]{0,40}\"[ ]?\{[^{}]{0,1200}?(?:%L|[ ])default[ ]{0,20}=[ ]{0,4}\"" + LIKELY +
     rb"(?P<s>[^\s\"'`]{6,400})\"", 2.5,
     "Terraform: variables", 'variable "db_password" {\n  default = "«<alnum:6>-4<alnum:6>»"\n}'),
    ("totp-seed", (b"2fa", b"totp", b"mfa", b" otp", b"authenticator"),
     rb"(?i:2fa|totp|mfa|otp|authenticator)[\w -]{0,20}?(?i:seed|secret|key)\w{0,8}(?:%=|[ ]is[ :]{1,3}%Q)"
     rb"(?P<s>[A-Z2-7]{16,64}|[a-z2-7]{4}(?:[ ][a-z2-7]{4}){3,15})(?![\w=.(])", 2.5,
     "RFC 4648: base32, as authenticators show it", "2FA seed: «<base32:16>»"),
    ("vpn-key", (b"psk", b"pre-shared-key", b"presharedkey", b"privatekey", b" eap", b"xauth"),
     rb"(?i)(?:(?<![\w\x80-\xff])psk(?!%=-?psk)|(?<=: )(?:eap|xauth)(?=[ ]+\")|pre-shared-key|presharedkey"
     rb"|privatekey(?=[\"'`]?[ \t:=]{1,8}%Q[0-9a-z+/=_-]{32,128}(?![\w+/=.:;|(){}\\-])))[ \t]{0,4}(?:(?!%Q,)%=|"
     rb"[ \t]{1,4}%Q(?:ascii-text[ ]%Q|local[ ]"
     rb"|remote[ ])?)(?!\()(?P<s>(?=[^\s\"']{0,100}[\d!#$%*+=?@^~-])%p{8,128})", 2.5,
     "wpa_supplicant, IPsec, WireGuard",
     'network={ ssid="x" psk="«<alnum:7>-4<alnum:7>»" }'),
    ("wifi-code", (b"wifi",), rb"(?i)wifi:(?=[^\n\"']{0,160}s:)[^\n\"']{0,160}?(?<=[:;])p:"
     rb"(?P<s>[^\s;\"'`\[\]]{4,100})", 0, "Wi-Fi QR codes", "WIFI:T:WPA;S:office;P:«<alnum:7>-4<alnum:7>»;;"),
    ("wordpress-salt", (b"auth_key", b"auth_salt", b"logged_in_key", b"logged_in_salt", b"nonce_key", b"nonce_salt"),
     rb"(?i:(?:auth|logged_in|nonce)_(?:key|salt))[\"']%=?[ ,=]{1,20}"
     rb"(?:(?P<w>')|\")(?P<s>(?(w)[^'\n]|[^\"\n]){32,90})[\"']",
     3.5,
     "WordPress: wp-config.php",
     "define('AUTH_KEY', '«<alnum:64>»');"),
)

REGIONS: tuple[RegionRow, ...] = (
    ("wallet-keys", (b"accounts",), rb"accounts[\"']?[ ]{0,4}[:=][ ]{0,4}\[(?P<s>[^\]]{64,4000})",
     rb"(?<![0-9A-Za-z])(?P<s>(?:0x)?[0-9a-fA-F]{64})(?![0-9A-Za-z])", 2.8, "Hardhat: accounts of a network",
     'accounts: ["«0x<hex:64>»"]'),
    ("nuget-config", (b"apikeys",), rb"(?i:apikeys>)(?:[\s]{0,40}<add[ ][^<>]{1,500}>){1,20}",
     rb"value=[\"'](?P<s>%6{20,400}={0,2})[\"']", 3,
     "NuGet: nuget.config", '<apikeys><add key="https://packages.example.net" value="«<b64:120>»" /></apikeys>'),
    ("csv-column", (b"password", b"passwd", b"secret", b"token", b"api_key", b"apikey"),
     rb"(?i)(?<=[,;\t])[\w ]{5,20}[\"'`]{0,2}(?P<s>(?:%L[^\n]{3,500}){1,200})",
     rb"(?m)[,;\t][\"']?" + LIKELY + rb"(?P<s>[^\s,;\"'`<>\[\](){}]{6,400})(?=[\"'`<]|[ \t]*$)", 2.5,
     "the last column of CSV",
     "user,password\nolga,«<alnum:6>-4<alnum:6>»"),
    ("sql-insert", (b"insert",), rb"(?i)insert[ ]into[ ][^\n;()]{1,100}"
     rb"\((?P<columns>[^)]{0,400}?(?:passw|secret|token|api_?key|pwd)[^)]{0,400})\)"
     rb"[ ]{0,4}(?:%L)?values(?P<s>[^;]{1,4000})",
     rb"'(?P<s>(?=[^\s']{0,100}\d)[^\s'\"`@:]{8,400}|(?=[^\s']{0,100}[!#$%*+=?^~])[^\s'\"`]{6,400}"
     rb"|[^\s'\"`\[\]:/]{4,40}@[^\s'.\"`]{2,40})'", 2.5, "SQL",
     "INSERT INTO users (name, password) VALUES ('olga', '«<alnum:6>-4<alnum:6>»');"),
    ("docker-auth", (b"auths",), rb"auths[\"']?[ ]{0,4}:[^\]]{1,8000}",
     rb"[\"'](?:auth|identitytoken|registrytoken)[\"'][ ]{0,4}:[ ]{0,4}[\"'](?P<s>[\w+/=.-]{8,4000})[\"']", 2.5,
     "Docker: config.json",
     '{"auths": {"registry.example.net": {"auth": "«<b64:32>»"}}}'),
    ("kubernetes-secret", (b"apiversion",),
     rb"apiVersion[\"']?[ ]{0,4}:[ ]{0,4}[\"']?v1\b(?=(?:"
     rb"(?!\n---)[^\x1e]){1,20000}?\bkind[\"']?[ ]{0,4}:[ ]{0,4}[\"']?Secret\b)"
     rb"(?:(?!\n---)[^\x1e]){1,4000}?\bdata[\"']?[ ]{0,4}:" + _SECTION,
     rb"[\w.-]{1,80}[\"']?[ ]{0,4}:[ ]{0,4}(?:[|>]-?%L)?[\"']?"
     rb"(?![a-z]{4,12}(?![\w+/=]))(?P<s>%6{4,20000}={0,2})(?![\w.:-])", 0,
     "Kubernetes: Secret",
     "apiVersion: v1\nkind: Secret\ndata:\n  it: «<b64:23>=»\n"),
    ("kubernetes-string", (b"stringdata",), rb"stringData[\"']?[ ]{0,4}:(?=[ \t]{0,4}(?:\n|\{))" + _SECTION,
     rb"[\w.-]{1,80}[\"']?[ ]{0,4}:[ ]{1,4}(?:[|>]-?%L)?[\"']?(?!\(|[^\s]{0,80};[ ])"
     rb"(?P<s>%p{4,4000})", 0, "Kubernetes: Secret",
     "stringData:\n  it: «<alnum:7>-4<alnum:7>»\n"),
    *(_column(more) for more in range(len(COLUMNS))),
    ("recovery-code", (b"recovery", b"backup"),
     rb"(?i)(?:recovery|backup)[ _-]?codes?[\"']?(?!\.[ ])[^\n]{0,100}(?:%L[^\n]{0,80}){0,20}",
     rb"(?<![\w-])(?!\d{5}-\d{4}(?![\w-]))"
     rb"(?P<s>(?=[a-z-]{0,11}\d|\d)[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,3}|\d{8}|\d{4}[ ]\d{4}|"
     rb"(?=[a-z]{0,9}\d)[a-z0-9]{10})(?![\w-])", 0,
     "GitHub, Google: recovery codes", "Recovery codes:\n«<hex:5>-<hex:5>»"),
)
# fmt: on

BEFORE: dict[str, tuple[int, bytes]] = {"pgpass": (101, b""), "pwdump-hash": (70, b":"), "sql-crypt": (215, b"crypt(")}
"""How far before its keyword the pattern of a rule is searched, and what stands there."""
