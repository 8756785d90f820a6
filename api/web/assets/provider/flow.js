// A sign-in with the account of a provider, from the button to the return. Its verifier (PKCE, RFC 7636) is
// in this tab only, so that a code in the address counts only where the sign-in began: anybody can send
// somebody a link with a code.
import { go, withQuery } from '../page/router.js';
import { store } from '../page/store.js';
import { isolated } from '../page/words.js';
import { carried, carriedFor, FLOW, forgetFlow, isCarried } from '../client/carried.js';
import * as vault from '../client/vault.js';

// A provider, and its name for people.
/** @typedef {{ id: string, name: string }} Provider */
/**
 * @typedef {object} Flow
 * @property {string} id names it without its verifier
 * @property {string} verifier
 * @property {string} name of the provider
 * @property {string | null} user the id of who connects the account of the provider; null to sign in
 * @property {number} until when it is forgotten
 * @property {string} [code] what came back, until it is exchanged
 */

const FLOW_MS = 60 * 60 * 1000; // longer than the server waits
const MOST_BYTES = 2000; // of an address to which the server leads back

// Browsers compute the challenge only for pages that are served over https, or on this computer.
export const offered = !!globalThis.crypto?.subtle;

/** @param {Uint8Array} bytes */
const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

// connected is whether the page was just opened by a provider whose account is now connected.
export const connected = store(false);

/** @param {Flow} flow */
const keep = (flow) => sessionStorage.setItem(FLOW, JSON.stringify(flow));

// read returns the flow of this tab. One that took too long is forgotten.
/** @returns {Promise<Flow | null>} */
async function read() {
  try {
    const flow = JSON.parse(sessionStorage.getItem(FLOW) ?? 'null');
    if (flow && Date.now() < flow.until) return flow;
  } catch {
    return null;
  }
  await forgetFlow();
  return null;
}

// Things are stored encrypted, as the refresh token is.
/** @param {Flow} flow */
async function packAll({ id, until }) {
  const things = [...carried].map(([name, { pack }]) => [name, pack()]).filter(([, value]) => value !== null);
  if (things.length > 0) await vault.keep(JSON.stringify({ until, things }), carriedFor(id));
}

// unpackAll takes back what was carried. It is kept until the end of the flow: one can go to the provider
// again with the buttons of the browser.
/** @param {Flow | null} flow */
async function unpackAll(flow) {
  const stored = flow && (await recall(carriedFor(flow.id)));
  for (const [name, value] of stored?.things ?? []) carried.get(name)?.unpack(value);
}
/** @param {string} name */
const recall = async (name) => JSON.parse((await vault.recall(name)) ?? 'null');

// tidy forgets what was carried for flows that did not end.
export async function tidy() {
  for (const name of (await vault.names()).filter(isCarried)) {
    const stored = await recall(name);
    if (!stored || Date.now() > stored.until) await vault.forget(name);
  }
}

// begin begins a flow, and returns what the server has to know about it.
/** @param {Provider} provider @param {string | null} [user] who connects the account of the provider */
export async function begin({ id: provider, name }, user = null) {
  await forgetFlow(); // a former attempt
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const flow = { id: crypto.randomUUID(), verifier, name, user, until: Date.now() + FLOW_MS };
  try {
    keep(flow);
  } catch {
    throw new Error(
      `Your browser stores nothing for this page, and signing in with ${isolated(name)} needs that.`,
    );
  }
  await packAll(flow).catch(() => {});
  const here = location.origin + location.pathname;
  const whole = here + location.search;
  return new URLSearchParams({
    provider,
    redirect_to: whole.length > MOST_BYTES ? here : whole,
    code_challenge: base64url(new Uint8Array(hash)),
    code_challenge_method: 's256',
  });
}

const parameters = ['code', 'error', 'error_code', 'error_description'];

// returned returns what came back to the page: the flow of this tab, or null, with the code to exchange or
// the codes of an error. It is null if nothing came. The parameters are removed from the address, which must
// not be shared or stored with them.
export async function returned() {
  const flow = await read();
  await unpackAll(flow).catch(() => {});
  const brought = new URLSearchParams(location.search);
  const code = brought.get('code') ?? '';
  const errors = [brought.get('error_code') ?? '', brought.get('error') ?? ''];
  if (parameters.some((name) => brought.has(name))) {
    const without = withQuery(Object.fromEntries(parameters.map((name) => [name, null])));
    go(without + location.hash, { replace: true });
    if (code && flow) keep({ ...flow, code }); // for a reload before the answer
    return { flow, code, errors };
  }
  return flow?.code ? { flow, code: flow.code, errors } : null;
}
