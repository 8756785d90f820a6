// Checks of our identity server through @supabase/supabase-js, unchanged from npm.
// clients_test.go starts this file and passes the address and the keys of the service.
import { createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { createClient } from '@supabase/supabase-js';

const { API_URL, ANON_KEY, SERVICE_ROLE_KEY, MAIL_DIR, OLD_SESSION } = process.env;
for (const [name, value] of Object.entries({ API_URL, ANON_KEY, SERVICE_ROLE_KEY, MAIL_DIR, OLD_SESSION }))
  ok(value, `${name} is not set: run make test-clients`);

// supabase-js requires a WebSocket for its realtime part. Node has one from version 22 on; no check opens it.
class NoSocket {}
const options = (auth = {}) => ({
  auth: { persistSession: false, autoRefreshToken: false, ...auth },
  realtime: { transport: globalThis.WebSocket ?? NoSocket },
});
const client = (auth, key = ANON_KEY) => createClient(API_URL, key, options(auth));
const admin = client({}, SERVICE_ROLE_KEY);

let people = 0;
const password = 'a fine long passphrase';
const address = () => `person-${process.pid}-${++people}@example.com`;
const created = [];
async function person(attributes = {}) {
  const email = address();
  const { data, error } = await admin.auth.admin.createUser({
    email,
    password,
    email_confirm: true,
    ...attributes,
  });
  equal(error, null);
  created.push(data.user.id);
  return { id: data.user.id, email };
}
async function signedIn(who, auth) {
  const c = client(auth);
  const { data, error } = await c.auth.signInWithPassword({ email: who.email, password });
  equal(error, null);
  return { c, session: data.session };
}
const claims = (jwt) => JSON.parse(Buffer.from(jwt.split('.')[1], 'base64url').toString());
const raw = (path, init = {}) =>
  fetch(`${API_URL}${path}`, {
    ...init,
    headers: { apikey: ANON_KEY, 'Content-Type': 'application/json', ...init.headers },
  });

// The error that auth-js makes of session_not_found.
const sessionGone = 'AuthSessionMissingError';

// Waits until a person has at least count mails and returns them, newest last.
async function mails(to, count = 1) {
  for (const until = Date.now() + 180_000; Date.now() < until; await new Promise((r) => setTimeout(r, 100))) {
    const names = (await readdir(MAIL_DIR).catch(() => [])).filter((n) => n.endsWith('.eml')).sort();
    const all = await Promise.all(names.map((n) => readFile(`${MAIL_DIR}/${n}`, 'utf8')));
    const theirs = all.filter((m) => m.includes(`To: <${to}>`));
    if (theirs.length >= count) return theirs;
  }
  throw new Error(`no ${count} mails to ${to}`);
}
const linkOf = (mail) =>
  new URL(
    mail
      .replaceAll('=\r\n', '')
      .replaceAll('=3D', '=')
      .match(/http[^\s"]*\/auth\/v1\/verify\?[^\s"]+/)[0],
  );

after(async () => {
  for (const id of created) await admin.auth.admin.deleteUser(id);
});

// Signing in

const ada = await person({ user_metadata: { name: 'Ada' } });

test('signInWithPassword gives a session', async () => {
  const { data, error } = await client().auth.signInWithPassword({ email: ada.email, password });
  equal(error, null);
  equal(data.session.token_type, 'bearer');
});
test('a session lasts 3600 seconds', async () => equal((await signedIn(ada)).session.expires_in, 3600));
test('a session says when it ends', async () => {
  const began = Math.floor(Date.now() / 1000);
  const { session } = await signedIn(ada);
  ok(session.expires_at >= began + 3600 && session.expires_at <= Date.now() / 1000 + 3600);
  equal(session.expires_at, claims(session.access_token).exp);
});
test('a session contains the user', async () => {
  const { data } = await client().auth.signInWithPassword({ email: ada.email, password });
  equal(data.user.id, ada.id);
  equal(data.user.email, ada.email);
});
test('a session contains the user’s metadata', async () =>
  equal((await signedIn(ada)).session.user.user_metadata.name, 'Ada'));
test('a session contains the user’s identity', async () =>
  equal((await signedIn(ada)).session.user.identities[0].provider, 'email'));
test('a session contains app_metadata', async () =>
  deepEqual((await signedIn(ada)).session.user.app_metadata, { provider: 'email', providers: ['email'] }));
test('the access token has the role authenticated', async () =>
  equal(claims((await signedIn(ada)).session.access_token).role, 'authenticated'));
test('the access token names the way of signing in', async () =>
  equal(claims((await signedIn(ada)).session.access_token).amr[0].method, 'password'));
test('signInWithPassword accepts the address in capitals', async () =>
  equal((await client().auth.signInWithPassword({ email: ada.email.toUpperCase(), password })).error, null));
test('a wrong password gives invalid_credentials', async () => {
  const { data, error } = await client().auth.signInWithPassword({ email: ada.email, password: 'wrong' });
  equal(error.code, 'invalid_credentials');
  equal(error.status, 400);
  equal(data.session, null);
});
test('an unknown address gets the same answer as a wrong password', async () => {
  const known = await client().auth.signInWithPassword({ email: ada.email, password: 'wrong' });
  const unknown = await client().auth.signInWithPassword({ email: 'nobody@example.com', password: 'wrong' });
  equal(unknown.error.message, known.error.message);
  equal(unknown.error.code, known.error.code);
});
test('a wrong password gives an AuthApiError', async () =>
  equal(
    (await client().auth.signInWithPassword({ email: ada.email, password: 'wrong' })).error.name,
    'AuthApiError',
  ));
test('a wrong API key gives an error and throws nothing', async () => {
  const { error } = await client({}, 'sb_publishable_wrong').auth.signInWithPassword({
    email: ada.email,
    password,
  });
  equal(error.status, 401);
});
test('without the version header, errors have the OAuth form', async () => {
  const answer = await raw('/auth/v1/token?grant_type=password', {
    method: 'POST',
    body: JSON.stringify({ email: ada.email, password: 'wrong' }),
  });
  const body = await answer.json();
  equal(body.error, 'invalid_grant');
  ok(body.error_description);
  equal(body.code, 400);
});
test('signing in with a phone number is refused', async () => {
  const { error } = await client().auth.signInWithPassword({ phone: '+4915112345678', password });
  equal(error.status, 400);
});

// Reading the user

test('getUser returns the user from the server', async () => {
  const { c } = await signedIn(ada);
  const { data, error } = await c.auth.getUser();
  equal(error, null);
  equal(data.user.id, ada.id);
});
test('getUser accepts a token as its argument', async () => {
  const { session } = await signedIn(ada);
  equal((await client().auth.getUser(session.access_token)).data.user.email, ada.email);
});
test('getUser refuses a malformed token', async () =>
  equal((await client().auth.getUser('a.b.c')).error.code, 'bad_jwt'));
test('getUser refuses the anonymous key', async () =>
  equal((await client().auth.getUser(ANON_KEY)).error.status, 403));
test('getUser refuses a token whose signature was changed', async () => {
  const { session } = await signedIn(ada);
  const [head, body] = session.access_token.split('.');
  equal(
    (await client().auth.getUser(`${head}.${body}.${Buffer.alloc(64, 1).toString('base64url')}`)).error.code,
    'bad_jwt',
  );
});
test('getUser refuses a token without a signature', async () => {
  const { session } = await signedIn(ada);
  const head = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  equal(
    (await client().auth.getUser(`${head}.${session.access_token.split('.')[1]}.`)).error.code,
    'bad_jwt',
  );
});
test('getClaims verifies an ES256 token offline', async () => {
  const { c } = await signedIn(ada);
  const { data, error } = await c.auth.getClaims();
  equal(error, null);
  equal(data.header.alg, 'ES256');
  equal(data.claims.sub, ada.id);
});
test('getClaims finds the key by its kid', async () => {
  const { c } = await signedIn(ada);
  const { data } = await c.auth.getClaims();
  const { keys } = await (await raw('/auth/v1/.well-known/jwks.json')).json();
  ok(keys.some((k) => k.kid === data.header.kid && k.kty === 'EC' && !('d' in k)));
});
test('getClaims refuses claims that were changed', async () => {
  const { session } = await signedIn(ada);
  const [head, , signature] = session.access_token.split('.');
  const forged = Buffer.from(
    JSON.stringify({ ...claims(session.access_token), sub: '00000000-0000-4000-8000-000000000000' }),
  ).toString('base64url');
  const { data, error } = await client().auth.getClaims(`${head}.${forged}.${signature}`);
  equal(data, null);
  ok(error);
});
test('the key set may be cached, and needs no API key', async () => {
  const answer = await fetch(`${API_URL}/auth/v1/.well-known/jwks.json`);
  equal(answer.status, 200);
  match(answer.headers.get('cache-control'), /public/);
});
test('discovery names the issuer of the tokens', async () => {
  const { session } = await signedIn(ada);
  const doc = await (await fetch(`${API_URL}/auth/v1/.well-known/openid-configuration`)).json();
  equal(doc.issuer, claims(session.access_token).iss);
});

// Refreshing

test('refreshSession gives a new refresh token', async () => {
  const { c, session } = await signedIn(ada);
  const { data, error } = await c.auth.refreshSession();
  equal(error, null);
  notEqual(data.session.refresh_token, session.refresh_token);
});
test('refreshSession keeps the session', async () => {
  const { c, session } = await signedIn(ada);
  const { data } = await c.auth.refreshSession();
  equal(claims(data.session.access_token).session_id, claims(session.access_token).session_id);
});
test('refreshSession returns the user', async () => {
  const { c } = await signedIn(ada);
  equal((await c.auth.refreshSession()).data.user.id, ada.id);
});
test('a client that lost the answer gets the current token', async () => {
  const { session } = await signedIn(ada);
  const first = await client().auth.refreshSession(session);
  const again = await client().auth.refreshSession(session);
  equal(again.error, null);
  equal(again.data.session.refresh_token, first.data.session.refresh_token);
});
test('twenty concurrent refreshes all get the same token', async () => {
  const { session } = await signedIn(ada);
  const all = await Promise.all(Array.from({ length: 20 }, () => client().auth.refreshSession(session)));
  deepEqual(
    all.filter((a) => a.error),
    [],
  );
  equal(new Set(all.map((a) => a.data.session.refresh_token)).size, 1);
});
test('an unknown refresh token is refused', async () => {
  const { error } = await client().auth.refreshSession({ refresh_token: 'nonsense' });
  equal(error.code, 'refresh_token_not_found');
});
test('the refreshed access token is accepted', async () => {
  const { c } = await signedIn(ada);
  await c.auth.refreshSession();
  equal((await c.auth.getUser()).data.user.id, ada.id);
});
test('a client refreshes automatically before its token expires', async () => {
  const { session } = await signedIn(ada);
  const store = new Map([
    ['t', JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) + 60 })],
  ]);
  const storage = {
    getItem: (k) => store.get(k) ?? null,
    setItem: (k, v) => store.set(k, v),
    removeItem: (k) => store.delete(k),
  };
  const c = client({ persistSession: true, autoRefreshToken: true, storage, storageKey: 't' });
  const refreshed = await new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('not refreshed')), 180_000).unref();
    c.auth.onAuthStateChange((event, s) => event === 'TOKEN_REFRESHED' && resolve(s));
  });
  await c.auth.stopAutoRefresh();
  notEqual(refreshed.refresh_token, session.refresh_token);
  ok(refreshed.expires_at > Date.now() / 1000 + 3000);
});
test('setSession adopts a session', async () => {
  const { session } = await signedIn(ada);
  const c = client();
  const { data, error } = await c.auth.setSession(session);
  equal(error, null);
  equal(data.user.id, ada.id);
});
test('setSession refreshes a session whose access token has expired', async () => {
  const { session } = await signedIn(ada);
  const [head, , signature] = session.access_token.split('.');
  const ended = Buffer.from(JSON.stringify({ ...claims(session.access_token), exp: 1 })).toString(
    'base64url',
  );
  const { data, error } = await client().auth.setSession({
    access_token: `${head}.${ended}.${signature}`,
    refresh_token: session.refresh_token,
  });
  equal(error, null);
  notEqual(data.session.refresh_token, session.refresh_token);
});
test('setSession refuses an expired session with an unknown refresh token', async () => {
  const { session } = await signedIn(ada);
  const [head, , signature] = session.access_token.split('.');
  const ended = Buffer.from(JSON.stringify({ ...claims(session.access_token), exp: 1 })).toString(
    'base64url',
  );
  ok(
    (
      await client().auth.setSession({
        access_token: `${head}.${ended}.${signature}`,
        refresh_token: 'nonsense',
      })
    ).error,
  );
});

