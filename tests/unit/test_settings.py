"""Settings: read as they come, written so that the Go CLI reads them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire import settings
from entire.layout import Place
from entire.settings import Key, Proposal, Settings

GO_KEYS = {"strategy", "enabled", "local_dev", "log_level", "strategy_options", "telemetry"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "repo/.entire").mkdir(parents=True)
    git_dir = str(tmp_path / "repo/.git")
    return Place(top=str(tmp_path / "repo"), git_dir=git_dir, common_dir=git_dir)


@pytest.fixture
def linked(place: Place, tmp_path: Path) -> Place:
    (tmp_path / "linked/.entire").mkdir(parents=True)
    return Place(
        top=str(tmp_path / "linked"),
        git_dir=f"{place.git_dir}/worktrees/linked",
        common_dir=place.git_dir,
        worktree_name="linked",
    )


def put(path: str, value: object) -> None:
    Path(path).write_text(value if isinstance(value, str) else json.dumps(value))


def load(place: Place, **env: str) -> Settings:
    found = settings.load(place, env)
    assert found is not None
    return found


def test_without_a_file_entire_is_not_enabled(place: Place) -> None:
    assert settings.load(place, {}) is None


def test_an_empty_object_has_the_defaults(place: Place) -> None:
    put(place.settings, {})
    assert load(place) == Settings()


def test_what_the_go_cli_writes_is_read_without_a_warning(place: Place) -> None:
    put(
        place.settings,
        {
            "strategy": "manual-commit",
            "enabled": True,
            "local_dev": False,
            "log_level": "debug",
            "strategy_options": {"push_sessions": False, "summarize": {"enabled": True}},
            "telemetry": False,
        },
    )
    found = load(place)
    assert found.warnings == ()
    assert (found.enabled, found.push_sessions, found.log_level) == (True, False, "debug")
    assert found.options["summarize"] == {"enabled": True}


def test_local_settings_come_on_top(place: Place) -> None:
    put(
        place.settings,
        {"enabled": True, "log_level": "warn", "strategy_options": {"push_sessions": True, "a": {"b": 1}}},
    )
    put(place.local_settings, {"enabled": False, "log_level": "", "strategy_options": {"a": {"c": 2}}})
    found = load(place)
    assert not found.enabled
    assert found.log_level == "warn"  # an empty string does not override
    assert found.push_sessions is True  # merged one level deep ...
    assert found.options["a"] == {"c": 2}  # ... and not two


def test_a_linked_worktree_has_its_own_then_the_local_ones_of_the_main_worktree(place: Place, linked: Place) -> None:
    put(place.settings, {"enabled": True})
    assert settings.load(linked, {}) is None  # tracked: another branch need not have it
    put(linked.settings, {"enabled": True})
    put(place.local_settings, {"enabled": False, "strategy_options": {"push_sessions": True}})
    found = load(linked)
    assert (found.enabled, found.push_sessions) == (False, True)
    put(linked.local_settings, {"enabled": True})
    assert load(linked).enabled
    assert not load(place).enabled


def test_worktrees_may_differ_in_their_strategy(place: Place, linked: Place) -> None:
    put(place.settings, {"strategy": "manual-commit"})
    put(linked.settings, {"strategy": "manual-commit"})
    put(linked.local_settings, {"strategy": "auto-commit"})
    for path in (linked.local_settings, place.local_settings):
        settings.agree(place, path)
    assert (load(place).strategy, load(linked).strategy) == ("manual-commit", "auto-commit")
    put(place.local_settings, {"strategy": "auto-commit"})
    put(linked.local_settings, {"strategy": "manual-commit"})
    assert (load(place).strategy, load(linked).strategy) == ("auto-commit", "manual-commit")
    put(linked.local_settings, {"strategy": ""})  # says nothing
    assert (load(linked).strategy, load(linked).warnings) == ("auto-commit", ())


def test_local_settings_of_the_main_worktree_are_enough(place: Place, linked: Place) -> None:
    put(place.local_settings, {"enabled": True})
    assert load(linked).enabled


@pytest.mark.parametrize(
    ("value", "about"),
    [
        ({"surprise": 1}, "surprise"),
        ({"enabled": "yes"}, "enabled"),
        ({"enabled": 1}, "enabled"),
        ({"strategy_options": []}, "strategy_options"),
        ({"strategy_options": {"push_sessions": "true"}}, "push_sessions"),
        ({"strategy": "wishful"}, "wishful"),
        ("[]", "settings.json"),
        ('{"enabled": fal', "settings.json"),
        ("\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "settings.json"),
    ],
)
def test_what_cannot_be_understood_is_a_warning(place: Place, value: object, about: str) -> None:
    put(place.settings, value)
    found = load(place)
    assert found.enabled
    assert found.push_sessions is None
    assert len(found.warnings) == 1
    assert about in found.warnings[0]


def test_null_is_absent(place: Place) -> None:
    put(place.settings, dict.fromkeys(GO_KEYS))
    assert load(place) == Settings()


def test_a_broken_shared_file_does_not_hide_that_it_is_disabled_here(place: Place) -> None:
    put(place.settings, "<<<<<<< HEAD")
    put(place.local_settings, {"enabled": False})
    assert not load(place).enabled


@pytest.mark.parametrize(
    ("env", "setting", "level"),
    [
        ("", "", "info"),
        ("", "DEBUG", "debug"),
        ("warning", "debug", "warn"),
        ("loud", "error", "error"),
        ("x", "y", "info"),
    ],
)
def test_the_log_level_of_the_environment_wins(place: Place, env: str, setting: str, level: str) -> None:
    put(place.settings, {"log_level": setting})
    assert load(place, ENTIRE_LOG_LEVEL=env).log_level == level


def test_our_own_options_are_a_file_of_their_own(place: Place) -> None:
    put(place.settings, {})
    put(place.own_options, {"max_untracked_bytes": 5})
    assert load(place).max_untracked_bytes == 5
    for wrong in ({"max_untracked_bytes": "5"}, {"max_untracked_bytes": -1}, {"max_untracked_bytes": True}, "["):
        put(place.own_options, wrong)
        found = load(place)
        assert found.max_untracked_bytes == settings.MAX_UNTRACKED_BYTES
        assert len(found.warnings) == 1


def test_editing_writes_what_the_go_cli_writes() -> None:
    written = settings.edit(None, strategy="manual-commit", enabled=True, push_sessions=False)
    assert json.loads(written) == {
        "strategy": "manual-commit",
        "enabled": True,
        "strategy_options": {"push_sessions": False},
    }
    assert written.startswith(b'{\n  "strategy": "manual-commit",\n')
    assert written.endswith(b"}\n")


texts = st.text(max_size=10)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


@given(
    before=st.dictionaries(texts | st.sampled_from(sorted(GO_KEYS)), json_values, max_size=8),
    enabled=st.none() | st.booleans(),
    push=st.none() | st.booleans(),
    strategy=st.sampled_from(["", *settings.STRATEGIES]),
)
def test_editing_changes_only_what_was_asked(
    before: dict[str, Any], enabled: bool | None, push: bool | None, strategy: str
) -> None:
    data = json.dumps(before).encode()
    after = json.loads(settings.edit(data, enabled=enabled, push_sessions=push, strategy=strategy))
    asked = {"enabled": enabled, "strategy": strategy or None}
    for key, value in asked.items():
        assert after.get(key) == (before.get(key) if value is None else value)
    options = before.get("strategy_options")
    if push is None:
        assert after.get("strategy_options") == options
    else:
        assert after["strategy_options"] == {**(options if isinstance(options, dict) else {}), "push_sessions": push}
    untouched = set(before) - {"enabled", "strategy", "strategy_options"}
    assert {key: after[key] for key in untouched} == {key: before[key] for key in untouched}
    assert set(after) - set(before) <= {"enabled", "strategy", "strategy_options"}
    assert [key for key in after if key in before] == list(before)


@pytest.mark.parametrize("data", [b"", b"[1]", b"{", b"\xff\xff", b"null"])
def test_editing_replaces_what_nobody_could_read(data: bytes) -> None:
    assert json.loads(settings.edit(data, enabled=False)) == {"enabled": False}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, b"tmp/\nsettings.local.json\nmetadata/\nlogs/\nentire.json\n"),
        (b"logs/", b"logs/\ntmp/\nsettings.local.json\nmetadata/\nentire.json\n"),
        (b"# mine\r\ntmp/\r\n", b"# mine\r\ntmp/\r\nsettings.local.json\nmetadata/\nlogs/\nentire.json\n"),
    ],
)
def test_missing_ignore_lines_are_appended(before: bytes | None, after: bytes) -> None:
    assert settings.ignore_lines(before) == after
    assert settings.ignore_lines(after) == after


def test_switches_for_plugins(place: Place, linked: Place) -> None:
    """Only files of the user's own count, and only true; whether git tracks them is not asked here."""
    for path in (place.settings, place.own_options, place.local_settings):
        put(path, {"external_agents": True})
    assert settings.plugin_switches(place) == [place.own_options, place.local_settings]
    assert settings.plugin_switches(linked) == [place.local_settings]
    for wrong in ({"external_agents": 1}, {"external_agents": "true"}, {"external_agents": False}, {}, "{", "[]"):
        put(place.own_options, wrong)
        assert settings.plugin_switches(place) == [place.local_settings]


