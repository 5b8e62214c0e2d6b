"""An installed package brings an agent: commands and hooks, as the launcher starts them, treat it as built in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
VERSION = f"python{sys.version_info[0]}.{sys.version_info[1]}"
SESSION = "parrot-session"

ENTRY = """\
import os
from entire.agents.registry import AgentEntry

with open(os.environ["TRACE_ENTRIES"], "a") as file:
    file.write("loaded\\n")

PARROT = AgentEntry(name="parrot", type="Parrot", target="parrot.adapter:Parrot", description="Repeats",
                    protected_dirs=(".parrot",), project_variable="PARROT_DIR")
"""
ADAPTER = """\
import json, os
from entire.agents.opaque import OpaqueTranscript
from entire.model.events import Event, EventType
from entire.model.health import HookStatus, HooksHealth

EVENTS = {"start": EventType.TURN_START, "end": EventType.TURN_END}


class Parrot:
    name, type, hook_names = "parrot", "Parrot", tuple(EVENTS)
    capabilities = frozenset(("hook_installer",))

    def __init__(self, *, metadata={}):
        self.metadata = metadata

    def detect(self, root):
        return False

    def parse_hook(self, hook, payload):
        return Event(type=EVENTS[hook], **json.loads(payload)) if hook in EVENTS else None

    def transcript(self, session_ref, stored=None):
        return OpaqueTranscript(session_ref, stored)

    def chunk_transcript(self, transcript, max_size):
        return [transcript]

    def reassemble_transcript(self, chunks):
        return b"".join(chunks)

    def hook_config_paths(self, root, scope):
        return (os.path.join(root if scope == "project" else os.environ["HOME"], ".parrot", "hooks"),)

    def install_hooks(self, root, scope, *, force):
        (path,) = self.hook_config_paths(root, scope)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write("entire hooks parrot start\\nentire hooks parrot end\\n")
        return 2

    def uninstall_hooks(self, root, scope):
        (path,) = self.hook_config_paths(root, scope)
        if not os.path.exists(path):
            return 0
        os.unlink(path)
        return 2

    def hooks_health(self, root, scope):
        (path,) = self.hook_config_paths(root, scope)
        return HooksHealth(status=HookStatus.INSTALLED if os.path.exists(path) else HookStatus.MISSING)
"""


class Environment:
    """A Python environment with Entire and its launcher, where packages can be added; and a repository."""

    def __init__(self, folder: Path) -> None:
        self.prefix = folder / "environment"
        self.packages = self.prefix / "lib" / VERSION / "site-packages"
        self.packages.mkdir(parents=True)
        self.repo = folder / "repo"
        bin_dir = self.prefix / "bin"
        bin_dir.mkdir()
        (bin_dir / VERSION).symlink_to(Path(sys.executable).resolve())
        shutil.copy(ROOT / "src" / "launcher" / "entire", bin_dir)
        home = Path(sys.executable).resolve().parent
        (self.prefix / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\n")
        (self.packages / "_editable_impl_entire.pth").write_text(f"{ROOT / 'src'}\n")
        (self.packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
        self.command = str(bin_dir / "entire")
        self.loaded = folder / "loaded"
        self.environment = os.environ | {
            "PATH": f"{bin_dir}{os.pathsep}{os.environ['PATH']}",
            "TRACE_ENTRIES": str(self.loaded),
        }
        subprocess.run(["git", "init", "-q", self.repo], check=True)
        self.git("commit", "-q", "--allow-empty", "-m", "Begin")

    def bring(self, name: str, target: str, *, editable: Path | None = None) -> None:
        """Install a package whose modules are there already, or that has an editable install's path file."""
        info = self.packages / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[entire.agents]\n{name} = {target}\n")
        if editable is not None:
            (self.packages / f"_editable_impl_{name}.pth").write_text(f"{editable}\n")

    def git(self, *words: str) -> str:
        return subprocess.run(
            ["git", "-C", self.repo, *words], env=self.environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    def entire(self, *words: str, given: str = "", cwd: Path | None = None, **env: str) -> str:
        """Run a command through the launcher; it must succeed in silence."""
        done = subprocess.run(
            [self.command, *words],
            cwd=cwd or self.repo,
            env=self.environment | env,
            input=given,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, ""), (words, done.stdout, done.stderr)
        return done.stdout

    def hook(self, verb: str, agent: str = "parrot", cwd: Path | None = None, **payload: str) -> None:
        given = json.dumps({"session_id": SESSION, **payload})
        assert self.entire("hooks", agent, verb, given=given, cwd=cwd, PARROT_DIR=str(self.repo)) == ""

    def errors(self) -> list[str]:
        log = self.repo / ".git" / "entire" / "logs" / "entire.log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if json.loads(line)["level"] == "ERROR"]


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path)


def write_parrot(folder: Path) -> None:
    package = folder / "parrot"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "entry.py").write_text(ENTRY)
    (package / "adapter.py").write_text(ADAPTER)


