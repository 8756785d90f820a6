#!/usr/bin/env bash
# Uploads an interview, parses it, waits for the end, and prints the evidence.
#
#   API_URL=… ANON_KEY=… EMAIL=… PASSWORD=… ./quickstart.sh interview.vtt
set -euo pipefail

# text NAME prints the text of that name in the JSON on standard input.
text() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }

# api METHOD PATH [OPTION…] sends a request, and repeats it when the service is busy or cannot be reached.
api() {
  local method=$1 path=$2
  shift 2
  curl --silent --show-error --fail-with-body --retry 5 --request "$method" "$API_URL$path" \
    --header "apikey: $ANON_KEY" --header "Authorization: Bearer ${TOKEN:-$ANON_KEY}" "$@"
}

# new_key prints a random key.
new_key() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# Sign in. The access token is valid for an hour.
TOKEN=$(api POST '/auth/v1/token?grant_type=password' --json "{\"email\": \"$EMAIL\", \"password\": \"$PASSWORD\"}" |
  text access_token)

# A project with its hypotheses: [{"id":"…","hypotheses":[{"id":"…"}]}]
project=$(api GET '/rest/v1/projects?select=id,hypotheses!inner(id)&limit=1')
ids=($(grep -o '[0-9a-f-]\{36\}' <<<"$project"))
hypotheses=$(printf ', "%s"' "${ids[@]:1}")

# Upload. With an Idempotency-Key, a repeated request gets the same answer.
import=$(api POST /api/import --header "Idempotency-Key: $(new_key)" \
  --form "project_id=${ids[0]}" --form "file=@$1" | text importId)

# Open the stream of events before the parse, so that none is missed. Its first line says that it is open.
exec 3< <(exec curl --silent --no-buffer "$API_URL/api/import/$import/events" \
  --header "apikey: $ANON_KEY" --header "Authorization: Bearer $TOKEN")
stream=$!
trap 'kill "$stream" 2>/dev/null || true' EXIT
read -r _ <&3

api POST "/api/import/$import/parse" --header "Idempotency-Key: $(new_key)" \
  --json "{\"hypothesisIds\": [${hypotheses:2}]}" >/dev/null

# Wait for the event. Should the stream break, poll.
grep --max-count=1 -E '^event: import\.(parsed|failed|canceled|terminated|timed_out)' <&3 || true
until api GET "/api/import/$import" | grep -qE '"status":"(parsed|failed|canceled|terminated|timed_out)"'; do
  sleep 2
done

# Read the evidence, each with what it says about which hypothesis.
columns='speaker,quote,evidence_hypotheses(stance,hypotheses(statement))'
api GET "/rest/v1/evidence?import_id=eq.$import&select=$columns"
echo