// Events

test('onAuthStateChange reports every event in order', async () => {
  const who = await person();
  const c = client();
  const events = [];
  await new Promise((initial) =>
    c.auth.onAuthStateChange((event) => {
      events.push(event);
      if (event === 'INITIAL_SESSION') initial();
    }),
  );
  await c.auth.signInWithPassword({ email: who.email, password });
  await c.auth.refreshSession();
  await c.auth.updateUser({ data: { a: 1 } });
  await c.auth.signOut();
  deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN', 'TOKEN_REFRESHED', 'USER_UPDATED', 'SIGNED_OUT']);
});

// Signing up

async function signUp(more = {}) {
  const email = address();
  const c = client();
  const { data, error } = await c.auth.signUp({ email, password, ...more });
  if (data.user) created.push(data.user.id);
  return { c, email, data, error };
}
test('signUp returns a session', async () => {
  const { data, error, email } = await signUp();
  equal(error, null);
  equal(data.session.user.email, email);
});
test('signUp stores the metadata', async () =>
  equal((await signUp({ options: { data: { plan: 'free' } } })).data.user.user_metadata.plan, 'free'));
test('a user who signed up can sign in', async () => {
  const { email } = await signUp();
  equal((await client().auth.signInWithPassword({ email, password })).error, null);
});
test('signUp creates the profile', async () => {
  const { c, email, data } = await signUp({ options: { data: { display_name: 'Grace' } } });
  const { data: rows, error } = await c.from('profiles').select('display_name,email').eq('id', data.user.id);
  equal(error, null);
  deepEqual(rows, [{ display_name: 'Grace', email }]);
});
test('signUp with a taken address gives user_already_exists', async () => {
  const { error } = await client().auth.signUp({ email: ada.email, password });
  equal(error.code, 'user_already_exists');
  equal(error.status, 422);
});
test('signUp with a taken address in capitals gives user_already_exists', async () =>
  equal(
    (await client().auth.signUp({ email: ada.email.toUpperCase(), password })).error.code,
    'user_already_exists',
  ));
