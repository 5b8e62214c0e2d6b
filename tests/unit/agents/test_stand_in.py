"""What stands in for an agent that is not installed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from entire.agents.stand_in import StandIn
from entire.model.transcripts import START

if TYPE_CHECKING:
    from entire.agents import contract


def test_it_reads_and_cuts_a_transcript_as_it_is(tmp_path: Path) -> None:
    agent: contract.Agent = StandIn("parrot", "Parrot", grows_by_lines=False)
    path = tmp_path / "transcript"
    path.write_bytes(b"a line\n" * 1000)
    data = agent.transcript(str(path)).snapshot()
    assert data == b"a line\n" * 1000
    parts = agent.chunk_transcript(data, 5000)
    assert len(parts) > 1
    assert agent.reassemble_transcript(parts) == data
    assert agent.transcript("/no/such/file").snapshot() == agent.transcript("\0").snapshot() == b""


def test_it_claims_nothing_but_what_is_known(tmp_path: Path) -> None:
    agent = StandIn("parrot", "Parrot", grows_by_lines=True)
    assert (agent.name, agent.type, agent.capabilities) == ("parrot", "Parrot", frozenset())
    assert agent.transcript(str(tmp_path)).file_lines(START) is not None
    assert StandIn("parrot", "Parrot", grows_by_lines=False).transcript(str(tmp_path)).file_lines(START) is None
    assert not agent.detect(str(tmp_path))
    assert agent.parse_hook("stop", b"{}") is None
