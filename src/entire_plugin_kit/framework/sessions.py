"""Promises of the framework to every agent: what follows from its events, in a real repository."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entire import ResumeRequest, RewindRequest
from entire.plugin import START, TokenUsage
from entire_plugin_kit.adapter import malformed, questions
from entire_plugin_kit.framework.repository import open_repository
from entire_plugin_kit.promise import same

if TYPE_CHECKING:
    from entire import CheckpointView, PartView
    from entire_plugin_kit.framework.repository import Repository
    from entire_plugin_kit.rig import Player, Rig


def records_every_turn_in_full(rig: Rig, folder: Path) -> None:
    """At each turn's end, a step holds the changed files and the whole transcript, from the first prompt on."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        same(repo.session().agent, rig.entry.type)
        for number in range(3):
            player.prompt(f"prompt {number}")
            same(repo.session().phase, "active")
            player.change(repo.write(f"{number}.txt", f"{number}\n"))
            player.answer(f"answer {number}")
            player.stop()
            session, step = repo.session(), repo.steps()[-1]
            same((session.phase, session.first_prompt), ("idle", "prompt 0"))
            assert f"{number}.txt" in session.open_files
            same((step.session_id, step.prompt), (player.id, f"prompt {number}"))
            same(repo.git("show", f"{step.id}:{number}.txt"), f"{number}\n")
            stored = repo.step_transcript(step)
            same(stored, repo.transcript_at_stop(player))
            same([n for n in range(number + 1) if f"prompt {n}".encode() not in stored], [])
            same(len(repo.steps()), number + 1)


def links_the_commit(rig: Rig, folder: Path) -> None:
    """A commit gets a trailer and a checkpoint: the whole transcript, the prompts, the files, the tokens, the agent."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        repo.turn(player, "create one", one="1\n")
        data = repo.turn(player, "create two", two="2\n")
        checkpoint = repo.commit("Add both")
        assert f"Entire-Checkpoint: {checkpoint.id}" in repo.git("log", "-1", "--format=%B")
        _check_part(repo, player, repo.part(checkpoint), ["create one", "create two"], ("one.txt", "two.txt"))
        same(repo.workspace().checkpoints.transcript(checkpoint, player.id), data)
        stored = repo.git("show", f"entire/checkpoints/v1:{checkpoint.id[:2]}/{checkpoint.id[2:]}/0/prompt.txt")
        same(stored.strip().split("\n\n---\n\n"), ["create one", "create two"])
        same(repo.part(checkpoint).tokens, _spent(rig, player))
        same(repo.session().open_files, ())


def _check_part(repo: Repository, player: Player, part: PartView, prompts: list[str], files: tuple[str, ...]) -> None:
    same((part.session_id, part.agent), (player.id, repo.rig.entry.type))
    same(part.files, files)
    same([prompt.text for prompt in part.prompts], prompts)


def _spent(rig: Rig, player: Player) -> TokenUsage | None:
    """Return what the whole session used; None if the agent does not tell."""
    transcript: Any = rig.adapter().transcript(player.ref)
    return transcript.tokens(START) if rig.has("token_calculator") else None


def ends_an_interrupted_turn(rig: Rig, folder: Path) -> None:
    """A turn that the user interrupts has ended then, though no hook says so: what is written later is a person's."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        repo.turn(player, "say hi")
        player.prompt("create one")
        player.change(repo.write("one.txt", "1\n"))
        assert not repo.session().is_interrupted
        player.interrupt()
        assert repo.session().is_interrupted
        repo.write("person.txt", "mine\n")
        same(repo.part(repo.commit("Add both")).files, ("one.txt",))
        repo.turn(player, "create two", two="2\n")
        same(repo.part(repo.commit("Add two")).files, ("two.txt",))


def counts_a_fork_once(rig: Rig, folder: Path) -> None:
    """What a session copied from another one to begin with counts for the other one alone: prompts, tokens and files.
    Both go on by themselves.
    """
    with open_repository(rig, folder) as repo:
        player = repo.play()
        repo.turn(player, "create one", one="1\n")
        spent = repo.part(repo.commit("Add one")).tokens or TokenUsage()
        repo.turn(player, "create two", two="2\n")
        fork = player.fork("b-session")
        repo.turn(fork, "create three", three="3\n")
        parts = _parts(repo, repo.commit("Add two and three"), player, fork)
        same([part.files for part in parts], [("two.txt",), ("three.txt",)])
        same(repo.session(fork.id).first_prompt, "create three")
        same([_new_prompts(part) for part in parts], [["create two"], ["create three"]])
        own, copied = (part.tokens or TokenUsage() for part in parts)
        same(spent + own, _spent(rig, player))
        same(spent + own + copied, _spent(rig, fork))
        repo.turn(player, "create four", four="4\n")
        repo.turn(fork, "create five", five="5\n")
        parts = _parts(repo, repo.commit("Add four and five"), player, fork)
        same([part.files for part in parts], [("four.txt",), ("five.txt",)])
        last, again = (part.tokens or TokenUsage() for part in parts)
        same(spent + own + last, _spent(rig, player))
        same(spent + own + copied + again, _spent(rig, fork))


