"""A secret that was found once in a repository is found there again, wherever it stands."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from urllib.parse import quote

import pytest

from entire.redact import Redactor, Sources
from entire.redact.memory_file import MemoryFile
from entire_secrets import replacing
from entire_secrets.text import Text
from tests.unit.entire_secrets.planted_secrets import SECRETS

PASSWORD = "tr0ub4dor&3-xK"
SIGNED = "k7#Q!x" + "2$-Wz^9"
GONE = "[REDACTED:generic-quoted]"


class Hooks:
    """Hooks of one repository: each is a process of its own, with a redactor of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.restart()

    def restart(self) -> None:
        self.redactor = Redactor(Sources(memory=str(self.path)))

    def redact(self, data: bytes) -> bytes:
        return self.redactor.redact(data)


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    return Hooks(tmp_path / "known")


def test_what_is_remembered_since_a_size_of_the_memory(hooks: Hooks) -> None:
    assert hooks.redactor.remembered_at(0) is None
    assert hooks.redactor.remembered_at(-1) is None
    hooks.redact(f"db_password = '{PASSWORD}'".encode())
    first, count = hooks.redactor.memory_size(), hooks.redactor.remembered()
    assert first == hooks.path.stat().st_size
    assert (hooks.redactor.remembered_at(first), hooks.redactor.remembered_at(0), hooks.redactor.remembered_at(-1)) == (
        None,
        0,
        0,
    )
    hooks.restart()
    hooks.redact(f"db_password = '{SIGNED}'".encode())
    assert hooks.redactor.remembered_at(hooks.redactor.memory_size()) is None
    assert hooks.redactor.remembered_at(first) == count < hooks.redactor.remembered()
    hooks.path.unlink()
    hooks.restart()
    assert hooks.redactor.remembered_at(first) == 0, "it was begun again"


def test_what_another_process_learned_meanwhile_is_not_taken_for_known(hooks: Hooks) -> None:
    hooks.redact(f"db_password = '{PASSWORD}'".encode())
    known = hooks.redactor.memory_size()
    other = MemoryFile(str(hooks.path))
    other.learn("jwt", SIGNED.encode())
    other.save()
    hooks.redact(b"db_password = 'zR4!mKq9pW'")
    assert hooks.redactor.memory_size() == known < hooks.path.stat().st_size
    hooks.restart()
    count = hooks.redactor.remembered_at(known)
    assert count is not None
    assert list(hooks.redactor.memory.find(Text(SIGNED.encode()), count)), "it is looked for"


def test_a_secret_goes_from_later_texts_without_the_words_around_it(hooks: Hooks) -> None:
    assert hooks.redact(f"db_password = '{PASSWORD}'".encode()) == f"db_password = '{GONE}'".encode()
    hooks.restart()
    assert hooks.redact(f"it said {PASSWORD}, then".encode()) == f"it said {GONE}, then".encode()
    assert (
        hooks.redactor.redact_json(json.dumps({"a": [f"x{{{PASSWORD}}}"]}).encode())
        == json.dumps({"a": [f"x{{{GONE}}}"]}).encode()
    )


@pytest.mark.parametrize(
    "spelled",
    [
        PASSWORD.replace("&", "&amp;"),
        PASSWORD.replace("&", "\\u0026"),
        quote(PASSWORD),
        PASSWORD.encode().hex(),
        base64.b64encode(PASSWORD.encode()).decode().rstrip("="),
        base64.b64encode(f"{PASSWORD}\n".encode()).decode().rstrip("="),
        base64.b64encode(f"the whole text says {PASSWORD} and more".encode()).decode(),
        f"{PASSWORD[:4]}\x1b[0m{PASSWORD[4:]}",
    ],
)
def test_a_secret_goes_in_every_spelling(hooks: Hooks, spelled: str) -> None:
    hooks.redact(f"db_password = '{PASSWORD}'".encode())
    hooks.restart()
    assert hooks.redact(f"see {spelled} there".encode()) == f"see {GONE} there".encode()


@pytest.mark.parametrize(
    "spelled",
    ["{}", "({}), then", "x={};", "it was {}.", '"{}"', "`{}`", "a\n+\t{}\n", "\x1b[31m{}\x1b[0m"],
)
def test_a_password_of_signs_goes_wherever_it_stands_by_itself(hooks: Hooks, spelled: str) -> None:
    hooks.redact(f"db_password = '{SIGNED}'".encode())
    hooks.restart()
    line = json.dumps({"text": spelled.format(SIGNED)}).encode()
    assert hooks.redactor.redact_json(line) == line.replace(SIGNED.encode(), GONE.encode())


