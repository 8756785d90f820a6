// The session. The access token is only in memory, the refresh token in the vault. Only one tab at a time
// refreshes, because a refresh token is valid for one use.
import { store } from '../page/store.js';
import { send, ApiError, codeOf, retryAfter } from './http.js';
import { go } from '../page/router.js';
import { toast } from '../page/messages.js';
import { carried, forgetFlow } from './carried.js';
import { verified } from './user.js';
import * as vault from './vault.js';

// code: a second factor is missing; ask: may a link sign in as the user?
/** @typedef {'starting' | 'unreachable' | 'out' | 'in' | 'code' | 'ask'} Phase */

/** @type {Store<{ phase: Phase, user: User | null, note: string }>} */
export const session = store({ phase: 'starting', user: null, note: '' });

// The invitation whose link was followed, until it is answered: {id, token}. The token proves the address.
/** @type {Store<{ id: string, token: string } | null>} */
export const followed = store(null);
carried.set('followed', { pack: followed.get, unpack: followed.set });

export const config = { anonKey: '', usesModel: false, mcp: '' };

/** @type {{ token: string, expiresAt: number } | null} */
let access = null; // {token, expiresAt: ms}
/** @type {string | null} */
let inMemory = null; // the refresh token, if the vault cannot store it
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {Promise<void> | null} */
let refreshing = null;

const EARLY_MS = 90_000; // as supabase-js does
const RETRY_MS = 5_000;

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('session');

/**
 * @template [T=any]
 * @param {string} path
 * @param {RequestOptions} [options]
 * @returns {Promise<Answered<T>>}
 */
const identity = (path, options = {}) =>
  send('/auth/v1' + path, { ...options, headers: { apikey: config.anonKey, ...options.headers } });

/** @param {() => Promise<void>} act @returns {Promise<void>} */
const oneAtATime = async (act) => {
  if (navigator.locks) await navigator.locks.request('research-session', act);
  else await act();
};

async function recall() {
  return vault.durable ? vault.recall() : inMemory;
}

/** @param {string} token */
const claims = (token) => JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')));

/** @param {Tokens} answer */
async function accept(answer) {
  access = { token: answer.access_token, expiresAt: Date.now() + answer.expires_in * 1000 };
  if (vault.durable) await vault.keep(answer.refresh_token);
  else inMemory = answer.refresh_token;
  inUse = false;
  schedule(answer.expires_in * 1000 - EARLY_MS);
  const { user, phase } = session.get();
  const next = verified(answer.user).length > 0 && claims(answer.access_token).aal !== 'aal2' ? 'code' : 'in';
  if (phase !== next || user?.id !== answer.user.id)
    session.set({ phase: next, user: answer.user, note: '' });
}

// An open page without a user does not keep the session alive: it refreshes with the next request.
let inUse = false;
for (const event of ['pointerdown', 'keydown', 'wheel']) {
  window.addEventListener(
    event,
    () => {
      inUse = true;
    },
    { passive: true, capture: true },
  );
}

/** @param {number} ms */
function schedule(ms, { retry = false } = {}) {
  clearTimeout(timer);
  timer = setTimeout(
    () => (retry || inUse) && refresh().catch(() => {}),
    Math.max(1000, Math.min(ms, 2 ** 31 - 1)),
  );
}

/** @param {string} note */
async function drop(note) {
  clearTimeout(timer);
  access = inMemory = null;
  confirming.get()?.(false); // a session that has ended proves nothing
  await vault.forget();
  session.set({ phase: 'out', user: null, note });
}

// isRefusal returns whether the server refused a token. Otherwise it may accept it later.
/** @param {unknown} error */
const isRefusal = (error) => error instanceof ApiError && !error.temporary && error.status < 500;

