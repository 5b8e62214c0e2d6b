"""Secrets of providers that have a form of their own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.redact.rules.pieces import BareRow

_GITLAB = (b"glpat-", b"gldt-", b"glrt-", b"glptt-", b"glft-", b"glsoat-", b"glimt-", b"glagent-", b"glcbt-", b"gloas-")
_PEM = (
    rb"-----BEGIN[A-Z0-9 _-]{0,60}PRIVATE KEY(?: BLOCK)?-----(?P<s>"
    # To the end marker, if one is near; else as far as it looks like a key.
    rb"(?:[^\"\[-]|-(?!----)){16,20000}?(?=-----END[A-Z0-9 _-]{0,60}PRIVATE KEY)"
    rb"|(?:[A-Za-z0-9+/=:,\s.|>\xe2\x86\x92]|-(?!----)){16,20000})"
)
_PASSWORD = rb"[^\s\"'`/?#@<>\[\]\x7f]"

# fmt: off
ROWS: tuple[BareRow, ...] = (
    ("1password-token", (b"ops_eyj",), rb"%Bops_eyJ(?:%6|[_-]){200,4000}={0,3}", 0),
    ("age-secret-key", (b"age-secret-key-",), rb"%BAGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{58,200}", 0),
    ("airtable-token", (b"airtable",), rb"(?i)airtable[^\r\n]{0,80}?%b(?P<s>pat[A-Za-z0-9]{14}\.[0-9a-f]{64})", 0),
    ("anthropic-api-key", (b"sk-ant-",), rb"%Bsk-ant-[A-Za-z0-9_-]{20,300}", 3),
    ("atlassian-token", (b"atatt3", b"atctt3"), rb"%bAT[AC]TT3[A-Za-z0-9_=-]{40,400}", 3),
    ("authorization-header", (b"authorization",),
     rb"(?i)authorization%=(?:bearer|basic|token|bot|apikey|api-key|splunk)"
     rb"[ \t]{1,4}(?P<s>[A-Za-z0-9._~+/=:-]{8,8000})", 2.8),
    ("aws-access-key", (b"akia", b"asia", b"abia", b"acca"), rb"%bA(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}%E", 2.5),
    ("aws-bedrock-key", (b"absk",), rb"%bABSK%6{80,300}={0,2}", 3),
    ("aws-secret-key", (b"secret_access_key", b"secretaccesskey", b"secret-access-key"),
     rb"(?i:secret[_-]?access[_-]?key)%=(?P<s>%6{40})(?![A-Za-z0-9/+])", 3),
    ("azure-account-key", (b"accountkey", b"sharedaccesskey"),
     rb"(?i:accountkey|sharedaccesskey)=(?P<s>%6{40,120}={0,2})", 3),
    ("azure-client-secret", (b"q~",), rb"%b[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}", 3),
    ("azure-sas-signature", (b"sig=",), rb"(?<=[?&;6])sig=(?P<s>[A-Za-z0-9%+/]{40,80}(?:%3[Dd]|=))", 3),
    ("basic-auth-flag", (b"curl",),
     rb"(?i)curl\b[^\r\n]{0,300}?[ ](?:-u|--user)[ =]{0,2}"
     rb"%Q[^\s:\"'`$]{1,100}:(?P<s>%p{3,200})", 0),
    ("bearer-token", (b"bearer",),
     rb"(?i)bearer[ ]{1,4}(?=[A-Za-z._~+/=-]{0,200}\d)"
     rb"(?P<s>[A-Za-z0-9._~+/=-]{16,8000})", 3.5),
    ("bitbucket-token", (b"atbb",), rb"%bATBB[A-Za-z0-9]{28,64}", 3),
    ("brevo-api-key", (b"xkeysib-",), rb"%Bxkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}", 0),
    ("circleci-token", (b"ccipat_",), rb"%BCCIPAT_[A-Za-z0-9]{22}_[0-9a-f]{40}", 0),
    ("cloudflare-key", (b"cloudflare",), rb"(?i)cloudflare[\w.-]{0,40}%=(?P<s>[0-9a-f]{37}|[A-Za-z0-9_-]{40})%E", 3),
    ("cloudflare-origin-ca", (b"v1.0-",), rb"%bv1\.0-[0-9a-f]{24}-[0-9a-f]{146}", 0),
    ("connection-string", (b"password", b"pwd"),
     rb"(?i)(?<=[; ])(?:password|pwd)=(?P<s>[^\s;\"'`<>\[\]${}()]{3,128})(?=;)", 0),
    ("databricks-token", (b"dapi",), rb"%bdapi[0-9a-f]{32}(?:-\d)?%E", 3),
    ("datadog-key", (b"datadog",), rb"(?i)datadog[\w.-]{0,40}%=(?P<s>[0-9a-f]{40}|[0-9a-f]{32})%E", 3),
    ("digitalocean-token", (b"dop_v1_", b"doo_v1_", b"dor_v1_"), rb"%Bdo[opr]_v1_[0-9a-f]{64}", 0),
    ("discord-token", (b"discord", b"login("),
     rb"(?i)(?:discord[^\r\n]{0,80}?|login\(%Q)(?<![A-Za-z0-9_-])"
     rb"(?P<s>(?-i:[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}))", 3.5),
    ("discord-webhook", (b"discord",),
     rb"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{10,25}/(?P<s>[\w-]{30,120})", 0),
    ("docker-token", (b"dckr_pat_", b"dckr_oat_"), rb"%Bdckr_[op]at_[\w-]{27,64}", 3),
    ("doppler-token", (b"dp.",), rb"%bdp\.(?:pt|st|ct|scim|audit|sa)\.(?:[\w-]{1,40}\.)?[A-Za-z0-9]{40,44}", 3),
    ("dropbox-token", (b"sl.",), rb"%bsl\.(?:u\.)?[A-Za-z0-9_=-]{130,2000}", 3),
    ("dynatrace-token", (b"dt0c01.",), rb"%Bdt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}", 0),
    ("fastly-token", (b"fastly",), rb"(?i)fastly[\w.-]{0,40}%=(?P<s>[A-Za-z0-9_-]{32})%E", 3),
    ("figma-token", (b"figd_",), rb"%Bfigd_[\w-]{38,60}", 3),
    ("fly-token", (b"fo1_", b"fm1r_", b"fm2_"), rb"%b(?:fo1_[\w-]{43}|fm(?:1r|2)_%6{80,2000}={0,3})", 3),
    ("gcp-api-key", (b"aiza",), rb"%bAIza[\w-]{35}", 3),
    ("github-fine-grained-token", (b"github_pat_",), rb"%Bgithub_pat_\w{40,255}", 3),
    ("github-token", (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"), rb"%Bgh[oprsu]_[A-Za-z0-9]{36,255}", 3),
    ("gitlab-token", _GITLAB, rb"%bgl(?:pat|dt|rt|ptt|ft|soat|imt|agent|cbt|oas)-[\w.-]{20,300}", 3),
    ("google-client-secret", (b"gocspx-",), rb"%BGOCSPX-[\w-]{28}", 0),
    ("google-oauth-token", (b"ya29.",), rb"%bya29\.[\w-]{20,2000}", 3),
    ("google-refresh-token", (b"1//0",), rb"%b1//0[\w-]{35,200}", 3.5),
    ("grafana-token", (b"glsa_", b"glc_"),
     rb"%b(?:glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|glc_%6{32,400}={0,3})", 3),
    ("groq-api-key", (b"gsk_",), rb"%bgsk_[A-Za-z0-9]{48,60}", 3),
    ("heroku-api-key", (b"heroku",),
     rb"(?i)heroku[\w.-]{0,40}%=(?P<s>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})%E", 0),
    ("heroku-token", (b"hrku-",), rb"%bHRKU-[\w-]{36,100}", 3),
    ("huggingface-token", (b"hf_", b"api_org_"), rb"%b(?:hf_|api_org_)[A-Za-z0-9]{30,40}%E", 3),
    ("jwt", (b"eyj",), rb"%beyJ[\w-]{10,4000}\.[\w-]{6,12000}\.[\w-]{10,2000}(?:\.[\w-]{8,2000}){0,2}", 3),
    ("langsmith-api-key", (b"lsv2_",), rb"%Blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", 0),
    ("linear-api-key", (b"lin_api_", b"lin_oauth_"), rb"%Blin_(?:api|oauth)_[A-Za-z0-9]{32,64}", 3),
    ("mailchimp-api-key", (b"-us",), rb"%B[0-9a-f]{32}-us\d{1,2}%E", 3),
    ("mailgun-api-key", (b"key-",), rb"%b(?:pub)?key-[0-9a-f]{32}%E", 3),
    ("netlify-token", (b"nfp_",), rb"%bnfp_[A-Za-z0-9]{36,44}", 3),
    ("netrc-password", (b"machine",),
     rb"machine[ ]{1,4}[^\s\"'`]{1,100}[ ]{1,4}"
     rb"login[ ]{1,4}[^\s\"'`]{1,100}[ ]{1,4}password[ ]{1,4}(?P<s>%p{3,200})", 0),
    ("newrelic-key", (b"nrak-", b"nrii-", b"nrjs-", b"nriq-", b"nrra-"),
     rb"%bNR(?:AK|II|JS|IQ|RA)-[A-Za-z0-9_-]{19,42}", 3),
    ("newrelic-license-key", (b"nral",), rb"%B[0-9a-f]{36}NRAL%E", 3),
    ("notion-token", (b"ntn_", b"secret_"), rb"%b(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})%E", 3),
    ("npm-token", (b"npm_",), rb"%bnpm_[A-Za-z0-9]{36}%E", 3),
    ("openai-api-key", (b"sk-",),
     rb"%bsk-(?!ant-)(?:(?:proj|svcacct|admin|or-v1)-[\w-]{20,300}|[A-Za-z0-9]{32,64}%E"
     rb"|[\w-]{0,40}T3BlbkFJ[\w-]{16,200})", 3),
    ("perplexity-api-key", (b"pplx-",), rb"%bpplx-[A-Za-z0-9]{40,60}", 3),
    ("planetscale-token", (b"pscale_",), rb"%Bpscale_(?:tkn|pw|oauth)_[\w=.-]{32,64}", 3),
    ("postman-api-key", (b"pmak-",), rb"%bPMAK-[0-9a-f]{24}-[0-9a-f]{34}", 0),
    ("private-key", (b"-----begin",), _PEM, 0),
    ("private-key-putty", (b"private-lines",),
     rb"Private-Lines: ?\d{1,4}(?P<s>[A-Za-z0-9+/=\s]{32,20000}?)"
     rb"(?=Private-(?:MAC|Hash)|[\"\[]|$)", 0),
    ("pulumi-token", (b"pul-",), rb"%bpul-[0-9a-f]{40}%E", 3),
    ("pypi-token", (b"pypi-",), rb"%bpypi-AgE[\w-]{40,1000}", 3),
    ("replicate-token", (b"r8_",), rb"%br8_[A-Za-z0-9]{37,40}", 3),
    ("rubygems-token", (b"rubygems_",), rb"%Brubygems_[0-9a-f]{48}", 0),
    ("sendgrid-api-key", (b"sg.",), rb"%bSG\.[\w-]{16,32}\.[\w-]{32,64}", 3),
    ("sentry-token", (b"sntrys_", b"sntryu_"), rb"%Bsntry(?:u_[0-9a-f]{64}|s_(?:%6|[=_-]){60,400})", 3),
    ("shopify-token", (b"shpat_", b"shpca_", b"shppa_", b"shpss_"), rb"%Bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", 0),
    ("slack-app-token", (b"xapp-",), rb"%bxapp-\d-[A-Za-z0-9]{5,20}-\d{5,20}-[A-Za-z0-9]{20,100}", 3),
    ("slack-token", (b"xox",), rb"%bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,250}", 2.5),
    ("slack-webhook", (b"hooks.slack.com",),
     rb"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>(?:[A-Za-z0-9]{1,64}(?:/)?){3,8})", 3),
    ("sourcegraph-token", (b"sgp_", b"sgd_"), rb"%bsg[pd]_(?:[A-Za-z0-9]{16}_|local_)?[0-9a-f]{40,64}%E", 3),
    ("square-token", (b"eaaa", b"sq0"), rb"%b(?:EAAA[\w-]{56,70}%E|sq0[a-z]{3}-[\w-]{22,43})", 3),
    ("sshpass-flag", (b"sshpass",), rb"sshpass[ ]{1,4}-p[ ]{0,4}%Q(?P<s>%p{3,200})", 0),
    ("stripe-key", (b"sk_live_", b"sk_test_", b"rk_live_", b"rk_test_"),
     rb"%B[rs]k_(?:live|test)_[A-Za-z0-9]{10,250}", 2.5),
    ("stripe-webhook-secret", (b"whsec_",), rb"%Bwhsec_%6{24,120}={0,2}", 3),
    ("supabase-key", (b"sbp_", b"sb_secret_"), rb"%b(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,60})", 3),
    ("tailscale-key", (b"tskey-",), rb"%btskey-[a-z]{2,12}-[A-Za-z0-9-]{20,80}", 3),
    ("telegram-bot-token", (b":aa",), rb"(?<=\d{8}):(?P<s>AA[\w-]{33})(?![\w-])", 3),
    ("terraform-cloud-token", (b".atlasv1.",), rb"%b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}", 3),
    ("twilio-key", (b"twilio",), rb"(?i)twilio[^\r\n\"]{0,60}?%=(?P<s>(?:SK)?[0-9a-f]{32})%E", 3),
    ("url-credentials", (b"://",),
     rb"://[^\s\"'`/?#@:<>\[\]$]{0,100}:(?P<s>(?![${*%]|x{3,}@)" + _PASSWORD + rb"{1,300})@[\w.\[\\-]", 0),
    ("url-token", (b"://",), rb"://(?P<s>[A-Za-z0-9_-]{24,200})(?::x-oauth-basic)?@[\w.-]", 3.5),
    ("vault-token", (b"hvs.", b"hvb.", b"hvr."), rb"%Bhv[bsr]\.[\w-]{24,300}", 3),
    ("xai-api-key", (b"xai-",), rb"%bxai-[A-Za-z0-9]{60,100}", 3),
)

BACK: dict[str, int] = {
    "azure-client-secret": 4,
    "mailchimp-api-key": 32,
    "newrelic-license-key": 36,
    "terraform-cloud-token": 14,
}
"""How many bytes before its keyword a rule's pattern starts."""
# fmt: on