@pytest.mark.parametrize(
    "spelled", [f"{SIGNED}x", f"a{SIGNED[1:]}", SIGNED[:-1], SIGNED.swapcase(), SIGNED.replace("#", "%")]
)
def test_what_is_only_like_a_password_of_signs_stays(hooks: Hooks, spelled: str) -> None:
    hooks.redact(f"db_password = '{SIGNED}'".encode())
    hooks.restart()
    assert hooks.redact(f"see {spelled} there".encode()) == f"see {spelled} there".encode()


@pytest.mark.parametrize("kept", [0, replacing.KEPT])
def test_what_a_later_line_reveals_goes_from_earlier_ones(
    hooks: Hooks, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replacing, "KEPT", kept)
    monkeypatch.setattr(replacing, "BLOCK", 40)
    lines = [{"text": f"use {PASSWORD}"}, {"text": "nothing"}, {"text": f'"password": "{PASSWORD}"'}]
    data = b"\n".join(json.dumps(line).encode() for line in lines)
    assert hooks.redactor.redact_jsonl(data) == data.replace(PASSWORD.encode(), GONE.encode())
    assert hooks.path.exists()


def test_the_lines_of_a_key_are_known_by_themselves(hooks: Hooks) -> None:
    frame, secret = SECRETS["private-key"]
    hooks.redact(frame.format(secret).encode())
    hooks.restart()
    middle = secret.split("\n")[3]
    assert hooks.redact(f"only {middle} was shown".encode()) == b"only [REDACTED:private-key] was shown"


def test_nothing_of_a_secret_is_written(hooks: Hooks) -> None:
    hooks.redact(f"db_password = '{PASSWORD}' {SECRETS['github-token'][1]}".encode())
    kept = hooks.path.read_bytes().decode()
    assert "tr0ub" not in kept.lower()
    assert SECRETS["github-token"][1][4:12] not in kept
    assert os.stat(hooks.path).st_mode & 0o077 == 0


def test_each_repository_hashes_with_its_own_key(tmp_path: Path) -> None:
    kept = []
    for name in ("one", "two"):
        memory = MemoryFile(str(tmp_path / name))
        memory.learn("jwt", PASSWORD.encode())
        memory.save()
        kept.append((tmp_path / name).read_bytes().split(b"\n")[1])
    assert kept[0] != kept[1]


def test_text_without_secrets_writes_nothing(hooks: Hooks) -> None:
    hooks.redactor.redact_jsonl(b'{"text": "clean"}\n')
    hooks.redact(b"clean")
    assert not hooks.path.exists()


@pytest.mark.parametrize("broken", [b"", b"\xff\xfe", b"1 zz", b"2 " + b"a" * 64, b"1 " + b"z" * 64 + b"\n"])
def test_a_broken_file_is_begun_anew(hooks: Hooks, broken: bytes) -> None:
    hooks.path.write_bytes(broken)
    hooks.restart()
    secret = f"db_password = '{PASSWORD}'".encode()
    assert PASSWORD not in hooks.redact(secret).decode()
    hooks.restart()
    assert PASSWORD not in hooks.redact(secret).decode()


def test_a_line_that_was_cut_off_is_left_out(hooks: Hooks) -> None:
    hooks.redact(f"db_password = '{PASSWORD}'".encode())
    with hooks.path.open("ab") as file:
        file.write(b"14 abc\nx y z 1 2 3\n")
    hooks.restart()
    assert hooks.redact(PASSWORD.encode()) == GONE.encode()


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    hooks = Hooks(tmp_path / "file" / "known")
    assert hooks.redact(f"db_password = '{PASSWORD}' {PASSWORD}".encode()).count(GONE.encode()) == 2


BESIDE = {
    "kubectl": "[pod/api-7d9f8b6c5d-x2x4z/app] ", "stern": "api-7d9f8b6c5d-x2x4z › app | ",
    "CRI": "2026-11-27T12:00:00.123456789Z stdout F ", "compose": "api_1-9f8e7d6c  | ",
    "syslog": "Nov 27 12:00:00 host8a7b6c app[1234]: ",
}  # fmt: skip


@pytest.mark.parametrize("before", BESIDE.values(), ids=BESIDE)
def test_what_stands_beside_a_key_is_not_the_key(hooks: Hooks, before: str) -> None:
    frame, secret = SECRETS["private-key"]
    lines = frame.format(secret).split("\n")
    redacted = hooks.redact("\n".join(before + line for line in ["start", *lines, "done"]).encode()).decode()
    assert redacted.startswith(f"{before}start\n{before}")
    assert redacted.endswith(f"\n{before}done")
    hooks.restart()
    assert hooks.redact(f"{before}listens\n".encode()) == f"{before}listens\n".encode()
    middle = secret.split("\n")[3]
    assert hooks.redact(f"only {middle} was shown".encode()) == b"only [REDACTED:private-key] was shown"
