// An interview: its analysis, its evidence, and the transcript with the quotes marked.
import { html, useState } from '../../page/html.js';
import { one } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { go } from '../../page/router.js';
import { Loading, Problem, Waiting } from '../../page/ui.js';
import { Analyse } from './analyse.js';
import { interviewColumns, nameIn, overviews } from './facts.js';
import { useInterview } from './data.js';
import { Head } from './head.js';
import { Manage } from './manage.js';
import { useCorrecting } from './correcting.js';
import { Redact } from './redacting.js';
import { Reading } from './reading.js';
import { Speakers } from './speakers.js';
import { Rereading, Uncertain } from '../reading/rereading.js';
import { running } from '../shared/interviewwords.js';
import { useContextOf } from '../frame/project.js';
import { NotFound } from '../frame/notfound.js';

/** @type {Answer[]} */
const noAnswers = [];
/** @type {Utterance[]} */
const noTurns = [];
/** @type {Voice[]} */
const noVoices = [];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @param {{ id: string, query: URLSearchParams }} props */
export function Import({ id, query }) {
  const first = useLoad(
    (signal) =>
      uuid.test(id)
        ? one('imports', { id: `eq.${id}`, select: `project_id,${interviewColumns}` }, { signal })
        : null,
    [id],
  );
  if (first.error)
    return html`
      <main class="alone"><${Problem} error=${first.error} retry=${first.reload} /></main>
    `;
  if (first.data === undefined)
    return html`
      <main class="alone"><${Loading} /></main>
    `;
  if (first.data === null)
    return html`
      <${NotFound} what="interview" />
    `;
  return html`
    <${Read} key=${id} initial=${first.data} query=${query} />
  `;
}

/** @param {{ initial: Interview, query: URLSearchParams }} props */
function Read({ initial, query }) {
  const { found, context, error, reload } = useContextOf(initial.project_id);
  if (!found)
    return html`
      <${NotFound} what="interview" />
    `;
  if (!context)
    return html`
      <main class="alone">
        ${
          error
            ? html`
                <${Problem} error=${error} retry=${reload} />
              `
            : html`
                <${Loading} />
              `
        }
      </main>
    `;
  return html`
    <${Interview} context=${context} initial=${initial} query=${query} />
  `;
}

/** @param {{ context: Context, initial: Interview, query: URLSearchParams }} props */
function Interview({ context, initial, query }) {
  const { id } = initial;
  const { row, edited, overview, text, speakers, found, craft, named, ...analysis } = useInterview(
    context,
    initial,
  );
  const { workflowUrl, lost, cancelling, start, stop } = analysis;
  const [dialog, setDialog] = useState(/** @type {Shown} */ (null));
  function readAgain() {
    overviews.delete(id);
    for (const loaded of [text, speakers, found, overview, craft]) loaded.reload();
  }
  // changed loads what a changed transcript changes, the state of the interview included.
  async function changed() {
    readAgain();
    const now = await one('imports', { id: `eq.${id}`, select: interviewColumns }).catch(() => null);
    if (now) edited(now);
  }
  const correcting = useCorrecting({
    id,
    utterances: text.data ?? noTurns,
    speakers: speakers.data ?? noVoices,
    isFree: context.canEdit && !running(row.status),
    onSaved: changed,
  });
  return html`
    <div class="interview">
      <main id="main" class="reading">
        <${Head}
          row=${row}
          answers=${found.data?.answers ?? noAnswers}
          overview=${overview.data?.get(id)}
          nameOf=${nameIn(speakers.data)}
          lost=${lost}
          workflowUrl=${workflowUrl}
          canEdit=${context.canEdit}
          mayAnalyse=${context.canEdit && !!found.data}
          cancelling=${cancelling}
          onStop=${stop}
          onParse=${() => setDialog('analyse')}
        >
          ${
            context.canEdit &&
            html`
              <${Manage}
                context=${context}
                row=${row}
                onSaved=${edited}
                onAnalyse=${start}
                onSpeakers=${readAgain}
                onRedacted=${changed}
                onDeleted=${() => go(`/projects/${context.id}/interviews`, { replace: true })}
              />
            `
          }
        <//>
        ${
          row.needs_look &&
          html`
            <${Uncertain}
              onAsk=${context.canEdit && !running(row.status) ? () => setDialog('reading') : null}
            />
          `
        }
        <${Waiting}
          for=${{
            data: named.utterances && named.evidence,
            error: text.error ?? found.error,
            reload() {
              text.reload();
              found.reload();
            },
          }}
          what="Loading the transcript"
        />
        ${
          found.data &&
          named.utterances &&
          named.evidence &&
          html`
            <${Reading}
              context=${context}
              row=${row}
              utterances=${named.utterances}
              evidence=${named.evidence}
              answers=${found.data.answers}
              found=${found}
              query=${query}
              correcting=${correcting}
              craft=${craft}
              nameOf=${nameIn(speakers.data)}
              onName=${context.canEdit ? () => setDialog('speakers') : null}
              onRedact=${(/** @type {string} */ redact) => setDialog({ redact })}
            />
          `
        }
        ${correcting.dialog}
        <${Dialogs}
          shown=${dialog}
          context=${context}
          row=${row}
          onStart=${start}
          onSpeakers=${readAgain}
          onRead=${(/** @type {boolean} */ needsLook) => {
            edited({ needs_look: needsLook });
            readAgain();
          }}
          onRedacted=${changed}
          onClose=${() => setDialog(null)}
        />
      </main>
    </div>
  `;
}

/** @typedef {'analyse' | 'reading' | 'speakers' | { redact: string } | null} Shown which dialog is shown */

// Dialogs is the dialog that is shown: for which hypotheses to analyse the interview, who speaks, who the
// speakers are, or where words are redacted.
/**
 * @param {object} props
 * @param {Shown} props.shown
 * @param {Context} props.context
 * @param {Interview} props.row
 * @param {StartAnalysis} props.onStart
 * @param {() => void} props.onSpeakers
 * @param {(needsLook: boolean) => void} props.onRead
 * @param {() => void} props.onRedacted
 * @param {() => void} props.onClose
 */
function Dialogs({ shown, context, row, onStart, onSpeakers, onRead, onRedacted, onClose }) {
  switch (shown) {
    case null:
      return null;
    case 'analyse':
      return html`
        <${Analyse} context=${context} row=${row} onStart=${onStart} onClose=${onClose} />
      `;
    case 'reading':
      return html`
        <${Rereading} row=${row} onSaved=${onRead} onClose=${onClose} />
      `;
    case 'speakers':
      return html`
        <${Speakers} context=${context} row=${row} onSaved=${onSpeakers} onClose=${onClose} />
      `;
    default:
      return html`
        <${Redact} row=${row} words=${shown.redact} onSaved=${onRedacted} onClose=${onClose} />
      `;
  }
}