// refresh exchanges the refresh token for a new pair of tokens. If the server rejects it, the session ends;
// if the server cannot be reached, the session continues.
export function refresh() {
  refreshing ??= oneAtATime(async () => {
    const token = await recall();
    if (!token) {
      if (session.get().phase === 'out') return; // another request was first, and its note stays
      await drop(access ? 'You were signed out in another tab.' : '');
      return;
    }
    try {
      const { body } = await identity('/token?grant_type=refresh_token', {
        method: 'POST',
        json: { refresh_token: token },
      });
      if (session.get().phase === 'out') return; // signed out meanwhile
      await accept(body);
    } catch (error) {
      if (session.get().phase === 'out') return;
      if (isRefusal(error)) {
        await drop('Your session has ended. Sign in again to continue where you left off.');
        return;
      }
      schedule(Math.max(RETRY_MS, retryAfter(error) * 1000), { retry: true });
      throw error;
    }
  }).finally(() => {
    refreshing = null;
  });
  return refreshing;
}

// Anybody can send somebody a link that signs in to the sender's account. So the session of a link counts at
// once only for an address that has requested a link in this browser; otherwise the user is asked.
const ASKED_MS = 60 * 60 * 1000; // as long as a link is valid

/** @param {string} email */
const requestsLink = (email) =>
  vault
    .keep(JSON.stringify({ email: email.trim().toLowerCase(), until: Date.now() + ASKED_MS }), 'asked')
    .catch(() => {});

/** @param {string} email */
async function requestedLink(email) {
  const asked = JSON.parse((await vault.recall('asked')) ?? 'null');
  if (asked?.email !== email) return false;
  await vault.forget('asked');
  return Date.now() < asked.until;
}

/** @type {{ answer: Tokens, type: string | null } | null} */
let arrived = null; // {answer, type}: the session of a link

// What the page says about a link that brings an error or a session that does not work. Anybody can send
// somebody a link, so none of it is text of the address, and the session of this browser goes on.
const GENERAL = 'This link did not work. Request a new one.';
const EXPIRED = 'This link has expired or was already used. Request a new one.';
const linkErrors = new Map([
  ['otp_expired', EXPIRED],
  ['flow_state_expired', EXPIRED],
  ['flow_state_not_found', EXPIRED],
  ['session_not_found', EXPIRED],
  ['access_denied', 'This link was refused. Request a new one.'],
  ['email_not_confirmed', 'Confirm your address first. The link is in the e-mail that we sent you.'],
  ['signup_disabled', 'Accounts are not open to everybody here. Ask the operator of this server for one.'],
  ['user_banned', 'This account is locked. Contact the operator of this server.'],
]);

// arrive takes over the session or the invitation that a link in a mail carries in the fragment of the
// address, and removes it from there. It resolves to whether the session is that of the link, and to what the
// page says about the link.
async function arrive() {
  const brought = new URLSearchParams(location.hash.slice(1));
  if (brought.has('invitation_token')) {
    history.replaceState(null, '', location.pathname + location.search);
    followed.set({ id: brought.get('invitation') ?? '', token: brought.get('invitation_token') ?? '' });
    return { taken: false, note: '' };
  }
  const known = ['refresh_token', 'error', 'error_code', 'error_description', 'message'];
  if (!known.some((name) => brought.has(name))) return { taken: false, note: '' };
  history.replaceState(null, '', location.pathname + location.search);
  if (brought.has('message')) {
    // the only one there is
    toast('Confirmed. The change also needs the link that we sent to your other address.');
    return { taken: false, note: '' };
  }
  if (!brought.has('refresh_token')) {
    const codes = [brought.get('error_code') ?? '', brought.get('error') ?? ''];
    return { taken: false, note: codes.map((code) => linkErrors.get(code)).find(Boolean) ?? GENERAL };
  }
  try {
    const { body: answer } = await identity('/token?grant_type=refresh_token', {
      method: 'POST',
      json: { refresh_token: brought.get('refresh_token') },
    });
    arrived = { answer, type: brought.get('type') };
    if (await requestedLink(answer.user.email)) await takeOver();
    else session.set({ phase: 'ask', user: answer.user, note: '' });
    return { taken: true, note: '' };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { taken: false, note: EXPIRED };
  }
}

// takeOver replaces the session of this browser with that of a link.
export async function takeOver() {
  if (!arrived) return;
  const { answer, type } = arrived;
  forgetFlow();
  await oneAtATime(() => accept(answer));
  channel?.postMessage('in');
  if (type === 'recovery' || type === 'invite') go('/settings?password=new', { replace: true });
}

