// The return from a provider.
import { ApiError, codeOf, statusOf } from '../client/http.js';
import { exchange, session, takeReturned } from '../client/session.js';
import { shownName } from '../client/user.js';
import { forgetFlow } from '../client/carried.js';
import { toast } from '../page/messages.js';
import { isolated } from '../page/words.js';
import { connected, returned } from './flow.js';

/** @typedef {import('./flow.js').Flow} Flow */
/** @typedef {import('../client/session.js').Arrival} Arrival */

const TOO_MANY = 429;
const MANY = 'over_request_rate_limit';

/** @typedef {(name: string, connects: boolean) => string} Meaning */
const LATE = 'This took too long, or was used already. Try again.';
/** @type {Meaning} */
const UNREACHED = (name, connects) =>
  `${connects ? 'Connecting' : 'Signing in with'} ${name} does not work at the moment. Try again later.`;
/** @param {string} name */
const instead = (name) =>
  `If you have an account here, sign in to it another way, and connect ${name} in its settings.`;

// What the codes of errors mean. The text of an address is anybody's, and never shown.
/** @type {Map<string, Meaning>} */
const meanings = new Map([
  [
    'access_denied',
    (name, connects) =>
      connects
        ? `You did not connect ${name}.`
        : `${name} did not sign you in: you canceled, or your account may not use this service.`,
  ],
  ['bad_oauth_state', () => 'This sign-in was begun in another window or took too long. Try again.'],
  ['flow_state_expired', () => LATE],
  ['flow_state_not_found', () => LATE],
  [
    'signup_disabled',
    (name) =>
      `Accounts are not open to everybody here. Ask the operator of this server for one. ${instead(name)}`,
  ],
  [
    'email_address_not_authorized',
    (name) =>
      `This server is not open to the address of your ${name} account. Ask its operator. ${instead(name)}`,
  ],
  [
    'provider_email_needs_verification',
    (name) =>
      `${name} does not vouch for your e-mail address. If we sent you a link, follow it first. ` +
      instead(name),
  ],
  [
    'identity_already_exists',
    (name) =>
      `This ${name} account signs in to another account here. Disconnect it there, ` +
      'or delete that account if you do not need it.',
  ],
  [
    'email_exists',
    (name) => `Another account here has this address. Sign in to that one, and connect ${name} there.`,
  ],
  ['oauth_provider_not_supported', (name) => `${name} is not offered here any more.`],
  [MANY, () => 'There were too many attempts. Try again in a few minutes.'],
  ['user_banned', () => 'This account is locked. Contact the operator of this server.'],
  ['temporarily_unavailable', UNREACHED],
  ['server_error', UNREACHED],
]);

// reason says why a flow brought nothing. codes are those of an error, the most exact first. Who says no on
// purpose has made no error.
/** @param {Flow} flow @param {string[]} codes */
function reason({ name, user }, codes) {
  const code = codes.find((one) => meanings.has(one)) ?? '';
  const meaning = meanings.get(code);
  const general = user
    ? `${isolated(name)} was not connected. Try again.`
    : `Signing in with ${isolated(name)} did not work. Try again, or sign in another way.`;
  const note = meaning ? meaning(isolated(name), !!user) : general;
  return { taken: false, note, bad: !!user && code !== 'access_denied' };
}

// What was not begun in this tab signs nobody in.
const ignored = {
  taken: false,
  note: 'This sign-in was not begun in this window, so it was ignored. Sign in here.',
  still: 'This sign-in was not begun in this window, so it was ignored. You are still signed in.',
};
const nothing = { taken: false, note: '' };

// comeBack takes over the session that a sign-in with a provider has brought, or finishes the connection with
// an account there. It resolves to whether there is a session, and otherwise to what the page says. It
// rejects where another attempt with the same code may help.
/** @returns {Promise<Arrival>} */
export async function comeBack() {
  const back = await returned();
  if (!back) return nothing;
  const { flow, code, errors } = back;
  if (!flow) return code ? ignored : nothing;
  if (!code) {
    await forgetFlow();
    return reason(flow, errors);
  }
  let answer;
  try {
    answer = await exchange(code, flow.verifier);
  } catch (error) {
    const tooMany = statusOf(error) === TOO_MANY;
    if (error instanceof ApiError && error.temporary && !tooMany) throw error;
    await forgetFlow();
    return reason(flow, [codeOf(error), tooMany ? MANY : '']);
  }
  await forgetFlow();
  await takeReturned(answer, !!flow.user);
  if (flow.user) {
    const same = session.get().user?.id === answer.user.id;
    toast(`${isolated(flow.name)} is connected${same ? '' : ` to ${isolated(shownName(answer.user))}`}.`);
    connected.set(true);
  }
  return { taken: true, note: '' };
}
