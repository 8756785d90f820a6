// The dialog that has the user prove who they are, where the sign-in was long ago.
import { html, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { confirming, mailCode, prove, session, signOut } from '../../client/session.js';
import { isProven, signsInByMail } from '../../client/user.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { problem, settle } from '../../page/messages.js';
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

// Ask asks for the password or for a code from a mail, whichever the account has.
/** @param {{ answer: (proven: boolean) => void }} props */
function Ask({ answer }) {
  const { user } = useStore(session);
  const [mailed, setMailed] = useState(false);
  const cancel = () => answer(false);
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { password, code } = valuesOf(form);
    if (mailed) await prove({ nonce: code.trim() });
    else if (signsInByMail(user)) await prove({ password });
    else return mail();
    answer(true);
  }
  async function mail() {
    await mailCode();
    setMailed(true);
  }
  const way = mailed ? 'code' : signsInByMail(user) ? 'password' : isProven(user) ? 'mail' : 'none';
  return html`
    <${Dialog} title="Confirm that it is you" onClose=${cancel}>
      ${
        way === 'none'
          ? html`
              <p>${why} Sign out, sign in again, and try again.</p>
              <div class="actions">
                <button onClick=${cancel}>Cancel</button>
                <button class="primary" onClick=${leave}>Sign out</button>
              </div>
            `
          : html`
              <${Form} key=${way} send=${send} submit=${submits[way]} onCancel=${cancel}>
                <p>${why}</p>
                <${Proof} way=${way} email=${user?.email} mail=${() => mail().catch(problem)} />
              <//>
            `
      }
    <//>
  `;
}

function leave() {
  settle();
  signOut();
}

const why = 'You signed in some time ago, and this change needs a recent sign-in.';
const submits = { code: 'Confirm', password: 'Confirm', mail: 'Send the code' };

// Proof is the field for what proves it.
/** @param {{ way: keyof typeof submits, email: string, mail: () => void }} props */
function Proof({ way, email, mail }) {
  if (way === 'mail')
    return html`
      <p>
        We will send a code to${' '}
        <b dir="auto">${email}</b>
        .
      </p>
    `;
  if (way === 'code')
    return html`
      <${MailedCode} />
    `;
  return html`
    <${Field} label="Your password">
      ${(p) => html`
        <input ...${p} name="password" type="password" autocomplete="current-password" required />
      `}
    <//>
    <button type="button" class="link" onClick=${mail}>Get a code by e-mail instead</button>
  `;
}

// MailedCode is the field for the code, which takes the focus from the button that had it sent.
function MailedCode() {
  /** @type {Ref<HTMLInputElement>} */
  const ref = useRef();
  useLayoutEffect(() => ref.current.focus(), []);
  return html`
    <${Field} label="Code" hint="We sent it to your address.">
      ${(p) => html`
        <input
          ...${p}
          ref=${ref}
          name="code"
          inputmode="numeric"
          autocomplete="one-time-code"
          required
          maxlength="6"
        />
      `}
    <//>
  `;
}