def test_links_are_no_switches_for_plugins(place: Place, tmp_path: Path) -> None:
    put(str(tmp_path / "elsewhere.json"), {"external_agents": True})
    Path(place.own_options).symlink_to(tmp_path / "elsewhere.json")
    assert settings.plugin_switches(place) == []
    Path(place.own_options).unlink()
    Path(place.entire_dir).rmdir()
    (tmp_path / "folder").mkdir()
    Path(place.entire_dir).symlink_to(tmp_path / "folder")
    put(place.own_options, {"external_agents": True})
    assert settings.plugin_switches(place) == []


@pytest.mark.parametrize("name", ["settings", "own_options", "local_settings"])
def test_a_file_that_a_link_leads_to_is_not_read_and_that_is_a_warning(place: Place, tmp_path: Path, name: str) -> None:
    put(place.settings, {})
    path = Path(getattr(place, name))
    path.unlink(missing_ok=True)
    put(str(tmp_path / "theirs"), {"enabled": True, "log_level": "debug", "max_untracked_bytes": 1})
    path.symlink_to(tmp_path / "theirs")
    found = load(place)
    assert (found.log_level, found.max_untracked_bytes) == ("info", settings.MAX_UNTRACKED_BYTES)
    assert found.enabled is (name == "own_options")
    (warning,) = found.warnings
    assert warning.startswith(f"{path} cannot be read")
    assert warning.endswith(": it is a symbolic link, not a file")


