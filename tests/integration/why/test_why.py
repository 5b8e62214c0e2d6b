"""``entire why``: each committed line leads to the turn that wrote it, to a person's commit, or to a reason."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from entire.errors import EntireError, UsageError
from entire.model.origins import FileOrigins, LineRange, Origin, WhyRequest
from entire.workspace import Workspace
from tests.integration.story import Story

FIRST = "".join(f"def first_function_of_the_agent_{n}(argument):\n" for n in range(4))
SECOND = "".join(f"def second_function_of_the_agent_{n}(argument):\n" for n in range(4))
MINE = "a_line_that_a_person_typed_by_hand = True\n"


@pytest.fixture
def story(tmp_path: Path) -> Story:
    """A repository where one turn wrote ``a.py``, which is committed."""
    story = Story(tmp_path / "repo")
    session = story.started()
    with session.turn("Write the first functions"):
        session.write("a.py", FIRST)
    story.commit("First")
    return story


def second_turn(story: Story, path: str = "a.py", *, prompt: str = "Write the second functions") -> str:
    """Have another session append to a file; return its id."""
    session = story.started()
    with session.turn(prompt):
        before = story.read(path) if story.path(path).exists() else ""
        session.write(path, before + SECOND)
    return session.id


def asked(story: Story, target: str = "a.py", folder: str = "") -> FileOrigins:
    found = Workspace.find(story.root).origins.why(WhyRequest(target=target, folder=folder))
    assert len(found.files) == 1
    return found.files[0]


def words(origin: Origin) -> str:
    return {"turn": origin.prompt, "person": f"by {origin.author}", "unknown": f"? {origin.reason}"}[origin.kind]


def owners(story: Story, target: str = "a.py", folder: str = "") -> list[tuple[int, int, str]]:
    return [(part.first, part.last, words(part.origin)) for part in asked(story, target, folder).ranges]


W1, W2, P = "Write the first functions", "Write the second functions", "by Ada Tester"


# ---------------------------------------------------------------- what is known of a line


def test_a_line_has_its_turn_and_its_commit(story: Story) -> None:
    part = asked(story, "a.py:2").ranges[0]
    origin = part.origin
    assert (part.first, part.last, part.source_line) == (2, 2, 2)
    assert (origin.kind, origin.agent, origin.prompt) == ("turn", "Claude Code", W1)
    assert (origin.commit, origin.subject, origin.author, origin.path) == (story.head(), "First", "Ada Tester", "a.py")
    assert origin.session_id in story.linked()["lineage"]["turns"]
    assert origin.checkpoint_id == story.ids()[0]
    assert origin.turn and origin.started > 0 and not origin.is_evidence


def test_a_persons_lines_are_the_persons(story: Story) -> None:
    story.write("a.py", MINE + FIRST)
    story.commit("By hand")
    assert owners(story) == [(1, 1, P), (2, 5, W1)]
    assert owners(story, "README.md") == [(1, 1, P)]


def test_lines_of_two_sessions_in_one_commit(story: Story) -> None:
    second_turn(story)
    story.write("a.py", story.read("a.py") + MINE)
    story.commit("Both")
    assert owners(story) == [(1, 4, W1), (5, 8, W2), (9, 9, P)]


def test_lines_that_are_not_committed_say_so(story: Story) -> None:
    story.write("a.py", FIRST + MINE)
    assert owners(story)[0] == (1, 4, W1)


def test_an_older_version_is_answered(story: Story) -> None:
    story.write("a.py", MINE + FIRST)
    story.commit("By hand")
    assert owners(story, "HEAD~1:a.py") == [(1, 4, W1)]
    assert owners(story, "HEAD:a.py:1-2") == [(1, 1, P), (2, 2, W1)]


def test_a_hook_of_the_commit_is_nobody(story: Story) -> None:
    hook = story.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho '# checked_by_the_hook_of_the_commit' >>a.py\ngit add a.py\n")
    hook.chmod(0o755)
    second_turn(story)
    story.commit("Checked")
    found = owners(story)
    assert found[:2] == [(1, 4, W1), (5, 8, W2)]
    assert found[2][2] == "? a hook of the commit itself changed it"


def test_a_trailer_that_was_removed_by_hand_is_told(story: Story) -> None:
    second_turn(story)
    editor = story.root.parent / "editor"
    editor.write_text("#!/bin/sh\nsed -i -e '/^Entire-/d' -e '1s/^$/Mine/' \"$1\"\n")
    editor.chmod(0o755)
    story.git("add", "-A")
    story.git("commit", "-q", "-e", "-m", "Mine", env={"GIT_EDITOR": str(editor)})
    assert not story.ids()
    assert owners(story) == [(1, 4, W1), (5, 8, "? its trailer was removed by hand")]


# ---------------------------------------------------------------- history that was rewritten


def test_a_renamed_file_keeps_its_owners(story: Story) -> None:
    story.git("mv", "a.py", "b.py")
    story.commit("Rename")
    assert owners(story, "b.py") == [(1, 4, W1)]
    assert asked(story, "b.py").ranges[0].origin.path == "a.py"


def test_moved_lines_lead_to_their_first_writer(story: Story) -> None:
    second_turn(story)
    story.commit("Second")
    story.write("a.py", SECOND + FIRST)
    story.commit("Swap")
    assert owners(story) == [(1, 4, W2), (5, 8, W1)]
    assert {part.origin.moved_in for part in asked(story).ranges} in ({"", story.head()}, {story.head()})


def test_copied_lines_lead_to_their_first_writer(story: Story) -> None:
    story.write("copy.py", FIRST)
    story.commit("Copy")
    assert owners(story, "copy.py") == [(1, 4, W1)]
    assert asked(story, "copy.py:1").ranges[0].origin.moved_in == story.head()


def test_rebased_lines_keep_their_turns(story: Story) -> None:
    story.git("checkout", "-q", "-b", "topic")
    second_turn(story)
    story.commit("Second")
    story.git("checkout", "-q", "main")
    story.write("a.py", MINE + FIRST)
    story.commit("By hand")
    story.git("rebase", "-q", "main", "topic")
    assert owners(story) == [(1, 1, P), (2, 5, W1), (6, 9, W2)]


def test_picked_lines_keep_their_turns(story: Story) -> None:
    story.git("checkout", "-q", "-b", "topic")
    second_turn(story, "b.py")
    story.commit("Second")
    story.git("checkout", "-q", "main")
    story.commit("Nothing", "--allow-empty")
    story.git("cherry-pick", "topic")
    assert owners(story, "b.py") == [(1, 4, W2)]


def squash(story: Story) -> str:
    """Squash a person's commit and those of two sessions."""
    story.git("checkout", "-q", "-b", "topic")
    second_turn(story)
    story.commit("Second")
    story.write("a.py", MINE + story.read("a.py"))
    story.commit("By hand")
    third = story.started()
    with third.turn("Write the third function"):
        third.write("a.py", story.read("a.py") + "def third_function_of_the_agent(argument):\n")
    story.commit("Third")
    story.git("checkout", "-q", "main")
    story.git("merge", "--squash", "topic")
    return story.commit("Squashed")