// decline ends the session of a link, and resumes that of this browser.
export async function decline() {
  const token = arrived?.answer.access_token ?? '';
  await identity('/logout?scope=local', as(token, { method: 'POST' })).catch(() => {});
  session.set({ phase: 'starting', user: null, note: '' });
  await start();
}

// exchange returns the session that belongs to the code of a provider.
/** @param {string} code @param {string} verifier */
export async function exchange(code, verifier) {
  /** @type {Answered<Tokens>} */
  const { body } = await identity('/token?grant_type=pkce', {
    method: 'POST',
    json: { auth_code: code, code_verifier: verifier },
  });
  return body;
}

// takeReturned begins the session that a provider has brought. Where the user has connected an account, it is
// not needed: the session in which that was begun goes on, with its second factor.
/** @param {Tokens} answer @param {boolean} connected */
export async function takeReturned(answer, connected) {
  if (connected && (await recall())) {
    await identity('/logout?scope=local', as(answer.access_token, { method: 'POST' })).catch(() => {});
    await refresh();
    return;
  }
  await oneAtATime(() => accept(answer));
  channel?.postMessage('in');
}

// An Arrival is whether there is another session, what is said otherwise, what is said instead where the
// session of this browser goes on, and whether that is an error.
/** @typedef {{ taken: boolean, note: string, still?: string, bad?: boolean }} Arrival */
/** @type {() => Promise<Arrival>} */
let comeBack = async () => ({ taken: false, note: '' });

// start reads the configuration and resumes the last session, unless back() takes over that of a provider.
export async function start(back = comeBack) {
  comeBack = back;
  try {
    Object.assign(config, (await send('/config.json')).body);
    const returned = await back();
    if (returned.taken) return;
    const link = await arrive();
    if (link.taken) return;
    await refresh();
    const note = returned.note || link.note;
    if (!note) return;
    if (session.get().phase === 'out') session.set({ phase: 'out', user: null, note });
    else toast(returned.still || note, { bad: returned.bad });
  } catch {
    session.set({ phase: 'unreachable', user: null, note: '' });
    clearTimeout(timer);
    timer = setTimeout(() => start(), RETRY_MS);
  }
}

/** @param {string} email @param {string} password */
export async function signIn(email, password) {
  const { body } = await identity('/token?grant_type=password', {
    method: 'POST',
    json: { email, password },
  });
  forgetFlow();
  await oneAtATime(() => accept(body));
  channel?.postMessage('in');
}

// signUp signs in at once, or resolves to false if the address must be confirmed first.
/** @param {string} email @param {string} password @param {string} name */
export async function signUp(email, password, name) {
  await requestsLink(email);
  const { body } = await identity('/signup', {
    method: 'POST',
    json: { email, password, data: { display_name: name } },
  });
  if (!body.access_token) return false;
  forgetFlow();
  await oneAtATime(() => accept(body));
  channel?.postMessage('in');
  return true;
}

// requestProof has the link that proves the user's own address mailed again.
/** @param {string} email */
export async function requestProof(email) {
  await requestsLink(email);
  await identity(`/resend?redirect_to=${encodeURIComponent(location.origin + '/')}`, {
    method: 'POST',
    json: { type: 'signup', email },
  });
}

// reloadUser asks for the user again, who may have changed elsewhere: a link may be followed on a phone.
export async function reloadUser() {
  const user = await account('/user');
  const now = session.get();
  if (now.phase === 'in' && now.user?.id === user.id) session.set({ ...now, user });
}

// settings returns what the server allows.
/** @returns {Promise<AuthSettings>} */
export const settings = async () => (await identity('/settings')).body;

// recover asks for a mail with a link back to this page, if the address has an account.
/** @param {string} email */
export async function recover(email) {
  await requestsLink(email);
  await identity(`/recover?redirect_to=${encodeURIComponent(location.origin + '/')}`, {
    method: 'POST',
    json: { email },
  });
}

