"""The hooks of the user's repository when Entire commits a turn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire.githooks import scripts
from tests.integration import turn_commits
from tests.integration.story import Session, Story
from tests.integration.turn_commits import hook, left_behind, message, status, subjects, uncommitted

story, session = turn_commits.story, turn_commits.session


def play(session: Session, text: str = "one") -> None:
    with session.turn(text):
        session.write("a.txt", "a\n")


def test_every_hook_runs_once_and_as_git_commit_runs_it(story: Story, session: Session) -> None:
    for name in ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"):
        hook(
            story, name, f'echo "{name} $# $2 $GIT_EDITOR $(git diff --cached --name-only | tr "\\n" " ")" >>.git/seen'
        )
    play(session)
    assert (story.root / ".git/seen").read_text().splitlines() == [
        "pre-commit 0  : a.txt ",
        "prepare-commit-msg 2 message : a.txt ",
        "commit-msg 1  : a.txt ",
        "post-commit 0  : ",
    ]
    assert story.linked()["files_touched"] == ["a.txt"]
    assert left_behind(story) == []


def test_post_commit_sees_the_users_index(story: Story, session: Session) -> None:
    story.write("staged.txt", "staged\n")
    story.git("add", "staged.txt")
    hook(story, "post-commit", "git diff --cached --name-only >.git/seen")
    play(session)
    assert (story.root / ".git/seen").read_text() == "staged.txt\n"


def test_a_post_commit_hook_that_amends(story: Story, session: Session) -> None:
    hook(
        story,
        "post-commit",
        "[ -e .git/once ] && exit; touch .git/once; echo v2 >version; git add version\n"
        "git commit -q --amend --no-verify --no-edit",
    )
    play(session)
    assert subjects(story) == ["One", "Enable entire", "init"]
    assert sorted(story.git("show", "--name-only", "--format=").split()) == ["a.txt", "version"]
    assert status(story) == ""
    assert story.linked()["files_touched"] == ["a.txt"]
    with session.turn("two"):
        session.write("b.txt", "b\n")
    assert story.linked()["files_touched"] == ["b.txt"]


def test_hooks_in_another_folder(story: Story, session: Session) -> None:
    (story.root / ".hooks").mkdir()
    story.git("config", "core.hooksPath", ".hooks")
    turn_commits.enable(story)
    story.commit("Hooks")
    hook(story, "pre-commit", "echo pre >>.git/seen")
    hook(story, "commit-msg", "echo msg >>.git/seen")
    play(session)
    assert (story.root / ".git/seen").read_text() == "pre\nmsg\n"
    assert story.linked()["files_touched"] == ["a.txt"]


def test_a_hook_that_only_changes_other_files(story: Story, session: Session) -> None:
    hook(story, "pre-commit", "date >build.log")
    play(session)
    assert subjects(story)[0] == "One"
    assert status(story) == "?? build.log\n"


def test_a_formatter_that_stages_is_committed_with_the_next_turn(story: Story, session: Session) -> None:
    formatted = 'sed "s/ *= */ = /" <$f >.git/f; cmp -s $f .git/f || cp .git/f $f; git add $f'
    hook(story, "pre-commit", f"for f in $(git diff --cached --name-only); do {formatted}; done")
    with session.turn("one"):
        session.write("a.txt", "a=1\n")
    assert subjects(story)[0] == "Enable entire"
    assert "pre-commit hook" in uncommitted(session)
    assert story.read("a.txt") == "a = 1\n"
    with session.turn("two"):
        session.write("b.txt", "b = 1\n")
    assert subjects(story)[0] == "Two"
    assert turn_commits.committed(story) == ["a.txt", "b.txt"]
    assert story.linked()["files_touched"] == ["a.txt", "b.txt"]
    assert status(story) == ""


def test_a_hook_that_prints_much(story: Story, session: Session) -> None:
    hook(story, "pre-commit", "yes | head -c 5000000; yes | head -c 5000000 >&2")
    play(session)
    assert subjects(story)[0] == "One"


def test_a_hook_that_prints_much_and_fails(story: Story, session: Session) -> None:
    hook(story, "pre-commit", "yes | head -c 5000000; echo no >&2; exit 1")
    play(session)
    assert uncommitted(session).startswith("the pre-commit hook failed: no")


def test_a_hook_that_hangs(story: Story, session: Session) -> None:
    (story.root / ".entire/entire.json").write_text(json.dumps({"commit_hook_seconds": 1}))
    hook(story, "pre-commit", "sleep 60")
    play(session)
    assert uncommitted(session).startswith(
        "the pre-commit hook did not finish within 1 seconds; set commit_hook_seconds"
    )
    assert left_behind(story) == []


def test_a_hook_that_asks(story: Story, session: Session) -> None:
    hook(story, "pre-commit", "read answer </dev/tty || exit 1")
    play(session)
    assert uncommitted(session).startswith("the pre-commit hook failed")
    (story.root / ".git/hooks/pre-commit").unlink()
    hook(story, "pre-commit", "read answer && exit 1; exit 0")
    play(session)
    assert (subjects(story)[0], uncommitted(session)) == ("One", "")


def test_a_hook_that_commits_in_another_repository(story: Story, session: Session, tmp_path: Path) -> None:
    other = Story(tmp_path / "other" / "repo")
    there = other.started()
    there.prompt("there")
    there.write("x.txt", "x\n")
    other.git("add", "-A")
    hook(story, "pre-commit", f"unset GIT_INDEX_FILE GIT_DIR; cd {other.root} && git commit -q -m There")
    play(session)
    assert subjects(story)[0] == "One"
    assert subjects(other)[0] == "There"
    assert other.linked()["files_touched"] == ["x.txt"]


def test_a_hook_that_commits_here(story: Story, session: Session) -> None:
    hook(
        story,
        "pre-commit",
        "[ -e .git/once ] && exit; touch .git/once; unset GIT_INDEX_FILE\n"
        "echo z >z.txt; git add z.txt; git commit -q -m Nested --no-verify",
    )
    play(session)
    assert subjects(story)[0] == "Nested"
    assert uncommitted(session)
    with session.turn("two"):
        session.write("b.txt", "b\n")
    assert turn_commits.committed(story) == ["a.txt", "b.txt"]


def test_a_message_that_hooks_write(story: Story, session: Session) -> None:
    hook(
        story,
        "prepare-commit-msg",
        'printf "ABC-1: %s\\n\\n\\n# a comment\\n\\n" "$(cat "$1")" >"$1.new"; mv "$1.new" "$1"',
    )
    play(session)
    (checkpoint,) = story.ids()
    assert message(story) == f"ABC-1: One\n\nEntire-Checkpoint: {checkpoint}\n\n# a comment"
    assert story.linked()["files_touched"] == ["a.txt"]


def test_a_message_that_a_hook_empties(story: Story, session: Session) -> None:
    hook(story, "commit-msg", ': >"$1"')
    play(session)
    assert subjects(story)[0] == "Enable entire"
    assert uncommitted(session).startswith("a hook emptied the commit's message")


def test_a_message_that_a_hook_deletes(story: Story, session: Session) -> None:
    hook(story, "commit-msg", 'rm "$1"')
    play(session)
    assert uncommitted(session).startswith("a hook emptied the commit's message")


def test_a_trailer_that_a_hook_removes(story: Story, session: Session) -> None:
    hook(story, "commit-msg", 'sed -i /^Entire-/d "$1"')
    play(session)
    assert message(story) == "One"
    assert story.ids() == []
    assert "by hand" in story.reasons()[story.head()]
    assert uncommitted(session) == ""
    assert status(story) == ""
    hook(story, "commit-msg", "exit 0")
    with session.turn("two"):
        session.write("b.txt", "b\n")
    assert story.linked()["files_touched"] == ["b.txt"]


def test_a_format_that_a_hook_demands(story: Story, session: Session) -> None:
    hook(story, "commit-msg", 'grep -qE "^(feat|fix): " "$1" || { echo "write feat: or fix:" >&2; exit 1; }')
    play(session)
    assert uncommitted(session).startswith("the commit-msg hook failed: write feat: or fix:")


def test_a_hook_that_cannot_run(story: Story, session: Session) -> None:
    path = hook(story, "pre-commit", "exit 1")
    path.chmod(0o644)
    play(session)
    assert subjects(story)[0] == "One"


def test_a_branch_that_a_hook_protects(story: Story, session: Session) -> None:
    hook(
        story,
        "reference-transaction",
        'grep -q refs/heads/main && [ "$1" = prepared ] && { echo protected >&2; exit 1; }; exit 0',
    )
    index = (story.root / ".git/index").read_bytes()
    play(session)
    assert subjects(story)[0] == "Enable entire"
    assert uncommitted(session) == "the reference-transaction hook refused: protected"
    assert (story.root / ".git/index").read_bytes() == index
    assert left_behind(story) == []


_HUSKY = """#!/usr/bin/env sh
name=$(basename "$0")
script=$(dirname "$(dirname "$0")")/$name
[ -f "$script" ] || exit 0
sh -e "$script" "$@"
"""


@pytest.mark.parametrize("calls_ours", [True, False])
def test_hooks_that_husky_runs(story: Story, session: Session, calls_ours: bool) -> None:
    folder = story.root / ".husky"
    (folder / "_").mkdir(parents=True)
    for name in ("pre-commit", *scripts.NAMES):
        path = folder / "_" / name
        path.write_text(_HUSKY)
        path.chmod(0o755)
        ours = f"{scripts.line_to_add(name)}\n" if calls_ours and name in scripts.NAMES else ""
        (folder / name).write_text(f"{ours}echo {name} >>.git/seen\n")
    (folder / "_/.gitignore").write_text("*\n")
    story.commit("husky")
    story.git("config", "core.hooksPath", ".husky/_")
    play(session)
    assert (story.root / ".git/seen").read_text().split() == [
        "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit",
    ]  # fmt: skip
    assert story.linked()["files_touched"] == ["a.txt"]
    assert story.log_errors() == []
