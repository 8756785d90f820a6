// Checks of apps that act for users, through @supabase/supabase-js, unchanged from npm: auth.oauth of users
// and auth.admin.oauth of administrators.
// clients_test.go starts this file and passes the address and the keys of the service.
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { createClient } from '@supabase/supabase-js';

const { API_URL, ANON_KEY, SERVICE_ROLE_KEY, EMAIL, PASSWORD } = process.env;
for (const [name, value] of Object.entries({ API_URL, ANON_KEY, SERVICE_ROLE_KEY, EMAIL, PASSWORD }))
  ok(value, `${name} is not set: run make test-clients`);

// supabase-js requires a WebSocket for its realtime part. Node has one from version 22 on; no check opens it.
class NoSocket {}
const client = (key) =>
  createClient(API_URL, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: globalThis.WebSocket ?? NoSocket },
  });
const apps = client(SERVICE_ROLE_KEY).auth.admin.oauth;
const user = client(ANON_KEY);
const signedIn = await user.auth.signInWithPassword({ email: EMAIL, password: PASSWORD });
equal(signedIn.error, null);
const { oauth } = user.auth;

// data returns the data of an answer without an error.
async function data(answer) {
  const { data, error } = await answer;
  equal(error, null);
  return data;
}

const redirectURI = 'https://dashboard.example/callback';
const create = (other = {}) =>
  data(apps.createClient({ client_name: 'Dashboard', redirect_uris: [redirectURI], ...other }));

// ask begins a request of an app in the browser, and returns its id and the verifier.
async function ask(app, other = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri: redirectURI,
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'research:read email',
    resource: `${API_URL}/mcp`,
    state: 'of the app',
    ...other,
  });
  const answer = await fetch(`${API_URL}/auth/v1/oauth/authorize?${query}`, { redirect: 'manual' });
  equal(answer.status, 302);
  const page = new URL(answer.headers.get('location'));
  equal(page.pathname, '/oauth/consent');
  return { id: page.searchParams.get('authorization_id'), verifier };
}

// exchange sends the form of RFC 6749, with the secret in the way of the client.
async function exchange(app, fields, secret = app.client_secret) {
  const basic = app.token_endpoint_auth_method === 'client_secret_basic';
  const body = new URLSearchParams(fields);
  if (!basic) body.set('client_id', app.client_id);
  if (!basic && secret) body.set('client_secret', secret);
  const credentials = Buffer.from(`${app.client_id}:${secret}`).toString('base64');
  const answer = await fetch(`${API_URL}/auth/v1/oauth/token`, {
    method: 'POST',
    headers: basic ? { Authorization: `Basic ${credentials}` } : {},
    body,
  });
  return { status: answer.status, header: answer.headers, body: await answer.json() };
}

const codeOf = (redirect, verifier) => ({
  grant_type: 'authorization_code',
  code: new URL(redirect).searchParams.get('code'),
  redirect_uri: redirectURI,
  code_verifier: verifier,
});

test('an administrator creates an app with a secret', async () => {
  const app = await create();
  equal(app.client_type, 'confidential');
  equal(app.token_endpoint_auth_method, 'client_secret_basic');
  equal(app.registration_type, 'manual');
  deepEqual(app.redirect_uris, [redirectURI]);
  deepEqual(app.response_types, ['code']);
  match(app.client_secret, /^[\w-]{43}$/);
});
test('an administrator creates a public app', async () => {
  const app = await create({ token_endpoint_auth_method: 'none' });
  equal(app.client_type, 'public');
  equal(app.client_secret, undefined);
});
test('an app with a script as redirect URI is rejected', async () => {
  const { error } = await apps.createClient({ client_name: 'Evil', redirect_uris: ['javascript:alert(1)'] });
  equal(error.code, 'validation_failed');
  equal(error.status, 400);
});
test('an administrator lists apps, page by page', async () => {
  const made = [await create(), await create()];
  const all = await data(apps.listClients());
  for (const app of made) ok(all.clients.some((c) => c.client_id === app.client_id && !c.client_secret));
  const first = await data(apps.listClients({ page: 1, perPage: 1 }));
  equal(first.clients.length, 1);
  equal(first.nextPage, 2);
  ok(first.total >= 2);
});
test('an administrator reads, changes and deletes an app', async () => {
  const app = await create();
  const changed = await data(apps.updateClient(app.client_id, { client_name: 'Renamed' }));
  equal(changed.client_name, 'Renamed');
  deepEqual((await data(apps.getClient(app.client_id))).client_name, 'Renamed');
  await data(apps.deleteClient(app.client_id));
  equal((await apps.getClient(app.client_id)).error.code, 'oauth_client_not_found');
});
test('an administrator replaces the secret of an app', async () => {
  const app = await create();
  const renewed = await data(apps.regenerateClientSecret(app.client_id));
  notEqual(renewed.client_secret, app.client_secret);
  const old = await exchange(app, { grant_type: 'refresh_token', refresh_token: 'x' });
  equal(old.status, 401);
  equal(old.body.error, 'invalid_client');
  match(old.header.get('www-authenticate'), /^Basic/);
  const now = await exchange(renewed, { grant_type: 'refresh_token', refresh_token: 'x' });
  equal(now.body.error, 'invalid_grant');
});
test('nobody else administers apps', async () => {
  equal((await user.auth.admin.oauth.listClients()).error.status, 403);
  equal((await client(ANON_KEY).auth.admin.oauth.listClients()).error.status, 403);
});

