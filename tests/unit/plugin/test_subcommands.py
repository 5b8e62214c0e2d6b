"""Every subcommand of version 1, as a plugin made with the kit answers it."""

from __future__ import annotations

import base64
import json
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents.claude_code.agent import ClaudeCode
from entire.agents.demo import payloads
from entire.agents.demo.agent import Demo
from entire.agents.opaque import OpaqueTranscript
from entire.errors import EntireError
from entire.model.effects import Delete, PutBack, Run, Write
from entire.model.events import Event
from entire.plugin import chunks
from tests.unit.plugin.conftest import Tool

if TYPE_CHECKING:
    from entire.model.transcripts import Content

FIXTURES = Path(__file__).parents[2] / "fixtures"
DEMO = FIXTURES / "demo" / "a-session.jsonl"
HELPERS = FIXTURES / "demo" / "a-session" / "helpers"
CLAUDE = FIXTURES / "claude_code" / "transcripts" / "interactive-long"


class Least:
    """An agent with nothing but what the contract demands."""

    name = "least"
    type = "Least"
    hook_names: tuple[str, ...] = ()
    capabilities: frozenset[str] = frozenset()

    def __init__(self, *, metadata: dict[str, str] = {}) -> None:  # noqa: B006
        self.metadata = metadata

    def detect(self, root: str) -> bool:
        return False

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        return None

    def transcript(self, session_ref: str, stored: bytes | None = None) -> OpaqueTranscript:
        return OpaqueTranscript(session_ref, stored)

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        return [transcript]

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        return b"".join(chunks)


class Talkative(Least):
    """Also has what is only called by some capability."""

    name = "talkative"
    capabilities = frozenset({"text_generator", "transcript_preparer"})
    description = "Talks"
    is_preview = True
    protected_dirs = (".talk",)
    caller_env_vars = ("TALKING",)
    spoken_name = "talky"
    waited: list[str] = []

    def generate_text(self, prompt: str, model: str) -> str:
        return f"{model}: {prompt}"

    def prepare_transcript(self, event: Event, since: object) -> None:
        self.waited.append(event.session_ref)


class Failing(Least):
    def detect(self, root: str) -> bool:
        raise EntireError("it is\nbroken", hint="mend it")

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        raise RuntimeError("a\nbug")


@pytest.mark.parametrize("subcommand", ["get-session-id", "read-session", "write-session", "reassemble-transcript"])
@pytest.mark.parametrize("stdin", [b"", b"not json", b"[]", b"null", b"\xff", b"{" * 100_000, b'{"a": 1} 2'])
def test_invalid_json_fails(tool: Tool, subcommand: str, stdin: bytes) -> None:
    told = tool(subcommand, stdin=stdin)
    assert (told.status, told.out) == (1, b"")
    assert told.err.count("\n") == 1


def test_failures_of_the_adapter_are_a_line(tool: Tool) -> None:
    tool.agent = Failing  # type: ignore[assignment]
    detected, parsed = tool("detect"), tool("parse-hook", "--hook", "stop")
    assert detected.err.endswith(": it is broken; mend it\n")
    assert parsed.err.endswith(": RuntimeError: a bug\n")
    assert (detected.status, parsed.status, detected.out + parsed.out) == (1, 1, b"")


def test_detect(tool: Tool, root: Path) -> None:
    assert tool("detect").json == {"present": False}
    (root / ".demo-agent").mkdir()
    assert tool("detect").json == {"present": True}


def test_hooks(tool: Tool, root: Path) -> None:
    installed = root / ".demo-agent" / "settings.json"
    assert tool("are-hooks-installed").json == {"installed": False}
    assert tool("install-hooks", "--local-dev").json == {"hooks_installed": 7}
    assert tool("are-hooks-installed").json == {"installed": True}
    assert tool("install-hooks").json == {"hooks_installed": 0}
    assert tool("install-hooks", "--force").json == {"hooks_installed": 7}
    assert tool("uninstall-hooks").out == b""
    assert not installed.exists()
    installed.parent.mkdir(exist_ok=True)
    installed.write_text("{broken")
    assert tool("are-hooks-installed").status == 1  # unknown, not "no"
    told = tool("install-hooks")
    assert (told.status, installed.read_text()) == (1, "{broken")


