"""Paths of every kind and with every name: what happens to a path is content too (linking.md section 1)."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.integration.kept import answers, check, lines, percent, sole, tokens, unlinked
from tests.integration.story import Session, Story

TEN = "".join(f"line {n}\n" for n in range(10))


@pytest.fixture
def session(story: Story) -> Session:
    story.write("old.py", TEN)
    story.write("other.py", "o\n")
    story.commit("old")
    found = story.session()
    found.start()
    return found


def done(story: Story) -> None:
    assert story.log_errors() == []


def made_by(story: Story, session: Session, path: str) -> bool:
    who: str = story.linked()["lineage"]["files"][path].get("made_by", "")
    return who.startswith(session.id + "/")


def test_the_agent_deletes_a_file(story: Story, session: Session) -> None:
    with session.turn("Delete"), session.shell("rm old.py"):
        story.path("old.py").unlink()
    story.write("mine.py", "")
    story.commit("c")
    record = sole(story, session, ["old.py"])
    assert lines(record) == (0, 0, 0, 0, 0)
    assert percent(record) == 100
    assert made_by(story, session, "old.py")
    assert tokens(record) == answers(0, 1)
    done(story)


def test_a_person_deletes_a_file(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
    story.path("old.py").unlink()
    story.commit("c")
    assert lines(sole(story, session, ["a.py"])) == (1, 0, 0, 10, 1)
    done(story)


def test_a_person_deletes_the_agents_new_file(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
        session.write("b.py", "b\n")
    story.path("a.py").unlink()
    story.commit("c")
    assert lines(sole(story, session, ["b.py"])) == (1, 0, 0, 0, 1)
    done(story)


def test_the_agent_moves_a_file(story: Story, session: Session) -> None:
    with session.turn("Move"), session.shell("git mv old.py new.py"):
        story.git("mv", "old.py", "new.py")
    story.commit("c")
    record = sole(story, session, ["new.py", "old.py"])
    assert lines(record) == (0, 0, 0, 0, 0)
    assert made_by(story, session, "new.py")
    done(story)


def test_the_agent_moves_and_edits_a_file(story: Story, session: Session) -> None:
    with session.turn("Move"):
        with session.shell("git mv old.py sub/new.py"):
            story.path("sub").mkdir()
            story.git("mv", "old.py", "sub/new.py")
        session.edit("sub/new.py", "line 3\n", "three\nand more\n")
    story.write("sub/new.py", story.read("sub/new.py") + "person\n")
    story.commit("c")
    assert lines(sole(story, session, ["old.py", "sub/new.py"])) == (2, 1, 0, 0, 3)
    done(story)


def test_a_person_moves_and_the_agent_edits(story: Story, session: Session) -> None:
    story.git("mv", "old.py", "new.py")
    with session.turn("Edit"):
        session.edit("new.py", "line 3\n", "three\n")
    story.commit("c")
    record = sole(story, session, ["new.py"])
    assert lines(record) == (1, 0, 0, 0, 1)
    done(story)


def test_the_agent_changes_a_mode(story: Story, session: Session) -> None:
    with session.turn("Mode"), session.shell("chmod +x old.py"):
        story.path("old.py").chmod(0o755)
    story.write("other.py", "o\nperson\n")
    story.commit("c")
    record = sole(story, session, ["old.py"])
    assert lines(record) == (0, 1, 0, 0, 1)
    assert made_by(story, session, "old.py")
    done(story)


def test_a_person_changes_a_mode(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("a.py", "a\n")
    story.path("old.py").chmod(0o755)
    story.git("add", "old.py")
    story.commit("mode", add=False)
    assert unlinked(story)
    story.commit("c")
    sole(story, session, ["a.py"])
    done(story)


def test_symbolic_links(story: Story, session: Session) -> None:
    with session.turn("Link"), session.shell("ln -s"):
        story.path("link").symlink_to("old.py")
        story.path("dangling").symlink_to("no/where")
    story.commit("c")
    record = sole(story, session, ["dangling", "link"])
    assert lines(record)[0] == 2
    story.path("link").unlink()
    story.path("link").symlink_to("other.py")
    with session.turn("Retarget"), session.shell("ln -sf"):
        story.path("dangling").unlink()
        story.path("dangling").symlink_to("else/where")
    story.commit("d")
    assert lines(sole(story, session, ["dangling"])) == (1, 0, 1, 0, 2)
    done(story)


def test_binary_files(story: Story, session: Session) -> None:
    with session.turn("Draw"), session.shell("draw"):
        story.write("a.bin", b"\0\1\2" * 100)
    story.write("mine.bin", b"\0p" * 100)
    story.commit("c")
    record = sole(story, session, ["a.bin"])
    assert lines(record) == (0, 0, 0, 0, 0)
    assert made_by(story, session, "a.bin")
    story.write("a.bin", b"\0person")
    story.commit("person")
    assert story.ids() == []
    with session.turn("Draw"), session.shell("draw"):
        story.write("mine.bin", b"\0agent")
    story.commit("d")
    sole(story, session, ["mine.bin"])
    done(story)


def test_an_empty_file(story: Story, session: Session) -> None:
    with session.turn("Touch"), session.shell("touch"):
        story.write("empty", "")
    story.write("mine", "")
    story.commit("c")
    assert lines(sole(story, session, ["empty"])) == (0, 0, 0, 0, 0)
    done(story)


NAMES = [
    "with blank.py", " leading", "trailing ",
    'quo"te.py', "apos'trophe", "new\nline.py", "tab\tname", "back\\slash", "-dash.py",
    "--literal", "ünï/çødé.py",
    "日本.txt", "*.glob", ":(top)magic", "[a].py", "#hash", "a => b", "{brace}", "cr\rname", "\x01control",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names(story: Story, session: Session, name: str) -> None:
    with session.turn("Write"):
        session.write(name, "a\nb\n")
    story.write(name, "a\nb\nperson\n")
    story.write("mine.py", "p\n")
    story.git("add", "--", f":(literal){name}")
    story.commit("c", add=False)
    record = sole(story, session, [name])
    assert lines(record) == (2, 1, 0, 0, 3)
    with session.turn("Change"):
        session.edit(name, "b\n", "B\n")
    story.commit("d")
    assert lines(sole(story, session, [name])) == (1, 1, 0, 0, 2)
    done(story)


def test_a_name_that_is_no_utf_8(story: Story, session: Session) -> None:
    raw = os.path.join(os.fsencode(story.root), b"caf\xe9.py")
    with session.turn("Write"), session.shell("write"), open(raw, "wb") as file:
        file.write(b"a\nb\n")
    story.commit("c")
    assert len(story.ids()) == 1
    found = story.linked()
    assert lines(found["slots"][session.id]) == (2, 0, 0, 0, 2)
    assert len(found["files_touched"]) == 1
    with session.turn("Delete"), session.shell("rm"):
        os.unlink(raw)
    story.commit("d")
    assert len(story.ids()) == 1
    done(story)


def test_big_untracked_files_are_left_out(story: Story, session: Session) -> None:
    """They are in no step; that they are the agent's is not known, and nothing else is disturbed by them."""
    with session.turn("Big"):
        session.write("a.py", "a\n")
        with session.shell("dd"):
            story.write("big.dat", b"\0" * (10 * 1024 * 1024 + 1))
            story.write("fits.dat", b"\0" * 1024)
    for name in story.git("for-each-ref", "--format=%(refname)", "refs/heads/entire", "refs/entire").split():
        files = story.git("ls-tree", "-r", "--name-only", name).split()
        assert "big.dat" not in files
        assert "fits.dat" in files
    story.git("add", "a.py", "fits.dat")
    story.commit("c", add=False)
    sole(story, session, ["a.py", "fits.dat"])
    done(story)


