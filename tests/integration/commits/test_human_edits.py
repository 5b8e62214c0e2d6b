"""People's lines are people's, whenever they were typed; the agent's are the agent's (linking.md section 6)."""

from __future__ import annotations

import pytest

from tests.integration.kept import answers, check, lines, percent, sole, tokens, unlinked
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story) -> Session:
    """A session over a repository with ``old.py`` of five lines."""
    story.write("old.py", "1\n2\n3\n4\n5\n")
    story.commit("old")
    found = story.session()
    found.start()
    return found


def done(story: Story) -> None:
    assert story.log_errors() == []


def test_before_the_first_prompt_in_the_same_file(story: Story, session: Session) -> None:
    story.write("old.py", "person\n1\n2\n3\n4\n5\n")
    with session.turn("go"):
        session.edit("old.py", "3\n", "three\nagent\n")
    story.commit("c")
    record = sole(story, session, ["old.py"])
    assert lines(record) == (2, 1, 0, 0, 3)
    assert percent(record) == pytest.approx(200 / 3)
    done(story)


def test_before_the_first_prompt_in_another_file(story: Story, session: Session) -> None:
    story.write("mine.py", "p\np\n")
    story.write("old.py", "1\n2\n3\n4\n")
    with session.turn("go"):
        session.write("new.py", "a\n")
    story.commit("c")
    assert lines(sole(story, session, ["new.py"])) == (1, 2, 0, 1, 3)
    done(story)


