"""Screens of ``show``: a checkpoint, a session and the uncommitted work, folded and in full."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from entire.model.conversations import ConversationPart, ShownView, SubagentView, TurnView
from entire.model.records import Attribution
from entire.model.tokens import TokenUsage
from entire.model.transcripts import Edit, ToolCall
from entire.model.views.checkpoints import (
    CheckpointView,
    CommitView,
    FileView,
    MessageView,
    PartView,
    PromptView,
    RangeView,
    TaskView,
)
from entire.ui.console.text import Style
from entire.ui.screens.shown import Form, Printer
from tests import screens

NOON = 1_700_000_000.0
SESSION = "b1bddc73-1449-4282-9e10-c81014e45e9f"
ANSWER = """# What changed

The greeting is now **friendly**, see `hello.py`. 日本語の長い行が折り返される。

- one item
- another item that is long enough to be wrapped on a narrow terminal, but not on a wide one

```python
print("hello")
```

| case | result |
|------|--------|
| a    | passed |
"""
PATCH = "".join(f"line {number}\n" for number in range(30))
MESSAGES = (
    MessageView(who="user", text="Make it friendly, please 👋 and e\u0301crit:\n\n    keep this\x1b[31m", at=0),
    MessageView(who="tool", name="Read", text="/home/dev/project/hello.py", at=1,
                call=ToolCall(id="t0", output="print('hi')\n" * 40)),
    MessageView(who="tool", name="Edit", text="/home/dev/project/hello.py", at=2,
                call=ToolCall(id="t1", edits=(Edit(path="hello.py", old="hi\nend", new="hello\nend"),))),
    MessageView(who="tool", name="Write", text="/home/dev/project/deep/folder/with/a/long/name/notes.txt", at=3,
                call=ToolCall(id="t2", edits=(Edit(path="notes.txt", new=PATCH, is_whole=True),))),
    MessageView(who="tool", name="Bash", text="pytest -q", at=4,
                call=ToolCall(id="t3", command="pytest -q", has_failed=True,
                              output="collected 3 items\nFAILED tests/test_hello.py\n1 failed")),
    MessageView(who="tool", name="Task", text="look for other greetings", at=5,
                call=ToolCall(id="t4", subagent="look for other greetings", output="none")),
    MessageView(who="agent", text=ANSWER, at=6),
    MessageView(who="user", text="Thanks", at=7),
)  # fmt: skip
SUBAGENT = SubagentView(
    id="a2601ff26f8fe7762", tool_use_id="t4", type="general-purpose", description="look for other greetings",
    has_transcript=True,
    messages=(MessageView(who="user", text="Look for other greetings", at=0),
              MessageView(who="agent", text="There are **none**.", at=1)),
)  # fmt: skip
USAGE = TokenUsage(input_tokens=3500, output_tokens=160, cache_read_tokens=730, api_call_count=5)
TURNS = (
    TurnView(session_id=SESSION, turn="00aa11bb22cc", number=1, agent="Claude Code", model="claude-x", prompt="Make",
             started=NOON, ended=NOON + 133, tokens=USAGE, position=0, end=7),
    TurnView(session_id=SESSION, turn="00aa11bb22dd", number=2, agent="Claude Code", prompt="Thanks",
             started=NOON + 200, position=7),
)  # fmt: skip
PART = ConversationPart(
    session_id=SESSION, agent="Claude Code", source="agent", checkpoint_id="a1b2c3d4e5f6", phase="active",
    checkpoint_ids=("a1b2c3d4e5f6",), started=NOON, turns=TURNS, files=("hello.py",), open_files=("hello.py", "日.txt"),
    messages=MESSAGES, subagents=(SUBAGENT,),
)  # fmt: skip
CHECKPOINT = CheckpointView(
    id="a1b2c3d4e5f6", strategy="manual-commit", branch="main", created=NOON, files=("hello.py",), tokens=USAGE,
    parts=(PartView(
        slot=0, session_id=SESSION, agent="Claude Code", created=NOON, files=("hello.py", "notes.txt"), tokens=USAGE,
        prompts=(PromptView(text="Make the greeting friendly, please", turn="00aa11bb22cc", model="claude-x"),),
        lines=Attribution(agent_lines=3, human_added=1, total_committed=4, agent_percentage=75.0),
    ),),
    commits=(CommitView(oid="0123456789" * 4, subject="Make the greeting friendly", author="Dev", time=NOON),),
    tasks=(TaskView(tool_use_id="t4", agent_id="a2601ff26f8fe7762", session_id=SESSION, has_transcript=True,
                          description="look for other greetings", type="general-purpose"),),
    lines=(FileView(path="hello.py", status="M", added=(
        RangeView(first=1, last=3, session_id=SESSION, turn="00aa11bb22cc"), RangeView(first=4, last=4))),),
)  # fmt: skip
DIFF = "diff --git a/hello.py b/hello.py\n--- a/hello.py\n+++ b/hello.py\n@@ -1,2 +1,2 @@\n-hi\n+hello\n end\n"
VIEWS = {
    "show-commit": (
        ShownView(kind="commit", checkpoints=(CHECKPOINT,), conversations=(PART,)),
        Form(has_prompts=False),
    ),
    "show-commit-full": (
        ShownView(kind="commit", checkpoints=(CHECKPOINT,), conversations=(PART,)),
        Form(has_prompts=False, is_full=True),
    ),
    "show-session": (ShownView(kind="session", id=SESSION, conversations=(PART,)), Form()),
    "show-session-short": (ShownView(kind="session", id=SESSION, conversations=(PART,)), Form(has_conversation=False)),
    "show-subagent": (ShownView(kind="subagent", conversations=(PART,)), Form()),
    "show-uncommitted": (ShownView(kind="uncommitted", conversations=(PART,), diff=DIFF), Form(has_conversation=False)),
    "explain": (ShownView(kind="checkpoint", checkpoints=(CHECKPOINT,)), Form(has_conversation=False)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_screens(name: str) -> None:
    view, form = VIEWS[name]

    def lines(width: int, style: Style) -> Iterable[str]:
        return Printer(form, style, width).lines(view)

    screens.check(name, lines)
