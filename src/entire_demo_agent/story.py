"""Demonstrates the main workflow in a scratch repository: ``python -m entire_demo_agent.story`` (``make demo``).

Three turns of the demo agent, a manual change, a commit, its explanation, a rewind, and the conversation continued in
another clone; then a turn with Claude Code, if the end-to-end tests have installed it. Fails if any step does not do
what the text says.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from entire_demo_agent import claude_story
from entire_demo_agent.stage import AGENT, AgentConversation, Failed, Stage, Teller

STEPS = "refs/heads/entire/"
CHECKPOINTS = "entire/checkpoints/v1"
TRAILER = re.compile(r"^Entire-Checkpoint: ([0-9a-f]{12})$", re.MULTILINE)

PROMPTS = (
    """create a file greet.py with ```
def greet(name):
    return f"Hello, {name}!"
```""",
    """replace Hello with Welcome in greet.py; create a file test_greet.py with ```
from greet import greet

assert greet("Ada") == "Welcome, Ada!"
``` then run python3 -B test_greet.py""",
    "remember that Ada likes short words; "
    'ask a helper to create a file README.md with "# Greetings\\n\\nSays welcome.\\n"',
)
WORDS = (  # before and after each prompt
    (
        "",
        "When the turn ended, its hook saved a step on a separate branch; your branch and files did not change:",
    ),
    ("The next prompt:", "Another step, with the files and the conversation so far:"),
    ("This agent has helpers, with transcripts of their own:", "The helper's work is saved too:"),
)
MISTAKE = "delete test_greet.py then replace Welcome with Goodbye in greet.py"
RECALL = "what do you remember"
MEMORY = "I remember: Ada likes short words. This is turn 4 of our conversation."
CONTINUE = re.compile(r"^ *(\S.* -m entire_demo_agent --resume \S+)$", re.MULTILINE)
BY_HAND = '"""Greetings for everyone."""\n'


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demonstration; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="entire_demo_agent.story", description="Demonstrate entire in a scratch folder."
    )
    parser.add_argument("--keep", action="store_true", help="keep the scratch folder for inspection")
    parser.add_argument("--no-claude", action="store_true", help="skip the turn with Claude Code")
    options = parser.parse_args(argv)
    teller = Teller(sys.stdout)
    folder = Path(tempfile.mkdtemp(prefix="entire-demo-"))
    began = time.monotonic()
    try:
        play(teller, Stage(folder.resolve(), teller), with_claude=not options.no_claude)
        teller.tell(f"\nThe demonstration took {time.monotonic() - began:.1f} seconds.")
        return 0
    except Failed as why:
        print(f"the demonstration failed: {why}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if options.keep:
            teller.tell(f"The repository is {folder / 'greetings'}; the home folder is {folder / 'home'}.")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def play(teller: Teller, stage: Stage, *, with_claude: bool) -> None:
    """Run all parts of the demonstration."""
    teller.title("entire records where your code came from: the sessions, prompts, files and tokens behind each commit")
    teller.tell(
        "All commands really run, in a scratch repository that is deleted at the end. They are the lines with $."
    )
    begin(teller, stage)
    teller.title("2. Work with an agent as usual")
    teller.tell(
        "The bundled demo agent follows simple instructions without a model or network. We start it and type a prompt:"
    )
    with stage.converse() as conversation:
        base = stage.quiet("git", "rev-parse", "HEAD")
        for number in range(len(PROMPTS)):
            take_turn(teller, stage, conversation, number)
        if stage.quiet("git", "rev-parse", "HEAD") != base:
            raise Failed("the branch moved although there was no commit")
        commit(teller, stage)
        explain(teller, stage)
    go_back(teller, stage)
    go_on_elsewhere(teller, stage)
    if with_claude:
        turn_with_claude(teller, stage)


def begin(teller: Teller, stage: Stage) -> None:
    """Create the repository and enable entire."""
    teller.title("1. Enable entire")
    stage.quiet("git", "init", "-q", "--initial-branch=main")
    stage.quiet("git", "commit", "-q", "--allow-empty", "-m", "Begin")
    teller.tell("We have a git repository with one commit. One command installs hooks for git and for the agent:")
    stage.run("entire", "enable", "--agent", "demo")
    teller.tell("Commit the settings to share them with your team; they do nothing where entire is not installed.")
    stage.run("git", "add", ".")
    stage.run("git", "commit", "-q", "-m", "Use entire")


def take_turn(teller: Teller, stage: Stage, conversation: AgentConversation, number: int) -> None:
    """Send a prompt to the agent and show the step that it produced."""
    before, after = WORDS[number]
    if before:
        teller.tell(before)
    old = step_tip(stage)
    conversation.say(PROMPTS[number])
    new = step_tip(stage)
    if new == old:
        raise Failed(f"turn {number + 1} saved no step")
    teller.tell(after)
    only_files = ("--", ".", ":(exclude).*")
    stage.run("git", "log", "--format=%h %s", "--stat", f"{old}..{new}", *only_files)


def commit(teller: Teller, stage: Stage) -> None:
    """Change a file by hand, commit, and show the trailer."""
    teller.title("3. Change something yourself, and commit as usual")
    path = stage.repository / "greet.py"
    path.write_text(BY_HAND + path.read_text())
    teller.tell(f"We add a first line to greet.py by hand: {BY_HAND.strip()}")
    stage.run("git", "add", "greet.py", "test_greet.py", "README.md")
    stage.run("git", "commit", "-q", "-m", "Greet people")
    teller.tell("The commit message names a checkpoint, which stores the steps permanently:")
    shown = stage.run("git", "log", "-1", "--format=%B")
    if len(TRAILER.findall(shown)) != 1:
        raise Failed("the commit is not linked to a checkpoint")
    stage.run("git", "log", "-1", "--format=%h %s", CHECKPOINTS)


def explain(teller: Teller, stage: Stage) -> None:
    """Explain the commit."""
    teller.title("4. Ask where a commit came from, today or in a year")
    checkpoint = TRAILER.findall(stage.quiet("git", "log", "-1", "--format=%B"))[0]
    shown = stage.run("entire", "explain", "--commit", "HEAD", "--no-pager")
    if checkpoint not in shown or "greet.py" not in shown:
        raise Failed(f"the explanation does not mention checkpoint {checkpoint}")
    teller.tell("Sessions, prompts, files, tokens, and who wrote which part: all of it is in git, offline, and yours.")
    teller.title("5. See the current status")
    shown = stage.run("entire", "status")
    if not shown.startswith("Enabled (manual-commit)"):
        raise Failed("entire does not report that it is enabled")


def go_back(teller: Teller, stage: Stage) -> None:
    """Rewind a turn, undo the rewind, and undo that."""
    teller.title("6. Rewind to any point")
    teller.tell("We continue the conversation with a prompt that we regret at once:")
    stage.run(*AGENT, "--continue", "-p", MISTAKE)
    wrong = stage.run("git", "status", "--short")
    teller.tell("Back to the commit, with the files that sessions changed and the conversation:")
    stage.run("entire", "rewind", "--to", "HEAD", "--yes")
    if stage.quiet("git", "status", "--short") == wrong:
        raise Failed("the rewind restored nothing")
    teller.tell("A rewind first saves the current state, so you can undo it, and then undo the undo:")
    stage.run("entire", "rewind", "--undo", "--yes")
    if stage.quiet("git", "status", "--short") != wrong:
        raise Failed("the undo did not restore the state before the rewind")
    stage.run("entire", "rewind", "--undo", "--yes")
    if stage.run("git", "status", "--short"):
        raise Failed("the worktree does not match the commit")


def go_on_elsewhere(teller: Teller, stage: Stage) -> None:
    """Continue the conversation in a clone, as another person who has only the repository."""
    teller.title("7. Continue where a colleague stopped")
    teller.tell("Another person clones the repository, and the sessions come with it:")
    other = stage.elsewhere()
    other.run("git", "clone", "-q", "../../greetings", ".")
    other.quiet("entire", "enable", "--agent", "demo")
    shown = other.run("entire", "resume")
    match = CONTINUE.search(shown)
    if match is None:
        raise Failed("the clone has nothing to resume")
    teller.tell("Their agent remembers our conversation, without the turn that we rewound:")
    if MEMORY not in other.run(*match[1].split(), "-p", RECALL):
        raise Failed("the agent does not remember the conversation")


def turn_with_claude(teller: Teller, stage: Stage) -> None:
    """Run a turn with the real Claude Code, if it is installed."""
    teller.title("8. The same with Claude Code")
    source = claude_story.find()
    if source is None:
        teller.tell(
            "(Claude Code is not installed: `make agents` installs it with a model server that needs no account.)"
        )
        return
    teller.tell("This is the real program, connected to the project's scripted model server on this machine:")
    stage.run("entire", "enable", "--agent", "claude-code")
    stage.run("git", "add", ".")
    stage.run("git", "commit", "-q", "-m", "Use entire with Claude Code")
    claude_story.play(source, teller, stage)
    stage.run("git", "add", "farewell.py")
    stage.run("git", "commit", "-q", "-m", "Say goodbye")
    shown = stage.run("entire", "explain", "--commit", "HEAD", "--no-pager")
    if len(TRAILER.findall(stage.quiet("git", "log", "-1", "--format=%B"))) != 1 or "farewell.py" not in shown:
        raise Failed("the commit of Claude Code's work is not linked")


def step_tip(stage: Stage) -> str:
    """Return the short id of the newest step on the current base commit, or the base commit's before the first step."""
    head = stage.quiet("git", "rev-parse", "--short", "HEAD")
    base = stage.quiet("git", "rev-parse", "HEAD")[:7]
    tips = stage.quiet("git", "for-each-ref", "--format=%(objectname:short)", f"{STEPS}{base}-*").split()
    return tips[0] if tips else head


if __name__ == "__main__":
    raise SystemExit(main())
