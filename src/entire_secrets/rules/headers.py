"""Secrets in headers, cookies and URLs."""

from __future__ import annotations

from entire_secrets.rules.macros import JUMBLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire_secrets.rules.macros import RegionRow, Row

_COOKIE = (
    rb"(?i:[\w.-]{0,40}(?:sess|token|auth|csrf|xsrf|jwt|login|logged|remember|identity|clearance|ticket|secret"
    rb"|credential)[\w.-]{0,60}"
    rb"|[\w-]{0,20}sid|connect\.sid|koa[:.]sess|__secure-[\w-]{1,30}|__host-[\w-]{1,30}|ct0|li_at|xs"
    rb"|[ahs]{0,2}s?apisid|\.aspxauth"
    rb"|\.aspnetcore\.[\w.-]{1,40})"
)
_COOKIE_VALUE = (
    rb"(?<![\w.-])"
    + _COOKIE
    + rb"[\"']?[ ]{0,2}(?:[=:](?!=)|,[ ]?\"value\":)[ ]{0,2}[\"']?(?P<s>[^\s\"'`;,<>\[\](){}]{8,4000})"
)
# Names of parameters whose value is a secret wherever it is; "key" and "code" are in "webhook-url".
_PARAMETERS = (
    b"access_token", b"auth_token", b"refresh_token", b"id_token", b"private_token", b"api_token", b"user_token",
    b"client_secret", b"api_key", b"apikey", b"api-key", b"app_secret", b"appsecret", b"secret_key",
    b"subscription-key", b"app_key",
    b"x-amz-security-token", b"x-plex-token", b"sessionid", b"session_token", b"sessiontoken", b"authtoken",
    b"accesstoken",
    b"csrf_token", b"reset_token", b"invite_token", b"verification_token", b"jwt", b"hmac", b"passwd", b"password",
    b"token", b"secret",
)  # fmt: skip

