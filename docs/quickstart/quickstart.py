"""Uploads an interview, parses it, waits for the end, and prints the evidence.

API_URL=… ANON_KEY=… EMAIL=… PASSWORD=… python3 quickstart.py interview.vtt

Needs Python 3.9 or newer, and no packages.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

API_URL = os.environ["API_URL"]
ENDED = {"parsed", "failed", "canceled", "terminated", "timed_out"}
headers = {"apikey": os.environ["ANON_KEY"]}


def api(method, path, body=None, content_type="application/json"):
    """Sends a request, and repeats it when the service is busy or cannot be reached.

    Each call has its own key, so that a repeated request gets the same answer.
    """
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    own = {"Idempotency-Key": str(uuid.uuid4()), "Content-Type": content_type}
    request = urllib.request.Request(API_URL + path, body, {**headers, **own}, method=method)
    for attempt in range(6):
        try:
            return urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            if attempt == 5 or error.code not in (409, 429, 503, 504):
                raise SystemExit(f"{error.code} {error.read().decode()}")
            time.sleep(float(error.headers.get("Retry-After", 2**attempt)))


def get(path):
    return json.load(api("GET", path))


def form(fields, filename, content):
    """Encodes an upload."""
    boundary = uuid.uuid4().hex
    parts = []
    for name, value in fields.items():
        parts.append(f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}'.encode())
    parts.append(f'Content-Disposition: form-data; name="file"; filename="{filename}"\r\n\r\n'.encode() + content)
    body = b"".join(f"--{boundary}\r\n".encode() + part + b"\r\n" for part in parts)
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


# Sign in. The access token is valid for an hour.
credentials = {"email": os.environ["EMAIL"], "password": os.environ["PASSWORD"]}
session = json.load(api("POST", "/auth/v1/token?grant_type=password", credentials))
headers["Authorization"] = "Bearer " + session["access_token"]

# A project with its hypotheses.
project = get("/rest/v1/projects?select=id,hypotheses!inner(id)&limit=1")[0]

# Upload.
with open(sys.argv[1], "rb") as file:
    body, content_type = form({"project_id": project["id"]}, os.path.basename(sys.argv[1]), file.read())
import_id = json.load(api("POST", "/api/import", body, content_type))["importId"]

# Open the stream of events before the parse, so that none is missed.
stream = api("GET", f"/api/import/{import_id}/events")
api("POST", f"/api/import/{import_id}/parse", {"hypothesisIds": [h["id"] for h in project["hypotheses"]]})

# Wait for the event. Should the stream break, poll.
for line in stream:
    if line.decode().strip() in {f"event: import.{status}" for status in ENDED}:
        break
while get(f"/api/import/{import_id}")["status"] not in ENDED:
    time.sleep(2)

# Read the evidence, each with what it says about which hypothesis.
columns = urllib.parse.quote("speaker,quote,evidence_hypotheses(stance,hypotheses(statement))")
for evidence in get(f"/rest/v1/evidence?import_id=eq.{import_id}&select={columns}"):
    print(f"{evidence['speaker']}: {evidence['quote']}")
    for link in evidence["evidence_hypotheses"]:
        print(f"  {link['stance']}: {link['hypotheses']['statement']}")
