// Where the answer to an app's request goes. It imports nothing, so that tests can import it.

/** @typedef {{ kind: 'site', host: string } | { kind: 'computer' }} Web */
/** @typedef {Web | { kind: 'scheme', scheme: string }} Destination */

// Addresses that browsers open themselves, and those that start something else than the app that asks.
const foreign = [
  'about',
  'blob',
  'chrome',
  'content',
  'data',
  'file',
  'filesystem',
  'ftp',
  'intent',
  'javascript',
  'mailto',
  'resource',
  'sms',
  'tel',
  'vbscript',
  'view-source',
  'ws',
  'wss',
];
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

// destination says what an address of an app is: a site, something on this computer, or an app that opens the
// links of a scheme. It returns null for what the page does not open.
/** @param {string} address @returns {Destination | null} */
export function destination(address) {
  const url = parsed(address);
  if (!url) return null;
  const scheme = url.protocol.slice(0, -1);
  if (scheme === 'https' || scheme === 'http') {
    if (loopback.test(url.hostname)) return { kind: 'computer' };
    return scheme === 'https' ? { kind: 'site', host: url.host } : null;
  }
  return foreign.includes(scheme) ? null : { kind: 'scheme', scheme };
}

// leadsTo reports whether an address with an answer is the one that the page has named before: only what
// follows the path is the answer's.
/** @param {string} address @param {string} named */
export function leadsTo(address, named) {
  const [one, other] = [parsed(address), parsed(named)];
  return (
    !!one &&
    !!other &&
    destination(address) !== null &&
    one.protocol === other.protocol &&
    one.host === other.host &&
    one.pathname === other.pathname
  );
}

/** @param {string} address */
function parsed(address) {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
