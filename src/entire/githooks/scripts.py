"""The hook scripts: POSIX sh that starts an interpreter only if there is something to do.

A commit without a session costs the start of three shells. The scripts test ``<git dir>/entire/live`` (a live session
in this worktree), ``entire/running`` in the git directory of every worktree (a turn in progress), ``<git
dir>/entire/pending.json`` (a commit was prepared), the variables with which agents name their session (it may not be
recorded), ``<common git dir>/entire/sessions-seen`` (older than ``entire-sessions`` if the Go CLI wrote there),
``<common git dir>/entire/push`` (the user chose to push checkpoints) and ``<common git dir>/entire/command`` (the path
of ``entire``, for programs that start git with a minimal PATH). They never fail git: only the exit code of a chained
hook counts (formats.md section 8). The one exception is pre-push (``push_script``).
"""

from __future__ import annotations

import os

from entire import files
from entire.agents.registry import session_variables
from entire.githooks import push_script
from entire.githooks.managers import MANAGERS

NAMES = ("prepare-commit-msg", "commit-msg", "post-commit", "pre-push")
MARKER = "Entire CLI hooks"  # the Go CLI recognises its own hooks and ours by this text
BACKUP = ".pre-entire"

_START = """\
#!/bin/sh
# {marker}
# Written by `entire enable`, removed by `entire disable --uninstall`. Starts nothing if entire is not installed.
git() {{ # fetches nothing that a partial clone lacks
    GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none command git "$@"
}}
earlier=${{0%/*}}/{name}{backup}
[ -x "$earlier" ] || earlier=
case ${{0##*/}} in
    {name}) ;;
    *) # A hook manager renamed this script and calls it.
        line=
        {{ IFS= read -r line && IFS= read -r line; }} 2>/dev/null <"${{0%/*}}/{name}"
        [ "$line" = "# {marker}" ] && exit 0 # a copy of this script called the manager
        if [ -n "$earlier" ] && grep -q -F {marks} "$earlier"; then
            earlier= # the manager itself
        fi
        ;;
esac
given_path=$PATH
case :$PATH: in
    *:[!/]*) # An entry that is empty or relative is a folder of the repository: ours are not looked for there.
        PATH=
        rest=$given_path:
        while [ -n "$rest" ]; do
            case ${{rest%%:*}} in /*) PATH=$PATH${{PATH:+:}}${{rest%%:*}} ;; esac
            rest=${{rest#*:}}
        done
        ;;
esac
"""

_FIND_GIT_DIR = """\
git_dir=${GIT_DIR:-.git}
if [ -f "$git_dir" ]; then
    line=
    IFS= read -r line <"$git_dir"
    git_dir=${line#gitdir: }
fi
common_dir=$git_dir
if [ -f "$git_dir/commondir" ]; then
    line=
    IFS= read -r line <"$git_dir/commondir"
    case $line in
        /*) common_dir=$line ;;
        *) common_dir=$git_dir/$line ;;
    esac
fi
"""

_RUN_ENTIRE = """\
run_entire() {
    if [ -n "$ENTIRE_COMMIT" ] && [ -e "$ENTIRE_COMMIT" ]; then # Entire makes a commit, and waits for its hooks
        [ "${ENTIRE_COMMIT%/*/*}" -ef "$git_dir/entire/commit" ] 2>/dev/null && return
    fi
    if command -v entire >/dev/null 2>&1; then
        entire "$@"
    elif [ -r "$common_dir/entire/command" ]; then
        path=
        IFS= read -r path <"$common_dir/entire/command"
        [ -n "$path" ] && [ -x "$path" ] && "$path" "$@"
    fi
}
"""

_FIND_SESSIONS = """\
# Tells whether another program, such as the Go CLI, wrote a session's state since Entire read them all.
has_new_sessions() {
    [ -d "$common_dir/entire-sessions" ] || return 1
    [ -e "$common_dir/entire/sessions-seen" ] || return 0
    [ "$common_dir/entire-sessions" -nt "$common_dir/entire/sessions-seen" ] 2>/dev/null
}
"""

