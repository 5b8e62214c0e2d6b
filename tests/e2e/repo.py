"""Reads with plain git commands what `entire` left in a repository; nothing of the code under test is believed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKPOINTS = "refs/heads/entire/checkpoints/v1"
MAIN_WORKTREE = "e3b0c4"  # the first digits of SHA-256 over nothing: the main worktree has no name
PROMPT_SEPARATOR = "\n\n---\n\n"

_TRAILER = re.compile(r"^Entire-Checkpoint: ([0-9a-f]{12})$", re.MULTILINE)
_POINTERS = {
    "metadata": "metadata.json",
    "transcript": "full.jsonl",
    "context": "context.md",
    "content_hash": "content_hash.txt",
    "prompt": "prompt.txt",
}


@dataclass(frozen=True, kw_only=True)
class Session:
    """One slot of a checkpoint."""

    slot: str
    metadata: dict[str, Any]
    transcript: bytes
    prompts: list[str]

    @property
    def id(self) -> str:
        """Return the agent's id of the session."""
        return str(self.metadata["session_id"])

    @property
    def start(self) -> int:
        """Return how many lines of the transcript belong to earlier checkpoints."""
        return int(self.metadata.get("checkpoint_transcript_start", 0))

    @property
    def tokens(self) -> dict[str, int]:
        """Return the five counters of the session itself, without its subagents."""
        return counters(self.metadata.get("token_usage"))

    @property
    def subagent_tokens(self) -> dict[str, int]:
        """Return the five counters of the session's subagents."""
        return counters((self.metadata.get("token_usage") or {}).get("subagent_tokens"))


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """One checkpoint as it lies on the branch."""

    id: str
    root: dict[str, Any]
    sessions: list[Session]
    files: dict[str, bytes]

    def session(self, session: str) -> Session:
        """Return the slot of a session."""
        found = [s for s in self.sessions if s.id == session]
        assert len(found) == 1, f"session {session} is in {len(found)} of {[s.id for s in self.sessions]}"
        return found[0]


def counters(usage: dict[str, Any] | None) -> dict[str, int]:
    """Return the five counters of a token usage object; an absent one counts nothing."""
    names = ("input_tokens", "cache_creation_tokens", "cache_read_tokens", "output_tokens", "api_call_count")
    return {name: int((usage or {}).get(name) or 0) for name in names}


def plus(*usages: dict[str, int]) -> dict[str, int]:
    """Add counters."""
    return {name: sum(u[name] for u in usages) for name in counters(None)}


