// The title, date and persona of each file that is imported, in a table. A column that is pasted from a
// spreadsheet fills the rows below.
import { html } from '../../page/html.js';
import { fill, pasted } from './files.js';

/** @typedef {import('./files.js').Item} Item */
/** @typedef {'title' | 'date' | 'personaId'} Column */

/** @type {Column[]} */
const columns = ['title', 'date', 'personaId'];

// Details is the table. The files that are sent are no longer in it.
/** @param {{ items: Item[], context: Context }} props */
export function Details({ items, context }) {
  if (items.length === 0) return null;
  const first = items[0];
  /** @param {ClipboardEvent} event @param {number} row @param {Column} column */
  const paste = (event, row, column) => {
    const text = event.clipboardData?.getData('text/plain').replace(/\r?\n$/, '') ?? '';
    if (!/[\n\t]/.test(text)) return;
    event.preventDefault();
    const cells = text.split(/\r?\n/).map((line) => line.split('\t'));
    pasted(items.slice(row), columns.slice(columns.indexOf(column)), cells, context.personas);
  };
  /** @param {Item} item @param {Column} column @param {string} value */
  const set = (item, column, value) => fill([item], column, value);
  return html`
    <div class="details-of" tabindex="-1">
      <table>
        <caption class="unseen">Title, date and persona of each file</caption>
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Title</th>
            <th scope="col">Interviewed on</th>
            ${
              context.personas.length > 0 &&
              html`
                <th scope="col">Persona</th>
              `
            }
          </tr>
        </thead>
        <tbody>
          ${items.map(
            (item, row) => html`
              <tr key=${item.id}>
                <th scope="row" dir="auto">${item.file.name}</th>
                <td>
                  <input
                    aria-label=${`Title of ${item.file.name}`}
                    value=${item.title}
                    maxlength="300"
                    dir="auto"
                    onInput=${(/** @type {any} */ e) => set(item, 'title', e.currentTarget.value)}
                    onPaste=${(/** @type {ClipboardEvent} */ e) => paste(e, row, 'title')}
                  />
                </td>
                <td>
                  <input
                    type="date"
                    aria-label=${`Date of ${item.file.name}`}
                    value=${item.date}
                    onInput=${(/** @type {any} */ e) => set(item, 'date', e.currentTarget.value)}
                    onPaste=${(/** @type {ClipboardEvent} */ e) => paste(e, row, 'date')}
                  />
                </td>
                ${
                  context.personas.length > 0 &&
                  html`
                    <td>
                      <select
                        aria-label=${`Persona of ${item.file.name}`}
                        value=${item.personaId ?? ''}
                        onChange=${(/** @type {any} */ e) => set(item, 'personaId', e.currentTarget.value)}
                      >
                        <option value="">Not specified</option>
                        ${context.personas.map(
                          ({ id, name }) => html`
                            <option key=${id} value=${id}>${name}</option>
                          `,
                        )}
                      </select>
                    </td>
                  `
                }
              </tr>
            `,
          )}
        </tbody>
      </table>
      ${
        items.length > 1 &&
        html`
          <p class="same-for-all">
            <span class="faint">As in the first row, for all:</span>
            <button class="link" onClick=${() => fill(items, 'date', first.date)}>date</button>
            ${
              context.personas.length > 0 &&
              html`
                <button class="link" onClick=${() => fill(items, 'personaId', first.personaId ?? '')}>
                  persona
                </button>
              `
            }
          </p>
        `
      }
    </div>
  `;
}
