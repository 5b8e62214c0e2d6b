"""What the Go Entire CLI left is read: every stage of every world, and printed again byte for byte."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from entire.git.read import Objects
from entire.model import trailers
from entire.model.ids import CheckpointId
from entire.model.records import CheckpointSummary, SessionRecord
from entire.redact import trusted
from entire.store import checkpoint_writer, checkpoints, gojson, steps, stored_contents
from tests import golden


def git(where: Path, *args: str) -> bytes:
    return subprocess.run(["git", "-C", str(where), *args], check=True, capture_output=True).stdout


def files(where: Path) -> dict[str, bytes]:
    """Return every file of the branch by git alone."""
    names = git(where, "ls-tree", "-r", "-z", "--name-only", checkpoints.LOCAL_REF).decode().split("\0")[:-1]
    return {name: git(where, "show", f"{checkpoints.LOCAL_REF}:{name}") for name in names}


def trees(stage: str, home: Path) -> set[tuple[str, str]]:
    """Return the checkpoints of a stage: in which repository, and the id and the name of its tree."""
    found = set()
    for where in golden.repositories(golden.unpack(stage, home)):
        listed = git(where, "for-each-ref", checkpoints.LOCAL_REF) and git(
            where, "ls-tree", "-rd", checkpoints.LOCAL_REF
        )
        found |= {(where.name, line) for line in listed.decode().splitlines() if line.count("/") == 1}
    return found


def test_the_whole_stages_hold_every_checkpoint(tmp_path: Path) -> None:
    """Tests that ask for each checkpoint play those only."""
    by_stage = {stage: trees(stage, tmp_path / stage) for stage in golden.STAGES}
    assert set().union(*by_stage.values()) == set().union(*(by_stage[stage] for stage in golden.WHOLE))


@pytest.mark.parametrize("stage", golden.STAGES)
def test_every_stage_is_read(stage: str, tmp_path: Path) -> None:
    for where in golden.repositories(golden.unpack(stage, tmp_path)):
        stored = files(where)
        ids = sorted({name[:2] + name[3:13] for name in stored})
        listed = checkpoints.list_all(str(where))
        assert [checkpoint.id for checkpoint in listed] == ids
        with Objects(str(where)) as objects:
            tips = checkpoints.tips(str(where))
            for checkpoint in listed:
                _check_checkpoint(objects, tips, checkpoint, stored)


def _check_checkpoint(
    objects: Objects, tips: dict[str, str], listed: checkpoints.Listed, stored: dict[str, bytes]
) -> None:
    found = checkpoints.read(objects, tips, listed.id)
    assert found is not None
    assert found.problems == ()
    assert found.summary == listed.summary
    assert found.latest is not None
    assert listed.latest == found.latest.record
    for slot in found.slots:
        folder = f"{listed.id.path}/{slot.number}/"
        assert checkpoints.transcript(objects, slot) == stored[folder + "full.jsonl"]
        assert stored_contents.hash_matches(objects, slot) is not False
        prompts = checkpoints.prompts(objects, slot)
        if "prompt.txt" in slot.files:
            assert steps.SEPARATOR.join(prompts).encode() == stored[folder + "prompt.txt"]
        record = slot.record
        assert record is not None
        if "context.md" in slot.files and record.strategy == "manual-commit":
            shown = [trusted(prompt.encode()) for prompt in prompts]
            assert checkpoint_writer.context_text(shown) == stored[folder + "context.md"]


@pytest.mark.parametrize("stage", golden.STAGES)
def test_metadata_comes_back_byte_for_byte(stage: str, tmp_path: Path) -> None:
    for where in golden.repositories(golden.unpack(stage, tmp_path)):
        for name, data in files(where).items():
            if not name.endswith(".json"):
                continue
            value = json.loads(data)
            assert gojson.dumps(value) == data
            if name.endswith("/metadata.json"):
                record = (SessionRecord if name.count("/") == 3 else CheckpointSummary).from_json(value)
                value.pop("transcript_path", None)  # the one key that we never write
                value["files_touched"] = value["files_touched"] or []  # an empty list, where Go has an absent one
                assert gojson.dumps(record.to_json()) == gojson.dumps(value)
                assert record.extra == {}


def test_a_task_of_auto_commit_is_found(tmp_path: Path) -> None:
    where = str(golden.unpack("auto/03-third-turn", tmp_path) / "auto")
    with Objects(where) as objects:
        found = checkpoints.read(objects, checkpoints.tips(where), CheckpointId("b0cbf7a11f84"))
        assert found is not None
        tasks = checkpoints.tasks(objects, found)
    assert [(task.tool_use_id, task.agent_id) for task in tasks] == [
        ("toolu_1a1fe02d99f000400scripted", "a2601ff26f8fe7762")
    ]
    assert found.summary.files_touched == ()


def test_gemini_is_one_document(tmp_path: Path) -> None:
    where = str(golden.unpack("gemini/03-user-commit", tmp_path) / "gem")
    with Objects(where) as objects:
        found = checkpoints.read(objects, checkpoints.tips(where), CheckpointId("3b7edfef8fed"))
        assert found is not None
        assert found.latest is not None
        assert found.latest.record is not None
        assert found.latest.record.agent == "Gemini CLI"
        assert json.loads(checkpoints.transcript(objects, found.latest))["messages"]


def test_what_the_table_calls_the_same_is_what_was_recorded(tmp_path: Path) -> None:
    where = golden.unpack("manual/03-user-commit", tmp_path) / "demo"
    row = next(row for row in golden.TRUTH if row["world"] == "manual" and row["recorded"] == "the same")
    message = git(where, "log", "-1", "--format=%B", f"--grep={row['commit']}").decode()
    (checkpoint_id,) = trailers.checkpoint_ids(message)
    with Objects(str(where)) as objects:
        found = checkpoints.read(objects, [checkpoints.LOCAL_REF], checkpoint_id)
    assert found is not None
    usage = found.summary.token_usage
    assert usage is not None
    assert list(found.summary.files_touched) == row["files"]
    assert [usage.input_tokens, usage.output_tokens, usage.api_call_count] == row["tokens"]
    attribution = found.records[0].initial_attribution
    assert attribution is not None
    assert [attribution.agent_lines, attribution.human_added] == row["lines"]


def test_a_trailer_without_checkpoint_is_no_error(tmp_path: Path) -> None:
    where = golden.unpack("manual/05-rest-committed", tmp_path) / "demo"
    (checkpoint_id,) = trailers.checkpoint_ids(git(where, "log", "-1", "--format=%B", "main").decode())
    with Objects(str(where)) as objects:
        assert checkpoints.read(objects, checkpoints.tips(str(where)), checkpoint_id) is None


def test_the_branch_of_the_remote_counts_and_is_continued(tmp_path: Path) -> None:
    """The Go CLI starts a new root here and hides the team's checkpoints; ours goes on."""
    where = golden.unpack("clones/01-two-clones-pushed", tmp_path) / "team-clone"
    both = [checkpoint.id for checkpoint in checkpoints.list_all(str(where))]
    git(where, "update-ref", "-d", checkpoints.LOCAL_REF)
    assert [checkpoint.id for checkpoint in checkpoints.list_all(str(where))] == both
    assert len(both) == 2
    new = CheckpointId("00112233aabb")
    record = SessionRecord(checkpoint_id=new, session_id="s", strategy="manual-commit", created_at=gojson.rfc3339(1))
    with Objects(str(where)) as objects:
        for attempt in checkpoint_writer.attempts(str(where), objects):
            changes = checkpoint_writer.compose([checkpoint_writer.SlotContent(record=record)])
            attempt.write(changes, message=checkpoint_writer.new_message(new, []), author="A <a@b> 1 +0000")
    local = checkpoints.list_all(str(where), [checkpoints.LOCAL_REF])
    assert [checkpoint.id for checkpoint in local] == sorted([*both, new])
    git(where, "merge-base", "--is-ancestor", "refs/remotes/origin/entire/checkpoints/v1", checkpoints.LOCAL_REF)