class Repo:
    """A scratch repository and a person who works in it."""

    def __init__(self, path: Path, environment: dict[str, str]) -> None:
        """Make the repository with one commit; `environment` is the person's own."""
        self.path = path
        self.environment = environment
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self._introduce("Dana Developer", "dana@example.com")
        self.write("README.md", "# Scratch\n")
        self.commit("Start")

    @classmethod
    def clone(cls, origin: Path, path: Path, environment: dict[str, str]) -> Repo:
        """Clone a repository as another person does."""
        path.parent.mkdir(parents=True, exist_ok=True)
        command = ["git", "clone", "-q", str(origin), str(path)]
        subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60)
        found = cls.__new__(cls)
        found.path, found.environment = path, environment
        found._introduce("Robin Reviewer", "robin@example.com")
        return found

    def run(self, *command: str, cwd: Path | None = None) -> str:
        """Run a command as the person and return its output; it must succeed."""
        done = subprocess.run(
            command,
            cwd=cwd or self.path,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, (
            f"{command} ended with {done.returncode}: {done.stderr.decode()}{done.stdout.decode()}"
        )
        return done.stdout.decode(errors="surrogateescape")

    def _introduce(self, name: str, address: str) -> None:
        self.git("config", "user.name", name)
        self.git("config", "user.email", address)

    def git(self, *arguments: str) -> str:
        """Run git as the person."""
        return self.run("git", *arguments)

    def write(self, name: str, content: str) -> None:
        """Write a file as the person."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def commit(self, message: str, *paths: str) -> str:
        """Commit everything (or these paths) as the person and return the commit."""
        self.git("add", "-A", "--", *paths) if paths else self.git("add", "-A")
        self.git("commit", "-q", "-m", message, *(["--", *paths] if paths else []))
        return self.head()

    def head(self) -> str:
        """Return HEAD's commit."""
        return self.git("rev-parse", "HEAD").strip()

    def commits(self, since: str) -> list[str]:
        """Return the commits after `since`, oldest first."""
        return self.git("rev-list", "--reverse", f"{since}..HEAD").split()

    def refs(self, pattern: str = "refs/heads/entire/") -> list[str]:
        """Return the names of refs."""
        return self.git("for-each-ref", "--format=%(refname)", pattern).split()

    def message(self, commit: str) -> str:
        """Return a commit's message."""
        return self.git("log", "-1", "--format=%B", commit).rstrip("\n")

    def ids(self, commit: str) -> list[str]:
        """Return the checkpoint ids of a commit, in order."""
        return _TRAILER.findall(self.message(commit))

    def recorded_ids(self, commit: str) -> list[str]:
        """Return the checkpoint ids that are recorded for a commit that no hook saw, in order."""
        folder = f"links/commits/{commit[:2]}/"
        if not self.refs(CHECKPOINTS):
            return []
        names = self.git("ls-tree", "--name-only", CHECKPOINTS, folder).splitlines()
        found = sorted(name.removeprefix(folder) for name in names)
        return [name.split("-")[2] for name in found if name.startswith(f"{commit[2:]}-")]

    def all_ids(self, commit: str) -> list[str]:
        """Return the checkpoint ids of a commit, whichever way they are linked."""
        return [*self.ids(commit), *self.recorded_ids(commit)]

    def blobs(self, tree: str) -> dict[str, bytes]:
        """Return the files of a tree by path."""
        listed = self.git("ls-tree", "-r", "-z", tree).split("\0")[:-1]
        names = {line.split("\t", 1)[1]: line.split()[2] for line in listed}
        return {name: self._blob(digest) for name, digest in names.items()}

    def _blob(self, digest: str) -> bytes:
        command = ["git", "cat-file", "blob", digest]
        return subprocess.run(command, cwd=self.path, capture_output=True, check=True, timeout=60).stdout

    def replace(self, branch: str, files: dict[str, bytes]) -> None:
        """Commit other contents of some files on a branch that is not checked out."""
        index = {**self.environment, "GIT_INDEX_FILE": str(self.path / ".git" / "index of another branch")}
        here: dict[str, Any] = {"cwd": self.path, "env": index, "capture_output": True, "check": True, "timeout": 60}
        subprocess.run(["git", "read-tree", branch], **here)
        for name, data in files.items():
            blob = subprocess.run(["git", "hash-object", "-w", "--stdin"], input=data, **here).stdout.decode().strip()
            subprocess.run(["git", "update-index", "--cacheinfo", f"100644,{blob},{name}"], **here)
        tree = subprocess.run(["git", "write-tree"], **here).stdout.decode().strip()
        self.git("update-ref", branch, self.git("commit-tree", tree, "-p", branch, "-m", "Replace files").strip())

    def shadow(self, base: str) -> str:
        """Return the name of the shadow branch of this base in the main worktree."""
        return f"refs/heads/entire/{base[:7]}-{MAIN_WORKTREE}"

    def checkpoint_ids(self) -> list[str]:
        """Return the ids of all checkpoints on the branch."""
        if not self.refs(CHECKPOINTS):
            return []
        paths = self.git("ls-tree", "-r", "--name-only", CHECKPOINTS).splitlines()
        return sorted({"".join(p.split("/")[:2]) for p in paths if re.match(r"[0-9a-f]{2}/[0-9a-f]{10}/", p)})

    def checkpoint(self, identity: str) -> Checkpoint:
        """Read a checkpoint and hold it against the rules of its form."""
        files = self.blobs(f"{CHECKPOINTS}:{identity[:2]}/{identity[2:]}")
        root = json.loads(files["metadata.json"])
        slots = sorted({p.split("/")[0] for p in files if re.match(r"\d+/", p)}, key=int)
        assert slots == [str(n) for n in range(len(slots))], slots
        checkpoint = Checkpoint(id=identity, root=root, sessions=[_session(files, s) for s in slots], files=files)
        _check(checkpoint)
        return checkpoint

    def linked(self, commit: str) -> Checkpoint:
        """Return the one checkpoint of a commit."""
        ids = self.ids(commit)
        assert len(ids) == 1, f"{len(ids)} checkpoints in the message {self.message(commit)!r}"
        return self.checkpoint(ids[0])

    def files(self) -> dict[str, bytes]:
        """Return what lies in the worktree, without the folders of git, of ours and of the agents."""
        found = [path for path in self.path.rglob("*") if path.is_file()]
        names = {path.relative_to(self.path): path.read_bytes() for path in found}
        return {str(name): data for name, data in names.items() if not name.parts[0].startswith(".")}

    def points(self) -> list[dict[str, Any]]:
        """Return the points to go back to, newest first, as the command lists them."""
        listed: list[dict[str, Any]] = json.loads(self.run("entire", "rewind", "--list"))
        return listed

    def point(self, prompt: str, kind: str = "step") -> str:
        """Return the newest point of this kind whose prompt this is."""
        return next(str(point["id"]) for point in self.points() if (point["prompt"], point["kind"]) == (prompt, kind))

    def rewind(self, *arguments: str) -> dict[str, Any]:
        """Go back (or undo that) and return what the command says it did."""
        done: dict[str, Any] = json.loads(self.run("entire", "rewind", *arguments, "--yes", "--json"))
        assert done["undo_id"]
        return done

    def resume(self, *arguments: str) -> dict[str, Any]:
        """Resume sessions and return what the command says it did."""
        done: dict[str, Any] = json.loads(self.run("entire", "resume", *arguments, "--json"))
        return done

    def undo_points(self) -> dict[str, list[bytes]]:
        """Return what is kept for undoing rewinds: the files of each, by its id."""
        folders = sorted((self.path / ".git" / "entire" / "undo").iterdir())
        return {folder.name: [p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()] for folder in folders}

    def log_errors(self) -> list[str]:
        """Return the lines of the tool's own log that tell of a failure (its hooks never fail aloud)."""
        path = self.path / ".git" / "entire" / "logs" / "entire.log"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line for line in lines if str(json.loads(line).get("level", "")).lower() == "error"]


