// @ts-check
// The field for a code from a mail.
import { html } from '../../page/html.js';
import { Field } from '../../page/form.js';

// MailedCode is the field for the code that is mailed where the sign-in was some time ago.
export const MailedCode = () => html`
  <${Field} label="Code" hint="You signed in some time ago, so we sent a code to your address.">
    ${(p) => html`
      <input ...${p} name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="6" />
    `}
  <//>
`;
