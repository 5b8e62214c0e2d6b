"""Private keys of every format: whole, only their middle, only their end; and members of JSON web keys."""

from __future__ import annotations

from tests.secrets.kinds import in_context

GROUP = "private keys"
KINDS = in_context(GROUP, (
    ("rsa-private-key", ("<pem:RSA PRIVATE KEY,12,MIIEpAIBAAKCAQEA>", "ssl_key: |\n<pem:RSA PRIVATE KEY,6,MIIEowIBAAKCAQEA>")),
    ("rsa-encrypted-key", ("<pem:ENCRYPTED PRIVATE KEY,14,MIIFHDBOBgkqhkiG9w0BBQ0w>",)),
    ("pkcs8-private-key", ("<pem:PRIVATE KEY,13,MIIEvQIBADANBgkqhkiG9w0BAQEF>", "<pem:PRIVATE KEY,1,MIGHAgEAMBMGByqGSM49AgEG>")),
    ("ec-private-key", ("<pem:EC PRIVATE KEY,3,MHcCAQEEI>",)),
    ("dsa-private-key", ("<pem:DSA PRIVATE KEY,8,MIIBuwIBAAKBgQ>",)),
    ("ed25519-pkcs8-key", ("<pem:PRIVATE KEY,1,MC4CAQAwBQYDK2VwBCIEI>",)),
    ("openssh-private-key", ("<pem:OPENSSH PRIVATE KEY,5,b3BlbnNzaC1rZXktdjEAAAAA>", "<pem:OPENSSH PRIVATE KEY,20,b3BlbnNzaC1rZXktdjEAAAAA>")),
    ("ssh2-private-key", ("<pem:SSH2 ENCRYPTED PRIVATE KEY,8,P2/56wAAA>",)),
    ("pgp-private-key", ("<begin:PGP PRIVATE KEY BLOCK>\n\n<key_lines:12,lQVYBG>\n=<b64:4>\n<end:PGP PRIVATE KEY BLOCK>",)),
    ("putty-private-key", (
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: deploy\nPublic-Lines: 2\n<b64:64>\n<b64:16>\nPrivate-Lines: 1\n«<b64:44>»\nPrivate-MAC: «<hex:64>»",
        "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: k\nPublic-Lines: 1\n<b64:64>\nPrivate-Lines: 4\n<pem_middle:4>\nPrivate-MAC: «<hex:40>»",
    )),
    ("age-secret-key", ("«AGE-SECRET-KEY-1<bech32:58>»", "# created: 2026-03-01T10:00:00Z\n«AGE-SECRET-KEY-1<bech32:58>»")),
    ("minisign-key", ("untrusted comment: minisign encrypted secret key\n«RWRTY0Iy<b64:200>»",)),
    ("key-middle", ("<pem_middle:8>", "the rest of id_rsa:\n<pem_middle:5>")),
    ("key-end", ("<pem_end:RSA PRIVATE KEY,6>", "<pem_end:PRIVATE KEY,4>", "<pem_end:OPENSSH PRIVATE KEY,3>")),
    ("key-beginning", ("<begin:RSA PRIVATE KEY>\n<key_lines:3,MIIEpAIBAAKCAQEA>", "<begin:OPENSSH PRIVATE KEY>\n<key_lines:2,b3BlbnNzaC1rZXktdjEAAAAA>")),
    ("key-on-one-line", (
        'PRIVATE_KEY="<begin:PRIVATE KEY>\\n«MIIEvQ<b64:58>»\\n«<b64:64>»\\n«<b64:52>»\\n<end:PRIVATE KEY>\\n"',
        '  "private_key": "<begin:RSA PRIVATE KEY>\\n«MIIEow<b64:58>»\\n«<b64:64>»\\n«<b64:52>»\\n<end:RSA PRIVATE KEY>\\n",',
        "const key = '<begin:EC PRIVATE KEY>\\n«MHcCAQEEI<b64:55>»\\n«<b64:64>»\\n<end:EC PRIVATE KEY>';",
    )),
    ("key-in-base64", (
        "SSH_KEY_B64=«<b64of:[begin:OPENSSH PRIVATE KEY]\nb3BlbnNzaC1rZXktdjEAAAAA[b64:180]\n[end:OPENSSH PRIVATE KEY]>»",
    )),
    ("jwk-rsa", (
        '{"kty": "RSA", "kid": "2026-03", "n": "<raw64url:64>", "e": "AQAB", "d": "«<raw64url:64>»", "p": "«<raw64url:32>»", "q": "«<raw64url:32>»"}',
    )),
    ("jwk-ec", ('{"kty":"EC","crv":"P-256","x":"<raw64url:32>","y":"<raw64url:32>","d":"«<raw64url:32>»"}',)),
    ("jwk-okp", ('{\n  "kty": "OKP",\n  "crv": "Ed25519",\n  "d": "«<raw64url:32>»",\n  "x": "<raw64url:32>"\n}',)),
    ("jwk-symmetric", ('{"kty": "oct", "alg": "HS256", "k": "«<raw64url:32>»"}', '{"k":"«<raw64url:64>»","kty":"oct","kid":"sign"}')),
    ("jks-password", ("keytool -importkeystore -srcstorepass «<password:shell>» -deststorepass «<password:shell>»",)),
    ("x509-key-xml", ("<RSAKeyValue><Modulus><b64:128></Modulus><Exponent>AQAB</Exponent><D>«<b64:128>»</D></RSAKeyValue>",)),
))  # fmt: skip
