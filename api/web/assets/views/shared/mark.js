import { html } from '../../page/html.js';
import { personMarks } from '../../page/words.js';

// Mark is the sign of a person's stance, which differs in shape, not only in colour.
/** @param {{ stance: PersonStance }} props */
export const Mark = ({ stance }) => html`
  <i class=${'person ' + stance} aria-hidden="true">${personMarks[stance]}</i>
`;
