// Interviews that were deleted, which can be restored for a day.
import { html, useEffect, useState } from '../../page/html.js';
import { call, deleteInterview, rpc } from '../../client/api.js';
import { statusOf } from '../../client/http.js';
import { Dialog } from '../../page/dialog.js';
import { Form } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { problem, toast } from '../../page/messages.js';
import { store } from '../../page/store.js';
import { count, dateTime } from '../../page/words.js';
import { each } from './each.js';

/** @typedef {Pick<Interview, 'id' | 'title'>} Titled */

// restored changes when interviews were restored, so that lists load them.
export const restored = store(0);

// setAside deletes an interview, unless somebody else did.
/** @param {Titled} row */
export async function setAside(row) {
  try {
    await deleteInterview(row.id);
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}

/** @param {Titled} row */
const restore = ({ id }) => call(`/api/import/${id}/restore`, { method: 'POST' });

// sayDeleted says that interviews were deleted, which can be undone.
/** @param {Titled[]} rows */
export function sayDeleted(rows) {
  const [first] = rows;
  toast(rows.length === 1 ? `“${first.title}” was deleted.` : `${count(rows.length, 'interview')} deleted.`, {
    undo: () =>
      each(rows, restore, () => {})
        .then((failed) => {
          if (failed.length < rows.length)
            toast(`${count(rows.length - failed.length, 'interview')} restored.`);
        }, problem)
        .finally(() => restored.set(restored.get() + 1)),
    about: rows.map(({ id }) => id),
  });
}

// RecentlyDeleted lists what of a project can be restored, for its editors. state changes when its list of
// interviews does.
/** @param {{ context: Context, state: string }} props */
export function RecentlyDeleted({ context, state }) {
  const gone = useLoad(
    (signal) => rpc('deleted_interviews', { project: context.id }, { signal }),
    [context.id, state],
  );
  const [kept, setKept] = useState(/** @type {DeletedInterview[]} */ ([]));
  const [asked, setAsked] = useState(/** @type {DeletedInterview | null} */ (null));
  const [busy, setBusy] = useState('');
  useEffect(() => {
    if (gone.data) setKept(gone.data); // while it loads again, what was shown stays
  }, [gone.data]);
  /** @param {DeletedInterview} row @param {() => Promise<unknown>} act @param {string} done */
  async function settle(row, act, done) {
    setBusy(row.import_id);
    try {
      await act();
      toast(done, { about: [row.import_id] });
    } catch (error) {
      if (statusOf(error) === 404)
        toast(`“${row.title}” is no longer among the deleted interviews.`, { about: [row.import_id] });
      else problem(error);
    }
    setBusy('');
    focusAfter(row.import_id);
    gone.reload();
    restored.set(restored.get() + 1);
  }
  if (kept.length === 0) return null;
  return html`
    <details class="deleted-interviews">
      <summary class="faint">${`Recently deleted (${kept.length})`}</summary>
      <ul>
        ${kept.map(
          (row) => html`
            <li key=${row.import_id} data-deleted=${row.import_id}>
              <div>
                <b dir="auto">${row.title}</b>
                <p class="faint">
                  ${`Can be restored until ${dateTime(row.restorable_until)}.`}
                  ${` Deleted ${dateTime(row.deleted_at)}`}
                  <${By} name=${row.deleted_by_name} />
                </p>
              </div>
              <button
                disabled=${busy !== ''}
                aria-label=${`Restore ${row.title}`}
                onClick=${() =>
                  settle(
                    row,
                    () => restore({ id: row.import_id, title: row.title }),
                    `“${row.title}” was restored.`,
                  )}
              >
                Restore
              </button>
              <button
                class="link"
                disabled=${busy !== ''}
                aria-label=${`Delete for good… ${row.title}`}
                onClick=${() => setAsked(row)}
              >
                Delete for good…
              </button>
            </li>
          `,
        )}
      </ul>
    </details>
    ${
      asked &&
      html`
        <${ForGood}
          row=${asked}
          onDelete=${() => {
            setAsked(null);
            return settle(
              asked,
              () => call(`/api/import/${asked.import_id}/restore`, { method: 'DELETE' }),
              `“${asked.title}” was deleted for good.`,
            );
          }}
          onClose=${() => setAsked(null)}
        />
      `
    }
  `;
}

/** @param {{ name: string | null }} props */
const By = ({ name }) =>
  name &&
  html`
    ${' by '}
    <bdi>${name}</bdi>
  `;

/** @param {{ row: DeletedInterview, onDelete: () => Promise<void>, onClose: () => void }} props */
const ForGood = ({ row, onDelete, onClose }) => html`
  <${Dialog} title="Delete for good?" onClose=${onClose}>
    <${Form} class="destructive" send=${onDelete} submit="Delete for good" onCancel=${onClose}>
      <p dir="auto"><b>${row.title}</b></p>
      <p>Nobody can restore it any more. This cannot be undone.</p>
    <//>
  <//>
`;

// focusAfter focuses the next interview that can be restored, or else the heading of the page.
/** @param {string} id */
function focusAfter(id) {
  const item = document.querySelector(`[data-deleted="${id}"]`);
  const next = (item?.nextElementSibling ?? item?.previousElementSibling)?.querySelector('button');
  const to = next ?? document.querySelector('main h1');
  requestAnimationFrame(() => /** @type {HTMLElement | null} */ (to)?.focus());
}
