"""Secrets in commands: arguments of programs that take a password, and what is piped into them."""

from __future__ import annotations

from entire_secrets.rules.macros import LIKELY, NO_SENTENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire_secrets.rules.macros import RegionRow, Row

_NEXT = rb"(?:[ \t]{1,8}|[ \t]?=[ \t]?|[\"'],[ \t]?(?=[\"']))"
"""Between a flag and its argument."""
_ALONE = rb"[A-Z]?[a-z-]{5,40}(?:[ \t]+(?:-[a-z]|\\|[|;&])|[|;&\"'`\n]|$)"
"""A word that is no part of a sentence: a flag or nothing follows."""


def _argument(programs: bytes, flags: bytes) -> bytes:
    """Return the pattern of a secret behind a flag of a program."""
    return rb"(?:" + programs + rb")\b[^\n|;]{0,300}?[ \t\"',](?:" + flags + rb")%A"


def _either(*words: bytes) -> bytes:
    return rb"(?:" + rb"|".join(words) + rb")"


_SHORT = (
    b"mongo", b"twine", b"cypher-shell", b"cqlsh", b"hdbsql", b"beeline", b"evil-winrm", b"ncftp",
    b"nxc", b"crackmapexec", b"impala-shell", b"rabbitmqadmin", b"restic", b"arangosh", b"smbmap", b"gradlew",
     b"vsce", b"ovsx",
)  # fmt: skip
_CONSUMERS = (
    rb"(?:sudo[ ]-S|sudo[ ][^\n|;]{0,40}-S|(?:sudo[ ])?(?:ch)?passwd\b|smbpasswd\b|kinit\b|cryptsetup\b"
    rb"|[\w./ -]{1,100}--?(?:with-token|password-stdin|passphrase-fd|token-stdin|api-key-stdin)\b"
    rb"|(?:gh|vercel|wrangler|npx[ ][\w@.-]+|fly|flyctl|docker|podman|gcloud|kubeseal|doppler|pass|netlify|railway"
    rb"|supabase|az)[ ]"
    rb"[\w -]{0,40}(?:secrets?|env|insert|auth)\b"
    rb"|openssl[ ][^\n|;]{1,100}-pass(?:in|out)?[ ]stdin|gpg[ ][^\n|;]{0,100}--passphrase-fd)"
)
_CMDLETS = rb"(?:Name|Namespace|NoNewline|NoProfile|ParentPath|PassThru|Path|Port|Process|Property)"
"""Arguments that a shell of Windows gives to commands of its own."""

