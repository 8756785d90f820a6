// The title, date and persona of each file that is imported, in a table. A column that is pasted from a
// spreadsheet fills the rows below. What is chosen, or pasted, as the date or persona of a selected row holds
// for all selected rows.
import { html, useState } from '../../page/html.js';
import { fill, pasted } from './files.js';

/** @typedef {import('./files.js').Item} Item */
/** @typedef {'title' | 'date' | 'personaId'} Column */

/** @typedef {import('./dates.js').Order} Order */
/** @typedef {{ again: (order: Order) => void }} Again pastes again, with an order */
/** @typedef {import('./files.js').Pasted & Again} Left what a paste did not change */

/** @type {Column[]} */
const columns = ['title', 'date', 'personaId'];

// Details is the table. The files that are sent are no longer in it.
/** @param {{ items: Item[], context: Context }} props */
export function Details({ items, context }) {
  const filling = useFilling(items, context);
  if (items.length === 0) return null;
  const { selected, select, left } = filling;
  const first = items[0];
  const several = items.length > 1;
  const hasPersonas = context.personas.length > 0;
  return html`
    <div class="details-of" tabindex="-1">
      <table>
        <caption class="unseen">Title, date and persona of each file</caption>
        <thead>
          <tr>
            ${
              several &&
              html`
                <${Selecting}
                  label="Select all files"
                  on=${items.every(({ id }) => selected.has(id))}
                  onChange=${(/** @type {boolean} */ on) => select(items, on)}
                />
              `
            }
            <th scope="col">File</th>
            <th scope="col">Title</th>
            <th scope="col">Interviewed on</th>
            ${
              hasPersonas &&
              html`
                <th scope="col">Persona</th>
              `
            }
          </tr>
        </thead>
        <tbody>
          ${items.map(
            (item) => html`
              <${Row} key=${item.id} ...${{ item, context, several, filling }} />
            `,
          )}
        </tbody>
      </table>
      ${
        left &&
        html`
          <${NotTaken} left=${left} />
        `
      }
      ${
        several &&
        html`
          <p class="same-for-all">
            <span class="faint">As in the first row, for all:</span>
            <button class="link" onClick=${() => fill(items, 'date', first.date)}>date</button>
            ${
              hasPersonas &&
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

/** @typedef {ReturnType<typeof useFilling>} Filling */

// useFilling has the selected rows, and fills the table with what is chosen or pasted.
/** @param {Item[]} items @param {Context} context */
function useFilling(items, context) {
  const [selected, setSelected] = useState(/** @type {Set<number>} */ (new Set()));
  const [left, setLeft] = useState(/** @type {Left | null} */ (null));
  /** @param {Item} item @param {Column} column */
  const rowsOf = (item, column) =>
    selected.has(item.id) && column !== 'title' ? items.filter(({ id }) => selected.has(id)) : [item];
  /** @param {Item[]} rows @param {Column[]} from @param {string[][]} cells @param {Order} [order] */
  const take = (rows, from, cells, order) => {
    const { refused, unclear } = pasted(rows, from, cells, context.personas, order);
    const at = from.indexOf('date');
    const again = (/** @type {Order} */ one) =>
      take(
        rows,
        ['date'],
        cells.map((row) => [row[at] ?? '']),
        one,
      );
    setLeft(refused.length + unclear.length > 0 ? { refused, unclear, again } : null);
  };
  return {
    selected,
    left,
    /** @param {Item[]} rows @param {boolean} on */
    select(rows, on) {
      const next = new Set(selected);
      for (const { id } of rows)
        if (on) next.add(id);
        else next.delete(id);
      setSelected(next);
    },
    /** @param {Item} item @param {Column} column @param {string} value */
    set: (item, column, value) => fill(rowsOf(item, column), column, value),
    /** @param {ClipboardEvent} event @param {Item} item @param {Column} column */
    paste(event, item, column) {
      const text = event.clipboardData?.getData('text/plain').replace(/\r?\n$/, '') ?? '';
      const cells = text.split(/\r?\n/).map((line) => line.split('\t'));
      const isCell = cells.length === 1 && cells[0].length === 1;
      if (text.trim() === '' || (isCell && column === 'title')) return;
      event.preventDefault();
      const rows = isCell ? rowsOf(item, column) : items.slice(items.indexOf(item));
      take(rows, columns.slice(columns.indexOf(column)), isCell ? rows.map(() => [text]) : cells);
    },
  };
}

/** @param {{ label: string, on: boolean, onChange: (on: boolean) => void }} props */
const Selecting = ({ label, on, onChange }) => html`
  <td class="select-row">
    <input
      type="checkbox"
      aria-label=${label}
      checked=${on}
      onChange=${(/** @type {any} */ e) => onChange(e.currentTarget.checked)}
    />
  </td>
`;

/** @param {{ item: Item, context: Context, several: boolean, filling: Filling }} props */
function Row({ item, context, several, filling: { selected, select, set, paste } }) {
  const { name } = item.file;
  /** @param {Column} column @param {'onInput' | 'onChange'} on */
  const events = (column, on) => ({
    [on]: (/** @type {any} */ e) => set(item, column, e.currentTarget.value),
    onPaste: (/** @type {ClipboardEvent} */ e) => paste(e, item, column),
  });
  return html`
    <tr>
      ${
        several &&
        html`
          <${Selecting}
            label=${`Select ${name}`}
            on=${selected.has(item.id)}
            onChange=${(/** @type {boolean} */ on) => select([item], on)}
          />
        `
      }
      <th scope="row" dir="auto">${name}</th>
      <td>
        <input
          aria-label=${`Title of ${name}`}
          value=${item.title}
          maxlength="300"
          dir="auto"
          ...${events('title', 'onInput')}
        />
      </td>
      <td>
        <input
          type="date"
          aria-label=${`Date of ${name}`}
          value=${item.date}
          ...${events('date', 'onInput')}
        />
      </td>
      ${
        context.personas.length > 0 &&
        html`
          <td>
            <select
              aria-label=${`Persona of ${name}`}
              value=${item.personaId ?? ''}
              ...${events('personaId', 'onChange')}
            >
              <option value="">Not specified</option>
              ${context.personas.map(
                ({ id, name: persona }) => html`
                  <option key=${id} value=${id}>${persona}</option>
                `,
              )}
            </select>
          </td>
        `
      }
    </tr>
  `;
}

const MOST = 3; // cells that are named

// NotTaken says which cells changed nothing, and asks which order the days and months of a column have.
/** @param {{ left: Left }} props */
function NotTaken({ left: { refused, unclear, again } }) {
  const rest = refused.length - MOST;
  return html`
    <div class="not-taken" role="alert">
      ${
        unclear.length > 0 &&
        html`
          <p class="warn">
            <span dir="auto">“${unclear[0]}”</span>
            ${unclear.length > 1 && ` and ${unclear.length - 1} more`} may be two days. Which is first? ${' '}
            <button class="link" onClick=${() => again('day')}>the day</button>
            ${' '}
            <button class="link" onClick=${() => again('month')}>the month</button>
          </p>
        `
      }
      ${
        refused.length > 0 &&
        html`
          <p class="warn" dir="auto">
            Not taken over:
            ${refused.slice(0, MOST).map(({ text, why }, i) => `${i > 0 ? ',' : ''} “${text}” ${why}`)}
            ${rest > 0 && ` and ${rest} more`}. A day is read as 2026-11-03, 03.11.2026 or 3 Nov 2026.
          </p>
        `
      }
    </div>
  `;
}
