"""Uploads an interview, parses it for a hypothesis, waits for the end, and prints the evidence.

API_URL=… ANON_KEY=… EMAIL=… PASSWORD=… python3 quickstart.py interview.vtt 'Receipts get lost.'

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

if len(sys.argv) != 3 or not all(os.environ.get(name) for name in ("API_URL", "ANON_KEY", "EMAIL", "PASSWORD")):
    sys.exit("usage: API_URL=… ANON_KEY=… EMAIL=… PASSWORD=… python3 quickstart.py INTERVIEW HYPOTHESIS")
API_URL = os.environ["API_URL"]
FILENAME, STATEMENT = sys.argv[1:]
ENDED = {"parsed", "failed", "canceled", "terminated", "timed_out"}
headers = {"apikey": os.environ["ANON_KEY"], "Prefer": "return=representation"}  # an insert answers with the rows


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
                sys.exit(f"{method} {path} has failed: {error.code} {error.read().decode()}")
            time.sleep(float(error.headers.get("Retry-After", 2**attempt)))
        except urllib.error.URLError as error:
            sys.exit(f"{API_URL} cannot be reached: {error.reason}")


def get(path):
    return json.load(api("GET", path))


def post(path, body, content_type="application/json"):
    return json.load(api("POST", path, body, content_type))


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
session = post("/auth/v1/token?grant_type=password", credentials)
headers["Authorization"] = "Bearer " + session["access_token"]

# The first project. A new account has none: create a workspace, and a project in it.
projects = get("/rest/v1/projects?select=id&order=created_at&limit=1")
if not projects:
    [workspace] = post("/rest/v1/workspaces", {"name": "My company"})
    projects = post("/rest/v1/projects", {"workspace_id": workspace["id"], "name": "Receipts"})
project_id = projects[0]["id"]

# The hypothesis, which is created if the project does not have it.
wanted = urllib.parse.urlencode({"project_id": f"eq.{project_id}", "statement": f"eq.{STATEMENT}", "limit": 1})
hypotheses = get(f"/rest/v1/hypotheses?{wanted}") or post(
    "/rest/v1/hypotheses", {"project_id": project_id, "statement": STATEMENT}
)

# Upload.
try:
    with open(FILENAME, "rb") as file:
        body, content_type = form({"project_id": project_id}, os.path.basename(FILENAME), file.read())
except OSError as error:
    sys.exit(f"{FILENAME} cannot be read: {error.strerror}")
import_id = post("/api/import", body, content_type)["importId"]

# Open the stream of events before the parse, so that none is missed.
stream = api("GET", f"/api/import/{import_id}/events")
post(f"/api/import/{import_id}/parse", {"hypothesisIds": [hypotheses[0]["id"]]})

# Wait for the event. Should the stream break, poll.
for line in stream:
    if line.decode().strip() in {f"event: import.{status}" for status in ENDED}:
        break
while (state := get(f"/api/import/{import_id}"))["status"] not in ENDED:
    time.sleep(2)
if state["status"] != "parsed":
    sys.exit(f"The interview is {state['status']}. {state['errorMessage'] or ''}")

# Read the evidence, each with what it says about which hypothesis.
columns = urllib.parse.quote("speaker,quote,evidence_hypotheses(stance,hypotheses(statement))")
found = get(f"/rest/v1/evidence?import_id=eq.{import_id}&select={columns}")
if not found:
    print("No evidence was found in the interview.")
for evidence in found:
    print(f"{evidence['speaker']}: {evidence['quote']}")
    for link in evidence["evidence_hypotheses"]:
        print(f"  {link['stance']}: {link['hypotheses']['statement']}")
