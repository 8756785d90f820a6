#!/usr/bin/env bash
# Verifies the signature of a webhook by hand. Needs OpenSSL, which gets the key as an argument: other users of
# the machine can see it meanwhile.
#
#   WEBHOOK_SECRET=whsec_… ./webhook.sh WEBHOOK-ID WEBHOOK-TIMESTAMP WEBHOOK-SIGNATURE <body.json
set -euo pipefail

(($# == 3)) || { echo "usage: WEBHOOK_SECRET=whsec_… $0 ID TIMESTAMP SIGNATURE <body.json" >&2; exit 2; }
[[ ${WEBHOOK_SECRET-} =~ ^whsec_[A-Za-z0-9+/]+=*$ ]] ||
  { echo 'WEBHOOK_SECRET must be the secret that the service showed: whsec_…' >&2; exit 2; }

# A signature may be five minutes old, so that a recorded request cannot be sent again later.
[[ $2 =~ ^[0-9]+$ ]] || { echo 'The timestamp is not valid.' >&2; exit 1; }
age=$(($(date +%s) - 10#$2))
((age <= 300 && age >= -300)) || { echo 'The timestamp is too old.' >&2; exit 1; }

key=$(base64 --decode <<<"${WEBHOOK_SECRET#whsec_}" | od -An -v -tx1 | tr -d ' \n')
expected=$({ printf '%s.%s.' "$1" "$2" && cat; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)

read -ra signatures <<<"$3"
for signature in "${signatures[@]}"; do
  [[ $signature == "v1,$expected" ]] && exit 0
done
echo 'The signature is not valid.' >&2
exit 1
