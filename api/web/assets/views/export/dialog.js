// The export dialog.
import { html, useState } from '../../page/html.js';
import { call, more, PAGE } from '../../client/api.js';
import { documentOfEvidence, toMarkdown } from './document.js';
import { linksOf, toCSV, toJSON } from './formats.js';
import { fileName, save } from './save.js';
import { count } from '../../page/words.js';
import { balances, noBalance } from '../../client/people.js';
import { reviewedOf, stances } from '../shared/evidencewords.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, Options, valuesOf } from '../../page/form.js';
import { settle, toast } from '../../page/messages.js';

const select =
  'id,import_id,quote,summary,rationale,speaker,start_ms,end_ms,utterance_from,utterance_to,' +
  'byte_start,byte_end,match,confidence,origin,review,model,prompt_version,created_at,edited_at,' +
  'speaker_confirmed,place_lost,asked_kind,asked_start,asked_end,original_quote,original_speaker,' +
  'imports(title,filename,format,sha256,created_at,interviewed_on)';
/** @typedef {'csv' | 'docx' | 'md' | 'json'} Kind */
/** @typedef {import('../exchange/save.js').ExchangeKind} ExchangeKind */

/** @type {Record<Kind, string>} */
const kinds = {
  csv: 'CSV, for spreadsheets',
  docx: 'Word, for documents',
  md: 'Markdown, for wikis',
  json: 'JSON, for programs',
};
/** @type {Record<ExchangeKind, string>} */
const exchanged = {
  qdpx: 'REFI-QDA project, for NVivo, MAXQDA, ATLAS.ti…: always the whole project',
  qdc: 'REFI-QDA codebook: themes and hypotheses alone',
};
/** @type {Record<Kind, string>} */
const mimeTypes = {
  csv: 'text/csv;charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  md: 'text/markdown;charset=utf-8',
  json: 'application/json',
};

// all reads all pages by key, so that rows added in the meantime do not shift the pages. filter is one of the
// data API.
/**
 * @param {string} filter
 * @param {(read: number) => void} progress
 * @returns {Promise<import('./formats.js').Exported[]>}
 */
async function all(filter, progress) {
  /** @type {import('./formats.js').Exported[]} */
  const rows = [];
  for (;;) {
    const after = rows.length ? `&id=gt.${rows[rows.length - 1].id}` : '';
    const answer = await call(`/rest/v1/evidence?${filter}${after}&order=id&limit=${PAGE}`);
    rows.push(...answer.body);
    progress(rows.length);
    if (!more(answer)) return rows;
  }
}

// ofProject and ofHypothesis are such filters. The latter's quotes have their link to the hypothesis only.
/** @type {Record<string, string>} */
const reviewed = { kept: '&review=neq.rejected', accepted: '&review=eq.accepted', all: '' };
const links = 'evidence_hypotheses(hypothesis_id,stance,strength,given_strength)';
/** @param {string} id @param {string} what */
const ofProject = (id, what) =>
  `project_id=eq.${id}${reviewed[what]}&select=${encodeURIComponent(`${select},${links}`)}`;
/** @param {string} id */
const ofHypothesis = (id) =>
  `evidence_hypotheses.hypothesis_id=eq.${id}` +
  `&select=${encodeURIComponent(`${select},${links.replace('(', '!inner(')}`)}`;

// partsOf names what is exported in the name of the file.
/** @param {string} what @param {Hypothesis} hypothesis */
function partsOf(what, { statement }) {
  if (what === 'view') return ['board', statement];
  if (what === 'chosen') return ['findings', statement];
  return [{ accepted: 'project-accepted', all: 'project-with-rejected' }[what] ?? 'project'];
}

// The quotes of a board, in its order, and those that are chosen for the findings.
/**
 * @typedef {object} View
 * @property {Hypothesis} hypothesis
 * @property {string[]} ids
 * @property {string[]} chosen
 * @property {(e: EvidenceRow) => string} [nameOf]
 */

// Export saves the quotes that the board shows, those in the findings, or those of the whole project.
/** @param {{ context: Context, view: View, onClose: () => void }} props */
export function Export({ context, view, onClose }) {
  const [read, setRead] = useState(0);
  const { hypothesis, ids, chosen, nameOf = (e) => e.speaker } = view;
  /** @type {Record<string, string>} */
  const which = {
    view: `What the board shows: ${count(ids.length, 'quote')}`,
    chosen: `The findings: ${count(chosen.length, 'quote')}`,
    kept: 'Whole project: accepted and unreviewed',
    accepted: 'Whole project: accepted only',
    all: 'Whole project: everything, including rejected',
  };
  /** @param {HTMLFormElement} form */
  async function send(form) {
    const { what, stance, ...values } = valuesOf(form);
    if (values.kind in exchanged) {
      const { saveExchange } = await import('../exchange/save.js');
      await saveExchange(context, /** @type {ExchangeKind} */ (values.kind));
      onClose();
      return;
    }
    const kind = /** @type {Kind} */ (values.kind);
    settle();
    const wanted = what === 'view' ? ids : what === 'chosen' ? chosen : null;
    let evidence = await all(wanted ? ofHypothesis(hypothesis.id) : ofProject(context.id, what), setRead);
    if (wanted) {
      const place = new Map(wanted.map((id, i) => [id, i]));
      evidence = evidence
        .filter((e) => place.has(e.id))
        .sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
    }
    if (stance)
      evidence = evidence
        .map((e) => ({ ...e, evidence_hypotheses: e.evidence_hypotheses.filter((l) => l.stance === stance) }))
        .filter((e) => e.evidence_hypotheses.length > 0);
    const balanceOf = await balances(context.id);
    const described = context.hypotheses.map((h) => ({
      ...h,
      evidence: reviewedOf(balanceOf.get(h.id) ?? noBalance),
    }));
    const hypotheses = wanted ? described.filter(({ id }) => id === hypothesis.id) : described;
    const rows = linksOf(evidence, described, nameOf);
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
    const only = stance ? `, only ${stances[/** @type {Stance} */ (stance)]}` : '';
    const scope = wanted || stance ? `${which[what]}${only}.` : '';
    const doc = () => documentOfEvidence(context.project, hypotheses, rows, at.slice(0, 10), scope);
    const content = {
      csv: () => toCSV(rows),
      docx: async () => (await import('./docx.js')).toWord(doc()),
      md: () => toMarkdown(doc()),
      json: () => toJSON({ id, name, description }, hypotheses, evidence, at),
    };
    save(
      fileName([name, 'evidence', ...partsOf(what, hypothesis), stance], kind),
      mimeTypes[kind],
      await content[kind](),
    );
    toast(`${count(evidence.length, 'quote')} exported.`);
    onClose();
  }
  /** @param {string} name @param {Record<string, string>} options @param {string} first */
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
          ${radio('kind', { ...kinds, ...exchanged }, 'csv')}
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
