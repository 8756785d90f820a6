// The apps that have access to the user's account.
import { html, useState } from '../../page/html.js';
import { account, config } from '../../client/session.js';
import { useLoad } from '../../page/load.js';
import { date, dateTime } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Form } from '../../page/form.js';
import { Waiting } from '../../page/ui.js';
import { toast } from '../../page/messages.js';
import { placeName, placeOf } from '../shared/destination.js';
import { unlessGone } from '../shared/gone.js';
import { nameOf, ofApps, shortOf } from '../shared/scopes.js';

/** @returns {Promise<OAuthGrant[]>} */
const load = (/** @type {AbortSignal} */ signal) => account('/user/oauth/grants', { signal });

export function Apps() {
  const grants = useLoad(load, []);
  const { data, set } = grants;
  const [removing, setRemoving] = useState(/** @type {OAuthGrant | null} */ (null));
  const close = () => setRemoving(null);
  async function remove() {
    const { client } = /** @type {OAuthGrant} */ (removing);
    await unlessGone(
      account(`/user/oauth/grants?client_id=${encodeURIComponent(client.id)}`, { method: 'DELETE' }),
    );
    set((all) => all.filter((one) => one.client.id !== client.id));
    close();
    toast('The app has no access any more.');
  }
  if (!data)
    return html`
      <${Waiting} for=${grants} />
    `;
  if (data.length === 0 && !config.mcp) return null;
  return html`
    <section class="card" aria-labelledby="apps">
      <h2 id="apps">Connected apps</h2>
      ${
        data.length === 0
          ? html`
              <p class="faint">No app has access to your account.</p>
            `
          : html`
              <ul class="members">
                ${data.map(
                  (grant) => html`
                    <${App} key=${grant.client.id} grant=${grant} onRemove=${() => setRemoving(grant)} />
                  `,
                )}
              </ul>
            `
      }
      ${
        removing &&
        html`
          <${Dialog} title="Remove an app" onClose=${close}>
            <${Form} send=${remove} submit="Remove" onCancel=${close}>
              <p>
                <b dir="auto">${nameOf(removing.client.name)}</b>
                ${' '}loses access to your account within seconds. What it has read stays with it, and what it
                has added stays here.
              </p>
            <//>
          <//>
        `
      }
    </section>
  `;
}

/** @param {{ grant: OAuthGrant, onRemove: () => void }} props */
function App({ grant: { client, scopes, granted_at, last_used_at }, onRemove }) {
  const name = nameOf(client.name);
  return html`
    <li>
      <div class="what">
        <p>
          <b dir="auto">${name}</b>
          ${' '}
          <span class="faint">${placeName(placeOf(client.host))}</span>
        </p>
        <p class="meta">
          <span>${shortOf(scopes, ofApps)}</span>
          <span>since ${date(granted_at)}</span>
          <span>last used ${dateTime(last_used_at)}</span>
        </p>
      </div>
      <div class="verdict">
        <button class="quiet" aria-label=${`Remove ${name}`} onClick=${onRemove}>Remove</button>
      </div>
    </li>
  `;
}
