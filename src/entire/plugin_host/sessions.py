"""Where a plugin keeps its sessions: the folder, references to transcripts, session data, putting back."""

from __future__ import annotations

import itertools
import os
import time

import entire
from entire.agents import transcripts, untrusted
from entire.model import jsontext
from entire.model.effects import PutBack, Run
from entire.model.ids import is_session_id, shell_word
from entire.model.positions import SessionRef
from entire.model.value import Value
from entire.plugin_host.language import wire
from entire.plugin_host.language.protocol import MAX_TRANSCRIPT, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from entire.agents.contract import Transcript
    from entire.model.transcripts import Content
    from entire.plugin_host.calls import Calls
    from entire.plugin_host.language.protocol import Info

    class FolderCache(Protocol):
        """Remembers session folders from one hook to the next."""

        def __call__(self, root: str, ask: Callable[[], str], *, fresh: bool = False) -> str:
            """Return the folder for a repository; ``ask`` runs the plugin if it is not known, or ``fresh``."""
            ...


_HOOK_TYPES = {
    1: "session_start",
    2: "user_prompt_submit",
    3: "stop",
    5: "session_end",
    6: "pre_tool_use",
    7: "post_tool_use",
}


class SessionData(Value):
    """What ``read-session`` answers."""

    session_id: str = ""
    session_ref: str = ""
    start_time: str = ""
    native_data: bytes = b""
    files: tuple[str, ...] = ()  # changed, created or deleted


class Plugin(Value):
    """What an adapter and its transcripts share. ``metadata``: what earlier events of the session carried."""

    info: Info
    calls: Calls
    sessions: Sessions
    metadata: Mapping[str, str]


_COMPARED = 4 << 20  # bytes
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108
_OUTSIDE = (
    "the plugin {0} keeps its sessions in {1}, which is neither in your home folder nor in the repository, so they are "
    "not read: `entire plugin allow {0} --folder {2}` allows it"
)


def _not_remembered(root: str, ask: Callable[[], str], *, fresh: bool = False) -> str:  # noqa: ARG001
    return ask()


