// The controls above findings: which hypothesis is shown, with or without names, and how to keep what is
// shown.
import { html } from '../../page/html.js';
import { call } from '../../client/api.js';
import { toMarkdown } from '../export/document.js';
import { setQuery } from '../../page/router.js';
import { Choice, Decision } from '../../page/form.js';
import { problem, toast } from '../../page/messages.js';
import { fileName, save } from '../export/save.js';

/** @typedef {import('../export/document.js').Block} Block */
/** @typedef {{ file: string[], quotes: number, doc: Block[] }} Shown */

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** @param {Block[]} doc */
const word = async (doc) => (await import('../export/docx.js')).toWord(doc);

// keep saves a document, as documentOfFindings returns it, as a file of this kind (docx or md), and records
// that.
/** @param {Context} context @param {Shown} shown @param {string} kind */
async function keep(context, { file, quotes, doc }, kind) {
  try {
    await call('/rest/v1/rpc/record_export', {
      method: 'POST',
      json: { project: context.id, format: kind, quotes },
    });
    const name = fileName([context.project.name, ...file], kind);
    if (kind === 'md') save(name, 'text/markdown;charset=utf-8', toMarkdown(doc));
    else save(name, wordType, await word(doc));
    toast('Saved.');
  } catch (error) {
    problem(error);
  }
}

// FindingsTools are the controls. There is a choice of a hypothesis only with a value. shown() returns what
// Save as writes: the parts of the name of its file, the number of quotes, and the document; ready says that
// it can. More controls are the children.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {string} [props.value]
 * @param {boolean} props.withNames
 * @param {boolean} props.ready
 * @param {() => Shown | undefined} props.shown
 * @param {Children} [props.children]
 */
export function FindingsTools({ context, value, withNames, ready, shown, children }) {
  const options = context.hypotheses.map((h) => [h.id, h.statement]);
  return html`
    <div class="filters" role="group" aria-label=${value ? 'Findings' : 'Report'}>
      ${
        value &&
        html`
          <${Choice}
            label="Hypothesis"
            value=${value}
            options=${Object.fromEntries(options)}
            onChange=${(h) => setQuery({ h })}
          />
        `
      }
      <label class="check">
        <input
          type="checkbox"
          checked=${withNames}
          onChange=${(e) => setQuery({ names: e.currentTarget.checked ? null : 'no' })}
        />
        Names
      </label>
      <div class="tasks">
        <button class="quiet" disabled=${!ready} onClick=${() => window.print()}>Print or PDF</button>
        <${Decision}
          plain
          label="Save as"
          value=""
          options=${{ '': 'Save as…', docx: 'Word', md: 'Markdown' }}
          disabled=${!ready}
          onChange=${(kind) => {
            const what = shown();
            if (kind && what) keep(context, what, kind);
          }}
        />
        ${children}
      </div>
    </div>
  `;
}
