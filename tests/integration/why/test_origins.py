"""The parts of ``entire why``: what is compared, what is concluded, and where it looks for a turn."""

from __future__ import annotations

import json
import os

import pytest

from entire.git.read import Objects
from entire.model.turns import PERSON, Owner, TurnKey
from entire.origins import annotated, answer, copies, targets
from entire.origins.copies import Copies, Copy
from entire.origins.details import Details
from entire.origins.owners import Track
from entire.origins.stored import StoredCheckpoints
from entire.store.lineage_file import FileLines
from entire.workspace import Workspace
from tests.integration.story import Story
from tests.integration.why.test_why import FIRST, MINE, SECOND, W1, owners, second_turn

TURN = Owner("session/turn")


@pytest.fixture
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    story = Story(tmp_path_factory.mktemp("world") / "repo")
    session = story.started()
    with session.turn(W1):
        session.write("a.py", FIRST)
    story.commit("First")
    return story


# ---------------------------------------------------------------- copies


def test_single_lines_become_ranges() -> None:
    lines = [(1, "person"), (2, TURN), (3, TURN), (5, TURN), (6, "person")]
    assert copies.spans(lines) == ((1, 1, PERSON), (2, 3, TURN), (5, 5, TURN), (6, 6, PERSON))


def test_lines_are_counted_off_only_if_their_number_fits(story: Story) -> None:
    story.write("a.py", MINE + FIRST + SECOND)
    story.commit("More")
    compared = Copies(str(story.root))
    with Objects(str(story.root)) as objects:
        commit, parent = objects.commit("HEAD"), objects.tree_id("HEAD~1")
        assert commit is not None
        compared.load_changes([(commit, parent)])
    copy = Copy(oid=commit.oid, original="f" * 40, path="a.py")
    fitting = FileLines(status="M", added=((10, 10, PERSON), (21, 24, TURN)))
    assert compared.counted_off(copy, fitting) == ((1, 1, PERSON), (6, 9, TURN))
    assert compared.counted_off(copy, FileLines(status="M", added=((1, 4, TURN),))) is None


def test_a_line_is_found_in_the_original_only_unchanged(story: Story) -> None:
    story.write("a.py", MINE + FIRST.replace("_2(argument)", "_2(other)"))
    story.commit("Changed")
    compared = Copies(str(story.root))
    head, before = (story.git("rev-parse", name).strip() for name in ("HEAD", "HEAD~1"))
    copy = Copy(oid=head, original=before, path="a.py")
    compared.load_blobs([copy])
    assert not compared.is_same(copy)
    assert [compared.line_in(copy, line) for line in range(1, 6)] == [0, 1, 2, 0, 4]


def test_what_a_record_names_is_found_and_nothing_beside_it() -> None:
    track = Track(checkpoint_id=Owner("0"), spans=((2, 3, TURN), (7, 7, PERSON)))  # type: ignore[arg-type]
    assert [track.find(line) for line in (1, 2, 3, 4)] == [("", 1), (TURN, 3), (TURN, 3), ("", 6)]
    assert track.find(8)[0] == ""


def test_an_unchanged_copy_on_another_base_needs_no_original(story: Story) -> None:
    """Its lines are counted off: also if the original is gone."""
    story.git("checkout", "-q", "-b", "topic")
    second_turn(story, "b.py")
    story.commit("Second")
    story.git("checkout", "-q", "main")
    story.write("a.py", MINE + FIRST)
    story.commit("By hand")
    story.git("cherry-pick", "topic")
    story.git("branch", "-q", "-D", "topic")
    story.git("reflog", "expire", "--expire=now", "--all")
    story.git("gc", "-q", "--prune=now")
    assert owners(story, "b.py") == [(1, 4, "Write the second functions")]


# ---------------------------------------------------------------- checkpoints


