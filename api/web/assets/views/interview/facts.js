// What the list of interviews, an interview and a board share.
import { html } from '../../page/html.js';
import { parse, rpc } from '../../client/api.js';
import { count, date, names, percent } from '../../page/words.js';
import {
  duration,
  formats,
  interviewSentence,
  interviewStatus,
  startable,
} from '../shared/interviewwords.js';
import { problem, say } from '../../page/messages.js';
import { Tag } from '../../page/ui.js';
import { reason } from './failure.js';

export const interviewColumns =
  'id,title,filename,format,size_bytes,language,persona_id,interviewed_on,status,progress_done,' +
  'progress_total,waiting_reason,error_code,error_message,extractor,model,evidence_count,rejected_count,' +
  'coverage,unread,workflow_id,run_id,sha256,created_at,started_at,finished_at';

// The speakers and lengths of imports, by import. They never change, so each is loaded once.
/** @type {Map<string, Overview>} */
export const overviews = new Map();

/** @param {string[]} ids @param {AbortSignal} [signal] */
export async function overviewsOf(ids, signal) {
  const missing = ids.filter((id) => !overviews.has(id));
  for (let i = 0; i < missing.length; i += 100) {
    for (const row of await rpc('import_overviews', { imports: missing.slice(i, i + 100) }, { signal }))
      overviews.set(row.import_id, row);
  }
  return overviews;
}

// nameIn returns a function that returns the name of a speaker of an interview. voices are those of
// people.js.
/** @param {Voice[] | undefined} voices @returns {NameOf} */
export const nameIn = (voices) => {
  const names = new Map((voices ?? []).map((s) => [`${s.import_id} ${s.speaker}`, s.name]));
  return (id, label) => names.get(`${id} ${label}`) || label;
};

// About is the line of facts of an interview.
/** @param {{ row: Interview, overview: Overview | undefined, nameOf: NameOf }} props */
export function About({ row, overview, nameOf }) {
  const o = overview;
  const people = [...new Set(o?.speakers.map((label) => nameOf(row.id, label)))];
  return html`
    <p class="meta">
      <span>${formats[row.format] ?? row.format}</span>
      ${
        o &&
        html`
          <span>${o.duration_ms ? duration(o.duration_ms) : count(Number(o.words), 'word')}</span>
        `
      }
      ${
        people.length > 0 &&
        html`
          <span dir="auto" title=${people.join(', ')}>${names(people)}</span>
        `
      }
      <span>${date(row.interviewed_on ? `${row.interviewed_on}T00:00` : row.created_at)}</span>
    </p>
  `;
}

const discarded = 'The AI quoted words that are not in the transcript. Such quotes never become evidence.';

// Coverage says how much of an interview was analysed, and by what.
/** @param {{ row: Interview }} props */
export function Coverage({ row }) {
  return html`
    <span class=${row.coverage < 1 ? 'warn' : ''}>
      ${row.coverage < 1 ? `${percent(row.coverage)} analysed` : '100% analysed'}
      ${row.extractor !== 'keyword' && row.model && ` by ${row.model}`}
    </span>
    ${
      row.extractor === 'keyword' &&
      html`
        <span>keyword match, no AI</span>
      `
    }
  `;
}

// Discarded says how many quotes of the AI were discarded.
/** @param {{ row: Interview }} props */
export const Discarded = ({ row }) =>
  row.rejected_count > 0 &&
  html`
    <span title=${discarded}>${count(row.rejected_count, 'AI quote')} discarded (not in the transcript)</span>
  `;

/** @param {{ row: Interview }} props */
export function StatusTag({ row }) {
  return html`
    <${Tag} kind=${'import ' + row.status} title=${interviewSentence[row.status]}>
      ${interviewStatus[row.status]}
    <//>
  `;
}

// Outcome shows the result of a finished analysis.
/** @param {{ row: Interview }} props */
export function Outcome({ row }) {
  if (row.status === 'parsed') {
    return html`
      <p class="meta">
        <span>${row.evidence_count === 0 ? 'no evidence found' : count(row.evidence_count, 'quote')}</span>
        ${
          row.coverage < 1 &&
          html`
            <span class="warn">${percent(row.coverage)} analysed</span>
          `
        }
        <${Discarded} row=${row} />
        ${
          row.extractor === 'keyword' &&
          html`
            <span title="No AI model is configured, so keywords were matched.">keyword match, no AI</span>
          `
        }
      </p>
    `;
  }
  if (startable(row.status) && row.status !== 'uploaded')
    return html`
      <p class="wrong" dir="auto">${reason(row)}</p>
    `;
  return null;
}

// startAll starts the analysis of interviews, and fails if none could be started.
/** @param {Pick<Interview, 'id'>[]} imports @param {string[]} hypothesisIds @param {boolean} [refresh] */
export async function startAll(imports, hypothesisIds, refresh) {
  const failed = [];
  for (const row of imports) {
    try {
      await parse(row.id, hypothesisIds, refresh);
    } catch (e) {
      failed.push(e);
    }
  }
  if (failed.length === imports.length) throw failed[0];
  if (failed.length > 0) problem(failed[0]);
  else say(`Finding evidence in ${count(imports.length, 'interview')}.`);
}
