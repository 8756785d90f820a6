// The page's module for streams of events, against a running service.
import assert from 'node:assert/strict';
import test from 'node:test';
import { follow, parser, StreamError } from '../../web/assets/client/events.js';

const { API_URL, ANON_KEY, EMAIL, PASSWORD, PROJECT, IMPORT } = process.env;

const session = await (
  await fetch(`${API_URL}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: ANON_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  })
).json();
const headers = async () => ({ apikey: ANON_KEY, Authorization: `Bearer ${session.access_token}` });

async function addQuestion(text) {
  const response = await fetch(`${API_URL}/rest/v1/questions`, {
    method: 'POST',
    headers: { ...(await headers()), 'Content-Type': 'application/json', Prefer: 'return=representation' },
    body: JSON.stringify({ project_id: PROJECT, text }),
  });
  assert.equal(response.status, 201);
  return (await response.json())[0].id;
}

test('messages are the same however the stream is cut into chunks', () => {
  const text =
    'retry: 5\r\nid: 1\r\n\r\n: comment\nevent: a\ndata: {"x":1}\ndata:more\nid: 2\n\ndata\r\r' +
    'id: 3\nunknown: y\ndata:  z\n\n';
  const whole = [
    { id: '1', type: 'message', data: null },
    { id: '2', type: 'a', data: '{"x":1}\nmore' },
    { id: '2', type: 'message', data: '' },
    { id: '3', type: 'message', data: ' z' },
  ];
  for (let size = 1; size <= text.length; size++) {
    const messages = [];
    const retries = [];
    const parse = parser(
      (m) => messages.push(m),
      (ms) => retries.push(ms),
    );
    for (let at = 0; at < text.length; at += size) parse(text.slice(at, at + size));
    assert.deepEqual(messages, whole, `chunks of ${size}`);
    assert.deepEqual(retries, [5]);
  }
});

test('a client that is cut off every few events misses none', async () => {
  const control = new AbortController();
  let connections = 0;
  const counting = (...args) => {
    connections++;
    return fetch(...args);
  };
  const wanted = 20;
  const seen = [];
  let opened;
  const open = new Promise((resolve) => (opened = resolve));
  const following = follow(`${API_URL}/api/events`, {
    headers,
    fetch: counting,
    wait: async () => {},
    signal: control.signal,
    onState: (state) => state === 'open' && opened(),
    onEvent(event) {
      if (event.type !== 'question.created') return;
      seen.push(event.data.data.entityId);
      if (seen.length === wanted) control.abort();
      else if (seen.length % 3 === 0) throw new Error('cut off');
    },
  });
  await open;
  const added = [];
  for (let n = 0; n < wanted; n++) added.push(await addQuestion(`Question ${n}?`));
  await following;
  assert.deepEqual(seen, added);
  assert.ok(connections > wanted / 3, `${connections} connections`);
});

test('a rejected token is replaced once', async () => {
  const control = new AbortController();
  const asked = [];
  await follow(`${API_URL}/api/import/${IMPORT}/events`, {
    headers: async (rejected) => {
      asked.push(rejected);
      return rejected ? headers() : { ...(await headers()), Authorization: 'Bearer of.no.use' };
    },
    signal: control.signal,
    onState: () => control.abort(),
    onEvent() {},
  });
  assert.deepEqual(asked, [false, true]);
});

test('there is nothing to follow', async (t) => {
  const refused = (path, given) =>
    assert.rejects(follow(`${API_URL}${path}`, { headers: given, onEvent() {} }), StreamError);
  await t.test('of an import that does not exist', () =>
    refused('/api/import/3d0fdb3a-6b9f-4d6e-9c3e-1c2f5f3c0a11/events', headers),
  );
  await t.test('for a token that stays rejected', () =>
    refused('/api/events', async () => ({ apikey: ANON_KEY, Authorization: 'Bearer of.no.use' })),
  );
});
