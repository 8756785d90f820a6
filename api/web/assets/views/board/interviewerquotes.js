// The quotes of interviewers, which are no evidence, below a board.
import { html } from '../../page/html.js';
import { count } from '../../page/words.js';
import { place } from '../shared/card.js';

/** @param {{ rows: Quote[], nameOf: ((e: EvidenceRow) => string) | undefined }} props */
export function Asked({ rows, nameOf }) {
  if (rows.length === 0) return null;
  return html`
    <details class="asked">
      <summary>${count(rows.length, 'quote')} of interviewers</summary>
      <p class="faint">
        What interviewers say does not count as evidence. Who they are is in the menu of the interview, at
        “Speakers”.
      </p>
      <ul>
        ${rows.map(
          (row) => html`
            <li key=${row.id}>
              <q dir="auto">${row.quote}</q>
              ${' '}
              <a href=${place(row)} dir="auto">${nameOf?.(row) ?? row.speaker}</a>
            </li>
          `,
        )}
      </ul>
    </details>
  `;
}
