"""Our entries in the user's settings: in, out, the rest as if nothing had been; and what keeps them from running."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from entire.agents.gemini import settings
from entire.agents.gemini.agent import Gemini
from entire.errors import EntireError, UsageError
from entire.model.health import HooksHealth, HookStatus

FOREIGN = '{"name": "mine", "type": "command", "command": "my-hook"}'
FILES = {
    "two blanks": '{\n  "model": {\n    "name": "gemini-2.5-pro"\n  }\n}\n',
    "tabs": '{\n\t"ui": {\n\t\t"theme": "x"\n\t}\n}',
    "CRLF": '{\r\n  "ui": {\r\n    "theme": "x"\r\n  }\r\n}\r\n',
    "one line": '{"hooksConfig":{"enabled":true}}',
    "empty": "{}",
    "comments": """// my settings
{
  // a theme
  "ui": { "theme": "x" }, // dark
  /* hooks: none yet */
  "a": 1 // last
}
""",
    "comments only": "{\n  // nothing yet\n}\n",
    "foreign hooks": f"""{{
  "hooks": {{
    // checks every turn
    "AfterAgent": [
      {{"hooks": [{FOREIGN}]}}
    ],
    "BeforeTool": [ {{ "matcher": "write_file", "hooks": [ {FOREIGN} ] }} ],
    "Notification": []
  }},
  "security": {{ "folderTrust": {{ "enabled": false }} }}
}}
""",
}
GO_EVENTS = ("AfterAgent", "AfterModel", "AfterTool", "BeforeAgent", "BeforeModel", "BeforeToolSelection", "SessionEnd")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def env(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(home / "system.json")}


@pytest.fixture
def agent(env: dict[str, str]) -> Gemini:
    return Gemini(env=env)


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "repo").mkdir()
    return str(tmp_path / "repo")


def write(path: Path, content: str | dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((content if isinstance(content, str) else json.dumps(content)).encode())
    return path


def project_file(root: str) -> Path:
    return Path(root, ".gemini", "settings.json")


def user_file(home: Path) -> Path:
    return home / ".gemini" / "settings.json"


def test_the_form_that_gemini_reads(agent: Gemini, root: str) -> None:
    assert agent.install_hooks(root, "project", force=False) == 7
    written = json.loads(project_file(root).read_text())

    def group(verb: str, matcher: str = "") -> list[dict[str, Any]]:
        command = f"entire hooks gemini {verb} 2>/dev/null || true"
        hook = {"name": f"entire-{verb}", "type": "command", "command": command, "timeout": 60000}
        return [{"matcher": matcher, "hooks": [hook]}]

    assert written == {
        "hooks": {
            "SessionStart": group("session-start"),
            "BeforeAgent": group("before-agent"),
            "BeforeTool": group("before-tool", "^invoke_agent$"),
            "AfterTool": group("after-tool", "^(invoke_agent|run_shell_command)$"),
            "PreCompress": group("pre-compress", "manual"),
            "AfterAgent": group("after-agent"),
            "SessionEnd": group("session-end"),
        }
    }
    assert {entry.command.split()[3] for entry in settings.TABLE.entries} < set(Gemini().hook_names)
    assert len({entry.name for entry in settings.TABLE.entries}) == 7


def test_what_we_created_goes_with_us(agent: Gemini, root: str, home: Path) -> None:
    for scope, top in (("project", Path(root)), ("user", home)):
        agent.install_hooks(root, scope, force=False)
        assert agent.hooks_health(root, scope) == HooksHealth(status=HookStatus.INSTALLED)
        assert agent.install_hooks(root, scope, force=False) == 0
        assert agent.uninstall_hooks(root, scope) == 7
        assert agent.hooks_health(root, scope) == HooksHealth(status=HookStatus.MISSING)
        assert list(top.iterdir()) == []


def test_both_scopes_hold_the_same_bytes(agent: Gemini, root: str, home: Path) -> None:
    for scope in ("project", "user"):
        agent.install_hooks(root, scope, force=False)
    assert project_file(root).read_bytes() == user_file(home).read_bytes()
    assert agent.hook_config_paths(root, "user") == (str(user_file(home)),)
    with pytest.raises(UsageError):
        agent.hook_config_paths(root, "team")


@pytest.mark.parametrize("name", FILES)
def test_a_file_comes_back_byte_for_byte(agent: Gemini, root: str, name: str) -> None:
    path = write(project_file(root), FILES[name])
    assert agent.install_hooks(root, "project", force=False) == 7
    assert agent.hooks_health(root, "project").status is HookStatus.INSTALLED
    text = path.read_text()
    assert ",\n}" not in text.replace(" ", "")  # the agent reads comments, but no comma after the last member
    for line in FILES[name].splitlines():
        assert all(piece in text for piece in line.partition("//")[1:])
    assert agent.uninstall_hooks(root, "project") == 7
    assert path.read_bytes() == FILES[name].encode()


def test_entries_of_the_go_cli_are_replaced(agent: Gemini, root: str) -> None:
    hooks = {
        event: [{"hooks": [{"name": "x", "type": "command", "command": f"entire hooks gemini {event.lower()}"}]}]
        for event in GO_EVENTS
    }
    path = write(project_file(root), json.dumps({"hooks": hooks, "hooksConfig": {"enabled": True}}, indent=2))
    assert agent.hooks_health(root, "project").status is HookStatus.STALE
    agent.install_hooks(root, "project", force=False)
    written = json.loads(path.read_text())
    assert sorted(written["hooks"]) == sorted(entry.event for entry in settings.TABLE.entries)
    assert all(len(groups) == 1 for groups in written["hooks"].values())
    assert written["hooksConfig"] == {"enabled": True}


@pytest.mark.parametrize("text", ["{", '{"hooks": []}', '{"hooks": {"AfterAgent": {}}}', "[]"])
def test_a_file_that_cannot_be_edited_is_left_alone(agent: Gemini, root: str, text: str) -> None:
    path = write(project_file(root), text)
    with pytest.raises(EntireError):
        agent.install_hooks(root, "project", force=False)
    assert path.read_text() == text


# health


@pytest.fixture
def installed(agent: Gemini, root: str) -> Gemini:
    agent.install_hooks(root, "project", force=False)
    return agent


def add(path: Path, **more: Any) -> None:
    write(path, {**(json.loads(path.read_text()) if path.exists() else {}), **more})


def test_hooks_are_switched_off(installed: Gemini, root: str, home: Path) -> None:
    add(user_file(home), hooksConfig={"enabled": False})
    assert installed.hooks_health(root, "project") == HooksHealth(
        status=HookStatus.DISABLED,
        detail=f"set `hooksConfig.enabled` to true in {user_file(home)} to record sessions",
    )
    add(project_file(root), hooksConfig={"enabled": True})  # the project's counts before the user's
    assert installed.hooks_health(root, "project").status is HookStatus.INSTALLED
    add(home / "system.json", hooksConfig={"enabled": False})  # and the machine's before both
    assert installed.hooks_health(root, "project").status is HookStatus.DISABLED


def test_hooks_are_switched_off_by_name(installed: Gemini, root: str, home: Path) -> None:
    add(user_file(home), hooksConfig={"disabled": ["entire-session-end", "entire-after-agent", "other", 7]})
    add(project_file(root), hooksConfig={"disabled": []})  # the lists are joined
    assert installed.hooks_health(root, "project") == HooksHealth(
        status=HookStatus.DISABLED,
        detail="remove `entire-after-agent`, `entire-session-end` from `hooksConfig.disabled` in "
        f"{user_file(home)} to record sessions",
    )


@pytest.mark.parametrize(
    ("rules", "is_trusted"),
    [
        ({}, True),  # the agent asks before it runs anything
        ({"REPO": "TRUST_FOLDER"}, True),
        ({"REPO": "DO_NOT_TRUST"}, False),
        ({"ABOVE": "DO_NOT_TRUST"}, False),
        ({"ABOVE": "DO_NOT_TRUST", "REPO": "TRUST_FOLDER"}, True),
        ({"ABOVE": "TRUST_FOLDER", "REPO": "DO_NOT_TRUST"}, False),
        ({"REPO/sub": "DO_NOT_TRUST"}, True),
        ({"REPOX": "DO_NOT_TRUST"}, True),
        ({"ABOVE": "DO_NOT_TRUST", "ABOVE/other": "TRUST_PARENT"}, True),
        ({"REPO": "NONSENSE"}, True),
    ],
)
def test_folders_that_the_agent_does_not_trust(
    installed: Gemini, root: str, home: Path, rules: dict[str, str], is_trusted: bool
) -> None:
    above = str(Path(root).parent)
    folders = {path.replace("REPO", root).replace("ABOVE", above): level for path, level in rules.items()}
    write(home / ".gemini" / "trustedFolders.json", folders)
    wanted = HookStatus.INSTALLED if is_trusted else HookStatus.UNTRUSTED
    assert installed.hooks_health(root, "project").status is wanted


def test_trust_can_be_decided_elsewhere(installed: Gemini, root: str, home: Path, env: dict[str, str]) -> None:
    write(home / ".gemini" / "trustedFolders.json", {root: "DO_NOT_TRUST"})
    trusting = Gemini(env={**env, "GEMINI_CLI_TRUST_WORKSPACE": "true"})
    assert trusting.hooks_health(root, "project").status is HookStatus.INSTALLED
    add(user_file(home), security={"folderTrust": {"enabled": False}})
    assert installed.hooks_health(root, "project").status is HookStatus.INSTALLED
    distrusting = Gemini(env={**env, "GEMINI_CLI_TRUST_WORKSPACE": "false"})
    assert distrusting.hooks_health(root, "project").status is HookStatus.UNTRUSTED


def test_settings_that_cannot_be_read_switch_nothing_off(installed: Gemini, root: str, home: Path) -> None:
    write(user_file(home), "nonsense")
    write(home / ".gemini" / "trustedFolders.json", '["x"]')
    assert installed.hooks_health(root, "project").status is HookStatus.INSTALLED
    assert installed.hooks_health(root, "user").status is HookStatus.UNKNOWN
