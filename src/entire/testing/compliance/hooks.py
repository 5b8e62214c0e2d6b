"""Checks of the capability ``hooks``: what is installed, and what hook calls mean."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entire.model.ids import is_session_id
from entire.testing.compliance.check import Skipped
from entire.testing.compliance.probe import SESSION, dumps
from entire.testing.compliance.sessions import is_time

if TYPE_CHECKING:
    from entire.testing.compliance.call import Answer
    from entire.testing.compliance.probe import Probe

_NONSENSE = (
    b"null", b"[]", b"{}", b"7", b'"text"', b"{", b"nonsense", b"\x00\x01\xff", b"\xef\xbb\xbf{}", b"[" * 100_000,
    b'{"session_id": 7, "transcript_path": [], "hook_type": {}}', b'{"session_id": "\\ud800"}',
    b'{"session_id": "../../outside"}', b'{"session_id": "a/b"}', b'{"session_id": ""}', b"9" * 5000,
)  # fmt: skip
_MESSAGES = ("a message", "two\nlines", 'say "hi"', "it's", "ünïcödé 漢字", "$HOME `x` \\ %s", "x" * 5000)
_USERS = {"kept by the user": {"deep": [1, 2, {"x": None}], "text": "ü"}}


# ---------------------------------------------------------------- installing


def installs_hooks(probe: Probe) -> None:
    """Hooks are not installed at first; installing reports how many; once they are, it reports 0; after uninstalling
    they are gone, and can be installed again.
    """
    for _ in range(2):
        probe.require(not installed(probe), "`installed` is false")
        probe.require(install(probe) >= 1, "`hooks_installed` is at least 1")
        probe.require(installed(probe), "`installed` is true")
        probe.require(install(probe) == 0, "`hooks_installed` is 0 where all are installed")
        probe.ok("uninstall-hooks")
    probe.require(not installed(probe), "`installed` is false")


def takes_every_flag(probe: Probe) -> None:
    """`install-hooks` takes `--force` and `--local-dev`."""
    for flags in (("--force",), ("--local-dev",), ("--local-dev", "--force")):
        install(probe, *flags)
        probe.require(installed(probe), "`installed` is true")


def installed(probe: Probe) -> bool:
    return bool(probe.field(probe.value("are-hooks-installed"), "installed", bool))


def install(probe: Probe, *flags: str) -> int:
    return int(probe.field(probe.value("install-hooks", *flags), "hooks_installed", int))


def leaves_no_trace(probe: Probe) -> None:
    """Uninstalling removes everything that installing wrote, leaves the user's other files alone, and does nothing
    where nothing is installed.
    """
    for name in ("notes.txt", ".hidden/settings.json"):
        for folder in (probe.home, probe.top):
            _write(folder / name, b"the user's\n")
    before = _places(probe)
    probe.ok("uninstall-hooks")
    probe.require(_places(probe) == before, "nothing changes where nothing is installed")
    for _ in range(2):
        install(probe)
        changed = _changed(before, _places(probe))
        probe.require(not set(changed) & set(before), f"no file of the user's changes: {', '.join(changed)}")
        probe.ok("uninstall-hooks")
        left = _changed(before, _places(probe))
        probe.require(not left, f"every file and folder is as before; {', '.join(left)} is not")


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _places(probe: Probe) -> dict[str, tuple[int, bytes]]:
    return probe.tree(probe.home, probe.top)


def _changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return what is new, gone or different."""
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def _written(probe: Probe) -> list[Path]:
    """Return the files that installing writes, relative to the base, tried in surroundings of their own."""
    trial = probe.another("trial")
    before = _places(trial)
    install(trial)
    after = _places(trial)
    names = [name for name in _changed(before, after) if (trial.base / name).is_file()]
    return [Path(name) for name in names]


def _configurations(probe: Probe) -> list[Path]:
    """Return those of the files that hold a JSON object, which users may have more in."""
    trial = probe.base / "trial"
    found = []
    for name in _written(probe):
        try:
            value = json.loads((trial / name).read_bytes())
        except ValueError:
            continue
        found += [name] if isinstance(value, dict) else []
    if not found:
        raise Skipped("it installs no JSON file, which others could have entries in")
    return found


def keeps_the_users_entries(probe: Probe) -> None:
    """Where a JSON file has entries of the user's, they stay when hooks are installed, and uninstalling restores it,
    also if the hooks were installed twice.
    """
    names = _configurations(probe)
    for name in names:
        _write(probe.base / name, json.dumps(_USERS, indent=3, ensure_ascii=False).encode() + b"\n\n")
    before = _places(probe)
    install(probe)
    install(probe, "--force")
    for name in names:
        value = json.loads((probe.base / name).read_bytes())
        is_there = isinstance(value, dict) and value.items() >= _USERS.items()
        probe.require(is_there, f"{name} still has the user's entry")
    probe.ok("uninstall-hooks")
    for name in names:
        data = (probe.base / name).read_bytes() if (probe.base / name).exists() else b""
        probe.require(data.strip() and json.loads(data) == _USERS, f"{name} has what it had before, and nothing else")
    if _changed(before, _places(probe)):
        probe.note("the user's JSON file has its entries back, but is laid out in another way than before")


