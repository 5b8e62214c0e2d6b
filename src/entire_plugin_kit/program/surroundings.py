"""Checks of unusual surroundings: paths, a HOME that cannot be written, other versions; and of what is left there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from entire_plugin_kit.program import transcripts
from entire_plugin_kit.program.probe import SAMPLE, SESSION, dumps
from entire_plugin_kit.program.processes import ordinary_calls

if TYPE_CHECKING:
    from entire_plugin_kit.program.probe import Probe

_NAMES = ("two words; quo'te\"s", "ünïcödé 漢字 $(touch hit)", "new\nline & back\\slash", "-dash *?[x]")


def works_in_any_folder(probe: Probe) -> None:
    """A repository and a HOME whose names have blanks, quotes, newlines or letters of any language are like others."""
    for number, name in enumerate(_NAMES):
        other = probe.another(f"place-{number}", repo=name, home=f"home {name}")
        ref = other.ref()
        other.write(SAMPLE, SESSION, ref)
        other.require(other.transcript(ref) == SAMPLE, f"the {len(SAMPLE)} bytes that were written")
        given = dumps(other.hook_input("stop", ref=ref))
        stored = other.value("read-session", stdin=given)
        other.require(stored.get("repo_path") == str(other.top), f"`repo_path` is {str(other.top)!r}")
        other.require(stored.get("session_ref") == ref, f"`session_ref` is {ref!r}")
        if "transcript_analyzer" in probe.plugin.capabilities:
            transcripts.position(other, ref)
            transcripts.files(other, ref, 0)
            transcripts.prompts(other, ref, 0)
            transcripts.summary(other, ref)
        if "hooks" in probe.plugin.capabilities:
            other.value("install-hooks")
            other.require(other.value("are-hooks-installed").get("installed") is True, "`installed` is true")
            for hook in probe.plugin.hook_names:
                other.ok("parse-hook", "--hook", hook, stdin=given)
            other.ok("uninstall-hooks")
        probe.require(not list(other.base.rglob("hit")), "nothing in a path is run as a command")


def takes_any_session_folder(probe: Probe) -> None:
    """`resolve-session-file` finds sessions in the folder that it is given, whatever its name."""
    for name in _NAMES:
        folder = str(probe.home / name)
        words = ("resolve-session-file", "--session-dir", folder, "--session-id", SESSION)
        path = probe.field(probe.value(*words), "session_file", str)
        probe.require(not path.startswith("/") or path.startswith(folder + "/"), f"a path in {folder!r}")


def works_in_a_read_only_home(probe: Probe) -> None:
    """Where HOME cannot be written, everything that only asks is answered; writing fails with a message."""
    file = probe.base / "file"
    file.write_text("HOME leads below this file, where there can be no folder\n")
    home = str(file / "home")
    changes = {name: value.replace(str(probe.home), home) for name, value in probe.env.items()}
    for words, given in ordinary_calls(probe):
        probe.json_of(probe.ok(*words, stdin=given, env=changes))
    given = dumps(probe.hook_input("stop"))
    for hook in probe.plugin.hook_names if "hooks" in probe.plugin.capabilities else ():
        probe.ok("parse-hook", "--hook", hook, stdin=given, env=changes)
    ref = f"{home}/sessions/{SESSION}.jsonl"
    probe.refuses("write-session", stdin=dumps(probe.session(SAMPLE, SESSION, ref)), env=changes)


def meets_other_versions(probe: Probe) -> None:
    """A host of another version gets what this plugin speaks, protocol 1, or is refused with a message; nothing else
    happens.
    """
    normal = {words: probe.ok(*words, stdin=given).stdout for words, given in ordinary_calls(probe)}
    for version in ("2", "", "two"):
        for words, given in ordinary_calls(probe):
            answer = probe.ends(*words, stdin=given, env={"ENTIRE_PROTOCOL_VERSION": version})
            is_same = not answer.is_ok or answer.stdout == normal[words]
            probe.require(is_same, "the same answer as to version 1, or a refusal", answer)
    bare = {name: value for name, value in probe.env.items() if not name.startswith("ENTIRE_")}
    probe.env = bare
    probe.ends("info")


def writes_only_where_it_may(probe: Probe) -> None:
    """Nothing is written but in HOME, in the temporary folder and in the repository's own folders: not into its git
    data, not over its files, not beside it; and what only asks changes nothing in the repository.
    """
    outside, git = probe.base / "outside", probe.top / ".git"
    (outside / "file").write_text("untouched\n")
    surroundings = probe.tree(probe.top, outside), sorted(path.name for path in probe.base.iterdir())
    for words, given in ordinary_calls(probe):
        probe.call(*words, stdin=given)
    for hook in probe.plugin.hook_names if "hooks" in probe.plugin.capabilities else ():
        probe.call("parse-hook", "--hook", hook, stdin=dumps(probe.hook_input("stop")))
    now = probe.tree(probe.top, outside), sorted(path.name for path in probe.base.iterdir())
    probe.require(now == surroundings, f"nothing is new or changed: {_changes(surroundings[0], now[0])}")
    before = probe.tree(git, outside), (probe.top / "README.md").read_bytes()
    probe.write(SAMPLE, SESSION, probe.ref())
    if "hooks" in probe.plugin.capabilities:
        probe.value("install-hooks")
    after = probe.tree(git, outside), (probe.top / "README.md").read_bytes()
    probe.require(
        after == before, f"nothing is new or changed in git's data and outside: {_changes(before[0], after[0])}"
    )


def _changes(before: dict[str, tuple[int, bytes]], after: dict[str, tuple[int, bytes]]) -> str:
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return json.dumps(names, ensure_ascii=False)
