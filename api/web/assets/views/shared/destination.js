// Where the answer to an app's request goes. It imports nothing, so that tests can import it.

/** @typedef {{ kind: 'site', host: string } | { kind: 'computer' }} Web */
/** @typedef {Web | { kind: 'scheme', scheme: string }} Destination */

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

// The schemes of installed apps that the server allows, in identity/oauthredirect.go.
const ofApps = /^(cursor|raycast|vscode|vscode-insiders|warp|windsurf|[a-z][a-z\d-]*(\.[a-z\d-]+)+):$/;

// placeOf says what a host is, as the server names it: a site, something on this computer, or the scheme of
// an app with its colon, such as "cursor:".
/** @param {string} host @returns {Destination} */
export function placeOf(host) {
  if (host.endsWith(':')) return { kind: 'scheme', scheme: host.slice(0, -1) };
  return loopback.test(host) ? { kind: 'computer' } : { kind: 'site', host };
}

// placeName returns a place in words.
/** @param {Destination} place */
export function placeName(place) {
  if (place.kind === 'site') return place.host;
  return `an app on this computer${place.kind === 'scheme' ? ` that opens ${place.scheme}: links` : ''}`;
}

// destination says where an address of an app leads. It returns null for what the page does not open: the
// server allows https, http of this computer, and the schemes of apps.
/** @param {string} address @returns {Destination | null} */
export function destination(address) {
  const { protocol, host } = parsed(address) ?? {};
  if (!protocol || host === undefined) return null;
  if (protocol === 'https:' || (protocol === 'http:' && loopback.test(host))) return placeOf(host);
  return ofApps.test(protocol) ? placeOf(protocol) : null;
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
