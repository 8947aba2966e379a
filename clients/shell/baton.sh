# A client of Baton for shells, over HTTP, with nothing but curl. Copy this file beside your script and read it with
#   . ./baton.sh
# BATON_URL is the address of `baton serve`, BATON_TOKEN your token. Bodies and answers are JSON; jq reads them well.
# Each function answers 0 and prints the answer, or answers 1 and prints the problem to standard error. What could not be
# sent, or was answered with 429 or 503, is tried again a few times; with an Idempotency-Key nothing is done twice.

# baton_call METHOD PATH [JSON] [more arguments of curl]
baton_call() {
  _baton_method=$1
  _baton_path=$2
  _baton_body=${3-}
  [ $# -gt 2 ] && shift 3 || shift 2
  [ -n "$_baton_body" ] && set -- "$@" --header 'Content-Type: application/json' --data-binary "$_baton_body"
  # The token comes by a file of options, because everybody on the machine can read arguments.
  _baton_answer=$(
    printf 'header = "Authorization: Bearer %s"\n' "$BATON_TOKEN" |
      curl --silent --show-error --config - --retry 3 --request "$_baton_method" \
        --write-out '\n%{http_code}' "$@" "$BATON_URL/api/v1$_baton_path"
  ) || return 1
  _baton_status=${_baton_answer##*
}
  _baton_text=${_baton_answer%
*}
  case $_baton_status in
    2*) printf '%s\n' "$_baton_text" ;;
    *)
      printf '%s\n' "$_baton_text" >&2
      return 1
      ;;
  esac
}

# baton_send BODY [REQUEST-ID]: such as baton_send '{"to":"@react","input":{"x":1}}' order-1
baton_send() {
  baton_call POST /handoffs "$1" ${2:+--header "Idempotency-Key: $2"}
}

# baton_show ID
baton_show() {
  baton_call GET "/handoffs/$1"
}

# baton_wait ID [SECONDS]: the handoff, settled or as it is when the time is over
baton_wait() {
  baton_call GET "/handoffs/$1/wait?timeoutSeconds=${2:-30}"
}

# baton_claim [SECONDS]: takes the next handoff that is offered to you
baton_claim() {
  baton_call POST /claims "{\"waitSeconds\":${1:-0}}"
}

# baton_move ID MOVE [BODY]: such as baton_move "$id" deliver '{"fence":1,"result":{"y":2}}'
baton_move() {
  baton_call POST "/handoffs/$1/$2" "${3-{\}}"
}
