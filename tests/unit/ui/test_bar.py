"""The progress bar is for terminals, and leaves no trace."""

from __future__ import annotations

import pytest

from entire.model.audits import AuditView, PlaceView, RemoteView, SecretView
from entire.ui.console.bar import Bar
from entire.ui.screens import audits


def test_scripts_see_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    bar = Bar("Scanning")
    bar(1, 2)
    bar.clear()
    assert capsys.readouterr() == ("", "")


def test_a_terminal_sees_one_that_goes_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("entire.ui.console.bar._PATIENCE", 0.0)
    bar = Bar("Scanning")
    bar(1000, 2000)
    bar.clear()
    assert capsys.readouterr().err == "\rScanning [############            ] 1,000 of 2,000\r\033[K"


def test_a_remote_is_told_with_the_time_of_that_knowledge_and_names_are_harmless() -> None:
    remotes = (
        RemoteView(name="or\x1bigin", tip="a" * 40, time=1_700_000_000.0),
        RemoteView(name="b", note="not known"),
    )
    place = PlaceView(kind="step", ref="r", path=".entire/metadata/s/pro\x1bmpt.txt", commit="c" * 40, session="s\x07")
    secret = SecretView(digest="d" * 12, rule="rule", mask="gh\x1b\u2026", places=(place,) * 5, pushed=("or\x1bigin",))
    lines = list(audits.audit(AuditView(remotes=remotes, secrets=(secret,), scanned=2, pushed=True,
                                        unread=tuple(map(str, range(12)))), 1_700_003_600.0))  # fmt: skip
    assert "as of 2023-11-14 22:13" in lines[0]
    assert "(1 hour ago)" in lines[0]
    assert lines[1] == "b: no checkpoints branch known; not known"
    assert "\x1b" not in "".join(lines)
    assert "\x07" not in "".join(lines)
    assert "and 2 more" in lines[5]
    assert lines[-1] == "  and 2 more (--json lists them)"
