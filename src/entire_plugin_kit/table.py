"""The promises, in the order in which they are asked for and documented."""

from __future__ import annotations

from typing import TYPE_CHECKING

from entire_plugin_kit.adapter import events, hostile, installing, reading, storing
from entire_plugin_kit.framework import conversations
from entire_plugin_kit.framework import sessions as recording
from entire_plugin_kit.program import (
    hooks,
    identity,
    processes,
    questions,
    records,
    sessions,
    surroundings,
    transcripts,
)
from entire_plugin_kit.promise import ADAPTER, FRAMEWORK, PROGRAM, Promise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Row = tuple[str, Callable[..., None]] | tuple[str, Callable[..., None], tuple[str, ...]]

_HOOKS, _ANALYZER = ("hooks",), ("transcript_analyzer",)
_PLAYER = ("player",)
READING = "reading"
"""The group that is asked twice of a plugin with extensions: with them, and as version 1 tells."""


def _of(by: str, group: str, *rows: Row, is_large: bool = False) -> Iterator[Promise]:
    """Yield the promises of a group: each row has a name, a check, and what it needs."""
    for row in rows:
        needs = row[2] if len(row) == 3 else ()
        yield Promise(name=row[0], check=row[1], by=by, group=group, needs=needs, is_large=is_large)


