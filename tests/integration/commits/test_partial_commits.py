"""Commits of a part of the work: the commit holds its own content, the rest stays open and keeps its prompts."""

from __future__ import annotations

from tests.integration.kept import input_tokens, lines, reason, slot_of, start, unlinked
from tests.integration.story import Session, Story

TWENTY = "".join(f"line {n}\n" for n in range(1, 21))


def two_files(story: Story) -> Session:
    """A turn of 6 records and 3 answers (7 tokens) that makes one line of a.txt and two of b.txt."""
    a = story.session()
    a.start()
    with a.turn("Make a and b"):
        a.write("a.txt", "a1\n")
        a.write("b.txt", "b1\nb2\n")
    return a


def open_files(a: Session) -> list[str]:
    return list(a.state().get("files_touched") or [])


def test_one_file_of_two_then_the_other(story: Story) -> None:
    a = two_files(story)
    story.git("add", "a.txt")
    story.commit("Only a", add=False)
    first = slot_of(story, a)
    assert first["files_touched"] == ["a.txt"]
    assert lines(first) == (1, 0, 0, 0, 1)
    assert (input_tokens(first), start(first), first["prompts"]) == (7, 0, ["Make a and b"])
    assert open_files(a) == ["b.txt"]

    story.commit("Then b")
    second = slot_of(story, a)
    assert second["files_touched"] == ["b.txt"]
    assert lines(second) == (2, 0, 0, 0, 2)
    assert (input_tokens(second), start(second), second["prompts"]) == (0, 0, ["Make a and b"])
    assert second["transcript"] == first["transcript"]
    assert story.ids("HEAD") != story.ids("HEAD~1")
    assert open_files(a) == []
    assert story.log_errors() == []


def test_the_rest_is_carried_to_a_step_on_the_new_base(story: Story) -> None:
    a = two_files(story)
    story.git("add", "a.txt")
    head = story.commit("Only a", add=False)
    branches = story.git("for-each-ref", "--format=%(refname:short)", "refs/heads/entire/").split()
    (shadow,) = [name for name in branches if not name.startswith("entire/checkpoints")]
    assert shadow.startswith(f"entire/{head[:7]}-")
    names = story.git("ls-tree", "-r", "--name-only", shadow).split()
    assert "b.txt" in names
    assert f".entire/metadata/{a.id}/full.jsonl" in names
    state = a.state()
    assert state["base_commit"] == head
    assert state["checkpoint_transcript_start"] == 5  # counted lines minus one: the Go CLI can go on from there
    assert story.log_errors() == []


def test_the_rest_is_committed_after_a_later_turn_alone(story: Story) -> None:
    """The later commit shows the prompt that made its content, though its tokens were counted before."""
    a = two_files(story)
    story.git("add", "a.txt")
    story.commit("Only a", add=False)
    with a.turn("Make c"):
        a.write("c.txt", "c1\n")
    story.git("add", "c.txt")
    story.commit("Only c", add=False)
    c = slot_of(story, a)
    assert c["files_touched"] == ["c.txt"]
    assert lines(c) == (1, 0, 0, 0, 1)
    assert (input_tokens(c), start(c)) == (8 + 16, 6)
    assert c["prompts"] == ["Make a and b", "Make c"]

    story.commit("And b")
    b = slot_of(story, a)
    assert b["files_touched"] == ["b.txt"]
    assert (input_tokens(b), start(b), lines(b)) == (0, 0, (2, 0, 0, 0, 2))
    assert open_files(a) == []
    assert story.log_errors() == []


def test_old_and_new_work_in_one_commit_begin_at_the_older_prompt(story: Story) -> None:
    a = two_files(story)
    story.git("add", "a.txt")
    story.commit("Only a", add=False)
    with a.turn("Make c"):
        a.write("c.txt", "c1\n")
    story.commit("b and c")
    slot = slot_of(story, a)
    assert slot["files_touched"] == ["b.txt", "c.txt"]
    assert (input_tokens(slot), start(slot), lines(slot)) == (24, 0, (3, 0, 0, 0, 3))
    assert story.log_errors() == []


def test_each_turn_is_shown_from_its_own_prompt(story: Story) -> None:
    a = story.session()
    a.start()
    with a.turn("Make a"):
        a.write("a.txt", "a1\n")
    with a.turn("Make b"):
        a.write("b.txt", "b1\n")
    story.git("add", "b.txt")
    story.commit("b first", add=False)
    b = slot_of(story, a)
    assert (b["files_touched"], input_tokens(b), start(b)) == (["b.txt"], 15, 4)
    story.commit("then a")
    slot = slot_of(story, a)
    assert (slot["files_touched"], input_tokens(slot), start(slot)) == (["a.txt"], 0, 0)
    assert story.log_errors() == []