test('signUp with a short password gives the reason length', async () => {
  const { error } = await signUp({ password: 'short' });
  equal(error.name, 'AuthWeakPasswordError');
  deepEqual(error.reasons, ['length']);
});
test('signUp with a password that is easy to guess gives the reason pwned', async () => {
  for (const guessable of ['password', 'password123', 'Summer2026', 'qwertyui'])
    deepEqual((await signUp({ password: guessable })).error.reasons, ['pwned']);
});
test('signUp with a password of over 72 bytes states the limit', async () =>
  match((await signUp({ password: 'ü'.repeat(40) })).error.message, /72/));
test('signUp with an invalid address is refused', async () =>
  equal((await client().auth.signUp({ email: 'nobody', password })).error.code, 'validation_failed'));
test('signInAnonymously says that it is disabled', async () =>
  equal((await client().auth.signInAnonymously()).error.code, 'anonymous_provider_disabled'));

// Updating the user

test('updateUser merges metadata', async () => {
  const { c } = await signedIn(await person({ user_metadata: { a: 1, b: 2 } }));
  const { data, error } = await c.auth.updateUser({ data: { b: 3, c: { d: [4] } } });
  equal(error, null);
  deepEqual(data.user.user_metadata, { a: 1, b: 3, c: { d: [4] }, email_verified: true });
});
test('updateUser removes metadata that is null', async () => {
  const { c } = await signedIn(await person({ user_metadata: { a: 1, b: 2 } }));
  const { user } = (await c.auth.updateUser({ data: { a: null } })).data;
  deepEqual(user.user_metadata, { b: 2, email_verified: true });
});
test('updated metadata is in the next access token', async () => {
  const { c } = await signedIn(await person());
  await c.auth.updateUser({ data: { team: 'blue' } });
  equal(claims((await c.auth.refreshSession()).data.session.access_token).user_metadata.team, 'blue');
});
test('a new password replaces the old one', async () => {
  const who = await person();
  const { c } = await signedIn(who);
  equal((await c.auth.updateUser({ password: 'another fine passphrase' })).error, null);
  equal(
    (await client().auth.signInWithPassword({ email: who.email, password: 'another fine passphrase' })).error,
    null,
  );
  equal(
    (await client().auth.signInWithPassword({ email: who.email, password })).error.code,
    'invalid_credentials',
  );
});
test('a new password ends the other sessions and keeps this one', async () => {
  const who = await person();
  const { c } = await signedIn(who);
  const other = await signedIn(who);
  await c.auth.updateUser({ password: 'another fine passphrase' });
  equal((await other.c.auth.getUser(other.session.access_token)).error.name, sessionGone);
  equal((await c.auth.getUser()).error, null);
});
test('setting the same password gives same_password', async () => {
  const { c } = await signedIn(await person());
  equal((await c.auth.updateUser({ password })).error.code, 'same_password');
});
test('updateUser refuses a weak password', async () => {
  const { c } = await signedIn(await person());
  deepEqual((await c.auth.updateUser({ password: '12345678' })).error.reasons, ['pwned']);
});
test('users cannot change their own app_metadata', async () => {
  const { session } = await signedIn(await person());
  const answer = await raw('/auth/v1/user', {
    method: 'PUT',
    headers: { Authorization: `Bearer ${session.access_token}` },
    body: '{"app_metadata":{"role":"admin"}}',
  });
  equal(answer.status, 403);
});

