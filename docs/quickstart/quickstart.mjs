// Uploads an interview, parses it, waits for the end, and prints the evidence. Needs Node 20 or newer.
//
//   API_URL=… ANON_KEY=… EMAIL=… PASSWORD=… node quickstart.mjs interview.vtt
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

const { API_URL, ANON_KEY, EMAIL, PASSWORD } = process.env;
const ended = ['parsed', 'failed', 'canceled', 'terminated', 'timed_out'];
const headers = { apikey: ANON_KEY };

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
      throw new Error(`${response.status} ${await response.text()}`);
    const seconds = Number(response.headers.get('Retry-After') ?? 2 ** attempt);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}
const get = async (path) => (await api('GET', path)).json();
const post = async (path, body) => (await api('POST', path, body)).json();

// Sign in. The access token is valid for an hour.
const session = await post('/auth/v1/token?grant_type=password', { email: EMAIL, password: PASSWORD });
headers.Authorization = `Bearer ${session.access_token}`;

// A project with its hypotheses.
const [project] = await get('/rest/v1/projects?select=id,hypotheses!inner(id)&limit=1');

// Upload.
const form = new FormData();
form.append('project_id', project.id);
form.append('file', new Blob([await readFile(process.argv[2])]), basename(process.argv[2]));
const { importId } = await post('/api/import', form);

// Open the stream of events before the parse, so that none is missed.
const stream = await api('GET', `/api/import/${importId}/events`);
await post(`/api/import/${importId}/parse`, { hypothesisIds: project.hypotheses.map(({ id }) => id) });

// Wait for the event. Should the stream break, poll.
let received = '';
for await (const text of stream.body.pipeThrough(new TextDecoderStream())) {
  received += text;
  if (ended.some((status) => received.includes(`event: import.${status}\n`))) break;
}
while (!ended.includes((await get(`/api/import/${importId}`)).status))
  await new Promise((resolve) => setTimeout(resolve, 2000));

// Read the evidence, each with what it says about which hypothesis.
const columns = 'speaker,quote,evidence_hypotheses(stance,hypotheses(statement))';
for (const evidence of await get(`/rest/v1/evidence?import_id=eq.${importId}&select=${columns}`)) {
  console.log(`${evidence.speaker}: ${evidence.quote}`);
  for (const link of evidence.evidence_hypotheses)
    console.log(`  ${link.stance}: ${link.hypotheses.statement}`);
}
