"""A plugin that speaks version 1 of the protocol, records its calls, and fails as it is configured.

Beside the executable: ``<name>.json``, its configuration, ``<name>.calls``, a JSON line for each call, and
``<name>.asked``, one for each question of Entire's own, which it answers as it is configured. Its transcripts are JSON
lines: ``{"prompt": TEXT}``, ``{"file": PATH}``, ``{"answer": TEXT, "in": N, "out": N}``.
"""

# mypy: ignore-errors
import os
import sys
from binascii import a2b_base64, b2a_base64

from entire.model import jsontext as json  # without what the package loads, a call takes half as long

SELF = os.path.abspath(sys.argv[0])
CONFIG = json.loads(open(SELF + ".json").read()) if os.path.exists(SELF + ".json") else {}
NAME = os.path.basename(SELF).removeprefix("entire-agent-")
EVENTS = {"session-start": 1, "prompt": 2, "stop": 3, "compact": 4, "session-end": 5}
OPTIONS = dict(zip(sys.argv[2::2], sys.argv[3::2], strict=False))
ALL = ("hooks", "transcript_analyzer", "token_calculator", "hook_response_writer")


def read(path):
    """Return the lines of a transcript, but for the last one while it is being written."""
    if not os.path.exists(path):
        return []
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    return lines if not lines or lines[-1].endswith((b"\n", b"}")) else lines[:-1]


def number(lines):
    return {"lines": len(lines), "bytes": sum(map(len, lines)), "odd": len(lines) * 7}[CONFIG.get("unit", "lines")]


def after(lines, offset):
    """Return the records after a position."""
    return [json.loads(line) for place, line in enumerate(lines) if number(lines[:place]) >= int(offset)]


def stdin_lines():
    return sys.stdin.buffer.read().splitlines(keepends=True)


def usage(records):
    answers = [record for record in records if "answer" in record]
    return {
        "input_tokens": sum(record["in"] for record in answers),
        "output_tokens": sum(record["out"] for record in answers),
        "api_call_count": len(answers),
    }


def subagent_records(folder):
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [json.loads(line) for name in names for line in read(os.path.join(folder, name))]


def session_dir():
    return os.environ.get("SESSIONS") or os.path.join(os.environ["HOME"], "sessions")


def info():
    return {
        "protocol_version": 1,
        "name": NAME,
        "type": CONFIG.get("type", "Version One"),
        "description": "a plugin for tests",
        "protected_dirs": [".one"],
        "hook_names": list(EVENTS),
        "capabilities": dict.fromkeys(CONFIG.get("capabilities", ALL), True),
    }


def parse_hook():
    given = json.loads(sys.stdin.buffer.read() or b"null")
    if given is None:
        return None
    return {"type": EVENTS[OPTIONS["--hook"]], **given}


def extract_modified_files():
    lines = read(OPTIONS["--path"])
    files = [record["file"] for record in after(lines, OPTIONS["--offset"]) if "file" in record]
    return {"files": files or None, "current_position": number(lines)}


def extract_prompts():
    records = after(read(OPTIONS["--session-ref"]), OPTIONS["--offset"])
    return {"prompts": [record["prompt"] for record in records if "prompt" in record]}


def extract_summary():
    answers = [record["answer"] for record in after(read(OPTIONS["--session-ref"]), 0) if "answer" in record]
    return {"summary": "".join(answers[-1:]), "has_summary": bool(answers)}


def extract_all_modified_files():
    records = [*after(stdin_lines(), OPTIONS["--offset"]), *subagent_records(OPTIONS["--subagents-dir"])]
    return {"files": [record["file"] for record in records if "file" in record]}


def calculate_total_tokens():
    own = usage(after(stdin_lines(), OPTIONS["--offset"]))
    return {**own, "subagent_tokens": usage(subagent_records(OPTIONS["--subagents-dir"]))}


def write_session():
    given = json.loads(sys.stdin.buffer.read())
    path = os.path.join(session_dir(), given["session_id"] + ".jsonl")
    data = a2b_base64(given["native_data"] or "")
    os.makedirs(session_dir(), exist_ok=True)
    with open(path + ".new", "wb") as file:
        file.write(data)
    os.replace(path + ".new", path)


def read_session():
    given = json.loads(sys.stdin.buffer.read())
    return {**CONFIG.get("session", {}), "session_id": given["session_id"], "modified_files": None}


def read_transcript():
    with open(OPTIONS["--session-ref"], "rb") as file:
        sys.stdout.buffer.write(file.read())


