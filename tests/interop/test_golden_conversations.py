"""``entire show`` on every stage of every golden world: whole conversations, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import golden
from tests.integration.commandline import Repo


@pytest.mark.parametrize("stage", golden.STAGES)
def test_every_stage(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    top = golden.repositories(golden.unpack(stage, tmp_path))[-1]
    monkeypatch.chdir(top)
    world = Repo(top, capsys)
    before = world.files()
    listed = [one for one in world.json("explain", "--limit", "0")["checkpoints"] if one["is_stored"]]
    for one in listed if stage in golden.WHOLE else ():
        view = world.json("show", one["id"], "--full")
        prompts = [prompt["text"] for part in view["checkpoints"][0]["parts"] for prompt in part["prompts"]]
        said = [message for part in view["conversations"] for message in part["messages"]]
        assert [message["text"] for message in said if message["who"] == "user"] == prompts
        shown = world.ok("show", one["id"])
        assert all(prompt in shown for prompt in prompts)
        assert world.json("show", one["commits"][0]["oid"])["kind"] == "commit"
    for session_id in {name for one in listed for name in one["session_ids"]}:
        (part,) = world.json("show", session_id)["conversations"]
        numbers = [turn["number"] for turn in part["turns"]]
        assert numbers == list(range(1, len(numbers) + 1))
        for turn in part["turns"]:
            (only,) = world.json("show", f"{session_id}/{turn['number']}", "--full")["conversations"]
            assert [one["prompt"] for one in only["turns"]] == [turn["prompt"]]
            assert [said["text"] for said in only["messages"] if said["who"] == "user"] == [turn["prompt"]]
    world.ok("show", "--uncommitted")
    assert world.files() == before