def test_part_of_a_file_by_add_p(story: Story) -> None:
    story.write("f.txt", TWENTY)
    story.commit("Twenty lines")
    a = story.session()
    a.start()
    with a.turn("Change two places"):
        a.edit("f.txt", "line 2\n", "line two\nline two and a half\n")
        a.edit("f.txt", "line 18\n", "line eighteen\n")
    story.git("add", "-p", "f.txt", stdin="y\nn\n")
    assert "eighteen" not in story.git("diff", "--cached")
    story.commit("The first place", add=False)
    first = slot_of(story, a)
    assert (first["files_touched"], lines(first), input_tokens(first)) == (["f.txt"], (2, 0, 0, 0, 2), 7)
    assert open_files(a) == ["f.txt"]
    assert story.linked()["lineage"]["files"]["f.txt"]["added"][0][:2] == [2, 3]

    story.commit("The second place")
    second = slot_of(story, a)
    assert (second["files_touched"], lines(second), input_tokens(second), start(second)) == (
        ["f.txt"],
        (1, 0, 0, 0, 1),
        0,
        0,
    )
    assert open_files(a) == []
    assert story.log_errors() == []


def test_part_of_a_new_file_by_add_p(story: Story) -> None:
    """`add -N`, then a hunk edited by hand: the person keeps two of four lines."""
    a = story.session()
    a.start()
    with a.turn("Make f"):
        a.write("f.txt", "one\ntwo\nthree\nfour\n")
    blob = story.git("hash-object", "-w", "--stdin", stdin="one\ntwo\n").strip()
    story.git("update-index", "--add", "--cacheinfo", f"100644,{blob},f.txt")
    story.commit("Half", add=False)
    assert lines(slot_of(story, a)) == (2, 0, 0, 0, 2)
    assert open_files(a) == ["f.txt"]
    story.commit("The other half")
    slot = slot_of(story, a)
    assert (lines(slot), input_tokens(slot), start(slot)) == ((2, 0, 0, 0, 2), 0, 0)
    assert open_files(a) == []
    assert story.log_errors() == []


def test_add_p_with_the_person_in_the_other_hunk(story: Story) -> None:
    """Only the person's hunk is committed: no link, a reason, and the agent's hunk is linked later."""
    story.write("f.txt", TWENTY)
    story.commit("Twenty lines")
    a = story.session()
    a.start()
    with a.turn("Change line 2"):
        a.edit("f.txt", "line 2\n", "line two\n")
    story.write("f.txt", story.read("f.txt").replace("line 18\n", "line eighteen\n"))
    story.git("add", "-p", "f.txt", stdin="n\ny\n")
    story.commit("The person's place", add=False)
    assert "no session content" in unlinked(story)
    assert open_files(a) == ["f.txt"]
    story.commit("The agent's place")
    assert lines(slot_of(story, a)) == (1, 0, 0, 0, 1)
    assert story.log_errors() == []


def test_a_staged_version_older_than_the_work_tree(story: Story) -> None:
    a = story.session()
    a.start()
    with a.turn("Make f"):
        a.write("f.txt", "one\n")
    story.git("add", "f.txt")
    with a.turn("More f"):
        a.edit("f.txt", "one\n", "one\ntwo\nthree\n")
    story.commit("As staged", add=False)
    assert story.git("show", "HEAD:f.txt") == "one\n"
    first = slot_of(story, a)
    assert (first["files_touched"], lines(first)) == (["f.txt"], (1, 0, 0, 0, 1))
    assert (input_tokens(first), start(first)) == (15, 0)
    assert open_files(a) == ["f.txt"]
    story.commit("The rest")
    second = slot_of(story, a)
    assert (lines(second), input_tokens(second), start(second)) == ((2, 0, 0, 0, 2), 0, 4)
    assert open_files(a) == []
    assert story.log_errors() == []


def test_a_staged_version_that_a_later_turn_threw_away(story: Story) -> None:
    """The commit holds lines that the worktree no longer has: they are still the first turn's."""
    story.write("f.txt", TWENTY)
    story.commit("Twenty lines")
    a = story.session()
    a.start()
    with a.turn("Change line 2"):
        a.edit("f.txt", "line 2\n", "line two\n")
    story.git("add", "f.txt")
    with a.turn("Better not"):
        a.edit("f.txt", "line two\n", "line 2 again\n")
    story.commit("As staged", add=False)
    first = slot_of(story, a)
    assert (lines(first), start(first)) == ((1, 0, 0, 0, 1), 0)
    story.commit("The rest")
    second = slot_of(story, a)
    assert (lines(second), input_tokens(second), start(second)) == ((1, 0, 0, 0, 1), 0, 4)
    assert story.log_errors() == []


def test_a_path_on_the_command_line(story: Story) -> None:
    """git uses a temporary index then; what is staged besides does not count."""
    a = two_files(story)
    story.git("add", "-A")
    story.commit("Only a", "--", "a.txt", add=False)
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot)) == (["a.txt"], (1, 0, 0, 0, 1))
    assert open_files(a) == ["b.txt"]
    story.write("person.txt", "mine\n")
    story.git("add", "person.txt")
    story.commit("Only mine", "--", "person.txt", add=False)
    assert "no session content" in unlinked(story)
    story.commit("b, that was staged all the time", add=False)
    slot = slot_of(story, a)
    assert (slot["files_touched"], input_tokens(slot), start(slot)) == (["b.txt"], 0, 0)
    assert story.log_errors() == []