// Signing out

test('signOut ends all sessions of the user', async () => {
  const who = await person();
  const { c, session } = await signedIn(who);
  const other = await signedIn(who);
  equal((await c.auth.signOut()).error, null);
  equal((await client().auth.getUser(session.access_token)).error.name, sessionGone);
  equal((await client().auth.getUser(other.session.access_token)).error.name, sessionGone);
});
test('after signOut the client has no session', async () => {
  const { c } = await signedIn(await person());
  await c.auth.signOut();
  equal((await c.auth.getSession()).data.session, null);
});
test('after signOut the refresh token is refused', async () => {
  const { c, session } = await signedIn(await person());
  await c.auth.signOut();
  equal((await client().auth.refreshSession(session)).error.code, 'refresh_token_not_found');
});
test('after signOut the data API refuses the access token', async () => {
  const { c, session } = await signedIn(await person());
  const headers = { Authorization: `Bearer ${session.access_token}` };
  equal((await raw('/rest/v1/projects?select=id', { headers })).status, 200);
  await c.auth.signOut();
  equal((await raw('/rest/v1/projects?select=id', { headers })).status, 401);
});
test('after signOut the import API refuses the access token', async () => {
  const { c, session } = await signedIn(await person());
  const headers = { Authorization: `Bearer ${session.access_token}` };
  const path = '/api/import/00000000-0000-4000-8000-000000000000';
  equal((await raw(path, { headers })).status, 404);
  await c.auth.signOut();
  equal((await raw(path, { headers })).status, 401);
});
test('signOut with scope local keeps the other sessions', async () => {
  const who = await person();
  const { c, session } = await signedIn(who);
  const other = await signedIn(who);
  await c.auth.signOut({ scope: 'local' });
  equal((await client().auth.getUser(session.access_token)).error.name, sessionGone);
  equal((await other.c.auth.getUser()).error, null);
});
test('signOut with scope others keeps the current session', async () => {
  const who = await person();
  const { c } = await signedIn(who);
  const other = await signedIn(who);
  await c.auth.signOut({ scope: 'others' });
  equal((await c.auth.getUser()).error, null);
  equal((await client().auth.getUser(other.session.access_token)).error.name, sessionGone);
});
test('users can list and revoke their own sessions', async () => {
  const who = await person();
  const { session } = await signedIn(who);
  const other = await signedIn(who);
  const headers = { Authorization: `Bearer ${session.access_token}` };
  const { sessions } = await (await raw('/auth/v1/sessions', { headers })).json();
  equal(sessions.length, 2);
  const theirs = sessions.find((s) => !s.current);
  equal(theirs.id, claims(other.session.access_token).session_id);
  equal((await raw(`/auth/v1/sessions/${theirs.id}`, { method: 'DELETE', headers })).status, 204);
  equal((await client().auth.getUser(other.session.access_token)).error.name, sessionGone);
});

// Mails

