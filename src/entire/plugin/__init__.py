"""For authors of plugins: makes an executable ``entire-agent-<name>`` of a class, with any Python in which Entire is
installed::

    from entire.plugin import LineTranscript, main

    class Parrot:
        name = "parrot"
        type = "Parrot"
        ...

    if __name__ == "__main__":
        main(Parrot)

The class has the members of ``Agent``, and of the protocols of the capabilities that it names. The public names are
imported on first use: a plugin is started several times in each turn.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents import hookfiles as hookfiles
    from entire.agents import transcripts as transcripts
    from entire.agents.composed import ComposedLines as ComposedLines
    from entire.agents.contract import Agent as Agent
    from entire.agents.contract import DisplayedTranscript as DisplayedTranscript
    from entire.agents.contract import FileWatcher as FileWatcher
    from entire.agents.contract import HookInstaller as HookInstaller
    from entire.agents.contract import HookResponder as HookResponder
    from entire.agents.contract import SessionLister as SessionLister
    from entire.agents.contract import SessionResumer as SessionResumer
    from entire.agents.contract import SubagentExtractor as SubagentExtractor
    from entire.agents.contract import TextGenerator as TextGenerator
    from entire.agents.contract import TokenCalculator as TokenCalculator
    from entire.agents.contract import Transcript as Transcript
    from entire.agents.contract import TranscriptAnalyzer as TranscriptAnalyzer
    from entire.agents.contract import TranscriptPreparer as TranscriptPreparer
    from entire.agents.documents import DocumentTranscript as DocumentTranscript
    from entire.agents.lines import LineTranscript as LineTranscript
    from entire.agents.opaque import OpaqueTranscript as OpaqueTranscript
    from entire.agents.put_back import files as put_back_files
    from entire.agents.record_lines import RecordLines as RecordLines
    from entire.agents.record_source import RecordSource as RecordSource
    from entire.agents.registry import AgentEntry as AgentEntry
    from entire.agents.untrusted import clean as clean
    from entire.agents.untrusted import loads as loads
    from entire.conversation.records import Answer as Answer
    from entire.conversation.records import Call as Call
    from entire.conversation.records import Mark as Mark
    from entire.conversation.records import Prompt as Prompt
    from entire.conversation.records import Record as Record
    from entire.conversation.records import Result as Result
    from entire.errors import EntireError as EntireError
    from entire.model.effects import Delete as Delete
    from entire.model.effects import PutBack as PutBack
    from entire.model.effects import Run as Run
    from entire.model.effects import Write as Write
    from entire.model.events import Event as Event
    from entire.model.events import EventType as EventType
    from entire.model.health import HooksHealth as HooksHealth
    from entire.model.health import HookStatus as HookStatus
    from entire.model.ids import is_session_id as is_session_id
    from entire.model.ids import is_tool_id as is_tool_id
    from entire.model.positions import START as START
    from entire.model.positions import Position as Position
    from entire.model.positions import SessionRef as SessionRef
    from entire.model.times import parse_time as parse_time
    from entire.model.tokens import TokenUsage as TokenUsage
    from entire.model.transcripts import Agreement as Agreement
    from entire.model.transcripts import FileLines as FileLines
    from entire.model.transcripts import FileReport as FileReport
    from entire.model.transcripts import Message as Message
    from entire.model.transcripts import SessionFile as SessionFile
    from entire.model.transcripts import Subagent as Subagent
    from entire.plugin.program import main as main

_PUBLIC = {
    "Agent": "entire.agents.contract",
    "AgentEntry": "entire.agents.registry",
    "Agreement": "entire.model.transcripts",
    "Answer": "entire.conversation.records",
    "Call": "entire.conversation.records",
    "ComposedLines": "entire.agents.composed",
    "Delete": "entire.model.effects",
    "DisplayedTranscript": "entire.agents.contract",
    "DocumentTranscript": "entire.agents.documents",
    "EntireError": "entire.errors",
    "Event": "entire.model.events",
    "EventType": "entire.model.events",
    "FileLines": "entire.model.transcripts",
    "FileReport": "entire.model.transcripts",
    "FileWatcher": "entire.agents.contract",
    "HookInstaller": "entire.agents.contract",
    "HookResponder": "entire.agents.contract",
    "HookStatus": "entire.model.health",
    "HooksHealth": "entire.model.health",
    "LineTranscript": "entire.agents.lines",
    "Mark": "entire.conversation.records",
    "Message": "entire.model.transcripts",
    "OpaqueTranscript": "entire.agents.opaque",
    "Position": "entire.model.positions",
    "Prompt": "entire.conversation.records",
    "PutBack": "entire.model.effects",
    "Record": "entire.conversation.records",
    "RecordLines": "entire.agents.record_lines",
    "RecordSource": "entire.agents.record_source",
    "Result": "entire.conversation.records",
    "Run": "entire.model.effects",
    "START": "entire.model.positions",
    "SessionFile": "entire.model.transcripts",
    "SessionLister": "entire.agents.contract",
    "SessionRef": "entire.model.positions",
    "SessionResumer": "entire.agents.contract",
    "Subagent": "entire.model.transcripts",
    "SubagentExtractor": "entire.agents.contract",
    "TextGenerator": "entire.agents.contract",
    "TokenCalculator": "entire.agents.contract",
    "TokenUsage": "entire.model.tokens",
    "Transcript": "entire.agents.contract",
    "TranscriptAnalyzer": "entire.agents.contract",
    "TranscriptPreparer": "entire.agents.contract",
    "Write": "entire.model.effects",
    "clean": "entire.agents.untrusted",
    "hookfiles": "entire.agents",
    "is_session_id": "entire.model.ids",
    "is_tool_id": "entire.model.ids",
    "loads": "entire.agents.untrusted",
    "main": "entire.plugin.program",
    "parse_time": "entire.model.times",
    "put_back_files": "entire.agents.put_back:files",
    "transcripts": "entire.agents",
}

__all__ = [
    "START",
    "Agent",
    "AgentEntry",
    "Agreement",
    "Answer",
    "Call",
    "ComposedLines",
    "Delete",
    "DisplayedTranscript",
    "DocumentTranscript",
    "EntireError",
    "Event",
    "EventType",
    "FileLines",
    "FileReport",
    "FileWatcher",
    "HookInstaller",
    "HookResponder",
    "HookStatus",
    "HooksHealth",
    "LineTranscript",
    "Mark",
    "Message",
    "OpaqueTranscript",
    "Position",
    "Prompt",
    "PutBack",
    "Record",
    "RecordLines",
    "RecordSource",
    "Result",
    "Run",
    "SessionFile",
    "SessionLister",
    "SessionRef",
    "SessionResumer",
    "Subagent",
    "SubagentExtractor",
    "TextGenerator",
    "TokenCalculator",
    "TokenUsage",
    "Transcript",
    "TranscriptAnalyzer",
    "TranscriptPreparer",
    "Write",
    "clean",
    "hookfiles",
    "is_session_id",
    "is_tool_id",
    "loads",
    "main",
    "parse_time",
    "put_back_files",
    "transcripts",
]


def __getattr__(name: str) -> object:
    module, _, attribute = _PUBLIC.get(name, "").partition(":")
    if not module:
        raise AttributeError(f"module 'entire.plugin' has no attribute {name!r}")
    attribute = attribute or name
    return getattr(__import__(module, fromlist=[attribute]), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
