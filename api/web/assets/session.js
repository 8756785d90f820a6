// The session. The access token is only in memory, the refresh token in the vault. Only one tab at a time
// refreshes, because a refresh token is valid for one use.
import { store } from './store.js';
import { send, ApiError } from './http.js';
import { go } from './router.js';
import * as vault from './vault.js';

// {phase: 'starting' | 'out' | 'in' | 'unreachable', user, note}
export const session = store({ phase: 'starting', user: null, note: '' });

export const config = { anonKey: '' };

let access = null; // {token, expiresAt: ms}
let inMemory = null; // the refresh token, if the vault cannot store it
let timer;
let refreshing = null;

const EARLY_MS = 90_000; // as supabase-js does
const RETRY_MS = 5_000;

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('session');

const identity = (path, options = {}) => send('/auth/v1' + path, { ...options, headers: { apikey: config.anonKey, ...options.headers } });

const oneAtATime = (act) => (navigator.locks ? navigator.locks.request('research-session', act) : act());

async function recall() {
  return vault.durable ? vault.recall() : inMemory;
}

async function accept(answer) {
  access = { token: answer.access_token, expiresAt: Date.now() + answer.expires_in * 1000 };
  if (vault.durable) await vault.keep(answer.refresh_token);
  else inMemory = answer.refresh_token;
  schedule(answer.expires_in * 1000 - EARLY_MS);
  const { user, phase } = session.get();
  if (phase !== 'in' || user?.id !== answer.user.id) session.set({ phase: 'in', user: answer.user, note: '' });
}

function schedule(ms) {
  clearTimeout(timer);
  timer = setTimeout(() => refresh().catch(() => {}), Math.max(1000, Math.min(ms, 2 ** 31 - 1)));
}

async function drop(note) {
  clearTimeout(timer);
  access = inMemory = null;
  await vault.forget();
  session.set({ phase: 'out', user: null, note });
}

// refresh exchanges the refresh token for a new pair of tokens. If the server rejects it, the session ends;
// if the server cannot be reached, the session continues.
export function refresh() {
  refreshing ??= oneAtATime(async () => {
    const token = await recall();
    if (!token) {
      await drop(access ? 'You were signed out in another tab.' : '');
      return;
    }
    try {
      const { body } = await identity('/token?grant_type=refresh_token', { method: 'POST', json: { refresh_token: token } });
      await accept(body);
    } catch (error) {
      if (error instanceof ApiError && !error.temporary && error.status < 500) {
        await drop('Your session has ended. Sign in again to continue where you left off.');
        return;
      }
      schedule(Math.max(RETRY_MS, (error.retryAfter || 0) * 1000));
      throw error;
    }
  }).finally(() => {
    refreshing = null;
  });
  return refreshing;
}

// arrive takes over the session that a link in a mail carries in the fragment of the address, and removes it
// from there.
async function arrive() {
  const brought = new URLSearchParams(location.hash.slice(1));
  if (!brought.has('refresh_token') && !brought.has('error_description')) return false;
  history.replaceState(null, '', location.pathname + location.search);
  if (!brought.has('refresh_token')) {
    await drop(brought.get('error_description'));
    return true;
  }
  const { body } = await identity('/token?grant_type=refresh_token', { method: 'POST', json: { refresh_token: brought.get('refresh_token') } });
  await oneAtATime(() => accept(body));
  if (['recovery', 'invite'].includes(brought.get('type'))) go('/settings?password=new', { replace: true });
  return true;
}

// start reads the configuration and resumes the last session.
export async function start() {
  try {
    Object.assign(config, (await send('/config.json')).body);
    if (!(await arrive())) await refresh();
  } catch (error) {
    if (error instanceof ApiError && !error.temporary && error.status < 500 && error.status > 0) {
      await drop('This link has expired or was already used. Request a new one.');
      return;
    }
    session.set({ phase: 'unreachable', user: null, note: '' });
    clearTimeout(timer);
    timer = setTimeout(start, RETRY_MS);
  }
}

export async function signIn(email, password) {
  const { body } = await identity('/token?grant_type=password', { method: 'POST', json: { email, password } });
  await oneAtATime(() => accept(body));
  channel?.postMessage('in');
}

// signUp signs in at once, or resolves to false if the address must be confirmed first.
export async function signUp(email, password, name) {
  const { body } = await identity('/signup', { method: 'POST', json: { email, password, data: { display_name: name } } });
  if (!body.access_token) return false;
  await oneAtATime(() => accept(body));
  channel?.postMessage('in');
  return true;
}

// settings returns what the server allows: {disable_signup, …}.
export const settings = async () => (await identity('/settings')).body;

// recover asks for a mail with a link back to this page, if the address has an account.
export const recover = (email) => identity(`/recover?redirect_to=${encodeURIComponent(location.origin + '/')}`, { method: 'POST', json: { email } });

export async function signOut() {
  const token = access?.token;
  await drop('');
  channel?.postMessage('out');
  if (token) {
    await identity('/logout?scope=local', { method: 'POST', headers: { Authorization: `Bearer ${token}` } }).catch(() => {});
  }
}

export async function changePassword(password) {
  await identity('/user', { method: 'PUT', json: { password }, headers: { Authorization: `Bearer ${await bearer()}` } });
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
    if (data === 'out' && session.get().phase === 'in') drop('You were signed out in another tab.');
    if (data === 'in') location.reload(); // the user may be a different one
  };
}
document.addEventListener('visibilitychange', () => {
  // Timers do not run while the computer sleeps.
  if (document.visibilityState === 'visible' && access && access.expiresAt - Date.now() < EARLY_MS) refresh().catch(() => {});
});
