"""Plugins that break one promise each: the good one with some of its text replaced."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from entire.model.value import Value
from entire_plugin_kit.program.probe import Limits
from tests import forks

FOLDER = Path(__file__).parents[2] / "fixtures" / "plugins"
GOOD = FOLDER / "entire-agent-good"
CAPTURED = FOLDER / "good-captured"
SMALL = Limits(large_bytes=600_000, many_lines=2_000)


class Fault(Value):
    """A fault: what it is in the good plugin, and in what is replaced. ``is_noted``: no failure, but a remark.
    ``is_process``: it is in a process's own figures, children or end, which a fork (``tests.forks``) does not show.
    """

    name: str
    changes: Sequence[tuple[str, str]] = ()
    file: str = GOOD.name
    mode: int = 0o755
    limits: Limits = SMALL
    is_noted: bool = False
    is_process: bool = False

    def write(self, folder: Path) -> Path:
        """Write the plugin; return its path."""
        text = GOOD.read_text()
        for old, new in self.changes:
            assert text.count(old) >= 1, old
            text = text.replace(old, new)
        path = folder / self.file
        if self.is_process:
            path.write_text(text)
        else:
            forks.write(path, text)
        path.chmod(self.mode)
        return path


def fault(name: str, old: str, new: str, **how: Any) -> Fault:
    return Fault(name=name, changes=((old, new),), **how)


def within(function: str, *statements: str) -> tuple[str, str]:
    """Return the change that begins a function with statements."""
    head = f"def {function}(options):\n"
    return head, head + "".join(f"    {statement}\n" for statement in statements)


def telling(name: str, old: str, new: str) -> Fault:
    """Return a fault in what the plugin tells with ``entire_records``."""
    return Fault(name=name, changes=(RECORDS, (old, new)))


def doing(name: str, function: str, *statements: str, **how: Any) -> Fault:
    return Fault(name=name, changes=(within(function, *statements),), **how)


PROMPTS = 'put({"prompts": texts(read(options["--session-ref"]), int(options["--offset"])'
SUMMARY = '"text") or [""])[-1]\n    put'
OUR_ENTRY = '        write(path, text.replace(ENTRY, "").encode())'
FOLDERS = "    os.makedirs(os.path.dirname(path), exist_ok=True)\n"
HASTY = Limits(call_seconds=2.0, large_bytes=600_000, many_lines=2_000)
RECORDS = ('"entire_ranges": True', '"entire_records": True')
"""Declares records instead of ranges."""
SLEEP = "__import__('time').sleep(60)"

# by the promise that they break, as a program or, further down, through the host
FAULTS: dict[str, tuple[Fault, ...]] = {
    "file-name": (
        Fault(name="capitals", changes=(('NAME = "good"', 'NAME = "Good"'),), file="entire-agent-Good"),
        Fault(name="prefix", file="agent-good", changes=(('NAME = "good"', 'NAME = "agent-good"'),)),
    ),
    "info": (
        fault("no-description", '"description": "An agent for tests"', '"description": ""'),
        fault("leaves-the-repository", '[".good"]', '["../good"]'),
        fault("a-text-for-true", '"entire_ranges": True', '"entire_ranges": "yes"'),
        fault("null-lists", '[".good"]', "None", is_noted=True),
    ),
    "info-anywhere": (doing("needs-a-repository", "info", 'os.stat(".git")'),),
    "info-speed": (doing("works", "info", "for _ in range(25_000_000): pass", is_process=True),),
    "unknown-subcommand": (
        fault("silent", "    if command is None:\n", "    if command is None:\n        return\n"),
        fault("says-no-word", 'raise Refusal(f"unknown subcommand: {words[0] if words else \'none\'}")', "sys.exit(2)"),
    ),
    "unknown-options": (
        doing("crashes", "detect", 'if "--a-newer-option" in options: os.abort()'),
        doing("refuses", "detect", 'if "--a-newer-option" in options: raise Refusal("no such option")', is_noted=True),
    ),
    "session-id": (
        fault("known-hooks-only", 'given_object().get("session_id") or ""',
              '(lambda asked: asked["hook_type"] != "agent-spawn" and asked["session_id"] or "")(given_object())'),
    ),
    "session-dir": (
        fault("relative", 'os.path.join(os.environ["HOME"], ".good", folder)',
              'os.path.relpath(os.path.join(os.environ["HOME"], ".good", folder))'),
        fault("no-path", 'os.path.join(os.environ["HOME"], ".good", folder)', '"/\\ud800\\0"'),
    ),
    "session": (fault("null-list", '"new_files": []', '"new_files": None'),),
    "partial-session": (fault("needs-lists", "    write(session[",
                              '    len(session["new_files"])\n    write(session['),),
    "unknown-transcript": (fault("prints-a-message", 'write(read(options["--session-ref"]))',
                                 'write(read(options["--session-ref"]) or b"no such transcript")'),),
    "broken-input": (fault("ignores-it", 'chunks = given_object()["chunks"]',
                           'data = given()\n    chunks = json.loads(data)["chunks"] if data[-1:] == b"}" else []'),),
    "chunks": (fault("too-large", 'size = int(options["--max-size"])', 'size = int(options["--max-size"]) * 2'),),
    "one-chunk": (fault("small-ones", "    parts = [", "    size = min(size, 10)\n    parts = ["),),
    "no-chunk": (fault("of-one-byte", "    if size < 1:\n", "    size = max(size, 1)\n    if size < 1:\n"),),
    "exact-chunks": (
        fault("text", "    data = given()\n    parts",
              '    data = given().replace(b"\\r\\n", b"\\n")\n    parts'),
        fault("three-at-least", "    if size < 1:\n", "    if size < 3:\n"),
    ),
    "installation-flags": (doing("no-local-dev", "install_hooks", 'if "--local-dev" in options: raise Refusal("no")'),),
    "hook-calls": (fault("no-zone", "2026-01-13T12:00:00Z", "2026-01-13T12:00:00"),),
    "empty-hook-calls": (fault("needs-json", 'given() or b"null"', "given()"),),
    "nonsense-hook-calls": (
        fault("any-session", 'not is_name(payload.get("session_id"))', 'not payload.get("session_id")'),
        fault("crashes", "    payload = json.loads(", "    sys.setrecursionlimit(10**9)\n    payload = json.loads("),
    ),
    "summary": (fault("of-nothing", '"has_summary": bool(found)',
                      '"has_summary": bool(found) or len(read(options["--session-ref"])) == 2'),),
    "preparation": (doing("wants-lines", "prepare_transcript",
                          'if read(options["--session-ref"]) == b"{}": raise Refusal("no lines")'),),
    "text": (fault("empty", "\"text\": f\"{len(given())} bytes, says {options['--model']}\"", '"text": ""'),),
    "compact": (fault("version", '"v": 1', '"v": 2'),),
    "clean-output": (
        fault("colours", "    sys.stdout.write(json.dumps(value)",
              '    sys.stdout.write("\\x1b[0m" if "FORCE_COLOR" in os.environ else "")\n'
              "    sys.stdout.write(json.dumps(value)"),
        doing("chats", "write_session", 'sys.stdout.write("saved\\n")'),
    ),
    "short-errors": (
        fault("long", "        sys.stderr.write(f",
              '        sys.stderr.write("no " * 50_000)\n        sys.stderr.write(f'),
        fault("a-traceback", "        sys.stderr.write(f", '        sys.stderr.write("\\n" * 5 + "a line\\n" * 5)\n'
              "        sys.stderr.write(f", is_noted=True),
    ),
    "no-input": (doing("needs-it", "info", "os.fstat(0)"),),
    "unread-input": (doing("reads-it", "detect", 'json.loads(given() or b"{}")'),),
    "closed-output": (fault("goes-on", "        os._exit(0)", f"        {SLEEP}"),),
    "no-process-left": (
        doing("leaves-a-child", "detect", 'os.spawnvp(os.P_NOWAIT, "sleep", ["sleep", "60"])', is_process=True),
        doing("leaves-a-daemon", "detect", 'os.system("setsid sleep 60 </dev/null >/dev/null 2>&1 &")',
              is_process=True),
    ),
    "parallel": (doing("allows-one", "write_session", "import fcntl, time",
                       'lock = open(os.path.expanduser("~/lock"), "w")',
                       "fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)", "time.sleep(0.3)"),),
    "all-or-nothing": (fault("in-place", FOLDERS, FOLDERS + "    if len(data) > 1_000_000:\n"
                             '        with open(path, "wb") as file:\n            file.write(data)\n'
                             "        return\n", is_process=True),),
    "turn-end": (
        doing("sleeps", "prepare_transcript", "__import__('time').sleep(0.4)",
              limits=Limits(hook_seconds=0.3, large_bytes=600_000, many_lines=2_000)),
    ),
    "any-folder": (doing("no-newlines", "get_session_dir",
                         'if "\\n" in options["--repo-path"]: raise Refusal("a newline")'),),
    "any-session-folder": (
        fault("ascii", "    put({\"session_file\": os.path.join(options[\"--session-dir\"]",
              '    folder = options["--session-dir"]\n    if ".good" not in folder:\n'
              '        folder = folder.encode("ascii", "replace").decode()\n'
              "    put({\"session_file\": os.path.join(folder"),
    ),
    "read-only-home": (doing("makes-folders", "get_session_dir", 'os.makedirs(os.environ["HOME"], exist_ok=True)'),),
    "other-versions": (doing("follows", "info",
                             'INFO["protocol_version"] = int(os.environ["ENTIRE_PROTOCOL_VERSION"])'),),
    "nothing-outside": (
        doing("git", "detect", 'open(".git/good-cache", "w")'),
        doing("beside", "detect", 'open("../good.log", "w")'),
        doing("readme", "write_session", 'open("README.md", "a").write("a session\\n")'),
    ),
    "large-transcript": (fault("cut", 'write(read(options["--session-ref"]))',
                               'write(read(options["--session-ref"])[:500_000])'),),
    "many-lines": (doing("tires", "get_transcript_position",
                         'if read(options["--path"]).count(b"\\n") > 1500: raise Refusal("too many lines")'),),
    "long-lines": (doing("tires", "extract_prompts",
                         'lines = read(options["--session-ref"]).split(b"\\n")',
                         'if max(map(len, lines)) > 150_000: raise Refusal("too long")'),),
    "large-chunks": (fault("cut", "    data = given()\n    parts", "    data = given()[:50_000]\n    parts"),),
    "large-hook-calls": (fault("tires", '    kind = TYPES.get(options["--hook"])\n',
                               '    kind = TYPES.get(options["--hook"])\n    if len(str(payload)) > 30_000:\n'
                               '        raise Refusal("too large")\n'),),
    "questions": (
        fault("one-lacks", 'return "a-model" if', 'raise ValueError("no model") if'),
        fault("own-only", 'question.get("stored") or question["session_ref"]', 'question["session_ref"]'),
    ),
    "many-questions": (
        fault("late", "        put(answer)\n        sys.stdout.flush()\n", "        put(answer)\n", limits=HASTY),
        fault("one-each", "        put(answer)\n        sys", "        return put(answer)\n        sys", is_noted=True),
    ),
    "bad-questions": (
        fault("gives-up", "except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as e",
              "except KeyError as e"),
    ),
    "session-file": (
        fault("backwards", 'name + ".jsonl"', 'name[::-1] + ".jsonl"'),
        fault("half-the-id", 'name + ".jsonl"', 'name[:9] + ".jsonl"', is_noted=True),
        fault("any-id", "if not is_name(name):", "if False:"),
    ),
    "shell": (
        fault("unquoted", "--resume {quoted}", "--resume {options['--session-id']}"),
    ),
    "written-transcripts": (
        doing("only-grows", "write_session", "session = given_object()",
                       'data = a2b_base64(session["native_data"] or "")',
                       "path = session['session_ref']", "return write(path, max(data, read(path), key=len))"),
        fault("no-blank-lines", 'a2b_base64(session["native_data"] or "")',
                             'a2b_base64(session["native_data"] or "").replace(b"\\n\\n", b"\\n")'),
    ),
    "installation": (
        fault("counts-always", 'if ENTRY[:-1] in text and "--force" not in options', "if False"),
        fault("leaves-a-folder", "        os.rmdir(os.path.dirname(path))\n", ""),
        doing("takes-notes", "install_hooks", 'write(os.path.expanduser("~/notes.txt"), b"installed")'),
        fault("deletes-them", OUR_ENTRY, "        os.unlink(path)"),
        fault("strips", OUR_ENTRY,
                                '        write(path, text.replace(ENTRY, "").strip().encode())'),
    ),
    "broken-configuration": (
        fault("overwrites-them", "    if text.strip() and not isinstance(json.loads(text), dict):\n",
                              '    if text.count("{") != text.count("}"):\n        text = ""\n    if False:\n'),
    ),
    "commands": (
        fault("another-hook", "entire hooks {NAME} {hook}", "entire hooks {NAME} on-{hook}"),
        fault("another-agent", "entire hooks {NAME} {hook}", "entire hooks other {hook}"),
    ),
    "answers": (
        doing("ascii", "write_hook_response", 'options["--message"].encode("ascii")'),
    ),
    "position-numbers": (
        fault("never-there", '"current_position": len(whole(data))', '"current_position": 0'),
        fault("starts-again", 'put({"position": len(whole(read(options["--path"])))})',
                                'size = len(whole(read(options["--path"])))\n'
                                '    put({"position": 1 if size > 200 else size})'),
    ),
    "beyond-the-end": (
        fault("wraps", PROMPTS, PROMPTS + " % 999"),
        fault("ignores-since", 'since = question["since"][0]', "since = 0"),
    ),
    "broken-transcripts": (
        doing("crashes", "extract_prompts",
                                 'if b"\\0" in read(options["--session-ref"]): os.abort()'),
        doing("crashes-without-one", "extract_summary",
                                  'if not os.path.exists(options["--session-ref"]): os.abort()'),
    ),
    "token-figures": (
        fault("below-zero", '"api_call_count": len(found)}', '"api_call_count": len(found) - (since > 9999)}'),
    ),
    "subagent-figures": (
        doing("needs-the-folder", "extract_all_modified_files", 'os.listdir(options["--subagents-dir"])'),
    ),
    "events": (
        fault("another-event", "(1, 2, 3, 5)", "(1, 2, 4, 5)"),
    ),
    "captured": (
        fault("the-first-answer", SUMMARY, SUMMARY.replace("-1", "0")),
    ),
    "lines": (
        fault("a-little-before", PROMPTS,
                              PROMPTS.replace('int(options["--offset"])', 'max(0, int(options["--offset"]) - 40)')),
        doing("whole-lines", "extract_prompts",
                          'if read(options["--session-ref"])[-1:] not in b"}\\n": raise Refusal("half a line")'),
    ),
    "detect": (
        fault("a-word", 'os.path.isdir(".good")}', '"no"}'),
        fault("two-values", 'put({"present"', 'put({}), put({"present"'),
        doing("hangs", "detect", SLEEP, limits=HASTY),
        doing("floods", "detect", "while True: put(INFO)"),
        doing("dies", "detect", "os.kill(os.getpid(), 15)"),
        fault("never", 'os.path.isdir(".good")}', "False}"),
    ),
    "records": (
        telling("no-end", '    put({"end": [len(lines), 0, ""]})\n', ""),
        telling("another-number", '"position": number}', '"position": number + 1}'),
        telling("no-kind", 'return {"record": "prompt", "text": text}', 'return {"text": text}'),
        telling("own-only", 'read(asked.get("stored") or asked["session_ref"])', 'read(asked["session_ref"])'),
    ),
    "records-from-anywhere": (
        telling("counts-again", '"position": number}', '"position": number - since + since % 2}'),
        telling("skips", "if number >= since else", "if number > since or not since else"),
    ),
    "records-requests": (
        telling("crashes", 'since = asked["since"][0]', 'os.abort() if not asked["since"] else None\n'
                '    since = asked["since"][0]'),
        telling("invents", 'return {"record": "a kind of its own"}', 'return {"record": "prompt", "text": "x"}'),
    ),
}  # fmt: skip
CASES = [(name, fault) for name, faults in FAULTS.items() for fault in faults]
