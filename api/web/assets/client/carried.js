// What is only in the memory of the page, and has to outlive the way to a provider and back.
import * as vault from './vault.js';

// pack returns it, or null if there is nothing, and unpack takes it back.
/** @typedef {{ pack: () => unknown, unpack: (value: any) => void }} Carried */

/** @type {Map<string, Carried>} */
export const carried = new Map();

// FLOW names what a tab stores of a sign-in with a provider.
export const FLOW = 'sign-in';

// What is carried for a flow has the name of that flow in the vault: other tabs may have begun others.
const PREFIX = 'carried ';
/** @param {string} id of the flow */
export const carriedFor = (id) => PREFIX + id;
/** @param {string} name */
export const isCarried = (name) => name.startsWith(PREFIX);

// forgetFlow forgets the sign-in with a provider that this tab has begun, with what was carried for it,
// because it has ended or there was another one.
export async function forgetFlow() {
  try {
    const { id } = JSON.parse(sessionStorage.getItem(FLOW) ?? '{}');
    sessionStorage.removeItem(FLOW);
    if (id) await vault.forget(carriedFor(id));
  } catch {
    // The browser stores nothing.
  }
}

// returns reports whether the page may have been opened by a provider, which leads back to it.
export function returns() {
  try {
    return /[?&](code|error)/.test(location.search) || sessionStorage.getItem(FLOW) !== null;
  } catch {
    return false; // the browser stores nothing, so that nothing was begun
  }
}
