// The second factors of the user: apps that show codes, and recovery codes.
import { html, useState } from '../../page/html.js';
import { account, enterCode, refresh } from '../../client/session.js';
import { verified } from '../../client/user.js';
import { loadPlaces } from '../../page/places.js';
import { useLoad } from '../../page/load.js';
import { count, date } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { Waiting } from '../../page/ui.js';
import { toast } from '../../page/messages.js';

/** @typedef {Factor & { totp: { qr_code: string, secret: string } }} NewFactor */
/** @typedef {'add' | { remove: Factor } | { codes: string[] } | null} Shown the dialog */

/** @returns {Promise<{ factors: Factor[], left: number }>} */
async function load() {
  const factors = verified(await account('/user'));
  return { factors, left: factors.length > 0 ? (await account('/factors/recovery-codes')).remaining : 0 };
}

/** @returns {Promise<string[]>} */
const newCodes = async () => (await account('/factors/recovery-codes', { method: 'POST' })).codes;

// QRCode draws the path of the image that the server sends. The page's policy allows no images from data.
/** @param {{ image: string }} props */
function QRCode({ image }) {
  const [, side, path] = /viewBox="0 0 (\d+) .* d="([^"]+)"/.exec(image) ?? [];
  return html`
    <svg class="qr" viewBox=${`0 0 ${side} ${side}`} role="img" aria-label="QR code"><path d=${path} /></svg>
  `;
}

/** @param {{ codes: string[], onClose: () => void }} props */
function Codes({ codes, onClose }) {
  async function copy() {
    await navigator.clipboard.writeText(codes.join('\n'));
    toast('Copied.');
  }
  return html`
    <p>
      Each of these codes replaces a code of your app once. Keep them where you find them without your phone:
      they are not shown again.
    </p>
    <ul class="codes">
      ${codes.map(
        (code) => html`
          <li key=${code}>${code}</li>
        `,
      )}
    </ul>
    <div class="actions">
      ${
        navigator.clipboard &&
        html`
          <button onClick=${copy}>Copy</button>
        `
      }
      <button class="primary" onClick=${onClose}>Done</button>
    </div>
  `;
}

// Add asks for a name, shows the QR code, checks the first code, and shows recovery codes with the first app.
/** @param {{ first: boolean, onClose: () => void }} props */
function Add({ first, onClose }) {
  const [factor, setFactor] = useState(/** @type {NewFactor | null} */ (null));
  const [codes, setCodes] = useState(/** @type {string[] | null} */ (null));
  /** @param {HTMLFormElement} form */
  async function enroll(form) {
    const friendly_name = valuesOf(form).name.trim();
    setFactor(await account('/factors', { method: 'POST', json: { factor_type: 'totp', friendly_name } }));
  }
  /** @param {HTMLFormElement} form */
  async function verify(form) {
    await enterCode(factor?.id ?? '', valuesOf(form).code.trim());
    await loadPlaces(); // a workspace may have required it
    if (first) setCodes(await newCodes());
    else onClose();
  }
  return html`
    <${Dialog} title=${codes ? 'Recovery codes' : 'Add an app'} onClose=${onClose} keep=${!!codes}>
      ${
        codes
          ? html`
              <${Codes} codes=${codes} onClose=${onClose} />
            `
          : factor
            ? html`
                <${Form} key="verify" send=${verify} submit="Turn on" onCancel=${onClose}>
                  <p>Scan this with your authenticator app, or type the secret into it.</p>
                  <${QRCode} image=${factor.totp.qr_code} />
                  <p class="secret"><code>${factor.totp.secret}</code></p>
                  <${Field} label="Code" hint="The six digits that the app shows now.">
                    ${(p) => html`
                      <input ...${p} name="code" autocomplete="one-time-code" inputmode="numeric" required />
                    `}
                  <//>
                  ${
                    first &&
                    html`
                      <p class="hint">
                        Connected apps and personal access tokens then see nothing: connect the apps again,
                        and make new tokens.
                      </p>
                    `
                  }
                <//>
              `
            : html`
                <${Form} key="enroll" send=${enroll} submit="Continue" onCancel=${onClose}>
                  <${Field} label="Name" hint="To tell your apps apart.">
                    ${(p) => html`
                      <input ...${p} name="name" required maxlength="50" defaultValue="Phone" />
                    `}
                  <//>
                <//>
              `
      }
    <//>
  `;
}

export function SecondFactor() {
  const loaded = useLoad(load, []);
  const { data, reload } = loaded;
  const [dialog, setDialog] = useState(/** @type {Shown} */ (null));
  const close = () => {
    setDialog(null);
    reload();
  };
  /** @param {Factor} factor */
  async function remove(factor) {
    await account(`/factors/${factor.id}`, { method: 'DELETE' });
    await refresh(); // the session has lost the factor
    await loadPlaces();
    close();
  }
  if (!data)
    return html`
      <${Waiting} for=${loaded} />
    `;
  const consequence =
    data.factors.length === 1
      ? 'Your account is then protected by a single factor, ' +
        'and workspaces that require more are closed to you.'
      : '';
  return html`
    <section class="card" aria-labelledby="factors">
      <h2 id="factors">Second factor</h2>
      ${
        data.factors.length === 0
          ? html`
              <p class="faint">
                With an authenticator app, signing in also takes a code, whichever way you sign in.
              </p>
            `
          : html`
              <ul class="members">
                ${data.factors.map(
                  (f) => html`
                    <li key=${f.id}>
                      <div class="what">
                        <b dir="auto">${f.friendly_name || 'App'}</b>
                        <p class="meta"><span>since ${date(f.created_at)}</span></p>
                      </div>
                      <div class="verdict">
                        <button
                          class="quiet"
                          aria-label=${`Remove ${f.friendly_name || 'App'}`}
                          onClick=${() => setDialog({ remove: f })}
                        >
                          Remove
                        </button>
                      </div>
                    </li>
                  `,
                )}
              </ul>
              <p class="faint">${count(data.left, 'recovery code')} left.</p>
            `
      }
      <div class="actions">
        ${
          data.factors.length > 0 &&
          html`
            <button onClick=${async () => setDialog({ codes: await newCodes() })}>New recovery codes</button>
          `
        }
        <button onClick=${() => setDialog('add')}>Add an app</button>
      </div>
      ${
        dialog === 'add' &&
        html`
          <${Add} first=${data.factors.length === 0} onClose=${close} />
        `
      }
      ${
        dialog &&
        dialog !== 'add' &&
        'codes' in dialog &&
        html`
          <${Dialog} title="Recovery codes" onClose=${close} keep>
            <${Codes} codes=${dialog.codes} onClose=${close} />
          <//>
        `
      }
      ${
        dialog &&
        dialog !== 'add' &&
        'remove' in dialog &&
        html`
          <${Dialog} title="Remove an app" onClose=${close}>
            <${Form} send=${() => remove(dialog.remove)} submit="Remove" onCancel=${close}>
              <p>
                Codes of${' '}
                <b dir="auto">${dialog.remove.friendly_name || 'this app'}</b>
                ${' '}will no longer be accepted. ${consequence}
              </p>
            <//>
          <//>
        `
      }
    </section>
  `;
}
