// The interviews of a project that only keyword matching has read, although there is an AI model by now. One
// click has the model read them.
import { html, useEffect, useRef, useState } from '../../page/html.js';
import { list } from '../../client/api.js';
import { config } from '../../client/session.js';
import { Dialog } from '../../page/dialog.js';
import { Form } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { count, names } from '../../page/words.js';
import { running } from '../shared/interviewwords.js';
import { Estimate } from './estimate.js';
import { startAll } from './starting.js';

/** @typedef {AnalysisRequest & { title: string }} Unread */

const MOST_HYPOTHESES = 100; // in a request

// unread returns what a model has not read of a project: for each interview the hypotheses that matter, as
// they are worded now.
/** @param {Context} context @param {AbortSignal} signal @returns {Promise<Unread[]>} */
async function unread(context, signal) {
  const answers = await list(
    'import_hypotheses',
    {
      project_id: `eq.${context.id}`,
      coverage: 'gt.0',
      model_coverage: 'eq.0',
      select: 'import_id,hypothesis_id,statement,imports(title,status)',
      order: 'import_id,hypothesis_id',
    },
    { signal },
  );
  const wanted = new Map(
    context.hypotheses.filter((h) => h.status !== 'parked').map((h) => [h.id, h.statement]),
  );
  /** @type {Map<string, Unread>} */
  const all = new Map();
  for (const a of answers) {
    if (running(a.imports.status) || wanted.get(a.hypothesis_id) !== a.statement) continue;
    const of = all.get(a.import_id) ?? { id: a.import_id, title: a.imports.title, hypothesisIds: [] };
    if (of.hypothesisIds.length < MOST_HYPOTHESES) of.hypothesisIds.push(a.hypothesis_id);
    all.set(a.import_id, of);
  }
  return [...all.values()].sort((a, b) => a.title.localeCompare(b.title));
}

// KeywordOnly shows nothing without a model. What it says is loaded again when state changes, which names the
// states of the interviews. onStarted runs when analyses have begun.
/** @param {{ context: Context, state?: string, onStarted?: () => void }} props */
export const KeywordOnly = (props) =>
  config.usesModel &&
  html`
    <${Notice} ...${props} />
  `;

/** @param {{ context: Context, state?: string, onStarted?: () => void }} props */
function Notice({ context, state, onStarted }) {
  const [asking, setAsking] = useState(false);
  const loaded = useLoad((signal) => unread(context, signal), [context.id, context.hypotheses]);
  const before = useRef(state);
  useEffect(() => {
    if (state !== before.current) loaded.reload();
    before.current = state;
  }, [state]);
  const all = loaded.data ?? [];
  if (all.length === 0) return null;
  async function start() {
    try {
      await startAll(all);
    } finally {
      loaded.reload();
      onStarted?.();
    }
    setAsking(false);
  }
  return html`
    <p class="note">
      ${count(all.length, 'interview was', 'interviews were')} read by keyword only.${' '}
      ${
        context.canEdit &&
        html`
          <button class="link" onClick=${() => setAsking(true)}>Read with the AI model</button>
        `
      }
    </p>
    ${
      asking &&
      html`
        <${Dialog}
          title=${`Read ${count(all.length, 'interview')} with the AI model?`}
          onClose=${() => setAsking(false)}
        >
          <${Form} send=${start} submit="Read" onCancel=${() => setAsking(false)}>
            <p dir="auto">
              ${names(
                all.map(({ title }) => title),
                8,
              )}
            </p>
            <p>
              The model reads the transcripts for the hypotheses for which only keywords were matched. Quotes
              that a person added, accepted, rejected or edited stay. Other keyword matches give way to what
              the model finds.
            </p>
            <${Estimate} requests=${all.map(({ id, hypothesisIds }) => ({ id, hypothesisIds }))} />
          <//>
        <//>
      `
    }
  `;
}
