"""The part of the hook scripts that is pre-push's own, in POSIX sh.

It stops a push of what was promised to stay on this machine, without any interpreter: the promise holds even where
``entire`` is not found. First the names of the list decide, then the commits that the remote lacks: one git looks for
the marks of ours (``_MARKS``), so no other name helps. Otherwise it starts Entire if the user chose to push
checkpoints. The standard input goes to the chained hook as git wrote it.
"""

from __future__ import annotations

_MARKS = "|".join((
    "^Entire-Metadata(-Task)?:",  # a step
    "^Entire journal: (snapshot of the worktree|conversation of )",
    "^Checkpoint: [0-9a-f]{12}$",
    "^(Finalize transcript for Checkpoint: |Update summary for checkpoint )[0-9a-f]{12}",
    "^Initialize (metadata|sessions) branch$",
    "^Merge remote session logs$",
))  # fmt: skip
"""What a line of the messages of our commits looks like, those of the Go CLI and of earlier versions included."""

BODY = """\
# Keep standard input for the chained hook; the dot preserves the last newline.
list=$(cat; printf .)
list=${list%.}
checkpoints=refs/heads/entire/checkpoints/v1

is_deletion() {
    case $1 in *[!0]*) return 1 ;; esac
}

# Prints the private refs of the list, a line each, with what they hold.
private_refs() {
    printf %s "$list" | while read -r from oid to rest; do
        is_deletion "$oid" && continue
        source=${from%%[~^]*} # git names a ref in full, but an expression (branch~1, branch@{1}) as it was typed
        source=${source%%@[{]*}
        case $source in
            entire/*) source=refs/heads/$source ;;
            heads/entire/*) source=refs/$source ;;
        esac
        describe "$source" "$oid" || describe "$to" "$oid"
    done
}

describe() {
    case $1 in
        refs/entire/*) echo "$1: snapshots of your files, with untracked ones" ;;
        "$checkpoints")
            pushes_checkpoints && return 1
            echo "$1: checkpoints, which you did not choose to push"
            ;;
        refs/heads/entire/*)
            is_step_name "${1#refs/heads/entire/}" && is_step "$2" || return 1
            echo "$1: steps of sessions, with uncommitted work"
            ;;
        *) return 1 ;;
    esac
}

is_step_name() { # base commit and worktree: 1a2b3c4-e3b0c4, in the old form 1a2b3c4
    base=${1%-??????}
    case ${1#"$base"} in ?*[!0-9a-f]*) return 1 ;; esac
    case $base in
        *[!0-9a-f]*) return 1 ;;
        ???????*) return 0 ;;
    esac
    return 1
}

is_step() { # a person's branch may have such a name too, so the trailers of its commit decide
    case $(git cat-file commit "$1" 2>/dev/null) in *"Entire-Metadata"*"Entire-Session: "*) return 0 ;; esac
    return 1
}

# `enable` leaves a marker if the user chose to push. Settings that were edited since may say no.
pushes_checkpoints() {
    [ -e "$common_dir/entire/push" ] || return 1
    choice=
    for file in .entire/settings.json "$common_dir/../.entire/settings.local.json" .entire/settings.local.json; do
        [ -f "$file" ] && [ ! -h "$file" ] && [ ! -h "${file%/*}" ] || continue # a clone may bring links and pipes
        case $(head -c 1000000 "$file" | tr -d '[:space:]') in
            *'"push_sessions":true'*) choice=1 ;;
            *'"push_sessions":false'*) choice= ;;
        esac
    done 2>/dev/null
    [ -n "$choice" ]
}

# Prints the commits with a mark in lines of the list that the remote lacks: id, parents, subject; the newest first, as
# many as git finds in its time. The push goes on then: nothing says that it sends more. `env`, because it is git itself
# that must end, and not the function around it.
marked_commits() {
    revisions=$(while read -r from oid to old; do
        is_deletion "$oid" || echo "$oid"
        is_deletion "$old" || echo "^$old"
    done)
    printf '%s\\n' "$revisions" | env GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none git --no-replace-objects \\
        rev-list --stdin --ignore-missing -E --grep='@MARKS@' \\
        --format='%H [%P] %s' --not --remotes="$remote" 2>/dev/null &
    search=$!
    end_in_time "$search" >/dev/null 2>&1 &
    watch=$!
    wait "$search" 2>/dev/null
    if [ $? -eq 137 ]; then
        echo "entire: looked for $limit seconds for what stays on this machine, and only through the newest commits" >&2
        echo "hint: to see all commits that this push sends: git log <branch> --not --remotes=$remote" >&2
    fi
    kill "$watch" 2>/dev/null
}

limit=30
end_in_time() { # $1: a process
    trap 'kill "$timer" 2>/dev/null; exit' TERM
    sleep "$limit" &
    timer=$!
    wait "$timer"
    kill -9 "$1"
}

# Prints what marked commits are, a line each. A person's commit may quote a mark: that is nothing.
kinds() {
    asked=
    while IFS= read -r line; do
        case $line in
            "commit "*) ;;
            *"] Entire journal: "*) echo "snapshots of your files, with untracked ones" ;;
            *"] Checkpoint: "???????????? | *"] Finalize transcript for Checkpoint: "* | \\
                *"] Update summary for checkpoint "* | *"] Merge remote session logs" | \\
                *"] Initialize metadata branch" | *"] Initialize sessions branch")
                pushes_checkpoints || echo "checkpoints, which you did not choose to push"
                ;;
            *" [] "*) echo "steps of sessions, with uncommitted work" ;; # they begin with a root commit
            *)
                asked="$asked${line%% *}:.entire/metadata
"
                ;;
        esac
    done
    [ -n "$asked" ] || return
    case $(printf %s "$asked" | git cat-file --batch-check 2>/dev/null) in
        *" tree "*) echo "steps of sessions, with uncommitted work" ;;
    esac
}

# Prints the refs of the list that would send commits of ours, a line each, with what they hold.
private_commits() {
    [ -n "$(printf %s "$list" | marked_commits | kinds)" ] || return # one question for an ordinary push
    printf %s "$list" | while IFS= read -r line; do
        printf '%s\\n' "$line" | marked_commits | kinds | sort -u | while IFS= read -r kind; do
            printf '%s: %s\\n' "${line%% *}" "$kind"
        done
    done
}

stop_private() { # $1: the refs that are private
    [ -n "$1" ] && [ "$(git config --type=bool entire.allowPrivatePush 2>/dev/null)" != true ] || return
    {
        echo "entire: stopped this push before anything was sent: it would publish what stays on this machine"
        printf '%s\\n' "$1" | sed -e 's/^/  /' -e '21s/.*/  .../' -e '22,$d'
        echo "hint: push by name what is yours, or all others: git push <remote> 'refs/heads/*' '^refs/heads/entire/*'"
        case $1 in
            *": checkpoints, "*) echo "hint: to push checkpoints from now on: entire enable --push-sessions" ;;
        esac
        echo "hint: to publish them all the same: git -c entire.allowPrivatePush=true push ..."
    } >&2
    exit 1
}

remote=$1
case $list in
    *entire/*) stop_private "$(private_refs)" ;;
esac
[ -z "$list" ] || stop_private "$(private_commits)"

# Warns of a checkpoints branch that git itself sends, though the remote's has commits that it lacks.
warn_of_divergence() {
    printf %s "$list" | while read -r from oid to old; do
        if [ "$to" = "$checkpoints" ] && ! is_deletion "$oid" && ! is_deletion "$old" &&
            ! git merge-base --is-ancestor "$old" "$oid" 2>/dev/null; then
            echo "entire: the remote has checkpoints that this clone lacks: git rejects yours, or drops those if forced"
            echo "hint: push a branch by name first; that joins them: git push <remote> <branch>"
        fi
    done >&2
}

if [ -e "$common_dir/entire/push" ]; then
    case $list in
        *" $checkpoints "*) warn_of_divergence ;; # git fails if we move a ref that it is about to move
        *) printf %s "$list" 2>/dev/null | run_entire hooks git pre-push "$@" ;;
    esac
fi

# Chain: run pre-existing hook
PATH=$given_path
if [ -n "$earlier" ]; then
    printf %s "$list" 2>/dev/null | "$earlier" "$@"
    exit $?
fi
exit 0
""".replace("@MARKS@", _MARKS)
