"""Plays a turn with the real Claude Code, using the agent and model server of the source tree's end-to-end tests."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from entire_demo_agent.stage import Failed, Stage, Teller

PROMPT = "Add a farewell function"
CONTENT = 'def farewell(name):\n    return f"Goodbye, {name}!"\n'
ANSWER = "I wrote farewell.py."


@dataclass(frozen=True, kw_only=True)
class Source:
    """What the end-to-end tests of the source tree provide: the installed program and three modules."""

    program: Path
    driver: Any
    script: Any
    server: Any


def find() -> Source | None:
    """Return what is needed to run Claude Code, or None if it is not installed."""
    folder = Path(__file__).resolve().parents[3] / "tests" / "e2e"
    if not (folder / "modelserver.py").is_file():
        return None
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    driver = importlib.import_module("claude")
    program = importlib.import_module("driver").binary(driver.Claude)
    if program is None:
        return None
    script, server = importlib.import_module("script"), importlib.import_module("modelserver")
    return Source(program=program, driver=driver, script=script, server=server)


def play(source: Source, teller: Teller, stage: Stage) -> None:
    """Run a prompt and show Claude Code's answer."""
    script = source.script
    write = script.tool("Write", file_path=str(stage.repository / "farewell.py"), content=CONTENT)
    turn = script.turn(
        PROMPT,
        script.answer(write, usage=script.Usage(input=1200, output=80, cache_creation=300)),
        script.answer(script.text(ANSWER), usage=script.Usage(input=40, output=12, cache_read=1500)),
    )
    teller.command(f'claude -p "{PROMPT}"')
    with source.server.ModelServer(script.Script(turn)) as server:
        claude = source.driver.Claude(source.program, stage.home, server.url, stage.environment["PATH"])
        run = claude.headless(PROMPT, stage.repository)
    if run.status or run.result.get("result") != ANSWER:
        raise Failed(f"Claude Code did not answer: {run.stderr or run.result}")
    teller.output(ANSWER)
