// Checks of signing in with an account at a provider, through @supabase/supabase-js, unchanged from npm. The
// provider is the example of zitadel/oidc; its people are in PEOPLE, each for one check.
// external_client_test.go starts this file and passes the address and the keys of the service.
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { createClient } from '@supabase/supabase-js';

const { API_URL, ANON_KEY, SERVICE_ROLE_KEY, ISSUER, CLIENT_ID, CLIENT_SECRET, PEOPLE } = process.env;
for (const [name, value] of Object.entries({
  API_URL,
  ANON_KEY,
  SERVICE_ROLE_KEY,
  ISSUER,
  CLIENT_ID,
  PEOPLE,
}))
  ok(value, `${name} is not set: run make test-clients`);

const provider = 'custom:zitadel';
const people = JSON.parse(PEOPLE);
const person = () => people.pop();
const callback = `${API_URL}/auth/v1/callback`;
const passphrase = 'a fine long passphrase';

// supabase-js requires a WebSocket for its realtime part. Node has one from version 22 on; no check opens it.
class NoSocket {}
function client() {
  const kept = new Map(); // also the verifier of PKCE
  const storage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
  return createClient(API_URL, ANON_KEY, {
    auth: { flowType: 'pkce', storage, autoRefreshToken: false, detectSessionInUrl: false },
    realtime: { transport: globalThis.WebSocket ?? NoSocket },
  });
}

// data returns the data of an answer without an error.
async function data(answer) {
  const { data, error } = await answer;
  equal(error, null);
  return data;
}

// A browser keeps cookies by host, and returns where an answer leads to.
function browser() {
  const cookies = new Map();
  return async function open(address, form) {
    const { host } = new URL(address);
    const answer = await fetch(address, {
      method: form ? 'POST' : 'GET',
      body: form && new URLSearchParams(form),
      redirect: 'manual',
      headers: { cookie: [...(cookies.get(host) ?? [])].map((pair) => pair.join('=')).join('; ') },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0].split('=');
      cookies.set(host, (cookies.get(host) ?? new Map()).set(name, value));
    }
    ok([302, 303].includes(answer.status), `${address}: ${answer.status}: ${await answer.text()}`);
    return new URL(answer.headers.get('location'), address);
  };
}

// logIn fills in the provider's form, and returns where the provider leads back to.
async function logIn(open, authorization, who) {
  const form = await open(authorization);
  const id = form.searchParams.get('authRequestID');
  return open(await open(form, { id, username: who.Username, password: who.Password }));
}

// follow goes all the way from an address of auth-js to the page, and returns the page's address.
async function follow(address, who) {
  const open = browser();
  return open(await logIn(open, await open(address), who));
}

// signIn signs in a person, and returns the client and the session.
async function signIn(who, auth = client()) {
  const options = { skipBrowserRedirect: true, redirectTo: `${API_URL}/after` };
  const { url } = await data(auth.auth.signInWithOAuth({ provider, options }));
  const page = await follow(url, who);
  equal(page.pathname, '/after');
  const { session, user } = await data(auth.auth.exchangeCodeForSession(page.searchParams.get('code')));
  return { auth: auth.auth, session, user };
}

// linkIdentity links the account of a person, and returns the session.
async function linkIdentity(auth, who) {
  const { url } = await data(auth.linkIdentity({ provider, options: { skipBrowserRedirect: true } }));
  const page = await follow(url, who);
  equal(page.searchParams.get('error_description'), null);
  return (await data(auth.exchangeCodeForSession(page.searchParams.get('code')))).session;
}

