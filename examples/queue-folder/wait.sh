#!/bin/sh
# Waits for the answer and prints it; ends with 8 and the reason when there is none.
#
#   sh wait.sh ID
set -eu

while :; do
  # Some programs move first and write after, so the word inside counts too.
  if jq -e '.status == "completed"' "handoffs/completed/$1.json" > /dev/null 2>&1; then
    artifact=$(jq -r '.output.artifact_path // empty' "handoffs/completed/$1.json")
    if [ -n "$artifact" ] && [ -f "$artifact" ]; then
      jq -c '.content' "$artifact"
    else
      jq -c '.output.content' "handoffs/completed/$1.json"
    fi
    exit 0
  fi
  if jq -e '.status == "failed"' "handoffs/failed/$1.json" > /dev/null 2>&1; then
    jq -r '"\(.error.code): \(.error.message)"' "handoffs/failed/$1.json" >&2
    exit 8
  fi
  sleep 0.2
done