test('a recovery link survives being opened and leads to a new password', async () => {
  const who = await person();
  equal((await client().auth.resetPasswordForEmail(who.email)).error, null);
  const link = linkOf((await mails(who.email))[0]);
  equal(link.origin, new URL(API_URL).origin);
  for (let i = 0; i < 3; i++) {
    // opened by a mail program, a scanner and the person
    const page = await fetch(link);
    equal(page.status, 200);
    match(await page.text(), /<button>/);
  }
  const c = client();
  const { data, error } = await c.auth.verifyOtp({
    token_hash: link.searchParams.get('token'),
    type: 'recovery',
  });
  equal(error, null);
  equal(data.user.id, who.id);
  equal(claims(data.session.access_token).amr[0].method, 'recovery');
  equal((await c.auth.updateUser({ password: 'another fine passphrase' })).error, null);
  equal(
    (await client().auth.signInWithPassword({ email: who.email, password: 'another fine passphrase' })).error,
    null,
  );
  equal(
    (await client().auth.verifyOtp({ token_hash: link.searchParams.get('token'), type: 'recovery' })).error
      .code,
    'otp_expired',
  );
});
test('the page behind a link redirects back with the session', async () => {
  const who = await person();
  await client().auth.resetPasswordForEmail(who.email, { redirectTo: `${API_URL}/welcome?x=1` });
  const link = linkOf((await mails(who.email))[0]);
  const answer = await fetch(new URL('verify', link), {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token: link.searchParams.get('token'), type: 'recovery' }),
  });
  equal(answer.status, 303);
  const to = new URL(answer.headers.get('location'));
  equal(to.href.split('#')[0], `${API_URL}/welcome?x=1`);
  const session = new URLSearchParams(to.hash.slice(1));
  equal((await client().auth.getUser(session.get('access_token'))).data.user.id, who.id);
});
test('the page behind a link never redirects to a foreign site', async () => {
  const who = await person();
  await client().auth.resetPasswordForEmail(who.email, { redirectTo: 'https://evil.example/' });
  const link = linkOf((await mails(who.email))[0]);
  const answer = await fetch(new URL('verify', link), {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token: link.searchParams.get('token'), type: 'recovery' }),
  });
  equal(new URL(answer.headers.get('location')).origin, new URL(API_URL).origin);
});
test('resetPasswordForEmail accepts an unknown address', async () =>
  equal((await client().auth.resetPasswordForEmail('nobody@example.com')).error, null));
test('a new address takes effect once the links to both addresses are used', async () => {
  const who = await person();
  const { c } = await signedIn(who);
  const email = address();
  const { data, error } = await c.auth.updateUser({ email });
  equal(error, null);
  equal(data.user.email, who.email);
  equal(data.user.new_email, email);
  const use = async (to) => {
    const link = linkOf((await mails(to))[0]);
    equal(link.searchParams.get('type'), 'email_change');
    return client().auth.verifyOtp({ token_hash: link.searchParams.get('token'), type: 'email_change' });
  };
  const first = await use(email);
  equal(first.error, null);
  equal(first.data.session, null);
  equal((await client().auth.signInWithPassword({ email: who.email, password })).error, null);
  equal((await use(who.email)).data.user.email, email);
  equal((await client().auth.signInWithPassword({ email, password })).error, null);
});
test('an old session needs the nonce of reauthenticate for a new password', async () => {
  const old = JSON.parse(OLD_SESSION);
  const c = client();
  equal((await c.auth.refreshSession({ refresh_token: old.refreshToken })).error, null);
  const change = { password: 'another fine passphrase' };
  equal((await c.auth.updateUser(change)).error.code, 'reauthentication_needed');
  equal((await c.auth.updateUser({ ...change, nonce: '000000' })).error.code, 'reauthentication_not_valid');
  equal((await c.auth.reauthenticate()).error, null);
  const nonce = (await mails(old.email))[0].match(/\b\d{6}\b/)[0];
  equal((await c.auth.updateUser({ ...change, nonce })).error, null);
  equal((await client().auth.signInWithPassword({ email: old.email, ...change })).error, null);
});
test('reauthenticate needs a session', async () => {
  equal((await client().auth.reauthenticate()).error.name, sessionGone);
});

// Administration

test('admin.createUser creates a user', async () => {
  const { data, error } = await admin.auth.admin.createUser({
    email: address(),
    password,
    email_confirm: true,
    app_metadata: { tier: 2 },
  });
  equal(error, null);
  created.push(data.user.id);
  ok(data.user.email_confirmed_at);
  deepEqual(data.user.app_metadata, { provider: 'email', providers: ['email'], tier: 2 });
});
test('admin.createUser accepts an id and a password hash', async () => {
  const id = crypto.randomUUID();
  const email = address();
  const { data, error } = await admin.auth.admin.createUser({
    id,
    email,
    password_hash: '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    email_confirm: true,
  });
  equal(error, null);
  created.push(id);
  equal(data.user.id, id);
  equal((await client().auth.signInWithPassword({ email, password: 'U*U' })).error, null);
});
test('admin.createUser with a taken address gives email_exists', async () =>
  equal((await admin.auth.admin.createUser({ email: ada.email, password })).error.code, 'email_exists'));
