#!/usr/bin/env bash
# Uploads an interview, parses it for a hypothesis, waits for the end, and prints the evidence.
#
#   API_URL=… ANON_KEY=… EMAIL=… PASSWORD=… ./quickstart.sh interview.vtt 'Receipts get lost.'
set -euo pipefail

# fail prints a sentence, and ends the program.
fail() { echo "$*" >&2; exit 1; }

(($# == 2)) || fail "usage: API_URL=… ANON_KEY=… EMAIL=… PASSWORD=… $0 INTERVIEW HYPOTHESIS"
: "${API_URL:?must be set}" "${ANON_KEY:?must be set}" "${EMAIL:?must be set}" "${PASSWORD:?must be set}"
[[ -r $1 ]] || fail "$1 cannot be read."

# text NAME prints the text of that name in the JSON on standard input.
text() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

# api METHOD PATH [OPTION…] sends a request, and repeats it when the service is busy or cannot be reached.
api() {
  local method=$1 path=$2 answer
  shift 2
  answer=$(curl --silent --show-error --fail-with-body --retry 5 --request "$method" "$API_URL$path" \
    --header "apikey: $ANON_KEY" --header "Authorization: Bearer ${TOKEN:-$ANON_KEY}" "$@") ||
    fail "$method ${path%%\?*} has failed: $answer"
  echo "$answer"
}

# insert TABLE OPTION… inserts a row, and prints its id.
insert() { api POST "/rest/v1/$1?select=id" --header 'Prefer: return=representation' "${@:2}" | text id; }

# new_key prints a random key.
new_key() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# Sign in. The access token is valid for an hour.
TOKEN=$(api POST '/auth/v1/token?grant_type=password' --json "{\"email\": \"$EMAIL\", \"password\": \"$PASSWORD\"}" |
  text access_token)

# The first project. A new account has none: create a workspace, and a project in it.
project=$(api GET '/rest/v1/projects?select=id&order=created_at&limit=1' | text id)
if [[ -z $project ]]; then
  workspace=$(insert workspaces --data-urlencode 'name=My company')
  project=$(insert projects --data "workspace_id=$workspace" --data-urlencode 'name=Receipts')
fi

# The hypothesis, which is created if the project does not have it.
hypothesis=$(api GET '/rest/v1/hypotheses?select=id&limit=1' --get --data "project_id=eq.$project" \
  --data-urlencode "statement=eq.$2" | text id)
if [[ -z $hypothesis ]]; then
  hypothesis=$(insert hypotheses --data "project_id=$project" --data-urlencode "statement=$2")
fi

# Upload. With an Idempotency-Key, a repeated request gets the same answer.
import=$(api POST /api/import --header "Idempotency-Key: $(new_key)" \
  --form "project_id=$project" --form "file=@$1" | text importId)

# Open the stream of events before the parse, so that none is missed. Its first line says that it is open.
exec 3< <(exec curl --silent --no-buffer "$API_URL/api/import/$import/events" \
  --header "apikey: $ANON_KEY" --header "Authorization: Bearer $TOKEN")
stream=$!
trap 'kill "$stream" 2>/dev/null || true' EXIT
read -r _ <&3 || fail 'The stream of events cannot be opened.'

api POST "/api/import/$import/parse" --header "Idempotency-Key: $(new_key)" \
  --json "{\"hypothesisIds\": [\"$hypothesis\"]}" >/dev/null

# Wait for the event. Should the stream break, poll.
grep --max-count=1 -E '^event: import\.(parsed|failed|canceled|terminated|timed_out)' <&3 || true
while true; do
  state=$(api GET "/api/import/$import")
  status=$(text status <<<"$state")
  [[ $status =~ ^(parsed|failed|canceled|terminated|timed_out)$ ]] && break
  sleep 2
done
[[ $status == parsed ]] || fail "The interview is $status. $(text errorMessage <<<"$state")"

# Read the evidence, each with what it says about which hypothesis.
columns='speaker,quote,evidence_hypotheses(stance,hypotheses(statement))'
evidence=$(api GET "/rest/v1/evidence?import_id=eq.$import&select=$columns")
[[ $evidence != '[]' ]] || evidence='No evidence was found in the interview.'
echo "$evidence"
