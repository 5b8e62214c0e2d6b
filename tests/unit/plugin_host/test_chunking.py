"""Transcripts above the size of a file, and how their parts are joined."""

from __future__ import annotations

import pytest

from entire.plugin_host import chunking
from tests import plugins
from tests.unit.plugin_host.world import World

LINES = b'{"prompt": "one"}\n{"file": "a.txt"}\n'


def test_lines_are_split_between_lines(world: World) -> None:
    plugin = plugins.version_one(world.bin)
    agent = world.adapter(plugin)
    whole = LINES * 9
    chunks = agent.chunk_transcript(whole, 300)
    assert len(chunks) > 1
    assert agent.reassemble_transcript(chunks) == whole
    assert plugins.asked(plugin) == []


@pytest.mark.parametrize("ending", [b"", b"\n", b"\n\n"])
def test_a_record_above_the_size_is_split_by_the_plugin(world: World, ending: bytes) -> None:
    plugin = plugins.version_one(world.bin)
    agent = world.adapter(plugin, in_hook=False)
    whole = LINES + b'{"answer": "' + b"x" * 3000 + b'"}' + ending
    chunks = agent.chunk_transcript(whole, 300)
    assert all(len(chunk) <= 300 for chunk in chunks)
    assert agent.reassemble_transcript(chunks) == whole
    assert set(plugins.asked(plugin)) == {"chunk-transcript", "reassemble-transcript"}


def test_a_plugin_that_does_not_join_the_same_bytes_splits_nothing(world: World) -> None:
    plugin = plugins.version_one(world.bin, glue="\n")
    agent = world.adapter(plugin, in_hook=False)
    whole = b'{"answer": "' + b"x " * 3000 + b'"}\n'
    chunks = agent.chunk_transcript(whole, 300)
    assert all(len(chunk) <= 300 for chunk in chunks)
    plugins.asked(plugin)
    assert agent.reassemble_transcript(chunks) == whole
    assert plugins.asked(plugin) == []


@pytest.mark.parametrize(
    "answer", [{}, {"chunks": None}, {"chunks": ["!"]}, {"chunks": ["eA=="]}, {"chunks": [1, "eA=="]}]
)
def test_nonsense_parts_are_not_used(world: World, answer: object) -> None:
    plugin = plugins.version_one(world.bin, answers={"chunk-transcript": answer})
    agent = world.adapter(plugin)
    chunks = agent.chunk_transcript(b"x" * 999, 300)
    assert chunks[0] == chunking._OF_BYTES
    assert agent.reassemble_transcript(chunks) == b"x" * 999
    assert world.notes == []