_CHAIN = """\
# Chain: run pre-existing hook
PATH=$given_path
if [ -n "$earlier" ]; then
    exec "$earlier" "$@"
fi
exit 0
"""

_PREPARE_COMMIT_MSG = """\
# Detects `git commit --amend` from the arguments of git: our parent, or under a hook manager an earlier ancestor.
is_amend() {
    [ "$2" = commit ] && return 0
    if [ ! -r "/proc/$PPID/cmdline" ]; then
        case $(ps -o args= -p "$PPID" 2>/dev/null) in *--am*) return 0 ;; esac
        return 1
    fi
    pid=$PPID
    for level in 1 2 3 4 5 6 7 8; do
        is_git=
        while IFS= read -r line || [ -n "$line" ]; do # read drops the zero bytes between arguments
            case $line in
                *--am*) return 0 ;;
                git* | */bin/gitcommit*) is_git=1 ;;
            esac
        done <"/proc/$pid/cmdline"
        [ -n "$is_git" ] && return 1
        IFS= read -r line <"/proc/$pid/stat" || return 1
        case $line in *"(git)"*) return 1 ;; esac
        line=${line##*") "}
        line=${line#* }
        pid=${line%% *}
        [ -r "/proc/$pid/cmdline" ] || return 1
    done
    return 1
}

head_is_linked() {
    case $(git log -1 --format=%B HEAD 2>/dev/null) in *Entire-Checkpoint*) return 0 ;; esac
    return 1
}

# After `git reset --soft` the new commit replaces others and keeps their links.
follows_reset() {
    if [ -f "$git_dir/logs/HEAD" ]; then
        [ -f "$git_dir/ORIG_HEAD" ] || return 1
        moved=
        later=
        while read -r old new rest; do # the newest line comes last; a reset that only unstages moves nothing
            case $rest in
                *"\treset: "*) [ "$old" = "$new" ] || moved=$old later= ;;
                *"\tcommit"*) later=1 ;; # may be one of several that replace the reset commits
                *) [ "$old" = "$new" ] || moved= ;;
            esac
        done <<END
$(tail -n 8 "$git_dir/logs/HEAD" 2>/dev/null)
END
        [ -n "$moved" ] || return 1
        [ -z "$later" ] && return 0
        case $(git log --max-count=50 --format=%B "HEAD..$moved" 2>/dev/null) in *Entire-Checkpoint*) return 0 ;; esac
    elif [ -e "$git_dir/reftable" ]; then
        case $(git log -g -1 --format=%gs HEAD 2>/dev/null) in "reset: "*) return 0 ;; esac
    fi
    return 1
}

# An agent may commit in another worktree than its session's.
turn_runs() {
    for marker in "$common_dir/entire/running" "$common_dir"/worktrees/*/entire/running; do
        [ -e "$marker" ] && return 0
    done
    return 1
}

# Git has merged something here, such as a stash, or a stash went since HEAD moved (of new files alone, nothing is
# merged): it may hold work of a session in another worktree.
has_merged_work() {
    [ -e "$git_dir/AUTO_MERGE" ] || [ "$common_dir/logs/refs/stash" -nt "$git_dir/logs/HEAD" ] 2>/dev/null ||
        [ "$common_dir/logs/refs" -nt "$git_dir/logs/HEAD" ] 2>/dev/null || return 1
    for marker in "$common_dir/entire/live" "$common_dir"/worktrees/*/entire/live; do
        [ -e "$marker" ] && return 0
    done
    return 1
}

# After `git cherry-pick -n` the commit keeps the links of what was picked, under whatever message.
picks_linked() {
    [ -s "$git_dir/MERGE_MSG" ] || return 1
    while IFS= read -r line; do
        case $line in "Entire-Checkpoint:"*) return 0 ;; esac
    done <"$git_dir/MERGE_MSG"
    return 1
}

if [ -e "$git_dir/entire/live" ] || [ -e "$git_dir/entire/pending.json" ] || [ -n "@SESSION@" ] || turn_runs ||
    has_merged_work || picks_linked ||
    has_new_sessions ||
    [ "$2" = squash ] || [ -e "$git_dir/SQUASH_MSG" ] || [ -e "$git_dir/rebase-merge/current-fixups" ] ||
    { is_amend "$@" && head_is_linked; } || follows_reset; then
    run_entire hooks git prepare-commit-msg "$@" </dev/null 2>/dev/null
fi
"""

