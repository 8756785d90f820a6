// The options of a select for a persona.
import { html } from '../../page/html.js';

/** @param {Persona[]} personas @param {string | null} [value] */
export const personaOptions = (personas, value) => html`
  <option value="">Anyone</option>
  ${personas.map(
    (p) => html`
      <option key=${p.id} value=${p.id} selected=${p.id === value}>${p.name}</option>
    `,
  )}
`;