def chunk_transcript():
    data, size = sys.stdin.buffer.read(), int(OPTIONS["--max-size"])
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    return {"chunks": [b2a_base64(chunk, newline=False).decode() for chunk in chunks]}


def reassemble_transcript():
    chunks = json.loads(sys.stdin.buffer.read())["chunks"]
    sys.stdout.buffer.write(CONFIG.get("glue", "").encode().join(map(a2b_base64, chunks)))


def install_hooks():
    is_new = not os.path.exists(SELF + ".installed")
    open(SELF + ".installed", "w").close()
    return {"hooks_installed": len(EVENTS) if is_new or "--force" in sys.argv else 0}


def uninstall_hooks():
    if os.path.exists(SELF + ".installed"):
        os.remove(SELF + ".installed")


def format_resume_command():
    import shlex  # takes as long to load as all of the rest

    return {"command": f"one --resume {shlex.quote(OPTIONS['--session-id'])}"}


def compact_transcript():
    lines = [
        {"type": "user", "content": [{"text": record["prompt"]}]}
        if "prompt" in record
        else {"type": "assistant", "content": [{"type": "text", "text": record.get("answer", record.get("file"))}]}
        for record in after(read(OPTIONS["--session-ref"]), 0)
    ]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    return {"transcript": b2a_base64(data, newline=False).decode()}


def ask():
    """Answer questions as configured: ``asked`` has an answer for each, and an exception for those it lacks."""
    for line in sys.stdin:
        question = json.loads(line)
        if question.get("stored"):
            question["content"] = open(question["stored"]).read()
        with open(SELF + ".asked", "a") as record:
            record.write(json.dumps(question) + "\n")
        asked = CONFIG.get("asked", {})
        known = {"answer": asked[question["ask"]]} if question["ask"] in asked else {"error": "it is not known"}
        print(json.dumps(known), flush=True)


def tell():
    """Tell records as configured: ``told`` has the lines, of which a text is printed as it is."""
    since = json.loads(sys.stdin.buffer.read())["since"][0]
    for line in CONFIG["told"]:
        if not isinstance(line, dict) or line.get("position", since) >= since or line["position"] < 0:
            print(line if isinstance(line, str) else json.dumps(line))


COMMANDS = {
    "info": info,
    "detect": lambda: {"present": os.path.isdir(".one")},
    "parse-hook": parse_hook,
    "get-session-id": lambda: {"session_id": json.loads(sys.stdin.buffer.read())["raw_data"].get("conversation", "")},
    "get-session-dir": lambda: {"session_dir": session_dir()},
    "resolve-session-file": lambda: {
        "session_file": os.path.join(OPTIONS["--session-dir"], OPTIONS["--session-id"] + ".jsonl")
    },
    "read-session": read_session,
    "write-session": write_session,
    "read-transcript": read_transcript,
    "chunk-transcript": chunk_transcript,
    "reassemble-transcript": reassemble_transcript,
    "format-resume-command": format_resume_command,
    "get-transcript-position": lambda: {"position": number(read(OPTIONS["--path"]))},
    "extract-modified-files": extract_modified_files,
    "extract-prompts": extract_prompts,
    "extract-summary": extract_summary,
    "prepare-transcript": lambda: None,
    "calculate-tokens": lambda: usage(after(stdin_lines(), OPTIONS["--offset"])),
    "extract-all-modified-files": extract_all_modified_files,
    "calculate-total-tokens": calculate_total_tokens,
    "install-hooks": install_hooks,
    "uninstall-hooks": uninstall_hooks,
    "are-hooks-installed": lambda: {"installed": os.path.exists(SELF + ".installed")},
    "write-hook-response": lambda: {"message": OPTIONS["--message"]},
    "generate-text": lambda: {"text": sys.stdin.read().upper()},
    "compact-transcript": compact_transcript,
    "entire-ask": ask,
    "entire-records": tell,
}
SILENT = (
    "write-session",
    "read-transcript",
    "reassemble-transcript",
    "prepare-transcript",
    "uninstall-hooks",
    "entire-ask",
    "entire-records",
)

command = sys.argv[1]
with open(SELF + ".calls", "a") as record:
    record.write(json.dumps(sys.argv[1:]) + "\n")
if command in CONFIG.get("fails", ()):
    sys.exit(f"{command} does not work today")
if command in CONFIG.get("answers", {}):
    print(json.dumps(CONFIG["answers"][command]))
    sys.exit()
answer = COMMANDS[command]()
if command not in SILENT:
    print(json.dumps(answer))
