// The buttons that connect accounts of providers with that of the user.
import { html } from '../../page/html.js';
import { offered } from '../../provider/flow.js';
import { goConnect } from '../../provider/offered.js';
import { useLeaving } from './providers.js';

/** @typedef {import('../../provider/flow.js').Provider} Provider */

// Connect has the buttons for the providers of which the user has no account here.
/** @param {{ user: User, identities: Identity[], providers: Provider[] }} props */
export function Connect({ user, identities, providers }) {
  const { leaving, leave } = useLeaving();
  const free = providers.filter(({ id }) => !identities.some(({ provider }) => provider === id));
  if (free.length === 0) return null;
  if (!offered)
    return html`
      <p class="hint">To connect an account, open this page over https.</p>
    `;
  return html`
    <div class="actions">
      ${free.map(
        (provider) => html`
          <button
            key=${provider.id}
            disabled=${leaving}
            onClick=${() => leave(() => goConnect(provider, user))}
          >
            <span>
              Connect${' '}
              <bdi>${provider.name}</bdi>
              …
            </span>
          </button>
        `,
      )}
    </div>
  `;
}
