#!/bin/sh
# Sends work through the queue folder and prints its id.
#
#   sh send.sh @from @to '{"text": "two words"}'        (in the workspace; needs jq)
set -eu

id="sh-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')"
draft="handoffs/pending/.$id.draft"

jq -n --arg id "$id" --arg from "$1" --arg to "$2" --argjson data "$3" '{
  handoff_id: $id, status: "pending",
  source: {agent_id: $from}, target: {agent_id: $to},
  input: {data: $data}, timeout_seconds: 300
}' > "$draft"

# Nobody looks at hidden names, so nobody sees half a file.
mv "$draft" "handoffs/pending/$id.json"
echo "$id"
