"""The promises, in the order in which they are tested and documented."""

from __future__ import annotations

from entire.testing.promises import events, hostile, installing, reading, sessions, storing
from entire.testing.promises.promise import Promise

ADAPTER = (
    Promise(name="identity", check=events.says_who_it_is),
    Promise(name="events", check=events.becomes_the_event_it_means, needs=("payloads",)),
    Promise(name="nonsense-payloads", check=events.ignores_nonsense_payloads),
    Promise(name="answers", check=events.answers_the_user, needs=("hook_responder",)),
    Promise(name="captured", check=reading.holds_what_was_captured, needs=("transcripts",)),
    Promise(name="pieces", check=reading.reads_pieces_as_the_whole, needs=("transcripts", "transcript_analyzer")),
    Promise(name="tokens", check=reading.adds_tokens_up, needs=("transcripts", "token_calculator")),
    Promise(name="until", check=reading.reads_until_as_if_cut, needs=("transcripts",)),
    Promise(name="positions", check=reading.keeps_the_laws_of_positions, needs=("transcripts",)),
    Promise(name="answer-ends", check=reading.finds_the_end_of_an_answer, needs=("transcripts", "transcript_analyzer")),
    Promise(name="growth", check=reading.reads_what_is_appended, needs=("player",)),
    Promise(name="nothing", check=reading.reads_nothing_where_nothing_is),
    Promise(name="agreement", check=reading.agrees_with_its_stored_copy, needs=("player", "transcript_analyzer")),
    Promise(name="nonsense-transcripts", check=hostile.survives_nonsense_transcripts),
    Promise(name="parts", check=storing.joins_what_it_split),
    Promise(name="large-records", check=storing.shortens_a_record_that_is_too_large, needs=("player",)),
    Promise(name="put-back", check=storing.puts_back_what_it_cut, needs=("player", "session_resumer")),
    Promise(name="put-back-subagents", check=storing.puts_subagents_back, needs=("subagents", "session_resumer")),
    Promise(name="listing", check=storing.lists_its_sessions, needs=("player", "session_lister")),
    Promise(name="waiting", check=storing.waits_only_a_moment, needs=("player", "transcript_preparer")),
    Promise(name="installation", check=installing.installs_and_leaves_no_trace, needs=("configs", "hook_installer")),
    Promise(name="commands", check=installing.installs_commands_that_hooks_understand, needs=("hook_installer",)),
    Promise(name="broken-configuration", check=installing.refuses_a_broken_configuration,
            needs=("configs", "hook_installer")),
    Promise(name="session-ids", check=hostile.keeps_hostile_ids_inside, needs=("session_resumer",)),
    Promise(name="subagent-ids", check=hostile.keeps_subagents_inside, needs=("subagent_extractor",)),
    Promise(name="shell", check=hostile.quotes_what_it_tells_the_shell, needs=("session_resumer",)),
    Promise(name="any-path", check=hostile.reads_from_any_path, needs=("transcripts",)),
    Promise(name="any-file", check=hostile.reports_any_file, needs=("player", "transcript_analyzer")),
)  # fmt: skip
FRAMEWORK = (
    Promise(name="turns", check=sessions.records_every_turn_in_full, needs=("player",)),
    Promise(name="commit", check=sessions.links_the_commit, needs=("player",)),
    Promise(name="commit-in-a-turn", check=sessions.completes_a_commit_at_the_end_of_its_turn, needs=("player",)),
    Promise(name="side-by-side", check=sessions.keeps_sessions_apart, needs=("player",)),
    Promise(name="commits", check=sessions.counts_each_answer_for_one_commit, needs=("player", "token_calculator")),
    Promise(name="display", check=sessions.shows_what_was_said, needs=("player", "transcript_analyzer")),
    Promise(name="resumed", check=sessions.resumes_with_all_history, needs=("player",)),
    Promise(name="resume", check=sessions.restores_a_session, needs=("player", "session_resumer")),
    Promise(name="another-clone", check=sessions.continues_in_another_clone, needs=("player", "session_resumer")),
    Promise(name="rewind", check=sessions.rewinds_files_and_conversation, needs=("player", "session_resumer")),
    Promise(name="shutdown", check=sessions.saves_a_turn_without_an_end, needs=("player",)),
    Promise(name="twice", check=sessions.records_a_hook_once, needs=("player",)),
    Promise(name="ends-twice", check=sessions.ends_a_session_twice, needs=("player",)),
    Promise(name="vanished", check=sessions.keeps_what_vanishes, needs=("player",)),
    Promise(name="no-transcript", check=sessions.works_without_a_transcript, needs=("player",)),
    Promise(name="subagents", check=sessions.counts_subagents, needs=("subagents",)),
    Promise(name="harmless", check=sessions.harms_nothing, needs=("player",)),
)
PROMISES = (*ADAPTER, *FRAMEWORK)
