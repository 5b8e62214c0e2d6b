"""What a list reads of many checkpoints at once agrees with the checkpoints one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.git.read import Objects
from entire.model.ids import CheckpointId
from entire.store import checkpoints, lineage_file, listed_sessions
from tests import golden


@pytest.mark.parametrize("stage", golden.STAGES)
def test_all_sessions_of_all_checkpoints(stage: str, tmp_path: Path) -> None:
    for where in map(str, golden.repositories(golden.unpack(stage, tmp_path))):
        tips = list(checkpoints.tips(where).values())
        ids = [CheckpointId(listed.id) for listed in checkpoints.list_all(where)]
        with Objects(where) as objects:
            reader = listed_sessions.ListedSessionReader(where, objects, tips)
            some = reader.read(ids[1::2])
            found = reader.read([*ids, *ids, CheckpointId("ffffffffffff")])
            assert list(found) == ids
            assert some == {name: found[name] for name in ids[1::2]}
            for name in ids:
                whole = checkpoints.read(objects, tips, name)
                assert whole is not None
                slots = sorted(whole.slots, key=lambda slot: slot.number)
                assert [session.record["session_id"] for session in found[name].sessions] == [
                    slot.session_id for slot in slots
                ]
                assert [list(session.prompts) for session in found[name].sessions] == [
                    checkpoints.prompts(objects, slot) for slot in slots
                ]
                assert found[name].own == lineage_file.read(objects, whole)


def test_nothing_to_read(tmp_path: Path) -> None:
    where = str(golden.unpack("manual/00-enabled", tmp_path) / "demo")
    with Objects(where) as objects:
        reader = listed_sessions.ListedSessionReader(where, objects, [])
        assert reader.read([]) == reader.read([CheckpointId("0123456789ab")]) == {}
