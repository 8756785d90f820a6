// The export dialog.
import { html, useState } from '../html.js';
import { call, more, PAGE } from '../api.js';
import { linksOf, save, toCSV, toJSON, toMarkdown } from '../export.js';
import { count } from '../words.js';
import { Dialog, Form, settle, toast } from '../ui.js';

const select = 'id,import_id,quote,summary,rationale,speaker,start_ms,end_ms,utterance_from,utterance_to,byte_start,byte_end,match,confidence,origin,review,model,prompt_version,created_at,'
  + 'imports(title,filename,format,sha256,created_at),evidence_hypotheses(hypothesis_id,stance,strength)';
const which = { kept: 'Accepted and unreviewed', accepted: 'Accepted only', all: 'Everything, including rejected' };
const kinds = { csv: 'CSV, for spreadsheets', md: 'Markdown, for documents', json: 'JSON, for programs' };

// all reads all pages by key, so that rows added in the meantime do not shift the pages.
async function all(projectId, what, progress) {
  const rows = [];
  const review = { kept: '&review=neq.rejected', accepted: '&review=eq.accepted', all: '' }[what];
  for (;;) {
    const after = rows.length ? `&id=gt.${rows.at(-1).id}` : '';
    const answer = await call(`/rest/v1/evidence?project_id=eq.${projectId}${review}${after}&select=${encodeURIComponent(select)}&order=id&limit=${PAGE}`);
    rows.push(...answer.body);
    progress(rows.length);
    if (!more(answer)) return rows;
  }
}

export function Export({ context, onClose }) {
  const [read, setRead] = useState(0);
  async function send(form) {
    const { what, kind } = Object.fromEntries(new FormData(form));
    settle();
    const evidence = await all(context.id, what, setRead);
    const at = new Date().toISOString();
    const name = `evidence-${(context.project.name.normalize('NFKD').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'project').toLowerCase()}-${at.slice(0, 10)}.${kind}`;
    const links = linksOf(evidence, new Map(context.hypotheses.map((h) => [h.id, h.statement])))
      .sort((a, b) => (a.interview ?? '').localeCompare(b.interview ?? '') || (a.byte_start ?? 0) - (b.byte_start ?? 0));
    const { id, name: title, description } = context.project;
    if (kind === 'csv') save(name, 'text/csv;charset=utf-8', toCSV(links));
    else if (kind === 'md') save(name, 'text/markdown;charset=utf-8', toMarkdown(context.project, context.hypotheses, links, at.slice(0, 10)));
    else save(name, 'application/json', toJSON({ id, name: title, description }, context.hypotheses, evidence, at));
    toast(`${count(evidence.length, 'quote')} exported.`);
    onClose();
  }
  const radio = (name, options, first) => Object.entries(options).map(([key, text]) => html`<label key=${key}><input type="radio" name=${name} value=${key} defaultChecked=${key === first} />${text}</label>`);
  return html`<${Dialog} title="Export evidence" onClose=${onClose}>
    <${Form} send=${send} submit="Export" onCancel=${onClose}>
      <fieldset class="radios"><legend>What</legend>${radio('what', which, 'kept')}</fieldset>
      <fieldset class="radios"><legend>Format</legend>${radio('kind', kinds, 'csv')}</fieldset>
      ${read > 0 && html`<p class="faint" role="status">${count(read, 'quote')} loaded…</p>`}
    <//>
  <//>`;
}
