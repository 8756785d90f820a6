// What is only in the memory of the page, and has to outlive the way to a provider and back.

// pack returns it, or null if there is nothing, and unpack takes it back.
/** @typedef {{ pack: () => unknown, unpack: (value: any) => void }} Carried */

/** @type {Map<string, Carried>} */
export const carried = new Map();

// FLOW names what a tab stores of a sign-in with a provider.
export const FLOW = 'sign-in';

// forgetFlow forgets a sign-in with a provider, because there was another one.
export function forgetFlow() {
  try {
    sessionStorage.removeItem(FLOW);
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
