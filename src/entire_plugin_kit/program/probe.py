"""What one check works with: the plugin, and a HOME, a temporary folder and a repository that no other check uses."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import entire
from entire.plugin.host import protocol
from entire_plugin_kit.answer import Answer, Call
from entire_plugin_kit.fixtures import Fixtures
from entire_plugin_kit.program import call
from entire_plugin_kit.promise import Failed, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_INHERITED = (
    "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SSL_CERT_FILE", "VIRTUAL_ENV", "PYTHONPATH", "NODE_PATH",
    "PYENV_ROOT", "PYENV_VERSION", "NVM_DIR", "VOLTA_HOME", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "RBENV_ROOT",
    "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME",
)  # fmt: skip
"""What a program needs to be found and to start; nothing personal, and nothing of an agent that runs the check."""
SESSION = "check-0a1b2c3d"
SAMPLE = b'{"role": "user", "text": "a line"}\n{"role": "agent", "text": "another one"}\n'


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a plugin may take; the host's own limits, but in tests of the checks."""

    call_seconds: float = protocol.CALL_SECONDS
    hook_seconds: float = protocol.HOOK_SECONDS
    large_bytes: int = 60_000_000
    many_lines: int = 200_000


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """The plugin to be checked, and what its ``info`` says; {} if that could not be read."""

    path: str
    name: str
    info: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""

    @property
    def capabilities(self) -> frozenset[str]:
        declared = self.info.get("capabilities")
        return (
            frozenset(name for name, value in declared.items() if value is True)
            if isinstance(declared, dict)
            else frozenset()
        )

    @property
    def hook_names(self) -> tuple[str, ...]:
        names = self.info.get("hook_names")
        return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


