// Addresses and history. Links are ordinary links; those to the same origin do not reload the page.
import { store } from './store.js';

// Parameters of an address by their names; null removes one.
/** @typedef {Record<string, string | null>} Changes */

const read = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export const route = store(read());

// go navigates to an address. With replace, it adds no entry to the history.
/** @param {string} href @param {{ replace?: boolean }} [options] */
export function go(href, { replace = false } = {}) {
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  route.set(read());
}

// withQuery returns the current address with other parameters; null removes one.
/** @param {Changes} changes */
export function withQuery(changes) {
  const { path, query } = read();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return path + (text && '?' + text);
}

// setQuery changes parameters of the current address.
/** @param {Changes} changes */
export const setQuery = (changes) => go(withQuery(changes), { replace: true });

// note changes parameters of the current address for later visits, without rendering the view again.
/** @param {Changes} changes */
export function note(changes) {
  try {
    history.replaceState(null, '', withQuery(changes));
  } catch {
    // Browsers limit the number of changes in a short time. The next one notes the newer state.
  }
}

// match returns the parameters of a path that matches a pattern such as /projects/:id/evidence, or null.
/** @param {string} pattern @param {string} path */
export function match(pattern, path) {
  const want = pattern.split('/');
  const have = path.replace(/(.)\/$/, '$1').split('/');
  if (want.length !== have.length) return null;
  /** @type {Record<string, string>} */
  const found = {};
  for (let i = 0; i < want.length; i++) {
    if (want[i].startsWith(':')) {
      try {
        found[want[i].slice(1)] = decodeURIComponent(have[i]);
      } catch {
        return null;
      }
    } else if (want[i] !== have[i]) return null;
  }
  return found;
}

window.addEventListener('popstate', () => route.set(read()));

document.addEventListener('click', (event) => {
  const link = /** @type {Element} */ (event.target).closest?.('a[href]');
  if (
    !(link instanceof HTMLAnchorElement) ||
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  if (link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
