// A way to sign in, in the list of those of the user, and the question before it is removed.
import { html } from '../../page/html.js';
import { Dialog } from '../../page/dialog.js';
import { Form } from '../../page/form.js';
import { date, dateTime, isolated } from '../../page/words.js';
import { either } from './providers.js';
import { byMail } from './ways.js';

/** @typedef {import('./ways.js').SignInWay} SignInWay */

// Way shows one. The server keeps no time of the last use of an address: that of its identity is the last
// sign-in of the account, in whichever way.
/** @param {{ way: SignInWay, onRemove: ((id: string) => void) | false }} props */
export function Way({ way, onRemove }) {
  const { identity, name, whose, works } = way;
  const { created_at, last_sign_in_at } = identity;
  return html`
    <li>
      <div class="what">
        <b dir="auto">${name}</b>
        <p class="meta">
          <bdi>${whose || 'no address'}</bdi>
          ${
            !works &&
            html`
              <span>no longer offered here</span>
            `
          }
          <span>since ${date(created_at)}</span>
          ${
            last_sign_in_at &&
            !byMail(identity) &&
            html`
              <span>last used ${dateTime(last_sign_in_at)}</span>
            `
          }
        </p>
      </div>
      <div class="verdict">
        ${
          onRemove &&
          html`
            <button class="quiet" aria-label=${removal(way)} onClick=${() => onRemove(identity.identity_id)}>
              ${byMail(identity) ? 'Remove' : 'Disconnect'}
            </button>
          `
        }
      </div>
    </li>
  `;
}

// Last says why the last way to sign in cannot be removed, and what helps.
/** @param {{ ways: SignInWay[], hasAddress: boolean }} props */
export function Last({ ways, hasAddress }) {
  if (ways.length > 1 || ways.some(({ identity }) => byMail(identity))) return null;
  const [last] = ways;
  return html`
    <p class="faint">
      ${
        last
          ? html`
              <bdi>${last.name}</bdi>
              ${' '}cannot be disconnected: nothing else signs in to your account.
            `
          : 'Nothing signs in to your account any more.'
      }
      ${' '}${
        hasAddress
          ? `Set a password${last ? ' first' : ''}.`
          : last && 'To use it for another account, delete this one below.'
      }
    </p>
  `;
}

// removal says what removes a way.
/** @param {SignInWay} way */
const removal = ({ identity, exact }) => (byMail(identity) ? 'Remove the password' : `Disconnect ${exact}`);

/** @param {SignInWay[]} ways */
const listed = (ways) =>
  either.format(
    ways.map(({ identity, exact }) =>
      byMail(identity) ? 'your e-mail address and password' : isolated(exact),
    ),
  );

// Disconnect asks before a way is removed. rest are the others that work.
/**
 * @param {object} props
 * @param {SignInWay} props.way
 * @param {SignInWay[]} props.rest
 * @param {() => Promise<void>} props.send
 * @param {() => void} props.onClose
 */
export const Disconnect = ({ way, rest, send, onClose }) => html`
  <${Dialog} title=${removal(way)} onClose=${onClose}>
    <${Form} send=${send} submit=${byMail(way.identity) ? 'Remove' : 'Disconnect'} onCancel=${onClose}>
      <p>
        ${'You will no longer be able to sign in with '}${
          byMail(way.identity)
            ? 'the password of '
            : html`
                the${' '}
                <bdi>${way.name}</bdi>
                ${' '}account${way.whose && ' '}
              `
        }
        <b><bdi>${way.whose}</bdi></b>
        . You can still sign in with ${listed(rest)}.
      </p>
      <p>Your other sessions end, and connected apps and tokens lose their access.</p>
    <//>
  <//>
`;