@pytest.mark.parametrize("verb", payloads.hook_names)
def test_parse_hook(tool: Tool, verb: str) -> None:
    assert tool("parse-hook", "--hook", verb).out == b"null\n"
    told = tool(
        "parse-hook", "--hook", verb, stdin=json.dumps({"hook_type": "stop", "session_id": "s", "prompt_id": "t"})
    )
    assert told.json["session_id"] == "s"
    assert told.json["type"] in range(1, 8)
    assert told.json["timestamp"].endswith("Z")
    assert told.json["entire"]["turn_ref"] == "t"


def test_parse_hook_of_nonsense(tool: Tool) -> None:
    assert tool("parse-hook", "--hook", "fly", stdin='{"session_id": "s"}').json is None
    assert tool("parse-hook", "--hook", "turn-end", stdin=b"\xff\0").json is None


def test_sessions_are_found(tool: Tool, root: Path) -> None:
    folder = tool("get-session-dir", "--repo-path", str(root)).json["session_dir"]
    assert folder == Demo().session_dir(str(root))
    file = tool("resolve-session-file", "--session-dir", folder, "--session-id", "an id").json["session_file"]
    assert file == f"{folder}/an id.jsonl"
    assert tool("resolve-session-file", "--session-dir", folder, "--session-id", "../x").json == {"session_file": ""}
    assert tool("format-resume-command", "--session-id", "a b").json == {
        "command": f"{shlex.quote(sys.executable)} -P -m entire_demo_agent --resume 'a b'"
    }
    assert tool("get-session-id", stdin='{"hook_type": "agent-spawn", "session_id": "s"}').json == {"session_id": "s"}
    assert tool("get-session-id", stdin='{"session_id": null}').json == {"session_id": ""}


def test_a_transcript_is_analyzed(tool: Tool) -> None:
    path = str(DEMO)
    count = len(DEMO.read_bytes().splitlines())
    prompts = tool("extract-prompts", "--session-ref", path, "--offset", "0").json["prompts"]
    assert tool("read-transcript", "--session-ref", path).out == DEMO.read_bytes()
    assert tool("get-transcript-position", "--path", path).json == {"position": count}
    assert tool("extract-modified-files", "--path", path, "--offset", "0").json == {
        "files": ["/home/dev/project/a.txt"],
        "current_position": count,
    }
    assert prompts[0].startswith("create a.txt")
    assert len(prompts) == 3
    assert tool("extract-prompts", "--session-ref", path, "--offset", "4").json == {"prompts": prompts[1:]}
    assert tool("extract-summary", "--session-ref", path).json["has_summary"] is True
    assert tool("calculate-tokens", "--offset", "0", stdin=DEMO.read_bytes()).json == {
        "input_tokens": 66,
        "cache_creation_tokens": 85,
        "cache_read_tokens": 772,
        "output_tokens": 87,
        "api_call_count": 10,
    }


