"""The message: how it is written, edited, cleaned up and given up, and where the trailer stands then."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.integration.kept import checkpoints, input_tokens, lines, slot_of, unlinked
from tests.integration.story import Session, Story

BY_HAND = "removed by hand"


def worked(story: Story) -> Session:
    """A turn that made a.txt, staged."""
    a = story.session()
    a.start()
    with a.turn("Make a"):
        a.write("a.txt", "a\n")
    story.git("add", "-A")
    return a


def editor(story: Story, body: str) -> dict[str, str]:
    """Return the environment in which a shell script edits the message; it keeps what it was given in ``given``."""
    script = story.root.parent / "editor.sh"
    script.write_text(f'#!/bin/sh\nset -e\ncp "$1" "{script.parent}/given"\n{body}\n')
    script.chmod(0o755)
    return {"GIT_EDITOR": str(script)}


def given(story: Story) -> str:
    return (story.root.parent / "given").read_text()


def message(story: Story) -> str:
    return story.git("log", "-1", "--format=%B")


def fails(story: Story, *args: str, env: dict[str, str] | None = None) -> str:
    """Run a commit that must not come about; return what git said."""
    done = subprocess.run(["git", "commit", *args], cwd=story.root, env={**story.env, **(env or {})}, text=True,
                          capture_output=True, check=False)  # fmt: skip
    assert done.returncode != 0
    return done.stderr + done.stdout


def right(story: Story, a: Session) -> None:
    """The commit holds the session's work, and nothing else was written."""
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["a.txt"], (1, 0, 0, 0, 1), 3)
    (one,) = story.ids()
    assert story.git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)").strip() == one
    assert len(checkpoints(story)) == 1
    assert not story.path(".git/entire/pending.json").exists()
    assert story.log_errors() == []


def nothing_left(story: Story, a: Session) -> None:
    """An aborted commit leaves no checkpoint, and the next one is right."""
    assert len(checkpoints(story)) == 0
    assert a.state()["files_touched"] == ["a.txt"]
    story.commit("Now really")
    assert message(story).startswith("Now really\n\nEntire-Checkpoint: ")
    right(story, a)


# ---------------------------------------------------------------- without an editor


@pytest.mark.parametrize(
    "subject", ["feat: add a", "fix(core)!: mend a", "Add a", "WIP: x", "#123 mend a", "äöü — 漢字"]
)
def test_a_subject_stays_a_subject(story: Story, subject: str) -> None:
    a = worked(story)
    story.git("commit", "-q", "-m", subject)
    (one,) = story.ids()
    assert message(story) == f"{subject}\n\nEntire-Checkpoint: {one}\n\n"
    right(story, a)


def test_a_body_keeps_its_form(story: Story) -> None:
    a = worked(story)
    story.git("commit", "-q", "-m", "Add a", "-m", "Because:\n- one\n- two")
    (one,) = story.ids()
    assert message(story) == f"Add a\n\nBecause:\n- one\n- two\n\nEntire-Checkpoint: {one}\n\n"
    right(story, a)


def test_trailers_of_the_message_are_joined(story: Story) -> None:
    a = worked(story)
    story.git("commit", "-q", "-m", "Add a", "-m", "Body.", "-m", "Reviewed-by: Bob <bob@example.com>")
    (one,) = story.ids()
    assert message(story) == f"Add a\n\nBody.\n\nReviewed-by: Bob <bob@example.com>\nEntire-Checkpoint: {one}\n\n"
    right(story, a)


def test_signed_off(story: Story) -> None:
    a = worked(story)
    story.git("commit", "-q", "-s", "-m", "Add a")
    text = message(story)
    assert "Signed-off-by: Ada Tester <ada@example.com>" in text
    keys = story.git("log", "-1", "--format=%(trailers:keyonly)").split()
    assert sorted(keys) == ["Entire-Checkpoint", "Signed-off-by"]
    right(story, a)


