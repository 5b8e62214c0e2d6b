"""Checkpoints of several clones meet: nothing is lost, nothing is forced, nobody is asked, and it ends in time."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entire.git import refs
from entire.git.read import Objects
from entire.git.write import ImportStream
from entire.model.ids import CheckpointId
from entire.model.records import CheckpointSummary, SessionRecord, Summary
from entire.model.tokens import TokenUsage
from entire.redact import trusted
from entire.store import checkpoint_writer, checkpoints, gojson, lineage_file, merge, sync
from entire.store.lineage_file import LineageFile, LineageLink
from entire.store.links import CheckpointLinks
from tests import golden

AUTHOR = "Ada <ada@example.com> 1700000000 +0000"
REF = checkpoints.LOCAL_REF
IDS = [CheckpointId(text) for text in ("a1b2c3d4e5f6", "a1ffffffffff", "00112233aabb")]


def git(where: Path | str, *args: str) -> str:
    return subprocess.run(["git", "-C", str(where), *args], check=True, capture_output=True, text=True).stdout.strip()


def content(
    checkpoint: CheckpointId, session: str, text: str = "{}\n", *, at: float = 1700000000, summary: str = ""
) -> checkpoint_writer.SlotContent:
    record = SessionRecord(
        checkpoint_id=checkpoint,
        session_id=session,
        strategy="manual-commit",
        created_at=gojson.rfc3339(at),
        checkpoints_count=1,
        files_touched=(f"{session}.py",),
        token_usage=TokenUsage(input_tokens=len(text)),
        summary=Summary(intent=summary) if summary else None,
    )
    return checkpoint_writer.SlotContent(record=record, parts=(trusted(text.encode()),), prompts=(trusted(b"p"),))


def save(where: Path | str, *sessions: checkpoint_writer.SlotContent) -> str:
    checkpoint_id = CheckpointId(sessions[0].record.checkpoint_id)
    with Objects(str(where)) as objects:
        for attempt in checkpoint_writer.attempts(str(where), objects):
            existing = checkpoints.read_at(objects, attempt.base, checkpoint_id)
            changes = checkpoint_writer.compose(sessions, existing)
            attempt.write(changes, message=b"x", author=AUTHOR)
    return attempt.commit


def load(where: Path | str, checkpoint: CheckpointId, tip: str = REF) -> checkpoints.Checkpoint:
    with Objects(str(where)) as objects:
        found = checkpoints.read_at(objects, tip, checkpoint)
    assert found is not None
    return found


def texts(where: Path | str, checkpoint: CheckpointId, tip: str = REF) -> dict[str, str]:
    with Objects(str(where)) as objects:
        found = checkpoints.read_at(objects, tip, checkpoint)
        assert found is not None
        return {slot.session_id: checkpoints.transcript(objects, slot).decode() for slot in found.slots}


@pytest.fixture
def team(tmp_path: Path) -> list[Path]:
    """Return two clones of one bare repository, each with a commit."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "remote")], check=True)
    clones = [tmp_path / "one", tmp_path / "two"]
    for clone in clones:
        subprocess.run(["git", "clone", "-q", str(tmp_path / "remote"), str(clone)], check=True, capture_output=True)
    return clones


def remote_ids(clone: Path) -> list[CheckpointId]:
    return [one.id for one in checkpoints.list_all(str(clone.parent / "remote"), [REF])]


def test_without_checkpoints_nothing_happens(team: list[Path]) -> None:
    assert sync.push(str(team[0]), "origin") == sync.Outcome()


def test_a_push_and_the_second_does_not_talk(team: list[Path]) -> None:
    tip = save(team[0], content(IDS[0], "s"))
    assert sync.push(str(team[0]), "origin") == sync.Outcome(pushed=True)
    assert git(team[0].parent / "remote", "rev-parse", REF) == tip
    (team[0].parent / "remote").rename(team[0].parent / "gone")
    assert sync.push(str(team[0]), "origin") == sync.Outcome()


