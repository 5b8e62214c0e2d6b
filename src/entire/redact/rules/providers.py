"""Secrets of providers that have a form of their own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.redact.rules.pieces import BareRow

_PASSWORD = rb"[^\s\"'`/?#@<>\[\]\x7f]"

# fmt: off
ROWS: tuple[BareRow, ...] = (
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
    ("connection-string", (b"password", b"pwd"),
     rb"(?i)(?<=[; ])(?:password|pwd)=(?P<s>[^\s;\"'`<>\[\]${}()]{3,128})(?=;)", 0),
    ("netrc-password", (b"machine",),
     rb"machine[ ]{1,4}[^\s\"'`]{1,100}[ ]{1,4}"
     rb"login[ ]{1,4}[^\s\"'`]{1,100}[ ]{1,4}password[ ]{1,4}(?P<s>%p{3,200})", 0),
    ("sshpass-flag", (b"sshpass",), rb"sshpass[ ]{1,4}-p[ ]{0,4}%Q(?P<s>%p{3,200})", 0),
    ("url-credentials", (b"://",),
     rb"://[^\s\"'`/?#@:<>\[\]$]{0,100}:(?P<s>(?![${*%]|x{3,}@)" + _PASSWORD + rb"{1,300})@[\w.\[\\-]", 0),
    ("url-token", (b"://",), rb"://(?P<s>[A-Za-z0-9_-]{24,200})(?::x-oauth-basic)?@[\w.-]", 3.5),
)

BACK: dict[str, int] = {
}
"""How many bytes before its keyword a rule's pattern starts."""
# fmt: on
