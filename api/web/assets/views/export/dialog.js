// The export dialog.
import { html, useState } from '../../page/html.js';
import { call, more, PAGE } from '../../client/api.js';
import { documentOfEvidence, toMarkdown } from './document.js';
import { linksOf, save, toCSV, toJSON } from './formats.js';
import { count, stances } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, Options } from '../../page/form.js';
import { settle, toast } from '../../page/messages.js';

const select =
  'id,import_id,quote,summary,rationale,speaker,start_ms,end_ms,utterance_from,utterance_to,' +
  'byte_start,byte_end,match,confidence,origin,review,model,prompt_version,created_at,edited_at,' +
  'original_quote,original_speaker,imports(title,filename,format,sha256,created_at,interviewed_on)';
const kinds = {
  csv: 'CSV, for spreadsheets',
  docx: 'Word, for documents',
  md: 'Markdown, for wikis',
  json: 'JSON, for programs',
};
const mimeTypes = {
  csv: 'text/csv;charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  md: 'text/markdown;charset=utf-8',
  json: 'application/json',
};

// all reads all pages by key, so that rows added in the meantime do not shift the pages. filter is one of the
// data API.
async function all(filter, progress) {
  const rows = [];
  for (;;) {
    const after = rows.length ? `&id=gt.${rows.at(-1).id}` : '';
    const answer = await call(`/rest/v1/evidence?${filter}${after}&order=id&limit=${PAGE}`);
    rows.push(...answer.body);
    progress(rows.length);
    if (!more(answer)) return rows;
  }
}

// ofProject and ofHypothesis are such filters. The latter's quotes have their link to the hypothesis only.
const reviewed = { kept: '&review=neq.rejected', accepted: '&review=eq.accepted', all: '' };
const links = 'evidence_hypotheses(hypothesis_id,stance,strength)';
const ofProject = (id, what) =>
  `project_id=eq.${id}${reviewed[what]}&select=${encodeURIComponent(`${select},${links}`)}`;
const ofHypothesis = (id) =>
  `evidence_hypotheses.hypothesis_id=eq.${id}` +
  `&select=${encodeURIComponent(`${select},${links.replace('(', '!inner(')}`)}`;

// fileName returns a name for a file, from a title in any script.
export function fileName(prefix, title, kind) {
  const name = title
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '')
    .toLowerCase();
  return `${prefix}-${name || 'project'}-${new Date().toISOString().slice(0, 10)}.${kind}`;
}

// Export saves the quotes that the board shows, those in the findings, or those of the whole project. view is
// {hypothesis, ids, chosen, nameOf}: the ids are in the order of the board.
export function Export({ context, view, onClose }) {
  const [read, setRead] = useState(0);
  const { hypothesis, ids, chosen, nameOf = (e) => e.speaker } = view;
  const which = {
    view: `What the board shows: ${count(ids.length, 'quote')}`,
    chosen: `The findings: ${count(chosen.length, 'quote')}`,
    kept: 'Whole project: accepted and unreviewed',
    accepted: 'Whole project: accepted only',
    all: 'Whole project: everything, including rejected',
  };
  async function send(form) {
    const { what, kind, stance } = Object.fromEntries(new FormData(form));
    settle();
    const wanted = { view: ids, chosen }[what];
    let evidence = await all(wanted ? ofHypothesis(hypothesis.id) : ofProject(context.id, what), setRead);
    if (wanted) {
      const place = new Map(wanted.map((id, i) => [id, i]));
      evidence = evidence.filter((e) => place.has(e.id)).sort((a, b) => place.get(a.id) - place.get(b.id));
    }
    if (stance)
      evidence = evidence
        .map((e) => ({ ...e, evidence_hypotheses: e.evidence_hypotheses.filter((l) => l.stance === stance) }))
        .filter((e) => e.evidence_hypotheses.length > 0);
    const hypotheses = wanted ? [hypothesis] : context.hypotheses;
    const rows = linksOf(evidence, context.hypotheses, nameOf);
    if (!wanted)
      rows.sort(
        (a, b) =>
          (a.interview ?? '').localeCompare(b.interview ?? '') || (a.byte_start ?? 0) - (b.byte_start ?? 0),
      );
    await call('/rest/v1/rpc/record_export', {
      method: 'POST',
      json: { project: context.id, format: kind, quotes: evidence.length },
    });
    const at = new Date().toISOString();
    const { id, name, description } = context.project;
    const scope = wanted || stance ? `${which[what]}${stance ? `, only ${stances[stance]}` : ''}.` : '';
    const doc = () => documentOfEvidence(context.project, hypotheses, rows, at.slice(0, 10), scope);
    const content = {
      csv: () => toCSV(rows),
      docx: async () => (await import('./docx.js')).toWord(doc()),
      md: () => toMarkdown(doc()),
      json: () => toJSON({ id, name, description }, hypotheses, evidence, at),
    };
    save(fileName('evidence', name, kind), mimeTypes[kind], await content[kind]());
    toast(`${count(evidence.length, 'quote')} exported.`);
    onClose();
  }
  const radio = (name, options, first) =>
    Object.entries(options).map(
      ([key, text]) => html`
        <label key=${key}>
          <input type="radio" name=${name} value=${key} defaultChecked=${key === first} />
          ${text}
        </label>
      `,
    );
  return html`
    <${Dialog} title="Export evidence" onClose=${onClose}>
      <${Form} send=${send} submit="Export" onCancel=${onClose}>
        <fieldset class="radios">
          <legend>What</legend>
          ${radio('what', which, 'view')}
        </fieldset>
        <${Field} label="Stance">
          ${(p) => html`
            <select ...${p} name="stance">
              <${Options} of=${{ '': 'All', ...stances }} value="" />
            </select>
          `}
        <//>
        <fieldset class="radios">
          <legend>Format</legend>
          ${radio('kind', kinds, 'csv')}
        </fieldset>
        ${
          read > 0 &&
          html`
            <p class="faint" role="status">${count(read, 'quote')} loaded…</p>
          `
        }
      <//>
    <//>
  `;
}
