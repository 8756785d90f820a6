// Several interviews of the list at once: their persona and date, an analysis from scratch, their deletion.
import { html, useState } from '../../page/html.js';
import { update } from '../../client/api.js';
import { Dialog } from '../../page/dialog.js';
import { Choice, Field, Form, valuesOf } from '../../page/form.js';
import { problem, toast } from '../../page/messages.js';
import { count, names, number } from '../../page/words.js';
import { running } from '../shared/interviewwords.js';
import { ChooseHypotheses } from './choosehypotheses.js';
import { sayDeleted, setAside } from './deleted.js';
import { each } from './each.js';
import { interviewColumns } from './facts.js';

const MOST_HYPOTHESES = 100; // in a request

// useChosen returns the interviews that are chosen, of those that are shown. With Shift, toggle chooses all
// from the last one on.
/** @param {Interview[]} shown */
export function useChosen(shown) {
  const [ids, setIds] = useState(/** @type {Set<string>} */ (new Set()));
  const [last, setLast] = useState(/** @type {string | null} */ (null));
  /** @param {string} id @param {boolean} through */
  function toggle(id, through) {
    const at = shown.findIndex((row) => row.id === id);
    const from = through ? shown.findIndex((row) => row.id === last) : -1;
    const range =
      from < 0 ? [id] : shown.slice(Math.min(at, from), Math.max(at, from) + 1).map((row) => row.id);
    const on = !ids.has(id);
    const next = new Set(ids);
    for (const one of range) {
      if (on) next.add(one);
      else next.delete(one);
    }
    setIds(next);
    setLast(id);
  }
  return {
    rows: shown.filter((row) => ids.has(row.id)),
    has: (/** @type {string} */ id) => ids.has(id),
    toggle,
    /** @param {Iterable<string>} all */
    set: (all) => setIds(new Set(all)),
  };
}

/** @typedef {'date' | 'analyse' | 'delete' | null} Question of a dialog */

// Several is the bar with what can be done with the chosen interviews. Those that failed stay chosen.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Interview[]} props.shown
 * @param {ReturnType<typeof useChosen>} props.chosen
 * @param {(rows: Interview[], hypothesisIds: string[], refresh: boolean) => Promise<void>} props.onAnalyse
 * @param {() => void} props.onChanged
 */
export function Several({ context, shown, chosen, onAnalyse, onChanged }) {
  const { rows } = chosen;
  const [dialog, setDialog] = useState(/** @type {Question} */ (null));
  const [progress, setProgress] = useState('');
  const idle = rows.filter((row) => !running(row.status));

  /** @param {string} doing @param {(row: Interview) => Promise<unknown>} act */
  async function all(doing, act) {
    const failed = await each(rows, act, (done) =>
      setProgress(`${doing} ${done + 1} of ${number(rows.length)}…`),
    );
    setProgress('');
    onChanged();
    return failed;
  }
  // change sets a column of all chosen interviews, which can be undone.
  /** @param {Partial<Pick<Interview, 'persona_id' | 'interviewed_on'>>} values @param {string} what */
  async function change(values, what) {
    const before = rows;
    const set = (/** @type {Interview} */ row, /** @type {object} */ to) =>
      update('imports', { id: `eq.${row.id}` }, to, interviewColumns);
    const failed = await all('Changing', (row) => set(row, values));
    const done = before.filter((row) => !failed.includes(row));
    if (done.length === 0) return;
    const was = (/** @type {Interview} */ row) =>
      Object.fromEntries(
        Object.keys(values).map((key) => [key, row[/** @type {keyof typeof values} */ (key)]]),
      );
    toast(`${what} of ${count(done.length, 'interview')} changed.`, {
      undo: () =>
        each(
          done,
          (row) => set(row, was(row)),
          () => {},
        ).then(onChanged, problem),
      about: done.map(({ id }) => id),
    });
  }
  async function remove() {
    const before = rows;
    const failed = await all('Deleting', setAside);
    chosen.set(failed.map((row) => row.id));
    const gone = before.filter((row) => !failed.includes(row));
    if (gone.length > 0) sayDeleted(gone);
  }
  /** @param {string[]} ids */
  async function analyse(ids) {
    await onAnalyse(idle, ids, true);
    chosen.set([]);
  }
  const close = () => setDialog(null);
  return html`
    <div class="chosen-interviews" role="group" aria-label="Several interviews">
      <label class="check">
        <input
          type="checkbox"
          checked=${shown.length > 0 && rows.length === shown.length}
          indeterminate=${rows.length > 0 && rows.length < shown.length}
          onChange=${() => chosen.set(rows.length === shown.length ? [] : shown.map((row) => row.id))}
        />
        ${rows.length === 0 ? 'Select all' : `${number(rows.length)} selected`}
      </label>
      ${
        rows.length > 0 &&
        html`
          ${
            context.personas.length > 0 &&
            html`
              <${Choice}
                label="Persona of the selected interviews"
                plain
                disabled=${!!progress}
                value="-"
                options=${{
                  '-': 'Persona…',
                  '': 'None',
                  ...Object.fromEntries(context.personas.map((p) => [p.id, p.name])),
                }}
                onChange=${(/** @type {string} */ id) => {
                  if (id !== '-') change({ persona_id: id || null }, 'The persona');
                }}
              />
            `
          }
          <button disabled=${!!progress} onClick=${() => setDialog('date')}>Date…</button>
          ${
            idle.length > 0 &&
            html`
              <button disabled=${!!progress} onClick=${() => setDialog('analyse')}>
                Analyse from scratch…
              </button>
            `
          }
          <button class="danger" disabled=${!!progress} onClick=${() => setDialog('delete')}>Delete…</button>
          <button class="link" disabled=${!!progress} onClick=${() => chosen.set([])}>Clear</button>
        `
      }
      <span class="faint" role="status">${progress}</span>
    </div>
    <${Asked} ...${{ context, dialog, rows, idle, change, remove, close }} onAnalyse=${analyse} />
  `;
}