def _parts(repo: Repository, checkpoint: CheckpointView, *players: Player) -> list[PartView]:
    return [repo.part(checkpoint, player.id) for player in players]


def _new_prompts(part: PartView) -> list[str]:
    return [prompt.text for prompt in part.prompts if prompt.position >= part.start]


def completes_a_commit_at_the_end_of_its_turn(rig: Rig, folder: Path) -> None:
    """The checkpoint of a commit in the middle of a turn holds the whole turn once it has ended."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        repo.turn(player, "say hi")
        player.prompt("create one")
        player.change(repo.write("one.txt", "1\n"))
        checkpoint = repo.commit("Add one")
        same(repo.part(checkpoint).files, ("one.txt",))
        player.answer("It is committed.")
        player.stop()
        stored = repo.workspace().checkpoints.transcript(checkpoint, player.id)
        same(stored, repo.transcript_at_stop(player))
        assert b"It is committed." in stored
        same(repo.session().open_files, ())


def keeps_sessions_apart(rig: Rig, folder: Path) -> None:
    """Of two sessions side by side, each has its own files, prompts, tokens and transcript in a common checkpoint."""
    with open_repository(rig, folder) as repo:
        players = [repo.play("a-session"), repo.play("b-session")]
        for player, name in zip(players, ("one", "two"), strict=True):
            player.prompt(f"create {name}")
        for player, name in zip(players, ("one", "two"), strict=True):
            player.change(repo.write(f"{name}.txt", f"{name}\n"))
            player.answer("Done.")
            player.stop()
        checkpoint = repo.commit("Add both")
        same(len(checkpoint.parts), 2)
        for player, name in zip(players, ("one", "two"), strict=True):
            part = repo.part(checkpoint, player.id)
            same([prompt.text for prompt in part.prompts], [f"create {name}"])
            same(part.tokens, _spent(rig, player))
            same(repo.workspace().checkpoints.transcript(checkpoint, player.id), repo.transcript(player))
            if rig.has("transcript_analyzer"):
                same(part.files, (f"{name}.txt",))


def counts_each_answer_for_one_commit(rig: Rig, folder: Path) -> None:
    """The tokens of a session are divided among its commits: together they are what the session used."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        total = TokenUsage()
        for number in range(3):
            repo.turn(player, f"prompt {number}", **{f"file{number}": "x\n"})
            total += repo.part(repo.commit(f"Commit {number}")).tokens or TokenUsage()
        same(total, _spent(rig, player))
        assert total.api_call_count


def shows_what_was_said(rig: Rig, folder: Path) -> None:
    """A checkpoint's conversation shows who said what, in order: prompts and answers."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        repo.turn(player, "create one", one="1\n")
        repo.turn(player, "create two", two="2\n")
        checkpoint = repo.commit("Add both")
        told = repo.workspace().checkpoints.conversation(checkpoint, player.id)
        said = [(one.who, one.text) for one in told if one.text.startswith(("create", "Did"))]
        same(
            said,
            [
                ("user", "create one"),
                ("agent", "Did: create one"),
                ("user", "create two"),
                ("agent", "Did: create two"),
            ],
        )


def resumes_with_all_history(rig: Rig, folder: Path) -> None:
    """A session that ended and is continued by the agent: its next checkpoint holds everything since the first prompt,
    and counts only what is new.
    """
    with open_repository(rig, folder) as repo:
        player = repo.play()
        first = repo.turn(player, "create one", one="1\n")
        repo.commit("Add one")
        player.end()
        same(repo.session().phase, "ended")
        player = repo.play()
        second = repo.turn(player, "create two", two="2\n")
        assert len(second) > len(first)
        checkpoint = repo.commit("Add two")
        same(repo.workspace().checkpoints.transcript(checkpoint, player.id), second)
        same(repo.part(checkpoint).files, ("two.txt",))
        if rig.has("transcript_analyzer"):
            told: Any = rig.adapter().transcript("", stored=second)
            same([prompt.text for prompt in told.prompts(START)], ["create one", "create two"])


def restores_a_session(rig: Rig, folder: Path) -> None:
    """`entire resume` puts a lost transcript back under the session's own id, and the agent goes on from it."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        data = repo.turn(player, "create one", one="1\n")
        repo.commit("Add one")
        player.end()
        player.lose()
        with repo.workspace().sessions.resume(ResumeRequest(target="HEAD")) as plan:
            (session,) = plan.carry_out().sessions
        same((session.session_id, session.problem), (player.id, ""))
        assert player.id in session.command
        same(repo.transcript(player), data)
        player = repo.play()
        repo.turn(player, "create two", two="2\n")
        checkpoint = repo.commit("Add two")
        stored = repo.workspace().checkpoints.transcript(checkpoint, player.id)
        same(stored, repo.transcript(player))
        assert b"create one" in stored
        assert b"create two" in stored


