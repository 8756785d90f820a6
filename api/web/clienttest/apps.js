// Apps that ask for access, as assistants do.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { base } from './harness.js';

// callback is the server of an app, on this machine. It notes where browsers come back to. Its page at /frame
// has the address of the query in a frame.
export async function callback(t) {
  const came = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://app');
    response.setHeader('Content-Type', 'text/html');
    const begin = '<!doctype html><title>App</title><link rel="icon" href="data:,">';
    if (pathname === '/frame') {
      response.end(`${begin}<iframe src="${searchParams.get('of')}"></iframe>`);
      return;
    }
    came.push(request.url);
    response.end(`${begin}<h1>The app has it</h1>`);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { origin: `http://127.0.0.1:${server.address().port}`, came };
}

const post = (path, headers, body) => fetch(`${base}/auth/v1${path}`, { method: 'POST', headers, body });

// register registers an app by itself, and returns its id.
export async function register(name, redirect) {
  const response = await post(
    '/oauth/clients/register',
    { 'Content-Type': 'application/json' },
    JSON.stringify({
      client_name: name,
      redirect_uris: [redirect],
      token_endpoint_auth_method: 'none',
    }),
  );
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()).client_id;
}

// begin is where an app sends the browser of a user, and how it exchanges the code.
export function begin(client, redirect, scope = 'research:read research:write') {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'a state',
    scope,
    resource: `${base}/mcp`,
  });
  return {
    address: `${base}/auth/v1/oauth/authorize?${query}`,
    async exchange(code) {
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        client_id: client,
        redirect_uri: redirect,
        code_verifier: verifier,
      });
      const response = await post('/oauth/token', {}, body);
      assert.equal(response.status, 200, await response.clone().text());
      return response.json();
    },
  };
}

// callTool has an assistant list the projects, and returns the status.
export async function callTool(token) {
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_projects', arguments: {} },
    }),
  });
  await response.text();
  return response.status;
}
