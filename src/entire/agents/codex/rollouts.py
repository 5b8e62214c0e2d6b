"""Finds Codex's rollouts, and joins those that hold one session's history.

A session is ``$CODEX_HOME/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl``. Taking a prompt back in the terminal begins
another file, ``rollout-<time>-<id>_<segment>.jsonl``, and a fork a file with an id of its own: both hold only what is
new, and say by ``history_base`` how much of which file comes before it; a segment is named there by its own id. Codex
reads the newest file of an id, also on a machine without its databases, and a file that holds the whole history itself
(observed on 0.169.0 and 0.171.0).
"""

from __future__ import annotations

import os
import re
import time

from entire import contents
from entire.agents import transcripts, untrusted
from entire.agents.untrusted import clean, dict_of
from entire.model import jsontext
from entire.model.ids import is_session_id
from entire.model.transcripts import SessionFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from entire.agents.transcripts import Source
    from entire.model.transcripts import Content

_CONTINUING = ("forked_from_id", "forked_from_ordinal_exclusive", "history_base")
_MOST_BASES = 50
_MOST_LISTED = 500
_BACK = 1 << 22  # bytes in which the record before an offset has to end


def folder_of(path: str) -> str:
    """Return the folder of sessions that a rollout is in; its own folder if that is not a day's."""
    folder = os.path.dirname(path)
    is_day = re.search(r"/\d{4}/\d\d/\d\d$", folder)
    return folder[: is_day.start()] if is_day is not None else folder


