"""A folder of fixtures: what was captured from the real agent, and what it means, as JSON that any author can write.

Each file describes one case::

    payloads/*.json      {"hook": "stop", "payload": {...} or "text", "event": {"type": 3, ...} or null}
    transcripts/*.json   {"file": "two-turns.jsonl", "position": 12, "files": [...], "prompts": [...],
                          "summary": "...", "has_summary": true, "tokens": {"input_tokens": 5, ...}}
    repositories/*.json  {"present": true, "repository": {"path": "content"}, "home": {"path": "content"}}
    configs/*.json       {"repository": {"path": "content"}, "home": {...}, "is_broken": false}

``@REPO@`` and ``@HOME@`` in a text stand for the repository and the home that a check uses. Of a transcript, everything
but ``file`` may be left out; of an event, the fields that are named are compared.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from entire import UsageError
from entire.plugin import host
from entire_plugin_kit.rig import Captured, ConfigSample, Payload, Rig

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class HookCase:
    """A captured hook call, and the event it becomes; None: no event."""

    name: str
    hook: str
    payload: Any
    event: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class TranscriptCase:
    """A captured transcript, and what it holds; what is not in ``expected`` is not compared."""

    name: str
    path: Path
    data: bytes
    expected: Mapping[str, Any]

    @property
    def has_lines(self) -> bool:
        """Tell whether each of its lines is JSON, or blank."""
        lines = [line for line in self.data.splitlines() if line.strip()]
        return len(lines) > 1 and all(map(_is_json, lines))


@dataclass(frozen=True, kw_only=True)
class FilesCase:
    """Files of a repository and a home, by their relative paths."""

    name: str
    repository: Mapping[str, str]
    home: Mapping[str, str]
    present: bool = False
    is_broken: bool = False


@dataclass(frozen=True, kw_only=True)
class Fixtures:
    """Everything in a folder of fixtures."""

    payloads: tuple[HookCase, ...] = ()
    transcripts: tuple[TranscriptCase, ...] = ()
    repositories: tuple[FilesCase, ...] = ()
    configs: tuple[FilesCase, ...] = ()


def load(folder: Path) -> Fixtures:
    """Read a folder of fixtures. Raises UsageError, which names the file and what is wrong with it."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", hint="name a folder of fixtures")
    by_kind = {kind: _read_all(folder / kind, read) for kind, read in _KINDS.items()}
    if not any(by_kind.values()):
        kinds = ", ".join(f"{kind}/*.json" for kind in _KINDS)
        raise UsageError(f"there are no fixtures in {folder}", hint=f"put them in {kinds}")
    return Fixtures(**by_kind)


def _read_all(folder: Path, read: Callable[[Path, dict[str, Any]], Any]) -> tuple[Any, ...]:
    return tuple(_read(path, read) for path in sorted(folder.glob("*.json")))


def _read(path: Path, read: Callable[[Path, dict[str, Any]], Any]) -> Any:
    try:
        value = json.loads(path.read_bytes())
        if not isinstance(value, dict):
            raise ValueError("it must be an object")
        return read(path, value)
    except KeyError as error:
        raise UsageError(f"{path}: the key {error} is missing", hint=_HINT) from error
    except (ValueError, TypeError, OSError) as error:
        raise UsageError(f"{path}: {error}", hint=_HINT) from error


_HINT = "see docs/reference/promises.md for the format"


def _payload(path: Path, value: dict[str, Any]) -> HookCase:
    hook, payload, event = _text(value["hook"]), value["payload"], _object(value["event"], null=True)
    if event is not None and event["type"] not in range(1, 8):
        raise ValueError("the event's `type` must be a number from 1 to 7")
    return HookCase(name=path.stem, hook=hook, payload=payload, event=event)


def _transcript(path: Path, value: dict[str, Any]) -> TranscriptCase:
    expected = {name: value[name] for name in EXPECTED if name in value}
    file = (path.parent / _text(value["file"])).resolve()
    return TranscriptCase(name=path.stem, path=file, data=file.read_bytes(), expected=expected)


def _files(path: Path, value: dict[str, Any]) -> FilesCase:
    places = {name: _object(value.get(name, {})) for name in ("repository", "home")}
    for file, content in (item for place in places.values() for item in place.items()):
        if not isinstance(content, str) or file.startswith("/") or ".." in file.split("/"):
            raise ValueError(f"{file} must be a relative path, and its content a text")
    present, is_broken = value.get("present") is True, value.get("is_broken") is True
    return FilesCase(name=path.stem, **places, present=present, is_broken=is_broken)


def _repository(path: Path, value: dict[str, Any]) -> FilesCase:
    if not isinstance(value["present"], bool):
        raise ValueError("`present` must be true or false")
    return _files(path, value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} must be a text")
    return value


def _object(value: object, *, null: bool = False) -> Any:
    if not isinstance(value, dict) and not (null and value is None):
        raise ValueError(f"{value!r} must be an object")
    return value


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


_KINDS = {"payloads": _payload, "transcripts": _transcript, "repositories": _repository, "configs": _files}
EXPECTED = ("position", "files", "prompts", "summary", "has_summary", "tokens")
"""What a transcript case may tell."""


# ---------------------------------------------------------------- as a rig


class FixtureRig(Rig):
    """What fixtures tell of an agent, for the promises of adapters."""

    def __init__(self, fixtures: Fixtures) -> None:
        self._hooks = fixtures.payloads
        self.transcripts = [_captured(case) for case in fixtures.transcripts]
        self.configs = [
            ConfigSample(name=case.name, repository=case.repository, home=case.home, is_broken=case.is_broken)
            for case in fixtures.configs
        ]

    @property
    def payloads(self) -> Sequence[Payload]:  # type: ignore[override]
        """The hook calls, as they are made in the present folder and home."""
        return [
            Payload(name=case.name, verb=case.hook, data=_data(filled(case.payload)), event=_event(filled(case.event)))
            for case in self._hooks
        ]


def filled(value: Any, repository: str = "", home: str = "") -> Any:
    """Return a value with places in its texts, the present ones by default."""
    if isinstance(value, str):
        return value.replace("@REPO@", repository or os.getcwd()).replace("@HOME@", home or os.environ["HOME"])
    if isinstance(value, dict):
        return {name: filled(member, repository, home) for name, member in value.items()}
    return [filled(member, repository, home) for member in value] if isinstance(value, list) else value


def _data(payload: Any) -> bytes:
    return payload.encode() if isinstance(payload, str) else json.dumps(payload).encode()


def _event(event: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return an event's fields as the promises compare them."""
    if event is None:
        return None
    meant = host.read_event({"session_id": "any", **event})
    named = {name: value for name, value in vars(meant).items() if name in {**event, **event.get("entire", {})}}
    return {**named, "type": meant.type.name}


def _captured(case: TranscriptCase) -> Captured:
    told = case.expected
    summary = told.get("summary") if told.get("has_summary") is not False else ""
    return Captured(
        name=case.name,
        path=case.path,
        prompts=told.get("prompts"),
        files=told.get("files"),
        tokens=told.get("tokens"),
        summary=summary,
        count=told.get("position"),
    )
