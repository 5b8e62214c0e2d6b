"""One made-up secret for each rule, put together at run time, so that no scanner trips over this file."""

from __future__ import annotations

import random

HEX = "0123456789abcdef"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"
WORDS = UPPER + UPPER.lower() + DIGITS


def sample(alphabet: str, size: int, seed: int = 7) -> str:
    """Make up ``size`` letters, always the same."""
    source = random.Random(f"{alphabet}{size}{seed}")
    return "".join(source.choice(alphabet) for _ in range(size))


def hexed(size: int) -> str:
    """Make up hex digits."""
    return sample(HEX, size)


def word(size: int) -> str:
    """Make up letters and digits."""
    return sample(WORDS, size)


UUID = "-".join(hexed(size) for size in (8, 4, 4, 4, 12))
BASE64 = "\n".join(sample(WORDS + "+/", 64, seed) for seed in range(5))
JWT = "eyJ" + word(20) + "." + "eyJ" + word(40) + "." + word(43)
DASHES = "-" * 5

# rule: the text around the secret, and the secret
SECRETS: dict[str, tuple[str, str]] = {
    "1password-token": ("op {}", "ops_" + "eyJ" + word(300)),
    "age-secret-key": ("{}", "AGE-SECRET-KEY-" + "1" + sample("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "airtable-token": ("airtable token is {}", "pat" + word(14) + "." + hexed(64)),
    "anthropic-api-key": ("export X={}", "sk-" + "ant-api03-" + word(93) + "AA"),
    "atlassian-token": ("{}", "ATA" + "TT3xFf" + word(180) + "=" + "1A2B3C4D"),
    "aws-access-key": ("aws {} there", "AK" + "IA" + sample(UPPER + "234567", 16)),
    "aws-bedrock-key": ("{}", "AB" + "SK" + word(120)),
    "aws-secret-key": ("aws_secret_access_key = {}", "/" + sample(WORDS + "/+", 39)),
    "azure-account-key": (
        "DefaultEndpointsProtocol=https;AccountName=me;AccountKey={};EndpointSuffix=core",
        sample(WORDS + "/+", 86) + "==",
    ),
    "azure-client-secret": ("{}", word(3) + "8Q~" + word(34)),
    "bearer-token": ("send the bearer {} along", word(40)),
    "bitbucket-token": ("{}", "AT" + "BB" + word(32)),
    "brevo-api-key": ("{}", "xkey" + "sib-" + hexed(64) + "-" + word(16)),
    "circleci-token": ("{}", "CCI" + "PAT_" + word(22) + "_" + hexed(40)),
    "cloudflare-key": ("CLOUDFLARE_GLOBAL = '{}'", hexed(37)),
    "cloudflare-origin-ca": ("{}", "v1.0" + "-" + hexed(24) + "-" + hexed(146)),
    "databricks-token": ("{}", "da" + "pi" + hexed(32)),
    "datadog-key": ("datadog_app = {}", hexed(40)),
    "digitalocean-token": ("{}", "dop" + "_v1_" + hexed(64)),
    "discord-token": ("client.login('{}')", "MTA" + word(21) + "." + word(6) + "." + word(38)),
    "discord-webhook": ("https://discord.com/api/webhooks/123456789012345678/{}", word(68)),
    "docker-token": ("docker login {}", "dckr" + "_pat_" + word(27)),
    "doppler-token": ("{}", "dp" + ".pt." + word(43)),
    "dropbox-token": ("{}", "sl" + "." + word(140)),
    "dynatrace-token": ("{}", "dt0" + "c01." + sample(UPPER + DIGITS, 24) + "." + sample(UPPER + DIGITS, 64)),
    "fastly-token": ("FASTLY_X={}", word(32)),
    "figma-token": ("{}", "fi" + "gd_" + word(40)),
    "fly-token": ("{}", "fo" + "1_" + word(43)),
    "gcp-api-key": ("?key={}&q=1", "AI" + "za" + word(35)),
    "generic-flag": ("mytool --password {} --verbose", "tr0ub4dor&3x"[:7] + "9Qz"),
    "generic-quoted": ("db_password = '{}'", "hunter2!"),
    "generic-value": ("DB_PASSWORD={}", "hunter22"),
    "github-fine-grained-token": ("{}", "github" + "_pat_" + word(22) + "_" + word(59)),
    "github-token": ("git clone with {}.", "gh" + "p_" + word(36)),
    "gitlab-token": ("{}", "gl" + "pat-" + word(20)),
    "google-client-secret": ("{}", "GOC" + "SPX-" + word(28)),
    "google-oauth-token": ("{}", "ya" + "29." + word(120)),
    "google-refresh-token": ("{}", "1/" + "/0" + word(60)),
    "grafana-token": ("{}", "gl" + "sa_" + word(32) + "_" + hexed(8)),
    "groq-api-key": ("{}", "gs" + "k_" + word(52)),
    "heroku-api-key": ("HEROKU_API_KEY={}", UUID),
    "heroku-token": ("{}", "HR" + "KU-" + word(58)),
    "high-entropy": ("send it along with the key {} today", word(36)),
    "huggingface-token": ("{}", "h" + "f_" + word(34)),
    "jwt": ("cookie: session={}; path=/", JWT),
    "langsmith-api-key": ("{}", "lsv2" + "_pt_" + hexed(32) + "_" + hexed(10)),
    "linear-api-key": ("{}", "lin" + "_api_" + word(40)),
    "mailchimp-api-key": ("{}", hexed(32) + "-us" + "12"),
    "mailgun-api-key": ("{}", "ke" + "y-" + hexed(32)),
    "netlify-token": ("{}", "nf" + "p_" + word(36)),
    "newrelic-key": ("{}", "NR" + "AK-" + sample(UPPER + DIGITS, 27)),
    "newrelic-license-key": ("{}", hexed(36) + "NR" + "AL"),
    "notion-token": ("{}", "nt" + "n_" + word(46)),
    "npm-token": ("//registry.example/:_x {}", "np" + "m_" + word(36)),
    "openai-api-key": ("{}", "sk-" + "proj-" + word(120)),
    "perplexity-api-key": ("{}", "pp" + "lx-" + word(48)),
    "planetscale-token": ("{}", "psc" + "ale_tkn_" + word(43)),
    "postman-api-key": ("{}", "PM" + "AK-" + hexed(24) + "-" + hexed(34)),
    "private-key": (
        f"{DASHES}BEGIN RSA PRIVATE " + "KEY" + DASHES + "{}" + DASHES + "END RSA PRIVATE KEY" + DASHES,
        f"\n{BASE64}\n",
    ),
    "private-key-putty": ("PuTTY-User-Key-File-3\nPrivate-Lines: 5{}Private-MAC: 12", f"\n{BASE64}\n"),
    "pulumi-token": ("{}", "pu" + "l-" + hexed(40)),
    "pypi-token": ("{}", "py" + "pi-AgEIcHlwaS5vcmc" + word(160)),
    "replicate-token": ("{}", "r" + "8_" + word(37)),
    "rubygems-token": ("{}", "ruby" + "gems_" + hexed(48)),
    "sendgrid-api-key": ("{}", "S" + "G." + word(22) + "." + word(43)),
    "sentry-token": ("{}", "sntr" + "yu_" + hexed(64)),
    "shopify-token": ("{}", "shp" + "at_" + hexed(32)),
    "slack-app-token": ("{}", "xa" + "pp-1-" + sample(UPPER + DIGITS, 11) + "-1234567890123-" + hexed(64)),
    "slack-token": ("{}", "xo" + "xb-123456789012-1234567890123-" + word(24)),
    "slack-webhook": ("https://hooks.slack.com/services/{}", "T0ABCDEFG/B0ABCDEFG/" + word(24)),
    "sourcegraph-token": ("{}", "sg" + "p_" + hexed(40)),
    "square-token": ("{}", "EA" + "AA" + word(60)),
    "stripe-key": ("{}", "sk" + "_live_" + word(24)),
    "stripe-webhook-secret": ("{}", "wh" + "sec_" + word(32)),
    "supabase-key": ("{}", "sb" + "p_" + hexed(40)),
    "tailscale-key": ("{}", "ts" + "key-auth-" + word(12) + "-" + word(32)),
    "telegram-bot-token": ("bot 1234567890:{} runs", "A" + "A" + word(33)),
    "terraform-cloud-token": ("{}", word(14) + ".atlas" + "v1." + word(67)),
    "twilio-key": ("TWILIO_AUTH: {}", hexed(32)),
    "vault-token": ("{}", "hv" + "s." + word(90)),
    "xai-api-key": ("{}", "xa" + "i-" + word(80)),
}
