// How the user signs in: by e-mail, and with accounts of providers. They are connected and disconnected here.
import { html, useState } from '../../page/html.js';
import { account, reloadUser, settings } from '../../client/session.js';
import { signsInByMail } from '../../client/user.js';
import { offered } from '../../provider/flow.js';
import { goConnect, providerName, providersOf } from '../../provider/offered.js';
import { Dialog } from '../../page/dialog.js';
import { Form } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { toast } from '../../page/messages.js';
import { date, dateTime } from '../../page/words.js';
import { Waiting } from '../../page/ui.js';
import { useLeaving } from './providers.js';
import { unlessGone } from '../shared/gone.js';

async function load() {
  const [user, allowed] = await Promise.all([account('/user'), settings()]);
  return { identities: /** @type {Identity[]} */ (user.identities ?? []), providers: providersOf(allowed) };
}

/** @param {Identity} identity */
const byMail = ({ provider }) => provider === 'email';

/** @param {{ user: User, onEnded: () => void }} props */
export function Identities({ user, onEnded }) {
  const loaded = useLoad(load, [user.id, signsInByMail(user)]);
  const { data, set } = loaded;
  const [removing, setRemoving] = useState(/** @type {Identity | null} */ (null));
  const { leaving, leave } = useLeaving();
  if (!data)
    return html`
      <${Waiting} for=${loaded} />
    `;
  const { identities, providers } = data;
  const free = providers.filter(({ id }) => !identities.some(({ provider }) => provider === id));
  if (providers.length === 0 && identities.every(byMail)) return null;
  /** @param {Identity} identity */
  const name = ({ provider }) =>
    provider === 'email' ? 'E-mail and password' : providerName(providers, provider);
  async function remove() {
    const one = /** @type {Identity} */ (removing);
    await unlessGone(account(`/user/identities/${one.identity_id}`, { method: 'DELETE' }));
    set((all) => ({ ...all, identities: all.identities.filter((i) => i !== one) }));
    setRemoving(null);
    toast(byMail(one) ? 'Password removed.' : `${name(one)} is disconnected.`);
    onEnded();
    reloadUser().catch(() => {});
  }
  return html`
    <section class="card" aria-labelledby="identities">
      <h2 id="identities">Ways to sign in</h2>
      <ul class="members">
        ${identities.map(
          (one) => html`
            <${Way}
              key=${one.identity_id}
              identity=${one}
              name=${name(one)}
              onRemove=${identities.length > 1 && (() => setRemoving(one))}
            />
          `,
        )}
      </ul>
      ${
        identities.length === 1 &&
        !byMail(identities[0]) &&
        html`
          <p class="faint" dir="auto">
            ${name(identities[0])} cannot be disconnected: nothing else signs in to your account.
            ${user.email && ' Set a password first.'}
          </p>
        `
      }
      ${
        free.length > 0 &&
        offered &&
        html`
          <div class="actions">
            ${free.map(
              (provider) => html`
                <button
                  key=${provider.id}
                  disabled=${leaving}
                  onClick=${() => leave(() => goConnect(provider, user))}
                >
                  <span dir="auto">Connect ${provider.name}…</span>
                </button>
              `,
            )}
          </div>
        `
      }
      ${
        removing &&
        html`
          <${Disconnect}
            identity=${removing}
            name=${name(removing)}
            rest=${identities.filter((i) => i !== removing).map(name)}
            send=${remove}
            onClose=${() => setRemoving(null)}
          />
        `
      }
    </section>
  `;
}

// Way is an identity: the address, or an account of a provider.
/** @param {{ identity: Identity, name: string, onRemove: (() => void) | false }} props */
function Way({ identity, name, onRemove }) {
  const { identity_data: data, created_at, last_sign_in_at } = identity;
  return html`
    <li>
      <div class="what">
        <b dir="auto">${name}</b>
        <p class="meta">
          <span dir="auto">${data.email || data.full_name || data.name || 'without an address'}</span>
          <span>since ${date(created_at)}</span>
          ${
            last_sign_in_at &&
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
            <button class="quiet" aria-label=${removal(identity, name)} onClick=${onRemove}>
              ${byMail(identity) ? 'Remove' : 'Disconnect'}
            </button>
          `
        }
      </div>
    </li>
  `;
}

// removal says what removes an identity.
/** @param {Identity} identity @param {string} name */
const removal = (identity, name) => (byMail(identity) ? 'Remove the password' : `Disconnect ${name}`);

// Disconnect asks before an identity is removed. rest are the names of the others.
/**
 * @param {object} props
 * @param {Identity} props.identity
 * @param {string} props.name
 * @param {string[]} props.rest
 * @param {() => Promise<void>} props.send
 * @param {() => void} props.onClose
 */
const Disconnect = ({ identity, name, rest, send, onClose }) => html`
  <${Dialog} title=${removal(identity, name)} onClose=${onClose}>
    <${Form} send=${send} submit=${byMail(identity) ? 'Remove' : 'Disconnect'} onCancel=${onClose}>
      <p>
        ${byMail(identity) ? 'The password of ' : ''}
        <b dir="auto">${identity.identity_data.email || name}</b>
        ${' '}no longer signs in to your account. What is left:${' '}
        <span dir="auto">${rest.join(', ')}</span>
        .
      </p>
      <p>Your other sessions end, and connected apps and tokens lose their access.</p>
    <//>
  <//>
`;