def test_squashed_lines_keep_their_turns(story: Story) -> None:
    commit = squash(story)
    assert owners(story) == [(1, 1, P), (2, 5, W1), (6, 9, W2), (10, 10, "Write the third function")]
    found = asked(story).ranges
    assert [part.origin.commit for part in found] == [commit, story.git("rev-parse", "HEAD~1").strip(), commit, commit]
    assert [bool(part.origin.original) for part in found] == [
        True,
        False,
        True,
        False,
    ]  # the last one has the same file


def test_an_amended_commit_keeps_its_owners(story: Story) -> None:
    story.write("a.py", MINE + FIRST)
    story.git("commit", "-q", "-a", "--amend", "-m", "First, amended")
    assert owners(story) == [(1, 1, P), (2, 5, W1)]
    story.git("commit", "-q", "--amend", "-m", "First, reworded")
    assert owners(story) == [(1, 1, P), (2, 5, W1)]


def test_the_commit_before_an_amend_keeps_its_owners(story: Story) -> None:
    before = story.head()
    story.write("a.py", FIRST.replace("_2(argument)", "_2(argument, more)"))
    story.git("commit", "-q", "-a", "--amend", "-m", "First, amended")
    assert owners(story)[1] == (3, 3, P)
    found = owners(story, f"{before}:a.py")
    assert all(who in (W1,) or who.startswith("?") for _, _, who in found)


