"""Pages: values in, lines out."""

from __future__ import annotations

from entire.model.views.checkpoints import SessionView
from entire.model.views.status import HookView, StatusView
from entire.ui.console.text import Style
from entire.ui.screens import pages
from tests import screens

PLAIN = Style(False)
NOW = 1_000_000.0


def view_of(**changes: object) -> StatusView:
    given: dict[str, object] = {
        "enabled": True,
        "is_set_up": True,
        "strategy": "manual-commit",
        "branch": "main",
        "top": "/r",
        "push_sessions": False,
        "push_sessions_file": "/r/.entire/settings.json",
        "hooks": (
            HookView(name="git", where="/r/.git/hooks", is_installed=True),
            HookView(name="Demo Agent", where="/home/u/.demo-agent/settings.json", is_installed=True),
        ),
    }
    return StatusView(**{**given, **changes})  # type: ignore[arg-type]


def status(**changes: object) -> list[str]:
    return list(pages.status(view_of(**changes), PLAIN, NOW, detailed=False))


def test_a_quiet_status() -> None:
    assert status() == [
        "Enabled (manual-commit)",
        "",
        "Branch       main",
        "Checkpoints  0 stored",
        "Pushing      off (.entire/settings.json), checkpoints stay on this machine"
        " (`entire enable --push-sessions` pushes them)",
        "",
        "Hooks",
        "  git         installed  .git/hooks",
        "  Demo Agent  installed  /home/u/.demo-agent/settings.json",
    ]


def test_the_first_line() -> None:
    assert status(enabled=False)[:2] == [
        "Disabled (manual-commit)",
        "Entire is disabled here (`entire enable` enables it)",
    ]
    assert "disabled" in status(enabled=False, is_set_up=False)[0]
    assert status(strategy="auto-commit")[0] == "Enabled (auto-commit)"


def test_troubles() -> None:
    lines = status(
        hooks=(HookView(name="git", where="", is_installed=False, problem="a hook is missing"),),
        lacks_agent_hooks=True,
        warnings=("odd settings",),
        failures=2,
        log="/r/.git/entire/logs/entire.log",
    )
    assert "  git  BROKEN  a hook is missing" in lines
    assert lines[lines.index("Needs attention") + 1 :] == [
        "  odd settings",
        "  no agent hooks are installed: run `entire enable`",
        "  some hooks are broken: run `entire enable` to reinstall them",
        "  2 errors in .git/entire/logs/entire.log",
    ]


def test_sessions_of_this_worktree_that_are_not_over() -> None:
    def session(name: str, phase: str, **more: object) -> SessionView:
        return SessionView(session_id=name, agent="Demo", phase=phase, worktree="/r", **more)  # type: ignore[arg-type]

    lines = status(
        sessions=(
            session("running-1", "active", is_here=True, steps=2, last_seen=NOW - 60, first_prompt="do\nit"),
            session("open-1234", "ended", is_here=True, open_files=tuple(f"f{n}" for n in range(15))),
            session("over-1234", "ended", is_here=True),
            session("elsewhere", "idle", is_here=False),
        )
    )
    at = lines.index("Sessions")
    assert lines[at + 1].split("  ")[1:] == ["running-", "Demo", "working", "2 steps", "1 minute ago", "do it"]
    assert lines[at + 3].strip().startswith("uncommitted: f0, f1, ")
    assert lines[at + 3].endswith("f11 and 3 more")
    assert lines[at + 4] == "  (2 sessions more, ended or in another worktree: --detailed shows them)"


def test_why_the_work_of_a_turn_is_not_committed() -> None:
    session = SessionView(session_id="running-1", agent="Demo", phase="idle", worktree="/r", is_here=True,
                                open_files=("a.py",), uncommitted="the hook\npre-commit \x1b[31mfailed")  # fmt: skip
    lines = status(sessions=(session,))
    at = lines.index("    uncommitted: a.py")
    assert lines[at + 1] == "    not committed: the hook pre-commit ^[[31mfailed"


def test_hooks_that_do_not_run() -> None:
    states = ("stale", "disabled", "untrusted", "unknown")
    hooks = [
        HookView(name=state, where="", is_installed=False, status=state, problem=f"{state}!", remedies=("do it",))
        for state in states
    ]
    lines = status(hooks=tuple(hooks))
    at = lines.index("Hooks")
    assert [line.split() for line in lines[at + 1 : at + 5]] == [
        ["stale", "BROKEN", "stale!"],
        ["disabled", "disabled", "disabled!"],
        ["untrusted", "untrusted", "untrusted!"],
        ["unknown", "unknown", "unknown!"],
    ]
    assert lines[lines.index("Needs attention") + 1 :] == ["  do it"]


def test_the_present_prompt_is_shown_and_not_the_first() -> None:
    session = SessionView(session_id="running-1", agent="Demo", phase="active", worktree="/r", is_here=True,
                                last_seen=NOW, first_prompt="the first", prompt="the present")  # fmt: skip
    assert "  running-  Demo  working  -  just now  the present" in status(sessions=(session,))


def test_a_line_for_each_problem_of_hooks() -> None:
    hooks = HookView(name="git", where="", is_installed=False, problem="a; b", problems=("a", "b"))
    lines = status(hooks=(hooks,))
    at = lines.index("Hooks")
    assert lines[at + 1 : at + 3] == ["  git  BROKEN  a", "  git  BROKEN  b"]


def test_status_at_every_width() -> None:
    def session(name: str, prompt: str, **more: object) -> SessionView:
        given = {"phase": "active", "steps": 2, "last_seen": NOW - 70, **more}
        return SessionView(session_id=name, agent="Claude Code", worktree="/r", is_here=True, prompt=prompt,
                                 **given)  # type: ignore[arg-type]  # fmt: skip

    problems = ("post-commit is missing", "prepare-commit-msg does not call Entire (/home/u/repository/.git/hooks)")
    view = view_of(
        sessions=(
            session("5df8a118-1", "Add a greeting for all who come in, in the language they speak \033[2J" * 3),
            session(
                "6ef8a118-1", "挨拶を追加してください。短い言葉で、みんなのために、できるだけ早くお願いします。" * 3
            ),
            session("7ff8a118-1", "short", phase="idle"),
            session("8ff8a118-1", "", phase="ended", open_files=("a.py", "a folder/with a long name/b.py")),
        ),
        hooks=(HookView(name="git", where="", is_installed=False, problems=problems),),
        warnings=("unknown key 'x' in .entire/settings.json",),
        failures=2,
        log="/r/.git/entire/logs/entire.log",
    )
    screens.check("status", lambda width, style: pages.status(view, style, NOW, detailed=False, width=width))
