// What is known of the ways in which a user signs in.
import { providerName } from '../../provider/offered.js';

/**
 * @typedef {object} SignInWay
 * @property {Identity} identity
 * @property {string} name
 * @property {string} whose the address there, or a name that the provider gave, or ''
 * @property {string} exact the name, with whose it is if there are several of the provider
 * @property {boolean} works whether the server still offers it
 */

/** @param {Identity} identity */
export const byMail = ({ provider }) => provider === 'email';

// waysOf describes identities. Those of a provider that the operator has removed do not work.
/** @param {Identity[]} identities @param {import('../../provider/flow.js').Provider[]} providers */
export const waysOf = (identities, providers) =>
  identities.map((identity) => {
    const { provider, identity_data: data } = identity;
    const name = byMail(identity) ? 'E-mail and password' : providerName(providers, provider);
    const whose = data.email || data.full_name || data.name || '';
    const several = identities.filter((other) => other.provider === provider).length > 1;
    return {
      identity,
      name,
      whose,
      exact: several && whose ? `${name} (${whose})` : name,
      works: byMail(identity) || providers.some(({ id }) => id === provider),
    };
  });
