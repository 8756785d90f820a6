// Checks of how assistants connect, through @modelcontextprotocol/sdk, unchanged from npm. Its auth() finds
// the authorization server, registers the app, and exchanges codes and refresh tokens.
// apps_client_test.go starts this file and passes the address and the keys of the service.
import { after, test } from 'node:test';
import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict';
import { auth, discoverOAuthServerInfo, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { API_URL, ANON_KEY, SERVICE_ROLE_KEY, EMAIL, PASSWORD, CLIENT_ID_URL } = process.env;
const given = { API_URL, ANON_KEY, SERVICE_ROLE_KEY, EMAIL, PASSWORD, CLIENT_ID_URL };
for (const [name, value] of Object.entries(given)) ok(value, `${name} is not set: run make test-clients`);

const serverUrl = `${API_URL}/mcp`;
const issuer = `${API_URL}/auth/v1`;
const redirectUrl = 'http://127.0.0.1:33418/callback';

const send = async (method, path, { token, body, key = ANON_KEY } = {}) => {
  const response = await fetch(`${API_URL}/auth/v1${path}`, {
    method,
    headers: {
      apikey: key,
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  ok(response.ok, `${method} ${path}: ${text}`);
  return text ? JSON.parse(text) : null;
};
const asAdmin = (method, path, body) =>
  send(method, `/admin/oauth/clients${path}`, { token: SERVICE_ROLE_KEY, key: SERVICE_ROLE_KEY, body });
const user = await send('POST', '/token?grant_type=password', { body: { email: EMAIL, password: PASSWORD } });

// An App keeps what the SDK gives it, as an assistant does.
class App {
  redirectUrl = redirectUrl;
  clientMetadata = {
    client_name: 'An assistant',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  registrations = 0;
  constructor(fields = {}) {
    Object.assign(this, fields);
  }
  state = () => 'the state of the app';
  clientInformation = () => this.information;
  saveClientInformation(information) {
    this.information = information;
    this.registrations++;
  }
  tokens = () => this.saved;
  saveTokens(tokens) {
    this.saved = tokens;
  }
  redirectToAuthorization(address) {
    this.address = address;
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }
  codeVerifier = () => this.verifier;
  invalidateCredentials(scope) {
    if (scope === 'all' || scope === 'client') this.information = undefined;
    if (scope === 'all' || scope === 'tokens') this.saved = undefined;
  }
}

// browse opens an address as a browser does, and returns where it leads.
async function browse(address) {
  const response = await fetch(address, { redirect: 'manual', headers: { Accept: 'text/html' } });
  equal(response.status, 302, await response.text());
  return new URL(response.headers.get('Location'));
}

// answer answers on the consent page, and returns where the browser goes then.
async function answer(app, action) {
  const page = await browse(app.address);
  equal(page.origin + page.pathname, `${API_URL}/oauth/consent`);
  const id = page.searchParams.get('authorization_id');
  const details = await send('GET', `/oauth/authorizations/${id}`, { token: user.access_token });
  equal(details.authorization_id, id);
  const { redirect_url } = await send('POST', `/oauth/authorizations/${id}/consent`, {
    token: user.access_token,
    body: { action },
  });
  const back = new URL(redirect_url);
  equal(back.searchParams.get('iss'), issuer);
  equal(back.searchParams.get('state'), 'the state of the app');
  return { details, back };
}

const clients = [];
after(() => Promise.all(clients.map((c) => c.close())));

async function connected(app) {
  const transport = new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: app });
  const client = new Client({ name: 'clienttest', version: '1' });
  await client.connect(transport);
  clients.push(client);
  return client;
}

// connect goes the whole way: it is refused, asks the user, exchanges the code, and connects.
async function connect(app) {
  const transport = new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: app });
  await rejects(new Client({ name: 'clienttest', version: '1' }).connect(transport), UnauthorizedError);
  const { details, back } = await answer(app, 'approve');
  await transport.finishAuth(back.searchParams.get('code'));
  return { details, client: await connected(app) };
}

async function requireUsable(client) {
  const { tools } = await client.listTools();
  ok(tools.some((tool) => tool.name === 'list_projects'));
  const { isError, structuredContent } = await client.callTool({ name: 'list_projects', arguments: {} });
  ok(!isError);
  ok(structuredContent);
}

const claims = (jwt) => JSON.parse(Buffer.from(jwt.split('.')[1], 'base64url').toString());

test('the documents lead from /mcp to the authorization server', async () => {
  const found = await discoverOAuthServerInfo(serverUrl);
  equal(found.authorizationServerUrl, issuer);
  equal(found.resourceMetadata.resource, serverUrl);
  const metadata = found.authorizationServerMetadata;
  equal(metadata.issuer, issuer);
  equal(metadata.registration_endpoint, `${issuer}/oauth/clients/register`);
  equal(metadata.client_id_metadata_document_supported, true);
  equal(metadata.authorization_response_iss_parameter_supported, true);
});

test('an app that registers itself connects, and refreshes its tokens', async () => {
  const app = new App();
  const { details, client } = await connect(app);
  await requireUsable(client);
  equal(app.registrations, 1);
  equal(details.client.name, 'An assistant');
  equal(details.client.registration_type, 'dynamic');
  equal(details.redirect_host, '127.0.0.1');
  const token = claims(app.saved.access_token);
  equal(token.aud, serverUrl);
  equal(token.client_id, app.information.client_id);
  equal(token.sub, user.user.id);
  equal(app.saved.scope, 'research:read', 'what the challenge of /mcp names');

  const before = app.saved;
  equal(await auth(app, { serverUrl }), 'AUTHORIZED');
  notEqual(app.saved.refresh_token, before.refresh_token);
  await requireUsable(await connected(app));
});

test('an app on another port of the same machine is the same app', async () => {
  const app = new App();
  await connect(app);
  const again = new App({ information: app.information, redirectUrl: 'http://127.0.0.1:49152/callback' });
  await requireUsable((await connect(again)).client);
  equal(again.registrations, 0);
});

test('a client with a secret, which an administrator registered, connects', async () => {
  for (const method of ['client_secret_basic', 'client_secret_post']) {
    const made = await asAdmin('POST', '', {
      client_name: 'Dashboard',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: method,
    });
    const app = new App({ information: { ...made, issuer } });
    const { details, client } = await connect(app);
    await requireUsable(client);
    equal(app.registrations, 0);
    equal(details.client.registration_type, 'manual');

    app.information.client_secret = 'guessed';
    app.saveClientInformation = undefined; // it cannot register again
    await rejects(auth(app, { serverUrl }));
  }
});

test('an app connects by the URL of its metadata document', async () => {
  const app = new App({ clientMetadataUrl: CLIENT_ID_URL });
  const { details, client } = await connect(app);
  await requireUsable(client);
  equal(app.information.client_id, CLIENT_ID_URL);
  equal(details.client.id, CLIENT_ID_URL);
  equal(details.client.name, 'A documented assistant');
  equal(details.client.registration_type, 'metadata_document');
  equal(details.client.host, new URL(CLIENT_ID_URL).host, 'what the app cannot choose');
  equal(claims(app.saved.access_token).client_id, CLIENT_ID_URL);
  equal(await auth(app, { serverUrl }), 'AUTHORIZED');
  await requireUsable(await connected(app));
});

test('a document of a host that is not allowed is refused on a page', async () => {
  const app = new App({ clientMetadataUrl: 'https://169.254.169.254/client.json' });
  equal(await auth(app, { serverUrl }), 'REDIRECT');
  const response = await fetch(app.address, { redirect: 'manual', headers: { Accept: 'text/html' } });
  equal(response.status, 400);
  match(await response.text(), /cannot be connected/);
});

test('an app is told that the user denied', async () => {
  const app = new App();
  equal(await auth(app, { serverUrl }), 'REDIRECT');
  const { back } = await answer(app, 'deny');
  equal(back.searchParams.get('error'), 'access_denied');
  equal(back.searchParams.get('code'), null);
});

test('an app that the user disconnects has no access within three seconds', async () => {
  const app = new App();
  const { client } = await connect(app);
  await requireUsable(client);
  const query = `?client_id=${encodeURIComponent(app.information.client_id)}`;
  await send('DELETE', `/user/oauth/grants${query}`, { token: user.access_token });
  const grants = await send('GET', '/user/oauth/grants', { token: user.access_token });
  ok(!grants.some((grant) => grant.client.id === app.information.client_id));
  const status = async () =>
    (
      await fetch(serverUrl, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${app.saved.access_token}`,
          Accept: 'application/json, text/event-stream',
          'Content-Type': 'application/json',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
    ).status;
  const deadline = Date.now() + 3000;
  while (Date.now() < deadline && (await status()) !== 401) await new Promise((r) => setTimeout(r, 50));
  equal(await status(), 401);
  equal(await auth(app, { serverUrl }), 'REDIRECT', 'its refresh token is void as well');
});

test('an app that was deleted registers again', async () => {
  const app = new App();
  await connect(app);
  const deleted = app.information.client_id;
  await asAdmin('DELETE', `/${deleted}`);
  equal(await auth(app, { serverUrl }), 'REDIRECT', 'invalid_client makes the SDK forget the registration');
  notEqual(app.information.client_id, deleted);
  await answer(app, 'approve');
});

test('each app has what the user has allowed, in the list of the user', async () => {
  const grants = await send('GET', '/user/oauth/grants', { token: user.access_token });
  const documented = grants.find((grant) => grant.client.id === CLIENT_ID_URL);
  deepEqual(documented.scopes, ['research:read']);
});
