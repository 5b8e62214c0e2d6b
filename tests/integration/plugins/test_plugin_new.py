"""`entire plugin new`: what it writes works as it is, for any name, in both languages."""

from __future__ import annotations

import atexit
import base64
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

from entire import cli
from entire_plugin_kit import template

TEMPLATES = Path(template.__file__).parent / "templates"
LANGUAGES = {"python": (), "shell": ("--shell",)}
TOOLS = ("awk", "base64", "cat", "cmp", "expr", "fold", "grep", "head", "mkdir", "mktemp", "mv", "rm", "rmdir", "sed",
         "tail", "tr", "wc")  # fmt: skip
"""What the shell template needs."""
BYTES = {
    "nothing": b"",
    "a line": b'{"a": 1}\n',
    "no final newline": b'{"a": 1}\n{"b": 2}',
    "blank lines": b"\n\n{}\n\n\n",
    "every byte": bytes(range(256)) * 40,
    "NUL only": b"\0" * 1000,
    "one long line": b"x" * 100_000,
}

BROKEN = (b"", b"{", b"[]", b"7", b'{"a": }', b'{"a": 1,}', b'{"a": "\n"}', b'{"a": "\\x"}', b"{}{}", b'{"a": 01}',
          b'{"session_ref": "/x", "native_data": "**", "chunks": ["**"]}')  # fmt: skip


