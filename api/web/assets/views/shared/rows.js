// Rows of a project that a list shows, and that a dialog edits: hypotheses, personas and questions.
import { html } from '../../page/html.js';
import { insert, update } from '../../client/api.js';
import { removeLater } from './deletion.js';
import { Dialog } from '../../page/dialog.js';
import { Form } from '../../page/form.js';

// editing returns functions that store and delete rows of a table. select has the columns of a row; set
// changes the rows that are shown.
/**
 * @template {'hypotheses' | 'personas' | 'questions'} K
 * @param {K} table
 * @param {string} select
 * @param {string} projectId
 * @param {(change: (all: Tables[K][]) => Tables[K][]) => void} set
 */
export function editing(table, select, projectId, set) {
  return {
    // save changes a row, or adds one.
    /** @param {Tables[K] | null} old @param {object} values */
    async save(old, values) {
      if (old) {
        const row = await update(table, { id: `eq.${old.id}` }, values, select);
        set((all) => all.map((one) => (one.id === old.id ? row : one)));
      } else {
        const row = await insert(table, { ...values, project_id: projectId }, select);
        set((all) => [...all, row]);
      }
    },
    // drop deletes a row as soon as the deletion can no longer be undone. sort puts it back at its place.
    /**
     * @param {Tables[K]} old
     * @param {string} text
     * @param {{ sort?: (all: Tables[K][]) => Tables[K][], done?: () => void }} [options]
     */
    drop(old, text, { sort = (all) => all, done } = {}) {
      set((all) => all.filter((one) => one.id !== old.id));
      removeLater(table, { id: `eq.${old.id}` }, text, {
        back: () => set((all) => sort([...all, old])),
        done,
      });
    },
  };
}

// EditDialog is the dialog with the fields of a row. onDelete, if any, deletes it.
/**
 * @param {object} props
 * @param {string} props.title
 * @param {string} props.submit
 * @param {(form: HTMLFormElement) => Promise<void>} props.send
 * @param {false | (() => void)} props.onDelete
 * @param {() => void} props.onClose
 * @param {Children} props.children
 */
export function EditDialog({ title, submit, send, onDelete, onClose, children }) {
  return html`
    <${Dialog} title=${title} onClose=${onClose} wide>
      <${Form}
        send=${async (/** @type {HTMLFormElement} */ form) => {
          await send(form);
          onClose();
        }}
        submit=${submit}
        onCancel=${onClose}
        danger=${
          onDelete &&
          html`
            <button
              type="button"
              class="danger"
              onClick=${() => {
                onClose();
                onDelete();
              }}
            >
              Delete
            </button>
          `
        }
      >
        ${children}
      <//>
    <//>
  `;
}
