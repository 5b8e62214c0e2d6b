"""What a running Claude Code says of itself beside the transcripts, in ``sessions/<pid>.json`` of its folder.

Observed on 2.1.197 and 2.1.332 at a terminal: ``status`` is ``busy`` from a prompt until its Stop hooks have run, and
``idle`` right after Escape before the first answer, of which no record and no hook tells.
"""

from __future__ import annotations

import os

from entire.agents import untrusted

_MOST_FILES, _MOST_BYTES = 200, 1 << 16


def idle_since(session_ref: str) -> float:
    """Return since when the process of a session waits for a prompt, in seconds since the epoch; 0.0 if it works, or
    none says.
    """
    session_id = os.path.basename(session_ref).removesuffix(".jsonl")
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(session_ref))), "sessions")
    newest, is_idle = 0, False
    for name in _names(folder):
        said = untrusted.dict_of(_read(os.path.join(folder, name)))
        when = said.get("statusUpdatedAt")
        if said.get("sessionId") == session_id and type(when) is int and newest < when < 1 << 53:
            newest, is_idle = when, said.get("status") == "idle"
    return newest / 1000 if is_idle else 0.0


def _names(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.endswith(".json")][:_MOST_FILES]
    except OSError:
        return []


def _read(path: str) -> object:
    from entire import files

    try:
        with files.open_regular(path) as file:
            return untrusted.loads(file.read(_MOST_BYTES))
    except OSError:
        return None
