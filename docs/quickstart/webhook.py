"""Receives events from the service, verifies their signatures, and prints them.

WEBHOOK_SECRET=whsec_… python3 webhook.py 8080

Needs Python 3.9 or newer, and no packages.
"""

import base64
import hmac
import http.server
import json
import os
import sys
import time

if len(sys.argv) != 2:
    sys.exit("usage: WEBHOOK_SECRET=whsec_… python3 webhook.py PORT")
try:
    KEY = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").removeprefix("whsec_"), validate=True)
except ValueError:
    KEY = b""
if not KEY:  # everybody can sign with an empty key
    sys.exit("WEBHOOK_SECRET must be the secret that the service showed: whsec_…")
TOLERANCE = 5 * 60  # seconds, so that a recorded request cannot be sent again later


def is_signed(headers, body):
    """Reports whether the service has signed the body just now."""
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE:
        return False
    content = f"{headers.get('webhook-id')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, content, "sha256"))
    signatures = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(signature, expected) for signature in signatures)


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not is_signed(self.headers, body):
            self.send_error(400)
            return
        # An event may arrive again with the same id. Store it, answer, and do the work afterwards.
        event = json.loads(body)
        print(event["type"], event["id"], flush=True)
        self.send_response(204)
        self.end_headers()


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
