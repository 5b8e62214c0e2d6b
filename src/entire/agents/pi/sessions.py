"""Where Pi keeps its sessions, and how one is put back.

A session is ``<folder>/<time>_<id>.jsonl``; the folder is named after that in which Pi was started, unless the user has
one for all. Pi finds a session by its id only there, and goes on in the folder that its header names.
"""

from __future__ import annotations

import os
import time

from entire import contents
from entire.agents import json_document, transcripts
from entire.agents.pi.stream import header
from entire.agents.untrusted import path_of
from entire.model import jsontext
from entire.model.ids import is_session_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.transcripts import Content, SessionFile


def folder(root: str, home: str, env: Mapping[str, str]) -> str:
    """Return the folder of the sessions that are started in ``root``; ``home``: the user's folder of Pi."""
    given = env.get("PI_CODING_AGENT_SESSION_DIR")
    for file in (os.path.join(root, ".pi", "settings.json"), os.path.join(home, "settings.json")):
        told = given or json_document.values(file).get("sessionDir")
        given = path_of(told)
    return os.path.expanduser(given) if given else os.path.join(home, "sessions", _name(os.path.realpath(root)))


def _name(path: str) -> str:
    inner = path.removeprefix("/")
    for separator in "/\\:":
        inner = inner.replace(separator, "-")
    return f"--{inner}--"


def find(sessions: str, session_id: str) -> str:
    """Return the file of a session, or where it is to be written."""
    files = transcripts.session_files(sessions, id_in)
    known = [file.session_ref for file in files if file.session_id == session_id]
    return known[0] if known else os.path.join(sessions, f"{_stamp(session_id)}_{session_id}.jsonl")


def _stamp(session_id: str) -> str:
    """Return the time in an id (a UUID of version 7), as it stands in the name of the file."""
    digits = session_id.replace("-", "")
    try:
        created = int(digits[:12], 16) if len(digits) == 32 and digits[12] == "7" else 0
    except ValueError:
        created = 0
    return time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(created // 1000)) + f"-{created % 1000:03}Z"


def id_in(path: str) -> str:
    """Return the id of the session in a file, '' if it is none."""
    name, extension = os.path.splitext(os.path.basename(path))
    own_id = name.partition("_")[2]
    return own_id if extension == ".jsonl" and is_session_id(own_id) else ""


def listed(sessions: str, root: str) -> list[SessionFile]:
    """Return the sessions that were started in ``root`` or in a folder of it."""
    top, own = os.path.split(sessions)
    below = _name(os.path.realpath(root))[:-2] + "-"
    try:
        names = sorted(os.listdir(top)) if own.startswith("--") else []
    except OSError:
        names = []
    folders = [sessions, *(os.path.join(top, name) for name in names if name.startswith(below))]
    found = [file for each in dict.fromkeys(folders) for file in transcripts.session_files(each, id_in)]
    return [file for file in found if is_in(root, path_of(header(file.session_ref).get("cwd")))]


def is_in(root: str, place: str) -> bool:
    """Tell whether a folder is ``root`` or in it."""
    top = os.path.realpath(root)
    return bool(place) and os.path.join(os.path.realpath(place), "").startswith(os.path.join(top, ""))


def placed(root: str, path: str, transcript: Content) -> Content:
    """Return a session that goes on in ``root``, or where it was if that belongs to its place; with a newline at its
    end, because Pi appends to the last line.
    """
    about = header(transcript)
    place = path_of(about.get("cwd"))
    size = len(transcript)
    if size and contents.read(transcript, size - 1, size) != b"\n":
        transcript = contents.joined(transcript, b"\n")
    is_its_place = os.path.basename(os.path.dirname(path)) == _name(os.path.realpath(place)) or is_in(root, place)
    if not about or (is_its_place and os.path.isdir(place)):
        return transcript
    about["cwd"] = os.path.realpath(root)
    first = jsontext.dumps(about, ensure_ascii=False, compact=True).encode("utf-8", "replace") + b"\n"
    return contents.joined(first, contents.part(transcript, contents.line_end(transcript, 0)))