test('admin.listUsers lists and counts users', async () => {
  const { data, error } = await admin.auth.admin.listUsers();
  equal(error, null);
  ok(data.users.some((u) => u.id === ada.id));
  ok(data.total >= data.users.length);
});
test('admin.listUsers returns pages', async () => {
  const first = (await admin.auth.admin.listUsers({ page: 1, perPage: 1 })).data;
  const second = (await admin.auth.admin.listUsers({ page: 2, perPage: 1 })).data;
  equal(first.users.length, 1);
  equal(first.nextPage, 2);
  notEqual(first.users[0].id, second.users[0].id);
});
test('admin.getUserById returns the user', async () =>
  equal((await admin.auth.admin.getUserById(ada.id)).data.user.email, ada.email));
test('admin.getUserById with an unknown id gives user_not_found', async () =>
  equal(
    (await admin.auth.admin.getUserById('00000000-0000-4000-8000-000000000000')).error.code,
    'user_not_found',
  ));
test('admin.updateUserById changes metadata', async () => {
  const who = await person();
  const { data, error } = await admin.auth.admin.updateUserById(who.id, {
    user_metadata: { n: 1 },
    app_metadata: { tier: 3 },
  });
  equal(error, null);
  equal(data.user.user_metadata.n, 1);
  equal(data.user.app_metadata.tier, 3);
  equal(data.user.app_metadata.provider, 'email');
});
test('admin.updateUserById changes the password and ends the sessions', async () => {
  const who = await person();
  const { session } = await signedIn(who);
  equal((await admin.auth.admin.updateUserById(who.id, { password: 'another fine passphrase' })).error, null);
  equal((await client().auth.getUser(session.access_token)).error.name, sessionGone);
  equal(
    (await client().auth.signInWithPassword({ email: who.email, password: 'another fine passphrase' })).error,
    null,
  );
});
test('admin.updateUserById bans, and only the right password reveals it', async () => {
  const who = await person();
  const { session } = await signedIn(who);
  equal((await admin.auth.admin.updateUserById(who.id, { ban_duration: '24h' })).error, null);
  equal((await client().auth.signInWithPassword({ email: who.email, password })).error.code, 'user_banned');
  equal(
    (await client().auth.signInWithPassword({ email: who.email, password: 'wrong' })).error.code,
    'invalid_credentials',
  );
  equal(
    (
      await raw('/rest/v1/projects?select=id', {
        headers: { Authorization: `Bearer ${session.access_token}` },
      })
    ).status,
    401,
  );
  equal((await admin.auth.admin.updateUserById(who.id, { ban_duration: 'none' })).error, null);
  equal((await client().auth.signInWithPassword({ email: who.email, password })).error, null);
});
test('admin.deleteUser deletes the user', async () => {
  const who = await person();
  const { session } = await signedIn(who);
  equal((await admin.auth.admin.deleteUser(who.id)).error, null);
  equal((await client().auth.getUser(session.access_token)).error.code, 'user_not_found');
  equal(
    (await client().auth.signInWithPassword({ email: who.email, password })).error.code,
    'invalid_credentials',
  );
});
test('admin.deleteUser with soft deletion frees the address', async () => {
  const who = await person();
  equal((await admin.auth.admin.deleteUser(who.id, true)).error, null);
  equal((await admin.auth.admin.getUserById(who.id)).error.code, 'user_not_found');
  equal((await admin.auth.admin.createUser({ email: who.email, password })).error, null);
});
test('an invited guest sets a password through the mailed link', async () => {
  const email = address();
  const { data, error } = await admin.auth.admin.inviteUserByEmail(email, { data: { name: 'Guest' } });
  equal(error, null);
  created.push(data.user.id);
  equal((await client().auth.signInWithPassword({ email, password })).error.code, 'invalid_credentials');
  const link = linkOf((await mails(email))[0]);
  const c = client();
  equal((await c.auth.verifyOtp({ token_hash: link.searchParams.get('token'), type: 'invite' })).error, null);
  equal((await c.auth.updateUser({ password })).error, null);
  equal((await client().auth.signInWithPassword({ email, password })).error, null);
});
test('the anonymous key gives not_admin on the admin API', async () => {
  const { error } = await client().auth.admin.listUsers();
  equal(error.code, 'not_admin');
  equal(error.status, 403);
});
test('a user’s token is refused on the admin API', async () => {
  const { session } = await signedIn(ada);
  const answer = await raw('/auth/v1/admin/users', {
    headers: { Authorization: `Bearer ${session.access_token}` },
  });
  equal(answer.status, 403);
});
test('the secret key is refused from browsers', async () => {
  const answer = await raw('/auth/v1/admin/users', {
    headers: {
      apikey: SERVICE_ROLE_KEY,
      Authorization: `Bearer ${SERVICE_ROLE_KEY}`,
      Origin: 'https://page.example',
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)',
    },
  });
  equal(answer.status, 401);
});

// Reading data as a user

test('users see their own rows and no others', async () => {
  const { c } = await signedIn(ada);
  const { data: workspace, error } = await c.from('workspaces').insert({ name: 'Ada’s' }).select().single();
  equal(error, null);
  const other = await signedIn(await person());
  deepEqual((await other.c.from('workspaces').select('id').eq('id', workspace.id)).data, []);
  deepEqual((await c.from('workspaces').select('id').eq('id', workspace.id)).data, [{ id: workspace.id }]);
});
test('CORS exposes the headers that the client reads', async () => {
  const answer = await raw('/auth/v1/settings', { headers: { Origin: 'https://app.example' } });
  const exposed = answer.headers.get('access-control-expose-headers').toLowerCase();
  for (const name of ['x-supabase-api-version', 'x-total-count', 'link', 'retry-after'])
    ok(exposed.includes(name), name);
});

