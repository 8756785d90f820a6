// Who is signed in. The access token lives in this module's memory alone; the refresh token in the vault. Tabs take turns at
// refreshing, since a refresh token is good for one use.
import { store } from './store.js';
import { send, ApiError } from './http.js';
import { go } from './router.js';
import * as vault from './vault.js';

// {phase: 'starting' | 'out' | 'in' | 'unreachable', user, note}
export const session = store({ phase: 'starting', user: null, note: '' });

export const config = { anonKey: '' };

let access = null; // {token, expiresAt: ms}
let inMemory = null; // the refresh token, where the vault cannot keep it
let timer;
let refreshing = null;

const EARLY_MS = 90_000; // as the usual clients do
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

// refresh exchanges the kept token for a new pair. One that the server refuses ends the session; a server that cannot be reached does not.
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
        await drop('Your session has ended. Sign in again to go on where you were.');
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

// arrive takes the session that a link in a mail brings behind the address's #, and leaves no trace of it there.
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

// start reads the settings and takes up the last session.
export async function start() {
  try {
    Object.assign(config, (await send('/config.json')).body);
    if (!(await arrive())) await refresh();
  } catch (error) {
    if (error instanceof ApiError && !error.temporary && error.status < 500 && error.status > 0) {
      await drop('This link was used already, or is too old. Ask for a new one.');
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

// signUp signs in at once, or resolves to false where the address has to be confirmed first.
export async function signUp(email, password, name) {
  const { body } = await identity('/signup', { method: 'POST', json: { email, password, data: { display_name: name } } });
  if (!body.access_token) return false;
  await oneAtATime(() => accept(body));
  channel?.postMessage('in');
  return true;
}

// settings tells what the server allows: {disable_signup, …}.
export const settings = async () => (await identity('/settings')).body;

// recover has a link mailed that leads back here, if the address is known.
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

// bearer is an access token that will not expire on the way.
export async function bearer() {
  if (!access || access.expiresAt - Date.now() < 10_000) await refresh();
  if (!access) throw new ApiError('You are signed out.', { status: 401, code: 'signed_out' });
  return access.token;
}

// current is for a last request as the page goes away, when nothing can be waited for.
export const current = () => access?.token;

if (channel) {
  channel.onmessage = ({ data }) => {
    if (data === 'out' && session.get().phase === 'in') drop('You were signed out in another tab.');
    if (data === 'in') location.reload(); // perhaps as somebody else
  };
}
document.addEventListener('visibilitychange', () => {
  // A sleeping machine's timers do not run.
  if (document.visibilityState === 'visible' && access && access.expiresAt - Date.now() < EARLY_MS) refresh().catch(() => {});
});
