// The dialog that writes a report: its texts, and which findings it has, in which order.
import { html, useRef, useState } from '../../page/html.js';
import { insert, one, rpc, update } from '../../client/api.js';
import { codeOf } from '../../client/http.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { methodOf } from './method.js';

const texts = { title: 'Title', summary: 'Summary', method: 'Method', recommendations: 'Recommendations' };

// The codes of an answer if somebody else wrote the report first, or changed it.
const overtaken = ['23505', 'forbidden'];

// EditReport saves only over the version that its user saw. If somebody else saved another one, it shows that
// one, and asks.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {ProjectReport} props.report
 * @param {() => void} props.onSaved
 * @param {() => void} props.onClose
 */
export function EditReport({ context, report, onSaved, onClose }) {
  const [seen, setSeen] = useState(report);
  const [saver, setSaver] = useState('Somebody else');
  const [ids, setIds] = useState(report.hypothesis_ids);
  const changed = useRef(false);
  const [leaving, setLeaving] = useState(false);
  // What was typed is given up by the second attempt to close only.
  const leave = () => (changed.current && !leaving ? setLeaving(true) : onClose());
  const change = () => {
    changed.current = true;
    setLeaving(false);
  };
  // The report has the name of its project until it has a title.
  const title = report.title === context.project.name ? '' : report.title;
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const values = { ...valuesOf(form), hypothesis_ids: ids };
    try {
      if (seen.id) {
        const same = { id: `eq.${seen.id}`, updated_at: `eq.${seen.updated_at}` };
        await update('reports', same, values, 'id');
      } else await insert('reports', { ...values, project_id: context.id }, 'id');
    } catch (error) {
      const latest = overtaken.includes(codeOf(error) ?? '')
        ? await rpc('project_report', { project: context.id })
        : seen;
      if (!latest) throw error; // the project is gone
      if (latest.id === seen.id && latest.updated_at === seen.updated_at) throw error;
      setSaver((await saverOf(latest)) || 'Somebody else');
      setSeen(latest);
      return;
    }
    onSaved();
    onClose();
  }
  /** @param {'summary' | 'method' | 'recommendations'} name @param {string} hint */
  const text = (name, hint) => html`
    <${Field} label=${texts[name]} hint=${hint}>
      ${(p) => html`
        <textarea
          ...${p}
          name=${name}
          rows="4"
          maxlength="20000"
          defaultValue=${report[name]}
          onInput=${change}
        ></textarea>
      `}
    <//>
  `;
  const facts = methodOf(report.facts, report.hypothesis_ids.length).join(' ');
  return html`
    <${Dialog} title="Report" onClose=${leave} wide>
      <${Form} send=${send} submit="Save" onCancel=${onClose}>
        <${Field} label=${texts.title}>
          ${(p) => html`
            <input
              ...${p}
              name="title"
              maxlength="300"
              placeholder=${context.project.name}
              defaultValue=${title}
              onInput=${change}
            />
          `}
        <//>
        ${text('summary', 'What you found, in a few sentences.')}
        ${text('method', `How you chose and asked people. What is known follows it: ${facts}`)}
        <${Order}
          hypotheses=${context.hypotheses}
          ids=${ids}
          setIds=${(/** @type {string[]} */ next) => {
            setIds(next);
            change();
          }}
        />
        ${text('recommendations', 'What follows from it.')}
        ${
          seen !== report &&
          html`
            <${Overtaken} latest=${seen} saver=${saver} />
          `
        }
        ${
          leaving &&
          html`
            <p class="note" role="alert">
              The report was changed. Save it, or close again to lose the changes.
            </p>
          `
        }
      <//>
    <//>
  `;
}

// saverOf returns the name of who saved a report last, if it is known.
/** @param {ProjectReport} report */
async function saverOf({ id }) {
  if (!id) return '';
  const last = await one('activity_events', {
    entity_id: `eq.${id}`,
    select: 'profiles(display_name)',
    order: 'occurred_at.desc,id',
  });
  return last?.profiles?.display_name;
}

// Overtaken shows what somebody else saved.
/** @param {{ latest: ProjectReport, saver: string }} props */
const Overtaken = ({ latest, saver }) => html`
  <div class="note" role="alert">
    <p dir="auto">${saver} saved the report in the meantime. Save again to replace it.</p>
    <details>
      <summary>What they saved</summary>
      <dl class="report-theirs">
        ${Object.entries(texts).map(
          ([name, label]) => html`
            <dt key=${name}>${label}</dt>
            <dd dir="auto">${latest[/** @type {keyof texts} */ (name)] || '—'}</dd>
          `,
        )}
      </dl>
    </details>
  </div>
`;

// moved returns a list with one entry at another place.
/** @param {string[]} ids @param {string} id @param {number} to */
function moved(ids, id, to) {
  const next = ids.filter((one) => one !== id);
  next.splice(to, 0, id);
  return next;
}

// Order chooses hypotheses, and moves those that are chosen, with buttons or by dragging.
/** @param {{ hypotheses: Hypothesis[], ids: string[], setIds: (ids: string[]) => void }} props */
function Order({ hypotheses, ids, setIds }) {
  const [dragged, setDragged] = useState('');
  const rest = hypotheses.filter((h) => !ids.includes(h.id));
  const all = [...ids.flatMap((id) => hypotheses.find((h) => h.id === id) ?? []), ...rest];
  return html`
    <fieldset class="report-order">
      <legend>Findings</legend>
      <ol>
        ${all.map((h) => {
          const at = ids.indexOf(h.id);
          return html`
            <li
              key=${h.id}
              class=${h.id === dragged ? 'dragged' : ''}
              draggable=${at >= 0}
              onDragStart=${() => setDragged(h.id)}
              onDragEnd=${() => setDragged('')}
              onDragOver=${(/** @type {DragEvent} */ e) => {
                if (!dragged || at < 0) return;
                e.preventDefault();
                if (h.id !== dragged) setIds(moved(ids, dragged, at));
              }}
            >
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
                onClick=${() => setIds(moved(ids, h.id, at - 1))}
              >
                ↑
              </button>
              <button
                type="button"
                class="small icon"
                aria-label=${`Move down: ${h.statement}`}
                disabled=${at < 0 || at === ids.length - 1}
                onClick=${() => setIds(moved(ids, h.id, at + 1))}
              >
                ↓
              </button>
            </li>
          `;
        })}
      </ol>
    </fieldset>
  `;
}
