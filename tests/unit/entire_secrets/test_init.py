"""What redaction promises, whatever the input."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire_secrets import engine, keyword_search, literals, replacing
from entire_secrets.reading.views import plain
from entire_secrets.replacing import Replacer
from entire_secrets.text import LINE_END
from tests.unit.entire_secrets.built_in import KeptMemory, find, redact, redact_json, redact_jsonl, redact_text
from tests.unit.entire_secrets.planted_secrets import SECRETS, UUID, hexed, word

FIXTURES = Path(__file__).parents[2] / "fixtures"
TRANSCRIPTS = sorted((FIXTURES / "claude_code" / "transcripts").rglob("*.jsonl"))

CLEAN = [
    "/home/dev/project/src/token_store/secret_manager.py",
    "password: str | None = None, token: Token = Depends(get_current_user2)",
    "const password = process.env.DB_PASSWORD1; token = os.environ['TOKEN1']",
    'api_key = config.get("api_key"), secret = ${SECRET_1}, password={{ vault_password1 }}',
    f"commit {hexed(40)} tree {hexed(64)} token: {hexed(40)} session {UUID} secret: {UUID}",
    "toolu_01" + word(22) + " msg_01" + word(22) + " req_011" + word(22),
    '"integrity": "sha512-' + word(86) + '=="',
    # What bundlers make of code.
    "this.privateKey = json3.private_key;\n_privateKey = _context2.v;\nprivateKey: body2.private_key,",
    "constants$3.SOCKS5_NO_ACCEPTABLE_AUTH = constants$3.SOCKS5_CUSTOM_AUTH_END = constants$3.SOCKS_PACKET_SIZES = c;",
    "if(e)t.tokenValue=o,134283267;S=t.getToken(),v=t.tokenValue,it=P(t,n);t.tokenRaw=s(i),t.tokenValue=Ei(t,c,f),1}",
    "function setScalarValue(token2, value, context2 = {}) {",
    "const target = /(?<target>[^/]+):(generateAccessToken|generateIdToken)$/.exec(json3.imitated)?.groups?.target;",
    "class{source;lastOnToken=null;options;token=1048576;flags=0;features=0;}",
    "token_uri: https://oauth2.googleapis.com/token, secretName: my-app-secret-2024, password_file=/run/secrets/pw1",
    "postgres://localhost:5432/app https://example.com/@scope/pkg git@github.com:me/repo.git ssh://git@host:22/x",
    "postgres://user:$PASSWORD@host/db postgres://user:${DB_PASS}@host https://u:{token}@h",
    '"usage":{"input_tokens":1234567,"output_tokens":42,"cache_creation_input_tokens":0}',
    f"AQEFAAOCAQ8AMIIBCgKCAQEA{word(40)}\n{word(64)}\n",
    f"0.75 0.a 1.A.B 1/1199 2/120/12 00:12:34 00{hexed(40)} sha 119{hexed(29)} ion_channel cs_{hexed(12)} apikey_x",
    "2026-11-21T05:49:38.366Z pkg==1.2.3-rc.4+build.5 sk-fading-circle-large-item task-list-item-checkbox-disabled-x",
    "Authorization: Bearer <token>, Authorization: Bearer $TOKEN, Bearer authentication-is-required",
    "mytool --password-file /etc/pw1 --token-type bearer --secret", "-----BEGIN PUBLIC KEY-----\nMIIB" + word(60),
    "token: sha256:" + hexed(64), "image_secret=sha512-" + word(80),
    "ghp_" + "x" * 36 + " AKIA" + "X" * 16 + " xoxb-" + "0" * 24 + " sk_test_" + "1" * 24,
    "api_key: 'AKIAIOSFODNN7" + "EXAMPLE', secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    "postgres://user:pass@host/db http://scott:tiger@localhost/test password='changeme' passwd='password1'",
    "machine example.com login me password <password>; curl -u name:password https://example.com",
    '"AWS::IAM::AccessKey": "' + hexed(16) + '", "nextToken": "' + word(40) + '", "SecretArn": "arn:aws:x:1:secret:a1"',
    "token_source = OAuth2TokenSource2(ctx); password = base64.b16encode(x); private_key: x25519.X25519PrivateKey",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + word(43) + " me@host",
    # From histories of repositories.
    "create_hook test.bash <<<\"PYENV_VERSION=3.5.1\"; cat > .python-version <<<\"python-2.7.11\"",
    "`databricks-oauth-secret`, `heroku-api-key-v2`, `dsa-private-key`, `ed25519-pkcs8-key`",
    '    if test "\\$PWD" = "\\$_PYENV_VH_PWD" \\',
    "apiVersion: v1\nkind: Secret\ndata:\n  BEFORE: dict[str, tuple]\n  codes: recovery codes",
    'stringData:\n  known: (70, b":")\n  Content-Disposition: form-data; name="x"',
    'b"nonce_key": "files", b"nonce_salt": "files", b"nowpayments": "payments", b"npg_": "clouds", b"x": "y"',
    "PASS: gdb.base/break1.exp: run\nXPASS: i386 AVX512BW\nPASS: x86-64-lam3\n# PASS: 12a\n--- PASS: TestA1 (0.2s)",
    "def load_private_key(self) -> Ed25519PrivateKey | X448PrivateKey: f(pubkey: X25519PrivateKey | X448PublicKey)",
    "License: SDBM-PUBLIC-DOMAIN", "dup 5 index\n" + "\n".join(hexed(64).upper() for _ in range(8)) + "\n" + "0" * 64,
    "Server=db;User Id=sa;Password={SHELL};Encrypt=true ?user=maria&password={url}&to=1",
    # From sources of libraries, their documentation and messages.
    'resourceInputs["tunnel1PresharedKey"] = state?.tunnel1PresharedKey;\n  psk = args?.tunnelKey ? a : null',
    'cl.connect("ftp.example.org").login("anonymous", "olga.moe@example.com".toCharArray());',
    '"-storepass and -keypass must not be specified"; -keypass und -new angeben. let keypass be '
    'storepass when using it',
    "    storepass = getPass(modifier, args[n]); keypass = getPass\n        (form)",
    "-storepass \u548c -new \u4e0d\u80fd, \u4e0d\u80fd\u6307\u5b9a srcstorepass\u3001srckeypass \u548c keypass",
    "messages identified by \"squash\" commands, index identified by '(\\d)+', State identified by 'x-ms-copy-id'",
    "pgp_sym_decrypt(encrypted_column, any key, 'ignore-cipher-failure=1')",
    '<a href="p.html" title="34.16.\xa0The Password File">Section\xa034.16</a> <token>2001</token>',
    "n(null,{privateKey:r,publicKey:c.setRsaPublicKey(r.n,r.e)});getPrivateKey:e.getPrivateKey||null,getSignature:e.b",
    '    private PrivateKey fromPKCS8(byte[] bytes) {} "ssl:443:privateKey=C\\:/key.pem:certKey=C\\:/cert.pem"',
    "{ privateKey:PrivateKey|Uint8Array|String, publicKey:PublicKey } (PrivateKey=RSA_2048_KEY)",
    'privatekey "hexadecimal-key-string"; use "PSK:-PSK:HIGH"',
    "e.passphrase=N.isString(e.passphrase)?e.passphrase:t.passphrase,e.date=e.date||t.date,e}}(h,o)",
    'Error("Incorrect key passphrase: "+e.message);throw e}; f({userIDs:e=[],passphrase:t,type:r,curve:n,bits:i=4096})',
    "load(name, passphrase=pkcs12_passphrase, x=1); pkcs12_passphrase = pkcs12_passphrase.encode()",
    'deriveBits({name:"HKDF",hash:a,salt:r,info:n},o,8*i);r.salt=e.salt,r.issuerFingerprint=e.issuerFingerprint,r.f=t',
    "salt://foo/bar.conf?saltenv=config, export PATH=/opt/s/salt:/opt/s/salt/bin:$PATH; salt: pyo3::Py<X>",
    "exports.X_ATTACHMENT_RESOURCE_POLICY=exports.SECRET_VALUE=exports.EC2_LAUNCH_TEMPLATE=exports.DYNAMODB_TABLE_X=1",
    "tags:t,credentialProviderVendor:Oauth2Vendor.SLACK.value,oauth2ProviderConfigInput:{a}; noTokens:t?.noTokens??!1",
    'add("apiKeyValue","ApiKeyValue",properties.ApiKeyValue!=null?cfn_parse().FromCloudFormation.getString(p):void 0)',
    'catch(e){throw ze(e)&&t.cookie.authUser===t&&await t.x(),"cookie"===e.auth?e:1; cookie: auth/user-token==e.code',
    '"fqnsReferenced":["aws-cdk-lib.SecretValue","aws-cdk-lib.SecretValue#secretsManager","lib.aws_x.Secret#fromV2"]',
    "addApiKey('ApiKey', { apiKeyName: 'myApiKey1', value: 'MyApiKeyThatIsAtLeast20Characters' }); "
    "pwd = 'Mustbe8characters'",
    '"arn:aws:secretsmanager:us-east-1:000000000000:secret:evs!env-1234567890_NSXRoot-SR3k43"',
    '"@prisma/credentials-store":"workspace:*","@prisma/debug":"workspace:*"; export const '
    'INTERNAL_AUTH_VERSION = \'F_v2\'',
    "Write-Host \"Unzip (ansi) Plugin: \" -NoNewline; scripts.zip, New-Item -ItemType Directory -Path $TEMPDIR",
    '\tCredential *CloudSqlCredential `protobuf:"bytes,4,opt,name=credential,proto3" json:"credential,omitempty"`',
    'token.FLOAT, "0123.0123e+456"; ChallengePassword("1.2.840.113549.1.9.7"); '
    'psA("SecretKeyFactory", "PBEWithSHA1AndRC2_128")',
    's = append(s, "Secret: "+fmt.Sprintf("%#v", x)); p = get("IMAP4 Password: ").encode("ascii")',
    "env GIT_ASKPASS=$PWD/replace.exe; AppendPWD returns the result of appending PWD=dir to it ; PWD=cwd ; USER=root",
    "// Pass: dynamic=0, static=1. cql_pass=password port=9142 user --auth=password --encoding=UTF8; token='TYPE=ext4'",
    "X-Goog-Credential=xxx%40clientid%2F20021001%2Fauto%2Fstorage X-Amz-Credential=akid%2F20161107%2Fus-east-1",
    f"encryptionKeySha256 := \"{word(43)}=\"; x-key-sha256:{word(43)}=; token_cache_key = '{hexed(40)}'",
    "converts a data.PrivateKey to PKCS#8 Format; eckey = EC_KEY_new(NID_X9_62_prime256v1); int "
    "PKCS8_pkey_add1_attr_by_NID(",
    'headers = {"Authorization": "Basic YWFhOmJiYg=="}, "OAuth oauth_signature="',
    "http://jane:pa%2Fssword@h.com redis://:p,ass@word@h user%25:pass%25%26%7C@h "
    "mongodb://u:pass1@h1:27017,u:pass2@h2/d",
    '"DSN=mydsn;UID=ed;PWD=pass+word"; password=vsphere_password password=\'unjoinpassword\' '
    'ftp://x:new_secured_password@h',
    "bind with bindpw only for searching; since ConvertTo-SecureString will not; test_user_change_password will fail",
    "SALT_EXTRAS_DIR=/var/lib/salt/api/extras-${PY_VER} credential_scope_region = 'us-east-1' "
    "secret_id_accessor=" + UUID,
    'write_text("secret content", encoding="utf-8"); ansible-galaxy install -r requirements.yml -p roles/',
    "https://registry.npmjs.org/eslint-plugin-react-hooks/-/eslint-plugin-react-hooks-4.6.0.tgz",
    f"<nextToken>{word(43)}=</nextToken>", "clientToken=f\"token{i:03}\"; apiKey: 'sk_test_123'; "
    "p['privateKey'] = pkcs1_key",
    '\t\tKey: aws.String("name"),\n\t\tUploadId: aws.String("' + word(60) + '"),\n\t}',
    'f(\n    f("token"),\n    "&code_challenge=' + word(43) + '",\n)\n+     rb"(?:password|pwd)=(?:3D)?+(?P<s>x)',
    "stored in olcRootDN/olcRootPW only. (Closes: #1) imap-login profiles/apparmor.d/usr.lib.pop3",
    "getTokenValue:Ve(()=>i; pkcs11:token=Root%20CA%20Certificates;serial=1%3AROOTS%3A",
    '\ttestKeyX = "a"\n\ttestKeyECPubX = "' + word(43) + '"\n\tconst base64N = "' + word(60) + '"',
    # From crates, Maven's and Debian's packages, bundles and translations, also as agents read them: in numbered lines.
    "pub const TOKEN_READ_CONTROL: TOKEN_ACCESS_MASK = 131072u32; AUTH_BAD_INTEGRITY = 0X16C9A0E6",
    "ConnectionTrafficSecrets::Aes128Gcm { key }; [`EncodePrivateKey::to_pkcs8_der`]; sha2_pass: k, salt: "
    "Sha512::default(),",
    "fn set(this: &PublicKeyCredentialDescriptor, val: &::js_sys::Uint8Array); fn f(this: &AesKeyParameters, "
    "val: u16);",
    "if( pToken->bFirst || (pToken->pSegcsr!=0 && !x )) assert( pToken->pDeferred==0 || pToken->pSegcsr==0 );",
    "It runs faster than equivalent two-pass memchr2+SWAR code; field: <<<<<1.23.1.2345, x",
    ".long (GNU_PROPERTY_AARCH64_POINTER_AUTH | GNU_PROPERTY_AARCH64_BTI); static PMBTOKEN_METHOD "
    "pmbtoken_exp1_method;",
    '#define TLS1_TXT_PSK_WITH_AES_128_CBC_SHA "PSK-AES128-CBC-SHA"\n#define SSL_AD_UNKNOWN_PSK '
    'TLS1_AD_UNKNOWN_PSK_ID',
    "test_auth_password_fail_username \\\n  test_auth_password_ok \\\n  test_auth_pubkey_fail \\\n",
    'addAlgorithm("Alg.Alias.SecretKeyFactory.PBKDF2WITHHMACSHA1", "PBKDF2"); f("SecretKeyFactory.1", '
    '"PBEWITHSHAAND128BITRC2-CBC")',
    "this.depthFail=i,this.pass=a}},r8.disabled=new r8(x); var t=1,Pw=Hge.CIRCLE_SIDES,vH=Hge.SQRT2,jge=u7(); "
    "function pw(){pw=E,nSZ=new jI}",
    '{name:"pbkdf2",salt:salt,count:count,dkLen:dkLen,algorithm:algorithm}}; '
    't+=e.total_tokens||0,n+=e.input_tokens||0,r+=e.x',
    'params.push("access_token="+(r||L.ACCESS_TOKEN||"")); credentials:L&&L.withCredentials?"include":"x"; '
    'mergeTokens:!1!==t.mergeTokens',
    "crypto_rekey=A.Xc,C._crypto_secretstream_xchacha20poly1305_rekey=A.Yc,C._crypto_secretstream_xchacha20po"
    "ly1305_push=A.Zc",
    "pass: !checkingWithEmptyString && x; pass: isButton2 && y; return { pass: isDisabled3, message }; pass = "
    "_ref4$pass === void 0",
    "tokenChar(40),this.tokenContext|=s.TokenContext.forInHead|s.x; fill(secret.value, tab2.actionTimeoutOptions);",
    'tokens.darkColor.highlight = \'rgba(255,231,130,0.4)\'; end: { token: "keyword.$S2", next: "@pop" }; [/x/, '
    '{ token: "string.$1.delim" }]',
    ".create-application-password .form-field{max-width:25em}.wp-pwd button.button:hover{background:0 0}.login "
    ".wp-hide-pw:hover{background:0 0}",
    '"botpasswords-label-cancel": "Annull\xe0", "userlogin-yourpassword": "Adgangsor\xf0:", "config-password": '
    '"(\u0e15\u0e49\u0e2d\u0e07\u0e23\u0e35)"',
    '"passwordtooshort": "Lozinka mora imati najmanje {{PLURAL:$1|jedan znak|$1 znaka}}", argsEnhancers: '
    'argsEnhancers2 = []',
    "HIGH:!kRSA:!aNULL:!PSK:!SRP:!DSS:!SHA1:!SHA384 NONE:+VERS-TLS1.2:+ECDHE-PSK:+PSK:+AES-128-GCM:+SHA256",
    "openssl pkcs12 -in x.crt -out y.p12 -passin pass:`grep output_password x`; Resource$Setmasterauth extends "
    "StandardParameters1",
    "INSERT INTO items (name, units, http_password, uuid) values ('a','!kbit/s','','" + hexed(32) + "');",
    "values ('618','zabbix.host.available','" + hexed(32) + "'); - export of scram password to XEP-0227 1.1",
    "x === CredentialType.ACCESS_TOKEN ||\n   117\u2192        entity === y)\n   118\u2192    }\n   119\u2192}\n "
    "  120\u2192/**\n",
    "the StreamView, which\n  1386\u2192acts as a read-only token list\n  auth_password_ok \\\n    19\u2192  x\n",
    "verdaccio-htpasswd: 13.0.0-next-8.29\n; t.exclamationToken||b.flags&33554432; "
    "'/user-password' => 'App\\Controllers\\Pass2'",
    '"changepassword-throttled": '
    '"\u4fac\u8bd5\u767b\u5f55\u5fd2\u591a\u6b21\u54c9\u3002\u7b49$1\u518d\u8bd5\u770b\u3002", '
    '"yourpassword": "Motlahtolichtacayo", "oldpassword": "Giimoodaajimowin-ikidowin"',
    'let key = "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB' + word(86) + '=";',
    "; EDNS: version: 0, flags:; udp: 4096\n; COOKIE: " + hexed(48) + " (good)\n;; QUESTION SECTION:",
    '"changepassword-success": "Je wachtwoord is gewijzigd!", '
    '{"mwc59_seed", "mwc59_seed()"}, $bind_pass = $rcube->get()',
    '<li title="mwc59_seed-0"><a href="rand.html#mwc59_seed-0">mwc59_seed/0</a></li>',
    "the LMDB error recovery code. File:\n\tutil/slmdb.c.\n\n20210615\n\tScratch recovery codes,\n"
    " * Boston, MA 02110-1301, USA.",
]  # fmt: skip


@pytest.mark.parametrize("text", CLEAN)
def test_near_misses_survive(text: str) -> None:
    assert redact_text(text) == text
    line = json.dumps({"message": text, "again": json.dumps({"inner": text})}).encode()
    assert redact_jsonl(line) == line


def test_there_are_transcripts_of_the_real_agent() -> None:
    assert len(TRANSCRIPTS) >= 10


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_real_transcripts_hold_no_secret(path: Path) -> None:
    data = path.read_bytes()
    assert find(data, lines=True) == []
    assert redact_jsonl(data) == data


def test_structural_values_are_left_whole_by_generic_rules() -> None:
    name = "token=" + word(24)
    for key in ("cwd", "file_path", "signature", "id", "leafUuid"):
        line = json.dumps({key: name}).encode()
        assert redact_jsonl(line) == line
    assert redact_jsonl(json.dumps({"text": name}).encode()) == b'{"text": "token=[REDACTED:generic-value]"}'


def test_a_json_value_under_a_secret_key_goes() -> None:
    line = b'{"password" : "hunter2!", "n": 1e400, "api_key":"' + word(24).encode() + b'","password":123456789}\r\n'
    assert redact_jsonl(line) == (
        b'{"password" : "[REDACTED:generic-quoted]", "n": 1e400, "api_key":"[REDACTED:generic-quoted]",'
        b'"password":123456789}\r\n'
    )


def test_keys_stay_even_if_they_are_secrets() -> None:
    token = SECRETS["github-token"][1]
    line = json.dumps({token: token}).encode()
    assert redact_jsonl(line) == json.dumps({token: "[REDACTED:github-token]"}).encode()


def test_lines_that_are_not_json_are_text() -> None:
    token = SECRETS["github-token"][1]
    data = f'{{"a": "{token}\n{token}"\n\n{{"a":"{token}"}}\r\n'.encode()
    assert redact_jsonl(data) == data.replace(token.encode(), b"[REDACTED:github-token]")


def test_no_match_runs_over_the_end_of_a_line() -> None:
    key = word(64).encode()
    data = b"-----BEGIN PRIVATE KEY-----\n" + key + b"\n-----END PRIVATE KEY-----\n"
    assert engine.scan(data) != []
    assert engine.scan(data.replace(b"\n", LINE_END)) == []
    assert redact_jsonl(data) == data
    jwk = b'"kty": {}, "k": "' + key + b'"\n"kty": 1'
    assert [found.rule for found in engine.scan(jwk)] == ["jwk-k-before-type"]
    assert engine.scan(jwk.replace(b"\n", LINE_END)) == []
    line, other = b"Private-Lines: 2 " + key + b"\n", b'{"text": "more"}\n'
    assert redact_jsonl(line + other) == b"Private-Lines: 2[REDACTED:private-key-putty]\n" + other


def test_a_key_cut_off_in_the_middle_goes() -> None:
    frame, secret = SECRETS["private-key"]
    text = frame.format(secret)[:200]
    assert redact(text.encode()) == text[: text.index("\n")].encode() + b"[REDACTED:private-key]"
    line = json.dumps({"text": text, "more": "x"}).encode()
    assert json.loads(redact_jsonl(line))["text"] == text[: text.index("\n")] + "[REDACTED:private-key]"


@pytest.mark.parametrize("sign", ["", "+", "-", " "])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("label", ["", "RSA ", "OPENSSH "])
def test_a_key_given_line_by_line_goes_from_each_string(sign: str, indent: int | None, label: str) -> None:
    body = [word(64), word(64), word(64), word(20) + "=="]
    key = [f"-----BEGIN {label}PRIVATE KEY-----", *body, f"-----END {label}PRIVATE KEY-----"]
    before, after = "@@ -1,1 +1,9 @@", f"{sign}retries: 3"

    def left(lines: list[str]) -> list[str]:
        given = {"lines": lines, "n": 1}
        redacted = json.loads(redact_json(json.dumps(given, indent=indent).encode()))["lines"]
        nested = redact_jsonl(json.dumps({"out": json.dumps(given, indent=indent)}).encode())
        assert not any(line in str(json.loads(json.loads(nested)["out"])) for line in body)
        return [re.sub(r"\[REDACTED:private-key[a-z-]*\]", "X", line) for line in redacted]

    signed, end = [sign + line for line in key], (sign and "X") + key[-1]
    assert left([before, *signed, after]) == [before, signed[0], *"XXXX", end, after]
    assert left([*signed[:-2], "the end", "of it"]) == [signed[0], *"XXX", "the end", "of it"]
    assert left([*signed[2:], "the end"])[-2:] == [end, "the end"]


@pytest.mark.parametrize("sign", ["+", "-", " "])
@pytest.mark.parametrize("frame", ["{}", "\t{}", "  '{}\\n' +", '  "{}\\n" +', '\t"{}\\n"', "    '{}',", '    "{}",'])
@pytest.mark.parametrize("label", ["RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
def test_a_key_in_the_strings_of_code_goes_from_a_patch(sign: str, frame: str, label: str) -> None:
    body = [*(word(63) + str(n) for n in range(4)), word(20) + "=="]
    headers, checksum = (["Version: GnuPG v2", ""], ["=aB3d"]) if "PGP" in label else ([], [])
    key = [f"-----BEGIN {label}-----", *headers, *body, *checksum, f"-----END {label}-----"]
    lines = ["  key = (", *(sign + frame.format(line) for line in key), "  )"]
    for shown in (lines, "\n".join(lines)):
        redacted = redact_jsonl(json.dumps({"lines": shown}).encode()).decode()
        assert not [line for line in body if line in redacted]
        assert redacted.endswith('  )"]}' if shown is lines else '  )"}')


def test_odd_bytes_are_kept() -> None:
    token = SECRETS["github-token"][1].encode()
    data = b'{"a":"\xff\xfe ' + token + b' \xc3","b":"\\ud800"}\n\x00\xff' + token + b"\n"
    assert redact_jsonl(data) == data.replace(token, b"[REDACTED:github-token]")
    assert redact_text("\ud800 x") == "\ud800 x"
    assert redact(b"") == redact_json(b"") == redact_jsonl(b"") == b""


def test_no_escape_and_no_character_is_cut() -> None:
    # "\\nfp_..." in raw JSON is a line feed and "fp_...", though it reads like a token that starts with n.
    for text in ("\nfp_" + word(36), "\npm_" + word(36), "\r8_" + word(37)):
        for line in (json.dumps({"a": text}), json.dumps({"a": json.dumps({"b": text})})):
            assert set(json.loads(redact_jsonl(line.encode()))) == {"a"}
    for start in ("a", "ab"):
        text = f"sshpass -p {start}" + "é" * 160  # longer than the longest match
        assert redact(text.encode()).decode().startswith("sshpass -p [REDACTED:sshpass-flag]é")


def test_deep_and_large_json_is_no_trouble() -> None:
    token = SECRETS["github-token"][1].encode()
    deep = b"[" * 200_000 + b'"' + token + b'"' + b"]" * 200_000
    assert redact_json(deep) == deep.replace(token, b"[REDACTED:github-token]")
    number = b'{"n":' + b"9" * 5000 + b',"a":"' + token + b'"}'
    assert redact_json(number) == number.replace(token, b"[REDACTED:github-token]")
    huge = b'{"a":"' + b'say \\"token\\" \\n and password ' * 100_000 + token + b'","b":"x"}\n'
    assert len(huge) > 2 * replacing.BLOCK
    assert redact_jsonl(huge) == huge.replace(token, b"[REDACTED:github-token]")


@pytest.mark.parametrize(
    "piece",
    [
        "-----BEGIN PRIVATE KEY-----",
        "eyJ-eyJabcdefghijk.eyJabcdefg.",
        "curl -s ",
        "discord ",
        "a://b:c",
        "password='",
        "\\",
    ],
)
def test_hostile_repetition_takes_steps_in_proportion(piece: str) -> None:
    # Quadratic behaviour would take hours here, not a moment more or less.
    data = json.dumps({"text": piece * (300_000 // len(piece))}).encode()
    json.loads(redact_jsonl(data))


def test_tokens_glued_together_all_go() -> None:
    glued = SECRETS["digitalocean-token"][1].encode() * 5000
    once = redact(glued)
    assert once.find(b"dop") < 0 and redact(bytes(once)) == once


def test_a_secret_on_the_border_of_a_block_is_found() -> None:
    token = SECRETS["github-token"][1].encode()
    for shift in range(-6, 3):
        data = b" " * (replacing.BLOCK + shift) + token + b"\n"
        assert [(f.start, f.end) for f in find(data)] == [
            (replacing.BLOCK + shift, replacing.BLOCK + shift + len(token))
        ]


def test_find_says_what_would_go() -> None:
    token = SECRETS["github-token"][1]
    data = f'{{"id":"x"}}\n{{"a":"{token}"}}\n'.encode()
    (finding,) = find(data, lines=True)
    assert (finding.rule, data[finding.start : finding.end]) == ("github-token", token.encode())


def test_without_the_compiled_engine_the_result_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.dumps({"text": frame.format(secret)}) for frame, secret in SECRETS.values()]
    data = "\n".join(lines * 4).encode()
    monkeypatch.setattr(literals, "COMPILED_FROM", 0)
    assert keyword_search.compiled_tier() is not None
    expected = redact_jsonl(data)
    monkeypatch.setattr(keyword_search, "compiled_tier", lambda: None)
    assert redact_jsonl(data) == expected != data


# Text with planted secrets, their pieces, and what surrounds them in transcripts.
PLANTED = st.sampled_from(
    [frame.format(secret) for frame, secret in SECRETS.values()] + [s for _, s in SECRETS.values()]
)
GLUE = st.sampled_from(
    ["", " ", "\n", "\\n", '"', "'", '\\"', "\\", "\\\\", "=", ": ", "password=", "token: '", "é", "\\u0026", "/"]
)
TEXT = st.lists(st.one_of(PLANTED, GLUE, st.text(max_size=8)), max_size=12).map("".join)
VALUES = st.recursive(
    TEXT | st.integers() | st.none() | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "password", "id", "cwd"]) | TEXT, inner, max_size=3)
    ),
    max_leaves=6,
)
LINE = st.one_of(VALUES.map(json.dumps), VALUES.map(lambda v: json.dumps(json.dumps(v), ensure_ascii=False)), TEXT)
LINES = st.lists(LINE.map(lambda line: line.encode("utf-8", "surrogatepass").replace(b"\n", b" ")), max_size=4)


def shape(value: object) -> object:
    """Return everything of a JSON value but the words in its strings."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(inner) for inner in value]
    return "" if isinstance(value, str) else value


