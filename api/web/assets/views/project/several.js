// Several hypotheses at once, from a list that is typed or pasted.
import { html, useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { insertAll } from '../../client/api.js';
import { newId } from '../shared/ids.js';
import { categories, count, importances } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, Options, valuesOf } from '../../page/form.js';
import { toast } from '../../page/messages.js';
import { personaOptions } from './personaoptions.js';
import { hypothesisColumns } from '../hypotheses/verdict.js';

/** @typedef {{ statement: string, falsified_if: string, problem: string }} Line */

const MOST = 200; // hypotheses at once
const MOST_CHARACTERS = { statement: 2000, falsified_if: 20_000 };

const bullet = /^\s*(?:[-*•–—]|\(?\d{1,3}[.)]|h\d{1,3}[:.])\s+/i;

// alike returns the same text for statements that differ in case, spaces or the full stop only.
/** @param {string} statement */
const alike = (statement) =>
  statement
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[.!\s]+$/, '');

// readList reads a list with one statement per line. Bullets and numbers are left out. What follows a tab, as
// in lines copied from a spreadsheet, is what would prove the statement wrong. A line with a problem is not
// added.
/** @param {string} text @param {Hypothesis[]} existing @returns {Line[]} */
function readList(text, existing) {
  const stored = new Set(existing.map((h) => alike(h.statement)));
  const numbers = /** @type {Map<string, number>} */ (new Map()); // of the statements that are added
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim())
    .map((line) => {
      const [first, ...rest] = line.replace(bullet, '').split('\t');
      const statement = first.trim();
      const wrongIf = rest.join(' ').trim();
      const key = alike(statement);
      let problem = '';
      if (!key) problem = 'has no statement';
      else if (statement.length > MOST_CHARACTERS.statement) problem = 'longer than 2,000 characters';
      else if (wrongIf.length > MOST_CHARACTERS.falsified_if) problem = 'second column too long';
      else if (stored.has(key)) problem = 'already in this project';
      else if (numbers.has(key)) problem = `the same as ${numbers.get(key)}`;
      else if (numbers.size >= MOST) problem = `more than ${MOST} at once`;
      else numbers.set(key, numbers.size + 1);
      return { statement: statement || line.trim(), falsified_if: wrongIf, problem };
    });
}

// Several asks for a list and shows what is added. begin is what the list begins with. With details it asks
// for the persona, the category and the importance of all of them.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {string} [props.begin]
 * @param {boolean} [props.details]
 * @param {() => void} [props.onAdded]
 * @param {() => void} [props.onCancel]
 */
export function Several({ context, begin = '', details = false, onAdded, onCancel }) {
  const [text, setText] = useState(begin);
  /** @type {Ref<HTMLElement>} */
  const box = useRef();
  // The form may have what was typed before the session ended.
  useEffect(() => setText(box.current.querySelector('textarea')?.value ?? ''), []);
  const lines = useMemo(() => readList(text, context.hypotheses), [text, context.hypotheses]);
  const good = lines.filter((line) => !line.problem);
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { persona_id = '', category, importance } = valuesOf(form);
    // All rows are created at the same instant, so their ids keep the order of the list.
    const ids = good.map(newId).sort();
    const rows = await insertAll(
      'hypotheses',
      good.map(({ statement, falsified_if }, i) => ({
        id: ids[i],
        project_id: context.id,
        statement,
        falsified_if,
        ...(details && { persona_id: persona_id || null, category, importance }),
      })),
      hypothesisColumns,
    );
    rows.sort((a, b) => a.id.localeCompare(b.id));
    context.set((d) => ({ ...d, hypotheses: [...d.hypotheses, ...rows] }));
    toast(`${count(rows.length, 'hypothesis', 'hypotheses')} added.`);
    onAdded?.();
  }
  return html`
    <div class="several" ref=${box}>
      <${Form}
        send=${send}
        submit=${good.length > 0 ? `Add ${count(good.length, 'hypothesis', 'hypotheses')}` : 'Add hypotheses'}
        disabled=${good.length === 0}
        onCancel=${onCancel}
      >
        <${Field}
          label="Statements, one per line"
          hint="Type them or paste a list. A second column from a spreadsheet becomes “Wrong if”."
        >
          ${(p) => html`
            <textarea
              ...${p}
              name="list"
              rows="5"
              required
              dir="auto"
              defaultValue=${begin}
              onInput=${(e) => setText(e.currentTarget.value)}
              onKeyDown=${(e) => {
                if (e.key !== 'Enter' || !(e.ctrlKey || e.metaKey)) return;
                e.preventDefault();
                if (good.length > 0) e.currentTarget.form.requestSubmit();
              }}
            ></textarea>
          `}
        <//>
        ${
          details &&
          html`
            <${Details} personas=${context.personas} />
          `
        }
        <${Preview} lines=${lines} good=${good.length} />
      <//>
    </div>
  `;
}

// Details asks for what all of the hypotheses have in common.
/** @param {{ personas: Persona[] }} props */
const Details = ({ personas }) => html`
  <div class="row">
    <${Field} label="About">
      ${(p) => html`
        <select ...${p} name="persona_id">
          ${personaOptions(personas)}
        </select>
      `}
    <//>
    <${Field} label="Category">
      ${(p) => html`
        <select ...${p} name="category">
          <${Options} of=${categories} value="problem" />
        </select>
      `}
    <//>
    <${Field} label="Importance">
      ${(p) => html`
        <select ...${p} name="importance">
          <${Options} of=${importances} value="medium" />
        </select>
      `}
    <//>
  </div>
`;

// Preview shows the lines; good is the number of those that are added.
/** @param {{ lines: Line[], good: number }} props */
function Preview({ lines, good }) {
  const left = lines.length - good;
  let number = 0;
  return html`
    <div class="preview">
      <p class="faint" role="status">
        ${lines.length > 0 && count(good, 'hypothesis', 'hypotheses')}
        ${left > 0 && `, ${count(left, 'line')} left out`}
      </p>
      ${
        lines.length > 0 &&
        html`
          <ol tabindex="0" aria-label="What is added">
            ${lines.map(
              ({ statement, falsified_if, problem }, i) => html`
                <li key=${i} class=${problem ? 'out' : ''}>
                  <span class="number" aria-hidden="true">${problem ? '–' : ++number}</span>
                  <span dir="auto">
                    <span class="words">${statement.slice(0, 300)}</span>
                    ${
                      falsified_if &&
                      html`
                        <span class="faint">${` · wrong if ${falsified_if.slice(0, 120)}`}</span>
                      `
                    }
                    ${
                      problem &&
                      html`
                        <b class="left-out">${` · ${problem}`}</b>
                      `
                    }
                  </span>
                </li>
              `,
            )}
          </ol>
        `
      }
    </div>
  `;
}

// SeveralDialog is the same list in a dialog.
/** @param {{ context: Context, begin: string, onClose: () => void }} props */
export const SeveralDialog = ({ context, begin, onClose }) => html`
  <${Dialog} title="New hypotheses" onClose=${onClose} wide>
    <${Several} context=${context} begin=${begin} details onAdded=${onClose} onCancel=${onClose} />
  <//>
`;