PROMISES = (
    *_of(
        PROGRAM,
        "identity",
        ("file-name", identity.has_a_file_name),
        ("info", identity.describes_itself),
        ("info-anywhere", identity.describes_itself_anywhere),
        ("info-speed", identity.starts_quickly),
        ("detect", identity.detects),
        ("unknown-subcommand", identity.refuses_unknown_subcommands),
        ("unknown-options", identity.ignores_unknown_options),
    ),
    *_of(
        PROGRAM,
        "sessions",
        ("session-id", sessions.finds_the_session_id),
        ("session-dir", sessions.names_its_session_folder),
        ("session-file", sessions.names_a_session_file),
        ("session", sessions.reads_what_it_wrote),
        ("written-transcripts", sessions.puts_transcripts_back),
        ("partial-session", sessions.takes_partial_sessions),
        ("unknown-transcript", sessions.reports_unknown_transcripts),
        ("broken-input", sessions.refuses_broken_input),
        ("chunks", sessions.splits_and_joins),
        ("one-chunk", sessions.splits_little_into_one),
        ("no-chunk", sessions.refuses_chunks_of_nothing),
        ("exact-chunks", sessions.splits_any_bytes),
    ),
    *_of(
        PROGRAM,
        "hooks",
        ("installation-flags", hooks.takes_every_flag, _HOOKS),
        ("hook-calls", hooks.understands_hook_calls, _HOOKS),
        ("empty-hook-calls", hooks.takes_empty_hook_calls, _HOOKS),
        ("nonsense-hook-calls", hooks.survives_nonsense, _HOOKS),
    ),
    *_of(
        PROGRAM,
        "transcripts",
        ("position-numbers", transcripts.knows_positions, _ANALYZER),
        ("summary", transcripts.sums_up, _ANALYZER),
        ("broken-transcripts", transcripts.survives_broken_transcripts, _ANALYZER),
        ("preparation", transcripts.prepares_transcripts, ("transcript_preparer",)),
        ("token-figures", transcripts.counts_tokens, ("token_calculator",)),
        ("text", transcripts.generates_text, ("text_generator",)),
        ("subagent-figures", transcripts.counts_subagents, ("subagent_aware_extractor",)),
        ("compact", transcripts.compacts, ("compact_transcript",)),
    ),
    *_of(
        PROGRAM,
        "processes",
        ("clean-output", processes.prints_nothing_else),
        ("short-errors", processes.fails_in_few_words),
        ("no-input", processes.works_without_input),
        ("unread-input", processes.leaves_input_unread),
        ("closed-output", processes.ends_with_its_reader),
        ("no-process-left", processes.leaves_no_process),
        ("parallel", processes.answers_in_parallel),
        ("all-or-nothing", processes.writes_all_or_nothing),
        ("turn-end", processes.ends_turns_in_time),
    ),
    *_of(
        PROGRAM,
        "surroundings",
        ("any-folder", surroundings.works_in_any_folder),
        ("any-session-folder", surroundings.takes_any_session_folder),
        ("read-only-home", surroundings.works_in_a_read_only_home),
        ("other-versions", surroundings.meets_other_versions),
        ("nothing-outside", surroundings.writes_only_where_it_may),
    ),
    *_of(
        PROGRAM,
        "large",
        ("large-transcript", transcripts.reads_large_transcripts),
        ("many-lines", transcripts.reads_many_lines),
        ("long-lines", transcripts.reads_long_lines),
        ("large-chunks", transcripts.splits_large_transcripts),
        ("large-hook-calls", transcripts.takes_large_hook_calls, _HOOKS),
        is_large=True,
    ),
    *_of(
        PROGRAM,
        "extensions",
        ("questions", questions.answers_its_questions, ("extensions",)),
        ("many-questions", questions.answers_many_questions, ("extensions",)),
        ("bad-questions", questions.survives_bad_questions, ("extensions",)),
        ("records", records.tells_records, ("entire_records",)),
        ("records-from-anywhere", records.tells_records_from_anywhere, ("entire_records",)),
        ("records-requests", records.survives_any_request, ("entire_records",)),
    ),
    *_of(
        ADAPTER,
        "calls",
        ("declarations", events.says_who_it_is),
        ("events", events.becomes_the_event_it_means, ("payloads",)),
        ("nonsense-payloads", events.ignores_nonsense_payloads, ("hypothesis",)),
        ("answers", events.answers_the_user, ("hook_responder",)),
    ),
    *_of(
        ADAPTER,
        READING,
        ("captured", reading.holds_what_was_captured, ("transcripts",)),
        ("pieces", reading.reads_pieces_as_the_whole, ("transcripts", "transcript_analyzer")),
        ("tokens", reading.adds_tokens_up, ("transcripts", "token_calculator", "hypothesis")),
        ("reasoning", reading.tells_reasoning_tokens, ("transcripts", "reasoning")),
        ("until", reading.reads_until_as_if_cut, ("transcripts",)),
        ("lines", reading.reads_lines_as_they_come, ("transcripts", "transcript_analyzer")),
        ("positions", reading.keeps_the_laws_of_positions, ("transcripts",)),
        ("beyond-the-end", reading.tells_nothing_beyond_the_end),
        ("answer-ends", reading.finds_the_end_of_an_answer, ("transcripts", "transcript_analyzer")),
        ("growth", reading.reads_what_is_appended, _PLAYER),
        ("nothing", reading.reads_nothing_where_nothing_is),
        ("agreement", reading.agrees_with_its_stored_copy, ("player", "transcript_analyzer")),
    ),
    *_of(
        ADAPTER,
        "storing",
        ("parts", storing.joins_what_it_split, ("hypothesis",)),
        ("large-records", storing.shortens_a_record_that_is_too_large, _PLAYER),
        ("put-back", storing.puts_back_what_it_cut, ("player", "session_resumer")),
        ("put-back-subagents", storing.puts_subagents_back, ("subagents", "session_resumer")),
        ("listing", storing.lists_its_sessions, ("player", "session_lister")),
        ("waiting", storing.waits_only_a_moment, ("player", "transcript_preparer")),
    ),
    *_of(
        ADAPTER,
        "settings",
        ("installation", installing.installs_and_leaves_no_trace, ("hook_installer",)),
        ("commands", installing.installs_commands_that_hooks_understand, ("hook_installer",)),
        ("broken-configuration", installing.refuses_a_broken_configuration, ("hook_installer",)),
    ),
    *_of(
        ADAPTER,
        "hostile-input",
        ("nonsense-transcripts", hostile.survives_nonsense_transcripts, ("hypothesis",)),
        ("session-ids", hostile.keeps_hostile_ids_inside, ("session_resumer",)),
        ("subagent-ids", hostile.keeps_subagents_inside, ("subagent_extractor",)),
        ("shell", hostile.quotes_what_it_tells_the_shell, ("session_resumer",)),
        ("any-path", hostile.reads_from_any_path, ("transcripts",)),
        ("any-file", hostile.reports_any_file, ("player", "transcript_analyzer")),
    ),
    *_of(
        FRAMEWORK,
        "framework",
        ("turns", recording.records_every_turn_in_full, _PLAYER),
        ("commit", recording.links_the_commit, _PLAYER),
        ("commit-in-a-turn", recording.completes_a_commit_at_the_end_of_its_turn, _PLAYER),
        ("side-by-side", recording.keeps_sessions_apart, _PLAYER),
        ("commits", recording.counts_each_answer_for_one_commit, ("player", "token_calculator")),
        ("display", recording.shows_what_was_said, ("player", "transcript_analyzer")),
        ("resumed", recording.resumes_with_all_history, _PLAYER),
        ("resume", recording.restores_a_session, ("player", "session_resumer")),
        ("another-clone", recording.continues_in_another_clone, ("player", "session_resumer")),
        ("rewind", recording.rewinds_files_and_conversation, ("player", "session_resumer")),
        ("interruption", recording.ends_an_interrupted_turn, ("interruptions",)),
        ("fork", recording.counts_a_fork_once, ("forks", "token_calculator")),
        ("shutdown", recording.saves_a_turn_without_an_end, _PLAYER),
        ("twice", recording.records_a_hook_once, _PLAYER),
        ("ends-twice", recording.ends_a_session_twice, _PLAYER),
        ("vanished", recording.keeps_what_vanishes, _PLAYER),
        ("no-transcript", recording.works_without_a_transcript, _PLAYER),
        ("subagents", recording.counts_subagents, ("subagents",)),
        ("harmless", recording.harms_nothing, _PLAYER),
        ("one-numbering", conversations.numbers_prompts_alike, ("player", "transcript_analyzer")),
        ("unknown-records", conversations.keeps_what_it_does_not_know, ("unknown", "transcript_analyzer")),
        ("rewind-past-a-subagent", conversations.rewinds_past_a_subagent, ("subagents", "session_resumer")),
        ("diverged", conversations.keeps_a_session_that_went_on, ("player", "session_resumer")),
    ),
)
GROUPS = tuple(dict.fromkeys(promise.group for promise in PROMISES))
