"""Checks of what a plugin says about itself."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entire.plugin import host
from entire.plugin.host import protocol
from entire_plugin_kit.answer import Call
from entire_plugin_kit.fixtures import filled
from entire_plugin_kit.program import call
from entire_plugin_kit.program.probe import dumps
from entire_plugin_kit.promise import Failed

if TYPE_CHECKING:
    from entire_plugin_kit.program.probe import Probe

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_TEXTS = ("name", "type", "description")
_STARTS = 5


def has_a_file_name(probe: Probe) -> None:
    """The file is an executable, and is called `entire-agent-` and a name of small letters, digits, dots and dashes."""
    path = probe.plugin.path
    file = os.path.basename(path)
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        raise Failed(f"{path} is a file that may be executed: `chmod +x` makes it one")
    if not file.startswith(protocol.PREFIX):
        raise Failed(f"the file's name, {file}, starts with `{protocol.PREFIX}`")
    if not _NAME.fullmatch(file.removeprefix(protocol.PREFIX)):
        raise Failed(
            "the rest of the file's name has only small letters, digits, '.', '_' and '-', and at most 64 of them"
        )


def describes_itself(probe: Probe) -> None:
    """`info` tells protocol 1, the name in the file's name, a type and a description, and hook names exactly if the
    plugin has hooks.
    """
    info = probe.value("info")
    probe.require(probe.field(info, "protocol_version", int) == protocol.VERSION, "`protocol_version` is 1")
    for name in _TEXTS:
        probe.require(probe.field(info, name, str), f"`{name}` is not empty")
    probe.require(info["name"] == probe.plugin.name, f"`name` is {probe.plugin.name!r}, as in the file's name")
    capabilities = probe.field(info, "capabilities", dict, null=True) or {}
    probe.require(all(isinstance(value, bool) for value in capabilities.values()), "each capability is true or false")
    names = _texts(probe, info, "hook_names")
    has_hooks = capabilities.get("hooks") is True
    probe.require(bool(names) == has_hooks, "`hook_names` is not empty exactly if the capability `hooks` is true")
    probe.require(len(set(names)) == len(names), "no hook name is there twice")
    probe.require(all(_NAME.fullmatch(name) for name in names), "hook names have only small letters, digits and '-'")
    for folder in _texts(probe, info, "protected_dirs"):
        parts = Path(folder).parts
        is_inside = bool(parts) and not os.path.isabs(folder) and ".." not in parts
        probe.require(is_inside, "`protected_dirs` are relative to the repository and inside it")
    _texts(probe, info, "caller_env_vars")
    _remark(probe, info)


def _texts(probe: Probe, info: dict[str, Any], name: str) -> list[str]:
    texts = probe.field(info, name, list, null=True) if name in info else []
    probe.require(all(isinstance(text, str) and text for text in texts or []), f"`{name}` holds texts")
    return texts or []


def _remark(probe: Probe, info: dict[str, Any]) -> None:
    for name in ("hook_names", "protected_dirs", "capabilities"):
        if info.get(name) is None:
            probe.note(f"`{name}` is null or missing; write it, with nothing in it if need be")
    known = {*protocol.CAPABILITIES, *protocol.EXTENSIONS, "uses_terminal"}
    if unknown := sorted(set(info.get("capabilities") or {}) - known):
        probe.note(f"no host knows the capabilities {', '.join(unknown)}")
    if built_in := sorted({info["name"], info["type"]} & host.built_in()):
        probe.note(f"{' and '.join(built_in)} is built in: Entire then ignores the plugin")


def describes_itself_anywhere(probe: Probe) -> None:
    """`info` needs no repository, no HOME and no input, and always says the same."""
    told = probe.ok("info").stdout
    nowhere = {"HOME": str(probe.base / "no-home"), "ENTIRE_REPO_ROOT": str(probe.base / "outside")}
    for how in ({}, {"folder": str(probe.base / "outside"), "env": nowhere}, {"stdin": dumps({"a": 1}) * 1000}):
        probe.require(probe.ok("info", **how).stdout == told, "the same answer as before, byte for byte")


def starts_quickly(probe: Probe) -> None:
    """`info` works little more than an empty program of the same interpreter: it reads no files and loads little."""
    probe.ok("info")
    own = _least(probe, probe.plugin.path, "info")
    bare = _least(probe, _empty_program(probe))
    unit = _least(probe, sys.executable, "-I", "-S", "-c", "pass")
    told = f"`info` takes {own * 1000:.0f} ms of CPU, an empty program of the same kind {bare * 1000:.0f} ms"
    if own > bare + 20 * unit and own > 3 * bare:
        raise Failed(f"{told}: at most {(bare + 4 * unit) * 1000:.0f} ms would be good", probe.answers[-1])
    if own > bare + 4 * unit:
        probe.note(f"{told}; load later what `info` does not need")


def _least(probe: Probe, path: str, *words: str) -> float:
    """Return the least CPU time that a call takes: the time on the clock would measure how busy the machine is."""
    request = probe.request(*words)
    calls = [call.run(Call(**{**vars(request), "path": path})) for _ in range(_STARTS)]
    return min(answer.cpu_seconds for answer in calls)


def _empty_program(probe: Probe) -> str:
    """Return an empty program for the plugin's interpreter; one that does nothing, if the plugin is compiled."""
    with open(probe.plugin.path, "rb") as file:
        first = file.readline(300)
    empty = probe.base / "empty-program"
    empty.write_bytes(first if first.startswith(b"#!") else b"#!/bin/sh\n")
    empty.chmod(0o755)
    return str(empty)


def detects(probe: Probe) -> None:
    """`detect` tells whether the agent is here, with a true or false; of a captured repository, it tells the truth."""
    probe.field(probe.value("detect"), "present", bool)
    for case in probe.fixtures.repositories:
        other = probe.another(f"case-{case.name}")
        for folder, files in ((other.top, case.repository), (other.home, case.home)):
            for name, content in files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(filled(content, str(other.top), str(other.home)))
        is_present = probe.field(other.value("detect"), "present", bool)
        probe.require(is_present is case.present, f"{case.name}: `present` is {str(case.present).lower()}")


def refuses_unknown_subcommands(probe: Probe) -> None:
    """An unknown subcommand, or none, is refused with a message: that is how a host learns what a plugin cannot do."""
    for words in (("no-such-subcommand",), (), ("",)):
        probe.refuses(*words)


def ignores_unknown_options(probe: Probe) -> None:
    """An option that is not known is ignored, with its value: newer hosts may have it."""
    for unknown in (("--a-newer-option", "its-value"), ("--a-newer-option",)):
        answer = probe.ends("detect", *unknown)
        if answer.is_ok:
            probe.object_of(answer)
        else:
            probe.note("an option that is not known is refused; ignore it, as newer hosts may have it")
