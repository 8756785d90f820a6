// Personal access tokens: for scripts, and for assistants that cannot ask for access.
import { html, useState } from '../../page/html.js';
import { account } from '../../client/session.js';
import { useLoad } from '../../page/load.js';
import { date, dateTime } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, Options } from '../../page/form.js';
import { Waiting } from '../../page/ui.js';
import { toast } from '../../page/messages.js';
import { unlessGone } from '../shared/gone.js';
import { lifetimes, Once } from '../shared/once.js';
import { ofTokens, shortOf } from '../shared/scopes.js';

const DAY = 24 * 60 * 60; // seconds

/** @typedef {'make' | { revoke: PersonalToken } | null} Shown the dialog */

/** @returns {Promise<PersonalToken[]>} */
const load = async (/** @type {AbortSignal} */ signal) => (await account('/tokens', { signal })).tokens;

// Tokens lists the tokens of the user, at most 50 by a limit of the server.
export function Tokens() {
  const tokens = useLoad(load, []);
  const { data, set, reload } = tokens;
  const [dialog, setDialog] = useState(/** @type {Shown} */ (null));
  const close = () => setDialog(null);
  /** @param {PersonalToken} token */
  async function revoke({ id }) {
    await unlessGone(account(`/tokens/${id}`, { method: 'DELETE' }));
    set((rows) => rows.filter((one) => one.id !== id));
    close();
    toast('Revoked. The token does not work any more.');
  }
  if (!data)
    return html`
      <${Waiting} for=${tokens} />
    `;
  return html`
    <section class="card" aria-labelledby="tokens">
      <h2 id="tokens">Personal access tokens</h2>
      <p class="faint">
        For scripts, and for assistants that cannot ask for access. Anyone who has a token can act as you.
      </p>
      ${
        data.length > 0 &&
        html`
          <ul class="members">
            ${data.map(
              (token) => html`
                <${Token} key=${token.id} token=${token} onRevoke=${() => setDialog({ revoke: token })} />
              `,
            )}
          </ul>
        `
      }
      <div class="actions"><button onClick=${() => setDialog('make')}>New token</button></div>
      ${
        dialog === 'make' &&
        html`
          <${Make} onMade=${reload} onClose=${close} />
        `
      }
      ${
        dialog &&
        dialog !== 'make' &&
        html`
          <${Dialog} title="Revoke a token" onClose=${close}>
            <${Form} send=${() => revoke(dialog.revoke)} submit="Revoke" onCancel=${close}>
              <p>
                What uses${' '}
                <b dir="auto">${dialog.revoke.name}</b>
                ${' '}loses access within seconds.
              </p>
            <//>
          <//>
        `
      }
    </section>
  `;
}

/** @param {{ token: PersonalToken, onRevoke: () => void }} props */
function Token({ token: { name, scopes, expires_at, last_used_at }, onRevoke }) {
  const expired = new Date(expires_at) < new Date();
  return html`
    <li>
      <div class="what">
        <p><b dir="auto">${name}</b></p>
        <p class="meta">
          <span>${shortOf(scopes, ofTokens)}</span>
          <span class=${expired ? 'wrong' : ''}>
            ${expired ? 'expired on' : 'expires on'} ${date(expires_at)}
          </span>
          <span>${last_used_at ? `last used ${dateTime(last_used_at)}` : 'not used yet'}</span>
        </p>
      </div>
      <div class="verdict">
        <button class="quiet" aria-label=${`Revoke ${name}`} onClick=${onRevoke}>Revoke</button>
      </div>
    </li>
  `;
}

// Make makes a token, and shows it once.
/** @param {{ onMade: () => void, onClose: () => void }} props */
function Make({ onMade, onClose }) {
  const [made, setMade] = useState(/** @type {PersonalToken | null} */ (null));
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const values = new FormData(form);
    const scopes = values.getAll('scope');
    if (scopes.length === 0) throw new Error('Choose what the token may do.');
    const json = {
      name: String(values.get('name')).trim(),
      scopes,
      expires_in: Number(values.get('days')) * DAY,
    };
    setMade(await account('/tokens', { method: 'POST', json }));
    onMade();
  }
  return html`
    <${Dialog} title="New token" onClose=${onClose} keep=${!!made}>
      ${
        made
          ? html`
              <${Once} label="The token" value=${made.token ?? ''} />
              <p>
                Keep it like a password: anyone who has it can act as you, until ${date(made.expires_at)} or
                until you revoke it.
              </p>
              <div class="actions"><button class="primary" onClick=${onClose}>Done</button></div>
            `
          : html`
              <${Form} send=${send} submit="Create token" onCancel=${onClose}>
                <${Field} label="Name" hint="What it is for, such as Cursor on my laptop.">
                  ${(/** @type {Control} */ p) => html`
                    <input ...${p} name="name" required maxlength="100" autocomplete="off" />
                  `}
                <//>
                <fieldset class="radios">
                  <legend>It may</legend>
                  ${Object.entries(ofTokens).map(
                    ([scope, { may }]) => html`
                      <label key=${scope}>
                        <input
                          type="checkbox"
                          name="scope"
                          value=${scope}
                          defaultChecked=${scope === 'research:read'}
                        />
                        <span>${may}</span>
                      </label>
                    `,
                  )}
                </fieldset>
                <${Field} label="Expires in">
                  ${(/** @type {Control} */ p) => html`
                    <select ...${p} name="days">
                      <${Options} of=${lifetimes} value="90" />
                    </select>
                  `}
                <//>
              <//>
            `
      }
    <//>
  `;
}
