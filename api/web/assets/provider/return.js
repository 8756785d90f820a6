// The return from a provider.
import { ApiError, codeOf } from '../client/http.js';
import { exchange, session, takeReturned } from '../client/session.js';
import { shownName } from '../client/user.js';
import { toast } from '../page/messages.js';
import { end, returned } from './flow.js';

/** @typedef {import('./flow.js').Flow} Flow */

const LATE = 'This sign-in took too long, or was used already. Try again.';
const UNREACHED = (/** @type {string} */ name) => `${name} does not answer now. Try again later.`;

// What the codes of errors mean. The text of an address is anybody's, and never shown.
/** @type {Map<string, (name: string, connects: boolean) => string>} */
const meanings = new Map([
  [
    'access_denied',
    (name, connects) => (connects ? `You did not connect ${name}.` : `You did not sign in with ${name}.`),
  ],
  ['bad_oauth_state', () => 'This sign-in was begun in another window or took too long. Try again.'],
  ['flow_state_expired', () => LATE],
  ['flow_state_not_found', () => LATE],
  [
    'signup_disabled',
    () => 'Accounts are not open to everybody here. Ask the operator of this server for one.',
  ],
  [
    'email_address_not_authorized',
    (name) => `This server is not open to the address of your ${name} account. Ask its operator.`,
  ],
  [
    'provider_email_needs_verification',
    () => 'Confirm your address first. The link is in the e-mail that we sent you.',
  ],
  [
    'identity_already_exists',
    (name) =>
      `This ${name} account is connected to another account here. Disconnect it there, or delete that one.`,
  ],
  ['email_exists', (name) => `Another account here has the address of this ${name} account.`],
  ['oauth_provider_not_supported', (name) => `${name} is not offered here any more.`],
  ['over_request_rate_limit', () => 'There were too many attempts. Try again in a few minutes.'],
  ['user_banned', () => 'This account is locked. Contact the operator of this server.'],
  ['temporarily_unavailable', UNREACHED],
  ['server_error', UNREACHED],
]);

// reason says why a flow brought nothing. codes are those of an error, the most exact first.
/** @param {Flow} flow @param {string[]} codes */
function reason({ name, user }, codes) {
  const meaning = codes.map((code) => meanings.get(code)).find(Boolean);
  if (meaning) return meaning(name, !!user);
  return user
    ? `${name} was not connected. Try again.`
    : `Signing in with ${name} did not work. Try again, or sign in another way.`;
}

// comeBack takes over the session that a sign-in with a provider has brought, or finishes the connection with
// an account there. It resolves to whether there is a session, and otherwise to what the page says. What was
// not begun in this tab signs nobody in.
export async function comeBack() {
  const back = await returned();
  if (!back) return { taken: false, note: '' };
  const { flow, code, errors } = back;
  if (!flow)
    return { taken: false, note: code && 'A sign-in that was not begun in this window was ignored.' };
  if (!code) {
    await end();
    return { taken: false, note: reason(flow, errors) };
  }
  let answer;
  try {
    answer = await exchange(code, flow.verifier);
  } catch (error) {
    if (error instanceof ApiError && error.temporary) throw error;
    await end();
    return { taken: false, note: reason(flow, [codeOf(error)]) };
  }
  await end();
  await takeReturned(answer, !!flow.user);
  if (flow.user) {
    const same = session.get().user?.id === answer.user.id;
    toast(`${flow.name} is connected${same ? '' : ` to ${shownName(answer.user)}`}.`);
  }
  return { taken: true, note: '' };
}