@pytest.mark.parametrize("content", [None, b"", b"{}", b"\xff\0"])
def test_a_transcript_without_records(tool: Tool, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "s.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert tool("read-transcript", "--session-ref", str(path)).out == (content or b"")
    assert tool("get-transcript-position", "--path", str(path)).json["position"] >= 0
    for offset in ("0", "999"):
        told = tool("extract-modified-files", "--path", str(path), "--offset", offset).json
        assert told["files"] == []
        assert told["current_position"] >= 0
        assert tool("extract-prompts", "--session-ref", str(path), "--offset", offset).json == {"prompts": []}
        tokens = tool("calculate-tokens", "--offset", offset, stdin=content or b"").json
        assert set(tokens.values()) == {0}
        folder = ("--offset", offset, "--subagents-dir", "")
        assert tool("extract-all-modified-files", *folder, stdin=content or b"").json == {"files": []}
        assert tool("calculate-total-tokens", *folder, stdin=content or b"").json == tokens
    assert tool("extract-summary", "--session-ref", str(path)).json == {"summary": "", "has_summary": False}


def test_a_missing_transcript_has_position_0(tool: Tool, tmp_path: Path) -> None:
    assert tool("get-transcript-position", "--path", str(tmp_path / "none")).json == {"position": 0}


def test_subagents_are_counted(tool: Tool) -> None:
    told = tool(
        "calculate-total-tokens", "--offset", "0", "--subagents-dir", str(HELPERS), stdin=DEMO.read_bytes()
    ).json
    alone = tool("calculate-tokens", "--offset", "0", stdin=DEMO.read_bytes()).json
    assert {key: value for key, value in told.items() if key != "subagent_tokens"} == alone
    assert told["subagent_tokens"]["output_tokens"] > 0
    tool.agent = ClaudeCode
    (session,) = CLAUDE.glob("*.jsonl")
    folder = str(session.with_suffix("") / "subagents")
    words = ("--offset", "0", "--subagents-dir", folder)
    everything = tool("extract-all-modified-files", *words, stdin=session.read_bytes()).json["files"]
    own = tool("extract-modified-files", "--path", str(session), "--offset", "0").json["files"]
    assert set(own) < set(everything)
    assert tool("calculate-total-tokens", *words, stdin=session.read_bytes()).json["subagent_tokens"]["api_call_count"]


def test_the_rest(tool: Tool) -> None:
    assert json.loads(tool("write-hook-response", "--message", 'a "ü"\n').out) == {"message": 'a "ü"\n'}
    tool.agent = Talkative  # type: ignore[assignment]
    assert tool("generate-text", "--model", "m", stdin="hi").json == {"text": "m: hi"}
    assert tool("prepare-transcript", "--session-ref", "/a b").out == b""
    assert Talkative.waited == ["/a b"]


# ---------------------------------------------------------------- chunks


def test_chunks_of_text_that_is_not_json(tool: Tool) -> None:
    text = b"a line of text\n" * 300
    told = tool("chunk-transcript", "--max-size", "512", stdin=text)
    assert len(told.chunks) >= 2
    assert max(map(len, told.chunks)) <= 512
    assert tool("reassemble-transcript", stdin=told.out).out == text
    assert tool("chunk-transcript", "--max-size", str(1 << 20), stdin=text).chunks == [text]


@given(
    st.binary(max_size=300) | st.text("a\n\0{}", max_size=300).map(str.encode),
    st.integers(1, 100),
)
@pytest.mark.parametrize("agent", [Demo(), Least()])
def test_chunks_give_the_same_bytes_again(agent: Any, transcript: bytes, size: int) -> None:
    parts = chunks.split(agent, transcript, size)
    assert max(map(len, parts)) <= size
    assert chunks.join(agent, parts) == transcript


def test_chunks_of_lines_are_the_agents_own(tool: Tool) -> None:
    told = tool("chunk-transcript", "--max-size", "4000", stdin=DEMO.read_bytes())
    assert told.chunks == Demo().chunk_transcript(DEMO.read_bytes(), 4000)
    assert all(json.loads(line) for chunk in told.chunks for line in chunk.splitlines())


@pytest.mark.parametrize("given", [{}, {"chunks": None}, {"chunks": []}])
def test_no_chunks_are_no_transcript(tool: Tool, given: Any) -> None:
    assert tool("reassemble-transcript", stdin=json.dumps(given)).out == b""


@pytest.mark.parametrize("given", [{"chunks": "YQ=="}, {"chunks": ["?"]}, {"chunks": [5]}, {"chunks": {}}])
def test_chunks_that_are_none_fail(tool: Tool, given: Any) -> None:
    told = tool("reassemble-transcript", stdin=json.dumps(given))
    assert (told.status, told.out) == (1, b"")


# ---------------------------------------------------------------- sessions as a whole


def record(root: Path, content: bytes, **more: object) -> dict[str, Any]:
    return {
        "session_id": "s",
        "agent_name": "demo",
        "repo_path": str(root),
        "session_ref": str(root / "sessions" / "s.jsonl"),
        "start_time": "2026-01-13T12:00:00Z",
        "native_data": base64.b64encode(content).decode(),
        "modified_files": ["a"],
        "new_files": None,
        "deleted_files": [],
        **more,
    }


def hook_input(given: dict[str, Any]) -> str:
    return json.dumps({"hook_type": "stop", "session_id": given["session_id"], "session_ref": given["session_ref"]})


@pytest.mark.parametrize("agent", [Demo, Least, ClaudeCode])
def test_a_session_is_written_and_read(tool: Tool, root: Path, agent: Any) -> None:
    tool.agent = agent
    given = record(root, DEMO.read_bytes(), agent_name=agent.name)
    assert tool("write-session", stdin=json.dumps(given)).out == b""
    assert Path(given["session_ref"]).read_bytes() == DEMO.read_bytes()
    told = tool("read-session", stdin=hook_input(given)).json
    same = ("session_id", "agent_name", "repo_path", "session_ref", "native_data")
    assert {key: told[key] for key in same} == {key: given[key] for key in same}
    assert [type(told[key]) for key in ("modified_files", "new_files", "deleted_files")] == [list] * 3


def test_a_thought_whose_signature_the_host_redacted_is_not_written(tool: Tool, root: Path) -> None:
    given = record(root, b'{"content":[{"type":"thinking","thinking":"hm","signature":"REDACTED"}]}\n')
    tool("write-session", stdin=json.dumps(given))
    assert Path(given["session_ref"]).read_bytes() == b'{"content":[]}\n'


def test_a_session_is_read_by_its_id(tool: Tool, root: Path) -> None:
    ref = Demo().resolve_session_file(Demo().session_dir(str(root)), "s")
    given = record(root, DEMO.read_bytes(), session_ref="")
    assert tool("write-session", stdin=json.dumps(given)).status == 0
    told = tool("read-session", stdin=json.dumps({"session_id": "s"})).json
    assert (told["session_ref"], Path(ref).read_bytes()) == (ref, DEMO.read_bytes())
    assert told["modified_files"] == ["/home/dev/project/a.txt"]
    assert told["start_time"].endswith("Z")


def test_a_written_record_is_read_as_what_it_records(tool: Tool, root: Path) -> None:
    given = record(root, b"content", new_files=["n"])
    Path(given["session_ref"]).parent.mkdir()
    Path(given["session_ref"]).write_text(json.dumps(given))
    assert tool("read-session", stdin=hook_input(given)).json == given


def test_a_session_that_is_not_there(tool: Tool, root: Path) -> None:
    told = tool("read-session", stdin=hook_input(record(root, b""))).json
    assert (told["native_data"], told["start_time"], told["modified_files"]) == (None, "", [])


def test_nothing_to_write_changes_nothing_and_empty_content_removes(tool: Tool, root: Path) -> None:
    given = record(root, b"text\n")
    tool("write-session", stdin=json.dumps(given))
    assert tool("write-session", stdin=json.dumps({**given, "native_data": None})).status == 0
    assert Path(given["session_ref"]).read_bytes() == b"text\n"
    assert tool("write-session", stdin=json.dumps({**given, "native_data": ""})).status == 0
    assert not Path(given["session_ref"]).exists()


@pytest.mark.parametrize("wrong", [{"native_data": "?"}, {"native_data": 5}, {"session_ref": "s", "session_id": ""}])
def test_a_session_that_cannot_be_written(tool: Tool, root: Path, wrong: dict[str, Any]) -> None:
    given = record(root, b"old\n")
    tool("write-session", stdin=json.dumps(given))
    told = tool("write-session", stdin=json.dumps({**given, **wrong}))
    assert (told.status, told.err.count("\n")) == (1, 1)
    assert Path(given["session_ref"]).read_bytes() == b"old\n"


def test_a_plan_that_fails_half_way_is_taken_back(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files come first; then a command fails."""
    known, new = root / "known", root / "new"

    class Failing(Demo):
        def put_back(self, session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:
            failing = Run(argv=("false",), undo_argv=("true",))
            return PutBack(effects=(failing, Write(path=str(new), data=transcript), Delete(path=str(known))))

    known.write_bytes(b"old\n")
    told = Tool(root, monkeypatch, Failing)("write-session", stdin=json.dumps(record(root, b"data\n")))
    assert (told.status, "false failed: exit status 1" in told.err) == (1, True)
    assert (known.read_bytes(), new.exists()) == (b"old\n", False)


def test_a_session_in_a_read_only_folder(tool: Tool, root: Path) -> None:
    given = record(root, b"old\n")
    folder = Path(given["session_ref"]).parent
    folder.mkdir()
    folder.chmod(0o500)
    if os.access(folder, os.W_OK):
        pytest.skip("this user may write anywhere")
    assert tool("write-session", stdin=json.dumps(given)).status == 1
