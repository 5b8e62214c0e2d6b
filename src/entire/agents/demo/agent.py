"""The adapter for the demo agent; ``install`` edits its settings, ``transcript`` reads its transcripts."""

from __future__ import annotations

import os

from entire.agents import transcripts, untrusted
from entire.agents.demo import payloads
from entire.agents.demo.transcript import DemoTranscript
from entire.model import jsontext
from entire.model.events import Event
from entire.model.ids import is_session_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from entire.model.effects import PutBack
    from entire.model.health import HooksHealth
    from entire.model.transcripts import SessionFile


class Demo:
    """The adapter, see ``entire.agents.contract``."""

    name = "demo"
    type = "Demo Agent"
    hook_names = payloads.hook_names
    capabilities = frozenset(
        (
            "hook_installer",
            "hook_responder",
            "session_lister",
            "session_resumer",
            "subagent_extractor",
            "token_calculator",
            "transcript_analyzer",
        )
    )

    def __init__(self, *, metadata: Mapping[str, str] = {}) -> None:
        self.metadata: Final = metadata

    def detect(self, root: str) -> bool:
        from entire.agents.demo import install

        return any(os.path.isdir(os.path.dirname(install.config_path(root, scope))) for scope in ("project", "user"))

    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        return payloads.parse_hook(hook, payload)

    def write_hook_response(self, message: str) -> bytes:
        return jsontext.dumps({"message": message}).encode() + b"\n"

    # transcripts

    def transcript(self, session_ref: str, stored: bytes | None = None) -> DemoTranscript:
        return DemoTranscript(session_ref, stored)

    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        return transcripts.chunk(transcript, max_size)

    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        return transcripts.join(chunks)

    # settings of the agent

    def hook_config_paths(self, root: str, scope: str) -> tuple[str, ...]:
        from entire.agents.demo import install

        return (install.config_path(root, scope),)

    def install_hooks(self, root: str, scope: str, *, force: bool) -> int:
        from entire.agents import hookfiles
        from entire.agents.demo import install

        return hookfiles.install(
            install.config_path(root, scope), install.table(payloads.VERBS, self.name), force=force
        )

    def uninstall_hooks(self, root: str, scope: str) -> int:
        from entire.agents import hookfiles
        from entire.agents.demo import install

        return hookfiles.uninstall(install.config_path(root, scope), install.table(payloads.VERBS, self.name))

    def hooks_health(self, root: str, scope: str) -> HooksHealth:
        from entire.agents import hookfiles
        from entire.agents.demo import install

        return hookfiles.health(install.config_path(root, scope), install.table(payloads.VERBS, self.name))

    # sessions of the agent

    def session_dir(self, root: str) -> str:
        """Return the folder of the sessions started in ``root``, as ``entire_demo_agent.places`` names it."""
        import hashlib

        home = os.environ.get("ENTIRE_DEMO_HOME") or os.path.expanduser("~/.entire-demo")
        real = os.path.realpath(root)
        name = "".join(c if c.isascii() and c.isalnum() else "-" for c in real)[-80:]
        return os.path.join(home, "sessions", f"{name}-{hashlib.sha256(os.fsencode(real)).hexdigest()[:8]}")

    def session_files(self, root: str) -> list[SessionFile]:
        return transcripts.session_files(self.session_dir(root))

    def has_conversation(self, session_ref: str) -> bool:
        lines, is_longer = transcripts.beginning(session_ref)
        natives = (untrusted.loads(line) for line in lines)
        return is_longer or any(isinstance(record, dict) and record.get("type") == "prompt" for record in natives)

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        return os.path.join(session_dir, f"{session_id}.jsonl") if is_session_id(session_id) else ""

    def own_session_id(self, session_id: str, transcript: bytes) -> str:  # noqa: ARG002
        return session_id

    def put_back(self, session_ref: str, transcript: bytes, subagents: Mapping[str, bytes]) -> PutBack:
        from entire.agents import put_back

        return put_back.files(session_ref, transcript, subagents, self.transcript(session_ref).subagent_ref)

    def format_resume_command(self, session_id: str) -> str:
        import shlex
        import sys

        # It is a module beside Entire, whatever Python is on PATH; -P: files of the repository are not modules of it.
        return f"{shlex.quote(sys.executable or 'python3')} -P -m entire_demo_agent --resume {shlex.quote(session_id)}"
