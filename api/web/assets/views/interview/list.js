// The interviews of a project: uploads and the progress of their analysis.
import { html, useCallback, useMemo, useRef, useState } from '../../page/html.js';
import { Windowed } from '../shared/windowed.js';
import { count, number } from '../../page/words.js';
import { Empty, Loading, Problem, Title } from '../../page/ui.js';
import { Analyse } from './analyse.js';
import { ChooseHypotheses } from './choosehypotheses.js';
import { RecentlyDeleted } from './deleted.js';
import { KeywordOnly } from './keywordonly.js';
import { useAnalyses, useInterviews } from './listdata.js';
import { useFind } from './listfilter.js';
import { Row } from './listrow.js';
import { Several, useChosen } from './several.js';
import { DropZone } from '../upload/dropzone.js';
import { Uploads } from '../upload/upload.js';

// statesOf changes when an analysis begins or ends.
/** @param {Interview[]} rows */
const statesOf = (rows) => rows.map((row) => `${row.id} ${row.status}`).join();

const ROW_PX = 72; // the height of most interviews in the list

/** @param {{ context: Context, query: URLSearchParams }} props */
export function Interviews({ context, query }) {
  const { rows, overview, error, lost, again, change, nameOf, reloadNames } = useInterviews(context);
  const { stopping, start, stop } = useAnalyses(again);
  const [importing, setImporting] = useState(true); // whether the dialog of uploads is open
  const [choosing, setChoosing] = useState(/** @type {Interview[] | null} */ (null)); // what to analyse
  const peopleOf = useCallback(
    (/** @type {string} */ id) => (overview.get(id)?.speakers ?? []).map((label) => nameOf(id, label)),
    [overview, nameOf],
  );
  const { shown, controls } = useFind(context, query, rows, peopleOf);
  const chosen = useChosen(shown);
  const several = context.canEdit && rows && rows.length > 1;
  /** @param {Interview} row */
  const item = (row) => html`
    <${Row}
      context=${context}
      row=${row}
      overview=${overview.get(row.id)}
      nameOf=${nameOf}
      cancelling=${stopping.has(row.id)}
      chosen=${several ? chosen.has(row.id) : null}
      onToggle=${(/** @type {boolean} */ through) => chosen.toggle(row.id, through)}
      onStop=${() => stop(row)}
      onChoose=${() => setChoosing([row])}
      onAnalyse=${(/** @type {string[]} */ ids, /** @type {boolean} */ refresh) => start([row], ids, refresh)}
      onSpeakers=${reloadNames}
      onRedacted=${() => {
        reloadNames();
        again();
      }}
      onChange=${(/** @type {Interview[]} */ now) => change(row, now)}
    />
  `;
  return html`
    <main id="main" class="page">
      <${Heading} context=${context} rows=${rows} onChoose=${setChoosing} />
      ${
        context.canEdit &&
        html`
          <${DropZone} context=${context} compact=${rows?.length !== 0} onAdded=${() => setImporting(true)} />
        `
      }
      ${
        lost &&
        rows &&
        html`
          <p class="lost" role="status">
            The connection is lost. Running analyses continue. This list is updated as soon as the server
            answers again.
          </p>
        `
      }
      <${Uploads} context=${context} open=${importing} setOpen=${setImporting} />
      ${
        !rows &&
        (error
          ? html`
              <${Problem} error=${error} retry=${again} />
            `
          : html`
              <${Loading} />
            `)
      }
      ${
        rows?.length === 0 &&
        html`
          <${NoInterviews} canEdit=${context.canEdit} />
        `
      }
      ${
        rows &&
        html`
          <${KeywordOnly} context=${context} state=${statesOf(rows)} onStarted=${again} />
        `
      }
      ${controls}
      ${
        several &&
        html`
          <${Several}
            context=${context}
            shown=${shown}
            chosen=${chosen}
            onAnalyse=${start}
            onChanged=${again}
          />
        `
      }
      ${
        rows &&
        rows.length > 0 &&
        html`
          <${Rows} shown=${shown} item=${item} />
        `
      }
      ${
        rows &&
        context.canEdit &&
        html`
          <${RecentlyDeleted} key=${context.id} context=${context} state=${rows.map(({ id }) => id).join()} />
        `
      }
      ${
        choosing &&
        html`
          <${Choose}
            context=${context}
            rows=${choosing}
            onStart=${(/** @type {string[]} */ ids, /** @type {boolean} */ refresh) =>
              start(choosing, ids, refresh)}
            onClose=${() => setChoosing(null)}
          />
        `
      }
    </main>
  `;
}

// Choose asks for which hypotheses to analyse one interview, or several.
/** @param {{ context: Context, rows: Interview[], onStart: StartAnalysis, onClose: () => void }} props */
const Choose = ({ context, rows, onStart, onClose }) =>
  rows.length === 1
    ? html`
        <${Analyse} context=${context} row=${rows[0]} onStart=${onStart} onClose=${onClose} />
      `
    : html`
        <${ChooseHypotheses}
          context=${context}
          title=${count(rows.length, 'interview')}
          ids=${rows.map((row) => row.id)}
          submit="Find evidence"
          onStart=${onStart}
          onClose=${onClose}
        />
      `;

/** @param {{ context: Context, rows: Interview[] | null, onChoose: (rows: Interview[]) => void }} props */
function Heading({ context, rows, onChoose }) {
  const ready = rows?.filter((row) => row.status === 'uploaded') ?? [];
  return html`
    <header class="head">
      <${Title}>Interviews<//>
      ${
        rows &&
        rows.length > 0 &&
        html`
          <p class="faint">${count(rows.length, 'interview')}</p>
        `
      }
      ${
        context.canEdit &&
        ready.length > 0 &&
        html`
          <button class="primary" onClick=${() => onChoose(ready)}>
            ${ready.length === 1 ? 'Find evidence' : `Find evidence in ${number(ready.length)}`}
          </button>
        `
      }
    </header>
  `;
}

/** @param {{ canEdit: boolean }} props */
const NoInterviews = ({ canEdit }) => html`
  <${Empty} title="No interviews yet">
    <p>
      ${
        canEdit
          ? 'Drop the transcript of an interview above. Its format, speakers and times are detected.'
          : 'An editor of this workspace can upload transcripts.'
      }
    </p>
    <p>
      Then ${canEdit ? 'choose hypotheses, and see' : 'you see'} which quotes support or contradict them, each
      at its place in the transcript.
    </p>
  <//>
`;

// Rows shows the interviews that the user looks for.
/** @param {{ shown: Interview[], item: (row: Interview) => Children }} props */
function Rows({ shown, item }) {
  /** @type {Ref<WindowedControl | null>} */
  const control = useRef(null);
  const ids = useMemo(() => shown.map(({ id }) => id), [shown]);
  const byId = new Map(shown.map((row) => [row.id, row]));
  return html`
    ${
      shown.length === 0 &&
      html`
        <p class="faint">No interview matches.</p>
      `
    }
    <${Windowed}
      class="imports"
      ids=${ids}
      estimate=${() => ROW_PX}
      control=${control}
      rowClass=${(/** @type {string} */ id) => byId.get(id)?.status}
      row=${(/** @type {string} */ id) => {
        const row = byId.get(id);
        return row && item(row);
      }}
    />
  `;
}
