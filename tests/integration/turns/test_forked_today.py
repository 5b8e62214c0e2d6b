"""Forks of Claude Code 2.1.332: the new id from the start, and copied records that carry the new prompt's id."""

from __future__ import annotations

import json
import uuid

from tests.integration.story import Story


def test_a_fork_counts_only_what_is_new(story: Story) -> None:
    first = story.started()
    with first.turn("Write a"):  # answers 0 and 1
        first.write("a.txt", "a\n")
    story.commit("A")
    fork = story.session()
    fork.answers = 5
    fork.hook("session-start", source="fork", seconds_since_last_response=3)
    fork.prompt_id = str(uuid.uuid4())
    fork.hook("user-prompt-submit", prompt="Write b")
    copied = [json.loads(line) for line in first.file.read_text().splitlines()]
    with fork.file.open("w") as file:
        for record in copied:
            named = {"promptId": fork.prompt_id} if record["type"] == "user" else {}
            file.write(json.dumps({**record, "sessionId": fork.id, **named}) + "\n")
    fork.parent = copied[-1]["uuid"]
    fork.record("user", promptId=fork.prompt_id, promptSource="sdk", message={"role": "user", "content": "Write b"})
    fork.write("b.txt", "b\n")
    fork.stop()
    story.commit("B")
    slot = story.linked()["slots"][fork.id]
    assert slot["token_usage"]["input_tokens"] == 2**5 + 2**6
    assert slot["files_touched"] == ["b.txt"]
    assert slot["prompts"][-1] == "Write b"