// Second factors

// A code of TOTP (RFC 6238) that many periods from now. The service accepts those of the neighbouring
// periods. That of the period before would be too old if the next one began meanwhile.
function totp(secret, periods = 0) {
  const bits = [...secret].map((c) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)
      .map((byte) => parseInt(byte, 2)),
  );
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + periods));
  const mac = createHmac('sha1', key).update(counter).digest();
  const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

// A person with a factor, and a client whose session has it.
async function protectedPerson() {
  const who = await person();
  const { c } = await signedIn(who);
  const { data: factor, error } = await c.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' });
  equal(error, null);
  const verified = await c.auth.mfa.challengeAndVerify({
    factorId: factor.id,
    code: totp(factor.totp.secret),
  });
  equal(verified.error, null);
  return { who, c, factor };
}

test('mfa.enroll gives a secret and an image', async () => {
  const { c } = await signedIn(await person());
  const { data, error } = await c.auth.mfa.enroll({
    factorType: 'totp',
    issuer: 'Research',
    friendlyName: 'Phone',
  });
  equal(error, null);
  equal(data.type, 'totp');
  equal(data.friendly_name, 'Phone');
  match(data.totp.uri, /^otpauth:\/\/totp\/Research:/);
  match(data.totp.qr_code, /^data:image\/svg\+xml;utf-8,<svg /);
});
test('mfa.enroll of a phone gives GoTrue’s code', async () => {
  const { c } = await signedIn(ada);
  const { error } = await c.auth.mfa.enroll({ factorType: 'phone', phone: '+15550100' });
  equal(error.code, 'mfa_phone_enroll_not_enabled');
});
test('mfa.challenge gives a challenge with an end', async () => {
  const { c } = await signedIn(await person());
  const { data: factor } = await c.auth.mfa.enroll({ factorType: 'totp' });
  const began = Math.floor(Date.now() / 1000);
  const { data, error } = await c.auth.mfa.challenge({ factorId: factor.id });
  equal(error, null);
  equal(data.type, 'totp');
  ok(data.expires_at >= began + 300 && data.expires_at <= Date.now() / 1000 + 300);
});
test('mfa.verify gives a session with aal2', async () => {
  const { c } = await protectedPerson();
  const { data } = await c.auth.mfa.getAuthenticatorAssuranceLevel();
  equal(data.currentLevel, 'aal2');
  equal(data.currentAuthenticationMethods[0].method, 'totp');
  equal((await c.auth.refreshSession()).error, null);
  equal((await c.auth.mfa.getAuthenticatorAssuranceLevel()).data.currentLevel, 'aal2');
});
test('a new sign-in has aal1, and learns that aal2 is possible', async () => {
  const { who } = await protectedPerson();
  const { c } = await signedIn(who);
  const { data } = await c.auth.mfa.getAuthenticatorAssuranceLevel();
  deepEqual([data.currentLevel, data.nextLevel], ['aal1', 'aal2']);
});
test('the data of a user with a factor is closed to sessions with aal1', async () => {
  const { who, c } = await protectedPerson();
  const { data: workspace } = await c.from('workspaces').insert({ name: 'Mine' }).select().single();
  const { c: thief } = await signedIn(who);
  deepEqual((await thief.from('workspaces').select('id')).data, []);
  deepEqual((await c.from('workspaces').select('id')).data, [{ id: workspace.id }]);
});
test('mfa.listFactors lists the factors', async () => {
  const { c, factor } = await protectedPerson();
  const { data, error } = await c.auth.mfa.listFactors();
  equal(error, null);
  deepEqual(
    data.totp.map((f) => [f.id, f.friendly_name, f.status]),
    [[factor.id, 'Phone', 'verified']],
  );
});
test('a wrong code gives mfa_verification_failed', async () => {
  const { c } = await signedIn(await person());
  const { data: factor } = await c.auth.mfa.enroll({ factorType: 'totp' });
  const { error } = await c.auth.mfa.challengeAndVerify({ factorId: factor.id, code: 'aaaaaa' });
  equal(error.code, 'mfa_verification_failed');
});
test('a code is accepted once', async () => {
  const { who, factor } = await protectedPerson();
  const code = totp(factor.totp.secret, 1); // later than that of the first sign-in
  const first = await signedIn(who);
  equal((await first.c.auth.mfa.challengeAndVerify({ factorId: factor.id, code })).error, null);
  const second = await signedIn(who);
  const { error } = await second.c.auth.mfa.challengeAndVerify({ factorId: factor.id, code });
  equal(error.code, 'mfa_verification_failed');
});
test('a recovery code replaces the code of the factor, once', async () => {
  const { who, c, factor } = await protectedPerson();
  const { access_token } = (await c.auth.getSession()).data.session;
  const answer = await raw('/auth/v1/factors/recovery-codes', {
    method: 'POST',
    headers: { Authorization: `Bearer ${access_token}` },
  });
  const { codes } = await answer.json();
  equal(codes.length, 10);
  const lost = await signedIn(who);
  equal((await lost.c.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codes[0] })).error, null);
  equal((await lost.c.auth.mfa.getAuthenticatorAssuranceLevel()).data.currentLevel, 'aal2');
  const again = await signedIn(who);
  const { error } = await again.c.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codes[0] });
  equal(error.code, 'mfa_verification_failed');
});
test('updateUser needs aal2 for a new password', async () => {
  const { who, c } = await protectedPerson();
  const { c: thief } = await signedIn(who);
  const { error } = await thief.auth.updateUser({ password: 'another long password' });
  equal(error.code, 'insufficient_aal');
  equal((await c.auth.updateUser({ password: 'another long password' })).error, null);
});
test('mfa.unenroll needs aal2, and takes the session back to aal1', async () => {
  const { who, c, factor } = await protectedPerson();
  const { c: thief } = await signedIn(who);
  equal((await thief.auth.mfa.unenroll({ factorId: factor.id })).error.code, 'insufficient_aal');
  const { data, error } = await c.auth.mfa.unenroll({ factorId: factor.id });
  equal(error, null);
  equal(data.id, factor.id);
  equal((await c.auth.refreshSession()).error, null);
  const { data: level } = await c.auth.mfa.getAuthenticatorAssuranceLevel();
  deepEqual([level.currentLevel, level.nextLevel], ['aal1', 'aal1']);
});
test('admin.mfa lists and deletes factors', async () => {
  const { who, factor } = await protectedPerson();
  const { data, error } = await admin.auth.admin.mfa.listFactors({ userId: who.id });
  equal(error, null);
  deepEqual(
    data.factors.map((f) => f.id),
    [factor.id],
  );
  equal((await admin.auth.admin.mfa.deleteFactor({ userId: who.id, id: factor.id })).error, null);
});
test('a workspace with require_mfa is closed to sessions with aal1', async () => {
  const { who, c } = await protectedPerson();
  const { data: workspace, error } = await c
    .from('workspaces')
    .insert({ name: 'Locked', require_mfa: true })
    .select()
    .single();
  equal(error, null);
  const { c: low } = await signedIn(who);
  deepEqual((await low.from('workspaces').select('id')).data, []);
  equal((await low.from('projects').insert({ workspace_id: workspace.id, name: 'P' })).error.code, '42501');
  deepEqual((await low.rpc('my_locked_workspaces')).data, [{ id: workspace.id, name: 'Locked' }]);
  const refused = await low.from('workspaces').update({ require_mfa: false }).eq('id', workspace.id).select();
  deepEqual(refused.data, []);
  deepEqual((await c.from('workspaces').select('id')).data, [{ id: workspace.id }]);
});
test('require_mfa cannot be set by a session with aal1', async () => {
  const { c } = await signedIn(await person());
  const { data } = await c.from('workspaces').insert({ name: 'Open' }).select().single();
  const { error } = await c.from('workspaces').update({ require_mfa: true }).eq('id', data.id).select();
  equal(error.code, '42501');
});