class Sessions:
    """A plugin's sessions in one repository."""

    def __init__(
        self,
        calls: Calls,
        info: Info,
        cache: FolderCache | None = None,
        permits: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """``permits`` tells whether the user allowed a folder that is neither theirs nor the repository's."""
        self.calls = calls
        self._info = info
        self._cache = cache or _not_remembered
        self._permits = permits
        self._ids: dict[str, str] = {}  # by session_ref
        self._started_in: list[str] = []

    # ------------------------------------------------------------ the folder

    def folder(self, root: str, *, fresh: bool = False) -> str:
        """Return the folder of a repository's sessions, '' if the plugin names none."""
        words = ("get-session-dir", "--repo-path", root)
        path = self._cache(root, lambda: self.calls.text("session_dir", *words), fresh=fresh) or ""
        path = os.path.normpath(os.path.join(root, path)) if path else ""
        if path and not self._is_permitted(path, root):
            self.calls.report(_OUTSIDE.format(self._info.name, path[:200], shell_word(path, "FOLDER")))
            return ""
        return path

    def _is_permitted(self, folder: str, root: str) -> bool:
        """Tell whether sessions may be in a folder: below home, a folder for temporary files or the repository, or one
        that the user allowed.
        """
        own = (root, *self.calls.program.own_folders(), *_TEMPORARY)
        is_own = any(_is_below(f"{folder}/x", place) for place in own if os.path.isabs(place))
        return is_own or self._permits(os.path.realpath(folder))

    def resolve(self, folder: str, session_id: str) -> str:
        """Return where a session's transcript is, '' if that is not in the folder."""
        if not is_session_id(session_id):
            return ""
        words = ("resolve-session-file", "--session-dir", folder, "--session-id", session_id)
        path = self.calls.text("session_file", *words)
        if path and os.path.isabs(path) and not _is_below(path, folder):
            self.calls.report(_refusal(self._info.name, path, f"it is not in the session folder {folder}"))
            return ""
        return self.accepted(path, session_id)

    def add_start(self, folder: str) -> None:
        """Learn where in the repository an agent was started: many keep sessions by that folder, not by repository."""
        if _is_below(folder, self.calls.program.root) and folder not in self._started_in:
            self._started_in.append(folder)

    # ------------------------------------------------------------ references

    def accepted(self, session_ref: str, session_id: str = "", *, beside: str = "") -> str:
        """Return a reference to a transcript; '' for one that leads out of the place where it belongs.

        That of a subagent may be in the folder of its session's, ``beside``.
        """
        problem = self._problem(session_ref, beside) if session_ref else ""
        if problem:
            self.calls.report(_refusal(self._info.name, session_ref, problem))
            return ""
        if session_ref and session_id:
            self._ids[session_ref] = session_id
        return session_ref

    def _problem(self, session_ref: str, beside: str) -> str:
        if "\0" in session_ref:
            return "it contains a NUL"
        if database := SessionRef(session_ref).database:
            return self._problem(database, "") or _unprintable(session_ref)
        if not os.path.isabs(session_ref):
            if os.path.normpath(session_ref.replace("\\", "/")).split("/")[0] == "..":
                return "it leads outside of the session folder"
            return _unprintable(session_ref)
        if {".", ".."} & set(session_ref.split("/")):
            return "an absolute path must not contain '.' or '..'"
        folder = os.path.dirname(beside) if os.path.isabs(beside) else ""
        folder = folder if _is_below(session_ref, folder) else self._folder_of(session_ref)
        if not folder:
            return "get-session-dir names no folder for it"
        if not _is_below(session_ref, folder):
            return f"it is not in the session folder {folder}"
        return _unprintable(session_ref.removeprefix(folder))

    def holds(self, session_ref: str) -> bool:
        """Tell whether a reference is a path in the session folder."""
        is_path = os.path.isabs(session_ref) and "\0" not in session_ref
        return (
            is_path
            and not {".", ".."} & set(session_ref.split("/"))
            and _is_below(session_ref, self._folder_of(session_ref))
        )

    def _folder_of(self, path: str) -> str:
        """Return the session folder; it may have moved since it was remembered, for example in a test harness."""
        root = self.calls.program.root
        folders = (self.folder(place) for place in (root, *self._started_in))
        return next((folder for folder in folders if _is_below(path, folder)), "") or self.folder(root, fresh=True)

    def find(self, hook_input: dict[str, Any]) -> str:
        """Return the reference to a session that an event named without one; '' if the plugin knows none."""
        session_id = hook_input["session_id"]
        folder = self.folder(self.calls.program.root)
        resolved = self.resolve(folder, session_id) if folder else ""
        if resolved and os.path.lexists(resolved):
            return resolved
        return self.accepted(self.read(hook_input).session_ref, session_id) or resolved

    def id_of(self, session_ref: str) -> str:
        """Return the id of the session whose transcript this is: as named with it before, else as its file is named."""
        name = os.path.basename(session_ref)
        return self._ids.get(session_ref) or os.path.splitext(name)[0] or name

    # ------------------------------------------------------------ session data

    def read(self, hook_input: dict[str, Any], *, may_fail: bool = True) -> SessionData:
        """Return what the plugin knows of a session."""
        question = ("read-session", hook_input["session_id"], hook_input["session_ref"])
        stdin = jsontext.dumps(hook_input).encode()
        data = self.calls.current().once(
            question, lambda: _session_data(self.calls.program.call("read-session", stdin=stdin)), may_fail=may_fail
        )
        return data or SessionData()

    def at(self, session_ref: str) -> SessionData:
        """Return what the plugin knows of the session whose transcript this is."""
        return self.read(hook_input(3, "stop", {"session_id": self.id_of(session_ref), "session_ref": session_ref}))

    # ------------------------------------------------------------ putting back

    def put_back(self, session_ref: str, own: Transcript, transcript: Content) -> PutBack:
        """Plan how a transcript replaces a session's own: as a plain file if that is one, else by ``write-session``."""
        from entire.agents import long_transcripts, put_back

        if not session_ref:
            return PutBack(problem="its plugin names no place for it")
        is_path = self.holds(session_ref)
        if is_path and (self._is_plain(session_ref) or (not transcript and os.path.isfile(session_ref))):
            return put_back.files(session_ref, transcript, {}, lambda _: "")
        before = long_transcripts.content(own)
        if not transcript and not before:
            return PutBack()
        write = (self.calls.program.path, "write-session")
        is_new = is_path and not before and not os.path.lexists(session_ref)
        return PutBack(
            effects=(
                Run(
                    argv=write,
                    stdin=self._written(session_ref, transcript),
                    undo_argv=("rm", "-f", "--", session_ref) if is_new else write,
                    undo_stdin=b"" if is_new else self._written(session_ref, before),
                    env=_variables(self.calls.program.root),
                ),
            )
        )

    def _is_plain(self, session_ref: str) -> bool:
        """Tell whether a session's transcript is a file, which the plugin reads as it is."""
        if "transcript_preparer" in self._info.capabilities or not os.path.isfile(session_ref):
            return False
        if transcripts.size(session_ref) > _COMPARED:  # reading does not ask the plugin, either
            return True
        words = ("read-transcript", "--session-ref", session_ref)
        told = self.calls.current().output(*words, max_output=MAX_TRANSCRIPT)
        return told == transcripts.read(session_ref)

    def _written(self, session_ref: str, transcript: Content) -> Content:
        """Return the standard input with which ``write-session`` stores a transcript."""
        from entire import contents

        known = self.at(session_ref)
        session = jsontext.dumps(
            {
                "session_id": self._ids.get(session_ref) or known.session_id or self.id_of(session_ref),
                "agent_name": self._info.name,
                "repo_path": self.calls.program.root,
                "session_ref": session_ref,
                "start_time": known.start_time or wire.rfc3339(time.time()),
                "modified_files": [],
                "new_files": [],
                "deleted_files": [],
            }
        ).encode()
        blocks = wire.base64_blocks(transcript)
        return contents.Scratch().keep(itertools.chain([session[:-1], b', "native_data": "'], blocks, [b'"}']))


def hook_input(kind: int, hook: str, event: dict[str, Any], payload: bytes = b"") -> dict[str, Any]:
    """Return the HookInput document for ``get-session-id`` and ``read-session``, from the members of an event."""
    raw = untrusted.loads(payload)
    moment = wire.MOMENT.read(event.get("timestamp")) or time.time()
    document: dict[str, Any] = {
        "hook_type": _HOOK_TYPES.get(kind) or hook.replace("-", "_"),
        "session_id": untrusted.clean(event.get("session_id")),
        "session_ref": untrusted.clean(event.get("session_ref")),
        "timestamp": wire.rfc3339(moment),
        "raw_data": raw if isinstance(raw, dict) else {},
    }
    texts = {"user_prompt": "prompt", "tool_name": "tool_name", "tool_use_id": "tool_use_id"}
    document.update({key: text for key, name in texts.items() if (text := untrusted.clean(event.get(name)))})
    if isinstance(event.get("tool_input"), dict):
        document["tool_input"] = event["tool_input"]
    return document


def _variables(root: str) -> dict[str, str]:
    return {
        "ENTIRE_REPO_ROOT": root,
        "ENTIRE_PROTOCOL_VERSION": str(VERSION),
        "ENTIRE_CLI_VERSION": entire.__version__,
    }


def _session_data(given: dict[str, Any]) -> SessionData:
    lists = (given.get(key) for key in ("modified_files", "new_files", "deleted_files"))
    return SessionData(
        session_id=untrusted.clean(given.get("session_id")),
        session_ref=wire.PATH.read(given.get("session_ref")),
        start_time=untrusted.clean(given.get("start_time")),
        native_data=wire.read_bytes(given.get("native_data")),
        files=tuple(dict.fromkeys(path for paths in lists for path in wire.TEXTS.read(paths))),
    )


def _is_below(path: str, folder: str) -> bool:
    """Tell whether a path is below a folder, however its symbolic links are followed."""
    if folder in ("", "/"):
        return False
    try:
        return os.path.realpath(path).startswith(os.path.realpath(folder) + "/")
    except ValueError:  # what the file system cannot encode
        return False


def _unprintable(text: str) -> str:
    return "it contains a control character" if any(char < " " or char == "\x7f" for char in text) else ""


def _refusal(name: str, session_ref: str, problem: str) -> str:
    return f"the plugin {name} named the transcript {session_ref[:200]!r}, which is ignored: {problem}"
