"""Real prettier through lint-staged, which stashes what is not staged, and real pre-commit with black."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.integration.kept import lines, slot_of
from tests.integration.story import Session, Story

pytestmark = pytest.mark.e2e

NPM = Path(__file__).parent / "agents" / "node_modules" / ".bin"
CALL = "const answer = callSomething('first argument', {second: 'argument', third: [1,2,3]}, anotherArgument)\n"
WRITTEN = f"import x from 'x'\nfunction f() {{\n      {CALL}  return [answer,\n   x]\n}}\n"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    if not (NPM / "lint-staged").exists():
        if "ENTIRE_E2E_REQUIRED" in os.environ:
            pytest.fail("lint-staged is not installed: run `make agents`")
        pytest.skip("lint-staged is not installed")
    story = Story(tmp_path / "repo")
    story.env["PATH"] = f"{NPM}{os.pathsep}{story.env['PATH']}"
    story.write(".lintstagedrc.json", '{"*.js": "prettier --write"}\n')
    story.write("package.json", "{}\n")
    story.commit("Format with prettier")
    hook = story.path(".git/hooks/pre-commit")
    hook.write_text("#!/bin/sh\nexec lint-staged --quiet\n")
    hook.chmod(0o755)
    found = story.session()
    found.start()
    return found


def is_closed(session: Session) -> None:
    assert not session.state().get("files_touched")
    assert session.story.git("status", "--porcelain") == ""
    assert session.story.log_errors() == []


def test_prettier_formats_the_files_of_both(session: Session) -> None:
    story = session.story
    with session.turn("go"):
        session.write("agent.js", WRITTEN)
    story.write("person.js", "const p = {'a':1,\n'b':2}\n")
    story.commit("c")
    total = story.git("show", "HEAD:agent.js").count("\n")
    people = story.git("show", "HEAD:person.js").count("\n")
    assert total > WRITTEN.count("\n")
    record = slot_of(story, session)
    assert record["files_touched"] == ["agent.js"]
    assert lines(record) == (total, people, 0, 0, total + people)
    is_closed(session)


def test_prettier_formats_what_is_staged_of_a_file(session: Session) -> None:
    """The rest of the file is stashed while prettier runs, and comes back."""
    story = session.story
    story.write("f.js", "".join(f"const a{number} = {number};\n" for number in range(20)))
    story.commit("f")
    with session.turn("go"):
        session.edit("f.js", "const a2 = 2;\n", "const a2   =   'agent'\n")
        session.edit("f.js", "const a17 = 17;\n", "const a17   =   'agent'\n")
    story.git("add", "-p", "f.js", stdin="y\nn\n")
    story.commit("first", add=False)
    assert 'const a2 = "agent";' in story.git("show", "HEAD:f.js")
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)
    assert session.state()["files_touched"] == ["f.js"]
    story.commit("rest")
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)
    is_closed(session)


def test_the_agent_commits_through_lint_staged(session: Session) -> None:
    story = session.story
    with session.turn("go"):
        session.write("agent.js", WRITTEN)
        session.commit("c")
        session.edit("agent.js", "return [answer, x]", "return [answer, x, 'more']")
        session.commit("d", "-a", add=False)
    total = story.git("show", "HEAD~:agent.js").count("\n")
    assert lines(slot_of(story, session, "HEAD~")) == (total, 0, 0, 0, total)
    assert lines(slot_of(story, session)) == (1, 0, 0, 0, 1)
    is_closed(session)


def test_black_in_the_pre_commit_framework(session: Session) -> None:
    """It formats and lets the commit fail; the person stages the files and commits again."""
    story = session.story
    story.write(
        ".pre-commit-config.yaml",
        "repos:\n- repo: local\n  hooks:\n  - id: black\n    name: black\n    language: system\n"
        f"    entry: {Path(sys.executable).parent}/black -q\n    types: [python]\n",
    )
    story.commit("Use pre-commit")
    story.path(".git/hooks/pre-commit").write_text(f"#!/bin/sh\nexec {sys.executable} -m pre_commit run\n")
    with session.turn("go"):
        session.write("a.py", "def f( a,b ):\n  return {'a':a,\n    'b':b}\n")
    story.git("add", "-A")
    story.git("commit", "-qm", "c", ok=False)
    assert story.git("status", "--porcelain") == "AM a.py\n"
    story.commit("c")
    assert lines(slot_of(story, session)) == (2, 0, 0, 0, 2)
    is_closed(session)