def ids_of(path: str) -> tuple[str, str]:
    """Return the session's id in the name of a rollout, and the file's own, which a segment has; '' for none."""
    named = re.match(r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-([^_]+)(?:_([^_]*))?\.jsonl$", os.path.basename(path))
    return (named[1], named[2] or named[1]) if named is not None else ("", "")


# ---------------------------------------------------------------- finding


def find(sessions: str, session_id: str) -> str:
    """Return the file in which a session goes on, '' if there is none."""
    known = _files_of(sessions, session_id)
    return known[-1] if known else ""


def place(sessions: str, session_id: str) -> str:
    """Return where a session is, or would be: Codex finds it below any day."""
    stamp = time.localtime(_created(session_id))
    name = time.strftime("rollout-%Y-%m-%dT%H-%M-%S", stamp)
    new = os.path.join(sessions, time.strftime("%Y/%m/%d", stamp), f"{name}-{session_id}.jsonl")
    return find(sessions, session_id) or new


def _created(session_id: str) -> int:
    """Return the time in an id that has one (a UUID of version 7), else 0: seconds since the epoch."""
    digits = session_id.replace("-", "")
    try:
        return int(digits[:12], 16) // 1000 if len(digits) == 32 and digits[12] == "7" else 0
    except ValueError:
        return 0


def _files_of(sessions: str, session_id: str) -> list[str]:
    """Return the files with a session's id, oldest first: a segment may be younger than it by any time; or, for a
    segment's own id, its file.
    """
    first = time.strftime("%Y/%m/%d", time.localtime(max(_created(session_id) - 86400, 0)))
    named = [(name, path) for day in _days(sessions) if day >= first for name, path in _rollouts(sessions, day)
             if session_id in name and session_id in ids_of(name)]  # fmt: skip
    return [path for _, path in sorted(named)]


def _days(sessions: str) -> Iterator[str]:
    """Yield the days with sessions, newest first."""
    for year in _names(sessions):
        for month in _names(sessions, year):
            for day in _names(sessions, year, month):
                yield f"{year}/{month}/{day}"


def _names(*folder: str) -> list[str]:
    try:
        return sorted(os.listdir(os.path.join(*folder)), reverse=True)
    except (OSError, ValueError):
        return []


def _rollouts(sessions: str, day: str) -> Iterator[tuple[str, str]]:
    for name in _names(sessions, day):
        if name.startswith("rollout-"):
            yield name, os.path.join(sessions, day, name)


def listed(sessions: str, root: str) -> list[SessionFile]:
    """Return the newest sessions that were started in ``root``."""
    paths = (path for day in _days(sessions) for _, path in _rollouts(sessions, day))
    files: dict[str, SessionFile] = {}
    for _, path in zip(range(_MOST_LISTED), paths, strict=False):
        meta = _meta(_first_line(path))
        session_id = clean(meta.get("id"))
        if session_id in files or not is_session_id(session_id) or _is_subagents(meta):
            continue
        if os.path.realpath(untrusted.path_of(meta.get("cwd")) or os.sep) == os.path.realpath(root):
            changed = os.stat(path).st_mtime
            files[session_id] = SessionFile(session_id=session_id, session_ref=path, changed=changed)
    return list(files.values())


# ---------------------------------------------------------------- what a rollout says of itself


def _first_line(source: Source) -> bytes:
    return next((line for line, _ in transcripts.lines(source)), b"")


def _meta(line: bytes) -> dict[str, Any]:
    native = dict_of(untrusted.loads(line)) if b'"session_meta"' in line else {}
    return dict_of(native.get("payload"))


def meta(source: Source) -> dict[str, Any]:
    """Return the record with which a rollout begins, {} if there is none."""
    return _meta(_first_line(source))


def _is_subagents(meta: Mapping[str, Any]) -> bool:
    return meta.get("thread_source") == "subagent" or "subagent" in dict_of(meta.get("source"))


def is_subagents(source: Source) -> bool:
    """Tell whether a rollout is a subagent's."""
    line = _first_line(source)
    return b'"subagent"' in line and _is_subagents(_meta(line))


# ---------------------------------------------------------------- histories in several files


def history(path: str) -> Content | None:
    """Return the whole history of a rollout that begins in another one; None if it is all in the file itself."""
    line = _first_line(path)
    return _joined(path, None, _MOST_BASES) if b'"history_base"' in line else None


def alone(path: str, transcript: Content) -> Content:
    """Return a stored rollout that continues a file which is not here, as one that needs no other: Codex refuses it
    otherwise (observed on 0.171.0). Others store it so; we store the whole history.
    """
    at = contents.line_end(transcript, 0)
    line = contents.read(transcript, 0, at)
    about = _meta(line)
    base = dict_of(about.get("history_base"))
    if not base or _base_of(path, base):
        return transcript
    kept = {key: value for key, value in about.items() if key not in _CONTINUING}
    first = jsontext.dumps({**dict_of(untrusted.loads(line)), "payload": kept}, ensure_ascii=False, compact=True)
    return contents.joined(f"{first}\n".encode(), contents.part(transcript, at))


def _joined(path: str, end: int | None, depth: int) -> Content:
    """Return the history of a rollout up to a byte of its file, as one that needs no other."""
    own = contents.part(contents.of_file(path), 0, end)
    line = _first_line(path)
    about = _meta(line)
    base = dict_of(about.get("history_base"))
    before = _base_of(path, base) if base and depth else ""
    if not before:
        return own
    earlier = _joined(before, base["end_byte_offset"], depth - 1)
    at = contents.line_end(earlier, 0)
    first = contents.read(earlier, 0, at)
    own_id, base_id = (clean(meta.get("id")).encode() for meta in (about, _meta(first)))
    if own_id and base_id and own_id != base_id:  # a fork: the history is now its own
        earlier = contents.joined(first.replace(base_id, own_id), contents.part(earlier, at))
    return contents.joined(earlier, contents.part(own, len(line)))


def _base_of(path: str, base: Mapping[str, Any]) -> str:
    """Return the file that holds what comes before a rollout: the one with the id that the base has, a segment's if it
    is one, in which a record with the number before the rollout's first ends there. '' if there is none.
    """
    thread, number, end = clean(base.get("thread_id")), base.get("end_ordinal_exclusive"), base.get("end_byte_offset")
    if not is_session_id(thread) or type(number) is not int or type(end) is not int:
        return ""
    for candidate in reversed(_files_of(folder_of(path), thread)):
        line = next(transcripts.last_lines(candidate, end - 1, _BACK), b"") if candidate != path and end > 1 else b""
        if dict_of(untrusted.loads(line)).get("ordinal") == number - 1:
            return candidate
    return ""
