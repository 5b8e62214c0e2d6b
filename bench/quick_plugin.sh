#!/bin/sh
# A plugin for the benchmarks. It answers with as few programs as a shell script can, so that what a hook takes longer
# is Entire's own time. A position counts bytes: neither `tail -c` nor `wc -c` reads what is before it in a file.

# Prints the members NAME of the records with the type TYPE on standard input, as the elements of a list.
members() {
    list=$(sed -n "s/^{\"type\":\"$1\",\"$2\":\(\"[^\"]*\"\).*/\1,/p" | tr -d '\n')
    printf '%s' "${list%,}"
}

case $1 in
info)
    echo '{"protocol_version": 1, "name": "quick", "type": "Quick", "hook_names": ["session-start", "prompt", "stop",
        "session-end"], "capabilities": {"hooks": true, "transcript_analyzer": true, "token_calculator": true}}'
    ;;
detect) echo '{"present": true}' ;;
install-hooks) echo '{"hooks_installed": 1}' ;;
are-hooks-installed) echo '{"installed": true}' ;;
get-session-dir) printf '{"session_dir": "%s/sessions"}\n' "${ENTIRE_REPO_ROOT%/*}" ;;
resolve-session-file) printf '{"session_file": "%s/%s.jsonl"}\n' "$3" "$5" ;;
read-transcript) exec cat "$3" ;;
parse-hook)
    case $3 in
    session-start) type=1 ;;
    prompt) type=2 ;;
    stop) type=3 ;;
    *) type=5 ;;
    esac
    read -r payload
    payload=${payload#\{}
    printf '{"type": %d, %s"session_ref"%s\n' "$type" "${payload%%\"transcript_path\"*}" "${payload#*\"transcript_path\"}"
    ;;
get-transcript-position) printf '{"position": %d}\n' "$(wc -c <"$3")" ;;
extract-modified-files)
    files=$(tail -c "+$(($5 + 1))" "$3" | members change path)
    printf '{"files": [%s], "current_position": %d}\n' "$files" "$(wc -c <"$3")"
    ;;
extract-prompts) printf '{"prompts": [%s]}\n' "$(tail -c "+$(($5 + 1))" "$3" | members prompt text)" ;;
extract-summary)
    printf '{"has_summary": true, "summary": %s}\n' "$(tail -c 4000 "$3" | grep '^{"type":"answer"' | tail -n 1 |
        members answer text)"
    ;;
calculate-tokens)
    printf '{"input_tokens": 100, "output_tokens": 10, "api_call_count": %d}\n' "$(tail -c "+$(($3 + 1))" | grep -c '"answer"')"
    ;;
*)
    echo "$1: there is no such subcommand" >&2
    exit 2
    ;;
esac