def test_a_trailer_by_git(story: Story) -> None:
    a = worked(story)
    story.git("commit", "-q", "-m", "Add a", "--trailer", "Issue: 12")
    assert sorted(story.git("log", "-1", "--format=%(trailers:keyonly)").split()) == ["Entire-Checkpoint", "Issue"]
    right(story, a)


def test_from_a_file_with_comment_like_lines(story: Story) -> None:
    a = worked(story)
    story.git("commit", "-q", "-F", "-", stdin="Add a\n\n# not a comment here\n")
    (one,) = story.ids()
    assert message(story) == f"Add a\n\n# not a comment here\n\nEntire-Checkpoint: {one}\n\n"
    right(story, a)


def test_a_message_that_is_not_utf_8(story: Story) -> None:
    a = worked(story)
    path = story.root.parent / "message"
    path.write_bytes("Größe\n".encode("latin-1"))
    story.git("-c", "i18n.commitEncoding=latin-1", "commit", "-q", "-F", str(path))
    assert message(story).startswith("Größe\n\nEntire-Checkpoint: ")
    right(story, a)


@pytest.mark.parametrize("mode", ["strip", "whitespace", "verbatim", "scissors", "default"])
@pytest.mark.parametrize("edit", [False, True])
def test_cleanup_modes(story: Story, mode: str, edit: bool) -> None:
    a = worked(story)
    if edit:
        env = editor(story, """sed -i '1s/^/Add a/' "$1" """)
        story.git("commit", "-q", f"--cleanup={mode}", env=env)
    else:
        story.git("commit", "-q", f"--cleanup={mode}", "-m", "Add a")
    text = message(story)
    (one,) = story.ids()
    assert text.startswith("Add a\n\nEntire-Checkpoint: " + one) or (edit and mode == "verbatim")
    if mode in ("strip", "default", "scissors"):
        assert text == f"Add a\n\nEntire-Checkpoint: {one}\n\n"
    assert lines(slot_of(story, a)) == (1, 0, 0, 0, 1)
    assert story.log_errors() == []


def test_cleanup_by_configuration(story: Story) -> None:
    a = worked(story)
    story.git("config", "commit.cleanup", "scissors")
    story.git("commit", "-q", env=editor(story, """sed -i '1s/^/Add a/' "$1" """))
    (one,) = story.ids()
    assert message(story) == f"Add a\n\nEntire-Checkpoint: {one}\n\n"
    right(story, a)


# ---------------------------------------------------------------- with an editor


def test_the_editor_shows_the_trailer_and_what_it_means(story: Story) -> None:
    a = worked(story)
    story.git("commit", "-q", env=editor(story, """sed -i '1s/^/Add a/' "$1" """))
    shown = given(story)
    assert shown.startswith("\n\nEntire-Checkpoint: ")
    assert "# Last prompt: Make a\n" in shown
    assert shown.index("Entire-Checkpoint") < shown.index("# Please enter the commit message")
    (one,) = story.ids()
    assert message(story) == f"Add a\n\nEntire-Checkpoint: {one}\n\n"
    right(story, a)


@pytest.mark.parametrize("options", [["-v"], ["-c", "commit.verbose=true"], ["--cleanup=scissors", "-v"]])
def test_a_diff_below_the_scissors(story: Story, options: list[str]) -> None:
    a = worked(story)
    before = [*options, "commit"] if options[0] == "-c" else ["commit", *options]
    story.git(*before, "-q", env=editor(story, """sed -i '1s/^/Add a/' "$1" """))
    shown = given(story)
    assert shown.index("Entire-Checkpoint") < shown.index(">8")
    assert "diff --git" in shown
    (one,) = story.ids()
    assert message(story) == f"Add a\n\nEntire-Checkpoint: {one}\n\n"
    right(story, a)


