// The form for the code of a second factor, after the password or the return from a provider.
import { html, useState } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { enterCode, session, signOut } from '../../client/session.js';
import { verified } from '../../client/user.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { Title } from '../../page/ui.js';
import { Door } from '../frame/door.js';

export function Code() {
  const factors = verified(useStore(session).user ?? {});
  const [factor, setFactor] = useState(factors[0]?.id);
  /** @param {HTMLFormElement} form */
  const send = (form) => enterCode(factor, valuesOf(form).code.trim());
  return html`
    <${Door}>
      <${Title}>Enter a code<//>
      <${Form} send=${send} submit="Continue">
        ${
          factors.length > 1 &&
          html`
            <${Field} label="App">
              ${(p) => html`
                <select ...${p} onChange=${(e) => setFactor(e.currentTarget.value)}>
                  ${factors.map(
                    (f) => html`
                      <option key=${f.id} value=${f.id} selected=${f.id === factor}>
                        ${f.friendly_name || 'App'}
                      </option>
                    `,
                  )}
                </select>
              `}
            <//>
          `
        }
        <${Field} label="Code" hint="The six digits that your app shows, or one of your recovery codes.">
          ${(p) => html`
            <input
              ...${p}
              name="code"
              autocomplete="one-time-code"
              autocapitalize="none"
              spellcheck="false"
              required
            />
          `}
        <//>
      <//>
      <p class="other"><button class="link" onClick=${signOut}>Sign out</button></p>
    <//>
  `;
}