def test_all_that_is_tracked(story: Story) -> None:
    story.write("f.txt", TWENTY)
    story.commit("Twenty lines")
    a = story.session()
    a.start()
    with a.turn("Change one, make one"):
        a.edit("f.txt", "line 2\n", "line two\n")
        a.write("new.txt", "new\n")
    story.commit("-a leaves new files out", "-a", add=False)
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot)) == (["f.txt"], (1, 0, 0, 0, 1))
    assert open_files(a) == ["new.txt"]
    story.commit("new")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["new.txt"], (1, 0, 0, 0, 1), 0)
    assert story.log_errors() == []


def test_from_a_sub_folder(story: Story) -> None:
    a = story.session()
    a.start()
    with a.turn("Make two"):
        a.write("sub/a.txt", "a\n")
        a.write("b.txt", "b\n")
    story.git("-C", "sub", "add", ".")
    story.git("-C", "sub", "commit", "-q", "-m", "From below")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["sub/a.txt"], (1, 0, 0, 0, 1), 7)
    story.write("sub/c.txt", "c\n")
    story.git("-C", "sub", "add", "../b.txt", "c.txt")
    story.git("-C", "sub", "commit", "-q", "-m", "With paths", "--", "../b.txt")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), start(slot)) == (["b.txt"], (1, 0, 0, 0, 1), 0)
    assert story.log_errors() == []


def test_three_commits_of_one_turn(story: Story) -> None:
    a = story.session()
    a.start()
    with a.turn("Make three"):
        for name in "abc":
            a.write(f"{name}.txt", f"{name}\n{name}\n")
    taken = []
    for number, name in enumerate("abc"):
        story.git("add", f"{name}.txt")
        story.commit(name, add=False)
        slot = slot_of(story, a)
        assert slot["files_touched"] == [f"{name}.txt"]
        assert lines(slot) == (2, 0, 0, 0, 2)
        assert (input_tokens(slot), start(slot)) == (0 if number else 15, 0)
        taken += story.ids()
    assert len(set(taken)) == 3
    assert story.log_errors() == []


def test_three_commits_of_one_file(story: Story) -> None:
    story.write("f.txt", TWENTY)
    story.commit("Twenty lines")
    a = story.session()
    a.start()
    with a.turn("Change three places"):
        for n in (2, 10, 18):
            a.edit("f.txt", f"line {n}\n", f"line {n} new\n")
    for number in range(3):
        story.git("add", "-p", "f.txt", stdin="y\n" + "n\n" * (2 - number))
        story.commit(f"place {number}", add=False)
        slot = slot_of(story, a)
        assert (lines(slot), input_tokens(slot)) == ((1, 0, 0, 0, 1), 0 if number else 15)
    assert open_files(a) == []
    assert story.log_errors() == []


def test_a_persons_commit_leaves_the_work_open(story: Story) -> None:
    a = two_files(story)
    story.write("mine.txt", "mine\n")
    story.git("add", "mine.txt")
    story.commit("Mine", add=False)
    assert "no session content" in unlinked(story)
    assert open_files(a) == ["a.txt", "b.txt"]
    story.commit("Theirs")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["a.txt", "b.txt"], (3, 0, 0, 0, 3), 7)
    assert reason(story) == ""
    assert story.log_errors() == []


def test_a_mixed_commit_counts_both(story: Story) -> None:
    a = two_files(story)
    story.write("mine.txt", "mine\nmine\n")
    story.git("add", "mine.txt", "a.txt")
    story.commit("Mixed", add=False)
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot)) == (["a.txt"], (1, 2, 0, 0, 3))
    assert open_files(a) == ["b.txt"]
    assert story.log_errors() == []


def test_the_rest_is_committed_after_the_sessions_end(story: Story) -> None:
    a = two_files(story)
    story.git("add", "a.txt")
    story.commit("Only a", add=False)
    a.end()
    story.commit("b, later")
    slot = slot_of(story, a)
    assert (slot["files_touched"], input_tokens(slot), start(slot)) == (["b.txt"], 0, 0)
    assert a.state()["phase"] == "ended"
    assert story.log_errors() == []


def test_parts_within_a_running_turn(story: Story) -> None:
    """The agent commits a part of what it made, then the rest, then the turn goes on."""
    a = story.session()
    a.start()
    a.prompt("Make two and commit each")
    a.write("a.txt", "a\n")
    a.write("b.txt", "b\nb\n")
    story.git("add", "a.txt")
    a.commit("a", add=False)
    a.commit("b")
    a.stop()
    first, second = slot_of(story, a, "HEAD~1"), slot_of(story, a)
    assert (first["files_touched"], lines(first), input_tokens(first)) == (["a.txt"], (1, 0, 0, 0, 1), 1 + 2 + 4)
    assert (second["files_touched"], lines(second), input_tokens(second)) == (["b.txt"], (2, 0, 0, 0, 2), 8 + 16)
    assert (start(first), start(second)) == (0, 0)
    assert first["transcript"] == second["transcript"]  # both are finalised at the turn's end
    assert story.log_errors() == []
