"""Plays a session of the world's agent: each hook is a real process with its payload on standard input."""

from __future__ import annotations

import json
import random
import re
import uuid
from collections.abc import Mapping

from bench.agents import Turn
from bench.processes import Spent
from bench.worlds import CALLS, World


class Session:
    """A session in a world."""

    def __init__(self, world: World, *, history: int = 0, seed: int = 0) -> None:
        """``history``: bytes in the transcript before the first turn. The same ``seed`` gives the same ids and turns,
        whatever the history; 0: another one for each session of a world.
        """
        self.world = world
        self._ids = random.Random(seed or uuid.uuid4().int)
        self.id = self._new_id()
        self._agent = world.agent
        project = re.sub("[^A-Za-z0-9]", "-", str(world.root))
        self.file = (world.folder / self._agent.file.format(id=self.id, project=project)).resolve()
        self.file.parent.mkdir(parents=True, exist_ok=True)
        seed = seed or len(list(self.file.parent.iterdir())) + 1
        self._writer = self._agent.writer(self.id, str(world.root), seed)
        self._turn = Turn("", "")
        self._turns = 0
        self._payload: dict[str, object] = {}
        self._calls = world.folder / "calls"
        self._append(self._writer.begin())
        self.hook("session-start", {"source": "startup"})
        with self.file.open("ab", buffering=1 << 20) as file:
            part = list(self._writer.work(min(history, 2_000_000)))  # repeated, as writing it all takes a minute
            while file.tell() < history:
                file.writelines(part)
        self._writer.random.seed(f"{seed} turns")

    def _new_id(self) -> str:
        return str(uuid.UUID(int=self._ids.getrandbits(128), version=4))

    def hook(
        self, verb: str, fields: Mapping[str, object], *, env: Mapping[str, str] | None = None, peak: bool = False
    ) -> Spent:
        """Run a hook and wait for it."""
        self._payload = {
            "session_id": self.id,
            "transcript_path": str(self.file),
            "cwd": str(self.world.root),
            "hook_event_name": verb,
            **fields,
        }
        argv = [self.world.programs.entire, "hooks", self._agent.name, verb]
        self._calls.unlink(missing_ok=True)
        given = {CALLS: str(self._calls), **(env or {})}
        return self.world.programs.run(argv, cwd=self.world.root, stdin=self._stdin(), env=given, peak=peak)

    def _stdin(self) -> bytes:
        return json.dumps(self._payload).encode()

    def calls(self) -> list[list[str]]:
        """Return how the last hook called the agent's plugin."""
        return [line.split() for line in self._calls.read_text().splitlines()] if self._calls.exists() else []

    def repeat_calls(self) -> float:
        """Call the plugin as the last hook did; return the seconds that its programs take without Entire.

        Of a connection for questions, that is the program's start alone.
        """
        plugin = str(self.world.programs.own_bin / f"entire-agent-{self._agent.name}")
        env = {"ENTIRE_REPO_ROOT": str(self.world.root), "ENTIRE_PROTOCOL_VERSION": "1"}
        stdin = {"parse-hook": self._stdin, "calculate-tokens": self.file.read_bytes, "entire-records": self._question}
        return sum(
            self.world.programs.run(
                [plugin, *words], cwd=self.world.root, env=env, stdin=stdin.get(words[0], bytes)()
            ).seconds
            for words in self.calls()
        )

    def _question(self) -> bytes:
        asked = {"metadata": {}, "root": str(self.world.root), "session_ref": str(self.file), "since": [0, 0, ""]}
        return json.dumps({**asked, "details": False}).encode()

    def prompt(self, *, env: Mapping[str, str] | None = None, peak: bool = False) -> Spent:
        """Start a turn: a person's prompt."""
        self._turns += 1
        self._turn = Turn(self._new_id(), f"Prompt {self._turns}: {self._writer.words(12)}")
        spent = self.hook(self._agent.prompt_verb, self._agent.prompt(self._turn), env=env, peak=peak)
        self._append(self._writer.prompt(self._turn.prompt, self._turn.id))
        return spent

    def work(self, size: int) -> list[str]:
        """Let the agent read and explain (``size`` bytes of transcript), write a new file and edit an old one; return
        the paths of both.
        """
        new, old = f"work/new{self._turns}.py", "d0/f0.txt"
        text = "".join(f"{self._writer.words(6)}\n" for _ in range(20))
        with self.file.open("ab") as file:
            file.writelines(self._writer.work(max(0, size - 4000)))
        self.world.write(new, text)
        self._append(self._writer.create(str(self.world.root / new), text))
        before = self.world.read(old)
        self.world.write(old, f"{before}turn {self._turns}\n")
        end = before[-5:]
        self._append(self._writer.edit(str(self.world.root / old), end, f"{end}turn {self._turns}\n"))
        return [old, new]

    def commit(self, message: str) -> float:
        """Let the agent commit everything in its turn; return the seconds, with those of its own hook, if one follows.

        Raises RuntimeError if the commit has no checkpoint then.
        """
        self.world.git("add", "-A")
        env = {name: value.format(id=self.id) for name, value in self._agent.shell.items()}
        seconds = self.world.commit(message, env=env).seconds
        command, output = f"git commit -m '{message}'", self.world.git("log", "-1", "--format=[main %h] %s")
        if self._agent.shell_verb:
            seconds += self.hook(self._agent.shell_verb, self._agent.after_shell(command, output)).seconds
        self._append(self._writer.shell(command, output))
        self.world.linked()
        return seconds

    def finish(self) -> str:
        """Write the turn's last answer, which the hook at its end may wait for; return its text."""
        text = f"Done with {self._turns}."
        self._append(self._writer.answer(text))
        return text

    def stop(self, text: str, *, env: Mapping[str, str] | None = None, peak: bool = False) -> Spent:
        """End the turn whose last answer is in the transcript."""
        return self.hook(self._agent.stop_verb, self._agent.stop(self._turn, text), env=env, peak=peak)

    def turn(self, size: int, *, peak: bool = False) -> list[Spent]:
        """Play a whole turn; return the measurements of its two hooks."""
        began = self.prompt(peak=peak)
        self.work(size)
        return [began, self.stop(self.finish(), peak=peak)]

    def end(self) -> None:
        """End the session."""
        self.hook("session-end", {"reason": "other"})

    def _append(self, data: bytes) -> None:
        with self.file.open("ab") as file:
            file.write(data)