# fmt: off
ROWS: tuple[Row, ...] = (
    ("account-command", (b"htpasswd",),
     rb"htpasswd[ ](?=[^\n]{0,40}-\w{0,6}b)(?:-\w{1,8}[ ](?:\d{1,2}[ ])?){1,4}(?:(?<=n[ ])|(?<=nb[ ])|(?<=nb\w[ ])|"
     rb"(?<=nb\w\w[ ])|(?<=bn\w[ ])|%Q[^\s\"']{1,200}%Q[ ])%Q[^\s\"']{1,100}%Q[ ]%A",
     0, "Apache: htpasswd", "htpasswd -bB .htpasswd deploy «<alnum:6>-4<alnum:6>»"),
    ("aws-configure", (b"aws_secret_access_key", b"aws_session_token", b"access key ["),
     rb"(?i:aws_(?:secret_access_key|session_token)[ \t]{1,4}%Q|access key \[[^\n\]]{0,20}\]:[ ]{1,4})(?P<s>"
     rb"(?:%6){40,4000}={0,2})", 3,
     "AWS: configure set", "aws configure set aws_secret_access_key «<b64:40>»"),
    ("ansible-vault", (b"encrypt_string",), rb"encrypt_string[ ]%A", 0, "Ansible: ansible-vault",
     "ansible-vault encrypt_string '«<alnum:6>-4<alnum:6>»' --name it"),
    ("basic-auth-flag", (b"curl", b"httpie", b"http ", b"etcdctl", b"jenkins-cli", b"skopeo", b"wget", b"bundle",
     b"couchdb"),
     rb"(?<!\w)(?<!\w-)(?<!--)(?:(?:curl|https?|xh|etcdctl|jenkins-cli(?:\.jar)?|skopeo|wget)\b(?!:)[^\n|;]"
     rb"{0,300}?[ \t\"',]"
     rb"(?:-[a-zA-Z]{0,6}[uU]|-a|-auth|--user|--proxy-user|--auth|--creds|--(?:src|dest)-creds)(?:" + _NEXT + rb")?"
     rb"|bundle\b[^\n|;]{0,300}?[ \t\"',][\w-]{1,60}\.[\w.-]{1,60}" + _NEXT + rb")"
     rb"(?P<q>[\"'`])?[^\s:\"'`$\\\[\]%,/@]{0,100}:(?!//)"
     rb"(?(q)|(?P<r>[\"'])?)(?P<s>(?(q)[^\s\"'`\x7f]|(?(r)[^\s\"'`\x7f]|[^\s\"'`\[\]<>;"
     rb"|&()\x7f])){3,300})"
     rb"(?![^\s\"'`]*@)", 0, "curl, HTTPie, etcdctl, skopeo",
     "curl -s -u deploy:«<alnum:6>-4<alnum:6>» https://files.example.net/"),
    ("basic-auth-key", (b"curl",),
     rb"(?<!\w)(?<!\w-)(?<!--)curl\b[^\n|;]{0,300}?[ ](?:-[a-zA-Z]{0,6}u|--user)[ =]?%Q"
     rb"(?=[A-Za-z_-]{0,40}\d)(?P<s>[A-Za-z0-9_-]{16,200}):(?:[xX]|api_token|unused|)(?=[\s\"'`\\]|$)", 3,
     "a key as the user's name, with an empty or fixed password", "curl -u «<alnum:32>»: https://api.example.net/"),
    ("command-password", _SHORT,
     _argument(rb"mongo(?:sh|dump|restore|export|import|stat|top|files)?|" + _either(*_SHORT[1:]) + rb"\w{0,4}",
               rb"(?:-p|--pat|--pass|--password|-P)" + _NEXT),
     0, "mongosh, twine, cqlsh and others", "mongosh --host db -u app -p «<alnum:6>-4<alnum:6>»"),
    ("command-password-p", (b"sqlcmd", b"bcp", b"mosquitto_", b"zip", b"ipmitool", b"osql", b"ssh-keygen", b"tsql",
     b"zipcloak"),
     rb"(?<!\.)" + _argument(rb"sqlcmd|bcp|mosquitto_(?:pub|sub|rr)|(?:un)?zip|ipmitool|osql|tsql|ssh-keygen",
                          rb"-(?!" + _CMDLETS + rb"\b)[PN]" + _NEXT + rb"?"),
     0, "sqlcmd, mosquitto, zip, ssh-keygen", "sqlcmd -S db -U sa -P «<alnum:6>-4<alnum:6>» -Q 'select 1'"),
    ("archive-password", (b".7z", b"7za"), rb"(?<![\w])7z[ar]?[ ][^\n|;]{0,200}?[ ]-p%A", 0, "7z",
     "7z x a.7z -p«<alnum:6>-4<alnum:6>»"),
    ("authtoken-setting", (b"_authtoken", b"npmauthtoken"),
     rb"(?i)_?(?:npm)?authtoken[ =:\"']{1,4}(?P<s>[\w./+=-]{16,400})", 2.5, "npm config",
     "npm config set //npm.example.net/:_authToken «<uuid>»"),
    ("keystore-password", (b"storepass", b"keypass", b"ks-pass", b"key-pass"),
     rb"(?:storepass|keypass|k(?:s|ey)-pass)" + _NEXT + rb"(?:pass:)?(?:" + LIKELY + rb"|(?=[\"'`])|(?=" + _ALONE
     + rb"))%A", 0, "JDK: keytool, jarsigner",
     "keytool -genkey -storepass «<alnum:6>-4<alnum:6>»"),
    ("keystore-load", (b".tochararray",),
     rb"(?:[kK]ey|[sS]tore|\bks|[kK]mf)\w{0,20}\.(?:load|init|store)\([^\"\n]{1,100},[ ]?\"" + LIKELY
     + rb"(?P<s>[^\s\"'`]{6,100})\"\.toCharArray", 0, "Java: KeyStore",
     'keyStore.load(stream, "«<alnum:6>-4<alnum:6>»".toCharArray())'),
    ("encoded-secret", (b"echo", b"printf"),
     rb"(?:echo|printf)[ ]{1,3}(?:-n[ ]{1,3})?(?:%Q%s%Q[ ])?"
     rb"(?=[^|\n]{8,400}[|][ ]{0,3}base64\b(?![ ]{1,3}(?:-d|-D|--d)))"
     rb"(?=%Q(?:%X|[^\s\"'`]{0,40}[!#%*+=?^~@][^\s\"'`]{0,40}\d))%A", 2.5, "a secret that is encoded",
     "echo -n '«<alnum:32>»' | base64"),
    ("expect-send", (b"expect",), rb"expect[ ][^\n]{0,60}(?i:pass|assword)[^\n]{0,60}"
     rb"(?:%L)?[^\n]{0,60}send[ ][^\n\"']{0,20}[\"'](?P<s>[^\s\"'`]{4,200})", 0, "expect(1)",
     'expect "password:"\nsend "«<alnum:6>-4<alnum:6>»\\r"'),
    ("ldap-bind", (b"bindpw", b"rootpw", b"bind_pw", b"binddn_passwd", b"ldap_default_authtok",
     b"auth_pass"),
     rb"(?i:bindpw|rootpw|bind_pw|binddn_passwd|ldap_default_authtok|(?<!\w)auth_pass)"
     rb"(?:[ \t]{1,8}|(?<=authtok)[ \t]{0,8}=[ \t]{0,8})" + NO_SENTENCE + rb"%A", 0,
     "OpenLDAP: ldap.conf, slapd.conf; SSSD; keepalived",
     "bindpw «<alnum:6>-4<alnum:6>»"),
    ("ldap-password", (b"ldapsearch", b"ldapadd", b"ldapmodify", b"ldapdelete", b"ldapwhoami", b"ldappasswd",
     b"ldapcompare",
                       b"ldapvi", b"generic-password", b"internet-password"),
     rb"(?:ldappasswd\b[^\n|;]{0,300}?[ ]-[ws]|[\w-]{4,20}\b[^\n|;]{0,300}?[ \"',]-w)" + _NEXT + rb"?%A", 0,
     "OpenLDAP: ldapsearch(1)",
     "ldapsearch -x -D cn=admin,dc=x -w «<alnum:6>-4<alnum:6>»"),
    ("login-arguments", (b"getconnection", b"basicauth", b"basic_auth", b"networkcredential", b"mysqli", b"pdo",
     b"passwordauthentication",
                         b"usernamepassword", b"auth=(", b"pscredential", b".login(", b"simple_bind",
                         b"username_pw_set", b"wifi.begin", b"dbi-", b"create_user", b"create_superuser",
                         b"credentials.basic"),
     rb"(?i)(?:getconnection|(?:http)?basic_?auth|networkcredential|mysqli(?:_connect)?|pdo|passwordauthentication"
     rb"|usernamepassword\w{0,30}|auth=|pscredential|\.login"
     rb"|simple_bind(?:_s)?|username_pw_set|wifi\.begin|dbi->connect|create_(?:super)?user|credentials\.basic)\(?\([ ]?"
     rb"(?:[bfruN@]?(?:\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[\w.]{1,40})[ ]?,[ ]?){1,2}[bfruN@]?(?P<q>[\"'])"
     + LIKELY + rb"(?![\w.+-]{1,60}@[\w-]{1,60}\.[a-z]{2,8}[\"'])(?P<s>[^\s\"'`]{6,200})(?P=q)", 0,
     "libraries' calls with a user and a password", 'req.SetBasicAuth("olga", "«<alnum:6>-4<alnum:6>»")'),
    ("go-login", (b"tcp", b"unix"),
     rb"(?<![\w/:@.-])[\w.%-]{1,64}:(?!//)(?P<s>[^\s\"'`\[\]<>]{3,200}?)@(?:tcp|unix)\(", 0,
     "Go: data source names of MySQL", "olga:«<alnum:6>-4<alnum:6>»@tcp(db.example.net:3306)/shop"),
    ("key-argument", (b"createhmac", b"jwt.sign", b"jwt.verify", b"jwt.encode", b"jwt.decode", b"cryptojs.", b"fernet",
     b"aes.new", b"hmac.new", b"cookieparser", b"bcrypt.hash", b"createcipheriv", b"symmetricsecuritykey",
     b"hmacshakeyfor", b"secretkeyspec", b"password_hash", b"password_verify"),
     rb"(?i:(?:createhmac|createcipheriv)\([\"'`][\w-]{1,40}[\"'`],[ ]?|jwt\.(?:sign|verify|encode|decode)\((?:[^(){}\n"
     rb"\"'`,]{1,60}|\{[^{}\n]{0,200}\}),[ ]?|cryptojs\.\w{1,20}(?:\.\w{1,20})?\([^\n,]{1,80},[ ]?"
     rb"|(?:fernet|aes\.new|hmac\.new|cookieparser|bcrypt\.hash(?:sync|pw)?)\([ ]?"
     rb"|symmetricsecuritykey\([\w.]{1,40}getbytes\(|(?:hmacshakeyfor|secretkeyspec|password_(?:hash|verify))\()b?(?P<q>[\"'`])"
     + LIKELY + rb"(?P<s>[^\s\"'`]{6,400})(?P=q)", 2.5, "calls of cryptographic libraries",
     'createHmac("sha256", "«<alnum:6>-4<alnum:6>»")'),
    ("login-password", (b"login",),
     rb"login\b[^\n|;]{0,300}?[ \"',](?:-p|--password|--token)" + _NEXT + rb"(?!\d{1,5}\b)%A", 0,
     "docker login, helm registry login",
     "docker login -u deploy -p «<alnum:6>-4<alnum:6>» registry.example.net"),
    ("login-token", (b"login", b"unseal"), rb"(?:(?<=vault operator )unseal|(?:(?<=vault )|(?<=cargo )|"
     rb"(?<=railway )|(?<=huggingface-cli ))login)[ ](?!-)"
     rb"(?=[^\s]{0,40}\d)%A(?<!\.io)(?<!\.com)", 3, "vault login, cargo login", "cargo login «<alnum:36>»"),
    ("mysql-password", (b"mysql", b"mariadb", b"mycli"),
     _argument(rb"(?:mysql|mariadb|mycli)[\w-]{0,12}", rb"-p(?!\d{1,5}(?:[:\s]|$)|ort|ython)"),
     0, "MySQL: mysql(1)", "mysqldump -h db -uapp -p«<alnum:6>-4<alnum:6>» shop"),
    ("named-login", (b"smbclient", b"rpcclient", b"lftp", b"ncftpput"),
     rb"(?:smbclient|rpcclient|lftp|ncftpput)\b[^\n|;]{0,300}?[ ](?:-[uU]|--user=?)[ ]?"
     rb"(?P<q>[\"'`])?[^\s%,\"'`$]{1,100}[%,]"
     rb"(?P<s>(?(q)[^\s\"'`\x7f]|[^\s\"'`\[\]<>;|&()\x7f]){3,300})", 0, "Samba: smbclient(1); lftp(1)",
     "smbclient //files/share -U deploy%«<alnum:6>-4<alnum:6>»"),
    ("openssl-password", (b"openssl", b"-passout", b"-passin", b"apksigner"),
     rb"(?:(?:openssl\b[^\n|;]{0,300}?[ \"',]-(?:pass|passin|passout|k|K|iv)|-pass(?:out|in)|apksigner\b[^\n"
     rb"|;]{0,300}?-pass)" + _NEXT
     + rb"|openssl[ ]passwd(?:[ ]-salt[ ][^\s]{1,20}|[ ]-\w{1,8}){0,4}[ ])"
     rb"%Q(?:pass:(?!`))?(?!(?:file|env|fd|stdin|rand)\b)%A", 0, "OpenSSL: openssl(1)",
     "openssl rsa -in a.pem -passin pass:«<alnum:6>-4<alnum:6>» -out b.pem"),
    ("oracle-login", (b"sqlplus", b"expdp", b"impdp", b"sqlldr", b"oracle"),
     rb"(?i:sqlplus|expdp|impdp|sqlldr|oracle:(?:thin|oci):)[ \t]{0,4}(?:-\w{1,2}[ ]{1,2}){0,3}%Q[\w$#.-]{1,60}/%Q"
     rb"(?P<s>[^\s\"'`/<>\[\]]{3,100})%Q@",
     0, "Oracle: sqlplus", "sqlplus app/«<alnum:6>-4<alnum:6>»@//db:1521/ORCL"),
    ("header-call", (b"forhttpheaderfield",),
     rb"\(\"(?:\w{3,10}[ ])?(?P<s>[^\s\"'`\\]{8,4000})\",[ ]forHTTPHeaderField:[ ]?"
     rb"\"(?i:authorization|[\w-]{0,40}(?:key|token|secret))\"", 2.5, "Swift: URLRequest",
     'request.setValue("«<alnum:32>»", forHTTPHeaderField: "X-Api-Key")'),
    ("here-string", (b"<<<",),
     rb"(?<!<)<<<[ ]{0,2}(?!%Q(?:[A-Za-z_]{2,40}=|[a-z]{2,20}-?\d+(?:\.\d+){1,3}))(?=%Q[^\s]{0,100}\d)%A",
     2.5, "a here-string",
     "vercel env add API production <<< '«<alnum:20>»'"),
    ("piped-secret", (b"echo", b"printf"),
     rb"(?:echo|printf)[ ]{1,3}(?:-n[ ]{1,3})?(?:%Q%s\s?%Q[ ])?(?=[^|\n]{3,400}[|][ ]{0,3}" + _CONSUMERS
     + rb")(?:%Q[\w.-]{1,40}:(?=[^\n]{0,300}chpasswd))?%A", 0, "a pipe into a program that asks",
     "echo '«<alnum:6>-4<alnum:6>»' | docker login -u deploy --password-stdin"),
    ("program-password", (b"wpa_passphrase", b"nmcli", b"airportnetwork", b"add_user", b"change_password",
     b"reset-admin-password",
                          b"initial-password", b"http-basic", b"pypi-token", b"-oauth", b"setaclpass", b"nuget",
                          b"user_pass",
                          b"sudo", b"cmdkey", b"xfreerdp", b"net", b"altool", b"notarytool", b"authorize-account",
                          b"authorize_account", b"-keychain", b"set-key-partition-list", b".p12", b"alias",
                          b"db2", b" az", b"shodan", b"user-secrets",
                          b"chamber", b"mosquitto_passwd", b"rclone", b"pulumi", b"_password", b"consul", b"etcdctl",
                          b"useradd", b"usermod", b"oathtool"),
     rb"(?:wpa_passphrase[ ]%Q[^\s\"']{1,64}%Q[ ]|nmcli\b[^\n|;]{0,200}?[ ](?:password|[\w.-]*psk)[ ]"
     rb"|airportnetwork[ ]\w{1,8}[ ]%Q[^\s\"']{1,64}%Q[ ]"
     rb"|(?<!_)(?:add_user|change_password)[ ]%Q[\w.@-]{1,64}%Q[ ](?!\w{1,20}[ ][\w(])"
     rb"|(?:reset-admin|set-initial|initial)-password[ ]"
     rb"|http-basic(?:\.[\w.-]{1,80})?[ ]%Q[^\s\"']{1,64}%Q[ ]"
     rb"|(?:pypi-token\.[\w-]{1,40}|(?:github|gitlab|bitbucket)?-oauth\.[\w.-]{1,80})[ ]|nuget[ ]push\b[^\n"
     rb"|;]{0,200}?[ ](?:-k|--api-key|-ApiKey)[ ]"
     rb"|cmdkey\b[^\n]{0,100}?/pass:|xfreerdp\b[^\n]{0,200}?/p:|net[ ]user[ ][^\s]{1,64}[ ](?=[^\s/]{4,64}[ ]/add)"
     rb"|net[ ]use[ ][^\n|;]{1,200}?\n?[^\n|;]{0,200}?/user:[^\s]{1,80}[ ](?!/)|user(?:add|mod)[ ][^\n|;]{0,200}?-p[ ]"
     rb"|(?:consul[ ]kv|etcdctl)[ ]put[ ](?i:[\w./-]{0,60}(?:pass|secret|token|key)[\w-]{0,20})[ ]"
     rb"|oathtool[ ][^\n|;]{0,100}?(?=(?<=[ ])%Q[A-Z2-7]{16})"
     rb"|(?:altool|notarytool)\b[^\n|;]{0,300}?[ ](?:-p|--password)[ =]|authorize[-_]account[ ][0-9a-f]{12,25}[ ]"
     rb"|-keychain[ ](?:[^\n|;]{0,100}?[ ])?-p[ ]|set-key-partition-list[ ][^\n|;]{0,200}?[ ]-k[ ]"
     rb"|\.p12%Q[ ][^\n|;]{0,200}?-P[ ]|alias[ ]set[ ][\w-]{1,40}/?[ ]%Qhttps?://[^\s]{1,200}[ ]%Q[^\s\"']{3,128}%Q[ ]"
     rb"|user-secrets[ ]set[ ]%Q[\w.:-]{1,80}%Q[ ]|chamber[ ]write[ ][\w./-]{1,60}[ ][\w.-]{1,60}[ ]"
     rb"|mosquitto_passwd[ ](?:-\w[ ]){0,3}-b[ ][^\s]{1,100}[ ][^\s]{1,60}[ ]|rclone[ ]obscure[ ]"
     rb"|rclone[ ]config[ ][^\n|;]{1,200}?[ ]pass[ =]"
     rb"|pulumi[ ]config[ ]set[ ](?=[^\n|;]{0,200}--secret)(?:--?\w{1,12}[ ]){0,3}[\w.:-]{1,80}[ ]"
     rb"|(?<=:)_password[ =]"
     rb"|az[ ](?:sql|mysql|postgres|mariadb|synapse)[ ][^\n|;]{0,60}create\b[^\n|;]{0,300}?[ ]-p[ ]"
     rb"|shodan[ ]init[ ]"
     rb"|db2[ ]connect[ ]to[ ]\w{1,40}[ ]user[ ]\w{1,40}[ ]using[ ])%A",
     0, "manuals of these programs", "rabbitmqctl add_user shop «<alnum:6>-4<alnum:6>»"),
    ("redis-password", (b"redis-cli", b"requirepass", b"masterauth", b"keydb-cli", b"valkey-cli"),
     rb"(?:(?:redis|keydb|valkey)-cli\b[^\n|;]{0,300}?[ \"',](?:-a|--pass|AUTH|auth)" + _NEXT +
     rb"(?:default[ ])?|(?<!\w)(?:requirepass|masterauth)" + _NEXT + rb")%A",
     0, "Redis: redis-cli, redis.conf", "redis-cli -h cache -a «<alnum:6>-4<alnum:6>» ping"),
    ("secret-store", (b"secret", b"secrets", b"secret-string", b"put-parameter", b"put_parameter"),
     rb"(?:secrets?[ :](?:set|create|put|add)\b[^\n|;]{0,200}?[ ](?:--body|-b|--value|-v|--text)(?:" + _NEXT + rb")?"
     rb"|secret-string" + _NEXT + rb"(?!%Q\{)|put-parameter\b(?=[^\n|;]{0,400}SecureString)[^\n|;]{0,400}?--value"
     + _NEXT +
     rb")%A",
     0, "gh secret set, aws secretsmanager", "gh secret set DEPLOY --body '«<alnum:6>-4<alnum:6>»'"),
    ("shown-field", (b"-field",),
     rb"-field[= ](?i:\w{0,20}(?:pass|secret|token|key)\w{0,20})[ ][^\s]{1,100}%L" + LIKELY
     + rb"(?P<s>[^\s\"'`<>\\]{8,200})(?<![$#%>:])(?=[ \t]*(?:[\n\"'`]|$))", 2.5, "vault kv get -field",
     "$ vault kv get -field=password secret/shop\n«<alnum:6>-4<alnum:6>»\n"),
    ("sshpass-flag", (b"sshpass",), rb"sshpass[ \"',]{1,4}-p[ \"',]{0,4}?%A", 0, "sshpass(1)",
     "sshpass -p '«<alnum:6>-4<alnum:6>»' ssh root@10.0.0.4"),
    ("snmp-community", (b"snmp", b"rocommunity", b"rwcommunity"),
     rb"(?:snmp(?:walk|get|set|bulkwalk|bulkget|getnext|table|status|trap|inform|df|netstat)\b[^\n"
     rb"|;]{0,200}?[ ]-[cAX][ ]?|r[ow]community6?[ \t]{1,8}"
     rb"|snmp-server[ ]community[ ]|snmp[^\n]{0,40}?[ _-]community(?:[ _-]string)?%=)(?!%Q(?:public|private)\b)%A", 2,
     "Net-SNMP, Cisco IOS", "snmpwalk -v2c -c «<alnum:5>-4<alnum:5>» 10.0.0.4"),
)

REGIONS: tuple[RegionRow, ...] = (
    ("secret-assignment", (b"secret", b"config", b"--from-literal", b"kv"),
     rb"(?:secrets?[ ](?:set|create|put|bulk|import|add|unset|generic)\b|config:set\b|--from-literal|kv[ ](?:put"
     rb"|patch)\b)[^\n|;]{1,4000}",
     rb"(?<=[ =\"'])(?!name=|path=|app=|rev=|label=|version=)[A-Za-z_][\w.-]{0,80}=%Q" + LIKELY
     + rb"(?P<s>[^\s\"'`<>|&\[\]]{6,4000})", 2,
     "fly secrets set, heroku config:set, kubectl create secret, vault kv put",
     "fly secrets set MAILER=«<alnum:24>» --app shop"),
)
# fmt: on

BEFORE: dict[str, tuple[int, bytes]] = {
    "archive-password": (150, b"7z"),
    "go-login": (270, b":"),
    "header-call": (4100, b"("),
    "keystore-load": (240, b"("),
}
"""How far before its keyword the pattern of a rule is searched, and what stands there."""