@pytest.mark.parametrize("is_editable", [False, True])
def test_an_installed_agent_works_like_a_built_in_one(
    environment: Environment, tmp_path: Path, is_editable: bool
) -> None:
    source = tmp_path / "source" if is_editable else environment.packages
    write_parrot(source)
    environment.bring("parrot", "parrot.entry:PARROT", editable=source if is_editable else None)
    assert "Parrot: 2 hooks written to .parrot/hooks" in environment.entire("enable", "--agent", "parrot")
    hooks = json.loads(environment.entire("status", "--json"))["hooks"]
    assert [hook["is_installed"] for hook in hooks if hook["name"] == "Parrot"] == [True]

    environment.hook("start", prompt="Say hello")
    (environment.repo / "hello.txt").write_text("hello\n")
    (environment.repo / "inside").mkdir()
    environment.hook("end", cwd=environment.repo / "inside")
    step = environment.git("for-each-ref", "--format=%(refname)", "refs/heads/entire/")
    assert environment.git("log", "-1", "--format=%s", step) == "Say hello"
    environment.git("add", "hello.txt")
    environment.git("commit", "-q", "-m", "Add a greeting")
    assert "Entire-Checkpoint" in environment.git("log", "-1", "--format=%B")
    shown = json.loads(environment.entire("explain", "--commit", "HEAD", "--json"))
    assert '"Parrot"' in json.dumps(shown)
    assert environment.errors() == []

    assert "Parrot: 2 hooks (project)" in environment.entire("disable", "--uninstall", "--force")
    assert not (environment.repo / ".parrot" / "hooks").exists()


def test_an_agent_says_where_it_was_started(environment: Environment, tmp_path: Path) -> None:
    write_parrot(environment.packages)
    environment.bring("parrot", "parrot.entry:PARROT")
    environment.entire("enable", "--agent", "parrot")
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", other], check=True)
    environment.entire("enable", "--agent", "parrot", cwd=other)
    environment.hook("start", prompt="Say hello", cwd=other)
    assert [path.name for path in environment.repo.glob(".git/entire-sessions/*")] == [f"{SESSION}.json"]
    assert not list(other.glob(".git/entire-sessions/*"))


def test_packages_are_searched_only_where_it_may_matter(environment: Environment, tmp_path: Path) -> None:
    write_parrot(environment.packages)
    environment.bring("parrot", "parrot.entry:PARROT")
    linked = tmp_path / "linked"
    environment.git("worktree", "add", "-q", str(linked))
    environment.hook("start", prompt="Say hello", cwd=linked)
    assert not environment.loaded.exists(), "a repository that is not enabled"
    environment.entire("enable", "--agent", "claude-code")
    environment.loaded.unlink(missing_ok=True)
    environment.hook("session-start", agent="claude-code")
    environment.hook("user-prompt-submit", agent="claude-code", prompt="Write it")
    (environment.repo / "a.txt").write_text("a\n")
    environment.hook("stop", agent="claude-code")
    environment.git("add", "a.txt")
    environment.git("commit", "-q", "-m", "Add it")
    assert "Entire-Checkpoint" in environment.git("log", "-1", "--format=%B")
    assert not environment.loaded.exists(), "a built-in agent"


BROKEN = {
    "entry": ("raise RuntimeError('worn out')\n", ADAPTER, "is ignored: RuntimeError: worn out"),
    "adapter": (ENTRY, "raise RuntimeError('worn out')\n", "cannot be loaded: RuntimeError: worn out"),
}


@pytest.mark.parametrize(("entry", "adapter", "why"), BROKEN.values(), ids=BROKEN)
def test_a_broken_agent_is_reported_and_breaks_nothing(
    environment: Environment, entry: str, adapter: str, why: str
) -> None:
    write_parrot(environment.packages)
    environment.bring("parrot", "parrot.entry:PARROT")
    environment.entire("enable", "--agent", "parrot")
    environment.entire("enable", "--agent", "claude-code")
    transcript = environment.repo.parent / "parrot.jsonl"
    transcript.write_text('{"say": "hello"}\n')
    environment.hook("start", prompt="Say hello", session_ref=str(transcript))
    (environment.packages / "parrot" / "entry.py").write_text(entry)
    (environment.packages / "parrot" / "adapter.py").write_text(adapter)

    (environment.repo / "hello.txt").write_text("hello\n")
    environment.hook("end")
    assert len(environment.errors()) == 1, "a hook of the broken agent itself"
    environment.hook("user-prompt-submit", agent="claude-code", session_id="claude-session", prompt="Write it")
    (environment.repo / "a.txt").write_text("a\n")
    environment.hook("stop", agent="claude-code", session_id="claude-session")
    environment.git("add", "a.txt", "hello.txt")
    environment.git("commit", "-q", "-m", "Add both")
    assert "Entire-Checkpoint" in environment.git("log", "-1", "--format=%B")
    shown = json.loads(environment.entire("explain", "--commit", "HEAD", "--json"))
    parts = [part for checkpoint in shown["checkpoints"] for part in checkpoint["parts"]]
    assert {part["agent"] for part in parts} == {"Claude Code", "Parrot"}
    saved = environment.git("grep", "-h", "hello", "entire/checkpoints/v1", "--", "*full.jsonl*")
    assert saved == '{"say": "hello"}', "the transcript as it is"
    assert len(environment.errors()) == 1, environment.errors()

    assert why in environment.entire("status")
    (warning,) = [item for item in json.loads(environment.entire("status", "--json"))["warnings"] if "parrot" in item]
    assert warning.endswith(why)
    assert "Claude Code" in environment.entire("enable", "--agent", "claude-code")
    doctor = subprocess.run(
        [environment.command, "doctor", "--json"],
        cwd=environment.repo, env=environment.environment, capture_output=True, text=True,
    )  # fmt: skip
    found = json.loads(doctor.stdout)["findings"]
    assert [item["message"] for item in found if item["check"] == "agents"] == [warning]
    assert "Claude Code" in environment.entire("disable", "--uninstall", "--force")