export async function signOut() {
  const token = access?.token;
  await drop('');
  channel?.postMessage('out');
  if (token) {
    await identity('/logout?scope=local', {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
    }).catch(() => {});
  }
}

// confirming is what waits until the user has proven who they are, because the sign-in was long ago: a dialog
// asks, and answers whether the user did, or why it could not ask.
/** @typedef {(proven: boolean | Error) => void} Confirm */
/** @type {Store<Confirm | null>} */
export const confirming = store(null);

/** @type {Promise<boolean | Error> | null} */
let confirmed = null;

// recently sends a request. If the sign-in was too long ago for it, it has the user prove who they are, and
// sends it again.
/** @template T @param {() => Promise<T>} attempt @returns {Promise<T>} */
export async function recently(attempt) {
  try {
    return await attempt();
  } catch (error) {
    if (codeOf(error) !== 'reauthentication_needed') throw error;
    confirmed ??= new Promise((/** @type {Confirm} */ answer) => confirming.set(answer));
    const proven = await confirmed;
    confirmed = null;
    confirming.set(null);
    if (proven !== true) throw proven || error;
    return attempt();
  }
}

// prove makes the session as recent as a sign-in, by the password or by a code from a mail.
/** @param {{ password: string } | { nonce: string }} proof */
export async function prove(proof) {
  await identity('/reauthenticate', as(await bearer(), { method: 'POST', json: proof }));
}

// mailCode has a code mailed to the user, for prove.
export async function mailCode() {
  await identity('/reauthenticate', as(await bearer()));
}

// deleteAccount deletes the account of the user, and ends the session.
export async function deleteAccount() {
  await recently(async () => {
    const { headers } = as(await bearer(), {});
    await send('/api/account', { method: 'DELETE', headers: { apikey: config.anonKey, ...headers } });
  });
  await drop('Your account is deleted.');
  channel?.postMessage('out');
}

/** @param {string} token @param {RequestOptions} [options] */
const as = (token, options) => ({ ...options, headers: { Authorization: `Bearer ${token}` } });

// account sends a request to /auth/v1 as the signed-in user.
/**
 * @template [T=any]
 * @param {string} path
 * @param {RequestOptions} [options]
 * @returns {Promise<T>}
 */
export const account = (path, options) =>
  recently(async () => (await identity(path, as(await bearer(), options))).body);

// enterCode gives the session a second factor, by a code of the factor or by a recovery code.
/** @param {string} factor @param {string} code */
export const enterCode = (factor, code) => recently(() => answerChallenge(factor, code));

/** @param {string} factor @param {string} code */
async function answerChallenge(factor, code) {
  const token = await bearer(); // may refresh, and so has to come before the lock
  const { phase } = session.get();
  await oneAtATime(async () => {
    const { body: challenge } = await identity(`/factors/${factor}/challenge`, as(token, { method: 'POST' }));
    const { body } = await identity(
      `/factors/${factor}/verify`,
      as(token, { method: 'POST', json: { challenge_id: challenge.id, code } }),
    );
    await accept(body);
  });
  if (phase === 'code') channel?.postMessage('in');
}

// bearer returns an access token that is valid for at least ten seconds.
export async function bearer() {
  if (!access || access.expiresAt - Date.now() < 10_000) await refresh();
  if (!access) throw new ApiError('You are signed out.', { status: 401, code: 'signed_out' });
  return access.token;
}

// current returns the access token without waiting, for a last request while the page is being closed.
export const current = () => access?.token;

if (channel) {
  channel.onmessage = ({ data }) => {
    if (data === 'out' && ['in', 'code'].includes(session.get().phase))
      drop('You were signed out in another tab.');
    if (data === 'in') location.reload(); // the user may be a different one
  };
}
window.addEventListener('pageshow', async ({ persisted }) => {
  // The browser shows the page as it was before another page of this tab has signed in.
  if (persisted && session.get().phase === 'out' && (await recall())) location.reload();
});
document.addEventListener('visibilitychange', () => {
  // Timers do not run while the computer sleeps.
  if (document.visibilityState === 'visible' && access && access.expiresAt - Date.now() < EARLY_MS)
    refresh().catch(() => {});
});
