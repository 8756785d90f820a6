// What is shown once, when it is made: a token, a link.
import { html } from '../../page/html.js';
import { CopyField } from './copyfield.js';

// How long it may last, by days.
export const lifetimes = { 7: '7 days', 30: '30 days', 90: '90 days', 365: 'a year' };

// Once takes the focus when it appears. The dialog around it has keep.
/** @param {{ label: string, value: string }} props */
export const Once = ({ label, value }) => html`
  <div class="made" role="status">
    <${CopyField}
      key=${value}
      label=${label}
      hint="It is shown only now. Copy it before you close this dialog."
      value=${value}
      focus
    />
  </div>
`;
