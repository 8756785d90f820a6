// How the user signs in: by e-mail, and with accounts of providers, which are connected and disconnected here.
import { html, useState } from '../../page/html.js';
import { account, reloadUser, settings } from '../../client/session.js';
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

/** @param {{ user: User }} props */
export function Identities({ user }) {
  const loaded = useLoad(load, [user.id]);
  const { data, set } = loaded;
  const [removing, setRemoving] = useState(/** @type {Identity | null} */ (null));
  const { leaving, leave } = useLeaving();
  const close = () => setRemoving(null);
  if (!data)
    return html`
      <${Waiting} for=${loaded} />
    `;
  const { identities, providers } = data;
  const others = identities.filter(({ provider }) => provider !== 'email');
  if (providers.length === 0 && others.length === 0) return null;
  const free = providers.filter(({ id }) => !others.some(({ provider }) => provider === id));
  const name = (/** @type {Identity} */ { provider }) => providerName(providers, provider);
  async function remove() {
    const one = /** @type {Identity} */ (removing);
    await unlessGone(account(`/user/identities/${one.identity_id}`, { method: 'DELETE' }));
    set((all) => ({ ...all, identities: all.identities.filter((i) => i !== one) }));
    close();
    toast(`${name(one)} is disconnected.`);
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
              name=${one.provider === 'email' ? '' : name(one)}
              onRemove=${identities.length > 1 && one.provider !== 'email' && (() => setRemoving(one))}
            />
          `,
        )}
      </ul>
      ${
        identities.length === 1 &&
        others.length === 1 &&
        html`
          <p class="faint" dir="auto">
            ${name(others[0])} cannot be disconnected: nothing else signs in to your account.
            ${user.email ? ' Set a password first.' : ''}
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
          <${Dialog} title=${`Disconnect ${name(removing)}`} onClose=${close}>
            <${Form} send=${remove} submit="Disconnect" onCancel=${close}>
              <p>
                <b dir="auto">${removing.identity_data.email || name(removing)}</b>
                ${' '}no longer signs in to your account. What is left:${' '}
                ${identities
                  .filter((i) => i !== removing)
                  .map((i) => (i.provider === 'email' ? 'your e-mail address' : name(i)))
                  .join(', ')}.
              </p>
            <//>
          <//>
        `
      }
    </section>
  `;
}

// Way is a row: an account of a provider or, without a name, the e-mail address.
/** @param {{ identity: Identity, name: string, onRemove: (() => void) | false }} props */
const Way = ({ identity: { identity_data: data, created_at, last_sign_in_at }, name, onRemove }) => html`
  <li>
    <div class="what">
      <b dir="auto">${name || 'E-mail and password'}</b>
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
          <button class="quiet" aria-label=${`Disconnect ${name}`} onClick=${onRemove}>Disconnect</button>
        `
      }
    </div>
  </li>
`;