class Done:
    """What a command came to."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


def entire(*words: str) -> Done:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main(words)
    return Done(code, out.getvalue(), err.getvalue())


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def new(name: str, language: str) -> Path:
    done = entire("plugin", "new", name, *LANGUAGES[language])
    assert (done.code, done.err) == (0, "")
    return Path(name).resolve()


def call(folder: Path, *words: str, stdin: bytes = b"", path: str = "") -> subprocess.CompletedProcess[bytes]:
    (program,) = folder.glob("entire-agent-*")
    env = {"PATH": path or f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(folder.parent / "home"),
           "ENTIRE_REPO_ROOT": str(folder.parent), "ENTIRE_PROTOCOL_VERSION": "1"}  # fmt: skip
    return subprocess.run([program, *words], input=stdin, env=env, cwd=folder.parent, capture_output=True)


def answer(folder: Path, *words: str, stdin: bytes = b"", path: str = "") -> Any:
    done = call(folder, *words, stdin=stdin, path=path)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


# ---------------------------------------------------------------- what is written


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "kind"),
    [("myagent", "Myagent"), ("my-agent.2", "My Agent 2"), ("9lives", "9lives"), ("a" * 64, "A" + "a" * 63)],
)
def test_a_new_plugin_says_what_it_is(name: str, kind: str, language: str) -> None:
    info = answer(new(name, language), "info")
    assert (info["protocol_version"], info["name"], info["type"]) == (1, name, kind)
    assert info["description"] == f"{kind}, an imaginary agent"
    assert info["protected_dirs"] == [f".{name}"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_the_templates_agent_is_left(language: str) -> None:
    folder = new("myagent", language)
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    assert {
        name for name, path in files.items() if b"parrot" in path.read_bytes().lower() + name.lower().encode()
    } == set()
    assert {name for name, path in files.items() if os.access(path, os.X_OK)} == {"entire-agent-myagent"}
    assert {"README.md", "fixtures/payloads/stop.json", "fixtures/transcripts/two-turns.jsonl"} < set(files)
    assert b"REPLACE" in files["entire-agent-myagent"].read_bytes()


def test_what_an_installer_compiled_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shutil.copytree(TEMPLATES, tmp_path / "templates")
    (tmp_path / "templates" / "python" / "__pycache__").mkdir(exist_ok=True)
    (tmp_path / "templates" / "python" / "__pycache__" / "test_plugin.cpython-311.pyc").touch()
    monkeypatch.setattr(template, "_TEMPLATES", str(tmp_path / "templates"))
    assert [name for name in template.write("myagent", template.PYTHON).files if "cache" in name] == []


def test_a_type_of_a_built_in_agent_is_not_taken() -> None:
    assert answer(new("claude.code", "shell"), "info")["type"] == "claude.code"


def test_the_steps_that_follow_are_named() -> None:
    done = entire("plugin", "new", "myagent", "--into", "some where")
    assert done.out.splitlines()[0] == "Written: some where (15 files)"
    steps = [line.split("  ")[1] for line in done.out.splitlines()[2:]]
    assert steps == [
        "cd 'some where'",
        "entire plugin check ./entire-agent-myagent --fixtures fixtures",
        "cp entire-agent-myagent ~/.local/bin/",
        "entire plugin allow myagent",
        "entire enable --agent myagent",
    ]


def test_as_json() -> None:
    done = entire("plugin", "new", "myagent", "--shell", "--json")
    told = json.loads(done.out)
    assert (told["name"], told["type"], told["folder"]) == ("myagent", "Myagent", "myagent")
    assert told["files"][:2] == ["entire-agent-myagent", "README.md"]
    written = [str(path.relative_to(told["folder"])) for path in Path(told["folder"]).rglob("*") if path.is_file()]
    assert sorted(told["files"]) == sorted(written)


@pytest.mark.parametrize("name", ["", "My", "a b", "-x", ".x", "../x", "x/y", "é", "a" * 65, "x\n"])
def test_a_name_that_no_plugin_can_have(name: str, place: Path) -> None:
    done = entire("plugin", "new", "--", name)
    assert done.code == 2
    assert "cannot be the name of a plugin" in done.err
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("name", ["claude-code", "gemini", "gemini-cli", "git"])
def test_a_name_that_is_taken(name: str, place: Path) -> None:
    done = entire("plugin", "new", name)
    assert (done.code, done.err.splitlines()[0]) == (2, f"entire: the name {name} is taken")
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "folder", "dangling link"])
def test_what_is_there_is_never_changed(kind: str, place: Path) -> None:
    there = place / "myagent"
    if kind == "file":
        there.write_text("mine")
    elif kind == "folder":
        there.mkdir()
    else:
        there.symlink_to("nowhere")
    done = entire("plugin", "new", "myagent", "--json")
    assert done.code == 2
    assert json.loads(done.out)["error"]["message"] == "myagent exists already; nothing was written"
    assert [path.name for path in place.iterdir()] == [there.name]
    assert not there.is_dir() or list(there.iterdir()) == []


def test_a_folder_that_cannot_be_created() -> None:
    done = entire("plugin", "new", "myagent", "--into", "no/such/folder")
    assert (done.code, done.err.splitlines()[0]) == (
        1,
        "entire: cannot create no/such/folder: No such file or directory",
    )


# ---------------------------------------------------------------- what it does


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", ["1", "2", "4", "512", "8191", "1048576"])
@pytest.mark.parametrize("name", BYTES)
def test_any_bytes_are_split_and_joined(name: str, size: str, language: str, place: Path) -> None:
    folder = new("myagent", language)
    if len(BYTES[name]) / int(size) > 5000:
        pytest.skip("thousands of chunks")
    told = answer(folder, "chunk-transcript", "--max-size", size, stdin=BYTES[name])
    chunks = [base64.b64decode(chunk, validate=True) for chunk in told["chunks"]]
    assert max(map(len, chunks), default=0) <= int(size)
    done = call(folder, "reassemble-transcript", stdin=json.dumps(told).encode())
    assert (done.returncode, done.stdout) == (0, BYTES[name])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("unknown", [("--colour", "red"), ("--loud",), ("--empty", "")], ids=" ".join)
def test_options_of_newer_hosts_are_ignored(unknown: tuple[str, ...], language: str) -> None:
    folder, words = new("myagent", language), ("--session-id", "s1")
    for given in ((*unknown, *words), (*words, *unknown)):
        assert answer(folder, "format-resume-command", *given) == {"command": "myagent --resume s1"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_chunks_of_another_host_are_joined(language: str) -> None:
    """Each may end in padding."""
    folder = new("myagent", language)
    chunks = [base64.b64encode(part).decode() for part in (b"a\n", b"bb\n", b"ccc", b"d")]
    done = call(folder, "reassemble-transcript", stdin=json.dumps({"chunks": chunks}).encode())
    joined = b"a\nbb\ncccd" if language == "shell" else b"a\n\nbb\n\nccc\nd"
    assert (done.returncode, done.stdout) == (0, joined)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("given", BROKEN)
@pytest.mark.parametrize("subcommand", ["write-session", "reassemble-transcript"])
def test_what_is_not_json_is_refused(subcommand: str, given: bytes, language: str) -> None:
    done = call(new("myagent", language), subcommand, stdin=given)
    assert done.returncode != 0
    assert done.stdout == b""
    assert done.stderr.startswith(b"entire-agent-myagent: ")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "text", ['"quoted" \\ back', "line\nline\r\t\x01\x7f", "Zoë 日本 🎉", "'; touch x; '$(touch x)`touch x`", ""]
)
def test_texts_come_back_as_they_were(text: str, language: str, place: Path) -> None:
    folder = new("myagent", language)
    ref = place / "home" / "s 'one'" / "s.jsonl"
    content = json.dumps({"type": "prompt", "text": text or "-", "time": "2026-01-13T12:00:00Z"}).encode() + b"\n"
    content += json.dumps({"type": "change", "path": text or "-"}, ensure_ascii=False).encode() + b"\n"
    record = {"session_id": text, "session_ref": str(ref), "native_data": base64.b64encode(content).decode()}
    done = call(folder, "write-session", stdin=json.dumps({**record, "agent_name": "myagent"}).encode())
    assert (done.returncode, done.stderr, ref.read_bytes()) == (0, b"", content)
    told = answer(folder, "read-session", stdin=json.dumps(record, ensure_ascii=False).encode())
    assert {name: told[name] for name in record} == record
    assert (told["start_time"], told["modified_files"]) == ("2026-01-13T12:00:00Z", [text or "-"])
    assert answer(folder, "extract-prompts", "--session-ref", str(ref), "--offset", "0") == {"prompts": [text or "-"]}
    assert sorted(path.name for path in place.iterdir()) == ["home", "myagent"]


def test_the_shell_plugin_needs_standard_tools_only(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (tools / tool).symlink_to(os.path.realpath(found))
    folder = new("myagent", "shell")
    program = folder / "entire-agent-myagent"
    captured = TEMPLATES / "common" / "fixtures" / "transcripts" / "two-turns.jsonl"
    for words, stdin in {
        ("info",): b"",
        ("detect",): b"",
        ("get-session-id",): b'{"session_id": "s"}',
        ("get-session-dir", "--repo-path", "/a b"): b"",
        ("resolve-session-file", "--session-dir", "/a", "--session-id", "s"): b"",
        ("read-session",): json.dumps({"session_id": "s", "session_ref": str(captured)}).encode(),
        ("format-resume-command", "--session-id", "a b"): b"",
        ("chunk-transcript", "--max-size", "100"): captured.read_bytes(),
        ("parse-hook", "--hook", "stop"): b'{"session_id": "s"}',
        ("install-hooks",): b"",
        ("are-hooks-installed",): b"",
        ("get-transcript-position", "--path", str(captured)): b"",
        ("extract-modified-files", "--path", str(captured), "--offset", "1"): b"",
        ("extract-prompts", "--session-ref", str(captured), "--offset", "1"): b"",
        ("extract-summary", "--session-ref", str(captured)): b"",
        ("calculate-tokens", "--offset", "1"): captured.read_bytes(),
    }.items():
        assert answer(folder, *words, stdin=stdin, path=str(tools)) is not None, words
    record = {"session_ref": str(tmp_path / "s"), "native_data": "YQA="}
    assert call(folder, "write-session", stdin=json.dumps(record).encode(), path=str(tools)).stderr == b""
    assert (tmp_path / "s").read_bytes() == b"a\0"
    assert call(folder, "uninstall-hooks", path=str(tools)).returncode == 0
    assert program.read_bytes().startswith(b"#!/bin/sh\n")


def test_a_plugin_runs_without_the_launcher_too() -> None:
    folder = new("myagent", "python")
    words = [sys.executable, "-m", "entire", "plugin", "run", str(folder / "entire-agent-myagent")]
    asked = ["resolve-session-file", "--session-dir", "/a", "--session-id", "s"]
    done = subprocess.run([*words, *asked], capture_output=True, check=True)
    assert json.loads(done.stdout) == {"session_file": "/a/s.jsonl"}
    refused = subprocess.run([*words, "no-such-subcommand"], capture_output=True, text=True)
    assert (refused.returncode, refused.stdout, refused.stderr[:22]) == (2, "", "entire-agent-myagent: ")


def test_run_names_a_file_that_is_not_there() -> None:
    done = entire("plugin", "run", "no/such/file", "info")
    assert (done.code, done.err) == (2, "entire: there is no file no/such/file\nhint: name the plugin's file\n")


def test_the_python_plugin_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    done = call(new("myagent", "python"), "info", path=str(tmp_path / "nothing"))
    assert done.returncode == 127
    assert done.stderr.endswith(b"entire-agent-myagent: the command entire is not on PATH\n")


def _own_tests() -> Any:
    """Return the tests of a new plugin, as its author runs them."""
    folder = Path(tempfile.mkdtemp(prefix="entire-new-plugin-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    template.write("myagent", template.PYTHON, str(folder / "plugin"))
    loader = SourceFileLoader("tests_of_a_new_plugin", str(folder / "plugin" / "test_plugin.py"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


OWN = _own_tests()
test_promises = OWN.test_promises


def test_no_promise_is_skipped_for_want_of_fixtures() -> None:
    assert [part for part in ("payloads", "transcripts", "configs", "player") if not OWN.RIG.has(part)] == []
