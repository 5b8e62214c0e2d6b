"""Checkpoints of Codex, Copilot CLI and Pi as later versions of the Go CLI store them (formats.md, sections 2, 11): the
agent's own file and records without anything of ours. They are read, and resumed on a machine that has only the
repository.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.agents.codex import oracle as codex
from tests.agents.copilot import oracle as copilot
from tests.agents.opencode import oracle as opencode
from tests.agents.pi import oracle as pi
from tests.integration.commandline import Repo
from tests.rigs.opencode import RIG as OPENCODE

BRANCH = "entire/checkpoints/v1"
ID = "a1b2c3d4e5f6"


class Stored:
    """What the Go CLI stored of a captured session, and where its agent looks for it."""

    def __init__(self, agent: str, session_id: str, file: Path, home: str, command: str, prompts: list[str]) -> None:
        self.agent, self.session_id, self.home, self.command, self.prompts = agent, session_id, home, command, prompts
        self.transcript = file.read_bytes()

    def files(self, transcript: bytes) -> dict[str, bytes]:
        slot = f"{ID[:2]}/{ID[2:]}/0"
        names = {"metadata": "metadata.json", "transcript": "full.jsonl", "content_hash": "content_hash.txt",
                 "prompt": "prompt.txt"}  # fmt: skip
        tokens = {"input_tokens": 1, "cache_creation_tokens": 0, "cache_read_tokens": 0, "output_tokens": 2,
                  "api_call_count": 1}  # fmt: skip
        shared = {"cli_version": "0.10.0", "checkpoint_id": ID}
        root = {**shared, "strategy": "manual-commit", "branch": "main", "checkpoints_count": 1,
                "files_touched": ["a.txt"], "sessions": [{key: f"/{slot}/{name}" for key, name in names.items()}],
                "token_usage": tokens}  # fmt: skip
        own = {**shared, "session_id": self.session_id, "strategy": "manual-commit",
               "created_at": "2026-09-01T10:00:00Z", "branch": "main", "checkpoints_count": 1,
               "files_touched": ["a.txt"], "agent": self.agent, "token_usage": tokens}  # fmt: skip
        return {
            f"{ID[:2]}/{ID[2:]}/metadata.json": _text(root),
            f"{slot}/metadata.json": _text(own),
            f"{slot}/full.jsonl": transcript,
            f"{slot}/content_hash.txt": f"sha256:{hashlib.sha256(transcript).hexdigest()}".encode(),
            f"{slot}/prompt.txt": "\n\n---\n\n".join(self.prompts).encode(),
        }


def _text(value: dict[str, Any]) -> bytes:
    return json.dumps(value, indent=2).encode()


def of_codex(name: str) -> Stored:
    return Stored("Codex", codex.id_of(name), codex.path_of(name), "CODEX_HOME", "codex resume ", codex.PROMPTS[name])


def of_copilot(name: str) -> Stored:
    prompts = [text for _, text in copilot.PROMPTS[name]]
    file = copilot.path_of(name)
    return Stored("Copilot CLI", copilot.IDS[name], file, "COPILOT_HOME", "copilot --resume=", prompts)


ALL = {
    **{f"codex-{name}": of_codex(name) for name in (codex.OLDER, codex.NEWER, codex.SCRIPTED, codex.MIXED)},
    **{f"copilot-{name}": of_copilot(name) for name in (copilot.FIRST, copilot.DELEGATED)},
}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    top = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True)
    monkeypatch.chdir(top)
    repo = Repo(top, capsys)
    Path("a.txt").write_text("a\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", f"Add a\n\nEntire-Checkpoint: {ID}")
    return repo


def store(repo: Repo, files: dict[str, bytes]) -> None:
    """Write a checkpoints branch that holds nothing but these files."""
    index = {"GIT_INDEX_FILE": str(repo.top / ".git" / "go-index")}
    for path, data in files.items():
        blob = _git(repo, "hash-object", "-w", "--stdin", given=data)
        _git(repo, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=index)
    tree = _git(repo, "write-tree", env=index)
    _git(repo, "update-ref", f"refs/heads/{BRANCH}", _git(repo, "commit-tree", tree, "-m", f"Checkpoint: {ID}"))


def _git(repo: Repo, *args: str, given: bytes = b"", env: dict[str, str] | None = None) -> str:
    done = subprocess.run(["git", *args], cwd=repo.top, input=given, capture_output=True, check=True,
                          env={**os.environ, **(env or {})})  # fmt: skip
    return done.stdout.decode().strip()


@pytest.mark.parametrize("ending", [b"\n", b""], ids=["newline", "none"])
@pytest.mark.parametrize("name", ALL)
def test_what_a_later_go_cli_stored_is_read_and_resumed(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, ending: bytes
) -> None:
    stored = ALL[name]
    monkeypatch.setenv(stored.home, str(tmp_path / "home"))
    transcript = stored.transcript.rstrip(b"\n") + ending
    store(repo, stored.files(transcript))

    (checkpoint,) = repo.json("show", ID)["checkpoints"]
    (part,) = checkpoint["parts"]
    assert (part["session_id"], part["agent"], checkpoint["problems"]) == (stored.session_id, stored.agent, [])
    assert [prompt["text"] for prompt in part["prompts"]] == stored.prompts
    assert part["prompts"][0]["position"] > 0, "read from the transcript"
    assert repo.ok("explain", "--checkpoint", ID, "--raw-transcript").encode() == transcript

    (resumed,) = repo.json("resume")["sessions"]
    assert (resumed["what"], resumed["command"]) == ("written", f"{stored.command}{stored.session_id}")
    path = Path(resumed["path"])
    assert path.is_relative_to(tmp_path / "home")
    assert path.read_bytes() == transcript
    repo.ok("resume", "--undo")
    assert not path.exists()


@pytest.mark.parametrize("name", [pi.ORIGIN, pi.TREE, "old-01-print"])
def test_a_session_of_pi_goes_on_in_this_worktree(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Its first line names the folder; all others stay as they are stored."""
    told = pi.load(name)[0]
    stored = Stored("Pi", told["id"], pi.path_of(name), "PI_CODING_AGENT_DIR", "pi --session ", pi.PROMPTS[name])
    monkeypatch.setenv(stored.home, str(tmp_path / "home"))
    store(repo, stored.files(stored.transcript.rstrip(b"\n")))
    (part,) = repo.json("show", ID)["checkpoints"][0]["parts"]
    assert [prompt["text"] for prompt in part["prompts"]] == stored.prompts
    (resumed,) = repo.json("resume")["sessions"]
    assert (resumed["what"], resumed["command"]) == ("written", f"{stored.command}{stored.session_id}")
    head, rest = Path(resumed["path"]).read_bytes().split(b"\n", 1)
    assert json.loads(head) == {**told, "cwd": str(repo.top.resolve())}
    assert rest == stored.transcript.split(b"\n", 1)[1]
    assert repo.json("resume")["sessions"][0]["what"] == "unchanged"


