"""Pages: values in, lines out."""

from __future__ import annotations

import pytest

from entire.model import views
from entire.model.records import Attribution
from entire.model.transcripts import UNKNOWN, TokenUsage
from entire.ui import pages
from entire.ui.text import Style

PLAIN = Style(False)
NOW = 1_000_000.0


def status(**changes: object) -> list[str]:
    given: dict[str, object] = {
        "enabled": True,
        "is_set_up": True,
        "strategy": "manual-commit",
        "branch": "main",
        "top": "/r",
        "push_sessions": False,
        "push_sessions_file": "/r/.entire/settings.json",
        "hooks": (
            views.HookView(name="git", where="/r/.git/hooks", is_installed=True),
            views.HookView(name="Demo Agent", where="/home/u/.demo-agent/settings.json", is_installed=True),
        ),
    }
    view = views.StatusView(**{**given, **changes})  # type: ignore[arg-type]
    return list(pages.status(view, PLAIN, NOW, detailed=False))


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
        hooks=(views.HookView(name="git", where="", is_installed=False, problem="a hook is missing"),),
        lacks_agent_hooks=True,
        warnings=("odd settings",),
        failures=2,
    )
    assert "  git  BROKEN  a hook is missing" in lines
    assert lines[lines.index("Needs attention") + 1 :] == [
        "  odd settings",
        "  no agent hooks are installed: run `entire enable`",
        "  some hooks are broken: run `entire enable` to reinstall them",
        "  2 errors in .entire/logs/entire.log",
    ]


def test_sessions_of_this_worktree_that_are_not_over() -> None:
    def session(name: str, phase: str, **more: object) -> views.SessionView:
        return views.SessionView(session_id=name, agent="Demo", phase=phase, worktree="/r", **more)  # type: ignore[arg-type]

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


@pytest.mark.parametrize(
    ("usage", "shown"),
    [
        (None, "unknown"),
        (TokenUsage(), "0 in, 0 out (0 calls)"),
        (
            TokenUsage(input_tokens=1234, output_tokens=5, cache_read_tokens=7, api_call_count=1),
            "1,234 in, 5 out, 7 cache (1 call)",
        ),
        (UNKNOWN, "unknown"),
        (
            TokenUsage(input_tokens=1234, output_tokens=None, api_call_count=2, at_least=("input_tokens",)),
            "at least 1,234 in, unknown out (2 calls)",
        ),
        (
            TokenUsage(cache_read_tokens=None, cache_creation_tokens=7, api_call_count=None),
            "0 in, 0 out, at least 7 cache (unknown calls)",
        ),
        (
            TokenUsage(cache_read_tokens=None, api_call_count=1, at_least=("api_call_count",)),
            "0 in, 0 out, unknown cache (at least 1 call)",
        ),
    ],
)
def test_tokens(usage: TokenUsage | None, shown: str) -> None:
    part = views.PartView(slot=0, session_id="s", agent="Demo", created=0.0, tokens=usage)
    assert f"  Tokens  {shown}" in page(part)


def test_tokens_of_subagents_and_lines() -> None:
    part = views.PartView(
        slot=0,
        session_id="s",
        agent="Demo",
        created=0.0,
        tokens=TokenUsage(subagents=TokenUsage(input_tokens=2, api_call_count=1)),
        lines=Attribution(
            agent_lines=1, human_added=1, human_modified=1, human_removed=1, total_committed=3, agent_percentage=33.3
        ),
    )
    lines = page(part)
    assert "          subagents: 2 in, 0 out (1 call)" in lines
    assert "  Lines   33 % of 3 added lines (1 by the agent, 2 by people, 1 line removed by people)" in lines


def page(*parts: views.PartView, full: bool = False) -> list[str]:
    view = views.CheckpointView(
        id="0123456789ab", strategy="", branch="", created=0.0, files=(), tokens=None, parts=parts
    )
    return list(pages.checkpoint(view, PLAIN, full=full))


def test_a_long_prompt_is_cut_unless_all_is_wanted() -> None:
    prompt = views.PromptView(text="first line\n" + "x" * 1000)
    part = views.PartView(slot=0, session_id="s", agent="", created=0.0, prompts=(prompt,))
    lines = page(part)
    assert "    1. first line" in lines
    assert lines[-1].startswith("       xxx")
    assert lines[-1].endswith("… (--full shows the rest)")
    assert page(part, full=True)[-1] == "       " + "x" * 1000


def test_lines_of_two_sessions_name_theirs() -> None:
    parts = tuple(
        views.PartView(
            slot=n,
            session_id=f"{name}-session",
            agent="Demo",
            created=0.0,
            prompts=(views.PromptView(text="go", turn=f"t{n}"),),
        )
        for n, name in enumerate(("one", "two"))
    )
    files = (
        views.FileView(
            path="a",
            status="M",
            added=(
                views.RangeView(first=1, last=1, session_id="one-session", turn="t0"),
                views.RangeView(first=2, last=9, session_id="two-session", turn="t1"),
                views.RangeView(first=10, last=10, session_id="gone-session", turn="x"),
            ),
        ),
        views.FileView(path="b", status="R", old_path="c"),
        views.FileView(path="many", status="A", added=tuple(views.RangeView(first=n, last=n) for n in range(1, 20, 2))),
    )
    view = views.CheckpointView(
        id="0123456789ab", strategy="", branch="", created=0.0, files=(), tokens=None, parts=parts, lines=files
    )
    lines = list(pages.checkpoint(view, PLAIN))
    at = lines.index("Attribution")
    assert lines[at + 1 : at + 3] == [
        "  a     line 1: prompt 1 of one-sess, lines 2-9: prompt 1 of two-sess, line 10: session gone-ses",
        "  b     renamed from c by a person",
    ]
    assert lines[at + 3].endswith("and 4 more")
    assert "Attribution" not in list(pages.checkpoint(view, PLAIN, short=True))


SAID = [
    views.MessageView(who="user", text="make\nit", at=0),
    views.MessageView(who="tool", text="/a/b", at=1, name="Write"),
    views.MessageView(who="tool", text="", at=1, name="Done"),
    views.MessageView(who="agent", text="**made** \x1b[31m", at=2),
]


def test_a_conversation() -> None:
    assert list(pages.conversation(SAID, PLAIN)) == [
        "",
        "You",
        "  make",
        "  it",
        "",
        "  * Write: /a/b",
        "  * Done",
        "",
        "Agent",
        "  **made** ^[[31m",
    ]


def test_a_conversation_on_a_terminal_shows_markdown() -> None:
    lines = "\n".join(pages.conversation(SAID, Style(True)))
    assert "\x1b[1mmade\x1b[0m" in lines
    assert "**" not in lines
    assert "\x1b[31m" not in lines


def test_hooks_that_do_not_run() -> None:
    states = ("stale", "disabled", "untrusted", "unknown")
    hooks = [
        views.HookView(name=state, where="", is_installed=False, status=state, problem=f"{state}!", remedies=("do it",))
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