@given(TEXT)
def test_twice_is_once_in_text(text: str) -> None:
    once = redact_text(text)
    assert redact_text(once) == once


@given(LINES)
def test_json_lines_stay_what_they_are(lines: list[bytes]) -> None:
    data = b"\n".join(lines) + b"\n"
    once = redact_jsonl(data)
    assert redact_jsonl(bytes(once)) == once
    after = once.split(b"\n")[:-1]
    assert len(after) == max(len(lines), 1)
    for old, new in zip(lines, after, strict=False):
        try:
            expected = json.loads(old)
        except ValueError:
            continue
        assert shape(json.loads(new)) == shape(expected)


@given(LINES, LINES)
def test_lines_can_be_redacted_apart(first: list[bytes], second: list[bytes]) -> None:
    a = b"".join(line + b"\n" for line in first)
    b = b"\n".join(second)
    replacer = Replacer(KeptMemory())
    replacer.lines(a + b)  # from now on all secrets are known
    assert replacer.lines(a + b) == replacer.lines(a) + replacer.lines(b)


@given(LINES)
def test_all_tiers_find_the_same(lines: list[bytes]) -> None:
    data = plain(LINE_END.join(lines))
    compiled = keyword_search.compiled_tier()
    assert compiled is not None
    assert engine.scan(data, tier=compiled) == engine.scan(data, tier=keyword_search.PURE)


@given(VALUES)
def test_one_document_is_like_one_line(value: object) -> None:
    data = json.dumps(value).encode()
    assert redact_json(data) == redact_jsonl(data)
    pretty = redact_json(json.dumps(value, indent=2).encode())
    assert shape(json.loads(pretty)) == shape(value)


@given(st.binary(max_size=400))
def test_any_bytes_are_taken(data: bytes) -> None:
    assert redact_jsonl(data).count(b"\n") == data.count(b"\n")
    redact(data)
    redact_json(data)