def test_unrelated_histories_join(team: list[Path]) -> None:
    save(team[0], content(IDS[0], "s1"))
    save(
        team[1],
        content(IDS[1], "s2"),
    )
    assert sync.push(str(team[0]), "origin").pushed
    assert sync.push(str(team[1]), "origin") == sync.Outcome(pushed=True, joined=True)
    assert remote_ids(team[0]) == sorted(IDS[:2])
    assert git(team[1], "log", "-1", "--format=%B", REF) == "Merge remote session logs"
    assert len(git(team[1], "log", "-1", "--format=%P", REF).split()) == 2
    save(team[0], content(IDS[2], "s3"))
    assert sync.push(str(team[0]), "origin") == sync.Outcome(pushed=True, joined=True)
    assert remote_ids(team[0]) == sorted(IDS)


def test_who_is_only_behind_is_brought_forward(team: list[Path]) -> None:
    save(team[0], content(IDS[0], "s1"))
    sync.push(str(team[0]), "origin")
    git(team[1], "fetch", "-q")
    git(team[1], "update-ref", REF, f"refs/remotes/origin/{REF[11:]}")
    git(team[1], "update-ref", "-d", f"refs/remotes/origin/{REF[11:]}")
    tip = save(team[0], content(IDS[1], "s1"))
    sync.push(str(team[0]), "origin")
    assert sync.push(str(team[1]), "origin") == sync.Outcome(joined=True)
    assert git(team[1], "rev-parse", REF) == tip


def test_the_golden_clones_go_on_with_ours(tmp_path: Path) -> None:
    home = golden.unpack("clones/01-two-clones-pushed", tmp_path)
    before = {one.id for one in checkpoints.list_all(str(home / "team-clone"))}
    assert len(before) == 2
    save(home / "team-clone", content(IDS[0], "s1"))
    save(home / "team", content(IDS[1], "s2"))
    assert sync.push(str(home / "team-clone"), "origin") == sync.Outcome(pushed=True)
    outcome = sync.push(str(home / "team"), "origin")
    assert outcome == sync.Outcome(pushed=True, joined=True)
    listed = {one.id for one in checkpoints.list_all(str(home / "team-remote.git"), [REF])}
    assert listed == before | set(IDS[:2])


def test_the_same_checkpoint_on_both_sides(team: list[Path]) -> None:
    """One finalised a transcript, the other added a summary and a session: all of it is there afterwards."""
    save(team[0], content(IDS[0], "s1", "1\n"))
    sync.push(str(team[0]), "origin")
    git(team[1], "fetch", "-q")
    save(team[1], content(IDS[0], "s1", "1\n2\n"))
    save(team[0], content(IDS[0], "s1", "1\n", summary="why"))
    save(team[0], content(IDS[0], "s2", "other\n", at=1700000009))
    assert sync.push(str(team[0]), "origin").pushed
    assert sync.push(str(team[1]), "origin") == sync.Outcome(pushed=True, joined=True)
    remote = team[0].parent / "remote"
    assert texts(remote, IDS[0]) == {"s1": "1\n2\n", "s2": "other\n"}
    found = load(remote, IDS[0])
    assert found.problems == ()
    assert [record.summary for record in found.records] == [Summary(intent="why"), None]
    assert found.summary.token_usage == TokenUsage(input_tokens=10)
    assert found.summary.files_touched == ("s1.py", "s2.py")
    assert [one.prompt for one in found.summary.sessions] == [f"/{IDS[0].path}/{n}/prompt.txt" for n in (0, 1)]