def test_a_copy_whose_original_is_gone_is_unknown_rather_than_wrong(story: Story, tmp_path: Path) -> None:
    """Squashed in another clone, whose commits nobody else has."""
    squash(story)
    subprocess.run(["git", "clone", "-q", str(story.root), str(tmp_path / "clone")], check=True)
    clone = tmp_path / "clone"
    fetch = "+refs/heads/entire/checkpoints/v1:refs/remotes/origin/entire/checkpoints/v1"
    subprocess.run(["git", "-C", str(clone), "fetch", "-q", "origin", fetch], check=True)
    subprocess.run(["git", "-C", str(clone), "branch", "-q", "-D", "topic"], check=False)
    subprocess.run(["git", "-C", str(clone), "update-ref", "-d", "refs/remotes/origin/topic"], check=True)
    subprocess.run(["git", "-C", str(clone), "reflog", "expire", "--expire=now", "--all"], check=True)
    subprocess.run(["git", "-C", str(clone), "gc", "-q", "--prune=now"], check=True)
    found = Workspace.find(clone).origins.why(WhyRequest(target="a.py")).files[0]
    shown = [words(part.origin) for part in found.ranges]
    assert W1 in shown
    assert all(who in (W1, W2, P, "Write the third function") or "not in this clone" in who for who in shown)


def test_lines_before_a_shallow_clone_are_unknown(story: Story, tmp_path: Path) -> None:
    story.write("a.py", FIRST + MINE)
    story.commit("By hand")
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{story.root}", str(tmp_path / "clone")], check=True)
    found = Workspace.find(tmp_path / "clone").origins.why(WhyRequest(target="a.py")).files[0]
    assert [part.origin.kind for part in found.ranges] == ["unknown"]
    assert "history before commit" in found.ranges[0].origin.reason


def test_another_clone_has_only_the_remote_checkpoints(story: Story, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(story.root), str(clone)], check=True)
    found = Workspace.find(clone).origins.why(WhyRequest(target="a.py")).files[0]
    assert [words(part.origin) for part in found.ranges] == [W1]
    subprocess.run(
        ["git", "-C", str(clone), "update-ref", "-d", "refs/remotes/origin/entire/checkpoints/v1"], check=True
    )
    found = Workspace.find(clone).origins.why(WhyRequest(target="a.py")).files[0]
    assert words(found.ranges[0].origin) == f"? checkpoint {story.ids()[0]} is not in this clone"


# ---------------------------------------------------------------- names of files