@pytest.mark.parametrize("char", [";", "%", "@"])
def test_another_comment_character(story: Story, char: str) -> None:
    a = worked(story)
    story.git("config", "core.commentChar", char)
    story.git("commit", "-q", env=editor(story, """sed -i '1s/^/# Add a/' "$1" """))
    assert f"\n{char} Last prompt: Make a\n" in given(story)
    assert "\n# " not in given(story)
    (one,) = story.ids()
    assert message(story) == f"# Add a\n\nEntire-Checkpoint: {one}\n\n"
    right(story, a)


def test_the_comment_character_by_itself(story: Story) -> None:
    a = worked(story)
    story.git("config", "core.commentChar", "auto")
    story.git("commit", "-q", env=editor(story, """sed -i '1s/^/Add a/' "$1" """))
    (one,) = story.ids()
    assert message(story) == f"Add a\n\nEntire-Checkpoint: {one}\n\n"
    right(story, a)


def test_a_template(story: Story) -> None:
    a = worked(story)
    template = story.root.parent / "template"
    template.write_text("Subject here\n\nWhy: because\n# a hint of the team\n")
    story.git("config", "commit.template", str(template))
    story.git("commit", "-q", env=editor(story, """sed -i '1s/.*/Add a/' "$1" """))
    (one,) = story.ids()
    text = message(story)
    assert text.startswith("Add a\n\nWhy: because\n")
    assert one in text
    assert "hint" not in text
    right(story, a)


def test_a_template_that_was_not_edited_aborts(story: Story) -> None:
    """git compares with the template: our trailer must not make an unedited message look edited."""
    a = worked(story)
    template = story.root.parent / "template"
    template.write_text("Subject here\n\nWhy:\n")
    story.git("config", "commit.template", str(template))
    said = fails(story, env=editor(story, ""))
    assert "did not edit the message" in said
    story.git("config", "--unset", "commit.template")
    nothing_left(story, a)


# ---------------------------------------------------------------- the trailer removed


@pytest.mark.parametrize("script", ["/^Entire-Checkpoint/d", "2,$d"])
def test_the_trailer_removed_in_the_editor(story: Story, script: str) -> None:
    """No link and no checkpoint, a reason, and the content counts as decided: a later commit does not link it."""
    a = worked(story)
    story.git("commit", "-q", env=editor(story, f"""sed -i '1s/^/Add a/;{script}' "$1" """))
    assert message(story).strip() == "Add a"
    assert BY_HAND in unlinked(story)
    assert len(checkpoints(story)) == 0
    assert not a.state().get("files_touched")
    assert not story.path(".git/entire/pending.json").exists()

    with a.turn("Make b"):
        a.write("b.txt", "b\n")
    story.commit("b")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["b.txt"], (1, 0, 0, 0, 1), 15)
    assert story.log_errors() == []


def test_an_amend_does_not_bring_a_removed_trailer_back(story: Story) -> None:
    worked(story)
    story.git("commit", "-q", env=editor(story, """sed -i '1s/^/Add a/;/^Entire-Checkpoint/d' "$1" """))
    story.git("commit", "-q", "--amend", "-m", "Add a, reworded")
    assert story.ids() == []
    assert len(checkpoints(story)) == 0
    assert story.log_errors() == []


def test_the_trailer_moved_by_hand(story: Story) -> None:
    a = worked(story)
    body = """id=$(grep ^Entire-Checkpoint "$1"); printf 'Add a\\n\\n%s\\nReviewed-by: B <b@x>\\n' "$id" >"$1" """
    story.git("commit", "-q", env=editor(story, body))
    right(story, a)


def test_another_id_written_by_hand(story: Story) -> None:
    """Somebody pastes another commit's trailer over ours: ours is gone, so nothing is written under its id."""
    worked(story)
    body = """sed -i '1s/^/Add a/;s/^Entire-Checkpoint: .*/Entire-Checkpoint: 0123456789ab/' "$1" """
    story.git("commit", "-q", env=editor(story, body))
    assert story.ids() == ["0123456789ab"]
    assert len(checkpoints(story)) == 0
    assert story.log_errors() == []