def refuses_a_broken_configuration(probe: Probe) -> None:
    """A JSON file that cannot be read is left as it is, neither overwritten nor deleted."""
    names = _configurations(probe)
    for name in names:
        _write(probe.base / name, b'{"the user made": "a mistake here",\n')
    before = _places(probe)
    probe.ends("install-hooks")
    _must_be_left(probe, before)
    probe.ends("uninstall-hooks")
    _must_be_left(probe, before)
    answer = probe.ends("are-hooks-installed")
    told = probe.object_of(answer).get("installed") if answer.is_ok else False
    probe.require(told is False, "`installed` is false, or a refusal", answer)


def _must_be_left(probe: Probe, before: dict[str, Any]) -> None:
    changed = [name for name in _changed(before, _places(probe)) if name in before]
    probe.require(not changed, f"{', '.join(changed)} is as before")


def installs_its_own_commands(probe: Probe) -> None:
    """What is installed calls `entire hooks` with the plugin's name and hook names that `info` declares."""
    names = _written(probe)
    if not names:
        raise Skipped("installing writes no file below HOME or the repository")
    text = "\n".join((probe.base / "trial" / name).read_text(errors="replace") for name in names)
    called = re.findall(r"entire[\"',\s]+hooks[\"',\s]+([a-z0-9._-]+)[\"',\s]+([a-z0-9._-]+)", text)
    if not called:
        probe.note(f"no `entire hooks {probe.plugin.name} HOOK` is found in what is installed")
    for name, verb in called:
        probe.require(name == probe.plugin.name, f"commands call `entire hooks {probe.plugin.name}`, not {name}")
        probe.require(verb in probe.plugin.hook_names, f"`{verb}`, which is installed, is one of the `hook_names`")


# ---------------------------------------------------------------- hook calls


def understands_hook_calls(probe: Probe) -> None:
    """Every declared hook takes a HookInput: it answers null, nothing, or an event with a type from 1 to 7, the
    session's id, and a time with a zone if it has one.
    """
    ref = probe.ref()
    for hook in probe.plugin.hook_names:
        given = probe.hook_input(hook.replace("-", "_"), ref=ref, cwd=str(probe.top))
        _event(probe, probe.ok("parse-hook", "--hook", hook, stdin=dumps(given)), (SESSION,))


def takes_empty_hook_calls(probe: Probe) -> None:
    """Every declared hook takes empty input, and answers null, nothing or an event."""
    for hook in probe.plugin.hook_names:
        _event(probe, probe.ok("parse-hook", "--hook", hook, stdin=b""), None)


def survives_nonsense(probe: Probe) -> None:
    """No payload makes a hook crash, hang or report a session whose id is no name: it answers null or nothing, or fails
    with a message.
    """
    for hook in probe.plugin.hook_names:
        for data in _NONSENSE:
            answer = probe.ends("parse-hook", "--hook", hook, stdin=data)
            if answer.is_ok:
                _event(probe, answer, None)
    answer = probe.ends("parse-hook", "--hook", "no-such-hook", stdin=dumps(probe.hook_input("stop")))
    if answer.is_ok:
        value = probe.json_of(answer) if answer.stdout.strip() else None
        probe.require(value is None, "an unknown hook is no event: null, nothing or a refusal", answer)


def _event(probe: Probe, answer: Answer, ids: tuple[str, ...] | None) -> dict[str, Any] | None:
    """Return the event of an answer, which must be one, or nothing."""
    value = probe.json_of(answer) if answer.stdout.strip() else None
    if value is None:
        return None
    probe.require(isinstance(value, dict), "null, or a JSON object", answer)
    probe.require(1 <= probe.field(value, "type", int) <= 7, "`type` is a number from 1 to 7")
    session_id = value.get("session_id")
    if ids is not None:
        probe.require(session_id in ids, f"`session_id` is {ids[0]!r}", answer)
    else:
        is_usable = session_id in (None, "") or (isinstance(session_id, str) and is_session_id(session_id))
        probe.require(is_usable, "`session_id` could be a file's name, or is empty", answer)
    time = value.get("timestamp")
    probe.require(not time or is_time(time), "`timestamp` is RFC 3339 with a zone", answer)
    metadata = value.get("metadata")
    texts = metadata is None or (
        isinstance(metadata, dict) and all(isinstance(text, str) for text in metadata.values())
    )
    probe.require(texts, "`metadata` maps texts to texts", answer)
    return value  # type: ignore[no-any-return]


def shows_messages(probe: Probe) -> None:
    """`write-hook-response` takes any message."""
    for message in _MESSAGES:
        answer = probe.ok("write-hook-response", "--message", message)
        if not answer.stdout:
            probe.note("`write-hook-response` prints nothing: the user does not see the message")
