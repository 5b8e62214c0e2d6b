"""Tools of developers: workflows, gateways, tests of interfaces, documentation."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.redact.rules.pieces import Row

# fmt: off
ROWS: tuple[Row, ...] = (
    ("apify-token", (b"apify_api_", b"apify_proxy_", b"apify_ui_"), rb"%Bapify_(?:api|proxy|ui)_[A-Za-z0-9]{30,50}%E",
     3, "Apify: API tokens; trufflehog", "apify_<api|proxy|ui>_<alnum:36>"),
    ("arcjet-key", (b"ajkey_",), rb"%bajkey_[a-z0-9]{24,34}%E", 3, "Arcjet: site keys", "ajkey_<lowernum:26>"),
    ("blockprotocol-key", (b"b10ck5.",), rb"%bb10ck5\.[0-9a-f]{32}\.%U", 0, "Block Protocol: API keys; GitHub",
     "b10ck5.<hex:32>.<hex:8>-<hex:4>-<hex:4>-<hex:4>-<hex:12>"),
    ("browserbase-key", (b"bb_live_", b"bb_test_"), rb"%bbb_(?:live|test)_[A-Za-z0-9_-]{20,60}", 3,
     "Browserbase: API keys", "<bb_live|bb_test>_<alnum:27>"),
    ("contributed-systems-login", (b"contribsys__com",), rb"contribsys__com%=(?P<s>[0-9a-f]{8}:[0-9a-f]{8})%E", 2,
     "Sidekiq: logins of its gems; gitleaks", "bundle_enterprise__contribsys__com=«<hex:8>:<hex:8>»"),
    ("firebase-messaging-key", (b"apa91b",), rb"%bAAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{120,160}", 3.5,
     "Firebase: server keys of Cloud Messaging; GitHub", "AAAA<b64url:7>:APA91b<b64url:134>"),
    ("inngest-key", (b"signkey-",), rb"%Bsignkey-[a-z]{2,12}-[0-9a-f]{32,64}%E", 3, "Inngest: signing keys",
     "signkey-prod-<hex:64>"),
    ("intra42-secret", (b"s-s4t2ud-", b"s-s4t2af-"), rb"%bs-s4t2(?:ud|af)-[0-9a-f]{64}%E", 3,
     "42 Intra: client secrets; gitleaks", "s-s4t2<ud|af>-<hex:64>"),
    ("n8n-key", (b"n8n_api_",), rb"%bn8n_api_[0-9a-f]{40,100}%E", 3, "n8n: API keys", "n8n_api_<hex:80>"),
    ("polar-token", (b"polar_",), rb"%bpolar_(?:[a-z]{2,4}_){1,3}[A-Za-z0-9]{30,100}%E", 3.3,
     "Polar: tokens and secrets; GitHub", "polar_<oat|pat|ci>_<alnum:43>"),
    ("postman-api-key", (b"pmak-",), rb"%bPMAK-[0-9a-f]{24}-[0-9a-f]{34}", 0, "Postman: API keys; gitleaks",
     "PMAK-<hex:24>-<hex:34>"),
    ("postman-collection-key", (b"pmat-",), rb"%bPMAT-[0-9A-Z]{26}%E", 3, "Postman: collection keys; GitHub",
     "PMAT-01<uppernum:24>"),
    ("prefect-key", (b"pnu_", b"pnb_"), rb"%bpn[ub]_[A-Za-z0-9]{36}%E", 3, "Prefect: API keys; gitleaks",
     "<pnu|pnb>_<alnum:36>"),
    ("pushbullet-token", (b"pushbullet",), rb"(?i:pushbullet)%N(?P<s>o\.[A-Za-z0-9]{32})%E", 3.2,
     "Pushbullet: access tokens; trufflehog", "PUSHBULLET_TOKEN=«o.<alnum:32>»"),
    ("raycast-token", (b"rca_",), rb"%brca_[0-9a-f]{64}%E", 3, "Raycast: access tokens; GitHub", "rca_<hex:64>"),
    ("readme-key", (b"rdme_",), rb"%brdme_[a-z0-9]{70}%E", 3, "ReadMe: API keys; gitleaks", "rdme_<lowernum:70>"),
    ("recaptcha-secret", (b"recaptcha", b"turnstile"),
     rb"(?i:recaptcha|turnstile)%N(?P<s>6L[A-Za-z0-9_-]{38}|0x4[A-Za-z0-9_-]{30,40})%E", 3,
     "reCAPTCHA, Turnstile: secret keys", "<RECAPTCHA|TURNSTILE>_SECRET=«6Lc<alnum:37>»"),
    ("segment-token", (b"sgp_",), rb"%bsgp_(?![0-9a-f]{64}%E)[A-Za-z0-9]{64}%E", 3,
     "Segment: tokens of the public API; trufflehog", "sgp_<alnum:63>Z"),
    ("settlemint-token", (b"sm_aat_", b"sm_pat_", b"sm_sat_"), rb"%bsm_[aps]at_[A-Za-z0-9]{16}%E", 3,
     "SettleMint: access tokens; gitleaks", "sm_<aat|pat|sat>_<alnum:16>"),
    ("sindri-key", (b"sindri_",), rb"%bsindri_[A-Za-z0-9]{32}%E", 3, "Sindri: API keys; GitHub", "sindri_<alnum:32>"),
    ("trigger-key", (b"tr_prod_", b"tr_dev_", b"tr_stg_"), rb"%btr_(?:prod|dev|stg)_[A-Za-z0-9]{20,40}%E", 3,
     "Trigger.dev: secret keys", "<tr_prod|tr_dev|tr_stg>_<alnum:24>"),
    ("unkey-key", (b"unkey_",), rb"%bunkey_[A-Za-z0-9]{20,40}%E", 3.3, "Unkey: root keys; GitHub",
     "unkey_<alnum:24>"),
    ("valtown-token", (b"vtwn_",), rb"%bvtwn_[A-Za-z0-9]{24,60}%E", 3, "Val Town: API tokens; GitHub",
     "vtwn_<alnum:40>"),
    ("wakatime-key", (b"waka_", b"waka_sec_", b"waka_tok_", b"waka_ref_"),
     rb"%bwaka_(?:%U|(?:sec|tok|ref)_[A-Za-z0-9]{40,100}%E)", 0, "WakaTime: API keys, secrets and tokens; GitHub",
     "waka_<sec|tok|ref>_<alnum:80>"),
    ("zuplo-key", (b"zpka_",), rb"%bzpka_[a-z0-9_]{32,90}", 3, "Zuplo: API keys; GitHub", "zpka_<hex:32>_<hex:8>"),
)
KEYED: tuple[Row, ...] = (
    ("bitly-token", (b"bitly", b"bit_ly"), rb"[0-9a-f]{40}", 2.5, "Bitly: access tokens; trufflehog",
     "<BITLY|BIT_LY>_ACCESS_TOKEN=«<hex:40>»"),
    ("hcaptcha-secret", (b"hcaptcha",), rb"ES_[0-9a-f]{32}|0x[0-9a-fA-F]{40}", 2.5, "hCaptcha: secrets; GitHub",
     "HCAPTCHA_SECRET=«ES_<hex:32>»"),
    ("infracost-key", (b"infracost",), rb"ico-[A-Za-z0-9]{32}", 3, "Infracost: API keys; gitleaks",
     "INFRACOST_API_KEY=«ico-<alnum:32>»"),
    ("ionic-token", (b"ionic",), rb"ion_[A-Za-z0-9]{42}", 3.3, "Ionic: personal access tokens; trufflehog",
     "IONIC_TOKEN=«ion_<alnum:42>»"),
    ("pangea-token", (b"pangea",), rb"pts_[a-z2-7]{32}", 3, "Pangea: tokens; GitHub",
     "PANGEA_TOKEN=«pts_<lower:32>»"),
)
# fmt: on

BACK: dict[str, int] = {"firebase-messaging-key": 12}
