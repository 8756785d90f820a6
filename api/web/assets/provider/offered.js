// The providers whose accounts sign in here, and the way to them.
import { account } from '../client/session.js';
import { forgetFlow } from '../client/carried.js';
import { begin } from './flow.js';

/** @typedef {import('./flow.js').Provider} Provider */

/** @type {Provider[]} */
const known = [
  { id: 'google', name: 'Google' },
  { id: 'azure', name: 'Microsoft' },
];

// providersOf returns the providers that the server offers.
/** @param {AuthSettings} settings @returns {Provider[]} */
export const providersOf = ({ external, custom_providers: custom = [] }) =>
  [...known, ...custom.map(({ identifier: id, name }) => ({ id, name }))].filter(({ id }) => external[id]);

// providerName returns the name of a provider, which the operator may have removed since.
/** @param {Provider[]} offered @param {string} id */
export const providerName = (offered, id) =>
  [...offered, ...known].find((p) => p.id === id)?.name ?? id.replace(/^custom:/, '');

// goSignIn leaves the page, to sign in with the account of a provider and come back here.
/** @param {Provider} provider */
export const goSignIn = async (provider) => location.assign(`/auth/v1/authorize?${await begin(provider)}`);

// goConnect leaves the page, to connect the account of a provider with that of the user.
/** @param {Provider} provider @param {User} user */
export async function goConnect(provider, user) {
  const query = await begin(provider, user.id);
  try {
    const { url } = await account(`/user/identities/authorize?${query}&skip_http_redirect=true`);
    location.assign(url);
  } catch (error) {
    await forgetFlow();
    throw error;
  }
}