# fmt: off
ROWS: tuple[Row, ...] = (
    ("api-key-header", (b"x-api-key", b"x-auth", b"x-access-token", b"x-api-token", b"-token", b"-key", b"apikey",
     b"x-secret",
                        b"x-hub-signature", b"x-signature", b"x-token", b"-signature"),
     rb"(?i)(?:(?<=[\w])(?<!websocket)|x)-?(?:[a-z]{1,20}-){0,4}(?:token|key|apikey|secret|auth|signature"
     rb"(?:-256)?)[\"']?[ ]{0,2}:[ ]{0,4}%Q"
     rb"(?:t=\d{1,12},)?(?=[^\s\"']{0,200}\d|(?-i:[^\s\"']{0,60}[A-Z][a-z]{1,8}[A-Z]))(?P<s>(?:sha256=|sha1="
     rb"|v1=)?[\w.~+/=-]{12,4000})", 3, "names of headers in use", "X-Auth-Key: «<alnum:32>»"),
    ("authorization-header", (b"authorization",),
     rb"(?i)(?:(?<![a-z])|(?=authorization%=(?:bearer|basic|token)[ ]))"
     rb"authorization%=(?!aws4-|digest)(?:(?:bearer|basic|token|bot|key|apikey|api-key|splunk|ssws|oauth"
     rb"|geniekey|negotiate|digest|[a-z][a-z-]{1,24})"
     rb"(?:[ \t]{1,4}|=)(?:token=|apikey=|key=)?%Q)?(?=[^\s\"']{0,200}[\d=/+])(?!\+[A-Za-z_])"
     rb"(?P<s>[\w.~+/=:-]{8,8000})", 2.8,
     "RFC 9110: credentials", "Authorization: Basic «<b64:32>»"),
    ("bearer-token", (b"bearer",),
     rb"(?i)bearer[ ]{1,4}(?=[A-Za-z._~+/=-]{0,200}\d)(?P<s>[A-Za-z0-9._~+/=-]{16,8000})", 3.5, "RFC 6750",
     "the bearer «<alnum:40>» goes along"),
    ("connection-string", (b"password=", b"pwd="),
     rb"(?i)(?:(?<=[;?&])|(?<=; )(?!(?<= ; )(?-i:PWD))|(?<=[^,(\s] )(?!(?-i:PWD))|"
     rb"(?<=[\"'])(?![a-z]{3,8}=[\"']))(?:password|pwd)=(?:3D)?+"
     rb"(?!\{(?:[\w.]{1,80}![ars]|[a-z_.]{2,40})\})(?P<q>[\"'{])?(?P<s>(?(q)[^\s\"'`<>}]{3,128}"
     rb"|(?:(?=[^\s\"';]{0,60}\d)(?![^\s\"';]{0,100},[\w.-]{1,40}=)[^\s;\"'`<>&]{8,128}(?=[\"'])"
     rb"|(?:[^\s;\"'`<>\[\]&,)(]|,(?=[^\s\"'])(?![\w.-]{1,40}[=:(])){3,128}+(?!\())))",
     0, "ADO.NET, ODBC, JDBC, libpq: connection strings",
      "Server=db;User Id=sa;Password=«<alnum:6>-4<alnum:6>»;Encrypt=true"),
    ("url-credentials", (b"://",),
     rb"://[^\s\"'`/?#@:<>\[\]$]{0,100}:(?P<s>(?!\d{2,5}#)[^\s\"'`/?<>\[\]]{1,300})@[\w.\[-]", 0,
     "RFC 3986: user information; many write a # as it is",
     "amqp://app:«<alnum:6>-4<alnum:6>»@queue.example.net/shop"),
    ("digest-response", (b"digest",), rb"(?i)digest[ ](?=[^\n]{0,600}username=)[^\n]{0,1200}?\bresponse=[\"']?"
     rb"(?P<s>[0-9a-f]{32,64})", 0, "RFC 7616",
     'Authorization: Digest username="olga", nonce="1", response="«<hex:32>»"'),
    ("oauth-code", (b"authorization_code",),
     rb"authorization_code&(?:[\w-]{1,40}=[^\s\"'&]{0,400}&){0,6}?code=(?P<s>[\w.~%/+-]{16,800})", 3,
     "RFC 6749: token request",
     "grant_type=authorization_code&code=«<b64url:40>»&client_id=shop"),
    ("otpauth-secret", (b"otpauth",), rb"otpauth://[^\s\"'<>?]{1,200}\?[^\s\"'<>]{0,300}?secret="
     rb"(?P<s>[A-Za-z2-7]{16,128})", 0,
     "Google Authenticator: key URI format", "otpauth://totp/Shop:me?secret=«<base32:32>»&issuer=Shop"),
    ("request-signature", (b"aws4-hmac-sha256", b"signature="),
     rb"(?i)(?:aws4-hmac-sha256\b[^\n\"']{0,600}?signature=|(?:(?<=[?&;])|(?<=x-amz-)|(?<=x-goog-)|"
     rb"(?<=[, ])|(?<=[, ]oauth_))signature=%Q)(?P<s>[\w%+/=~-]{20,1000})", 3,
     "AWS, Google Cloud: signed URLs", "https://b.s3.amazonaws.com/k?X-Amz-Signature=«<hex:64>»"),
    ("session-cookie", (b"sessionid", b"phpsessid", b"jsessionid", b"connect.sid", b"laravel_session", b"csrftoken",
     b"sid"),
     rb"(?:(?i:sessionid|phpsessid|jsessionid|connect\.sid|laravel_session|csrftoken)|(?<![\w-])sid)"
     rb"(?:=|[ ]{1,40}\|[ ]{1,40})(?=[\w%.+/-]{0,200}\d)(?P<s>[\w%.+/-]{16,4000}={0,2})(?![\w(\[.])", 3,
     "names of cookies in use",
     "sessionid=«<lowernum:32>»; lang=en"),
    ("sas-signature", (b"sig=",), rb"(?<=[?&;6])sig=(?P<s>[A-Za-z0-9%+/_-]{30,100}(?:%3[Dd]|=){0,2})", 3,
     "Azure: SAS tokens",
     "https://a.blob.core.windows.net/c?sv=2024-01-01&sig=«<alnum:43>%3D»"),
    ("url-token", (b"://",),
     rb"(?<!enrtree)://(?P<s>[A-Za-z0-9_-]{24,200}|%X[A-Za-z0-9_-]{20,23})(?::x-oauth-basic)?@[\w.-]", 3.2,
     "git: credentials in a URL",
     "git clone https://«<alnum:40>»@git.example.net/me/it.git"),
    ("url-parameter", _PARAMETERS,
     rb"(?i)(?<=[?&;#])(?<!\.svg\?)(?:" + rb"|".join(_PARAMETERS) + rb")=(?!\d{1,9};)"
     rb"(?=[^\s\"'`&#<>;]{0,200}\d|" + JUMBLED + rb")(?P<s>[\w.~%+/=:!$*@-]{6,4000})(?![(\[])", 2.5,
     "names of parameters in use",
     "https://api.example.net/v1?access_token=«<alnum:32>»"),
    ("webhook-url", (b"hooks", b"webhook", b"hc-ping.com", b"maker.ifttt.com", b"chat.googleapis.com",
     b"events.pagerduty.com", b"loggly.com", b"sumologic.com", b"make.com"),
     rb"(?:hooks?/(?:[\w.@-]{1,80}/){0,6}?|webhooks?(?:b2|v2)?/(?:[\w.@-]{1,80}/){0,6}?(?:send\?key=)?|hc-ping\.com/"
     rb"|maker\.ifttt\.com/trigger/[\w-]{1,80}/(?:json/)?with/key/"
     rb"|chat\.googleapis\.com/v1/spaces/[\w-]{1,40}/messages\?key=|events\.pagerduty\.com/integration/"
     rb"|loggly\.com/(?:inputs|bulk)/|sumologic\.com/receiver/v1/http/|make\.com/)"
     rb"(?=[\w-]{0,100}\d)(?P<s>[\w-]{20,120}(?:(?:/|&token=)[\w%-]{16,200})?)(?![\w.-])", 3.2,
     "Mattermost, Zapier, IFTTT and others", "https://chat.example.net/hooks/«<lowernum:26>»"),
)