// issue gets tokens of the provider, as an app does that has a library of it.
async function issue(who, nonce) {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: CLIENT_ID,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid email profile',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'of the app',
    ...(nonce && { nonce: createHash('sha256').update(nonce).digest('hex') }),
  });
  const back = await logIn(browser(), `${ISSUER}auth?${query}`, who);
  const answer = await fetch(`${ISSUER}oauth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code'),
      redirect_uri: callback,
      code_verifier: verifier,
    }),
  });
  equal(answer.status, 200);
  const tokens = await answer.json();
  return { provider, token: tokens.id_token, access_token: tokens.access_token, nonce };
}

// member returns a client that is signed in with a password.
async function member() {
  const email = `member-${randomBytes(6).toString('hex')}@example.com`;
  const admin = createClient(API_URL, SERVICE_ROLE_KEY, { realtime: { transport: NoSocket } });
  await data(admin.auth.admin.createUser({ email, password: passphrase, email_confirm: true }));
  const { auth } = client();
  const { user } = await data(auth.signInWithPassword({ email, password: passphrase }));
  return { auth, user };
}

test('signInWithOAuth signs in', async () => {
  const who = person();
  const { auth, session, user } = await signIn(who);
  equal(session.token_type, 'bearer');
  equal(user.email, who.Email);
  equal(user.user_metadata.full_name, `${who.FirstName} ${who.LastName}`);
  deepEqual(user.app_metadata, { provider, providers: [provider] });
  equal(user.identities[0].provider, provider);
  equal((await data(auth.getUser())).user.id, user.id);
});
test('signInWithOAuth finds the same user again', async () => {
  const who = person();
  const first = await signIn(who);
  equal((await signIn(who)).user.id, first.user.id);
});
test('the session can be refreshed and ended', async () => {
  const { auth, session, user } = await signIn(person());
  const refreshed = await data(auth.refreshSession());
  notEqual(refreshed.session.refresh_token, session.refresh_token);
  equal(refreshed.user.id, user.id);
  equal((await auth.signOut()).error, null);
  ok((await client().auth.refreshSession({ refresh_token: refreshed.session.refresh_token })).error);
});
test('getClaims says that the person signed in at a provider', async () => {
  const { auth, user } = await signIn(person());
  const { claims } = await data(auth.getClaims());
  equal(claims.sub, user.id);
  equal(claims.aal, 'aal1');
  equal(claims.amr[0].method, 'oauth');
  deepEqual(claims.app_metadata.providers, [provider]);
});
test('a code without its verifier is worth nothing', async () => {
  const options = { skipBrowserRedirect: true };
  const { url } = await data(client().auth.signInWithOAuth({ provider, options }));
  const page = await follow(url, person());
  const thief = client().auth;
  await data(thief.signInWithOAuth({ provider, options }));
  const { error } = await thief.exchangeCodeForSession(page.searchParams.get('code'));
  equal(error.code, 'bad_code_verifier');
});
test('a person who cancels gets an error in the address', async () => {
  const open = browser();
  const options = { skipBrowserRedirect: true, redirectTo: `${API_URL}/after` };
  const { url } = await data(client().auth.signInWithOAuth({ provider, options }));
  const state = (await open(url)).searchParams.get('state');
  const page = await open(`${callback}?${new URLSearchParams({ state, error: 'access_denied' })}`);
  equal(page.pathname, '/after');
  equal(page.searchParams.get('error'), 'access_denied');
  equal(page.searchParams.get('error_code'), 'bad_oauth_callback');
});
test('the implicit flow is refused', async () => {
  const { auth } = createClient(API_URL, ANON_KEY, {
    auth: { flowType: 'implicit', persistSession: false },
    realtime: { transport: NoSocket },
  });
  const { url } = await data(auth.signInWithOAuth({ provider, options: { skipBrowserRedirect: true } }));
  const answer = await fetch(url, { redirect: 'manual' });
  equal(answer.status, 400);
  const problem = await answer.json();
  equal(problem.error_code, 'validation_failed');
  match(problem.msg, /flowType 'pkce'/);
});

test('signInWithIdToken signs in', async () => {
  const who = person();
  const { user, session } = await data(client().auth.signInWithIdToken(await issue(who, 'of the app')));
  equal(user.email, who.Email);
  ok(session.refresh_token);
  equal((await signIn(who)).user.id, user.id, 'the same user as by code');
});
test('signInWithIdToken refuses another nonce', async () => {
  const issued = await issue(person(), 'of the app');
  const { error } = await client().auth.signInWithIdToken({ ...issued, nonce: 'another' });
  equal(error.status, 400);
});
test('signInWithIdToken refuses a token that was changed', async () => {
  const issued = await issue(person());
  const [header, payload, signature] = issued.token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody else' })).toString('base64url');
  const { error } = await client().auth.signInWithIdToken({
    provider,
    token: `${header}.${forged}.${signature}`,
  });
  equal(error.status, 400);
});

test('linkIdentity links an account, and getUserIdentities lists it', async () => {
  const { auth, user } = await member();
  const who = person();
  const session = await linkIdentity(auth, who);
  equal(session.user.id, user.id);
  const { identities } = await data(auth.getUserIdentities());
  deepEqual(identities.map((i) => i.provider).sort(), [provider, 'email']);
  equal(identities.find((i) => i.provider === provider).identity_data.email, who.Email);
  equal((await signIn(who)).user.id, user.id);
});
test('unlinkIdentity removes it', async () => {
  const { auth, user } = await member();
  const who = person();
  await linkIdentity(auth, who);
  const { identities } = await data(auth.getUserIdentities());
  await data(auth.unlinkIdentity(identities.find((i) => i.provider === provider)));
  deepEqual(
    (await data(auth.getUserIdentities())).identities.map((i) => i.provider),
    ['email'],
  );
  notEqual((await signIn(who)).user.id, user.id);
});
test('unlinkIdentity of the address leaves the provider', async () => {
  const { auth, user } = await member();
  const who = person();
  await linkIdentity(auth, who);
  const { identities } = await data(auth.getUserIdentities());
  await data(auth.unlinkIdentity(identities.find((i) => i.provider === 'email')));
  deepEqual(
    (await data(auth.getUserIdentities())).identities.map((i) => i.provider),
    [provider],
  );
  const again = await client().auth.signInWithPassword({ email: user.email, password: passphrase });
  equal(again.error.code, 'invalid_credentials');
  equal((await signIn(who)).user.id, user.id);
});
test('the only identity is not unlinked', async () => {
  const { auth } = await signIn(person());
  const { identities } = await data(auth.getUserIdentities());
  equal((await auth.unlinkIdentity(identities[0])).error.code, 'single_identity_not_deletable');
});
test('linkIdentity refuses the account of another user', async () => {
  const who = person();
  await signIn(who);
  const { auth } = await member();
  const { url } = await data(auth.linkIdentity({ provider, options: { skipBrowserRedirect: true } }));
  equal((await follow(url, who)).searchParams.get('error_code'), 'identity_already_exists');
});
test('linkIdentity takes an ID token', async () => {
  const { auth, user } = await member();
  const linked = await data(auth.linkIdentity(await issue(person(), 'of the app')));
  equal(linked.user.id, user.id);
  ok((await data(auth.getUserIdentities())).identities.some((i) => i.provider === provider));
});
test('linkIdentity makes an anonymous user one who can sign in again', async () => {
  const { auth } = client();
  const { user } = await data(auth.signInAnonymously());
  const who = person();
  const session = await linkIdentity(auth, who);
  equal(session.user.id, user.id);
  equal(session.user.is_anonymous, false);
  equal(session.user.email, who.Email);
  equal((await signIn(who)).user.id, user.id);
});
test('a stranger links nothing', async () => {
  ok((await client().auth.linkIdentity({ provider, options: { skipBrowserRedirect: true } })).error);
});
test('settings list the provider', async () => {
  const settings = await (
    await fetch(`${API_URL}/auth/v1/settings`, { headers: { apikey: ANON_KEY } })
  ).json();
  equal(settings.external[provider], true);
  equal(settings.external.google, false);
});
