"""The parser of patches, against trees of which the content is known."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entire.git import diff
from entire.git.diff import FilePatch
from tests.unit.git.repo import Repo, Tree, trees


def split(data: bytes) -> list[bytes]:
    """Return lines with their newlines, cut at newlines only."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def applied(old: bytes, patch: FilePatch) -> bytes:
    """Apply a patch's hunks; every context and removed line must be there."""
    lines, out, at = split(old), [], 0
    for hunk in patch.hunks:
        start = hunk.old_start - (hunk.old_count > 0)
        out += lines[at:start]
        at = start
        assert len(out) == hunk.new_start - (hunk.new_count > 0)
        for kind, text in hunk.lines:
            if kind != b"+":
                assert lines[at] == text
                at += 1
            if kind != b"-":
                out.append(text)
    return b"".join(out + lines[at:])


def applied_in_blocks(old: bytes, patch: FilePatch) -> bytes:
    """Apply a patch block by block; every removed line must be there."""
    lines = split(old)
    out: list[bytes] = []
    for unchanged, removed, added in patch.blocks():
        out, lines = out + lines[:unchanged] + added, lines[unchanged:]
        assert lines[: len(removed)] == removed
        lines = lines[len(removed) :]
    return b"".join(out + lines)


def content(repo: Repo, oid: str) -> bytes:
    return repo.git("cat-file", "blob", oid) if oid.strip("0") else b""


@given(st.lists(trees, min_size=2, max_size=4))
@settings(max_examples=12)
def test_patches_of_several_pairs_turn_the_old_trees_into_the_new(repo: Repo, states: list[Tree]) -> None:
    oids = [repo.tree(state) for state in states]
    pairs = [*itertools.pairwise(oids), (oids[0], oids[0]), (oids[-1], oids[0])]
    for renames in (False, True):
        found = diff.patches(repo.top, pairs, renames=renames)
        assert len(found) == len(pairs)
        for (old, new), patches in zip(pairs, found, strict=True):
            told = {patch.change.path: patch.change for patch in patches}
            assert len(told) == len(patches)
            before, after = (dict(entries(repo, tree)) for tree in (old, new))
            for patch in patches:
                change = patch.change
                assert (
                    before.get(change.old_path, ("000000", "0" * 40)) == (change.old_mode, change.old_oid)
                    or change.status == "A"
                )
                assert after.get(change.path, ("000000", "0" * 40)) == (change.new_mode, change.new_oid)
                old_content, new_content = content(repo, change.old_oid), content(repo, change.new_oid)
                if not patch.binary and change.status != "T":
                    assert applied(old_content, patch) == applied_in_blocks(old_content, patch) == new_content
                elif change.status != "T":
                    assert b"\0" in old_content + new_content
                before.pop(change.old_path, None) if change.status in "RD" else None
                if change.status != "D":
                    before[change.path] = (change.new_mode, change.new_oid)
            assert before == after, "the patches lead from the one tree to the other"
            assert renames or not [entry for entry in told.values() if entry.status == "R"]
            if not renames:
                assert {change.path: change for change in diff.changes(repo.top, old, new)} == told


def entries(repo: Repo, tree: str) -> list[tuple[str, tuple[str, str]]]:
    found = []
    for line in repo.git("ls-tree", "-r", "-z", tree).decode("utf-8", "surrogateescape").split("\0")[:-1]:
        meta, _, name = line.partition("\t")
        mode, _, oid = meta.split(" ")
        found.append((name, (mode, oid)))
    return found


def test_only_the_paths_asked_for_are_told_whatever_their_names_look_like(repo: Repo) -> None:
    old, new = repo.tree({}), repo.tree(dict.fromkeys(("a.txt", "*", "[ab].txt", ":(top)x"), ("100644", b"x\n")))
    found = diff.patches(repo.top, [(old, new)], ["*", "[ab].txt"])[0]
    assert sorted(patch.change.path for patch in found) == ["*", "[ab].txt"]
    assert diff.patches(repo.top, []) == []


def test_a_long_list_of_paths_is_no_pathspec(repo: Repo) -> None:
    old, new = repo.tree({}), repo.tree({"a": ("100644", b"x\n")})
    assert len(diff.patches(repo.top, [(old, new)], [f"folder/{n}" for n in range(5000)])[0]) == 1


def test_a_moved_file_is_told_with_both_names(repo: Repo) -> None:
    text = b"".join(b"line %d\n" % n for n in range(20))
    old, new = repo.tree({"a\tb": ("100644", text)}), repo.tree({'c"d': ("100644", text + b"more\n")})
    (patch,) = diff.patches(repo.top, [(old, new)])[0]
    assert (patch.change.status, patch.change.old_path, patch.change.path) == ("R", "a\tb", 'c"d')
    assert [text for kind, text in patch.hunks[0].lines if kind == b"+"] == [b"more\n"]


def test_a_file_that_became_a_link_shows_both_halves(repo: Repo) -> None:
    old, new = repo.tree({"a": ("100644", b"text\n")}), repo.tree({"a": ("120000", b"target")})
    (patch,) = diff.patches(repo.top, [(old, new)])[0]
    assert patch.change.status == "T"
    assert [line for hunk in patch.hunks for line in hunk.lines] == [(b"-", b"text\n"), (b"+", b"target")]


def test_a_submodule_has_no_lines(repo: Repo) -> None:
    commit = "1234567890" * 4
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
    (patch,) = diff.patches(repo.top, [(repo.tree({}), repo.line("write-tree"))])[0]
    assert (patch.binary, patch.hunks, patch.change.new_oid) == (True, (), commit)


def test_settings_of_the_user_change_nothing(repo: Repo) -> None:
    text = b"".join(b"line %d\n" % n for n in range(20))
    old, new = (
        repo.tree({"a": ("100644", text)}),
        repo.tree({"a": ("100644", text + b"x\n"), "b.c": ("100644", b"y\n")}),
    )
    plain = diff.patches(repo.top, [(old, new)])
    for key, value in {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "color.ui": "always",
        "diff.external": "false",
        "diff.context": "0",
        "core.quotePath": "true",
        "diff.renames": "copies",
        "core.abbrev": "5",
    }.items():
        repo.git("config", key, value)
    assert diff.patches(repo.top, [(old, new)]) == plain


def test_more_paths_than_fit_on_a_command_line_are_all_looked_up(repo: Repo) -> None:
    names = [f"{number:04}.txt" for number in range(diff._MANY_PATHS * 2 + 50)]
    tree = repo.tree({name: ("100644", name.encode()) for name in names})
    found = diff.entries(repo.top, tree, [*names, "none.txt"])
    assert list(found) == names
    assert {mode for mode, _ in found.values()} == {"100644"}
    (patches,) = diff.patches(repo.top, [(repo.tree({}), tree)], names)
    assert [patch.change.path for patch in patches] == names


@pytest.mark.parametrize(
    ("quoted", "name"),
    [
        ("plain", "plain"),
        ('"a\\tb"', "a\tb"),
        ('"\\303\\251"', "é"),
        ('"\\377"', "\udcff"),
        ('"a\\"b\\\\c"', 'a"b\\c'),
        ('"', '"'),
    ],
)
def test_quoted_names(quoted: str, name: str) -> None:
    assert diff.unquote(quoted) == name
