"""Adapters of the demo agent that break one promise each."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from entire.agents import transcripts, untrusted
from entire.agents.demo.agent import Demo
from entire.agents.demo.transcript import DemoTranscript
from entire.conversation.records import EDIT, INTERRUPTED, Call, Mark, Prompt, Record
from entire.model.effects import PutBack
from entire.model.events import Event
from entire.model.positions import START, Position
from entire.model.tokens import TokenUsage
from entire.model.transcripts import Agreement, FileReport, SessionFile, Subagent
from entire.model.value import replace
from entire_plugin_kit import Player
from entire_plugin_kit.rig import IN_OUTPUT
from tests.rigs.demo import DemoPlayer, DemoRig

if TYPE_CHECKING:
    from entire.model.transcripts import Content


class Faulty(Demo):
    """Its transcripts are ``form``."""

    form: ClassVar[type[DemoTranscript]] = DemoTranscript

    def transcript(self, session_ref: str, stored: Content | None = None) -> DemoTranscript:
        return self.form(session_ref, stored)


class Chosen:
    """What the registry finds: the adapter that the test has chosen."""

    agent: ClassVar[type[Demo]] = Demo

    def __new__(cls, *, metadata: Mapping[str, str] = {}) -> Any:
        return cls.agent(metadata=metadata)


class ForkingPlayer(DemoPlayer):
    """The demo agent does not fork; if it did, it would copy its records."""

    writes_forks = True

    def fork(self, session_id: str) -> Player:
        fork = type(self)(self.agent, self.root, session_id, self.call)
        shutil.copy(self.ref, fork.ref)
        fork.start()
        return fork


class FaultyRig(DemoRig):
    player = ForkingPlayer
    entry = replace(DemoRig.entry, target=f"{__name__}:Chosen", payloads="")
    reasoning = IN_OUTPUT


def reading(form: type[DemoTranscript]) -> type[Demo]:
    """Return an adapter with these transcripts."""
    return type("Faulty", (Faulty,), {"form": form})


# ---------------------------------------------------------------- what it reads


class CountsTheLastAnswerAgain(DemoTranscript):
    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        before = self.at(max(since.count - 3, 0)) if since.count else START
        return super().tokens(before, until)


class PutsThoughtsBeside(DemoTranscript):
    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        return super().tokens(since, until).with_reasoning(3, 3)


class CountsEveryRecordTwice(DemoTranscript):
    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        return super().tokens(since, until) + super().tokens(since, until)


class CountsFailedCalls(DemoTranscript):
    def files(self, since: Position, until: Position | None = None) -> list[FileReport]:
        stop = sys.maxsize if until is None else until.count
        calls = [record for record in self.records(since) if isinstance(record, Call) and record.position < stop]
        return [FileReport(path=call.subject) for call in calls if call.tool == EDIT and call.subject]


class ForgetsWherePromptsAre(DemoTranscript):
    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        return super().prompts(START, until)


class TellsNoInterruption(DemoTranscript):
    def read(self, native: dict[str, Any], position: int, end: int, *, details: bool) -> Iterator[Record]:
        for record in super().read(native, position, end, details=details):
            if not (isinstance(record, Mark) and record.kind == INTERRUPTED):
                yield record


class KnowsNoCopies(DemoTranscript):
    def shares_answer(self, position: Position) -> bool:
        return False


class CutsPrompts(DemoTranscript):
    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        return [replace(prompt, text=prompt.text[:1]) for prompt in super().prompts(since, until)]


class IgnoresUntil(DemoTranscript):
    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        return super().prompts(since)


class HasNoPlaces(DemoTranscript):
    def at(self, count: int) -> Position:
        return START


class HoldsEverything(DemoTranscript):
    def holds(self, position: Position) -> bool:
        return True


class StaysWhereItWas(DemoTranscript):
    def end(self, known: Position = START) -> Position:
        return known if known.count and self.holds(known) else super().end()


class CutsNothing(DemoTranscript):
    def cut(self, end: Position) -> bytes:
        return self.snapshot()


class ComparesBytes(DemoTranscript):
    def agreement(self, stored: Content) -> Agreement:
        own, stored = self.snapshot(), bytes(stored)
        length = next(
            (at for at, (a, b) in enumerate(zip(own, stored, strict=False)) if a != b), min(len(own), len(stored))
        )
        common = own[:length]
        return Agreement(common=common, joined=stored, extent=len(common), stored_is_longer=len(stored) > len(common),
                         own_is_longer=len(own) > len(common))  # fmt: skip


class EndsAnswersWhereTheyBegin(DemoTranscript):
    def answer_boundary(self, since: Position, moment: float, commit: str = "") -> Position:
        return START


class NeedsItsFile(DemoTranscript):
    def snapshot(self) -> bytes:
        return Path(self.source).read_bytes() if isinstance(self.source, str) else bytes(self.source)


class TrustsItsRecords(DemoTranscript):
    def summary(self, since: Position) -> str:
        return str([json.loads(line) for line, _ in transcripts.lines(self.source)][-1:])


class ReadsOneLineOfAPath(DemoTranscript):
    def __init__(self, session_ref: str, stored: bytes | None = None) -> None:
        super().__init__(session_ref.split("\n")[0].strip(), stored)


class ReportsOneLineOfAFile(DemoTranscript):
    def files(self, since: Position, until: Position | None = None) -> list[FileReport]:
        return [FileReport(path=report.path.split("\n")[0]) for report in super().files(since, until)]


class LetsSubagentsOut(DemoTranscript):
    def subagent_ref(self, subagent_id: str) -> str:
        return f"{self.session_ref.removesuffix('.jsonl')}/helpers/{subagent_id}.jsonl"


class KnowsNoSubagents(DemoTranscript):
    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:
        return []


class StoresTheLastTurn(DemoTranscript):
    def snapshot(self) -> bytes:
        data = super().snapshot()
        return data[max(data.rfind(b'{"type": "prompt"'), 0) :]

    def file_lines(self, end: Position) -> None:
        return None


# ---------------------------------------------------------------- what it does


class LacksAMethod(Demo):
    capabilities = Demo.capabilities | {"text_generator"}


class MistakesAnEvent(Demo):
    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        return super().parse_hook("turn-end" if hook == "session-end" else hook, payload)


class RaisesOnNonsense(Demo):
    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        json.loads(payload)
        return super().parse_hook(hook, payload)


class TakesAnyId(Demo):
    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        given = untrusted.loads(payload)
        found = super().parse_hook(hook, b'{"session_id": "s"}')
        return replace(found, session_id=str(given.get("session_id"))) if found and isinstance(given, dict) else None


class NeverStartsATurn(Demo):
    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        return None if hook == "prompt-submit" else super().parse_hook(hook, payload)


class NamesEachCallATurn(Demo):
    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        found = super().parse_hook(hook, payload)
        return replace(found, turn_ref=os.urandom(4).hex()) if found is not None else None


class NeverEndsATurn(Demo):
    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        return None if hook == "turn-end" else super().parse_hook(hook, payload)


class KnowsOneSession(Demo):
    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        found = super().parse_hook(hook, payload)
        return replace(found, session_id="a-session") if found is not None else None


class DropsPrompts(Demo):
    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        found = super().parse_hook(hook, payload)
        return replace(found, prompt="") if found is not None else None


class NeverEnds(Demo):
    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        return None if hook == "session-end" else super().parse_hook(hook, payload)


class InventsASession(Demo):
    def parse_hook(self, hook: str, payload: bytes) -> Event | None:
        return super().parse_hook(hook, payload) or super().parse_hook("session-start", b'{"session_id": "s"}')


class SaysNothing(Demo):
    def write_hook_response(self, message: str) -> bytes:
        return b"{}\n"


class LosesANewline(Demo):
    def reassemble_transcript(self, chunks: list[bytes]) -> bytes:
        return b"".join(chunks)


class MakesOnePart(Demo):
    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        return [transcript]


class DropsLargeRecords(Demo):
    def chunk_transcript(self, transcript: bytes, max_size: int) -> list[bytes]:
        small = [line for line in transcript.splitlines(keepends=True) if len(line) < max_size]
        return super().chunk_transcript(b"".join(small), max_size)


class PrintsTheSettings(Demo):
    def uninstall_hooks(self, root: str, scope: str) -> int:
        count = super().uninstall_hooks(root, scope)
        path = _settings(self, root, scope)
        if path.exists():
            path.write_text(json.dumps(json.loads(path.read_bytes())))
        return count


class LeavesAFile(Demo):
    def install_hooks(self, root: str, scope: str, *, force: bool) -> int:
        count = super().install_hooks(root, scope, force=force)
        _settings(self, root, scope).with_suffix(".bak").write_text("")
        return count


class OverwritesWhatIsBroken(Demo):
    def install_hooks(self, root: str, scope: str, *, force: bool) -> int:
        path = _settings(self, root, scope)
        if path.exists() and not isinstance(untrusted.loads(path.read_bytes()), dict):
            path.unlink()
        return super().install_hooks(root, scope, force=force)


class InstallsAnotherVerb(Demo):
    @property
    def hook_names(self) -> tuple[str, ...]:
        return tuple(name for name in super().hook_names if name != "turn-end")


class LetsSessionsOut(Demo):
    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        return os.path.join(session_dir, f"{session_id}.jsonl")


class QuotesNothing(Demo):
    def format_resume_command(self, session_id: str) -> str:
        return f"entire-demo-agent --resume '{session_id}'"


class PutsNothingBack(Demo):
    def put_back(self, session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:
        return PutBack()


class PutsBackNoSubagents(Demo):
    def put_back(self, session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:
        return super().put_back(session_ref, transcript, {})


class PutsBackAtOnce(Demo):
    def put_back(self, session_ref: str, transcript: Content, subagents: Mapping[str, Content]) -> PutBack:
        Path(session_ref).write_bytes(bytes(transcript))
        return super().put_back(session_ref, transcript, subagents)


class ListsEverySession(Demo):
    def session_files(self, root: str) -> list[SessionFile]:
        home = os.path.dirname(self.session_dir(root))
        return [one for folder in sorted(os.listdir(home) if os.path.isdir(home) else [])
                for one in transcripts.session_files(os.path.join(home, folder))]  # fmt: skip


class ExpectsATranscript(Demo):
    capabilities = Demo.capabilities | {"transcript_preparer"}

    def prepare_transcript(self, event: Event, since: Position) -> None:
        os.stat(event.session_ref)


def _settings(agent: Demo, root: str, scope: str) -> Path:
    return Path(agent.hook_config_paths(root, scope)[0])


# by the promise that catches them
FAULTS: Mapping[str, tuple[type[Demo], ...]] = {
    "declarations": (LacksAMethod,),
    "events": (MistakesAnEvent,),
    "nonsense-payloads": (RaisesOnNonsense, TakesAnyId),
    "answers": (SaysNothing,),
    "captured": (reading(CountsFailedCalls), reading(KnowsNoSubagents), reading(CountsEveryRecordTwice)),
    "pieces": (reading(ForgetsWherePromptsAre),),
    "tokens": (reading(CountsTheLastAnswerAgain),),
    "reasoning": (reading(PutsThoughtsBeside),),
    "until": (reading(IgnoresUntil), reading(CutsNothing)),
    "positions": (reading(HasNoPlaces), reading(HoldsEverything)),
    "lines": (reading(ForgetsWherePromptsAre),),
    "beyond-the-end": (reading(ForgetsWherePromptsAre),),
    "answer-ends": (reading(EndsAnswersWhereTheyBegin),),
    "growth": (reading(StaysWhereItWas),),
    "nothing": (reading(NeedsItsFile),),
    "agreement": (reading(ComparesBytes),),
    "nonsense-transcripts": (reading(TrustsItsRecords),),
    "parts": (LosesANewline, MakesOnePart),
    "large-records": (DropsLargeRecords,),
    "put-back": (PutsNothingBack, PutsBackAtOnce),
    "put-back-subagents": (PutsBackNoSubagents,),
    "listing": (ListsEverySession,),
    "waiting": (ExpectsATranscript,),
    "installation": (PrintsTheSettings, LeavesAFile),
    "commands": (InstallsAnotherVerb,),
    "broken-configuration": (OverwritesWhatIsBroken,),
    "session-ids": (LetsSessionsOut,),
    "subagent-ids": (reading(LetsSubagentsOut),),
    "shell": (QuotesNothing,),
    "any-path": (reading(ReadsOneLineOfAPath),),
    "any-file": (reading(ReportsOneLineOfAFile),),
    "turns": (reading(StoresTheLastTurn), NeverStartsATurn),
    "commit": (reading(CutsPrompts),),
    "commits": (reading(CountsTheLastAnswerAgain),),
    "interruption": (reading(TellsNoInterruption),),
    "fork": (reading(KnowsNoCopies),),
    "resumed": (NeverEnds,),
    "resume": (PutsNothingBack,),
    "another-clone": (PutsNothingBack,),
    "rewind": (PutsNothingBack,),
    "commit-in-a-turn": (NeverEndsATurn,),
    "side-by-side": (KnowsOneSession,),
    "shutdown": (NeverStartsATurn,),
    "twice": (NamesEachCallATurn,),
    "no-transcript": (DropsPrompts,),
    "ends-twice": (NeverEnds,),
    "subagents": (reading(KnowsNoSubagents),),
    "harmless": (InventsASession,),
}
CASES: list[tuple[str, type[Demo]]] = [(name, fault) for name, faults in FAULTS.items() for fault in faults]


def label(name: str, fault: type[Demo]) -> str:
    form: Callable[..., DemoTranscript] = getattr(fault, "form", DemoTranscript)
    return f"{name}-{fault.__name__ if form is DemoTranscript else getattr(form, '__name__', '')}"