class Probe:
    """One check's own surroundings; calls the plugin in them and judges what it answers.

    ``base`` holds everything: ``home``, ``tmp``, ``repo``, and ``outside``, in which nothing may be written.
    """

    def __init__(
        self,
        plugin: Plugin,
        base: Path,
        *,
        limits: Limits,
        fixtures: Fixtures | None = None,
        repo: str = "repo",
        home: str = "home",
    ) -> None:
        self.plugin = plugin
        self.base = base
        self.limits = limits
        self._fixtures = fixtures
        self.home, self.tmp, self.top = base / home, base / "tmp", base / repo
        self.notes: list[str] = []
        self.answers: list[Answer] = []
        self._is_plain: bool | None = None
        self._refs: dict[str, str] = {}
        for folder in (self.home, self.tmp, base / "outside"):
            folder.mkdir(parents=True)
        self.make_repository(self.top)
        self.env = self.environment()

    # ------------------------------------------------------------ surroundings

    def environment(self) -> dict[str, str]:
        """Return the environment of a call: what the host sets, and nothing of the person who runs the check."""
        home = str(self.home)
        return {name: os.environ[name] for name in _INHERITED if name in os.environ} | {
            "HOME": home, "TMPDIR": str(self.tmp), "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_DATA_HOME": f"{home}/.local/share", "XDG_STATE_HOME": f"{home}/.local/state",
            "XDG_CACHE_HOME": f"{home}/.cache", "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": f"{home}/.gitconfig", "GIT_TERMINAL_PROMPT": "0",
            "ENTIRE_REPO_ROOT": str(self.top), "ENTIRE_PROTOCOL_VERSION": str(protocol.VERSION),
            "ENTIRE_CLI_VERSION": entire.__version__,
        }  # fmt: skip

    def make_repository(self, top: Path) -> None:
        """Make a git repository with one file, committed."""
        top.mkdir(parents=True)
        env = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"}
        person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgSign=false")
        (top / "README.md").write_text("start\n")
        for words in (
            ("init", "-q", "--template=", "-b", "main"),
            ("add", "-A"),
            (*person, "commit", "-q", "-m", "Start"),
        ):
            done = subprocess.run(["git", *words], env=env, cwd=top, timeout=60, capture_output=True)
            if done.returncode:
                raise Skipped(f"git failed: {done.stderr.decode(errors='replace').strip()}")

    def another(self, name: str, *, repo: str = "repo", home: str = "home") -> Probe:
        """Return a probe with further surroundings of its own, whose calls count for this check."""
        other = Probe(self.plugin, self.base / name, limits=self.limits, fixtures=self._fixtures, repo=repo, home=home)
        other.notes, other.answers = self.notes, self.answers
        return other

    @property
    def fixtures(self) -> Fixtures:
        """The fixtures; empty ones, if there are none."""
        return self._fixtures or Fixtures()

    def captured(self) -> Iterator[bytes]:
        """Yield the transcripts of the fixtures."""
        yield from (case.data for case in self.fixtures.transcripts)

    def note(self, remark: str) -> None:
        """Remember a remark: it is reported, and the check passes."""
        if remark not in self.notes:
            self.notes.append(remark)

    # ------------------------------------------------------------ calls

    def request(self, *words: str, stdin: bytes | None = b"", **how: Any) -> Call:
        """Return a call of the plugin in these surroundings; ``env`` is added to the environment."""
        env = {**self.env, **how.pop("env", {})}
        how = {"folder": str(self.top), "seconds": self.limits.call_seconds, **how}
        return Call(path=self.plugin.path, words=words, env=env, stdin=stdin, **how)

    def call(self, *words: str, stdin: bytes | None = b"", **how: Any) -> Answer:
        """Call the plugin, whatever comes of it."""
        return self.keep(call.run(self.request(*words, stdin=stdin, **how)))

    def keep(self, answer: Answer) -> Answer:
        self.answers.append(answer)
        return answer

    def ok(self, *words: str, stdin: bytes | None = b"", **how: Any) -> Answer:
        """Call the plugin; it must succeed."""
        return self.is_ok(self.call(*words, stdin=stdin, **how))

    def is_ok(self, answer: Answer) -> Answer:
        self.require(answer.is_ok, "exit status 0", answer)
        return answer

    def refuses(self, *words: str, stdin: bytes | None = b"", **how: Any) -> Answer:
        """Call the plugin; it must fail with a message."""
        answer = self.call(*words, stdin=stdin, **how)
        self.require(answer.is_refusal, "an exit status from 1 to 255 and a message on standard error", answer)
        return answer

    def ends(self, *words: str, stdin: bytes | None = b"", **how: Any) -> Answer:
        """Call the plugin; it must succeed, or fail with a message."""
        answer = self.call(*words, stdin=stdin, **how)
        self.require(
            answer.is_ok or answer.is_refusal, "success, or an exit status from 1 to 255 and a message", answer
        )
        return answer

    def value(self, *words: str, stdin: bytes | None = b"", **how: Any) -> dict[str, Any]:
        """Call the plugin; it must succeed with a JSON object and nothing else."""
        return self.object_of(self.ok(*words, stdin=stdin, **how))

    def object_of(self, answer: Answer) -> dict[str, Any]:
        """Return the JSON object that an answer is."""
        value = self.json_of(answer)
        self.require(isinstance(value, dict), "a JSON object", answer)
        return value  # type: ignore[no-any-return]

    def json_of(self, answer: Answer) -> Any:
        """Return the JSON value that standard output must consist of."""
        try:
            return json.loads(answer.stdout)
        except (ValueError, RecursionError):
            raise Failed("one JSON value on standard output, and nothing else", answer) from None

    def field(self, value: Mapping[str, Any], name: str, kind: type, *, null: bool = False) -> Any:
        """Return a field of the last answer, which must have this type (or may be null)."""
        content = value.get(name)
        fits = (content is None and null) or (
            isinstance(content, kind) and not (kind is int and isinstance(content, bool))
        )
        self.require(fits, f"`{name}` is {_KINDS[kind]}{' or null' if null else ''}")
        return content

    def require(self, is_true: object, expected: str, answer: Answer | None = None) -> None:
        """Fail the check with what was expected, unless it is true; the answer is the last one by default."""
        if not is_true:
            raise Failed(expected, answer or (self.answers[-1] if self.answers else None))

    # ------------------------------------------------------------ sessions

    def session_dir(self) -> str:
        """Return where the plugin says sessions are; it must not be the user's own place."""
        folder = self.field(self.value("get-session-dir", "--repo-path", str(self.top)), "session_dir", str)
        self.require(folder, "`session_dir` is not empty")
        path = os.path.normpath(os.path.join(self.top, folder))
        if not self.is_inside(path):
            raise Skipped(
                f"its sessions are in {path}, outside of the HOME that it was given: nothing is written there"
            )
        return str(path)

    def is_inside(self, path: str) -> bool:
        """Tell whether a path is in these surroundings."""
        return os.path.realpath(path).startswith(os.path.realpath(self.base) + os.sep)

    def ref(self, session_id: str = SESSION) -> str:
        """Return the reference of a session; the plugin is asked once."""
        if session_id not in self._refs:
            self._refs[session_id] = self._resolved(session_id)
        return self._refs[session_id]

    def _resolved(self, session_id: str) -> str:
        words = ("resolve-session-file", "--session-dir", self.session_dir(), "--session-id", session_id)
        path = self.field(self.value(*words), "session_file", str)
        self.require(path, "`session_file` is not empty")
        if os.path.isabs(path) and not self.is_inside(path):
            raise Skipped(f"its session is {path}, outside of the HOME that it was given: nothing is written there")
        return str(path)

    def store(self, data: bytes, session_id: str = SESSION, *, ref: str = "") -> str:
        """Store a transcript as the agent does, and return its reference: in its file, or by `write-session`."""
        ref = ref or self.ref(session_id)
        if self.is_plain(ref):
            Path(ref).parent.mkdir(parents=True, exist_ok=True)
            Path(ref).write_bytes(data)
        else:
            self.write(data, session_id, ref)
        return ref

    def is_plain(self, ref: str) -> bool:
        """Tell whether a session's reference is a file that holds the transcript and nothing else."""
        if self._is_plain is None:
            trial = self.ref("check-plain")
            self._is_plain = os.path.isabs(ref) and not os.path.exists(trial)
            if self._is_plain:
                Path(trial).parent.mkdir(parents=True, exist_ok=True)
                Path(trial).write_bytes(SAMPLE)
                answer = call.run(self.request("read-transcript", "--session-ref", trial))
                self._is_plain = answer.is_ok and answer.stdout == SAMPLE
                Path(trial).unlink()
        return self._is_plain

    def write(self, data: bytes, session_id: str, ref: str) -> Answer:
        """Have the plugin write a session."""
        return self.ok("write-session", stdin=dumps(self.session(data, session_id, ref)))

    def session(self, data: bytes | None, session_id: str, ref: str) -> dict[str, Any]:
        """Return an AgentSession."""
        return {
            "session_id": session_id, "agent_name": self.plugin.name, "repo_path": str(self.top), "session_ref": ref,
            "start_time": "2026-01-13T12:00:00Z",
            "native_data": None if data is None else base64.b64encode(data).decode(),
            "modified_files": ["src/main.py"], "new_files": [], "deleted_files": [],
        }  # fmt: skip

    def hook_input(self, hook_type: str, session_id: str = SESSION, ref: str = "", **fields: Any) -> dict[str, Any]:
        """Return a HookInput."""
        return {
            "hook_type": hook_type, "session_id": session_id, "session_ref": ref, "timestamp": "2026-01-13T12:00:00Z",
            "user_prompt": "Fix the login", "tool_name": "Write", "tool_use_id": "tool-1", "tool_input": {"path": "a"},
            "raw_data": {}, **fields,
        }  # fmt: skip

    def transcript(self, ref: str, **how: Any) -> bytes:
        """Return what `read-transcript` prints."""
        how = {"max_output": protocol.MAX_TRANSCRIPT, **how}
        return self.ok("read-transcript", "--session-ref", ref, **how).stdout

    # ------------------------------------------------------------ files

    def tree(self, *folders: Path) -> dict[str, tuple[int, bytes]]:
        """Return everything below some folders: by path, the mode and the content."""
        tree = {}
        for folder in folders:
            for path in sorted(folder.rglob("*")):
                content = (
                    os.fsencode(os.readlink(path))
                    if path.is_symlink()
                    else path.read_bytes()
                    if path.is_file()
                    else b""
                )
                tree[os.path.relpath(path, self.base)] = (path.lstat().st_mode, content)
        return tree

    def remove(self) -> None:
        """Delete everything of these surroundings."""
        shutil.rmtree(self.base, ignore_errors=True)


_KINDS = {str: "a text", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}


def dumps(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