# ---------------------------------------------------------------- no commit


def test_an_empty_message_in_the_editor_aborts(story: Story) -> None:
    a = worked(story)
    head = story.head()
    assert "empty commit message" in fails(story, env=editor(story, ""))
    assert story.head() == head
    nothing_left(story, a)


def test_an_emptied_file_aborts(story: Story) -> None:
    a = worked(story)
    assert "empty commit message" in fails(story, env=editor(story, ': >"$1"'))
    nothing_left(story, a)


@pytest.mark.parametrize("args", [["-m", ""], ["-m", "   "], ["-F", "/dev/null"]])
def test_an_empty_message_on_the_command_line_aborts(story: Story, args: list[str]) -> None:
    a = worked(story)
    assert "empty commit message" in fails(story, *args)
    nothing_left(story, a)


def test_an_editor_that_fails_aborts(story: Story) -> None:
    a = worked(story)
    fails(story, env=editor(story, "exit 1"))
    nothing_left(story, a)


def test_a_team_hook_that_refuses(story: Story) -> None:
    a = worked(story)
    hook = story.path(".git/hooks/commit-msg")
    ours = Path(str(hook) + ".ours")
    hook.rename(ours)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    fails(story, "-m", "Add a")
    hook.unlink()
    ours.rename(hook)
    nothing_left(story, a)


def test_after_an_aborted_commit_a_person_commits_something_else(story: Story) -> None:
    a = worked(story)
    fails(story, env=editor(story, ""))
    story.git("reset", "-q")
    story.write("mine.txt", "mine\n")
    story.git("add", "mine.txt")
    story.commit("Mine", add=False)
    assert "no session content" in unlinked(story)
    assert len(checkpoints(story)) == 0
    story.commit("Add a")
    right(story, a)


def test_after_an_aborted_amend(story: Story) -> None:
    a = worked(story)
    story.commit("Add a")
    ids = story.ids()
    fails(story, "--amend", env=editor(story, ': >"$1"'))
    assert story.ids() == ids
    assert len(checkpoints(story)) == 1
    with a.turn("Make b"):
        a.write("b.txt", "b\n")
    story.commit("b")
    assert slot_of(story, a)["files_touched"] == ["b.txt"]
    assert not story.path(".git/entire/pending.json").exists()
    assert story.log_errors() == []


def test_no_verify_is_no_way_around(story: Story) -> None:
    """`--no-verify` skips commit-msg, not prepare-commit-msg: the link is there."""
    a = worked(story)
    story.git("commit", "-q", "-n", "-m", "Add a")
    right(story, a)


# ---------------------------------------------------------------- empty commits


def test_an_empty_commit_is_not_linked(story: Story) -> None:
    a = worked(story)
    story.git("reset", "-q")
    story.git("commit", "-q", "--allow-empty", "-m", "Nothing")
    assert "empty" in unlinked(story)
    assert len(checkpoints(story)) == 0
    story.commit("Add a")
    right(story, a)


def test_an_empty_commit_of_the_agent_is_not_linked(story: Story) -> None:
    a = story.session()
    a.start()
    a.prompt("Trigger the build")
    a.commit("Trigger", "--allow-empty")
    a.stop()
    assert "empty" in unlinked(story)
    assert len(checkpoints(story)) == 0
    assert story.log_errors() == []


def test_an_empty_message_that_is_allowed(story: Story) -> None:
    """With `--allow-empty-message` there is a commit; whether it is linked or not, trailer and checkpoint agree."""
    worked(story)
    story.git("commit", "-q", "--allow-empty-message", "-m", "")
    assert len(story.ids()) == len(checkpoints(story))
    assert not story.path(".git/entire/pending.json").exists()
    assert story.log_errors() == []
