"""Values as JSON."""

from __future__ import annotations

import json

from entire.model.tokens import TokenUsage
from entire.model.views.checkpoints import CommitView, ListedView
from entire.ui.console import json_output


def test_a_value_in_a_value() -> None:
    commit = CommitView(oid="a" * 40, subject="caf\udce9 <b>", author="A", time=86400.5)
    listed = ListedView(id="0123456789ab", created=0.0, commits=(commit,), is_stored=True)
    assert json.loads(
        json_output.dumps(
            {
                "list": [listed],
                "tokens": TokenUsage(input_tokens=3, output_tokens=None, at_least=("input_tokens",)),
                "none": None,
            }
        )
    ) == {
        "list": [
            {
                "id": "0123456789ab",
                "created": None,
                "branch": "",
                "agents": [],
                "session_ids": [],
                "files": [],
                "is_stored": True,
                "commits": [
                    {
                        "oid": "a" * 40,
                        "subject": "caf\N{REPLACEMENT CHARACTER} <b>",
                        "author": "A",
                        "time": "1970-01-02T00:00:00Z",
                        "checkpoint_ids": [],
                        "foreign_ids": [],
                        "unlinked_ids": [],
                    }
                ],
            }
        ],
        "tokens": {
            "input_tokens": 3,
            "cache_creation_tokens": 0,
            "cache_read_tokens": 0,
            "output_tokens": None,
            "api_call_count": 0,
            "subagents": None,
            "at_least": ["input_tokens"],
            "reasoning_tokens": None,
            "reasoning_beside": 0,
        },
        "none": None,
    }


def test_no_value_commands_a_terminal() -> None:
    hostile = "\x1b[2J\x7f\x9b31m\u202eabc\u2066 \N{SNOWMAN}"
    shown = json_output.dumps({"text": hostile})
    assert shown == '{\n  "text": "\\u001b[2J\\u007f\\u009b31m\\u202eabc\\u2066 \N{SNOWMAN}"\n}\n'
    assert json.loads(shown) == {"text": hostile}
