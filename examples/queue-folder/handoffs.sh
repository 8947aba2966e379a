#!/bin/sh
# Sends, does and awaits work through the queue folder, with mv and jq. Copy this file; it needs nothing else.
#
#   sh handoffs.sh send @from @to '{"text": "two words"}'     prints the id            (in the workspace)
#   sh handoffs.sh work @counter [COMMAND...]                 does the agent's work in pending/, once
#   sh handoffs.sh wait ID                                    prints the answer; ends with 8 when it failed
set -eu

send() { # FROM TO INPUT
  id="sh-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')"
  draft="handoffs/pending/.$id.draft"
  jq -n --arg id "$id" --arg from "$1" --arg to "$2" --argjson data "$3" '{
    handoff_id: $id, timestamp: (now | todate), status: "pending",
    source: {agent_id: $from}, target: {agent_id: $to},
    input: {data: $data}, timeout_seconds: 300
  }' > "$draft"
  # Nobody looks at hidden names, so nobody sees half a file.
  mv "$draft" "handoffs/pending/$id.json"
  echo "$id"
}

# The command gets the input and prints the answer, both JSON.
work() { # AGENT COMMAND...
  agent=${1#@}
  shift
  [ $# -gt 0 ] || set -- jq '{words: (.text | split(" ") | length)}'
  for file in handoffs/pending/*.json; do
    to=$(jq -r '.target | if type == "object" then .agent_id else . end | ltrimstr("@")' "$file" 2> /dev/null) || continue
    [ "$to" = "$agent" ] || continue

    # Of all who try, one rename succeeds; the others go on to the next.
    name=${file##*/}
    mine="handoffs/in-progress/$name"
    mv "$file" "$mine" 2> /dev/null || continue

    draft="handoffs/in-progress/.$name.draft"
    if answer=$(jq -c '.input.data' "$mine" | "$@"); then
      end=completed
      jq --argjson answer "$answer" '. + {status: "completed", completed_at: (now | todate),
        output: {artifact_type: "result", content: $answer}}' "$mine" > "$draft"
    else
      says="the command ended with $?"
      end=failed
      jq --arg says "$says" '. + {status: "failed", failed_at: (now | todate),
        error: {code: "PROCESSING_ERROR", message: $says}}' "$mine" > "$draft"
    fi

    # The file may have been taken back because our time was over: then the answer does not count.
    [ -e "$mine" ] || { rm -f "$draft"; continue; }
    # First the content, then the place: whoever waits sees the whole answer or none.
    mv "$draft" "$mine"
    mv "$mine" "handoffs/$end/$name"
  done
}

wait_for() { # ID
  while :; do
    # Some programs move first and write after, so the word inside counts too.
    if jq -e '.status == "completed"' "handoffs/completed/$1.json" > /dev/null 2>&1; then
      artifact=$(jq -r '.output.artifact_path // empty' "handoffs/completed/$1.json")
      if [ -n "$artifact" ] && [ -f "$artifact" ]; then
        jq -c '.content' "$artifact"
      else
        jq -c '.output.content' "handoffs/completed/$1.json"
      fi
      return 0
    fi
    if jq -e '.status == "failed"' "handoffs/failed/$1.json" > /dev/null 2>&1; then
      jq -r '"\(.error.code): \(.error.message)"' "handoffs/failed/$1.json" >&2
      return 8
    fi
    sleep 0.2
  done
}

case ${1:-} in
  send) shift; send "$@" ;;
  work) shift; work "$@" ;;
  wait) shift; wait_for "$@" ;;
  *) echo 'usage: sh handoffs.sh send|work|wait ...' >&2; exit 2 ;;
esac