def test_ignored_files_are_nobodys_until_they_are_added(story: Story, session: Session) -> None:
    story.write(".gitignore", "*.log\nbuild/\n")
    story.commit("ignore")
    with session.turn("Build"):
        session.write("a.py", "a\n")
        with session.shell("make"):
            story.write("x.log", "secret\n")
            story.write("build/out", "o\n")
    for name in story.git("for-each-ref", "--format=%(refname)", "refs/heads/entire", "refs/entire").split():
        assert not {"x.log", "build/out"} & set(story.git("ls-tree", "-r", "--name-only", name).split())
    story.commit("c")
    sole(story, session, ["a.py"])
    done(story)


def test_a_nested_repository(story: Story, session: Session) -> None:
    with session.turn("Clone"):
        session.write("a.py", "a\n")
        with session.shell("git clone"):
            subprocess.run(["git", "init", "-q", str(story.root / "inner")], check=True)
            story.write("inner/file", "x\n")
            story.git("-C", "inner", "add", "-A")
            story.git("-C", "inner", "commit", "-q", "-m", "inner")
    story.git("add", "a.py")
    story.commit("c", add=False)
    sole(story, session, ["a.py"])
    done(story)


def test_a_file_becomes_a_folder_and_back(story: Story, session: Session) -> None:
    with session.turn("Swap"), session.shell("swap"):
        story.path("other.py").unlink()
        story.write("other.py/inner.py", "a\n")
    story.commit("c")
    assert lines(sole(story, session, ["other.py", "other.py/inner.py"])) == (1, 0, 0, 0, 1)
    with session.turn("Back"), session.shell("swap"):
        story.path("other.py/inner.py").unlink()
        story.path("other.py").rmdir()
        story.write("other.py", "b\n")
    story.commit("d")
    assert lines(sole(story, session, ["other.py", "other.py/inner.py"])) == (1, 0, 0, 0, 1)
    done(story)


def test_a_file_becomes_a_link(story: Story, session: Session) -> None:
    with session.turn("Swap"), session.shell("ln -sf"):
        story.path("other.py").unlink()
        story.path("other.py").symlink_to("old.py")
    story.commit("c")
    assert made_by(story, session, "other.py")
    assert sole(story, session, ["other.py"])["files_touched"] == ["other.py"]
    done(story)


def test_a_rename_in_case_only(story: Story, session: Session) -> None:
    with session.turn("Case"), session.shell("git mv"):
        story.git("mv", "old.py", "Old.py")
    story.commit("c")
    assert sole(story, session, ["Old.py", "old.py"])["files_touched"] == ["Old.py", "old.py"]
    done(story)


def test_deleted_by_one_turn_and_made_anew_by_the_next(story: Story, session: Session) -> None:
    with session.turn("Delete"), session.shell("rm"):
        story.path("old.py").unlink()
    with session.turn("Again"):
        session.write("old.py", TEN.replace("line 4", "four"))
    story.commit("c")
    found = check(story, "HEAD", ["old.py"])
    assert lines(found["slots"][session.id]) == (1, 0, 0, 0, 1)
    done(story)


def test_deleted_by_the_agent_and_put_back_by_the_person(story: Story, session: Session) -> None:
    with session.turn("Delete"), session.shell("rm"):
        story.path("old.py").unlink()
    story.git("checkout", "-q", "--", "old.py")
    story.write("mine.py", "p\n")
    story.commit("c")
    assert story.ids() == []
    done(story)
