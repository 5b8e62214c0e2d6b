"""What a tool was asked to do, from its arguments: their usual names, in the tools of all agents.

Off the hook path.
"""

from __future__ import annotations

from entire.agents import untrusted
from entire.agents.untrusted import clean
from entire.model.transcripts import Edit
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from entire.conversation.records import Call

    Arguments = dict[str, Any]

_PATHS = ("file_path", "filePath", "notebook_path", "absolute_path", "path")
_COMMANDS = ("command", "cmd")
_WHOLE = ("content", "contents", "file_text")
_ADDED = ("new_source", "text", "new_str")
_REPLACED = (("old_string", "new_string"), ("oldString", "newString"), ("oldText", "newText"), ("old_str", "new_str"),
             ("old", "new"))  # fmt: skip
_EDIT_LISTS = ("edits", "replacements")
_SHELLS = ("-c", "-lc")
_SUBJECTS = (
    "file_path", "filePath", "notebook_path", "path", "absolute_path", "dir_path",
    "command", "cmd", "pattern", "query", "url", "description", "prompt", "task", "message",
)  # fmt: skip
_PATCH, _PATCH_END = "*** Begin Patch", "*** End Patch"
_PATCH_FILE = ("*** Add File: ", "*** Update File: ")
_PATCH_ADDS = _PATCH_FILE[0]
_CHANGES = ("*** Add File: ", "*** Update File: ", "*** Delete File: ")  # lines of a patch


def described(call: Call, given: object) -> Call:
    """Return a call with what only display and a search for commits want of its arguments."""
    known = arguments(given)
    return replace(call, subject=subject(given), command=command(known), edits=edits(given))


def arguments(given: object) -> Arguments:
    """Return a call's arguments, an object or its JSON; none if they are plain text."""
    if isinstance(given, str) and given.lstrip()[:1] == "{":
        given = untrusted.loads(given.encode("utf-8", "replace"))
    return given if isinstance(given, dict) else {}


def command(given: Arguments) -> str:
    """Return the shell command that a tool was asked to run, or ''."""
    argument = next((given[key] for key in _COMMANDS if given.get(key)), "")
    if isinstance(argument, list):
        words = [word for word in argument if isinstance(word, str)]
        argument = words[2] if len(words) == 3 and words[1] in _SHELLS else " ".join(words)
    return clean(argument)


def edits(given: object) -> tuple[Edit, ...]:
    """Return the edits that a tool was asked to make, also as a patch in plain text."""
    known = arguments(given)
    return tuple(_edits(known)) if known else tuple(_patched(given)) if isinstance(given, str) else ()


def subject(given: object) -> str:
    """Return the most telling argument of a call, or ''."""
    if isinstance(given, str):
        known = arguments(given)
        return subject(known) if known else _changed_files(given) or clean(given)
    for key in _SUBJECTS:
        value = given.get(key) if isinstance(given, dict) else None
        if isinstance(value, list):
            value = " ".join(word for word in value if isinstance(word, str))
        if isinstance(value, str) and value:
            return clean(value)
    return ""


def _changed_files(text: str) -> str:
    """Return the files that a patch changes, '' if the text is none."""
    rows = text.split("\n") if text.startswith(_PATCH) else []
    return ", ".join(clean(line[len(start) :]) for line in rows for start in _CHANGES if line.startswith(start))


def _edits(given: Arguments) -> Iterator[Edit]:
    path = _text(given, _PATHS)
    listed = [edit for key in _EDIT_LISTS if key in given for edit in _entries(given[key]) if isinstance(edit, dict)]
    for edit in [given, *listed] if path else listed:
        yield from _edit(_text(edit, _PATHS) or path, edit)
    for key in ("input", "patch"):
        if isinstance(given.get(key), str):
            yield from _patched(given[key])
    if not path and _PATCH in command(given):
        yield from _patched(command(given))


def _edit(path: str, given: Arguments) -> Iterator[Edit]:
    """Yield the edit that an object describes, if it describes one."""
    if not path:
        return
    for old, new in _REPLACED:
        if isinstance(given.get(old), str) and isinstance(given.get(new), str):
            yield Edit(path=path, old=clean(given[old]), new=clean(given[new]))
            return
    for key in (*_WHOLE, *_ADDED):
        if isinstance(given.get(key), str):
            yield Edit(path=path, new=clean(given[key]), is_whole=key in _WHOLE)
            return


def _patched(text: str) -> Iterator[Edit]:
    """Yield the edits of a patch in a text: a file that it adds, or each of its hunks."""
    start = text.find(_PATCH)
    lines = text[start:].partition(_PATCH_END)[0].split("\n") if start >= 0 else []
    path, adds = "", False
    old: list[str] = []
    new: list[str] = []
    for line in [*lines, "*** "]:
        if line.startswith(("*** ", "@@")):
            if path and (old or new) and old != new:
                yield hunk(path, old, new, is_whole=adds)
            old, new = [], []
            name = next((line[len(start) :] for start in _PATCH_FILE if line.startswith(start)), "")
            if name or not line.startswith(("@@", "*** Move to:", "*** End of File")):
                path, adds = clean(name), line.startswith(_PATCH_ADDS)
        else:
            old += [line[1:]] if line[:1] in ("-", " ") else []
            new += [line[1:]] if line[:1] in ("+", " ") else []


def hunk(path: str, old: list[str], new: list[str], *, is_whole: bool) -> Edit:
    """Return the edit of a hunk without the unchanged lines around it."""
    before = _shared(old, new)
    old, new = old[before:], new[before:]
    after = _shared(old[::-1], new[::-1])
    old, new = old[: len(old) - after], new[: len(new) - after]
    return Edit(path=path, old=_joined(old), new=_joined(new), is_whole=is_whole)


def _shared(old: list[str], new: list[str]) -> int:
    """Return how many lines at the start are the same."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((number for number, (one, other) in pairs if one != other), min(len(old), len(new)))


def _joined(lines: list[str]) -> str:
    return clean("".join(line + "\n" for line in lines))


def _entries(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(given: Arguments, names: tuple[str, ...]) -> str:
    return next((clean(given[name]) for name in names if isinstance(given.get(name), str) and given[name]), "")
