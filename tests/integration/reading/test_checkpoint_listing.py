"""Lists of checkpoints agree with the checkpoints one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.git.read import Objects
from entire.model.ids import CheckpointId
from entire.model.times import parse_time
from entire.store import checkpoint_listing, checkpoints
from tests import golden


@pytest.mark.parametrize("stage", golden.STAGES)
def test_a_list_says_what_each_checkpoint_says(stage: str, tmp_path: Path) -> None:
    for where in map(str, golden.repositories(golden.unpack(stage, tmp_path))):
        tips = list(checkpoints.tips(where).values())
        names = [one.id for one in checkpoints.list_all(where)]
        listed = checkpoint_listing.listed(where, tips, [*names, "ffffffffffff", "no id", "../../../etc"])
        sessions = checkpoint_listing.session_ids(where, tips)
        assert list(listed) == names
        assert set(sessions) == set(names)
        with Objects(where) as objects:
            for name in names:
                whole = checkpoints.read(objects, tips, CheckpointId(name))
                assert whole is not None
                one = listed[name]
                assert one.session_ids == sessions[name] == tuple(record.session_id for record in whole.records)
                assert one.agents == tuple(dict.fromkeys(record.agent for record in whole.records))
                assert one.files == whole.summary.files_touched
                assert one.created == max(parse_time(record.created_at) for record in whole.records)
                assert one.is_stored


def test_nothing_to_list(tmp_path: Path) -> None:
    where = str(golden.unpack("manual/00-enabled", tmp_path) / "demo")
    tips = list(checkpoints.tips(where).values())
    assert checkpoint_listing.listed(where, tips, []) == checkpoint_listing.listed(where, [], ["0123456789ab"]) == {}
    assert checkpoint_listing.session_ids(where, tips) == checkpoint_listing.session_ids(where, []) == {}
