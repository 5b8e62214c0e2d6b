"""The log is bounded, has no opinion of its own, and is never felt."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from entire import log
from entire.log import Log


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_a_line_has_the_context(tmp_path: Path) -> None:
    path = tmp_path / "logs/entire.log"
    Log(str(path), agent="demo").bind(hook="stop").info("turn saved", files=3, took=1.5, again=None, path=Path("x"))
    (line,) = lines(path)
    assert list(line)[:3] == ["time", "level", "msg"]
    assert str(line.pop("time")).endswith("Z")
    assert line == {
        "level": "INFO", "msg": "turn saved", "agent": "demo", "hook": "stop", "files": 3, "took": 1.5, "again": None,
        "path": "x",
    }  # fmt: skip
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_log_that_is_printed_commands_no_terminal(tmp_path: Path) -> None:
    Log(str(tmp_path / "log")).info("\x1b[2J\x7f\x9b31m\u202e\u200bשלום")
    assert r"\u001b[2J\u007f\u009b31m\u202e\u200bשלום" in (tmp_path / "log").read_text()
    assert lines(tmp_path / "log")[0]["msg"] == "\x1b[2J\x7f\x9b31m\u202e\u200bשלום"


def test_a_log_that_a_shell_reads_runs_nothing(tmp_path: Path) -> None:
    """As if it were a start-up file."""
    run = "touch owned"
    text = f"$({run}) `{run}` $HOME \" ; {run} ; \" \\$({run}) \\\\`{run}`' ; {run} '\n {run}"
    Log(str(tmp_path / "log"), agent=text).error(text, path=text)
    subprocess.run(["sh", "log"], cwd=tmp_path, capture_output=True, check=False)
    assert os.listdir(tmp_path) == ["log"]
    (line,) = lines(tmp_path / "log")
    assert (line["msg"], line["agent"], line["path"]) == (text, text, text)


@pytest.mark.parametrize(("level", "kept"), [("debug", 4), ("info", 3), ("warn", 2), ("error", 1), ("nonsense", 3)])
def test_the_level(tmp_path: Path, level: str, kept: int) -> None:
    written = Log(str(tmp_path / "log"), level)
    for write in (written.debug, written.info, written.warn, written.error):
        write("x")
    assert len(lines(tmp_path / "log")) == kept
    assert log.failures(str(tmp_path / "log")) == 1


def test_without_a_path_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Log("").error("x")
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_cannot_be_written_is_not_felt(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    Log(str(tmp_path / "file/logs/entire.log")).error("x")
    Log(str(tmp_path)).error("x")
    assert log.failures(str(tmp_path / "none")) == 0


def test_hostile_values(tmp_path: Path) -> None:
    Log(str(tmp_path / "log")).info("two\nlines \udcff", long="x" * 10_000, bytes=b"\xff")
    (line,) = lines(tmp_path / "log")
    assert len(str(line["long"])) < 600


def test_the_size_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "log"
    writer = Log(str(path))
    for _ in range(3):
        path.write_bytes(b"x" * log.MAX_BYTES)
        writer.info("over")
    assert sorted(os.listdir(tmp_path)) == ["log.1"]
    writer.info("anew")
    assert len(lines(path)) == 1


def crash(secret: str) -> BaseException:
    try:
        raise ValueError(f"cannot parse {secret}")
    except ValueError as error:
        return error


def test_a_report_tells_where_and_not_what(tmp_path: Path) -> None:
    command = ["hooks", "demo", "stop", '{"prompt": "my password"}', "x" * 100, "$(touch x)", "`touch x`", "\x1b[2J"]
    path = log.report(str(tmp_path / "logs"), crash("my password"), version="1.2.3", command=command)
    text = Path(path).read_text()
    assert "my password" not in text
    for wanted in ("ValueError", "entire 1.2.3", "hooks demo stop ... ... ... ... ...`", "in crash", "Python 3."):
        assert wanted in text
    assert Path(path).stat().st_mode & 0o777 == 0o600


def test_the_same_crash_has_one_report(tmp_path: Path) -> None:
    for _ in range(5):
        log.report(str(tmp_path), crash("x"), version="1", command=[])
    assert len(list(tmp_path.iterdir())) == 1


def test_a_report_that_cannot_be_written_is_not_felt(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert log.report(str(tmp_path / "file/logs"), crash("x"), version="1", command=[]) == ""


def test_a_failure_of_the_system_says_which(tmp_path: Path) -> None:
    error = PermissionError(13, "Permission denied", "/home/somebody/private")
    text = Path(log.report(str(tmp_path), error, version="1", command=[])).read_text()
    assert "Permission denied" in text
    assert "somebody" not in text


def test_a_line_that_a_full_disk_cuts_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "entire.log"
    found = log.Log(str(path))
    found.error("one")
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:20]))
    found.error("cut")
    monkeypatch.undo()
    found.error("two")
    assert [json.loads(line)["msg"] for line in path.read_text().splitlines()] == ["one", "two"]