@pytest.mark.parametrize("finalised", [False, True])
@pytest.mark.parametrize("summary", ["new", "newer", "newest"])  # whatever the trees' ids say
def test_a_replaced_summary_stays_replaced(team: list[Path], summary: str, finalised: bool) -> None:
    """The other side has the old one, also where it has the later content."""
    save(team[0], content(IDS[0], "s1", "1\n", summary="old"))
    sync.push(str(team[0]), "origin")
    git(team[1], "fetch", "-q")
    git(team[1], "update-ref", REF, "refs/remotes/origin/entire/checkpoints/v1")
    save(team[1], content(IDS[0], "s1", "1\n", summary=summary))
    save(team[0], content(IDS[0], "s1", "1\n2\n" if finalised else "1\n", summary="old"))
    save(team[0], content(IDS[0], "s2", "other\n", at=1700000009))
    assert sync.push(str(team[0]), "origin").pushed
    assert sync.push(str(team[1]), "origin") == sync.Outcome(pushed=True, joined=True)
    remote = team[0].parent / "remote"
    found = load(remote, IDS[0])
    assert [record.summary for record in found.records] == [Summary(intent=summary), None]
    assert texts(remote, IDS[0])["s1"] == ("1\n2\n" if finalised else "1\n")
    again = _join(str(team[1]), git(team[1], "rev-parse", REF), git(team[0], "rev-parse", REF))
    assert _tree(str(team[1]), again) == _tree(str(team[1]), REF)