def test_between_turns(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.edit("old.py", "1\n", "one\n")
    story.write("old.py", story.read("old.py") + "person\n")
    story.write("mine.py", "p\n")
    with session.turn("two"):
        session.edit("old.py", "5\n", "five\n")
    story.commit("c")
    record = sole(story, session, ["old.py"])
    assert lines(record) == (2, 2, 0, 0, 4)
    assert tokens(record) == answers(0, 1, 2, 3)
    done(story)


def test_after_the_last_turn(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.edit("old.py", "1\n", "one\n")
    story.write("old.py", "person\n" + story.read("old.py").replace("5\n", ""))
    story.write("mine.py", "p\n")
    story.commit("c")
    assert lines(sole(story, session, ["old.py"])) == (1, 2, 0, 1, 3)
    done(story)


def test_during_a_turn_what_was_dirty_before_is_the_persons(story: Story, session: Session) -> None:
    story.write("old.py", "person\n1\n2\n3\n4\n5\n")
    story.write("mine.py", "p\n")
    session.prompt("go")
    session.edit("old.py", "5\n", "five\n")
    story.commit("c", env={"ENTIRE_TEST_TTY": "1"})
    session.stop()
    record = sole(story, session, ["old.py"])
    assert lines(record) == (1, 2, 0, 0, 3)
    assert tokens(record) == answers(0, 1)
    done(story)


def test_a_person_overwrites_agent_lines(story: Story, session: Session) -> None:
    with session.turn("go"):
        session.edit("old.py", "3\n", "a\nb\nc\n")
    story.write("old.py", story.read("old.py").replace("b\n", "B\n"))
    story.commit("c")
    assert lines(sole(story, session, ["old.py"])) == (2, 0, 1, 0, 3)
    done(story)


def test_a_person_overwrites_all_agent_lines(story: Story, session: Session) -> None:
    with session.turn("go"):
        session.edit("old.py", "3\n", "agent\n")
    story.write("old.py", "1\n2\nperson\n4\n5\n")
    story.commit("c")
    assert unlinked(story)
    done(story)


def test_the_agent_overwrites_a_persons_lines(story: Story, session: Session) -> None:
    story.write("old.py", "1\n2\nperson\nperson too\n4\n5\n")
    with session.turn("go"):
        session.edit("old.py", "person\n", "agent\n")
    story.commit("c")  # of the two lines in place of "3" one is left
    assert lines(sole(story, session, ["old.py"])) == (1, 0, 1, 0, 2)
    done(story)


def test_a_person_changes_a_line_of_the_parent(story: Story, session: Session) -> None:
    with session.turn("go"):
        session.edit("old.py", "1\n", "one\n")
    story.write("old.py", story.read("old.py").replace("4\n", "four\n"))
    story.commit("c")
    assert lines(sole(story, session, ["old.py"])) == (1, 0, 1, 0, 2)
    done(story)


def test_lines_a_person_removed(story: Story, session: Session) -> None:
    with session.turn("go"):
        session.edit("old.py", "1\n", "one\n")
    story.write("old.py", "one\n2\n5\n")
    story.commit("c")
    record = sole(story, session, ["old.py"])
    assert lines(record) == (1, 0, 0, 2, 1)
    assert percent(record) == 100
    done(story)


def test_a_new_agent_file_thrown_away_and_written_anew(story: Story, session: Session) -> None:
    with session.turn("go"):
        session.write("new.py", "a\nb\nc\n")
    story.path("new.py").unlink()
    story.write("new.py", "x\ny\n")
    story.commit("c")
    assert unlinked(story)
    done(story)


def test_thrown_away_and_written_anew_with_some_lines_alike(story: Story, session: Session) -> None:
    """A file that the agent made new and the person threw away and wrote anew is the person's."""
    with session.turn("go"):
        session.write("new.py", "import os\na\nb\n")
    story.path("new.py").unlink()
    with session.turn("something else"):
        session.write("other.py", "o\n")
    story.write("new.py", "import os\nx\n")
    story.commit("c")
    assert lines(sole(story, session, ["other.py"])) == (1, 2, 0, 0, 3)
    done(story)


def test_rewritten_in_place_with_trivial_lines_alike(story: Story, session: Session) -> None:
    with session.turn("go"):
        session.write("main.go", 'package main\n\nfunc main() {\n\tprintln("a")\n}\n')
    story.write("main.go", "package main\n\ntype T struct {\n\tx int\n}\n")
    story.commit("c")
    assert unlinked(story)
    done(story)


def test_in_a_file_that_existed_lines_come_back(story: Story, session: Session) -> None:
    with session.turn("go"):
        session.edit("old.py", "3\n", "agent one\nagent two\n")
    story.write("old.py", "1\n2\n4\n5\n")
    with session.turn("something else"):
        session.write("other.py", "o\n")
    story.write("old.py", "1\n2\nagent one\n4\n5\n")
    story.commit("c")
    assert lines(sole(story, session, ["old.py", "other.py"])) == (2, 0, 0, 0, 2)
    done(story)


def test_a_final_newline_that_an_editor_adds_leaves_the_line_the_sessions(story: Story, session: Session) -> None:
    with session.turn("go"):
        session.write("old.py", "1\n2\n3\n4\n5")
    story.commit("c")
    record = sole(story, session, ["old.py"])
    assert lines(record) == (1, 0, 0, 0, 1)
    with session.turn("again"):
        session.write("old.py", "1\n2\n3\n4\n5\n6")
    story.write("old.py", "1\n2\n3\n4\n5\n6\n")
    story.commit("d")
    assert lines(sole(story, session, ["old.py"])) == (2, 0, 0, 0, 2)
    done(story)


def test_white_space_is_a_change(story: Story, session: Session) -> None:
    with session.turn("go"):
        session.edit("old.py", "2\n", "  2\n\n")
    story.write("old.py", story.read("old.py").replace("4\n", "4 \n"))
    story.commit("c")
    assert lines(sole(story, session, ["old.py"])) == (2, 0, 1, 0, 3)
    done(story)


@pytest.mark.parametrize("how", ["autocrlf", "attributes"])
def test_line_ends_are_compared_as_git_stores_them(story: Story, how: str) -> None:
    if how == "autocrlf":
        story.git("config", "core.autocrlf", "true")
    else:
        story.write(".gitattributes", "*.txt text=auto\n")
    story.write("a.txt", "1\r\n2\r\n3\r\n")
    story.commit("base")
    session = story.session()
    session.start()
    with session.turn("go"):
        session.write("a.txt", "1\n2\nagent\n3\n")
        session.write("b.txt", "x\r\ny\n")
    story.write("a.txt", "1\r\n2\r\nagent\r\n3\r\nperson\r\n")
    story.commit("c")
    assert lines(sole(story, session, ["a.txt", "b.txt"])) == (3, 1, 0, 0, 4)
    done(story)


def test_carriage_returns_without_conversion_are_content(story: Story, session: Session) -> None:
    story.write("old.py", "1\r\n2\n3\n4\n5\n")
    with session.turn("go"):
        session.write("new.txt", "a\nb\n")
    story.write("new.txt", "a\r\nb\n")  # the line stays the session's, as after a formatter
    story.commit("c")
    assert lines(sole(story, session, ["new.txt"])) == (2, 0, 1, 0, 3)
    done(story)


def test_clean_and_smudge_filters(story: Story) -> None:
    story.git("config", "filter.shout.clean", "tr a-z A-Z")
    story.git("config", "filter.shout.smudge", "tr A-Z a-z")
    story.write(".gitattributes", "*.s filter=shout\n")
    story.write("a.s", "one\ntwo\n")
    story.commit("base")
    session = story.session()
    session.start()
    with session.turn("go"):
        session.write("a.s", "one\nagent\ntwo\n")
        session.write("b.s", "new\n")
    story.write("a.s", "ONE\nAGENT\ntwo\nperson\n")
    story.commit("c")
    assert story.git("show", "HEAD:a.s") == "ONE\nAGENT\nTWO\nPERSON\n"
    assert lines(sole(story, session, ["a.s", "b.s"])) == (2, 1, 0, 0, 3)
    done(story)


def test_a_filter_that_stores_another_thing_as_lfs_does(story: Story) -> None:
    story.git("config", "filter.point.clean", "git hash-object --stdin --no-filters")
    story.git("config", "filter.point.required", "true")
    story.write(".gitattributes", "*.big filter=point\n")
    story.commit("base")
    session = story.session()
    session.start()
    with session.turn("go"):
        session.write("x.big", "many\nlines\nof\ndata\n")
    story.commit("c")
    assert lines(sole(story, session, ["x.big"])) == (1, 0, 0, 0, 1)
    done(story)


def test_a_commit_that_only_deletes(story: Story, session: Session) -> None:
    with session.turn("go"):
        session.edit("old.py", "2\n3\n4\n", "")
    story.write("old.py", "1\n")
    story.commit("c")
    record = sole(story, session, ["old.py"])
    assert lines(record) == (0, 0, 0, 1, 0)
    assert percent(record) == pytest.approx(75)
    done(story)


def test_commits_in_between_do_not_count(story: Story, session: Session) -> None:
    """What a person commits between turn and commit is in another commit, not in this one's lines."""
    with session.turn("go"):
        session.edit("old.py", "1\n", "one\n")
    story.write("mine.py", "p\np\n")
    story.git("add", "mine.py")
    story.commit("mine", add=False)
    assert "no session content" in unlinked(story)
    story.commit("c")
    assert lines(sole(story, session, ["old.py"])) == (1, 0, 0, 0, 1)
    done(story)


def test_the_same_line_typed_by_both(story: Story, session: Session) -> None:
    """A person's line that reads as one of the agent's elsewhere stays the person's."""
    with session.turn("go"):
        session.write("a.py", "return 1\n")
    story.write("b.py", "return 1\n")
    story.write("a.py", "return 1\nreturn 1\n")
    story.commit("c")
    found = check(story, "HEAD", ["a.py"])
    assert lines(found["slots"][session.id]) == (1, 2, 0, 0, 3)
    done(story)


def test_a_person_moves_agent_lines_to_another_file(story: Story, session: Session) -> None:
    """git sees a rename with the agent's lines in it: the lines stay the agent's, the move is the person's."""
    with session.turn("go"):
        session.write("a.py", "".join(f"line {n}\n" for n in range(10)))
    story.git("add", "-A")
    story.git("mv", "a.py", "b.py")
    story.write("b.py", story.read("b.py") + "person\n")
    story.commit("c")
    assert lines(sole(story, session, ["b.py"])) == (10, 1, 0, 0, 11)
    done(story)
