"""What the search index is told of open and stored sessions: what is new, and nothing else."""

from __future__ import annotations

from entire import layout
from entire.index import schema
from entire.index.entries import IndexEntry
from entire.model.transcripts import Edit, Message, ToolCall
from entire.queries.searches import entries
from entire.queries.searches.open_conversations import OpenConversations
from entire.queries.searches.stored_conversations import StoredConversations
from entire.store import redactor_of
from entire.store.catalog import Catalog
from tests.integration.story import Story


def test_a_session_is_told_again_only_after_it_went_on(story: Story) -> None:
    place = layout.find(str(story.root))
    assert place is not None
    session = story.started()
    session.prompt("One")
    with OpenConversations(place, redactor_of(place)) as first, OpenConversations(place, redactor_of(place)) as second:
        assert set(first.sources) == set(second.sources)
        (source,) = first.sources.values()
        assert [entry.text for entry in first.read(source)] == ["One"]
    session.stop("Answer.")
    with OpenConversations(place, redactor_of(place)) as third:
        assert not set(third.sources) & set(first.sources)


def test_checkpoints_are_told_once(story: Story) -> None:
    place = layout.find(str(story.root))
    assert place is not None
    session = story.started()
    for name in ("a", "b"):
        with session.turn(f"Write {name}"):
            session.write(name, name)
        story.commit(name)
    with StoredConversations(Catalog(place), set()) as stored:
        sources = stored.sources()
        assert [source.session_id for source in sources] == [session.id] * 2
        assert [entry.text for entry in stored.read(sources[0]) if entry.kind == "prompt"] != []
        keys = {source.key for source in sources}
        assert stored.gone([*keys, "a1b2c3d4e5f6/0/0"]) == ["a1b2c3d4e5f6/0/0"]
    with StoredConversations(Catalog(place), stored.trees) as again:
        assert again.sources() == []


def test_the_texts_of_a_conversation() -> None:
    call = ToolCall(id="1", edits=(Edit(path="a.py", old="before", new="after"),), output="written", has_failed=True)
    said = [
        Message(who="user", text="Ask", at=0, time=5.0),
        Message(who="agent", text="Answer", at=1),
        Message(who="tool", text="a.py", at=2, name="Edit", call=call),
        Message(who="tool", text="", at=3, name="Empty"),
    ]
    assert entries.of(said, ["Ask ", "Asked of the hook"]) == [
        IndexEntry("prompt", "Ask", 0, 1, 5.0),
        IndexEntry("answer", "Answer", 1, 1),
        IndexEntry("tool", "a.py\nbefore\nafter", 2, 1, 0.0, "Edit", True),
        IndexEntry("output", "written", 2, 1, 0.0, "Edit", True),
        IndexEntry("tool", "Empty", 3, 1, 0.0, "Empty"),
        IndexEntry("prompt", "Asked of the hook", 3, 0),
    ]
    assert schema.VERSION >= 1
