// A table that is wider and longer than the window.
import { html, useState } from '../../page/html.js';

const ROWS = 40; // shown at first

// Table shows the rows of a table below its heads, and more of them on request. row() returns one.
/**
 * @template T
 * @param {object} props
 * @param {string} props.corner the head of the first column
 * @param {Children} props.heads those of the others
 * @param {T[]} props.rows
 * @param {(of: T) => Children} props.row
 * @param {string} [props.class]
 */
export function Table({ corner, heads, rows, row, class: className = '' }) {
  const [shown, setShown] = useState(ROWS);
  return html`
    <div class=${`scroll ${className}`.trim()} tabindex="0" role="region" aria-label="Table, scrollable">
      <table>
        <thead>
          <tr>
            <th scope="col">${corner}</th>
            ${heads}
          </tr>
        </thead>
        <tbody>${rows.slice(0, shown).map(row)}</tbody>
      </table>
    </div>
    ${
      rows.length > shown &&
      html`
        <button onClick=${() => setShown(shown + ROWS)}>
          Show ${Math.min(ROWS, rows.length - shown)} more of ${rows.length}
        </button>
      `
    }
  `;
}
