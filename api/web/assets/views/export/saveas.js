// Saves what a view shows as a document.
import { html } from '../../page/html.js';
import { call } from '../../client/api.js';
import { toMarkdown } from './document.js';
import { Decision } from '../../page/form.js';
import { problem, toast } from '../../page/messages.js';
import { fileName, save } from './save.js';

/** @typedef {import('./document.js').Block} Block */
/** @typedef {{ file: string[], quotes: number, doc: Block[] }} Shown */

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** @param {Block[]} doc */
const word = async (doc) => (await import('./docx.js')).toWord(doc);

// keep saves a document as a file of this kind (docx or md), and records that.
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

// SaveAs asks for the kind of the file. shown() returns what is written: the parts of the name of the file,
// the number of quotes, and the document; ready says that it can.
/** @param {{ context: Context, ready: boolean, shown: () => Shown | undefined }} props */
export const SaveAs = ({ context, ready, shown }) => html`
  <${Decision}
    plain
    label="Save as"
    value=""
    options=${{ '': 'Save as…', docx: 'Word', md: 'Markdown' }}
    disabled=${!ready}
    onChange=${(/** @type {string} */ kind) => {
      const what = shown();
      if (kind && what) keep(context, what, kind);
    }}
  />
`;
