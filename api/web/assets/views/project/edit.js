// The dialog that edits a hypothesis, or adds one.
import { html, useState } from '../../page/html.js';
import { Field, Options, valuesOf } from '../../page/form.js';
import { editing, EditDialog } from '../shared/rows.js';
import { categories, importances } from '../../page/words.js';
import { personaOptions } from './personaoptions.js';
import { hypothesisColumns } from '../hypotheses/verdict.js';

/** @param {Hypothesis[]} all */
const oldestFirst = (all) => all.sort((a, b) => a.created_at.localeCompare(b.created_at));

// Edit changes a hypothesis, or adds one. If several lines are typed for a new one, onSeveral gets them on
// request.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Hypothesis | null} props.hypothesis
 * @param {(lines: string) => void} props.onSeveral
 * @param {() => void} props.onClose
 */
export function Edit({ context, hypothesis: h, onSeveral, onClose }) {
  const [lines, setLines] = useState('');
  const several = h ? 0 : lines.split('\n').filter((line) => line.trim()).length;
  const { save, drop } = editing('hypotheses', hypothesisColumns, context.id, (change) =>
    context.set((d) => ({ ...d, hypotheses: change(d.hypotheses) })),
  );
  return html`
    <${EditDialog}
      title=${h ? 'Hypothesis' : 'New hypothesis'}
      submit=${h ? 'Save' : 'Add hypothesis'}
      send=${(/** @type {HTMLFormElement} */ form) => {
        const values = valuesOf(form);
        return save(h, {
          ...values,
          persona_id: values.persona_id || null,
          reopen_after: Number(values.reopen_after),
        });
      }}
      onDelete=${
        h && (() => drop(h, 'Hypothesis deleted, with its links to evidence.', { sort: oldestFirst }))
      }
      onClose=${onClose}
    >
      <${Field} label="Statement" hint="Something that an interview can support or contradict.">
        ${(p) => html`
          <textarea
            ...${p}
            name="statement"
            rows="2"
            required
            maxlength=${several > 1 ? undefined : 2000}
            defaultValue=${h?.statement ?? ''}
            onInput=${(e) => setLines(e.currentTarget.value)}
          ></textarea>
        `}
      <//>
      ${
        several > 1 &&
        html`
          <p class="note" role="status">
            ${`These are ${several} lines.`}${' '}
            <button type="button" class="link" onClick=${() => onSeveral(lines)}>
              Add each as a hypothesis
            </button>
          </p>
        `
      }
      <${Field} label="Wrong if" hint="What would you have to hear to give it up? Decide before you listen.">
        ${(p) => html`
          <textarea ...${p} name="falsified_if" rows="2" defaultValue=${h?.falsified_if ?? ''}></textarea>
        `}
      <//>
      <${Field} label="Reopen the verdict when so many more people speak against it">
        ${(p) => html`
          <input
            ...${p}
            class="few"
            type="number"
            name="reopen_after"
            min="1"
            max="1000"
            required
            defaultValue=${String(h?.reopen_after ?? 3)}
          />
        `}
      <//>
      <div class="row">
        <${Field} label="About">
          ${(p) => html`
            <select ...${p} name="persona_id">
              ${personaOptions(context.personas, h?.persona_id)}
            </select>
          `}
        <//>
        <${Field} label="Category">
          ${(p) => html`
            <select ...${p} name="category">
              <${Options} of=${categories} value=${h?.category ?? 'problem'} />
            </select>
          `}
        <//>
        <${Field} label="Importance">
          ${(p) => html`
            <select ...${p} name="importance">
              <${Options} of=${importances} value=${h?.importance ?? 'medium'} />
            </select>
          `}
        <//>
      </div>
    <//>
  `;
}