REGIONS: tuple[RegionRow, ...] = (
    ("cookie", (b"cookie",), rb"(?i)cookies?[\"'`]?[ \t]{0,4}(?:[:=,]|=>|\b(?=[ ][\"']))[^\n]{1,8000}",
     _COOKIE_VALUE, 2.5,
     "RFC 6265; names in use", "Cookie: theme=dark; sessionid=«<lowernum:32>»"),
    ("url-query", (b"://",), rb"://[^\s\"'`<>?#]{1,300}[?#](?P<s>[^\s\"'`<>]{8,4000})",
     rb"(?i)(?:^|(?<=[?&;#]))(?:key|code|otp|sess|session|auth|sid|ticket|signature|appid|access_key|license_key|authkey|[\w.-]{0,30}(?:token|secret"
     rb"|apikey|api_key|password))=(?=[^&]{0,100}\d)(?P<s>[\w.~%+/=-]{20,4000})", 3,
     "names of parameters in use", "https://maps.example.net/tiles?key=«<alnum:39>»"),
    ("cookie-flag", (b"curl",), rb"curl\b[^\n|;]{0,300}?[ ](?:-b|--cookie)[ =]?[^\n]{1,8000}", _COOKIE_VALUE, 2.5,
     "curl: --cookie",
     "curl -b 'sid=«<lowernum:32>»' https://shop.example.net/"),
    ("cookie-jar", (b"\ttrue\t/", b"\tfalse\t/"),
     rb"(?i)\t(?:true|false)\t/[^\t\n]{0,200}\t(?:true|false)\t\d{1,12}\t[^\n]{1,4300}",
     rb"(?<=\t)[^\t\n]{1,100}\t(?P<s>[^\s\"'`<>\[\]]{8,4000})(?=[\"'`<]|[ \t]*$)", 2.5, "Netscape cookie file",
     "example.net\tTRUE\t/\tTRUE\t1893456000\tsid\t«<alnum:32>»"),
)
# fmt: on