_COMMIT_MSG = """\
# A message with nothing but our trailer is empty: remove the trailer, so that git aborts as it would without Entire.
# So is an unedited template: git compares the two, but our trailer makes them differ. prepare-commit-msg noted what
# begins a comment; without its note, "#" does if an editor was used (without one, git sets GIT_EDITOR to ":").
comment="#"
cut="#"
[ "$GIT_EDITOR" = : ] && comment=

# Prints the lines of a message that git keeps, without trailers like ours.
content() {
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
            "$cut ------------------------ >8 ------------------------") break ;;
            "Entire-Checkpoint:"* | "Signed-off-by: "*) ;;
            *[![:space:]]*)
                [ -n "$comment" ] && case $line in "$comment"*) continue ;; esac
                printf '%s\\n' "${line%"${line##*[![:space:]]}"}"
                ;;
        esac
    done
}

linked=
noted=
note=${1%/*}/entire/message
[ -r "$note" ] && IFS= read -r noted <"$note"
while IFS= read -r line || [ -n "$line" ]; do
    case $line in
        "${noted:-none}"*)
            linked=noted
            break
            ;;
        "Entire-Checkpoint:"*) linked=1 ;;
    esac
done 2>/dev/null <"$1"
template=
mode=
if [ "$linked" = noted ]; then
    {
        IFS= read -r line && IFS= read -r comment && IFS= read -r cut && IFS= read -r mode
        template=$(content)
    } <"$note"
fi
if [ -n "$linked" ] && [ "$mode" != verbatim ]; then # verbatim, even blank lines are a message
    text=$(content <"$1")
    if [ -z "$text" ] || [ "$text" = "$template" ]; then
        if sed '/^Entire-Checkpoint:/d' "$1" >"$1.entire" 2>/dev/null; then
            cat "$1.entire" >"$1"
        fi
        rm -f "$1.entire"
    fi
fi
"""

_POST_COMMIT = """\
if [ -e "$git_dir/entire/pending.json" ] || [ -e "$git_dir/entire/live" ] || has_new_sessions; then
    run_entire hooks git post-commit "$@" </dev/null 2>/dev/null
fi
"""


def text(name: str) -> bytes:
    """Return the content of one hook script."""
    marks = " ".join(f"-e {manager.mark}" for manager in MANAGERS)
    start = _START.format(name=name, marker=MARKER, backup=BACKUP, marks=marks)
    commit_start = _FIND_GIT_DIR + "\n" + _RUN_ENTIRE + "\n" + _FIND_SESSIONS + "\n"
    prepare = _PREPARE_COMMIT_MSG.replace("@SESSION@", "".join(f"${variable}" for variable in session_variables()))
    bodies = {
        "prepare-commit-msg": commit_start + prepare + "\n" + _CHAIN,
        "commit-msg": _COMMIT_MSG + "\n" + _CHAIN,
        "post-commit": commit_start + _POST_COMMIT + "\n" + _CHAIN,
        "pre-push": _FIND_GIT_DIR + "\n" + _RUN_ENTIRE + "\n" + push_script.BODY,
    }
    return (start + "\n" + bodies[name]).encode()


def is_alone(path: str) -> bool:
    """Tell whether the hook at a path is our script, which runs no other program's hook after it."""
    data = files.read(path) or b""
    return MARKER.encode() in data and not os.access(path + BACKUP, os.X_OK)


def line_to_add(name: str) -> str:
    """Return the line that runs our script from a hook file that we do not write (a team's or a hook manager's)."""
    script = f'"$(git rev-parse --git-common-dir)/entire/hooks/{name}"'
    return f'[ ! -x {script} ] || {script} "$@"'
