"""Our entries in the user's settings: in, again, out; the rest of the file as if nothing had been."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents import hookfiles
from entire.agents.claude_code import settings
from entire.agents.claude_code.agent import ClaudeCode
from entire.errors import EntireError, UsageError
from entire.model.health import HooksHealth, HookStatus

FOREIGN = '{"type": "command", "command": "my-hook"}'
FILES = {
    "two blanks": '{\n  "model": "opus",\n  "permissions": {\n    "allow": ["Bash(ls:*)"],\n    "deny": []\n  }\n}\n',
    "four blanks": '{\n    "env": {\n        "A": "1"\n    }\n}\n',
    "tabs": '{\n\t"env": {\n\t\t"A": "1"\n\t}\n}',
    "no final newline": '{\n  "a": 1\n}',
    "CRLF": '{\r\n  "a": {\r\n    "b": []\r\n  }\r\n}\r\n',
    "one line": '{"a":1,"permissions":{"deny":["Read(x)"]}}',
    "empty containers": '{"hooks": {}, "permissions": {}}\n',
    "empty": "{}",
    "empty with a blank": "{ }\n",
    "byte order mark": '\ufeff{\n  "a": 1\n}\n',
    "odd layout": '{ "a":1,\n\n\n   "zé" : "☃\\u2603",   "b" :[ 1,2 ,\n3 ] , "big": 1.50e400}\n\n',
    "duplicate keys": '{\n  "hooks": 1,\n  "hooks": {\n    "Stop": []\n  }\n}\n',
    "foreign hooks": f"""{{
  "hooks": {{
    "Stop": [
      {{"hooks": [{FOREIGN}]}},
      {{
        "matcher": "",
        "hooks": [
          {FOREIGN}
        ]
      }}
    ],
    "Notification": [ {{ "matcher": "x", "hooks": [] }} ],
    "PostToolUse": []
  }},
  "permissions": {{ "deny": ["Read(./.env)"], "allow": [] }}
}}
""",
}
GO = json.loads(
    '{"PreToolUse":[{"matcher":"Task","hooks":[{"type":"command","command":"entire hooks claude-code pre-task"}]}],'
    '"Stop":[{"matcher":"","hooks":[{"type":"command","command":"entire hooks claude-code stop"}]}]}'
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def agent(home: Path) -> ClaudeCode:
    return ClaudeCode(env={"HOME": str(home)})


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "repo").mkdir()
    return str(tmp_path / "repo")


def given_settings(root: str, text: str) -> Path:
    path = Path(root, ".claude", "settings.json")
    path.parent.mkdir()
    path.write_bytes(text.encode())
    return path


def status(agent: ClaudeCode, root: str, scope: str) -> HookStatus:
    return agent.hooks_health(root, scope).status


def hooks_in(path: Path) -> Any:
    return json.loads(path.read_text("utf-8-sig"))["hooks"]


def test_the_form_that_claude_code_reads(agent: ClaudeCode, root: str) -> None:
    assert agent.install_hooks(root, "project", force=False) == 11
    written = json.loads(Path(root, ".claude", "settings.json").read_text())
    assert written["permissions"] == {"deny": ["Read(./.entire/metadata/**)"]}

    def hook(verb: str, **more: int) -> list[dict[str, Any]]:
        return [{"type": "command", "command": f"entire hooks claude-code {verb} 2>/dev/null || true", **more}]

    assert written["hooks"] == {
        "SessionStart": [{"matcher": "", "hooks": hook("session-start")}],
        "UserPromptSubmit": [{"matcher": "", "hooks": hook("user-prompt-submit")}],
        "PreToolUse": [{"matcher": "Task", "hooks": hook("pre-task")}],
        "PostToolUse": [
            {"matcher": "Task", "hooks": hook("post-task")},
            {"matcher": "TodoWrite", "hooks": hook("post-todo")},
            {"matcher": "TaskCreate|TaskUpdate", "hooks": hook("post-todo")},
        ],
        "SubagentStop": [{"matcher": "", "hooks": hook("subagent-stop")}],
        "PreCompact": [{"matcher": "", "hooks": hook("pre-compact")}],
        "Stop": [{"matcher": "", "hooks": hook("stop", timeout=60)}],
        "StopFailure": [{"matcher": "", "hooks": hook("stop-failure")}],
        "SessionEnd": [{"matcher": "", "hooks": hook("session-end", timeout=30)}],
    }


def test_what_we_created_goes_with_us(agent: ClaudeCode, root: str, home: Path) -> None:
    for scope in ("project", "user"):
        agent.install_hooks(root, scope, force=False)
        assert status(agent, root, scope) is HookStatus.INSTALLED
        assert agent.uninstall_hooks(root, scope) == 11
        assert status(agent, root, scope) is not HookStatus.INSTALLED
    assert os.listdir(root) == []
    assert os.listdir(home) == []
    assert agent.uninstall_hooks(root, "project") == 0


def test_both_scopes_hold_the_same_bytes(agent: ClaudeCode, root: str, home: Path) -> None:
    for scope in ("project", "user"):
        agent.install_hooks(root, scope, force=False)
    assert agent.hook_config_paths(root, "user") == (str(home / ".claude" / "settings.json"),)
    assert (home / ".claude" / "settings.json").read_bytes() == Path(root, ".claude", "settings.json").read_bytes()
    with pytest.raises(UsageError):
        agent.hook_config_paths(root, "planet")


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_in_and_out_gives_the_bytes_back(agent: ClaudeCode, root: str, text: str) -> None:
    path = given_settings(root, text)
    before = path.read_bytes()
    assert agent.install_hooks(root, "project", force=False) == 11
    assert status(agent, root, "project") is HookStatus.INSTALLED
    installed = path.read_bytes()
    assert b"\r\n" not in installed or installed.count(b"\n") == installed.count(b"\r\n")
    after = json.loads(path.read_text("utf-8-sig"))
    for key, value in json.loads(text.removeprefix("\ufeff")).items():
        if key not in ("hooks", "permissions"):
            assert after[key] == value
    assert agent.uninstall_hooks(root, "project") == 11
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_the_second_time_writes_nothing(agent: ClaudeCode, root: str, text: str) -> None:
    path = given_settings(root, text)
    agent.install_hooks(root, "project", force=False)
    installed = path.read_bytes()
    os.utime(path, (1, 1))
    assert agent.install_hooks(root, "project", force=False) == 0
    assert (path.read_bytes(), path.stat().st_mtime) == (installed, 1)
    assert agent.install_hooks(root, "project", force=True) == 11
    assert sorted(map(str, hooks_in(path))) == sorted(map(str, json.loads(installed.decode("utf-8-sig"))["hooks"]))


def test_the_users_entries_come_first_and_stay(agent: ClaudeCode, root: str) -> None:
    path = given_settings(root, FILES["foreign hooks"])
    agent.install_hooks(root, "project", force=False)
    stop = hooks_in(path)["Stop"]
    assert [group["hooks"][0]["command"].split()[0] for group in stop] == ["my-hook", "my-hook", "entire"]
    deny = json.loads(path.read_text())["permissions"]["deny"]
    assert deny == ["Read(./.env)", "Read(./.entire/metadata/**)"]


def test_what_the_user_adds_meanwhile_stays(agent: ClaudeCode, root: str) -> None:
    path = given_settings(root, FILES["foreign hooks"])
    agent.install_hooks(root, "project", force=False)
    value = json.loads(path.read_text())
    value["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "later"}]})
    value["hooks"]["Stop"][2]["hooks"].append({"type": "command", "command": "in our group"})
    value["model"] = "x"
    path.write_text(json.dumps(value, indent=2))
    assert agent.uninstall_hooks(root, "project") == 11
    left = json.loads(path.read_text())
    assert left["model"] == "x"
    commands = [hook["command"] for group in left["hooks"]["Stop"] for hook in group["hooks"]]
    assert commands == ["my-hook", "my-hook", "in our group", "later"]
    assert "entire" not in path.read_text()


def test_entries_of_the_go_cli_are_replaced(agent: ClaudeCode, root: str) -> None:
    path = given_settings(root, json.dumps({"hooks": GO, "permissions": {"deny": [settings.DENY]}}, indent=2))
    assert status(agent, root, "project") is not HookStatus.INSTALLED
    assert agent.install_hooks(root, "project", force=False) == 11
    assert json.loads(path.read_text())["hooks"] == hooks_in(path)
    assert path.read_text().count("entire hooks") == 11
    # the Go CLI adds its bare entries beside ours
    value = json.loads(path.read_text())
    value["hooks"]["Stop"] += GO["Stop"]
    path.write_text(json.dumps(value, indent=2))
    assert status(agent, root, "project") is HookStatus.INSTALLED
    assert agent.install_hooks(root, "project", force=False) == 1
    assert path.read_text().count("entire hooks") == 11


def test_a_flat_entry_that_disables_the_file_is_repaired(agent: ClaudeCode, root: str) -> None:
    path = given_settings(root, '{"hooks": {"Stop": [{"command": "entire hooks claude-code stop"}]}}')
    agent.install_hooks(root, "project", force=False)
    assert len(hooks_in(path)["Stop"]) == 1
    assert status(agent, root, "project") is HookStatus.INSTALLED


def test_a_changed_or_missing_entry_is_repaired(agent: ClaudeCode, root: str) -> None:
    agent.install_hooks(root, "project", force=False)
    path = Path(root, ".claude", "settings.json")
    good = path.read_bytes()
    path.write_bytes(good.replace(b'"timeout": 60', b'"timeout": 1'))
    assert status(agent, root, "project") is not HookStatus.INSTALLED
    assert agent.install_hooks(root, "project", force=False) == 1
    assert json.loads(path.read_bytes()) == json.loads(good)
    value = json.loads(good)
    del value["permissions"]
    path.write_text(json.dumps(value))
    assert agent.install_hooks(root, "project", force=False) == 1
    assert status(agent, root, "project") is HookStatus.INSTALLED


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"a": 1,}',
        '{\n  // mine\n  "a": 1\n}',
        "[]",
        '"x"',
        "\udcff",
        '{"hooks": []}',
        '{"hooks": null}',
        '{"hooks": {"Stop": {}}}',
        '{"hooks": {"Stop": "entire hooks x"}}',
        '{"permissions": []}',
        '{"permissions": {"deny": "x"}}',
    ],
)
def test_a_file_we_do_not_understand_is_not_touched(agent: ClaudeCode, root: str, text: str) -> None:
    path = given_settings(root, "{}")
    data = text.encode("utf-8", "surrogateescape")
    path.write_bytes(data)
    with pytest.raises(EntireError) as caught:
        agent.install_hooks(root, "project", force=False)
    assert caught.value.hint
    assert ("comments" in caught.value.hint) is ("//" in text)
    assert path.read_bytes() == data
    assert os.listdir(path.parent) == ["settings.json"]
    assert status(agent, root, "project") is not HookStatus.INSTALLED


def test_a_linked_file_is_written_through(agent: ClaudeCode, root: str, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text('{"a": 1}\n')
    target.chmod(0o600)
    path = Path(root, ".claude", "settings.json")
    path.parent.mkdir()
    path.symlink_to(target)
    agent.install_hooks(root, "project", force=False)
    assert path.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o600
    assert len(hooks_in(target)) == 9
    agent.uninstall_hooks(root, "project")
    assert path.is_symlink()
    assert target.read_text() == '{"a": 1}\n'


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o666])
def test_the_mode_stays(agent: ClaudeCode, root: str, mode: int) -> None:
    path = given_settings(root, "{}")
    path.chmod(mode)
    agent.install_hooks(root, "project", force=False)
    assert path.stat().st_mode & 0o777 == mode


def test_an_empty_file_counts_as_none(agent: ClaudeCode, root: str) -> None:
    given_settings(root, "\n")
    assert agent.install_hooks(root, "project", force=False) == 11
    assert status(agent, root, "project") is HookStatus.INSTALLED


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
groups = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(st.fixed_dictionaries({"command": st.sampled_from(["a", "b"])}), max_size=2)}
    ),
    max_size=3,
)
documents = st.fixed_dictionaries(
    {},
    optional={
        "a": values,
        "hooks": st.dictionaries(st.sampled_from(["Stop", "PreToolUse", "PostToolUse", "Other"]), groups, max_size=3),
        "permissions": st.fixed_dictionaries({}, optional={"allow": values, "deny": st.lists(scalars, max_size=3)}),
        "z": values,
    },
)
layouts = st.sampled_from([None, 1, 2, 4, "\t"])


@given(documents, layouts, st.booleans(), st.sampled_from(["", "\n", "\r\n"]), st.booleans())
def test_any_settings_come_back(
    tmp_path_factory: pytest.TempPathFactory, value: dict[str, Any], indent: Any, ascii_only: bool, end: str, crlf: bool
) -> None:
    path = tmp_path_factory.mktemp("settings") / "settings.json"
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only) + end
    text = text.encode("utf-8", "replace").decode()
    if crlf:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    path.write_bytes(text.encode())
    value = json.loads(text)
    hookfiles.install(str(path), settings.TABLE, force=False)
    installed = path.read_bytes()
    after = json.loads(installed)
    assert [key for key in after if key in value] == list(value)
    for event, theirs in value.get("hooks", {}).items():
        assert after["hooks"][event][: len(theirs)] == theirs
    assert hookfiles.health(str(path), settings.TABLE).status is HookStatus.INSTALLED
    assert hookfiles.install(str(path), settings.TABLE, force=False) == 0
    hookfiles.uninstall(str(path), settings.TABLE)
    assert path.read_bytes() == text.encode()
    hookfiles.install(str(path), settings.TABLE, force=False)
    assert path.read_bytes() == installed


ON, OFF = '{"disableAllHooks": false}', '{"disableAllHooks": true}'


@pytest.mark.parametrize(
    ("managed", "local", "user", "by"),
    [
        ("", "", "", ""),
        ("", OFF, "", "local"),
        ("", "", OFF, "user"),
        ("", ON, OFF, ""),
        (OFF, ON, "", "managed"),
        ("", "{" + OFF, OFF, "user"),
        ("", '{"disableAllHooks": 1}', "[]", ""),
        ('{"allowManagedHooksOnly": true}', "", "", "managed"),
    ],
)
@pytest.mark.parametrize("scope", ["project", "user"])
def test_hooks_that_are_switched_off(
    agent: ClaudeCode, root: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    managed: str, local: str, user: str, by: str, scope: str,
) -> None:  # fmt: skip
    files = {
        "managed": tmp_path / "managed-settings.json",
        "local": Path(root, ".claude", "settings.local.json"),
        "user": home / ".claude" / "settings.json",
    }
    monkeypatch.setattr(settings, "managed_path", lambda: str(files["managed"]))
    assert agent.hooks_health(root, scope) == HooksHealth(status=HookStatus.MISSING)
    for path, text in zip(files.values(), (managed, local, user), strict=True):
        if text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    if scope == "user" and user == "[]":
        assert status(agent, root, scope) is HookStatus.UNKNOWN
        return
    agent.install_hooks(root, scope, force=False)
    health = agent.hooks_health(root, scope)
    if not by:
        assert health == HooksHealth(status=HookStatus.INSTALLED)
        return
    key = "allowManagedHooksOnly" if "Only" in managed else "disableAllHooks"
    assert health.status is HookStatus.DISABLED
    assert health.detail == f"remove `{key}` from {files[by]} to record sessions"


def test_the_projects_own_switch(agent: ClaudeCode, root: str) -> None:
    path = given_settings(root, OFF)
    agent.install_hooks(root, "project", force=False)
    assert agent.hooks_health(root, "project").detail == f"remove `disableAllHooks` from {path} to record sessions"
    assert agent.install_hooks(root, "project", force=True) == 11
    assert json.loads(path.read_text())["disableAllHooks"] is True
