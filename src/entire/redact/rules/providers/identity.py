"""Sign-on, OAuth clients, stores of secrets, and private networks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.redact.rules.pieces import Row

_UUID = rb"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_UUID_EXAMPLE = "<hex:8>-<hex:4>-<hex:4>-<hex:4>-<hex:12>"

# fmt: off
ROWS: tuple[Row, ...] = (
    ("1password-secret-key", (b" a3-",),
     rb"%bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}%E", 3,
     "1Password: Secret Key", "A3-<uppernum:6>-<uppernum:6>-<uppernum:5>-<uppernum:5>-<uppernum:5>-<uppernum:5>"),
    ("1password-token", (b"ops_eyj",), rb"%Bops_eyJ(?:%6|[_-]){200,4000}={0,3}", 0,
     "1Password: service account token", "ops_eyJ<b64:300>="),
    ("age-secret-key", (b"age-secret-key-",), rb"%BAGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{58,200}", 0,
     "age: identity file", "AGE-SECRET-KEY-1<uppernum:58>"),
    ("authress-key", (b"scauth_", b"authress_", b" sc_", b" ext_"),
     rb"%b(?:scauth|authress|sc|ext)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}",
     3,
     "Authress: service client access key",
     "<scauth_|authress_|sc_|ext_><lowernum:12>.<lowernum:4>.acc-<lowernum:16>.<alnum:60>"),
    ("azure-client-secret", (b"q~",), rb"%b[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{30,33}[A-Za-z0-9_~-]", 3,
     "Microsoft: client secret of an application", "<alnum:3>8Q~<alnum:34>"),
    ("azure-refresh-token", (b" 0.a", b" 1.a"), rb"%b[01]\.A[\w-]{50,200}\.Ag[\w-]{250,2000}", 3.5,
     "Microsoft: refresh token; trufflehog", "<0|1>.A<b64url:80>.Ag<b64url:300>"),
    ("bitwarden-client-secret", (b"apikeyclientsecret",), rb"(?i:apikeyclientsecret)%=(?P<s>[A-Za-z0-9]{10,50})%E",
     2.5, "Bitwarden: client secret in its data file; kingfisher",
     "\"user_<hex:8>-<hex:4>-<hex:4>-<hex:4>-<hex:12>_token_apiKeyClientSecret\": \"«<alnum:30>»\""),
    ("bitwarden-token", (b" bws", b"bitwarden", b" 0.a", b" 0.b", b" 0.c", b" 0.d", b" 0.e", b" 0.f"),
     rb"(?:(?i:bws|bitwarden)[^\r\n]{0,120}?)?%b(?P<s>0\.%U\.[A-Za-z0-9]{26,34}:%6{22}==)", 3,
     "Bitwarden: tests of the Secrets Manager SDK",
     "<bws_token: |bitwarden login ||||||>«0.<1|2|a|b|c|d|e|f><hex:7>-<hex:4>-<hex:4>-<hex:4>-<hex:12>.<alnum:30>:"
     "<b64:22>==»"),
    ("consul-token", (b"consul", b"nomad"), rb"(?i:(?:consul|nomad)%N)(?P<s>" + _UUID + rb")%E",
     3,
     "HashiCorp: Consul and Nomad", f"<CONSUL_HTTP_TOKEN=|X-Nomad-Token: >«{_UUID_EXAMPLE}»"),
    ("defined-networking-token", (b"dnkey-",), rb"%bdnkey-[A-Z0-9=_-]{26}-[A-Z0-9=_-]{52}", 3,
     "Defined Networking: API key", "dnkey-<base32:26>-<base32:52>"),
    ("doppler-token", (b"dp.pt.", b"dp.st.", b"dp.ct.", b"dp.scim.", b"dp.audit.", b"dp.sa."),
     rb"%bdp\.(?:pt|st|ct|scim|audit|sa)\.(?:[\w-]{1,40}\.)?[A-Za-z0-9]{40,44}", 3,
     "Doppler: auth token formats", "dp.<pt|st|ct|scim|audit|sa>.<alnum:43>"),
    ("duo-key", (b"duo_", b"duosecurity", b"skey"), rb"(?i:duo_?|skey)(?:%N|%=|[ ]is[ ]%Q)(?P<s>[A-Za-z0-9]{40})%E",
     3.5,
     "Duo: secret key", "<duo_skey|duosecurity_key|skey>=«<alnum:40>»"),
    ("fusionauth-key", (b"fusionauth",), rb"(?i:fusionauth)%N(?P<s>[A-Za-z0-9_-]{43,64})%E", 3.5,
     "FusionAuth: API keys", "FUSIONAUTH_API_KEY=«<alnum:64>»"),
    ("google-client-secret", (b"gocspx-",), rb"%BGOCSPX-[\w-]{28}", 0, "Google: OAuth client secret",
     "GOCSPX-<b64url:28>"),
    ("infisical-token", (b" st.",), rb"%bst\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}%E", 3, "Infisical: service token",
     "st.<hex:24>.<hex:32>.<hex:32>"),
    ("jumpcloud-key", (b"jca_",), rb"%bjca_[A-Za-z0-9]{36}%E", 3, "JumpCloud: API key", "jca_<alnum:36>"),
    ("jumpcloud-legacy-key", (b"jumpcloud",), rb"(?i:jumpcloud)%N(?P<s>[0-9a-f]{40})%E", 3,
     "JumpCloud: API key", "JUMPCLOUD_API_KEY=«<hex:40>»"),
    ("netbird-token", (b"nbp_",), rb"%bnbp_[A-Za-z0-9]{36}%E", 3, "NetBird: personal access token", "nbp_<alnum:36>"),
    ("nextauth-secret", (b"nextauth", b"next_auth"), rb"(?i:nextauth|next_auth)%N(?P<s>[A-Za-z0-9+/]{43}=)%E", 3.5,
     "NextAuth.js: secrets", "<NEXTAUTH|NEXT_AUTH>_SECRET=\"«<b64:43>=»\""),
    ("okta-token", (b"ssws",), rb"(?i:ssws)[ ]{1,4}(?P<s>00[\w-]{38,60})", 3, "Okta: API token",
     "Authorization: SSWS «00<alnum:40>»"),
    ("okta-token-alone", (b" 00a", b" 00b", b" 00c", b" 00d", b" 00e", b" 00f", b" 00g", b" 00h", b" 00i", b" 00j",
     b" 00k", b" 00l", b" 00m", b" 00n", b" 00o", b" 00p", b" 00q", b" 00r", b" 00s", b" 00t", b" 00u", b" 00v",
     b" 00w", b" 00x", b" 00y", b" 00z"),
     rb"%b00(?=[\w-]{0,38}\d)(?=[a-z\d_-]{0,38}[A-Z])(?=[A-Z\d_-]{0,38}[a-z])[\w-]{39}\w(?![\w-])", 4,
     "Okta: API token; kingfisher", "00<a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|w|x|y|z><alnum:37>xX"),
    ("ory-token", (b"ory_at_", b"ory_rt_", b"ory_st_", b"ory_ac_", b"ory_pat_"),
     rb"%bory_(?:at|rt|st|ac|pat)_[\w.-]{24,200}(?<![.-])", 3,
     "Ory: token prefixes", "<ory_at_|ory_rt_|ory_st_|ory_ac_|ory_pat_><alnum:43>"),
    ("permit-key", (b"permit_key_",), rb"%bpermit_key_[A-Za-z0-9]{60,120}%E", 3, "Permit.io: API key",
     "permit_key_<alnum:86>"),
    ("stytch-secret", (b"secret-live-", b"secret-test-"), rb"%bsecret-(?:live|test)-[\w-]{34,60}={0,2}", 3,
     "Stytch: secret", "<secret-live-|secret-test-><b64url:43>="),
    ("tailscale-key", (b"tskey-",), rb"%btskey-[a-z]{2,12}-[A-Za-z0-9-]{20,80}", 3,
     "Tailscale: key prefixes", "tskey-<api|auth|client|scim|webhook>-<alnum:12>-<alnum:32>"),
    ("totp-secret", (b"otpauth",),
     rb"(?i:otpauth)://[^\s\"'`<>\[\]]{1,300}?[?&](?i:secret)=(?P<s>[A-Za-z2-7]{16,128}={0,6})%E",
     0, "Google Authenticator: key URI format", "otpauth://totp/me@example.com?issuer=x&secret=«<base32:32>»&digits=6"),
    ("vault-batch-token", (b"b.aaaaaq",), rb"%bb\.AAAAAQ[\w-]{90,400}", 3, "HashiCorp Vault: tokens before 1.10",
     "b.AAAAAQ<b64url:200>"),
    ("vault-legacy-token", (b" s.",),
     rb"%b(?<!\.)s\.(?=[A-Za-z]{0,23}\d)(?=[a-z0-9]{0,23}[A-Z])(?=[A-Z0-9]{0,23}[a-z])"
     rb"[A-Za-z0-9]{24}(?:\.[A-Za-z0-9]{5})?%E",
     3.5, "HashiCorp Vault: tokens before 1.10", "s.<alnum:22>xX"),
    ("vault-secret-id", (b"secret_id", b"secretid"), rb"(?i:secret[_-]?id)(?:%=|[ ]is[ ]%Q)(?P<s>" + _UUID + rb")%E", 0,
     "HashiCorp Vault: AppRole", f"<secret_id|VAULT_SECRETID>=«{_UUID_EXAMPLE}»"),
    ("vault-secret-id-in-prose", (b"vault", b"approle"),
     rb"(?i:(?:vault|approle)[ ](?:\w{1,20}[ ])?secret[ ]id)(?:[ ]is[ :]{1,3}|: )%Q(?P<s>"
     + _UUID + rb")%E", 0, "HashiCorp Vault: AppRole", f"the <Vault|AppRole> secret ID is «{_UUID_EXAMPLE}»"),
    ("vault-token", (b"hvs.", b"hvb.", b"hvr."), rb"%bhv[bsr]\.[\w-]{24,300}", 3, "HashiCorp Vault: tokens",
     "<hvs|hvb|hvr>.<b64url:90>"),
    ("vault-unseal-key", (b"unseal",),
     rb"(?i:unseal[ _-]?key)[ _]?\d{0,2}(?:%=|[ ]is[ :]{1,3}%Q)(?P<s>%6{43,44}=?|[0-9a-f]{64,66})(?![A-Za-z0-9+/=])",
     3, "HashiCorp Vault: operator init", "Unseal Key 1: «<b64:44>»"),
    ("workos-key", (b"sk_a2v5",), rb"%bsk_a2V5[A-Za-z0-9]{40,120}%E", 3, "WorkOS: API keys", "sk_a2V5<alnum:70>"),
)
"""Sorted by id."""

KEYED: tuple[Row, ...] = (
    ("auth0-secret", (b"auth0",), rb"[\w-]{64}", 3.5, "Auth0: client secret", "AUTH0_CLIENT_SECRET=«<b64url:63>x»"),
    ("boundary-token", (b"boundary",), rb"at_[A-Za-z0-9]{10}_[A-Za-z0-9]{60,400}", 3.5, "HashiCorp Boundary: tokens",
     "BOUNDARY_TOKEN=«at_<alnum:10>_<base58:80>»"),
    ("cognito-secret", (b"cognito",), rb"(?=[a-z0-9]{0,20}\d[a-z0-9]{0,30}\d)[a-z0-9]{50,52}", 3.5,
     "Amazon Cognito: client secrets", "COGNITO_CLIENT_SECRET=«<lowernum:52>»"),
    ("descope-key", (b"descope",), rb"K[2-9][A-Za-z0-9]{80,120}", 3.5, "Descope: management keys",
     "DESCOPE_MANAGEMENT_KEY=«K2<alnum:90>»"),
    ("google-legacy-client-secret", (b"google_client", b"google_secret", b"google_oauth"),
     rb"(?=[A-Za-z_-]{0,23}\d)[\w-]{24}", 3, "Google: OAuth client secret before 2021",
     "<GOOGLE_CLIENT_SECRET|google_secret|GOOGLE_OAUTH_SECRET>=«<alnum:24>»"),
    ("infisical-secret", (b"infisical_client_secret", b"infisical_universal_auth"), rb"[0-9a-f]{64}", 3,
     "Infisical: universal auth", "<INFISICAL_CLIENT_SECRET|INFISICAL_UNIVERSAL_AUTH_CLIENT_SECRET>=«<hex:64>»"),
    ("jupiterone-key", (b"jupiterone",), rb"[0-9a-zA-Z]{76}", 3, "JupiterOne: API key; trufflehog",
     "JUPITERONE_KEY=«<alnum:76>»"),
    ("keycloak-secret", (b"keycloak",), rb"(?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32}", 3.5, "Keycloak: client secret",
     "KEYCLOAK_CLIENT_SECRET=«<alnum:32>»"),
    ("loginradius-key", (b"loginradius",), rb"%U", 2.5, "LoginRadius: API keys and secrets; trufflehog",
     "LOGINRADIUS_KEY=«<hex:8>-<hex:4>-<hex:4>-<hex:4>-<hex:12>»"),
    ("okta-key", (b"okta",), rb"(?:00[\w-]{40}|[\w-]{40}|[\w-]{64})(?![\w-])", 3.5, "Okta: API token, client secret",
     "OKTA_API_TOKEN=«00<alnum:40>»"),
    ("onelogin-secret", (b"onelogin",), rb"[0-9a-f]{64}", 3, "OneLogin: client secret",
     "ONELOGIN_CLIENT_SECRET=«<hex:64>»"),
    ("passbase-key", (b"passbase",), rb"[a-zA-Z0-9]{128}", 3, "Passbase: API keys; trufflehog",
     "PASSBASE_KEY=«<alnum:128>»"),
    ("teleport-token", (b"teleport",), rb"[0-9a-f]{32}", 3, "Teleport: join token", "TELEPORT_JOIN_TOKEN=«<hex:32>»"),
    ("wiz-secret", (b"wiz_client", b"wizclient"), rb"[A-Za-z0-9]{64}", 3.5, "Wiz: client secrets; betterleaks",
     "<WIZ_CLIENT_SECRET|wizClientSecret>=«<alnum:64>»"),
    ("zerotier-token", (b"zerotier",), rb"[A-Za-z0-9]{32}", 3.5, "ZeroTier: API token", "ZEROTIER_TOKEN=«<alnum:32>»"),
)
"""Sorted by id; secrets only beside the names of their keywords."""
# fmt: on

BACK: dict[str, int] = {"azure-client-secret": 4}
"""How many bytes before its keyword a pattern starts."""
