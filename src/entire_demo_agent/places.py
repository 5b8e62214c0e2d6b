"""Where the demo agent keeps its files.

``$ENTIRE_DEMO_HOME`` (by default ``~/.entire-demo``) holds ``sessions/<folder>/<session id>.jsonl``, and helpers'
transcripts in ``sessions/<folder>/<session id>/helpers/<helper id>.jsonl``. Settings are in
``.demo-agent/settings.json`` of the project (the repository, or the folder the agent was started in) and of the user's
home folder.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

SETTINGS = Path(".demo-agent") / "settings.json"
_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def is_session_id(text: str) -> bool:
    """Tell whether a text is a valid session id: letters, digits, ``.``, ``_`` and ``-``."""
    return _SESSION_ID.fullmatch(text) is not None


def session_folder(workdir: Path) -> Path:
    """Return the folder of the sessions started in ``workdir``: a readable name, and a hash to keep it unique."""
    home = os.environ.get("ENTIRE_DEMO_HOME") or os.path.expanduser("~/.entire-demo")
    real = os.path.realpath(workdir)
    name = re.sub(r"[^A-Za-z0-9]", "-", real)[-80:]
    return Path(home) / "sessions" / f"{name}-{hashlib.sha256(os.fsencode(real)).hexdigest()[:8]}"


def find_session(workdir: Path, session_id: str) -> Path | None:
    """Return the transcript of a session, from this folder if possible, else from the folder it was started in."""
    here = session_folder(workdir)
    candidates = [here / f"{session_id}.jsonl", *sorted(here.parent.glob(f"*/{session_id}.jsonl"))]
    return next((path for path in candidates if path.is_file()), None)


def newest_session(workdir: Path) -> Path | None:
    """Return the transcript of this folder that was written last."""
    sessions = [path for path in session_folder(workdir).glob("*.jsonl") if path.is_file()]
    return max(sessions, key=lambda path: (path.stat().st_mtime_ns, path.name), default=None)


def project_root(workdir: Path) -> Path:
    """Return the repository that contains ``workdir``, or ``workdir`` itself."""
    for folder in (workdir, *workdir.parents):
        if (folder / ".git").exists():
            return folder
    return workdir
