"""Random values that no rule knows, near a word that tells what they are."""

from __future__ import annotations

from tests.secrets.kinds import in_context

KINDS = in_context("generic", (
    ("unknown-token-constant", ('ACME_SESSION = "«<b64url:48>»"', "const acmeCredential = '«<alnum:40>»';", "FROBNICATOR_AUTH=«<hex:48>»", "  credential: «<b64:56>»")),
    ("unknown-service-key", ("PLUMWORKS_KEY=«<alnum:36>»", 'plumworks.key = "«<b64url:44>»"', '"plumworksKey": "«<alnum:32>»"', "plumworks-key: «<hex:40>»")),
    ("prefixed-unknown", ("PLUM_TOKEN=plm_live_«<alnum:40>»", "token: acme_«<raw64url:32>»", "orchard_sk_«<alnum:48>» is my key")),
    ("argument-of-a-call", ("client = Acme('«<raw64url:32>»')  # api key", "Authenticator(token='«<alnum:40>»')", 'signer.setKey("«<raw64:32>»");')),
    ("prose-random", ("I rotated the credential to «<raw64url:32>» yesterday", "we sign with «<alnum:48>» as the shared secret", "send it along with the key «<b64url:40>»")),
    ("header-unknown", ("X-Plum-Secret: «<alnum:40>»", "X-Acme-Signature: «<raw64:32>»", "X-Session: «<b64url:64>»")),
    ("query-unknown", ("https://acme.orchard.dev/cb?sess=«<raw64url:32>»", "https://acme.orchard.dev/x?auth=«<alnum:40>»&v=2", "https://acme.orchard.dev/x?signature=«<raw64url:32>»")),
    ("two-names", ("APP_ID=orchard\nAPP_SECRET=«<alnum:40>»", "client_id: orchard\nclient_secret: «<b64url:40>»", "username: maria\napi_pass: «<alnum:24>»")),
    ("other-languages", ("contraseña: «<password>»", "mot de passe : «<password>»", "Kennwort = «<password>»", "senha: «<password>»", "пароль: «<password>»", "密码: «<password>»")),
    ("refresh-and-session", ("refresh_token: «<b64url:60>»", "session_key=«<hex:64>»", '"idToken": "«<b64url:80>»"', "bearer «<b64url:48>»", "auth_cookie = '«<b64:86>»'")),
    ("nonce-free-hmac", ("HMAC_KEY=«<hex:64>»", "hmac secret «<raw64url:32>»", "hmac.new(b'«<alnum:32>»', body, sha256)")),
    ("kms-data-key", ('"Plaintext": "«<raw64:32>»"', "data key: «<raw64:32>»")),
))  # fmt: skip
