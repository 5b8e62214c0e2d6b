"""Secrets of providers that have a form of their own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.redact.rules.pieces import BareRow

_PASSWORD = rb"[^\s\"'`/?#@<>\[\]\x7f]"

# fmt: off
ROWS: tuple[BareRow, ...] = (
    ("airtable-token", (b"airtable",), rb"(?i)airtable[^\r\n]{0,80}?%b(?P<s>pat[A-Za-z0-9]{14}\.[0-9a-f]{64})", 0),
    ("anthropic-api-key", (b"sk-ant-",), rb"%Bsk-ant-[A-Za-z0-9_-]{20,300}", 3),
    ("authorization-header", (b"authorization",),
     rb"(?i)authorization%=(?:bearer|basic|token|bot|apikey|api-key|splunk)"
     rb"[ \t]{1,4}(?P<s>[A-Za-z0-9._~+/=:-]{8,8000})", 2.8),
    ("azure-sas-signature", (b"sig=",), rb"(?<=[?&;6])sig=(?P<s>[A-Za-z0-9%+/]{40,80}(?:%3[Dd]|=))", 3),
    ("basic-auth-flag", (b"curl",),
     rb"(?i)curl\b[^\r\n]{0,300}?[ ](?:-u|--user)[ =]{0,2}"
     rb"%Q[^\s:\"'`$]{1,100}:(?P<s>%p{3,200})", 0),
    ("bearer-token", (b"bearer",),
     rb"(?i)bearer[ ]{1,4}(?=[A-Za-z._~+/=-]{0,200}\d)"
     rb"(?P<s>[A-Za-z0-9._~+/=-]{16,8000})", 3.5),
    ("brevo-api-key", (b"xkeysib-",), rb"%Bxkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}", 0),
    ("connection-string", (b"password", b"pwd"),
     rb"(?i)(?<=[; ])(?:password|pwd)=(?P<s>[^\s;\"'`<>\[\]${}()]{3,128})(?=;)", 0),
    ("datadog-key", (b"datadog",), rb"(?i)datadog[\w.-]{0,40}%=(?P<s>[0-9a-f]{40}|[0-9a-f]{32})%E", 3),
    ("discord-token", (b"discord", b"login("),
     rb"(?i)(?:discord[^\r\n]{0,80}?|login\(%Q)(?<![A-Za-z0-9_-])"
     rb"(?P<s>(?-i:[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}))", 3.5),
    ("discord-webhook", (b"discord",),
     rb"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{10,25}/(?P<s>[\w-]{30,120})", 0),
    ("dropbox-token", (b"sl.",), rb"%bsl\.(?:u\.)?[A-Za-z0-9_=-]{130,2000}", 3),
    ("dynatrace-token", (b"dt0c01.",), rb"%Bdt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}", 0),
    ("figma-token", (b"figd_",), rb"%Bfigd_[\w-]{38,60}", 3),
    ("grafana-token", (b"glsa_", b"glc_"),
     rb"%b(?:glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|glc_%6{32,400}={0,3})", 3),
    ("groq-api-key", (b"gsk_",), rb"%bgsk_[A-Za-z0-9]{48,60}", 3),
    ("huggingface-token", (b"hf_", b"api_org_"), rb"%b(?:hf_|api_org_)[A-Za-z0-9]{30,40}%E", 3),
    ("langsmith-api-key", (b"lsv2_",), rb"%Blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", 0),
    ("linear-api-key", (b"lin_api_", b"lin_oauth_"), rb"%Blin_(?:api|oauth)_[A-Za-z0-9]{32,64}", 3),
    ("mailchimp-api-key", (b"-us",), rb"%B[0-9a-f]{32}-us\d{1,2}%E", 3),
    ("mailgun-api-key", (b"key-",), rb"%b(?:pub)?key-[0-9a-f]{32}%E", 3),
    ("netrc-password", (b"machine",),
     rb"machine[ ]{1,4}[^\s\"'`]{1,100}[ ]{1,4}"
     rb"login[ ]{1,4}[^\s\"'`]{1,100}[ ]{1,4}password[ ]{1,4}(?P<s>%p{3,200})", 0),
    ("newrelic-key", (b"nrak-", b"nrii-", b"nrjs-", b"nriq-", b"nrra-"),
     rb"%bNR(?:AK|II|JS|IQ|RA)-[A-Za-z0-9_-]{19,42}", 3),
    ("newrelic-license-key", (b"nral",), rb"%B[0-9a-f]{36}NRAL%E", 3),
    ("notion-token", (b"ntn_", b"secret_"), rb"%b(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})%E", 3),
    ("openai-api-key", (b"sk-",),
     rb"%bsk-(?!ant-)(?:(?:proj|svcacct|admin|or-v1)-[\w-]{20,300}|[A-Za-z0-9]{32,64}%E"
     rb"|[\w-]{0,40}T3BlbkFJ[\w-]{16,200})", 3),
    ("perplexity-api-key", (b"pplx-",), rb"%bpplx-[A-Za-z0-9]{40,60}", 3),
    ("postman-api-key", (b"pmak-",), rb"%bPMAK-[0-9a-f]{24}-[0-9a-f]{34}", 0),
    ("replicate-token", (b"r8_",), rb"%br8_[A-Za-z0-9]{37,40}", 3),
    ("sendgrid-api-key", (b"sg.",), rb"%bSG\.[\w-]{16,32}\.[\w-]{32,64}", 3),
    ("sentry-token", (b"sntrys_", b"sntryu_"), rb"%Bsntry(?:u_[0-9a-f]{64}|s_(?:%6|[=_-]){60,400})", 3),
    ("shopify-token", (b"shpat_", b"shpca_", b"shppa_", b"shpss_"), rb"%Bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", 0),
    ("slack-app-token", (b"xapp-",), rb"%bxapp-\d-[A-Za-z0-9]{5,20}-\d{5,20}-[A-Za-z0-9]{20,100}", 3),
    ("slack-token", (b"xox",), rb"%bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,250}", 2.5),
    ("slack-webhook", (b"hooks.slack.com",),
     rb"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>(?:[A-Za-z0-9]{1,64}(?:/)?){3,8})", 3),
    ("square-token", (b"eaaa", b"sq0"), rb"%b(?:EAAA[\w-]{56,70}%E|sq0[a-z]{3}-[\w-]{22,43})", 3),
    ("sshpass-flag", (b"sshpass",), rb"sshpass[ ]{1,4}-p[ ]{0,4}%Q(?P<s>%p{3,200})", 0),
    ("stripe-key", (b"sk_live_", b"sk_test_", b"rk_live_", b"rk_test_"),
     rb"%B[rs]k_(?:live|test)_[A-Za-z0-9]{10,250}", 2.5),
    ("stripe-webhook-secret", (b"whsec_",), rb"%Bwhsec_%6{24,120}={0,2}", 3),
    ("telegram-bot-token", (b":aa",), rb"(?<=\d{8}):(?P<s>AA[\w-]{33})(?![\w-])", 3),
    ("twilio-key", (b"twilio",), rb"(?i)twilio[^\r\n\"]{0,60}?%=(?P<s>(?:SK)?[0-9a-f]{32})%E", 3),
    ("url-credentials", (b"://",),
     rb"://[^\s\"'`/?#@:<>\[\]$]{0,100}:(?P<s>(?![${*%]|x{3,}@)" + _PASSWORD + rb"{1,300})@[\w.\[\\-]", 0),
    ("url-token", (b"://",), rb"://(?P<s>[A-Za-z0-9_-]{24,200})(?::x-oauth-basic)?@[\w.-]", 3.5),
    ("xai-api-key", (b"xai-",), rb"%bxai-[A-Za-z0-9]{60,100}", 3),
)

BACK: dict[str, int] = {
    "mailchimp-api-key": 32,
    "newrelic-license-key": 36,
}
"""How many bytes before its keyword a rule's pattern starts."""
# fmt: on
