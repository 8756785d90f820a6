// What the list of interviews, an interview and a board share.
import { html, useState } from '../../page/html.js';
import { parse, rpc } from '../../client/api.js';
import { count, date, names, percent } from '../../page/words.js';
import {
  duration,
  formats,
  interviewSentence,
  interviewStatus,
  startable,
} from '../shared/interviewwords.js';
import { Dialog } from '../../page/dialog.js';
import { problem, say } from '../../page/messages.js';
import { sentence } from '../../client/http.js';
import { Tag } from '../../page/ui.js';
import { Estimate } from './estimate.js';
import { reason } from './failure.js';

export const interviewColumns =
  'id,title,filename,format,size_bytes,language,persona_id,interviewed_on,status,progress_done,' +
  'progress_total,waiting_reason,error_code,error_message,extractor,model,evidence_count,rejected_count,' +
  'coverage,unread,workflow_id,run_id,sha256,created_at,started_at,finished_at';

// The speakers and lengths of imports, by import. They never change, so each is loaded once.
export const overviews = new Map();
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
export const nameIn = (voices) => {
  const names = new Map((voices ?? []).map((s) => [`${s.import_id} ${s.speaker}`, s.name]));
  return (id, label) => names.get(`${id} ${label}`) || label;
};

// About is the line of facts of an interview.
export function About({ row, overview, nameOf }) {
  const o = overview;
  const people = o && [...new Set(o.speakers.map((label) => nameOf(row.id, label)))];
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
        o &&
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
export const Discarded = ({ row }) =>
  row.rejected_count > 0 &&
  html`
    <span title=${discarded}>${count(row.rejected_count, 'AI quote')} discarded (not in the transcript)</span>
  `;

export function StatusTag({ row }) {
  return html`
    <${Tag} kind=${'import ' + row.status} title=${interviewSentence[row.status]}>
      ${interviewStatus[row.status]}
    <//>
  `;
}

// Outcome shows the result of a finished analysis.
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

const nothingChecked = new Map();

// What an analysis from scratch changes.
const scratch = html`
  <p>The whole transcript is read again for the chosen hypotheses.</p>
  <dl class="consequences">
    <dt>Stays</dt>
    <dd>Quotes that a person added, accepted, rejected or edited, and their stances. The transcript.</dd>
    <dt>Changes</dt>
    <dd>
      Quotes that nobody reviewed: new ones are added, stances and strengths may change, and what is no longer
      found is deleted. “Last analysis” lists the differences.
    </dd>
  </dl>
`;

// ChooseHypotheses asks for which hypotheses to find evidence in the interviews with these ids, and marks
// those that were checked. checked has the times, by the ids of hypotheses. With refresh, these are read
// again.
export function ChooseHypotheses({
  context,
  title,
  ids,
  checked = nothingChecked,
  refresh = false,
  onStart,
  onClose,
  submit,
}) {
  const alive = context.hypotheses.filter((h) => h.status !== 'parked' && checked.has(h.id) === refresh);
  const [chosen, setChosen] = useState(new Set(alive.slice(0, 100).map((h) => h.id)));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const toggle = (id) =>
    setChosen((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  async function start() {
    setBusy(true);
    setError(null);
    try {
      await onStart([...chosen]);
      onClose();
    } catch (e) {
      setError(e);
      setBusy(false);
    }
  }
  return html`
    <${Dialog} title=${title} onClose=${onClose} wide>
      ${
        context.hypotheses.length === 0
          ? html`
              <p>
                There are no hypotheses yet. To have something to find evidence for,${' '}
                <a href=${`/projects/${context.id}`} onClick=${onClose}>write a hypothesis</a>
                ${' '}first.
              </p>
            `
          : html`
              ${refresh && scratch}
              <fieldset class="pick">
                <legend>Find evidence for and against</legend>
                <p class="row-actions">
                  <button
                    class="link"
                    onClick=${() => setChosen(new Set(context.hypotheses.slice(0, 100).map((h) => h.id)))}
                  >
                    All
                  </button>
                  <button class="link" onClick=${() => setChosen(new Set())}>None</button>
                </p>
                <ul>
                  ${context.hypotheses.map(
                    (h) => html`
                      <li key=${h.id}>
                        <label>
                          <input type="checkbox" checked=${chosen.has(h.id)} onChange=${() => toggle(h.id)} />
                          <span dir="auto">${h.statement}</span>
                          ${
                            checked.has(h.id) &&
                            html`
                              <span class="faint">checked ${date(checked.get(h.id))}</span>
                            `
                          }
                        </label>
                      </li>
                    `,
                  )}
                </ul>
              </fieldset>
              ${
                chosen.size > 100 &&
                html`
                  <p class="wrong" role="alert">Choose at most 100 hypotheses.</p>
                `
              }
              ${
                error &&
                html`
                  <p class="wrong" role="alert" dir="auto">${sentence(error)}</p>
                `
              }
              <${Estimate} ids=${ids} hypothesisIds=${[...chosen]} refresh=${refresh} />
              <div class="actions">
                <button onClick=${onClose}>Cancel</button>
                <button
                  class="primary"
                  disabled=${busy || chosen.size === 0 || chosen.size > 100}
                  onClick=${start}
                >
                  ${submit}
                </button>
              </div>
            `
      }
    <//>
  `;
}

// startAll starts the analysis of interviews, and fails if none could be started.
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
