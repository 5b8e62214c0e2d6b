"""The main job, played for real: ``python -m entire_demo_agent.story`` (``make demo``).

A scratch repository, the demo agent in three turns, a change by hand, a commit, the explanation, a turn that is taken
back, the same conversation in another clone; then, where the project's end-to-end tests have installed it, a turn with
Claude Code. Ends with an error if anything does not happen as told.
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
from entire_demo_agent.stage import Failed, Stage, Talk, Teller

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
        "When the turn ended, its hook saved a step on a branch beside yours (nothing of yours was touched):",
    ),
    ("The next prompt:", "One more step, with the files and the conversation so far:"),
    ("This agent has helpers, with sessions of their own:", "The helper's work is kept, too:"),
)
MISTAKE = "delete test_greet.py then replace Welcome with Goodbye in greet.py"
RECALL = "what do you remember"
MEMORY = "I remember: Ada likes short words. This is turn 4 of our conversation."
CONTINUE = re.compile(r"^ *(entire-demo-agent --resume \S+)$", re.MULTILINE)
BY_HAND = '"""Greetings for everyone."""\n'


def main(argv: Sequence[str] | None = None) -> int:
    """Play the story; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="entire_demo_agent.story", description="Shows what entire does, in a scratch folder."
    )
    parser.add_argument("--keep", action="store_true", help="leave the scratch folder, to look around in it")
    parser.add_argument("--no-claude", action="store_true", help="leave out the turn with Claude Code")
    options = parser.parse_args(argv)
    teller = Teller(sys.stdout)
    folder = Path(tempfile.mkdtemp(prefix="entire-demo-"))
    began = time.monotonic()
    try:
        play(teller, Stage(folder.resolve(), teller), with_claude=not options.no_claude)
        teller.tell(f"\nThat was all of it, in {time.monotonic() - began:.1f} seconds.")
        return 0
    except Failed as why:
        print(f"the demonstration failed: {why}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if options.keep:
            teller.tell(f"The repository is in {folder / 'greetings'}; its home is {folder / 'home'}.")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def play(teller: Teller, stage: Stage, *, with_claude: bool) -> None:
    """Tell the story from its beginning to its end."""
    teller.title("entire keeps the story of your code: which session, prompts, files and tokens made a commit")
    teller.tell(
        "Everything here is real, in a scratch repository that is deleted at the end. Lines after $ are commands."
    )
    begin(teller, stage)
    teller.title("2. Work with an agent, as always")
    teller.tell(
        "The bundled demo agent obeys simple words, without a model or a network. We start it and type a prompt:"
    )
    with stage.talk() as talk:
        base = stage.quiet("git", "rev-parse", "HEAD")
        for number in range(len(PROMPTS)):
            take_turn(teller, stage, talk, number)
        if stage.quiet("git", "rev-parse", "HEAD") != base:
            raise Failed("the branch moved though nobody committed")
        commit(teller, stage)
        explain(teller, stage)
    go_back(teller, stage)
    go_on_elsewhere(teller, stage)
    if with_claude:
        turn_with_claude(teller, stage)


def begin(teller: Teller, stage: Stage) -> None:
    """Make the repository and switch entire on."""
    teller.title("1. Switch it on")
    stage.quiet("git", "init", "-q", "--initial-branch=main")
    stage.quiet("git", "commit", "-q", "--allow-empty", "-m", "Begin")
    teller.tell("A git repository with one commit. One command puts hooks into git and into the agent's settings:")
    stage.run("entire", "enable", "--agent", "demo")
    teller.tell("The settings can be shared with a team; without entire installed they do nothing.")
    stage.run("git", "add", ".")
    stage.run("git", "commit", "-q", "-m", "Use entire")


def take_turn(teller: Teller, stage: Stage, talk: Talk, number: int) -> None:
    """Give the agent one prompt and show what it left."""
    before, after = WORDS[number]
    if before:
        teller.tell(before)
    old = step_tip(stage)
    talk.say(PROMPTS[number])
    new = step_tip(stage)
    if new == old:
        raise Failed(f"turn {number + 1} left no step")
    teller.tell(after)
    only_files = ("--", ".", ":(exclude).*")
    stage.run("git", "log", "--format=%h %s", "--stat", f"{old}..{new}", *only_files)


def commit(teller: Teller, stage: Stage) -> None:
    """Change a file by hand, commit, and show the trailer."""
    teller.title("3. Change something yourself, and commit, as always")
    path = stage.repository / "greet.py"
    path.write_text(BY_HAND + path.read_text())
    teller.tell(f"By hand we write a first line into greet.py: {BY_HAND.strip()}")
    stage.run("git", "add", "greet.py", "test_greet.py", "README.md")
    stage.run("git", "commit", "-q", "-m", "Greet people")
    teller.tell("The commit's message names a checkpoint. There the steps became permanent:")
    shown = stage.run("git", "log", "-1", "--format=%B")
    if len(TRAILER.findall(shown)) != 1:
        raise Failed("the commit is not linked to a checkpoint")
    stage.run("git", "log", "-1", "--format=%h %s", CHECKPOINTS)


def explain(teller: Teller, stage: Stage) -> None:
    """Ask what made the commit."""
    teller.title("4. Ask where a commit came from, today or in a year")
    checkpoint = TRAILER.findall(stage.quiet("git", "log", "-1", "--format=%B"))[0]
    shown = stage.run("entire", "explain", "--commit", "HEAD", "--no-pager")
    if checkpoint not in shown or "greet.py" not in shown:
        raise Failed(f"the explanation tells nothing about checkpoint {checkpoint}")
    teller.tell("Sessions, prompts, files, tokens, and who wrote which part: all of it is in git, offline, and yours.")
    teller.title("5. See what is going on")
    shown = stage.run("entire", "status")
    if not shown.startswith("Enabled (manual-commit)"):
        raise Failed("entire does not say that it is enabled")


def go_back(teller: Teller, stage: Stage) -> None:
    """Take a turn back, take that back, and that too."""
    teller.title("6. Go back to any point")
    teller.tell("The agent goes on with the conversation, and does what we regret at once:")
    stage.run("entire-demo-agent", "--continue", "-p", MISTAKE)
    wrong = stage.run("git", "status", "--short")
    teller.tell("Back to the commit: the files that sessions changed, and the conversation with them.")
    stage.run("entire", "rewind", "--to", "HEAD", "--yes")
    if stage.quiet("git", "status", "--short") == wrong:
        raise Failed("the rewind put nothing back")
    teller.tell("All that was there before it is kept. So even this can be taken back, and that as well:")
    stage.run("entire", "rewind", "--undo", "--yes")
    if stage.quiet("git", "status", "--short") != wrong:
        raise Failed("the undo did not bring back what was there")
    stage.run("entire", "rewind", "--undo", "--yes")
    if stage.run("git", "status", "--short"):
        raise Failed("the work tree is not as the commit has it")


def go_on_elsewhere(teller: Teller, stage: Stage) -> None:
    """Continue the conversation in a clone, as somebody who has nothing but the repository."""
    teller.title("7. Continue where somebody left off")
    teller.tell("Another person, another home, another folder. Sessions come with the repository:")
    other = stage.elsewhere()
    other.run("git", "clone", "-q", "../../greetings", ".")
    other.quiet("entire", "enable", "--agent", "demo")
    shown = other.run("entire", "resume")
    found = CONTINUE.search(shown)
    if found is None:
        raise Failed("nothing can be resumed in the clone")
    teller.tell("The agent there remembers what it was told here, and nothing of the turn that was taken back:")
    if MEMORY not in other.run(*found[1].split(), "-p", RECALL):
        raise Failed("the agent remembers something else")


def turn_with_claude(teller: Teller, stage: Stage) -> None:
    """Play a turn with the real Claude Code, if it is there."""
    teller.title("8. The same with Claude Code")
    source = claude_story.find()
    if source is None:
        teller.tell(
            "(Not installed here: `make agents` installs it for the tests, with a model server that needs no account.)"
        )
        return
    teller.tell("The real program, talking to the project's scripted model server on this machine:")
    stage.run("entire", "enable", "--agent", "claude-code")
    stage.run("git", "add", ".")
    stage.run("git", "commit", "-q", "-m", "Watch Claude Code, too")
    claude_story.play(source, teller, stage)
    stage.run("git", "add", "farewell.py")
    stage.run("git", "commit", "-q", "-m", "Say goodbye")
    shown = stage.run("entire", "explain", "--commit", "HEAD", "--no-pager")
    if len(TRAILER.findall(stage.quiet("git", "log", "-1", "--format=%B"))) != 1 or "farewell.py" not in shown:
        raise Failed("the commit of Claude Code's work is not linked")


def step_tip(stage: Stage) -> str:
    """Return the newest step on the branch of this base commit (its short id), or the base itself before the first."""
    head = stage.quiet("git", "rev-parse", "--short", "HEAD")
    base = stage.quiet("git", "rev-parse", "HEAD")[:7]
    found = stage.quiet("git", "for-each-ref", "--format=%(objectname:short)", f"{STEPS}{base}-*").split()
    return found[0] if found else head


if __name__ == "__main__":
    raise SystemExit(main())
