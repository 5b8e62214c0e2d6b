"""Plugins are called: what they get, what counts as their answer, what a failure says, what calls cost together."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import entire
from entire.plugin_host.language import protocol
from entire.plugin_host.language.protocol import PluginError
from entire.plugin_host.programs.program import Program
from tests.unit.plugin_host.scripted import NODE, PYTHON, Make, plugins


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    yield from plugins(tmp_path)


def message(make: Make, script: str, **options: object) -> str:
    """Return what the failure of a call says."""
    with pytest.raises(PluginError) as caught:
        make(script, **options).call("info")
    assert caught.value.message.startswith("`entire-agent-strange info` ")
    return caught.value.message.removeprefix("`entire-agent-strange info` ")


def test_a_call_gets_the_protocols_environment(make: Make, tmp_path: Path) -> None:
    plugin = make(
        'cat; echo "|$1|$2|$ENTIRE_REPO_ROOT|$ENTIRE_PROTOCOL_VERSION|$ENTIRE_CLI_VERSION|$PWD|$GIT_DIR|$X"; pwd -P',
        env={**os.environ, "GIT_DIR": "/elsewhere", "X": "inherited", "ENTIRE_REPO_ROOT": "old"},
    )
    root = str(tmp_path)
    assert plugin.name == "strange"
    assert plugin.run("parse-hook", "--hook", stdin=b"payload").decode().splitlines() == [
        f"payload|parse-hook|--hook|{root}|1|{entire.__version__}|{root}||inherited",
        os.path.realpath(root),
    ]
    assert plugin.processes == 1


def test_a_file_is_standard_input(make: Make, tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes(b"payload\n")
    plugin = make("[ -f /dev/stdin ] || exit 1; read -r line; echo '{\"line\": \"'$line'\"}'")
    assert plugin.call("calculate-tokens", stdin=str(tmp_path / "input")) == {"line": "payload"}
    with pytest.raises(PluginError, match=r"was not called: cannot read .*/missing: No such file"):
        plugin.call("calculate-tokens", stdin=str(tmp_path / "missing"))
    assert plugin.processes == 1


def test_the_environment_is_the_inherited_one_and_nothing_else(make: Make, tmp_path: Path) -> None:
    inherited = {
        "PATH": os.environ["PATH"],
        "A": "b c\n'd'",
        "GIT_WORK_TREE": "x",
        "GIT_CONFIG_COUNT": "0",
        "B": "\udcff",
    }
    plugin = make("import os, sys; os.write(1, repr(dict(os.environb)).encode())", head=PYTHON, env=inherited)
    found = eval(plugin.run("info"))
    found.pop(b"LC_CTYPE", None)  # Python sets it for itself
    assert found == {
        b"PATH": os.fsencode(os.environ["PATH"]), b"A": b"b c\n'd'", b"GIT_CONFIG_COUNT": b"0", b"B": b"\xff",
        b"ENTIRE_REPO_ROOT": os.fsencode(tmp_path), b"ENTIRE_PROTOCOL_VERSION": b"1", b"PWD": os.fsencode(tmp_path),
        b"ENTIRE_CLI_VERSION": entire.__version__.encode(),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["a b", 'it\'s "quoted" $HOME', "two\nlines", "-rf", "\udcff\udcfe", "é\u202e*"])
def test_a_root_with_a_strange_name(tmp_path: Path, make: Make, name: str) -> None:
    root = tmp_path / name
    root.mkdir()
    here = os.getcwd()
    plugin = make('printf "%s|%s|%s" "$PWD" "$ENTIRE_REPO_ROOT" "$1"', root=str(root))
    assert plugin.run(name) == b"|".join([os.fsencode(root), os.fsencode(root), os.fsencode(name)])
    assert os.getcwd() == here


def test_a_plugin_inherits_no_open_file_and_no_ignored_signal(make: Make) -> None:
    ours = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(ours, True)
    try:
        script = (
            "ls /proc/self/fd; grep SigIgn /proc/self/status; ps -o sid=,pgid=,pid=,tty= $$; (exec </dev/tty) 2>&1 || :"
        )
        *fds, ignored, ids, no_terminal = make(script).run("info").decode().splitlines()
    finally:
        os.close(ours)
    assert fds == ["0", "1", "2", "3"]  # the last is the listing's own
    assert not int(ignored.split()[1], 16) & (1 << 12), "a plugin's own pipes end it with SIGPIPE, as everywhere"
    session, group, pid, terminal = ids.split()
    assert (session, group, terminal) == (pid, pid, "?")
    assert "dev/tty" in no_terminal


def test_without_input_standard_input_is_at_its_end(make: Make) -> None:
    assert make("cat; echo end").run("info") == b"end\n"


def test_input_is_passed_as_it_is(make: Make) -> None:
    data = os.urandom(3 << 20)
    assert make("cat").run("chunk-transcript", stdin=data) == data


@pytest.mark.parametrize(
    "script", ["echo {}", "exec <&-; echo {}", "head -c 10 >/dev/null; echo {}", "exec <&-; sleep 0.2; echo {}"]
)
def test_input_that_is_not_read_does_no_harm(make: Make, script: str) -> None:
    assert make(script).call("detect", stdin=b"x" * (1 << 20)) == {}


def test_input_that_is_read_late(make: Make) -> None:
    script = "import os, sys, time; os.write(1, b'{\"n\": '); time.sleep(0.7)\n"
    script += "data = sys.stdin.buffer.read(); os.write(1, b'%d}' % len(data))"
    assert make(script, head=PYTHON).call("info", stdin=b"x" * (1 << 20)) == {"n": 1 << 20}


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (b"{}", {}),
        (b'\xef\xbb\xbf{"a": 1}\r\n', {"a": 1}),
        (b'\n\n {"a":\n[null]}\n\n', {"a": [None]}),
        ('{"é": "\u2028"}'.encode(), {"é": "\u2028"}),
        (b'{"a": "\\ud800"}', {"a": "\ud800"}),
        (b'{"a": "' + b"x" * (9 << 20) + b'"}', {"a": "x" * (9 << 20)}),
    ],
    ids=["empty", "with a BOM", "with blanks", "UTF-8", "half a surrogate pair", "large"],
)
def test_an_object_is_an_answer(make: Make, tmp_path: Path, answer: bytes, value: object) -> None:
    (tmp_path / "answer").write_bytes(answer)
    assert make("cat answer").call("info") == value


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"", "answered nothing"),
        (b" \n", "answered nothing"),
        (b"null", "did not answer with the JSON object that it should: null"),
        (b"[1]", "did not answer with the JSON object that it should: [1]"),
        (b"{} {}", "did not answer with JSON: {} {}"),
        (b"{}\n{}\n", "did not answer with JSON: {}; {}"),
        (b'{"a": 1', 'did not answer with JSON: {"a": 1'),
        (b"usage: \x1b[1mx\x1b[0m\a\n", "did not answer with JSON: usage: x"),
        (b'{"a": "\xff"}', 'did not answer with JSON: {"a": "\N{REPLACEMENT CHARACTER}"}'),
        (b"\0\0", "did not answer with JSON"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "did not answer with JSON: "),
        (b"[" * 1_000_000, "did not answer with JSON: [[["),
        (b"1" * 100_000, "did not answer with JSON: 111"),
        (b"\xff\xfe{\0}\0", "did not answer with JSON: "),
    ],
    ids=lambda value: repr(value[:20]) if isinstance(value, bytes) else "",
)
def test_anything_else_is_none(make: Make, tmp_path: Path, answer: bytes, reason: str) -> None:
    (tmp_path / "answer").write_bytes(answer)
    said = message(make, "cat answer")
    assert said.startswith(reason)
    assert said.isprintable() and len(said) < 200


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo no such file >&2; exit 3", "failed with status 3: no such file"),
        ("echo '{}'; exit 1", "failed with status 1"),
        ("kill -11 $$", "was killed by signal 11"),
        ("echo dying >&2; kill -9 $$", "was killed by signal 9: dying"),
        (r"printf 'a\n\nb\n \r\033[31mred\033[0m\tX\007\b \0 Y\n' >&2; exit 1", "failed with status 1: a; b; red X Y"),
        (r"printf '\377\376\302\205\342\200\256x' >&2; exit 1", "failed with status 1: \ufffd\ufffd; x"),
        ("seq 1 100 >&2; exit 1", "failed with status 1: 97; 98; 99; 100"),
    ],
)  # fmt: skip
def test_a_failure_shows_the_plugins_own_last_words(make: Make, script: str, reason: str) -> None:
    assert " ".join(message(make, script).split()) == " ".join(reason.split())


def test_a_failure_in_python_shows_what_was_raised(make: Make) -> None:
    script = "def f(n):\n    return f(n - 1) if n else int('x')\nf(9)"
    said = message(make, script, head=PYTHON)
    assert said.endswith("Traceback (most recent call last):; ValueError: invalid literal for int() with base 10: 'x'")


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
def test_a_failure_in_node_shows_what_was_raised(make: Make) -> None:
    assert "; Error: boom; " in message(make, "function f() { throw new Error('boom') }\nf()", head=NODE)


def test_a_long_message_is_cut(make: Make) -> None:
    said = message(make, "head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 1")
    assert len(said) < 600
    assert said.endswith("xxx…")


def test_a_useless_answer_shows_the_plugins_own_last_words_too(make: Make) -> None:
    assert message(make, "echo no configuration >&2") == "answered nothing: no configuration"
    assert message(make, "echo careful >&2; echo null").endswith("that it should: null: careful")


def test_a_failure_carries_all_that_was_printed_and_what_to_do(make: Make) -> None:
    with pytest.raises(PluginError) as caught:
        make("seq 1 9 >&2; exit 3").run("uninstall-hooks")
    assert caught.value.hint == "run `entire plugin check strange`"
    assert caught.value.errors == "".join(f"{n}\n" for n in range(1, 10))


def test_a_program_that_cannot_be_started(make: Make, tmp_path: Path) -> None:
    plugin = make("echo {}")
    path = Path(plugin.path)
    for change, reason in (
        (lambda: path.write_text("#!/missing/sh\n"), "the interpreter that its first line names does not exist"),
        (lambda: path.write_text("echo {}\n"), "it is not a program, and its first line names no interpreter"),
        (lambda: path.write_bytes(b""), "it is not a program, and its first line names no interpreter"),
        (lambda: path.chmod(0o644), "Permission denied"),
        (path.unlink, "No such file or directory"),
        (path.mkdir, "Permission denied"),
    ):  # fmt: skip
        change()
        with pytest.raises(PluginError) as caught:
            plugin.run("info")
        assert caught.value.message == f"`entire-agent-strange info` cannot be started: {reason}"
    assert plugin.processes == 0


def test_a_program_that_is_being_written(make: Make) -> None:
    plugin = make("echo {}")
    shutil.copy("/bin/true", plugin.path)
    with open(plugin.path, "ab"), pytest.raises(PluginError, match="cannot be started: Text file busy"):
        plugin.run("info")


@pytest.mark.parametrize("word", ["a\0b", "\ud800", "x" * (1 << 20)])
def test_words_that_no_program_can_be_given(make: Make, word: str) -> None:
    with pytest.raises(PluginError, match="`entire-agent-strange info` cannot be started"):
        make("echo {}").run("info", "--message", word)


def test_a_root_that_is_gone(make: Make, tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=f"cannot be started: {tmp_path}/gone does not exist"):
        make("echo {}", root=str(tmp_path / "gone")).run("info")


def test_the_hooks_budget_is_shared(make: Make) -> None:
    made: list[Program] = []
    plugin = make("echo {}", clock=lambda: sum(plugin.processes for plugin in made) * 11.0)
    made.append(plugin)
    assert [plugin.call("info") for _ in range(4)] == [{}] * 4
    with pytest.raises(PluginError, match=r"did not finish within 1 second$"):
        plugin.call("info")
    with pytest.raises(PluginError, match="was not called: this hook's 45 seconds for plugins are over"):
        plugin.call("info")
    with pytest.raises(PluginError, match="was not called: this hook's 45 seconds for plugins are over"):
        plugin.ask("files")
    assert plugin.processes == 5


def test_under_the_repositorys_lock_little_time_is_left(make: Make) -> None:
    made: list[Program] = []
    plugin = make("echo {}", clock=lambda: sum(plugin.processes for plugin in made) * 6.0)
    made.append(plugin)
    plugin.call("info")
    plugin.limit_time()
    plugin.call("info")
    with pytest.raises(PluginError, match=r"did not finish within 4 seconds$"):
        plugin.call("info")
    with pytest.raises(PluginError, match="was not called: this hook's 16 seconds for plugins are over"):
        plugin.call("info")


def test_the_budget_in_real_time(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that end in time, one that does not, and questions: all count."""
    monkeypatch.setattr(protocol, "HOOK_SECONDS", 2.5)
    plugin = make('[ "$1" = slow ] && sleep 60; sleep 0.2; read x; echo "{\\"answer\\": 1}"; sleep 60')
    begin = time.monotonic()
    assert plugin.ask("files") == 1
    with pytest.raises(PluginError, match="did not finish"):
        plugin.ask("files")
    with pytest.raises(PluginError, match=r"`entire-agent-strange slow` was not called"):
        plugin.run("slow")
    assert 2.4 < time.monotonic() - begin < 15


def test_a_command_has_no_budget(make: Make) -> None:
    ticks = iter(range(10_000))
    plugin = make("echo {}", in_hook=False, clock=lambda: next(ticks))
    assert [plugin.call("info") for _ in range(20)] == [{}] * 20


def test_a_hook_starts_few_processes_and_a_command_any_number(make: Make) -> None:
    plugin = make("echo {}")
    for _ in range(protocol.HOOK_PROCESSES):
        plugin.call("info")
    with pytest.raises(PluginError, match="was not called: a hook starts at most 8 processes of a plugin"):
        plugin.call("info")
    assert plugin.processes == 8
    plugin = make("echo {}", in_hook=False)
    assert [plugin.call("info") for _ in range(20)] == [{}] * 20
    assert plugin.processes == 20
