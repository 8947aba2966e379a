#!/bin/sh
# Does once what lies in pending/ for an agent. The command gets the input and prints the answer, both JSON.
#
#   while sleep 1; do sh work.sh @counter jq '{words: (.text | split(" ") | length)}'; done
set -eu

agent=${1#@}
shift

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

  # First the content, then the place: whoever waits sees the whole answer or none.
  mv "$draft" "$mine"
  mv "$mine" "handoffs/$end/$name"
done
