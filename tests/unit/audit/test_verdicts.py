"""A secret is named by a keyed digest and shown by a mask; neither tells it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from entire import layout
from entire.audit import own_files, sources
from entire.audit.verdicts import Verdicts, is_lines, mask, plain
from entire.layout import Place
from entire.redact import Redactor


@pytest.fixture
def place(tmp_path: Path) -> Place:
    for name in ("objects", "refs"):
        (tmp_path / ".git" / name).mkdir(parents=True)
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    found = layout.find(str(tmp_path))
    assert found is not None
    return found


@pytest.mark.parametrize(("value", "shown"), [
    (b"ab", "a\u2026 (2 characters)"), (b"hunter", "hu\u2026 (6 characters)"), (b"x" * 12, "xxx\u2026 (12 characters)"),
    (b"ghp_" + b"a" * 36, "ghp_\u2026 (40 characters)"), ("p\u00e4sswort".encode(), "p\u00e4\u2026 (8 characters)"),
])  # fmt: skip
def test_a_mask_shows_the_first_characters_only(value: bytes, shown: str) -> None:
    assert mask(value) == shown


@pytest.mark.parametrize("value", [rb"a\nb", rb"a\\nb", rb"a\\\\nb", b"a\nb"])
def test_a_value_is_compared_without_its_escapes(value: bytes) -> None:
    assert plain(value) == b"a\nb"


def test_half_an_escape_is_left_as_it_is() -> None:
    assert plain(b"abc\\") == b"abc\\"


def test_each_clone_has_a_key_of_its_own_and_keeps_it(place: Place, tmp_path: Path) -> None:
    digest = Verdicts(place, Redactor()).digest(b"tulip")
    assert Verdicts(place, Redactor()).digest(b"tulip") == digest
    key = tmp_path / ".git/entire/audit/key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.unlink()
    assert Verdicts(place, Redactor()).digest(b"tulip") != digest


def test_a_broken_memory_is_read_as_none(place: Place, tmp_path: Path) -> None:
    verdicts = Verdicts(place, Redactor())
    verdicts.note("a" * 40, "x.md", io.BytesIO(b"clean"))
    verdicts.save()
    assert Verdicts(place, Redactor()).known("a" * 40) == []
    (tmp_path / ".git/entire/audit/verdicts.json").write_text('{"rules": ' + f'"{verdicts.rules}", "clean": 1}}')
    assert Verdicts(place, Redactor()).known("a" * 40) is None


def test_transcripts_and_their_parts_are_lines() -> None:
    names = ("full.jsonl", "full.jsonl.012", "full.log", "agent-1.jsonl", "s.turns", "metadata.json", "prompt.txt")
    assert [is_lines(name) for name in names] == [True, True, True, True, True, False, False]


def test_the_checkpoint_and_the_session_of_a_path() -> None:
    assert sources.checkpoint_of("70/405949a16f/0/full.jsonl") == "70405949a16f"
    assert [sources.checkpoint_of(path) for path in ("links/commits/70/4059", "70/short/0", "README", "")] == [""] * 4
    assert sources.session_of(".entire/metadata/s-1/prompt.txt", "") == "s-1"
    assert sources.session_of("70/405949a16f/0/x", "Checkpoint: 1\n\nEntire-Session: s-2\n") == "s-2"
    assert sources.session_of("x", "Entire-Session: s-2\nEntire-Session: s-3\n") == ""


def test_a_link_and_a_users_own_copy_are_not_our_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = layout.find(str(tmp_path)) or layout.Place(
        top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git")
    )
    monkeypatch.setattr(own_files, "places", lambda _: [place])
    for name in ("undo/1/pa/1", "undo/1/a/mine.py", "undo/1/plan.json", "sessions/s.json", "audit/key", "pending.json"):
        (tmp_path / ".git/entire" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / ".git/entire" / name).write_text("x")
    (tmp_path / ".git/entire/link").symlink_to("/etc/passwd")
    found = {(kind, path.removeprefix(f"{tmp_path}/.git/entire/")) for kind, path in own_files.find(place)}
    assert found == {("undo point", "undo/1/pa/1"), ("undo point", "undo/1/plan.json"), ("file", "pending.json"),
                     ("session state", "sessions/s.json")}  # fmt: skip