test('a user reads what an app asks for, and approves', async () => {
  const app = await create();
  const { id, verifier } = await ask(app);
  const details = await data(oauth.getAuthorizationDetails(id));
  equal(details.authorization_id, id);
  equal(details.redirect_uri, redirectURI);
  equal(details.client.id, app.client_id);
  equal(details.client.name, 'Dashboard');
  equal(details.user.email, EMAIL);
  equal(details.scope, 'research:read email');
  const { redirect_url } = await data(oauth.approveAuthorization(id));
  const back = new URL(redirect_url);
  equal(back.origin + back.pathname, redirectURI);
  equal(back.searchParams.get('state'), 'of the app');
  equal(back.searchParams.get('iss'), `${API_URL}/auth/v1`);
  const tokens = await exchange(app, codeOf(redirect_url, verifier));
  equal(tokens.status, 200);
  equal(tokens.body.token_type, 'bearer');
  const again = await exchange(app, codeOf(redirect_url, verifier));
  equal(again.body.error, 'invalid_grant');
});
test('the token of an app is no session of the user', async () => {
  const app = await create();
  const { id, verifier } = await ask(app);
  const { redirect_url } = await data(oauth.approveAuthorization(id));
  const { body } = await exchange(app, codeOf(redirect_url, verifier));
  ok((await user.auth.getUser(body.access_token)).error);
  const refreshed = await client(ANON_KEY).auth.refreshSession({ refresh_token: body.refresh_token });
  equal(refreshed.error.code, 'refresh_token_not_found');
  const answer = await fetch(`${API_URL}/rest/v1/projects`, {
    headers: { apikey: ANON_KEY, Authorization: `Bearer ${body.access_token}` },
  });
  equal(answer.status, 401);
});
test('a user denies', async () => {
  const { id } = await ask(await create());
  await data(oauth.getAuthorizationDetails(id));
  const { redirect_url } = await data(oauth.denyAuthorization(id));
  equal(new URL(redirect_url).searchParams.get('error'), 'access_denied');
  equal((await oauth.approveAuthorization(id)).error.code, 'validation_failed');
});
test('a request that does not exist is not found', async () => {
  const { error } = await oauth.getAuthorizationDetails('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
  equal(error.code, 'oauth_authorization_not_found');
});
test('a user who has approved the same before is not asked again', async () => {
  const app = await create();
  const first = await ask(app);
  await data(oauth.approveAuthorization(first.id));
  const again = await data(oauth.getAuthorizationDetails((await ask(app)).id));
  ok(new URL(again.redirect_url).searchParams.get('code'));
  const more = await data(oauth.getAuthorizationDetails((await ask(app, { scope: 'research:write' })).id));
  equal(more.redirect_url, undefined, 'for more than before');
});
test('a user lists apps, and disconnects one', async () => {
  const app = await create();
  const { id, verifier } = await ask(app);
  const { redirect_url } = await data(oauth.approveAuthorization(id));
  const { body } = await exchange(app, codeOf(redirect_url, verifier));
  const grant = (await data(oauth.listGrants())).find((g) => g.client.id === app.client_id);
  deepEqual(grant.scopes, ['research:read', 'email']);
  ok(Date.parse(grant.granted_at) <= Date.now());
  await data(oauth.revokeGrant({ clientId: app.client_id }));
  ok(!(await data(oauth.listGrants())).some((g) => g.client.id === app.client_id));
  const refreshed = await exchange(app, { grant_type: 'refresh_token', refresh_token: body.refresh_token });
  equal(refreshed.body.error, 'invalid_grant');
  ok((await oauth.revokeGrant({ clientId: app.client_id })).error);
});
test('signing out everywhere leaves apps connected', async () => {
  const app = await create();
  const other = client(ANON_KEY);
  await data(other.auth.signInWithPassword({ email: EMAIL, password: PASSWORD }));
  const { id, verifier } = await ask(app);
  const { redirect_url } = await data(other.auth.oauth.approveAuthorization(id));
  const { body } = await exchange(app, codeOf(redirect_url, verifier));
  equal((await other.auth.signOut({ scope: 'others' })).error, null);
  const refreshed = await exchange(app, { grant_type: 'refresh_token', refresh_token: body.refresh_token });
  equal(refreshed.status, 200);
  // The session of the other checks has ended.
  await data(user.auth.signInWithPassword({ email: EMAIL, password: PASSWORD }));
});