def test_a_writer_here_and_a_pusher_there_while_we_sync(team: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    save(team[0], content(IDS[0], "s1"))
    sync.push(str(team[0]), "origin")
    save(team[1], content(IDS[1], "s2"))
    joins: list[str] = []
    real = merge.join

    def busy(where: str, objects: Objects, ours: str, theirs: str, author: str) -> str:
        joins.append(ours)
        if len(joins) == 1:
            save(team[1], content(IDS[1], "late"))
            save(team[0], content(IDS[2], "s3"))
            git(team[0], "push", "-q", "origin", REF)
        return real(where, objects, ours, theirs, author)

    monkeypatch.setattr(merge, "join", busy)
    assert sync.push(str(team[1]), "origin") == sync.Outcome(pushed=True, joined=True)
    assert len(joins) == 3
    assert remote_ids(team[0]) == sorted(IDS)
    assert set(texts(team[0].parent / "remote", IDS[1])) == {"s2", "late"}


def test_a_remote_that_refuses_says_why(team: list[Path]) -> None:
    hook = team[0].parent / "remote" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no checkpoints here >&2\nexit 1\n")
    hook.chmod(0o755)
    tip = save(team[0], content(IDS[0], "s1"))
    outcome = sync.push(str(team[0]), "origin")
    assert not outcome.pushed
    assert outcome.failed
    assert git(team[0], "rev-parse", REF) == tip


@pytest.mark.parametrize("name", ["", "-x", "--upload-pack=touch x", "nowhere", "/does/not/exist"])
def test_no_such_remote(team: list[Path], name: str) -> None:
    save(team[0], content(IDS[0], "s1"))
    outcome = sync.push(str(team[0]), name)
    assert outcome.failed
    assert not outcome.pushed


def test_a_url_works_like_a_name(team: list[Path]) -> None:
    save(team[0], content(IDS[0], "s1"))
    url = str(team[0].parent / "remote")
    assert sync.push(str(team[0]), url) == sync.Outcome(pushed=True)
    assert sync.push(str(team[0]), url) == sync.Outcome()
    save(team[1], content(IDS[1], "s1"))
    assert sync.push(str(team[1]), url) == sync.Outcome(pushed=True, joined=True)


def _ssh(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = folder / "an ssh"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", f"'{program}'")


def test_it_ends_in_time(team: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    _ssh(team[0].parent, monkeypatch, "exec sleep 30")
    save(team[0], content(IDS[0], "s1"))
    before = time.monotonic()
    monkeypatch.setattr(sync, "LIMIT", 0.5)
    outcome = sync.push(str(team[0]), "ssh://host/x")
    assert outcome.failed
    assert time.monotonic() - before < 15
    monkeypatch.setattr(sync, "LIMIT", 0)
    assert sync.push(str(team[0]), "ssh://host/x").failed == "timed out"


def test_nobody_is_asked(team: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    taken = team[0].parent / "seen"
    _ssh(team[0].parent, monkeypatch, f'echo "$@" >"{taken}"; env >>"{taken}"; exit 255')
    save(team[0], content(IDS[0], "s1"))
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    assert sync.push(str(team[0]), "ssh://user:secret@host/x").failed
    said = taken.read_text()
    assert "-oBatchMode=yes" in said.split("\n")[0]
    assert "GIT_TERMINAL_PROMPT=0" in said
    assert "GIT_ASKPASS=true" in said
    assert "GIT_INDEX_FILE" not in said


def test_reasons_hold_no_passwords(team: list[Path]) -> None:
    save(team[0], content(IDS[0], "s1"))
    outcome = sync.push(str(team[0]), "nosuch://user:s3cret@host/x")
    assert outcome.failed
    assert "s3cret" not in outcome.failed


def test_fetch_reads_and_leaves_our_branch(team: list[Path]) -> None:
    save(team[0], content(IDS[0], "s1"))
    sync.push(str(team[0]), "origin")
    assert sync.fetch(str(team[1]), "origin") == sync.Outcome()
    assert [one.id for one in checkpoints.list_all(str(team[1]))] == [IDS[0]]
    assert refs.read(str(team[1]), REF) == {}


def test_what_we_do_not_know_is_joined_too(team: list[Path]) -> None:
    where = str(team[0])
    tips = []
    for side, other in (("a", "z"), ("b", "y")):
        stream = ImportStream(where)
        blob, more = stream.blob(side.encode()), stream.blob(other.encode())
        path = IDS[0].path
        changes = dict.fromkeys(("README", f"dir/{side}", f"{path}/note", f"{path}/tasks/t/{side}"), ("100644", blob))
        changes |= {"mixed/x" if side == "a" else "mixed": ("100644", more), f"{path}/{side}/deep/x": ("100644", more)}
        mark = stream.commit(message=b"x", author=AUTHOR, changes=changes)
        tips.append(stream.write()[mark])
    joined = _join(where, *tips)
    names = git(where, "ls-tree", "-r", "--name-only", joined).split()
    path = IDS[0].path
    assert set(names) == {
        "README", "dir/a", "dir/b", "mixed/x", f"{path}/note", f"{path}/tasks/t/a", f"{path}/tasks/t/b",
        f"{path}/a/deep/x", f"{path}/b/deep/x",
    }  # fmt: skip
    assert _tree(where, joined) == _tree(where, _join(where, *reversed(tips)))


def test_the_commits_of_both_records_and_of_both_indexes_are_joined(team: list[Path]) -> None:
    where = str(team[0])
    base = save(where, content(IDS[0], "s0"))
    tips, names = [], []
    for number, checkpoint_id in enumerate((IDS[0], IDS[1])):
        record = LineageFile(commits=(LineageLink(commit=str(number) * 40, tree="t", time=1700000000.0 + number),))
        stream = ImportStream(where)
        names.append(f"links/commits/ab/{'c' * 38}-000-{checkpoint_id}")
        changes = {
            f"{IDS[0].path}/{lineage_file.NAME}": ("100644", stream.blob(lineage_file.dumps(record))),
            names[-1]: ("100644", stream.blob(b"")),
        }
        mark = stream.commit(message=b"x", author=AUTHOR, parents=(base,), changes=changes)
        tips.append(stream.write()[mark])
    joined = _join(where, *tips)
    assert _tree(where, joined) == _tree(where, _join(where, *reversed(tips)))
    assert _tree(where, _join(where, joined, tips[1])) == _tree(where, joined)
    assert set(names) <= set(git(where, "ls-tree", "-r", "--name-only", joined).split())
    assert [entry.id for entry in checkpoints.list_all(where, [joined])] == [IDS[0]]
    with Objects(where) as objects:
        found = checkpoints.read_at(objects, joined, IDS[0])
        assert found is not None
        record = lineage_file.read(objects, found) or LineageFile()
        assert [link.commit for link in record.commits] == ["0" * 40, "1" * 40]
        assert CheckpointLinks(where, objects, [joined]).recorded("ab" + "c" * 38) == sorted(IDS[:2])


def _join(where: str, ours: str, theirs: str) -> str:
    with Objects(where) as objects:
        return merge.join(where, objects, ours, theirs, AUTHOR)


def _tree(where: str, commit: str) -> str:
    return git(where, "rev-parse", f"{commit}^{{tree}}")


writes = st.lists(
    st.tuples(
        st.sampled_from(IDS[:2]),
        st.sampled_from(["s1", "s2", "s3"]),
        st.integers(0, 3),
        st.integers(0, 2),
        st.sampled_from(["", "", "x", "y"]),
    ),
    max_size=5,
)


def _side(where: str, base: str, steps: list[tuple[CheckpointId, str, int, int, str]]) -> str:
    """Write some contents on top of a base; transcripts only grow, as an agent's do."""
    git(where, "update-ref", REF, base)
    tip = base
    for checkpoint, session, lines, minute, summary in steps:
        text = "".join(f"{session} {n}\n" for n in range(lines + 1))
        tip = save(where, content(checkpoint, session, text, at=1700000000 + 60 * minute, summary=summary))
    return tip


@settings(max_examples=30)
@given(writes, writes)
def test_joins_lose_nothing_and_commute(
    tmp_path_factory: pytest.TempPathFactory,
    one: list[tuple[CheckpointId, str, int, int, str]],
    two: list[tuple[CheckpointId, str, int, int, str]],
) -> None:
    where = str(tmp_path_factory.mktemp("join"))
    subprocess.run(["git", "init", "-q", where], check=True)
    base = save(where, content(IDS[2], "s0"))
    ours, theirs = _side(where, base, one), _side(where, base, two)
    joined = _join(where, ours, theirs)
    assert _tree(where, joined) == _tree(where, _join(where, theirs, ours))
    assert _tree(where, _join(where, joined, theirs)) == _tree(where, joined)
    assert _tree(where, _join(where, ours, joined)) == _tree(where, joined)
    assert _tree(where, _join(where, ours, ours)) == _tree(where, ours)
    listed = {entry.id for entry in checkpoints.list_all(where, [joined])}
    assert listed == {step[0] for step in (*one, *two)} | {IDS[2]}
    for checkpoint in listed:
        _check_joined(where, checkpoint, joined, [ours, theirs])


def _check_joined(where: str, checkpoint: CheckpointId, joined: str, sides: list[str]) -> None:
    found = load(where, checkpoint, joined)
    assert found.problems == ()
    assert [slot.number for slot in found.slots] == list(range(len(found.slots)))
    merged = texts(where, checkpoint, joined)
    summaries = {record.session_id: record.summary for record in found.records}
    with Objects(where) as objects:
        given = [side for tip in sides if (side := checkpoints.read_at(objects, tip, checkpoint)) is not None]
        for side in given:
            for slot in side.slots:
                assert len(checkpoints.transcript(objects, slot)) <= len(merged[slot.session_id])
                if slot.record is not None and slot.record.summary is not None:
                    assert summaries[slot.session_id] is not None
    assert set(merged) == {slot.session_id for side in given for slot in side.slots}
    assert isinstance(found.summary, CheckpointSummary)
    assert found.summary.files_touched == tuple(sorted(f"{session}.py" for session in merged))
    assert len(found.summary.sessions) == len(merged)


def test_two_syncs_at_once(team: list[Path]) -> None:
    save(team[0], content(IDS[0], "s1"))
    save(team[1], content(IDS[1], "s2"))
    children = []
    for clone in team:
        pid = os.fork()
        if not pid:
            try:
                os._exit(0 if sync.push(str(clone), "origin").pushed else 1)
            finally:
                os._exit(2)
        children.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0, 0]
    assert remote_ids(team[0]) == sorted(IDS[:2])
