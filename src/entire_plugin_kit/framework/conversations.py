"""Promises of the framework about conversations: read, searched, gone back in and continued elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from entire import ResumeRequest, RewindRequest, SearchRequest, ShowRequest
from entire_plugin_kit.adapter import questions
from entire_plugin_kit.framework.repository import open_repository
from entire_plugin_kit.promise import same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire import ConversationPart, ResumedView
    from entire_plugin_kit.framework.repository import Repository
    from entire_plugin_kit.rig import Rig

_ASKED = ("create apples", "explain pears", "create plums")


def numbers_prompts_alike(rig: Rig, folder: Path) -> None:
    """A prompt has one number wherever it is told: of the session and of its checkpoint, by itself and in a search."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        for prompt in _ASKED:
            repo.turn(player, prompt, **({prompt.split()[1]: "1\n"} if prompt.startswith("create") else {}))
        checkpoint = repo.commit("Add fruit")
        numbered = list(enumerate(_ASKED, 1))
        for name in (player.id, checkpoint.id):
            same([(turn.number, turn.prompt) for turn in _shown(repo, name).turns], numbered)
        for number, prompt in numbered:
            (turn,) = _shown(repo, f"{player.id}:{number}").turns
            same((turn.number, turn.prompt), (number, prompt))
            request = SearchRequest(query=prompt.split()[1], kinds=("prompt",))
            told = [(one.turn, one.session_id) for one in repo.workspace().history.search(request).findings]
            same(told, [(number, player.id)])


def _shown(repo: Repository, name: str) -> ConversationPart:
    (part,) = repo.workspace().history.show(ShowRequest(name=name, is_whole=True)).conversations
    return part


def keeps_what_it_does_not_know(rig: Rig, folder: Path) -> None:
    """A record of a type that nobody knows yet is stored whole, and is not a prompt, an answer or a change."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        player.prompt("create one")
        player.unknown("from the future")
        player.change(repo.write("one.txt", "1\n"))
        player.answer("Did: create one")
        player.unknown("later still")
        player.stop()
        checkpoint = repo.commit("Add one")
        stored = repo.workspace().checkpoints.transcript(checkpoint, player.id)
        same(stored, repo.transcript(player))
        assert b"from the future" in stored
        assert b"later still" in stored
        part = repo.part(checkpoint)
        same(([prompt.text for prompt in part.prompts], part.files), (["create one"], ("one.txt",)))
        said = [message.text for message in repo.workspace().checkpoints.conversation(checkpoint, player.id)]
        assert not [text for text in said if "future" in text or "later still" in text], said


def rewinds_past_a_subagent(rig: Rig, folder: Path) -> None:
    """A rewind to before a subagent worked takes its files and its part of the conversation away; the undo brings both
    back, and what follows a rewind counts nothing of the subagent.
    """
    with open_repository(rig, folder) as repo:
        player = repo.play()
        repo.turn(player, "create one", one="1\n")
        early = repo.transcript_at_stop(player)
        player.prompt("let a subagent work")
        player.subagent("helper1", "make a file", repo.write("made.txt", "1\n"))
        player.answer("Done.")
        player.stop()
        late = repo.transcript(player)
        player.end()
        first = repo.steps()[0]
        _rewind(repo, first.id)
        assert questions.same(rig.adapter(), repo.transcript(player), early)
        assert not (repo.root / "made.txt").exists()
        with repo.workspace().undo.rewind() as plan:
            plan.carry_out()
        same(repo.transcript(player), late)
        assert (repo.root / "made.txt").exists()
        _rewind(repo, first.id)
        player = repo.play()
        repo.turn(player, "create two", two="2\n")
        checkpoint = repo.commit("Add both")
        part = repo.part(checkpoint)
        same((part.files, checkpoint.tasks), (("one.txt", "two.txt"), ()))
        assert part.tokens is None or not part.tokens.subagents


def _rewind(repo: Repository, point: str) -> None:
    with repo.workspace().points.rewind(RewindRequest(to=point)) as plan:
        plan.carry_out()


def keeps_a_session_that_went_on(rig: Rig, folder: Path) -> None:
    """A session that went on here and in another clone: `entire resume` keeps what is newer here; with `--force` it
    takes the other's, and its undo brings back this one's.
    """
    with open_repository(rig, folder) as repo:
        player = repo.play()
        repo.turn(player, "create one", one="1\n")
        repo.commit("Add one")
        player.end()
        other = repo.clone()
        with other.workspace().sessions.resume(ResumeRequest(target="HEAD")) as plan:
            plan.carry_out()
        there = rig.play(other.root, player.id, other.hook)
        there.start()
        theirs = other.turn(there, "create pears", pears="1\n")
        other.commit("Add pears")
        there.end()
        player = repo.play()
        mine = repo.turn(player, "create plums", plums="1\n")
        player.end()
        repo.git("fetch", "-q", str(other.root), "main", "+entire/checkpoints/v1:entire/checkpoints/v1")
        (kept,) = _resume(repo)
        same((kept.is_newer, kept.problem), (True, ""))
        same(repo.transcript(player), mine)
        (taken,) = _resume(repo, force=True)
        same(taken.problem, "")
        assert questions.same(rig.adapter(), repo.transcript(player), theirs)
        repo.workspace().undo.resume()
        same(repo.transcript(player), mine)


def _resume(repo: Repository, *, force: bool = False) -> Sequence[ResumedView]:
    with repo.workspace().sessions.resume(ResumeRequest(target="FETCH_HEAD", force=force)) as plan:
        return plan.carry_out().sessions