// Asked is the dialog that asks before interviews are changed, if one is open.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Question} props.dialog
 * @param {Interview[]} props.rows
 * @param {Interview[]} props.idle those that are not being analysed
 * @param {(values: { interviewed_on: string | null }, what: string) => Promise<void>} props.change
 * @param {() => Promise<void>} props.remove
 * @param {(hypothesisIds: string[]) => Promise<void>} props.onAnalyse
 * @param {() => void} props.close
 */
const Asked = ({ context, dialog, rows, idle, change, remove, onAnalyse, close }) => html`
  ${
    dialog === 'date' &&
    html`
      <${Dialog} title=${`Date of ${count(rows.length, 'interview')}`} onClose=${close}>
        <${Form}
          send=${(/** @type {HTMLFormElement} */ form) => {
            close();
            return change({ interviewed_on: valuesOf(form).interviewed_on || null }, 'The date');
          }}
          submit="Save"
          onCancel=${close}
        >
          <${Field} label="Date of the interviews" hint="Leave it empty if it is not known.">
            ${(p) => html`
              <input ...${p} type="date" name="interviewed_on" />
            `}
          <//>
        <//>
      <//>
    `
  }
  ${
    dialog === 'analyse' &&
    html`
      <${ChooseHypotheses}
        context=${context}
        title=${`Analyse ${count(idle.length, 'interview')} from scratch?`}
        ids=${idle.map((row) => row.id)}
        proposed=${context.hypotheses
          .filter((h) => h.status !== 'parked')
          .slice(0, MOST_HYPOTHESES)
          .map((h) => h.id)}
        refresh
        submit="Analyse from scratch"
        onStart=${onAnalyse}
        onClose=${close}
      />
    `
  }
  ${
    dialog === 'delete' &&
    html`
      <${Dialog} title=${`Delete ${count(rows.length, 'interview')}?`} onClose=${close}>
        <${Form}
          class="destructive"
          send=${() => {
            close();
            return remove();
          }}
          submit=${`Delete ${count(rows.length, 'interview')}`}
          onCancel=${close}
        >
          <p dir="auto">
            <b>
              ${names(
                rows.map(({ title }) => title),
                8,
              )}
            </b>
          </p>
          <p>
            Their transcripts, their answers and their quotes with all judgements are deleted.
            ${idle.length < rows.length && ' Analyses that run are cancelled.'} They can be restored for a
            day.
          </p>
        <//>
      <//>
    `
  }
`;
