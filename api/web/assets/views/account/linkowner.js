// The question before a link in a mail signs in to an account for which this browser has requested none.
import { html } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { decline, session, takeOver } from '../../client/session.js';
import { Form } from '../../page/form.js';
import { Title } from '../../page/ui.js';
import { Door } from '../frame/door.js';

// LinkOwner shows nothing that the owner of the link could have chosen: names may look like an address.
export function LinkOwner() {
  const { user } = useStore(session);
  return html`
    <${Door}>
      <${Title}>Sign in by this link?<//>
      <p>
        ${
          user?.email
            ? html`
                It signs you in as${' '}
                <b dir="auto">${user.email}</b>
                . Continue only if this is your account:
              `
            : 'It signs you in to an account without an e-mail address. Continue only if you made it:'
        }${' '}what
        you upload would be seen by its owner.
      </p>
      <${Form} send=${takeOver} submit="Continue"><//>
      <p class="other"><button class="link" onClick=${decline}>Not my account</button></p>
    <//>
  `;
}
