// What the list of interviews, an interview and a board share.
import { html } from '../../page/html.js';
import { rpc } from '../../client/api.js';
import { count, date, names, percent } from '../../page/words.js';
import {
  duration,
  formats,
  interviewSentence,
  interviewStatus,
  startable,
} from '../shared/interviewwords.js';
import { Tag } from '../../page/ui.js';
import { readBy, readersOf } from '../shared/readings.js';
import { outcome } from './failure.js';

export const interviewColumns =
  'id,title,filename,format,size_bytes,language,persona_id,interviewed_on,status,progress_done,' +
  'progress_total,waiting_reason,error_code,error_message,extractor,model,evidence_count,rejected_count,' +
  'needs_look,coverage,unread,workflow_id,run_id,sha256,created_at,started_at,finished_at';

// The speakers and lengths of imports, by import. They change only when a file is read again, so each is
// loaded once.
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
      ${
        row.needs_look &&
        html`
          <span class="warn">some speakers are not certain</span>
        `
      }
      <span>${date(row.interviewed_on ? `${row.interviewed_on}T00:00` : row.created_at)}</span>
    </p>
  `;
}

const discarded = 'Quotes of the AI that could not be proven in the transcript never become evidence.';

// readers says how much of an interview was read, and by what. answers are those of the interview.
/** @param {Interview} row @param {Answer[]} answers */
export const readers = (row, answers) =>
  readersOf(answers) ||
  (row.extractor ? readBy([{ ...row, extractor: row.extractor, prompt_version: '' }]) : '');

// Discarded says how many quotes of the AI were discarded. onLook, if any, shows them.
/** @param {{ row: Interview, onLook?: () => void }} props */
export const Discarded = ({ row, onLook }) =>
  row.rejected_count > 0 &&
  html`
    <span title=${discarded}>
      ${count(row.rejected_count, 'AI quote')} discarded${onLook && ': '}
      ${
        onLook &&
        html`
          <button class="link" onClick=${onLook}>look</button>
        `
      }
    </span>
  `;

/** @param {{ row: Interview }} props */
export function StatusTag({ row }) {
  return html`
    <${Tag} kind=${'import ' + row.status} title=${interviewSentence[row.status]}>
      ${interviewStatus[row.status]}
    <//>
  `;
}

/** @param {Interview} row */
const nothing = (row) => (row.extractor === 'keyword' ? 'nothing by keywords' : 'no evidence found');

// Outcome shows the result of a finished analysis.
/** @param {{ row: Interview }} props */
export function Outcome({ row }) {
  if (row.status === 'parsed') {
    return html`
      <p class="meta">
        <span>${row.evidence_count === 0 ? nothing(row) : count(row.evidence_count, 'quote')}</span>
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
            <span title="Keywords were matched. No AI model has read it.">keyword match, no AI</span>
          `
        }
      </p>
    `;
  }
  if (startable(row.status) && row.status !== 'uploaded')
    return html`
      <p class="wrong" dir="auto">${outcome(row)}</p>
    `;
  return null;
}
