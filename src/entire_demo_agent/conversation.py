"""A conversation: takes prompts, follows their instructions and records everything in the transcript."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from pathlib import Path

from entire_demo_agent import tools
from entire_demo_agent.hooks import Hooks
from entire_demo_agent.instructions import Instruction, parse
from entire_demo_agent.memory import MODEL, Transcript, count_tokens

NOT_UNDERSTOOD = "I do not understand: {text}"
NOTHING_TO_DO = "Tell me what to do: create, append, replace, delete, run, say, remember, or ask a helper."
_PLANS = {
    "append": "I add to {path}.",
    "create": "I write {path}.",
    "delete": "I delete {path}.",
    "helper": "I ask a helper.",
    "remember": "I keep that in mind.",
    "replace": "I change {path}.",
    "run": "I run: {text}",
}
_INPUTS = {"run": "command", "helper": "prompt"}
"""Name of an instruction's text in the input of its tool call; ``text`` for other tools."""


class Conversation:
    """A transcript, a folder to work in, and a function that shows output to the user."""

    def __init__(self, transcript: Transcript, place: tools.Place, show: Callable[[str], None]) -> None:
        self.transcript = transcript
        self._place = place
        self._show = show

    def take(self, prompt: str, prompt_id: str) -> str:
        """Follow a prompt's instructions in order; return the text of the last answer."""
        self.transcript.append("prompt", prompt_id=prompt_id, text=prompt)
        new_input, text = prompt, ""
        failed: list[str] = []
        used = False
        for instruction in parse(prompt):
            if instruction.verb in tools.TOOLS or instruction.verb == "helper":
                outcome = self._use(instruction, prompt_id, new_input)
                new_input, used = outcome.output, True
                failed += [] if outcome.ok else [outcome.output.strip()]
            else:
                text = self._reply(instruction)
                self._answer(text, prompt_id, new_input)
                self._show(text)
                new_input = ""
        if used or not text:
            text = self._closing(used, failed)
            self._answer(text, prompt_id, new_input)
            self._show(text)
        return text

    def _closing(self, used: bool, failed: list[str]) -> str:
        """Return the text that ends a turn."""
        if not used:
            return NOTHING_TO_DO
        return f"Done, but {len(failed)} went wrong: " + "; ".join(failed) if failed else "Done."

    def _reply(self, instruction: Instruction) -> str:
        """Answer an instruction that needs no tool."""
        if instruction.verb == "say":
            return instruction.text
        if instruction.verb == "recall":
            memory = self.transcript.memory
            facts = "; ".join(memory.facts) or "nothing"
            return f"I remember: {facts}. This is turn {memory.turns} of our conversation."
        return NOT_UNDERSTOOD.format(text=instruction.text)

    def _answer(self, text: str, prompt_id: str, new_input: str, tool_input: str = "") -> str:
        """Record an answer with its token usage; return its id."""
        usage = self.transcript.memory.usage(new_input, text + tool_input)
        return str(self.transcript.append("answer", prompt_id=prompt_id, model=MODEL, text=text, usage=usage)["id"])

    def _use(self, instruction: Instruction, prompt_id: str, new_input: str) -> tools.Outcome:
        """Announce a tool call, perform it and record its result."""
        names = {"path": "path", "text": _INPUTS.get(instruction.verb, "text"), "new": "new"}
        given = {name: value for part, name in names.items() if (value := getattr(instruction, part))}
        plan = _PLANS[instruction.verb].format(path=instruction.path, text=instruction.text)
        answer = self._answer(plan, prompt_id, new_input, json.dumps(given))
        self._show(f"* {plan}")
        extra = {"helper": f"helper_{secrets.token_hex(6)}"} if instruction.verb == "helper" else {}
        call = self.transcript.append("call", answer=answer, tool=instruction.verb, input=given, **extra)
        outcome = self._perform(instruction, str(call["id"]), extra.get("helper", ""))
        changed = {"path": outcome.path, "change": outcome.change} if outcome.change else {}
        self.transcript.append(
            "result", call=call["id"], tool=instruction.verb, ok=outcome.ok, output=outcome.output, **changed, **extra
        )
        for line in [] if extra and outcome.ok else outcome.output.splitlines():  # a helper has shown its answer itself
            self._show(f"  {line}")
        return outcome

    def _perform(self, instruction: Instruction, _call: str, helper: str) -> tools.Outcome:
        if helper:
            return tools.Outcome(ok=False, output="a helper cannot ask other helpers")
        return tools.use(self._place, instruction)


class MainConversation(Conversation):
    """The conversation with the user: it fires the hooks and can ask helpers."""

    def __init__(
        self, session_id: str, transcript: Transcript, place: tools.Place, hooks: Hooks, show: Callable[[str], None]
    ) -> None:
        super().__init__(transcript, place, show)
        self.session_id = session_id
        self._hooks = hooks

    def fire(self, event: str, **payload: object) -> None:
        self._hooks.fire(event, session_id=self.session_id, transcript_path=str(self.transcript.path), **payload)

    def turn(self, prompt: str) -> None:
        """Run a turn from its first hook to its last; Ctrl-C ends it without the last hook."""
        prompt_id = f"turn_{secrets.token_hex(8)}"
        try:
            self.fire("PromptSubmit", prompt_id=prompt_id, prompt=prompt, model=MODEL)
            answer = self.take(prompt, prompt_id)
        except KeyboardInterrupt:
            self.transcript.append("interrupt", prompt_id=prompt_id)
            raise
        self.fire("TurnEnd", prompt_id=prompt_id, last_answer=answer)

    def compact(self) -> None:
        """Replace the context by a summary; the transcript file keeps everything."""
        memory = self.transcript.memory
        self.fire("Compaction", trigger="manual")
        self.transcript.append(
            "compaction", summary=f"{memory.turns} turns; facts: {'; '.join(memory.facts) or 'none'}"
        )
        self._show(f"Compacted to {count_tokens('; '.join(memory.facts))} tokens.")

    def _perform(self, instruction: Instruction, call: str, helper: str) -> tools.Outcome:
        return self._ask(helper, instruction.text, call) if helper else super()._perform(instruction, call, helper)

    def _ask(self, helper: str, task: str, call: str) -> tools.Outcome:
        """Let a helper do a task, with a transcript of its own."""
        path = helper_transcript(self.transcript.path, helper)
        about = {"subagent_id": helper, "subagent_type": "helper", "tool_use_id": call, "task": task}
        self.fire("SubagentStart", **about)
        transcript = Transcript(path)
        transcript.append(
            "session", session_id=self.session_id, helper=helper, cwd=str(self._place.workdir), model=MODEL
        )
        answer = Conversation(transcript, self._place, lambda line: self._show(f"  {line}")).take(task, call)
        self.fire("SubagentEnd", **about, subagent_transcript_path=str(path), last_answer=answer)
        return tools.Outcome(output=answer)


def helper_transcript(session: Path, helper: str) -> Path:
    """Return the path of a helper's transcript, from the session's."""
    return session.with_suffix("") / "helpers" / f"{helper}.jsonl"
