"""The adapter for the demo agent; ``install`` knows its settings, ``transcript`` reads its transcripts."""

from __future__ import annotations

import os

from entire.agents.demo import payloads
from entire.agents.demo.transcript import DemoTranscript
from entire.agents.file_agent import FileAgent
from entire.model import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from entire.agents.file_agent import Payloads, Settings
    from entire.agents.hookfiles import Table
    from entire.model.transcripts import Content


class Demo(FileAgent):
    """The adapter, see ``entire.agents.contract``."""

    name = "demo"
    type = "Demo Agent"
    payloads: ClassVar[Payloads] = payloads
    settings_file = ".demo-agent/settings.json"
    capabilities = FileAgent.capabilities | {"hook_responder"}

    def write_hook_response(self, message: str) -> bytes:
        return jsontext.dumps({"message": message}).encode() + b"\n"

    def transcript(self, session_ref: str, stored: Content | None = None) -> DemoTranscript:
        return DemoTranscript(session_ref, stored)

    def _settings(self) -> Settings:
        from entire.agents.demo import install

        return install

    def _table(self) -> Table:
        from entire.agents.demo import install

        return install.table(self.name)

    def session_dir(self, root: str) -> str:
        """Return the folder of the sessions started in ``root``, as ``entire_demo_agent.places`` names it."""
        import hashlib

        home = self._env.get("ENTIRE_DEMO_HOME") or os.path.expanduser("~/.entire-demo")
        real = os.path.realpath(root)
        name = "".join(c if c.isascii() and c.isalnum() else "-" for c in real)[-80:]
        return os.path.join(home, "sessions", f"{name}-{hashlib.sha256(os.fsencode(real)).hexdigest()[:8]}")

    def format_resume_command(self, session_id: str) -> str:
        import shlex
        import sys

        # It is a module beside Entire, whatever Python is on PATH; -P: files of the repository are not modules of it.
        return f"{shlex.quote(sys.executable or 'python3')} -P -m entire_demo_agent --resume {shlex.quote(session_id)}"
