"""The corpus that judges redaction: kinds of secrets, the forms that they take, and transcripts that hold them.

Everything here comes from public facts (documentation of providers, public rule sets), and nothing from
``entire.redact``: what it measures must not be what the rules were written from. ``python -m tests.secrets --help``.
"""