// PKCE

// Presses the button of the page behind a link, and returns the address to which the browser is led.
async function followed(link) {
  const answer = await fetch(new URL('/auth/v1/verify', API_URL), {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Sec-Fetch-Site': 'same-origin' },
    body: new URLSearchParams({ token: link.searchParams.get('token'), type: link.searchParams.get('type') }),
  });
  equal(answer.status, 303);
  return new URL(answer.headers.get('location'));
}

test('with flowType pkce, a link leads to a code, which the client exchanges once', async () => {
  const who = await person();
  const c = client({ flowType: 'pkce' });
  equal((await c.auth.resetPasswordForEmail(who.email)).error, null);
  const address = await followed(linkOf((await mails(who.email))[0]));
  equal(address.hash, '');
  const code = address.searchParams.get('code');
  const { data, error } = await c.auth.exchangeCodeForSession(code);
  equal(error, null);
  equal(data.user.id, who.id);
  equal((await c.auth.updateUser({ password: 'another long password' })).error, null);
  const answer = await raw('/auth/v1/token?grant_type=pkce', {
    method: 'POST',
    body: JSON.stringify({ auth_code: code, code_verifier: 'of another client' }),
  });
  equal((await answer.json()).error_code, 'flow_state_not_found');
});
test('the code of a link is useless to another client', async () => {
  const who = await person();
  const [c, thief] = [client({ flowType: 'pkce' }), client({ flowType: 'pkce' })];
  await c.auth.resetPasswordForEmail(who.email);
  const code = (await followed(linkOf((await mails(who.email))[0]))).searchParams.get('code');
  await thief.auth.resetPasswordForEmail(address()); // so that it has a verifier
  equal((await thief.auth.exchangeCodeForSession(code)).error.code, 'bad_code_verifier');
  equal((await c.auth.exchangeCodeForSession(code)).error, null);
});
test('with flowType pkce, a new address is confirmed by a code', async () => {
  const who = await person();
  const c = client({ flowType: 'pkce' });
  await c.auth.signInWithPassword({ email: who.email, password });
  const email = address();
  equal((await c.auth.updateUser({ email })).error, null);
  const current = await followed(linkOf((await mails(who.email))[0]));
  match(current.hash, /^#message=/, 'the link to the new address is missing');
  const code = (await followed(linkOf((await mails(email))[0]))).searchParams.get('code');
  const { data, error } = await c.auth.exchangeCodeForSession(code);
  equal(error, null);
  equal(data.user.email, email);
});
