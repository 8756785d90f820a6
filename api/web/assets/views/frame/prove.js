// The dialog that has the user prove who they are, where the sign-in was long ago.
import { html, useState } from '../../page/html.js';
import { confirming, mailCode, prove } from '../../client/session.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { problem } from '../../page/messages.js';
import { useStore } from '../../page/store.js';

export function Prove() {
  const answer = useStore(confirming);
  return (
    answer &&
    html`
      <${Ask} answer=${answer} />
    `
  );
}

// Ask asks for the password or, for accounts without one, for a code from a mail.
/** @param {{ answer: (proven: boolean) => void }} props */
function Ask({ answer }) {
  const [mailed, setMailed] = useState(false);
  const cancel = () => answer(false);
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { password, code } = valuesOf(form);
    await prove(mailed ? { nonce: code.trim() } : { password });
    answer(true);
  }
  async function mail() {
    try {
      await mailCode();
      setMailed(true);
    } catch (error) {
      problem(error);
    }
  }
  return html`
    <${Dialog} title="Confirm that it is you" onClose=${cancel}>
      <${Form} key=${mailed ? 'code' : 'password'} send=${send} submit="Confirm" onCancel=${cancel}>
        <p>You signed in some time ago, and this change needs a recent sign-in.</p>
        ${
          mailed
            ? html`
                <${Field} label="Code" hint="We sent it to your address.">
                  ${(p) => html`
                    <input
                      ...${p}
                      name="code"
                      inputmode="numeric"
                      autocomplete="one-time-code"
                      required
                      maxlength="6"
                    />
                  `}
                <//>
              `
            : html`
                <${Field} label="Your password">
                  ${(p) => html`
                    <input ...${p} name="password" type="password" autocomplete="current-password" required />
                  `}
                <//>
                <button type="button" class="link" onClick=${mail}>Get a code by e-mail instead</button>
              `
        }
      <//>
    <//>
  `;
}
