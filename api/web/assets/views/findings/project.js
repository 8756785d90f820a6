// The report of a project: what people write around its findings, and which findings it has, in their order.
import { html, useState } from '../../page/html.js';
import { insert, list, update } from '../../client/api.js';
import { count, date } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';

const columns = 'id,title,summary,method,recommendations,hypothesis_ids';

/** @typedef {Pick<Interview, 'created_at' | 'interviewed_on'>} Dated */

// loadReport returns the report, undefined if none was written yet, and the dates of the interviews.
/** @param {string} projectId @param {AbortSignal} signal */
export async function loadReport(projectId, signal) {
  const of = { project_id: `eq.${projectId}` };
  const [[report], interviews] = await Promise.all([
    list('reports', { ...of, select: columns, order: 'created_at,id' }, { signal }),
    list('imports', { ...of, select: 'created_at,interviewed_on', order: 'id' }, { signal }),
  ]);
  return { report, interviews: /** @type {Dated[]} */ (interviews) };
}

// inReport returns the hypotheses of a report in its order: without a choice, those that are not parked.
/** @param {Hypothesis[]} hypotheses @param {ProjectReport | undefined} report */
export const inReport = (hypotheses, report) =>
  report?.hypothesis_ids
    ? report.hypothesis_ids.flatMap((id) => hypotheses.find((h) => h.id === id) ?? [])
    : hypotheses.filter((h) => h.status !== 'parked');

// factsOf says what is known of the method: how many interviews there are, and when they were.
/** @param {Dated[]} interviews @param {Findings[]} all */
export function factsOf(interviews, all) {
  if (interviews.length === 0) return 'There are no interviews yet.';
  const days = interviews.flatMap((i) => i.interviewed_on ?? []).sort();
  const [first, last] = [days.at(0), days.at(-1)];
  const unknown = interviews.length - days.length;
  const people = all.at(0)?.people.length ?? 0;
  return [
    `${count(interviews.length, 'interview')}${people ? ` with ${count(people, 'participant')}` : ''}`,
    first && (first === last ? `, ${date(first)}` : `, ${date(first)} to ${date(last)}`),
    first && unknown > 0 && ` (the date of ${count(unknown, 'interview')} is not known)`,
    '. What was not read is below each finding.',
  ]
    .filter(Boolean)
    .join('');
}

// EditReport edits the texts of a report, and chooses and orders its findings.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {ProjectReport | undefined} props.report
 * @param {() => void} props.onSaved
 * @param {() => void} props.onClose
 */
export function EditReport({ context, report, onSaved, onClose }) {
  const [ids, setIds] = useState(inReport(context.hypotheses, report).map((h) => h.id));
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { title, summary, method, recommendations } = valuesOf(form);
    const values = { title, summary, method, recommendations, hypothesis_ids: ids };
    if (report) await update('reports', { id: `eq.${report.id}` }, values, columns);
    else await insert('reports', { ...values, project_id: context.id }, columns);
    onSaved();
    onClose();
  }
  /** @param {'summary' | 'method' | 'recommendations'} name @param {string} label @param {string} hint */
  const text = (name, label, hint) => html`
    <${Field} label=${label} hint=${hint}>
      ${(p) => html`
        <textarea
          ...${p}
          name=${name}
          rows="3"
          maxlength="20000"
          defaultValue=${report?.[name] ?? ''}
        ></textarea>
      `}
    <//>
  `;
  return html`
    <${Dialog} title="Report" onClose=${onClose} wide>
      <${Form} send=${send} submit="Save" onCancel=${onClose}>
        <${Field} label="Title">
          ${(p) => html`
            <input
              ...${p}
              name="title"
              maxlength="300"
              placeholder=${context.project.name}
              defaultValue=${report?.title ?? ''}
            />
          `}
        <//>
        ${text('summary', 'Summary', 'What you found, in a few sentences.')}
        ${text('method', 'Method', 'Numbers and dates of the interviews are added.')}
        <${Order} hypotheses=${context.hypotheses} ids=${ids} setIds=${setIds} />
        ${text('recommendations', 'Recommendations', 'What follows from it.')}
      <//>
    <//>
  `;
}

// Order chooses hypotheses, and moves those that are chosen.
/** @param {{ hypotheses: Hypothesis[], ids: string[], setIds: (ids: string[]) => void }} props */
function Order({ hypotheses, ids, setIds }) {
  const rest = hypotheses.filter((h) => !ids.includes(h.id));
  const all = [...ids.flatMap((id) => hypotheses.find((h) => h.id === id) ?? []), ...rest];
  /** @param {string} id @param {number} by */
  function move(id, by) {
    const next = ids.filter((one) => one !== id);
    next.splice(ids.indexOf(id) + by, 0, id);
    setIds(next);
  }
  return html`
    <fieldset class="report-order">
      <legend>Findings</legend>
      <ul>
        ${all.map((h) => {
          const at = ids.indexOf(h.id);
          return html`
            <li key=${h.id}>
              <label class="check">
                <input
                  type="checkbox"
                  checked=${at >= 0}
                  onChange=${() => setIds(at >= 0 ? ids.filter((id) => id !== h.id) : [...ids, h.id])}
                />
                <span dir="auto">${h.statement}</span>
              </label>
              <button
                type="button"
                class="small icon"
                aria-label=${`Move up: ${h.statement}`}
                disabled=${at <= 0}
                onClick=${() => move(h.id, -1)}
              >
                ↑
              </button>
              <button
                type="button"
                class="small icon"
                aria-label=${`Move down: ${h.statement}`}
                disabled=${at < 0 || at === ids.length - 1}
                onClick=${() => move(h.id, 1)}
              >
                ↓
              </button>
            </li>
          `;
        })}
      </ul>
    </fieldset>
  `;
}