def continues_in_another_clone(rig: Rig, folder: Path) -> None:
    """In another clone, `entire resume` puts the conversation where the agent looks there, and the agent's next commit
    there holds all of it.
    """
    with open_repository(rig, folder) as repo:
        player = repo.play()
        data = repo.turn(player, "create one", one="1\n")
        repo.commit("Add one")
        player.end()
        other = repo.clone()
        with other.workspace().sessions.resume(ResumeRequest(target="HEAD")) as plan:
            (session,) = plan.carry_out().sessions
        same((session.session_id, session.problem), (player.id, ""))
        player = rig.play(other.root, player.id, other.hook)
        assert questions.same(rig.adapter(), other.transcript(player), data)
        player.start()
        other.turn(player, "create two", two="2\n")
        stored = other.workspace().checkpoints.transcript(other.commit("Add two"), player.id)
        same(stored, other.transcript(player))
        assert b"create one" in stored
        assert b"create two" in stored
        same(other.problems(), [])


def rewinds_files_and_conversation(rig: Rig, folder: Path) -> None:
    """A rewind to an earlier turn cuts the conversation there and takes the later files away; the agent goes on from
    there, and what it was told afterwards is not stored again. The undo brings everything back.
    """
    with open_repository(rig, folder) as repo:
        player = repo.play()
        repo.turn(player, "create one", one="1\n")
        early = repo.transcript_at_stop(player)
        repo.turn(player, "create two", two="2\n")
        late = repo.turn(player, "create three", three="3\n")
        player.end()
        first = repo.steps()[0]
        with repo.workspace().points.rewind(RewindRequest(to=first.id)) as plan:
            plan.carry_out()
        assert questions.same(rig.adapter(), repo.transcript(player), early)
        same(_names(repo), {"README.md", "one.txt"})
        with repo.workspace().undo.rewind() as plan:
            plan.carry_out()
        same(repo.transcript(player), late)
        same(_names(repo), {"README.md", "one.txt", "two.txt", "three.txt"})
        with repo.workspace().points.rewind(RewindRequest(to=first.id)) as plan:
            plan.carry_out()
        player = repo.play()
        repo.turn(player, "create four", four="4\n")
        checkpoint = repo.commit("Add one and four")
        stored = repo.workspace().checkpoints.transcript(checkpoint, player.id)
        same(stored, repo.transcript(player))
        assert b"create two" not in stored
        same(repo.part(checkpoint).files, ("four.txt", "one.txt"))


def _names(repo: Repository) -> set[str]:
    return {name for name in os.listdir(repo.root) if not name.startswith(".")}


def saves_a_turn_without_an_end(rig: Rig, folder: Path) -> None:
    """An agent that dies in the middle of a turn: the next event saves what it did, files and conversation, and so does
    the next commit.
    """
    with open_repository(rig, folder) as repo:
        player = repo.play()
        player.prompt("create one")
        player.change(repo.write("one.txt", "1\n"))
        player = repo.play()
        player.prompt("create two")
        step = repo.steps()[0]
        same(repo.git("show", f"{step.id}:one.txt"), "1\n")
        assert b"create one" in repo.step_transcript(step)
        player.change(repo.write("two.txt", "2\n"))
        checkpoint = repo.commit("Add both")
        part = repo.part(checkpoint)
        same(part.files, ("one.txt", "two.txt"))
        same([prompt.text for prompt in part.prompts], ["create one", "create two"])
        same(repo.workspace().checkpoints.transcript(checkpoint, player.id), repo.transcript(player))


def records_a_hook_once(rig: Rig, folder: Path) -> None:
    """An agent that delivers every hook twice leaves the same steps, prompts, files and tokens as one that does it
    once, and if its hooks name their turn, the same points.
    """
    once, twice = (_recorded(rig, folder / str(times), times) for times in (1, 2))
    same(twice, once)


