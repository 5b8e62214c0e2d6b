"""The owners of lines, against a model in which each line's text is written only once, so that its author is known."""

from __future__ import annotations

import itertools

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from entire.attribution import commit_lines
from entire.attribution.path_lines import PathLines
from entire.attribution.replay import Lineage
from entire.git.diff import FileChange, FilePatch
from entire.model.turns import BASE, NOBODY, PERSON, PERSON_INSTEAD, Owner
from tests.unit.attribution import differences
from tests.unit.attribution.differences import FILE, NO_FILE, added_lines, between, patch, removed_count

PEOPLE = Owner("people")
TURNS = (Owner("s1/t1"), Owner("s1/t2"), Owner("s2/t1"))
NAMES = ("a", "b", "c")

who = st.sampled_from([*TURNS, PERSON])
name = st.sampled_from(NAMES)
few = st.integers(min_value=0, max_value=4)


def owners(row: Lineage, path: str, count: int) -> list[Owner]:
    """Return the owner of each line of a path; all people count as the same owner."""
    flat = [owner for owner, size in row.path(path).runs for _ in range(min(size, count))][:count]
    assert len(flat) == count
    return [owner if owner.is_turn else PEOPLE for owner in flat]


class WorkTree(RuleBasedStateMachine):
    """Turns and people change files; commits take all or parts of it. Each line's text is unique."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = itertools.count()
        self.author: dict[str, Owner] = {}  # text -> who wrote it
        self.linked: set[str] = set()  # texts that a commit has
        self.maybe: set[str] = set()  # those of them that a replay may not know to be linked
        self.at_commit: dict[str, tuple[list[str], list[str]]] = {}  # path -> snapshot and content at its last commit
        self.head = {path: [self.line(PEOPLE) for _ in range(5)] for path in NAMES[:2]}
        self.files = {path: list(lines) for path, lines in self.head.items()}
        self.seen = {path: list(lines) for path, lines in self.head.items()}  # the last snapshot
        self.versions: dict[str, list[list[str]]] = {path: [list(lines)] for path, lines in self.head.items()}
        self.row = Lineage(lambda path: path in NAMES[:2])

    def line(self, author: Owner) -> str:
        text = f"line {next(self.numbers)}\n"
        self.author[text] = PEOPLE if author == PERSON else author
        return text

    def expected(self, text: str) -> Owner:
        author = self.author[text]
        return author.committed() if text in self.linked and author != PEOPLE else author

    def edit(self, path: str, author: Owner, at: int, drop: int, add: int) -> None:
        lines = self.files.setdefault(path, [])
        at = min(at, len(lines))
        lines[at : at + drop] = [self.line(author) for _ in range(add)]

    def record(self, author: Owner, context: int = 3) -> None:
        self.row.advance(between(self.seen, self.files, context=context), lambda path: author)
        self.seen = {path: list(lines) for path, lines in self.files.items()}
        for path, lines in self.files.items():
            self.versions.setdefault(path, []).append(list(lines))

    @rule(path=name, author=who, at=few, drop=few, add=few, again=few, context=st.sampled_from([0, 1, 3]))
    def write(self, path: str, author: Owner, at: int, drop: int, add: int, again: int, context: int) -> None:
        self.edit(path, author, at, drop, add)
        self.edit(path, author, at + drop + again, again, again)
        self.record(author, context)

    @rule(first=who, second=who, at=few)
    def write_side_by_side(self, first: Owner, second: Owner, at: int) -> None:
        """Two turns changed different paths between two snapshots."""
        makers = {"a": first, "b": second}
        for path, author in makers.items():
            self.edit(path, author, at, 1, 2)
        patches = differences.patch
        before = self.seen
        changes = [patches(path, before.get(path), self.files[path]) for path in makers]
        self.row.advance(changes, lambda path: makers[path])
        self.seen = {path: list(lines) for path, lines in self.files.items()}

    @rule(path=name, author=who)
    def delete(self, path: str, author: Owner) -> None:
        self.files.pop(path, None)
        self.record(author)

    @rule(old=name, new=name, author=who, add=few)
    def rename(self, old: str, new: str, author: Owner, add: int) -> None:
        if old in self.files and new not in self.files and len(self.files[old]) > 4:
            self.files[new] = self.files.pop(old)
            self.edit(new, author, 2, 1, min(add, 2))
            self.record(author)

    @rule(path=name, data=st.data())
    def bring_back(self, path: str, data: st.DataObject) -> None:
        """A popped stash or a checkout by a person: exactly the content of an earlier snapshot."""
        if versions := [version for version in self.versions.get(path, ()) if version]:
            self.files[path] = list(data.draw(st.sampled_from(versions)))
            if self.files[path] not in self.at_commit.get(path, ()):
                # A version from before the commit does not know it.
                self.maybe |= self.linked & set(self.files[path])
            self.record(PERSON)

    @rule()
    def commit_all(self) -> None:
        self.commit({path: list(lines) for path, lines in self.files.items()})

    @rule(wanted=st.lists(st.booleans(), min_size=1, max_size=6))
    def commit_a_part(self, wanted: list[bool]) -> None:
        tree = {path: list(lines) for path, lines in self.head.items()}
        for path, lines in self.files.items():
            if path in self.head:
                tree[path] = differences.partly(self.head[path], lines, wanted)
            elif wanted[0]:
                tree[path] = list(lines)
        self.commit(tree)

    @rule(author=who, path=name, at=few, add=few)
    @precondition(lambda self: self.files)
    def commit_what_no_snapshot_has(self, author: Owner, path: str, at: int, add: int) -> None:
        self.edit(path, author, at, 1, add)
        tree = {path: list(lines) for path, lines in self.files.items()}
        self.commit(tree, author)
        self.record(author)

    def commit(self, tree: dict[str, list[str]], author: Owner = PERSON) -> None:
        to_commit = between(self.seen, tree)
        twin = self.row.copy()
        twin.advance(to_commit, lambda path: author)
        commit = between(self.head, tree)
        for path_lines, change in zip(commit_lines.attribute(twin, commit), commit, strict=True):
            numbers = [n for first, last, _ in path_lines.added for n in range(first, last + 1)]
            assert numbers == added_lines(change), "the ranges partition the added lines"
            assert sum(path_lines.removed.values()) == removed_count(change)
            for first, last, owner in path_lines.added:
                for number in range(first, last + 1):
                    maker = Owner(owner.turn) if owner.is_turn else PEOPLE
                    writer = self.author[tree[path_lines.path][number - 1]]
                    assert maker == writer or (maker == PEOPLE and self.may_be_rewritten(path_lines.path, tree))
                    assert owner.is_turn or owner in (PERSON, PERSON_INSTEAD)
        paths = {path for change in commit for path in (change.change.path, change.change.old_path)}
        self.row.mark_committed(to_commit, sorted(paths), lambda path: author)
        for path in paths:
            self.at_commit[path] = (list(self.seen.get(path, ())), list(tree.get(path, ())))
            for text in tree.get(path, ()):
                self.linked.add(text)
                if text not in self.seen.get(path, ()):
                    self.maybe.add(text)
        self.head = tree

    def may_be_rewritten(self, path: str, tree: dict[str, list[str]]) -> bool:
        """Tell whether a new file has so few lines of turns that it may count as thrown away and written anew."""
        by_turns = sum(self.author[text] != PEOPLE for text in tree[path])
        return path not in self.head and 4 * by_turns <= len(tree[path])

    @invariant()
    def each_line_has_its_author(self) -> None:
        for path, lines in self.seen.items():
            found = owners(self.row, path, len(lines))
            exact = [text not in self.maybe for text in lines]
            assert [owner if sure else owner.turn for owner, sure in zip(found, exact, strict=True)] == [
                self.expected(text) if sure else self.author[text] for text, sure in zip(lines, exact, strict=True)
            ], path


TestWorkTree = WorkTree.TestCase
TestWorkTree.settings = settings(max_examples=60, stateful_step_count=25)


# ---------------------------------------------------------------- single rules


def whole(row: Lineage, old: dict[str, list[str]], new: dict[str, list[str]]) -> dict[str, PathLines]:
    return {lines.path: lines for lines in commit_lines.attribute(row, between(old, new))}


def other(status: str, path: str, old: str, new: str, modes: tuple[str, str], *, binary: bool = False) -> FilePatch:
    """Return a patch without lines: a mode, a binary file."""
    change = FileChange(
        path=path, old_path=path, status=status, old_mode=modes[0], new_mode=modes[1], old_oid=old, new_oid=new
    )
    return FilePatch(change=change, binary=binary, hunks=())


def test_a_persons_line_in_place_of_another_is_told_from_a_new_one() -> None:
    row = Lineage(lambda path: True)
    row.advance([patch("a", ["1\n", "2\n"], ["1\n", "two\n", "3\n"])], lambda path: PERSON)
    lines = whole(row, {"a": ["1\n", "2\n"]}, {"a": ["1\n", "two\n", "3\n"]})["a"]
    assert lines.added == ((2, 2, PERSON_INSTEAD), (3, 3, PERSON))
    assert lines.removed == {PERSON_INSTEAD: 1}


def test_a_line_of_a_turn_in_place_of_a_persons_is_the_turns() -> None:
    row = Lineage(lambda path: True)
    row.advance([patch("a", ["1\n"], ["one\n"])], lambda path: Owner("s/t"))
    lines = whole(row, {"a": ["1\n"]}, {"a": ["one\n"]})["a"]
    assert (lines.added, lines.removed, lines.path_owner) == (((1, 1, "s/t"),), {"s/t": 1}, BASE)


def test_a_new_file_discarded_and_rewritten_by_a_person_is_the_persons() -> None:
    row = Lineage(lambda path: False)
    row.advance([patch("a", None, ["x = 1\n", "y = 2\n"])], lambda path: Owner("s/t"))
    row.advance([patch("a", ["x = 1\n", "y = 2\n"], ["z = 3\n", "x = 1\n"])], lambda path: PERSON)
    kept = whole(row, {}, {"a": ["z = 3\n", "x = 1\n"]})["a"]
    assert kept.path_owner == "s/t", "one line is left of what the turn wrote"
    row.advance([patch("a", ["z = 3\n", "x = 1\n"], ["q = 4\n"])], lambda path: PERSON)
    lines = whole(row, {}, {"a": ["q = 4\n"]})["a"]
    assert lines.path_owner == PERSON
    assert not any(owner.is_turn for owner in lines.owners())


GO = ["package main\n", "\n", 'import "fmt"\n', "\n", "func main() {\n", '\tfmt.Println("a")\n', "}\n"]
OTHER = ["package main\n", "\n", "type T struct {\n", "\tx int\n", "\ty int\n", "\tz int\n", "}\n"]


def rewritten(written: list[str], then: list[str]) -> PathLines:
    """Return the lines of a new file that a turn wrote and a person then rewrote."""
    row = Lineage(lambda path: False)
    row.advance([patch("a", None, written)], lambda path: Owner("s/t"))
    row.advance([patch("a", written, then)], lambda path: PERSON)
    return whole(row, {}, {"a": then})["a"]


def test_a_new_file_of_which_only_trivial_lines_remain_is_the_persons() -> None:
    lines = rewritten(GO, OTHER)
    assert (lines.owners() <= {PERSON, PERSON_INSTEAD}, lines.path_owner) == (True, PERSON)


def test_a_new_file_is_a_turns_if_more_than_a_quarter_of_it_remains() -> None:
    written = ["a\n", "b\n", "c\n", "d\n"]
    lines = rewritten(written, ["a\n", "x\n", "y\n", "z\n"])
    assert (lines.owners() <= {PERSON, PERSON_INSTEAD}, lines.path_owner) == (True, PERSON)
    lines = rewritten(written, ["a\n", "x\n", "y\n"])
    assert (lines.owners() & {"s/t"}, lines.path_owner) == ({"s/t"}, "s/t")


def test_a_new_file_that_a_person_only_adds_to_has_lines_of_both() -> None:
    lines = rewritten(["a\n", "b\n"], ["a\n", "b\n", *(f"{number}\n" for number in range(20))])
    assert (lines.added, lines.path_owner) == (((1, 2, "s/t"), (3, 22, PERSON)), "s/t")


def test_a_new_file_of_trivial_lines_is_its_makers() -> None:
    lines = rewritten(["import a\n", "\n"], ["import a\n", "\n", "import b\n"])
    assert (lines.added, lines.path_owner) == (((1, 2, "s/t"), (3, 3, PERSON)), "s/t")


def test_a_line_that_a_person_restores_is_its_writers_in_a_file_that_was_there_before() -> None:
    for was_there in (True, False):
        row = Lineage(lambda path, known=was_there: known)  # type: ignore[misc]
        row.advance([patch("a", ["1\n"], ["1\n", "mine\n", "more\n"])], lambda path: Owner("s/t"))
        row.advance([patch("a", ["1\n", "mine\n", "more\n"], ["1\n"])], lambda path: PERSON)
        row.advance([patch("a", ["1\n"], ["1\n", "mine\n", "other\n"])], lambda path: PERSON)
        lines = whole(row, {"a": ["1\n"]}, {"a": ["1\n", "mine\n", "other\n"]})["a"]
        assert lines.added == (((2, 2, "s/t"), (3, 3, PERSON)) if was_there else ((2, 3, PERSON),))


def test_a_version_that_comes_back_exactly_has_its_owners_again() -> None:
    row = Lineage(lambda path: False)
    written = ["x\n", "y\n"]
    row.advance([patch("a", None, written)], lambda path: Owner("s/t"))
    row.advance([patch("a", written, None)], lambda path: PERSON)  # git stash -u
    row.advance([patch("a", None, written)], lambda path: PERSON)  # git stash pop
    lines = whole(row, {}, {"a": written})["a"]
    assert (lines.added, lines.path_owner) == (((1, 2, "s/t"),), "s/t")


def test_what_a_turn_writes_is_its_own_though_it_was_there_before() -> None:
    old, new = ["x\n", "y\n"], ["x\n", "Y\n"]
    for stashed, owner in (((), "s/t2"), (("a",), PEOPLE)):
        row = Lineage(lambda path: True, stashed)
        row.advance([patch("a", old, new)], lambda path: Owner("s/t1"))
        row.advance([patch("a", new, old)], lambda path: Owner("s/t2"))
        assert owners(row, "a", 2) == [PEOPLE, owner]


def test_what_a_turn_committed_is_old_at_its_end_and_new_if_it_comes_back_later() -> None:
    row = Lineage(lambda path: True)
    first, second = ["1\n", "2\n"], ["1\n", "two\n"]
    commit = [patch("a", first, second)]
    row.mark_committed(commit, ["a"], lambda path: Owner("s/t"))
    row.advance(commit, lambda path: Owner("s/t"))
    assert row.path("a").runs[1] == (Owner("s/t").committed(), 1)
    row.advance([patch("a", second, first)], lambda path: Owner("s/t2"))
    row.advance([patch("a", first, second)], lambda path: Owner("s/t3"))
    assert row.path("a").runs[1] == (Owner("s/t3"), 1)


def test_content_is_old_once_a_commit_has_it_and_what_was_overwritten_before_is_not() -> None:
    row = Lineage(lambda path: True)
    first, second = ["1\n", "draft\n"], ["1\n", "final\n"]
    row.advance([patch("a", ["1\n"], first)], lambda path: Owner("s/t1"))
    row.advance([patch("a", first, second)], lambda path: Owner("s/t2"))
    row.mark_committed([], ["a"], lambda path: PERSON)
    assert row.path("a").runs[1] == (Owner("s/t2").committed(), 1)
    row.mark_committed([], ["a"], lambda path: PERSON)
    assert row.path("a").runs[1] == (Owner("s/t2").committed(), 1), "marked once"
    row.advance([patch("a", second, first)], lambda path: PERSON)
    assert whole(row, {"a": second}, {"a": first})["a"].added == ((2, 2, "s/t1"),), "the draft is in no checkpoint"


def test_who_deleted_a_file_removed_its_lines() -> None:
    row = Lineage(lambda path: True)
    row.advance([patch("a", ["1\n", "2\n"], None)], lambda path: Owner("s/t"))
    lines = whole(row, {"a": ["1\n", "2\n"]}, {})["a"]
    assert (lines.added, lines.removed, lines.path_owner) == ((), {"s/t": 2}, "s/t")


def test_modes_and_binary_files_have_one_maker() -> None:
    row = Lineage(lambda path: True)
    mode = other("M", "run.sh", "1" * 40, "1" * 40, (FILE, "100755"))
    image = other("A", "image.png", differences.ZERO, "2" * 40, (NO_FILE, FILE), binary=True)
    changed = other("M", "old.png", "3" * 40, "4" * 40, (FILE, FILE), binary=True)
    row.advance([mode], lambda path: Owner("s/t1"))
    row.advance([image, changed], lambda path: Owner("s/t2"))
    lines = {path.path: path for path in commit_lines.attribute(row, [mode, image, changed])}
    assert {name: path.path_owner for name, path in lines.items()} == {
        "run.sh": "s/t1",
        "image.png": "s/t2",
        "old.png": "s/t2",
    }
    row.mark_committed([], ["run.sh", "image.png"], lambda path: PERSON)
    lines = {path.path: path for path in commit_lines.attribute(row, [mode, image, changed])}
    assert {name: path.path_owner.is_new for name, path in lines.items()} == {
        "run.sh": False,
        "image.png": False,
        "old.png": True,
    }


def test_what_a_commit_leaves_out_is_told_by_owner() -> None:
    row = Lineage(lambda path: True)
    before = {"a": ["1\n"], "b": ["2\n"], "gone": ["3\n"]}
    after = {"a": ["1\n", "x\n", "y\n"], "b": ["2\n"], "new": ["n\n"]}
    row.advance(between(before, {**before, "a": ["1\n", "x\n"]}), lambda path: Owner("s/t1"))
    row.advance(between({**before, "a": ["1\n", "x\n"]}, after), lambda path: Owner("s/t2"))
    committed = {"a": ["1\n", "x\n"], "b": ["2\n"], "gone": ["3\n"]}
    assert row.left_out(between(after, committed)) == {"a": ["s/t2"], "new": ["s/t2"], "gone": ["s/t2"]}
    row.mark_committed(between(after, committed), ["a"], lambda path: PERSON)
    assert row.left_out(between(after, before))["a"] == ["s/t2"], "x is in a checkpoint"


def test_a_copy_goes_its_own_way() -> None:
    row = Lineage(lambda path: True)
    row.advance([patch("a", ["1\n"], ["1\n", "x\n"])], lambda path: Owner("s/t"))
    twin = row.copy()
    twin.advance([patch("a", ["1\n", "x\n"], ["y\n"])], lambda path: PERSON)
    twin.mark_committed([], ["a"], lambda path: PERSON)
    assert owners(row, "a", 2) == [PEOPLE, "s/t"]


def test_what_only_differs_in_format_is_committed_too() -> None:
    row = Lineage(lambda path: True)
    seen = ["1\n", "call(x)\n"]
    row.advance([patch("a", ["1\n"], seen)], lambda path: Owner("s/t"))
    to_commit = [patch("a", seen, ["1\n", "  call( x )\n"])]
    assert row.left_out(to_commit) == {}
    row.mark_committed(to_commit, ["a"], lambda path: PERSON)
    assert row.path("a").runs[1] == (Owner("s/t").committed(), 1)


def test_a_line_from_before_the_snapshots_that_a_hook_formats_is_as_the_parent_has_it() -> None:
    row = Lineage(lambda path: True)
    seen, formatted = ["1\n", "call(x)\n"], ["1\n", "  call(x)\n"]
    row.advance([patch("a", seen, formatted)], lambda path: NOBODY)
    assert whole(row, {"a": ["1\n"]}, {"a": formatted})["a"].added == ((2, 2, PERSON),), "it is new"
    assert whole(row, {"a": seen}, {"a": formatted})["a"].added == ((2, 2, NOBODY),)


def test_blank_lines_that_a_hook_adds_between_lines_of_a_turn_are_the_turns() -> None:
    row = Lineage(lambda path: False)
    spaced = ["x\n", "\n", "y\n"]
    row.advance([patch("a", None, ["x\n", "y\n"])], lambda path: Owner("s/t"))
    row.advance([patch("a", ["x\n", "y\n"], spaced)], lambda path: NOBODY)
    assert whole(row, {}, {"a": spaced})["a"].added == ((1, 3, "s/t"),)


def test_a_new_file_that_a_hook_rewrote_is_its_makers() -> None:
    row = Lineage(lambda path: False)
    row.advance([patch("a", None, ["x\n", "y\n"])], lambda path: Owner("s/t"))
    row.advance([patch("a", ["x\n", "y\n"], ["other\n"])], lambda path: NOBODY)
    lines = whole(row, {}, {"a": ["other\n"]})["a"]
    assert (lines.added, lines.path_owner) == (((1, 1, NOBODY),), "s/t")
