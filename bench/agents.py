"""The agents that the benchmarks play: how each is enabled, which hooks it runs, and how its transcript grows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench.transcripts import ClaudeCode, GeminiCli, Parrot, Writer


@dataclass(frozen=True)
class Turn:
    """A turn's prompt."""

    id: str
    prompt: str


@dataclass(frozen=True)
class Agent:
    """A played agent. Payloads are what its hooks get besides the fields that all of them have."""

    name: str  # for `entire enable --agent` and `entire hooks`
    title: str
    writer: type[Writer]
    file: str  # its transcript in the world's folder, named by the session's id, in a folder for the {project}
    prompt_verb: str
    prompt: Callable[[Turn], dict[str, object]]
    stop_verb: str
    stop: Callable[[Turn, str], dict[str, object]]  # from the answer
    shell: Mapping[str, str]  # what it adds to the environment of its commands; {id}: the session's
    shell_verb: str = ""  # the hook after a command, if it switches git's own hooks off
    after_shell: Callable[[str, str], dict[str, object]] = field(default=lambda _command, _output: {})
    plugin: str = ""  # a line of shell that runs its plugin; {template}: the one that `entire plugin new` writes


CLAUDE_CODE = Agent(
    name="claude-code",
    title="Claude Code",
    writer=ClaudeCode,
    file="projects/{id}.jsonl",
    prompt_verb="user-prompt-submit",
    prompt=lambda turn: {"prompt_id": turn.id, "prompt": turn.prompt},
    stop_verb="stop",
    stop=lambda turn, answer: {
        "prompt_id": turn.id,
        "last_assistant_message": answer,
        "stop_hook_active": False,
    },
    shell={"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "{id}"},
)
GEMINI_CLI = Agent(
    name="gemini",
    title="Gemini CLI",
    writer=GeminiCli,
    file="chats/session-2026-02-01T10-00-{id:.8}.jsonl",
    prompt_verb="before-agent",
    prompt=lambda turn: {"prompt": turn.prompt},
    stop_verb="after-agent",
    stop=lambda turn, answer: {"prompt": turn.prompt, "prompt_response": answer, "stop_hook_active": False},
    shell={
        "GEMINI_CLI": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": "",
    },
    shell_verb="after-tool",
    after_shell=lambda command, output: {
        "tool_name": "run_shell_command",
        "tool_input": {"command": command},
        "tool_response": {"llmContent": output, "returnDisplay": output},
    },
)


def _parrot(name: str, title: str, file: str, plugin: str) -> Agent:
    """Return the imaginary agent of the plugin templates, connected by a plugin."""
    return Agent(
        name=name,
        title=title,
        writer=Parrot,
        file=file,
        prompt_verb="prompt",
        prompt=lambda turn: {"turn_id": turn.id, "prompt": turn.prompt},
        stop_verb="stop",
        stop=lambda turn, answer: {"turn_id": turn.id, "answer": answer},
        shell={},
        plugin=plugin,
    )


# Answers with little more than the shell's own start, so that the rest of a hook is ours.
SHELL_PLUGIN = _parrot(
    "quick", "plugin in shell", "sessions/{id}.jsonl", f". '{Path(__file__).with_name('quick_plugin.sh')}'"
)
# As authors have it who use the kit.
PYTHON_PLUGIN = _parrot(
    "parrot", "plugin in Python", "../home/.parrot/sessions/{project}/{id}.jsonl", "exec '{template}' \"$@\""
)