@pytest.mark.parametrize("name", [codex.FORK, codex.REVERTED])
def test_a_part_of_a_session_resumes_without_the_file_that_it_continues(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Codex keeps a fork, and what follows a prompt that was taken back, in a file that holds only what is new; that
    CLI stores no other. Where the rest is not here, Codex would refuse it.
    """
    stored = of_codex(name)
    home = tmp_path / "home"
    monkeypatch.setenv(stored.home, str(home))
    first, rest = stored.transcript.split(b"\n", 1)
    told = json.loads(first)["payload"]
    store(repo, stored.files(stored.transcript))
    (resumed,) = repo.json("resume")["sessions"]
    head, kept = Path(resumed["path"]).read_bytes().split(b"\n", 1)
    assert kept == rest
    of_base = {"forked_from_id", "forked_from_ordinal_exclusive", "history_base"}
    assert json.loads(head)["payload"] == {key: value for key, value in told.items() if key not in of_base}

    if name == codex.FORK:  # a file of another session
        repo.ok("resume", "--undo")
        base = codex.path_of(codex.BASES[name][0])
        there = home / base.relative_to(codex.SESSIONS.parent)
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_bytes(base.read_bytes())
        (resumed,) = repo.json("resume")["sessions"]
        assert Path(resumed["path"]).read_bytes() == stored.transcript


@pytest.mark.parametrize("name", ["turn2-same-session", "subagent-parent", "compacted-manual"])
def test_an_export_of_opencode_is_read_and_imported(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """That CLI stores what `opencode export` prints, one document; here it becomes rows again."""
    session_id, transcript = opencode.load(name)["info"]["id"], opencode.path_of(name).read_bytes()
    stored = Stored("OpenCode", session_id, opencode.path_of(name), "", "", opencode.PROMPTS[name])
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PATH", os.environ["PATH"])
    agent = OPENCODE.adapter()
    store(repo, stored.files(transcript))
    (checkpoint,) = repo.json("show", ID)["checkpoints"]
    assert [prompt["text"] for prompt in checkpoint["parts"][0]["prompts"]] == [
        prompt.strip() for prompt in stored.prompts
    ]
    assert repo.ok("explain", "--checkpoint", ID, "--raw-transcript").encode() == transcript

    (resumed,) = repo.json("resume")["sessions"]
    assert (resumed["what"], resumed["command"]) == ("written", f"opencode -s {session_id}")
    assert resumed["path"] == f"rows:{tmp_path}/data/opencode/opencode.db#{session_id}"
    restored = [json.loads(line) for line in agent.transcript(resumed["path"]).snapshot().splitlines()]
    assert restored[1:] == opencode.load(name)["messages"]
    repo.ok("resume", "--undo")
    assert agent.transcript(resumed["path"]).snapshot() == b""