def test_names_with_colons_and_lines(story: Story) -> None:
    story.write("odd:1", MINE * 2)
    story.write("dir/täst 1.py", MINE)
    story.commit("Odd")
    assert owners(story, "odd:1") == [(1, 2, P)]
    assert owners(story, "odd:1:2") == [(2, 2, P)]
    assert owners(story, "HEAD:odd:1:1") == [(1, 1, P)]
    assert owners(story, "täst 1.py", str(story.root / "dir")) == [(1, 1, P)]
    assert owners(story, "../a.py:1", str(story.root / "dir")) == [(1, 1, W1)]
    assert owners(story, "HEAD:./täst 1.py", str(story.root / "dir")) == [(1, 1, P)]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("none.py", "no file here is named none.py"),
        ("a.py:99", "file a.py has only 4 lines"),
        ("HEAD~99:a.py", "no file here is named HEAD~99:a.py"),
        ("../outside", "no file here is named ../outside"),
    ],
)
def test_what_is_not_there_is_an_error(story: Story, target: str, message: str) -> None:
    with pytest.raises(EntireError) as caught:
        asked(story, target)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("lines", "message", "hint"),
    [
        ("0", "a.py has no line 0", "count lines from 1"),
        ("0-2", "a.py has no line 0", "count lines from 1"),
        ("-1", "a.py has no line -1", "count lines from 1"),
        ("-3-2", "a.py has no line -3", "count lines from 1"),
        ("3-1", "3-1 is not a range of lines", "give the first line first: a.py:1-3"),
        ("9-3", "9-3 is not a range of lines", "give the first line first: a.py:3-9"),
    ],
)
@pytest.mark.parametrize("revision", ["", "HEAD:"])
def test_lines_that_cannot_be_are_refused(story: Story, revision: str, lines: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        asked(story, f"{revision}a.py:{lines}")
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_program_counts_from_one_too(story: Story) -> None:
    for first, last in ((-1, 2), (3, 2), (0, 2)):
        with pytest.raises(UsageError):
            Workspace.find(story.root).origins.why(WhyRequest(path="a.py", first=first, last=last))


@pytest.mark.parametrize("line", ["5", "99999999999999999999999", "5-99999999999999999999999"])
def test_a_line_beyond_the_end_names_how_many_there_are(story: Story, line: str) -> None:
    story.write("new.py", MINE)
    for name, count in (("a.py", "4 lines"), ("HEAD:a.py", "4 lines"), ("new.py", "1 line")):
        with pytest.raises(EntireError) as caught:
            asked(story, f"{name}:{line}")
        assert caught.value.message == f"file {name.removeprefix('HEAD:')} has only {count}"
    assert len(asked(story, "a.py:4-99999999999999999999999").lines) == 1


@pytest.mark.parametrize("lines", ["0", "-1", "9-3"])
def test_a_file_may_be_named_like_lines_of_another(story: Story, lines: str) -> None:
    story.write(f"a.py:{lines}", MINE)
    story.commit("Odd name")
    assert owners(story, f"a.py:{lines}") == owners(story, f"HEAD:a.py:{lines}") == [(1, 1, P)]


@pytest.mark.parametrize("name", ["folder", "folder/", "folder:1"])
def test_a_folder_is_refused(story: Story, name: str) -> None:
    story.write("folder/b.py", MINE)
    story.commit("Folder")
    with pytest.raises(UsageError, match="folder is a folder") as caught:
        asked(story, name)
    assert caught.value.hint == "give a file in it"


def test_a_deleted_file_is_found_in_its_commit(story: Story) -> None:
    story.path("a.py").unlink()
    with pytest.raises(EntireError) as caught:
        asked(story, "a.py")
    assert caught.value.hint == "run `entire why HEAD:a.py`"


def test_binary_and_empty_files(story: Story) -> None:
    story.write("b.bin", b"\0\1\2\n" * 3)
    story.write("empty", "")
    story.commit("Odd")
    assert asked(story, "b.bin") == FileOrigins(path="b.bin", is_binary=True)
    assert asked(story, "empty") == FileOrigins(path="empty")
    story.write("new", "")
    assert asked(story, "new").ranges == ()


# ---------------------------------------------------------------- the command


def test_the_command_answers_a_line_in_full(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    assert story.entire("why", "a.py:2") == 0
    shown = capsys.readouterr().out
    assert "Claude Code" in shown
    assert f"  > {W1}" in shown
    assert f"entire show {story.ids()[0]}" in shown
    assert "def first_function_of_the_agent_1(argument):" in shown


def test_the_command_lists_the_ranges_of_a_file(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    story.write("a.py", MINE + FIRST)
    commit = story.commit("By hand")
    assert story.entire("why", "a.py") == 0
    first, second = capsys.readouterr().out.splitlines()[-2:]
    assert first.split() == ["1", "Ada", "Tester", *first.split()[3:5], commit[:7], "By", "hand"]
    assert second.split("  ")[-1] == W1


def test_the_command_prints_json(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert story.entire("why", "a.py:1", "--json") == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    part = found["files"][0]["ranges"][0]
    assert (part["first"], part["last"], part["origin"]["prompt"]) == (1, 1, W1)
    assert found["files"][0]["lines"] == ["def first_function_of_the_agent_0(argument):"]


def test_ranges_are_values() -> None:
    origin = Origin(kind="person")
    assert LineRange(first=1, last=2, origin=origin) == LineRange(first=1, last=2, origin=Origin(kind="person"))
