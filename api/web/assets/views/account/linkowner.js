// The question before a link in a mail signs in to an account for which this browser has requested none.
import { html } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { decline, session, takeOver } from '../../client/session.js';
import { shownName } from '../../client/user.js';
import { Form } from '../../page/form.js';
import { Title } from '../../page/ui.js';
import { Door } from '../frame/door.js';

export function LinkOwner() {
  const { user } = useStore(session);
  return html`
    <${Door}>
      <${Title}>Sign in by this link?<//>
      <p>
        It signs you in as${' '}
        <b dir="auto">${shownName(user)}</b>
        . Continue only if this is your account: what you upload would be seen by its owner.
      </p>
      <${Form} send=${takeOver} submit="Continue"><//>
      <p class="other"><button class="link" onClick=${decline}>Not my account</button></p>
    <//>
  `;
}