def test_a_folder_that_is_a_link_enables_nothing(place: Place, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    put(str(tmp_path / "theirs/settings.json"), {"enabled": True})
    Path(place.entire_dir).rmdir()
    Path(place.entire_dir).symlink_to(tmp_path / "theirs")
    found = load(place)
    assert not found.enabled
    assert all(warning.endswith(": its folder .entire is a symbolic link") for warning in found.warnings)


@pytest.mark.parametrize("name", ["settings", "own_options", "local_settings"])
def test_a_switch_of_another_type_is_a_warning(place: Place, name: str) -> None:
    path = getattr(place, name)
    put(place.settings, {})
    put(path, {"external_agents": "yes"})
    assert load(place).warnings == (f"{path}: external_agents should be true or false and is ignored",)


def test_a_switch_for_plugins_that_has_no_effect_is_a_warning(place: Place) -> None:
    put(place.settings, {"external_agents": True})
    put(place.own_options, {"external_agents": "yes"})
    assert load(place).warnings == (
        f"{place.settings}: external_agents has no effect in a file that a team shares: "
        "run `entire plugin allow NAME` for each plugin you trust",
        f"{place.own_options}: external_agents should be true or false and is ignored",
    )
    put(place.settings, {"external_agents": False})
    put(place.own_options, {"external_agents": True})
    assert load(place).warnings == ()


# ---------------------------------------------------------------- what reaches further than recording here


def test_what_widens_is_a_proposal_until_it_is_chosen(place: Place) -> None:
    put(place.settings, {"strategy": "auto-commit", "strategy_options": {"push_sessions": True}})
    put(place.own_options, {"keep_steps_days": 15, "commit_hook_seconds": 3})
    found = load(place)
    assert found.proposals == (
        Proposal(key="strategy", value="auto-commit", file=place.settings),
        Proposal(key="strategy_options.push_sessions", value=True, file=place.settings),
        Proposal(key="keep_steps_days", value=15, file=place.own_options),
    )
    assert (found.strategy, found.asked_strategy) == ("manual-commit", "auto-commit")
    assert (found.keep_steps_days, found.commit_hook_seconds) == (14, 3)
    assert not settings.pushes_checkpoints(place, found)
    settings.agree(place, place.settings)
    Path(place.push_marker).touch()
    found = load(place)
    assert (found.strategy, [each.key for each in found.proposals]) == ("auto-commit", ["keep_steps_days"])
    assert settings.pushes_checkpoints(place, found)


def test_a_choice_in_one_file_is_none_in_another(place: Place, linked: Place) -> None:
    settings.agree(place, place.settings)
    put(linked.settings, {"strategy": "auto-commit"})  # the same file in another worktree
    assert load(linked).strategy == "auto-commit"
    put(linked.local_settings, {"strategy": "auto-commit"})
    assert load(linked).strategy == "manual-commit"
    settings.agree(linked, linked.local_settings)
    assert load(linked).strategy == "auto-commit"
    settings.take_back(linked, [linked.local_settings])
    assert load(linked).strategy == "manual-commit"
    Path(place.agreed_file).unlink()
    Path(place.agreed_file).mkdir()  # cannot be read
    Path(linked.local_settings).unlink()
    assert load(linked).strategy == "manual-commit"


def test_every_key_says_whether_it_widens_as_the_reference_does() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/settings.md").read_text()
    rows = re.findall(r"^\| `([a-z_.`, ]+)` \|[^|]*\|[^|]*\| ([^|]*) \|$", page, re.MULTILINE)
    documented = {name: widens for names, widens in rows for name in names.split("`, `")}
    keys = [key for key in (*settings.KEYS, *settings.OWN_KEYS) if key.name != "strategy_options"]
    assert documented == {key.name: reach(key) for key in keys}
    shared = [key for key in settings.KEYS if key.widens is not None]
    assert [key.name for key in shared] == ["strategy", "strategy_options.push_sessions", "external_agents"]


def reach(key: Key) -> str:
    if key.kind is int:
        return "more than the default"
    return "no" if key.widens is None else f"`{json.dumps(key.widens).strip(chr(34))}`"