def _recorded(rig: Rig, folder: Path, times: int) -> dict[str, Any]:
    """Return what two turns and a commit leave."""
    with open_repository(rig, folder) as repo:
        repo.times = times
        player = repo.play("once-delivered" if times == 1 else "twice-delivered")
        repo.turn(player, "create one", one="1\n")
        data = repo.turn(player, "create two", two="2\n")
        kinds = ("step", "turn", "start") if player.names_turns else ("step",)
        points = [(point.kind, point.prompt) for point in repo.workspace().points.listing() if point.kind in kinds]
        checkpoint = repo.commit("Add both")
        part = repo.part(checkpoint, player.id)
        same(repo.workspace().checkpoints.transcript(checkpoint, player.id), data)
        prompts = [prompt.text for prompt in part.prompts]
        return {"points": points, "prompts": prompts, "files": part.files, "tokens": part.tokens, "steps": part.steps}


def ends_a_session_twice(rig: Rig, folder: Path) -> None:
    """A session may end several times; what it left uncommitted is linked when it is committed later."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        data = repo.turn(player, "create one", one="1\n")
        player.end()
        player.end()
        same(repo.session().phase, "ended")
        checkpoint = repo.commit("Add one")
        same(repo.workspace().checkpoints.transcript(checkpoint, player.id), data)
        player = repo.play()
        same(repo.session().phase, "idle")


def keeps_what_vanishes(rig: Rig, folder: Path) -> None:
    """A transcript that the agent deletes after a turn's end is in the checkpoint as it was then."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        repo.turn(player, "create one", one="1\n")
        repo.turn(player, "create two", two="2\n")
        data = repo.transcript_at_stop(player)
        player.lose()
        checkpoint = repo.commit("Add both")
        same(repo.workspace().checkpoints.transcript(checkpoint, player.id), data)
        same([prompt.text for prompt in repo.part(checkpoint).prompts], ["create one", "create two"])


def works_without_a_transcript(rig: Rig, folder: Path) -> None:
    """Without a readable transcript, files and the prompts that events carry are recorded all the same."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        player.prompt("create one")
        player.change(repo.write("one.txt", "1\n"))
        player.answer("Done.")
        player.lose()
        player.stop()
        checkpoint = repo.commit("Add one")
        same(repo.part(checkpoint).files, ("one.txt",))
        same([prompt.text for prompt in repo.part(checkpoint).prompts], ["create one"])


def counts_subagents(rig: Rig, folder: Path) -> None:
    """A subagent's files, tokens and transcript belong to its session's checkpoint."""
    with open_repository(rig, folder) as repo:
        player = repo.play()
        player.prompt("let a subagent work")
        player.subagent("helper1", "make a file", repo.write("made.txt", "1\n"))
        player.answer("Done.")
        player.stop()
        checkpoint = repo.commit("Add made")
        part = repo.part(checkpoint)
        same(part.files, ("made.txt",))
        same([(task.agent_id, task.has_transcript) for task in checkpoint.tasks], [("helper1", True)])
        if rig.has("token_calculator"):
            assert part.tokens is not None
            assert part.tokens.subagents


def harms_nothing(rig: Rig, folder: Path) -> None:
    """No hook, with whatever payload, fails, speaks out of turn, or changes a file, the index or HEAD."""
    with open_repository(rig, folder) as repo:
        repo.write("staged.txt", "staged\n")
        repo.git("add", "staged.txt")
        repo.write("staged.txt", "and changed\n")
        before = _world(repo)
        verbs = (*rig.adapter().hook_names, "no-such-verb")
        for verb, data in rig.some([(verb, data) for verb in verbs for data in malformed.BYTES[:12]]):
            same(repo.entire("hooks", rig.entry.name, verb, stdin=data), b"")
        same(repo.workspace().sessions.listing(), [])
        same(_world(repo), before)
        same([problem for problem in repo.problems() if "Error: " in problem], [])
        repo.forget_problems()  # that a payload is not understood may be logged
        player = repo.play()
        player.prompt("do nothing")
        player.answer("Done.")
        player.stop()
        player.end()
        same(_world(repo), before)


def _world(repo: Repository) -> tuple[str, str, bytes, dict[str, bytes]]:
    index = (repo.root / ".git/index").read_bytes()
    files = {path.name: path.read_bytes() for path in repo.root.iterdir() if path.is_file()}
    return repo.git("rev-parse", "HEAD"), repo.git("status", "--porcelain"), index, files
