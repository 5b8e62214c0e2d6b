"""Which checkpoints a commit has is answered in one place: its message alone does not tell (linking.md section 1)."""

from __future__ import annotations

import ast

from tests.architecture.places import PACKAGE

READERS = {"checkpoint_ids", "ulid_ids", "CHECKPOINT"}

# Who may read a message: the one place that answers, and those that are about to write the message.
ALLOWED = {
    "model/trailers.py",
    "store/links.py",
    "commits/prepare.py",
    "commits/replaced_commits.py",  # the ids in the message of the commit that git is about to make
}


def test_no_other_module_reads_a_commits_checkpoints_from_its_message() -> None:
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            names: set[str] = set()
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "trailers":
                names = {node.attr}
            elif isinstance(node, ast.ImportFrom) and node.module == "entire.model.trailers":
                names = {alias.name for alias in node.names}
            if names & READERS:
                found.add(name)
    assert found <= ALLOWED, "ask entire.store.links, which also knows links by commit id"
    assert "store/links.py" in found


def test_a_message_alone_is_read_only_where_the_message_is_what_counts() -> None:
    """``links.named`` leaves out links by commit id, so that only those who look after trailers may ask it."""
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == "named" and getattr(node.value, "id", "") == "links"
    }
    assert found == {"commits/complete.py", "commits/post_commit.py", "commits/unfinished.py"}