def test_a_checkpoint_is_read_from_the_first_tip_that_has_it(story: Story) -> None:
    checkpoint_id = story.ids()[0]
    with Objects(str(story.root)) as objects:
        stored = StoredCheckpoints(objects, ["HEAD", "entire/checkpoints/v1"])
        stored.load([checkpoint_id, "0123456789ab"])
        assert [stored.is_stored(name) for name in (checkpoint_id, "0123456789ab")] == [True, False]
        record = stored.lineage(checkpoint_id)
        assert record is not None
        assert record.numbered_in == story.head()
        stored.load_sessions([checkpoint_id])
        (slot,) = stored.sessions(checkpoint_id).values()
        assert (slot.agent, slot.prompts) == ("Claude Code", [W1])


def test_a_turn_is_found_in_another_checkpoint_of_its_session(story: Story) -> None:
    (session_id,) = story.linked()["lineage"]["turns"]
    turn = story.linked()["lineage"]["turns"][session_id][0]["turn"]
    for name in os.listdir(story.root / ".git/entire-sessions"):
        if name.endswith(".turns"):
            (story.root / ".git/entire-sessions" / name).unlink()
    place, catalog = Workspace.find(story.root).place, Workspace.find(story.root)._opened.catalog
    with Objects(place.top) as objects:
        details = Details(place, catalog, StoredCheckpoints(objects, catalog.commits))
        assert details.of(TurnKey.of(session_id, turn)).prompt == W1
        assert details.of(TurnKey.of(session_id, "other")).turn == "other"


def test_a_record_of_a_newer_version_is_unreadable(story: Story) -> None:
    checkpoint_id = story.ids()[0]
    path = f"{checkpoint_id[:2]}/{checkpoint_id[2:]}/lineage.json"
    record = json.loads(story.show(path))
    blob = story.git("hash-object", "-w", "--stdin", stdin=json.dumps({**record, "version": 2})).strip()
    index = {"GIT_INDEX_FILE": str(story.root.parent / "index")}
    story.git("read-tree", "entire/checkpoints/v1", env=index)
    story.git("update-index", "--cacheinfo", f"100644,{blob},{path}", env=index)
    tree = story.git("write-tree", env=index).strip()
    commit = story.git("commit-tree", tree, "-m", "newer").strip()
    story.git("update-ref", "refs/heads/entire/checkpoints/v1", commit)
    assert owners(story) == [(1, 4, f"? this version cannot read the record of checkpoint {checkpoint_id}")]


# ---------------------------------------------------------------- answers


def test_long_histories_follow_moves_only_for_the_lines_asked_about(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    story.write("copy.py", FIRST)
    story.commit("Copy")
    monkeypatch.setattr(answer, "_FEW_COMMITS", 0)
    assert owners(story, "copy.py") == [(1, 4, "by Ada Tester")]
    assert owners(story, "copy.py:1-4") == [(1, 4, W1)]


def test_dates_in_a_form_that_git_does_not_know(story: Story) -> None:
    workspace = Workspace.find(story.root)
    view = annotated.annotate(workspace.place, workspace._opened.catalog, workspace.place.top, ["--porcelain", "a.py"])
    assert list(annotated.dates(workspace.place, view, "unix").dates) == [story.head()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", [("a", None)]),
        ("a:7", [("a:7", None), ("a", (7, 7))]),
        ("a:7-9", [("a:7-9", None), ("a", (7, 9))]),
        ("a:0", [("a:0", None), ("a", (0, 0))]),
        ("a:-1", [("a:-1", None), ("a", (-1, -1))]),
        ("a:9-7", [("a:9-7", None), ("a", (9, 7))]),
        ("a:x-9", [("a:x-9", None)]),
        ("a:7-", [("a:7-", None)]),
        ("a:²", [("a:²", None)]),
        (":7", [(":7", None)]),
        ("a:" + "9" * 5000, [("a:" + "9" * 5000, None)]),
    ],
)
def test_lines_at_the_end_of_a_target(text: str, expected: list[tuple[str, targets.Lines]]) -> None:
    assert list(targets._with_lines(text)) == expected
