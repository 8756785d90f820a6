// The question before a link in a mail signs in to an account for which this browser has requested none.
import { html } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { decline, session, takeOver } from '../../client/session.js';
import { Form } from '../../page/form.js';
import { Title } from '../../page/ui.js';

export function Ask() {
  const { user } = useStore(session);
  return html`
    <main class="door" id="main">
      <div class="card">
        <p class="brand">
          <span class="mark" aria-hidden="true"></span>
          Research
        </p>
        <${Title}>Sign in by this link?<//>
        <p>
          It signs you in as${' '}
          <b dir="auto">${user?.email}</b>
          . Continue only if this is your account: what you upload would be seen by its owner.
        </p>
        <${Form} send=${takeOver} submit="Continue"><//>
        <p class="other"><button class="link" onClick=${decline}>Not my account</button></p>
      </div>
    </main>
  `;
}
