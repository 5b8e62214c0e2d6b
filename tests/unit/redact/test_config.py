"""``.entire/redact.toml``: a team's own rules, exceptions and personal data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from entire.model.value import replace
from entire.redact import Redactor, Sources, config_file
from entire.redact.config import MOST_RULES, Config, load, parse
from entire_secrets.own_rules import value_hash
from tests.unit.entire_secrets.planted_secrets import SECRETS, word

RULE = """
[[rule]]
id = "acme-token"
pattern = "acme_([a-z0-9]{12})"
example = "acme_abcdef012345"
"""
TOKEN = SECRETS["github-token"][1]
Configure = Callable[[str], Redactor]


@pytest.fixture
def configure(tmp_path: Path) -> Configure:
    def write(text: str) -> Redactor:
        (tmp_path / "redact.toml").write_text(text)
        return Redactor(Sources(config=str(tmp_path / "redact.toml")))

    return write


def test_an_own_rule_finds_its_group_everywhere(configure: Configure) -> None:
    own = configure(RULE)
    assert own.redact(b"key acme_0123456789ab.") == b"key acme_[REDACTED:acme-token]."
    line = json.dumps({"a": json.dumps({"b": "x\tacme_0123456789ab\n"})}).encode()
    assert own.redact_jsonl(line) == line.replace(b"0123456789ab", b"[REDACTED:acme-token]")
    assert own.redact(b"acme_short") == b"acme_short"


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ('id = "Acme"\npattern = "a"\nexample = "a"', "its id must be"),
        ('id = "acme"\npattern = "a("\nexample = "a"', "not a regular expression"),
        ('id = "acme"\npattern = "a{1,3}"', "it has no example"),
        ('id = "acme"\npattern = "acme_[0-9]{8}"\nexample = "acme_x"', "does not match its example"),
        ('id = "acme"\npattern = 5\nexample = "5"', "its pattern must be a string"),
        ('id = "acme"\npattern = "a*"\nexample = "a"', "matches nothing at all"),
        ('id = "acme"\npattern = "x(?=a)a"\nexample = "xa"', "not a regular expression that RE2 can run"),
        ('id = "acme"\npattern = "(a)\\\\1"\nexample = "aa"', "not a regular expression that RE2 can run"),
        ('id = "acme"\npattern = "(?:[a-f0-9]{31}x?){31}(?:[a-f0-9]{31}x?){31}y"\nexample = "y"', "too large"),
    ],
)
def test_a_broken_rule_is_named_and_the_others_apply(configure: Configure, rule: str, problem: str) -> None:
    text = f"[[rule]]\n{rule}\n{RULE}"
    (said,) = parse(text.encode()).problems
    assert problem in said
    own = configure(text)
    assert own.redact(b"acme_0123456789ab") == b"acme_[REDACTED:acme-token]"


BROKEN = ("[[rule", "rule = 1", "[rule]\nid=1", "allow = 1", "allow.values = 1", "allow.values = [1]", "allow.x = []")


@pytest.mark.parametrize(
    "text", [*BROKEN, "x = 1", "personal = []", "personal.names = true", "personal.email = 'yes'", "\ud800"]
)
def test_what_is_not_understood_is_named(configure: Configure, text: str) -> None:
    assert parse(text.encode("utf-8", "surrogatepass")).problems
    own = configure(text.replace("\ud800", "\ufffd"))
    assert TOKEN not in own.redact(TOKEN.encode()).decode()


def test_values_and_rules_can_be_allowed(configure: Configure) -> None:
    text = f"{TOKEN} db_password = 'hunter2!'".encode()
    assert len(Redactor().find(text)) == 2
    own = configure(f'[allow]\nvalues = ["{value_hash(TOKEN.encode())}"]')
    assert own.redact(text) == text.replace(b"hunter2!", b"[REDACTED:generic-quoted]")
    own = configure('[allow]\nrules = ["generic-quoted"]')
    assert own.redact(text) == text.replace(TOKEN.encode(), b"[REDACTED:github-token]")


@pytest.mark.parametrize(
    ("path", "is_allowed"),
    [("tests/data/keys.py", True), ("/home/me/repo/tests/data/keys.py", True), ("src/keys.py", False), ("", False)],
)
def test_records_about_files_can_be_allowed(configure: Configure, path: str, is_allowed: bool) -> None:
    own = configure('[allow]\npaths = ["tests/data/*"]')
    line = json.dumps({"tool": {"file_path": path, "content": f"key {TOKEN}"}}).encode()
    assert (own.redact_jsonl(line) == line) is is_allowed


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    assert load(str(tmp_path)).problems
    assert load(str(tmp_path / "none")).problems


PERSONAL = [
    ("email", "mail to {} now", "jane.doe+x@company.co.uk"),
    ("phone", "call {}.", "+49 170 1234567"),
    ("phone", "call {}.", "(415) 555-2671"),
    ("phone", "call {}.", "+14155552671"),
    ("iban", "pay to {} please", "DE89 3704 0044 0532 0130 00"),
    ("iban", "iban:{}", "GB82WEST12345698765432"),
    ("card-number", "card {}, thanks", "4111 1111 1111 1111"),
    ("card-number", "card {}, thanks", "5500005555555559"),
    ("card-number", "card {}, thanks", "371449635398431"),
]


@pytest.mark.parametrize(("kind", "frame", "value"), PERSONAL)
def test_personal_data_goes_on_demand(configure: Configure, kind: str, frame: str, value: str) -> None:
    text = frame.format(value).encode()
    assert Redactor().redact(text) == text
    own = configure(f"[personal]\n{kind} = true\n")
    assert own.redact(text) == frame.format(f"[REDACTED:{kind}]").encode()


@pytest.mark.parametrize(
    "text",
    [
        "DE89 3704 0044 0532 0130 01", "4111 1111 1111 1112", "1763846400000000", "git@github.com:me/x.git",
        "a@example.com", "12345+me@users.noreply.github.com", "2026-11-22 10:15:30", "v1.2.3", "+1", "f(1)-2",
        "0000 0000 0000 0000", "0x4111111111111111", "10.0.0.1", "commit " + "4" * 40,
        "id 550e8400-e29b-41d4-a716-446655440000", word(30),
    ],
)  # fmt: skip
def test_what_only_looks_personal_stays(configure: Configure, text: str) -> None:
    own = configure("[personal]\nemail = true\nphone = true\niban = true\ncard-number = true\n")
    assert own.redact(text.encode()) == text.encode()


def test_personal_data_is_not_remembered(tmp_path: Path, configure: Configure) -> None:
    sources = configure("[personal]\nemail = true\n").sources
    own = Redactor(replace(sources, memory=str(tmp_path / "known")))
    own.redact(b"mail jane.doe99@company.org")
    assert not (tmp_path / "known").exists()


def test_own_rules_see_one_line_at_a_time(configure: Configure) -> None:
    own = configure(RULE.replace("acme_([a-z0-9]{12})", r"acme_(\\S+)"))
    lines = b'{"a":"acme_xyz"}\n{"b":"acme_uvw"}\n'
    assert own.redact_jsonl(lines).count(b"[REDACTED:acme-token]") == 2
    assert [json.loads(line) for line in own.redact_jsonl(lines).splitlines()]


def test_a_path_is_an_exception_for_its_part_of_a_document(configure: Configure) -> None:
    own = configure('[allow]\npaths = ["tests/*.py"]')
    calls = [{"args": {"file_path": "/w/tests/a.py"}, "result": [{"output": TOKEN}]},
             {"args": {"file_path": "/w/src/a.py"}, "result": [{"output": TOKEN}]}]  # fmt: skip
    data = json.dumps({"messages": [{"text": TOKEN}, {"toolCalls": calls}]}).encode()
    told = json.loads(own.redact_json(data))["messages"]
    assert told[0]["text"] == "[REDACTED:github-token]"
    assert [call["result"][0]["output"] for call in told[1]["toolCalls"]] == [TOKEN, "[REDACTED:github-token]"]
    text = f'"file_path": "tests/a.py" {TOKEN}'.encode()  # what a person writes is not a record
    assert TOKEN not in own.redact(text).decode()


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "redact.toml"
    path.write_bytes(b"#" * config_file.LARGEST + b"\n")
    assert load(str(path)).problems == ("it is left out, since it cannot be read: it is larger than 1,048,576 bytes",)
    path.write_bytes(b"#" * config_file.LARGEST)
    assert load(str(path)).problems == ()


def test_nested_repetitions_run_in_linear_time(configure: Configure) -> None:
    own = configure(RULE.replace("acme_([a-z0-9]{12})", "acme_(?:[a-z0-9]+)+!").replace("012345", "012345!"))
    text = b"acme_" + b"a" * 100_000
    assert own.redact(text) == text


@pytest.mark.parametrize("pattern", ["EDACTED", "R", "[A-Z]+:", "acme", "\\\\]"])
def test_a_rule_that_matches_a_mark_ends(configure: Configure, pattern: str) -> None:
    own = configure(f'[[rule]]\nid = "acme"\npattern = "{pattern}"\nexample = "REDACTED: acme ]"\n')
    text = f"{TOKEN} REDACTED: acme ] R".encode()
    assert "[REDACTED:github-token]" in own.redact(text).decode()
    assert own.redact(own.redact(text)) == own.redact(text)


def test_a_file_has_a_bound_of_rules(configure: Configure) -> None:
    text = "".join(RULE.replace("acme-token", f"acme-{number}") for number in range(MOST_RULES + 5))
    config = parse(text.encode())
    assert len(config.own.rules) == MOST_RULES
    assert config.problems == ("5 rules are left out: a file may have 200",)


def test_exceptions_of_somebody_else_are_left_out_until_they_are_trusted(tmp_path: Path) -> None:
    path, trusted = tmp_path / "redact.toml", tmp_path / "trusted"
    path.write_text(f'{RULE}[allow]\nrules = ["jwt"]\nvalues = ["0"]\npaths = ["*", "a"]\n')

    def config(*, is_own: bool) -> Config:
        found = Redactor(Sources(config=str(path), trusted=str(trusted)), lambda: is_own).config
        assert found is not None
        assert [rule.id for rule in found.own.rules] == ["acme-token"]
        return found

    left_out = config(is_own=False)
    assert (left_out.exceptions, left_out.unfollowed) == ("", "1 value, 1 rule, 2 paths")
    own = config(is_own=True)
    assert (own.exceptions, own.unfollowed) == ("1 value, 1 rule, 2 paths", "")
    config_file.trust(str(trusted), own.exceptions_id)
    assert config(is_own=False).exceptions == "1 value, 1 rule, 2 paths"
    path.write_text(path.read_text().replace('"a"]', '"b"]'))
    assert config(is_own=False).exceptions == ""