def _session(files: dict[str, bytes], slot: str) -> Session:
    prompts = files.get(f"{slot}/prompt.txt", b"").decode()
    return Session(
        slot=slot,
        metadata=json.loads(files[f"{slot}/metadata.json"]),
        transcript=joined(files, f"{slot}/full.jsonl"),
        prompts=prompts.split(PROMPT_SEPARATOR) if prompts else [],
    )


def joined(files: dict[str, bytes], base: str) -> bytes:
    """Join the parts of a transcript: the base file, then the numbered ones, with one newline between them."""
    numbered = sorted((int(p[len(base) + 1 :]), p) for p in files if re.fullmatch(re.escape(base) + r"\.\d{3}", p))
    assert [n for n, _ in numbered] == list(range(1, len(numbered) + 1)), numbered
    parts = [files[base]] if base in files else []
    return b"\n".join(parts + [files[path] for _, path in numbered])


def _check(checkpoint: Checkpoint) -> None:
    """Hold a checkpoint against what its own files say of each other."""
    root, sessions = checkpoint.root, checkpoint.sessions
    assert root["checkpoint_id"] == checkpoint.id
    assert root["strategy"] in ("manual-commit", "auto-commit")
    assert root["files_touched"] == sorted({f for s in sessions for f in s.metadata["files_touched"] or []})
    assert root["checkpoints_count"] == sum(s.metadata["checkpoints_count"] for s in sessions)
    assert counters(root.get("token_usage")) == plus(*(s.tokens for s in sessions))
    assert "subagent_tokens" not in (root.get("token_usage") or {})
    folder = f"/{checkpoint.id[:2]}/{checkpoint.id[2:]}"
    for number, (entry, session) in enumerate(zip(root["sessions"], sessions, strict=True)):
        assert entry == {key: f"{folder}/{number}/{name}" for key, name in _POINTERS.items()}
        assert session.metadata["checkpoint_id"] == checkpoint.id
        assert session.metadata["strategy"] == root["strategy"]
        assert session.metadata.get("branch") == root.get("branch")
        assert session.metadata.get("transcript_lines_at_start", 0) == session.start
        assert "transcript_path" not in session.metadata
        digest = hashlib.sha256(session.transcript).hexdigest()
        assert checkpoint.files[f"{session.slot}/content_hash.txt"].decode() == f"sha256:{digest}"


def person(home: Path, path: str) -> dict[str, str]:
    """Return the environment of a person whose home and PATH these are."""
    home.mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "PATH": path,
        "LANG": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_EDITOR": "false",
        "TERM": os.environ.get("TERM", "dumb"),
    }
