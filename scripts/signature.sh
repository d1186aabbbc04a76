#!/usr/bin/env bash
# Checks the bench signature: two runs of `bench` must have the same node count, which must equal
# the count in the newest commit message with a line `Bench: <nodes>`.
# Usage: scripts/signature.sh [command]     builds the release binary if no command is given; a
# command may have arguments, as in `scripts/signature.sh node web/npm/cli.js`
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
    sed -n '2,5s/^# //p' scripts/signature.sh
    exit 0
fi
command=("$@")
if [[ $# -eq 0 ]]; then
    cargo build --release --locked
    command=("${CARGO_TARGET_DIR:-target}/release/brisance")
fi

count() {
    local last
    # Programs under Wine end their lines with a carriage return.
    last=$("${command[@]}" bench | tail -n 1 | tr -d '\r')
    if [[ ! $last =~ ^([0-9]+)\ nodes\ [0-9]+\ nps$ ]]; then
        echo "signature: the last line of bench is \"$last\", not \"<nodes> nodes <nps> nps\"" >&2
        return 1
    fi
    echo "${BASH_REMATCH[1]}"
}

first=$(count)
second=$(count)
if [[ $first != "$second" ]]; then
    echo "signature: two runs differ: $first and $second nodes" >&2
    exit 1
fi

# awk reads its whole input, because git fails on a closed pipe.
recorded=$(git log --format=%B | awk '/^Bench: [0-9]+$/ && !found { found = $2 } END { print found }')
if [[ -z $recorded ]]; then
    echo "signature: $first nodes; no commit records a count"
elif [[ $first == "$recorded" ]]; then
    echo "signature: $first nodes, as recorded"
else
    echo "signature: $first nodes, but the newest recorded count is $recorded" >&2
    exit 1
fi
