// Uploads an interview, parses it for a hypothesis, waits for the end, and prints the evidence. Needs Node 20
// or newer.
//
//   API_URL=… ANON_KEY=… EMAIL=… PASSWORD=… node quickstart.mjs interview.vtt 'Receipts get lost.'
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

const { API_URL, ANON_KEY, EMAIL, PASSWORD } = process.env;
const [filename, statement] = process.argv.slice(2);
const ended = ['parsed', 'failed', 'canceled', 'terminated', 'timed_out'];

// fail prints a sentence, and ends the program.
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
process.on('uncaughtException', ({ message, cause }) =>
  fail(cause ? `${message}: ${cause.message}` : message),
);
if (!API_URL || !ANON_KEY || !EMAIL || !PASSWORD || !statement)
  fail('usage: API_URL=… ANON_KEY=… EMAIL=… PASSWORD=… node quickstart.mjs INTERVIEW HYPOTHESIS');

// An insert answers with the rows.
const headers = { apikey: ANON_KEY, Prefer: 'return=representation' };

// api sends a request, and repeats it when the service is busy or cannot be reached. Each call has its own
// key, so that a repeated request gets the same answer.
async function api(method, path, body) {
  const json = body !== undefined && !(body instanceof FormData);
  const options = {
    method,
    headers: {
      ...headers,
      'Idempotency-Key': crypto.randomUUID(),
      ...(json && { 'Content-Type': 'application/json' }),
    },
    body: json ? JSON.stringify(body) : body,
  };
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(API_URL + path, options);
    if (response.ok) return response;
    if (attempt === 5 || ![409, 429, 503, 504].includes(response.status))
      throw new Error(`${method} ${path} has failed: ${response.status} ${await response.text()}`);
    const seconds = Number(response.headers.get('Retry-After') ?? 2 ** attempt);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}
const get = async (path) => (await api('GET', path)).json();
const post = async (path, body) => (await api('POST', path, body)).json();

// Sign in. The access token is valid for an hour.
const session = await post('/auth/v1/token?grant_type=password', { email: EMAIL, password: PASSWORD });
headers.Authorization = `Bearer ${session.access_token}`;

// The first project. A new account has none: create a workspace, and a project in it.
let [project] = await get('/rest/v1/projects?select=id&order=created_at&limit=1');
if (!project) {
  const [workspace] = await post('/rest/v1/workspaces', { name: 'My company' });
  [project] = await post('/rest/v1/projects', { workspace_id: workspace.id, name: 'Receipts' });
}

// The hypothesis, which is created if the project does not have it.
const wanted = new URLSearchParams({ project_id: `eq.${project.id}`, statement: `eq.${statement}` });
let [hypothesis] = await get(`/rest/v1/hypotheses?limit=1&${wanted}`);
if (!hypothesis) [hypothesis] = await post('/rest/v1/hypotheses', { project_id: project.id, statement });

// Upload.
const form = new FormData();
form.append('project_id', project.id);
form.append('file', new Blob([await readFile(filename)]), basename(filename));
const { importId } = await post('/api/import', form);

// Open the stream of events before the parse, so that none is missed.
const stream = await api('GET', `/api/import/${importId}/events`);
await post(`/api/import/${importId}/parse`, { hypothesisIds: [hypothesis.id] });

// Wait for the event. Should the stream break, poll.
let received = '';
for await (const text of stream.body.pipeThrough(new TextDecoderStream())) {
  received += text;
  if (ended.some((status) => received.includes(`event: import.${status}\n`))) break;
}
let state;
while (!ended.includes((state = await get(`/api/import/${importId}`)).status))
  await new Promise((resolve) => setTimeout(resolve, 2000));
if (state.status !== 'parsed') fail(`The interview is ${state.status}. ${state.errorMessage ?? ''}`);

// Read the evidence, each with what it says about which hypothesis.
const columns = 'speaker,quote,evidence_hypotheses(stance,hypotheses(statement))';
const found = await get(`/rest/v1/evidence?import_id=eq.${importId}&select=${columns}`);
if (!found.length) console.log('No evidence was found in the interview.');
for (const evidence of found) {
  console.log(`${evidence.speaker}: ${evidence.quote}`);
  for (const link of evidence.evidence_hypotheses)
    console.log(`  ${link.stance}: ${link.hypotheses.statement}`);
}
