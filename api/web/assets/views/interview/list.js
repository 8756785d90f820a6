// The interviews of a project: uploads and the progress of their analysis.
import { html, useCallback, useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { cancel, list } from '../../client/api.js';
import { useLoad, usePoll } from '../../page/load.js';
import { speakers } from '../../client/people.js';
import { useStore } from '../../page/store.js';
import { imported } from '../upload/files.js';
import { Windowed } from '../shared/windowed.js';
import { count, number } from '../../page/words.js';
import { interviewStatus, progress, running, startable } from '../shared/interviewwords.js';
import { Empty, Loading, Problem, Progress, Title } from '../../page/ui.js';
import { problem, say, toast } from '../../page/messages.js';
import {
  About,
  interviewColumns,
  nameIn,
  Outcome,
  overviews,
  overviewsOf,
  startAll,
  StatusTag,
} from './facts.js';
import { ChooseHypotheses } from './choosehypotheses.js';
import { Elapsed } from './estimate.js';
import { useFind } from './listfilter.js';
import { Manage } from './manage.js';
import { DropZone } from '../upload/dropzone.js';
import { Uploads } from '../upload/upload.js';

const WATCH_MS = 1000; // while an analysis runs
const IDLE_MS = 20_000; // shows the changes of other members
const ROW_PX = 72; // the height of most interviews in the list

const verb = (row) => (row.status === 'uploaded' ? 'Find evidence in' : 'Try again');

export function Interviews({ context, query }) {
  const control = useRef();
  const [rows, setRows] = useState(null);
  const [overview, setOverview] = useState(overviews);
  const [error, setError] = useState(null);
  const [importing, setImporting] = useState(true); // whether the dialog of uploads is open
  const [choosing, setChoosing] = useState(null); // the imports to parse
  const [nudge, setNudge] = useState(0);
  const [asked, setAsked] = useState(new Set()); // imports being cancelled
  const before = useRef(new Map());

  async function ask(signal) {
    try {
      const all = await list(
        'imports',
        { project_id: `eq.${context.id}`, select: interviewColumns, order: 'created_at.desc,id' },
        { signal },
      );
      if (all.some((row) => !overviews.has(row.id))) {
        // The rows come with what is said about them, so that they keep their height.
        const more = await overviewsOf(
          all.map((row) => row.id),
          signal,
        );
        setOverview(new Map(more));
      }
      setRows(all);
      setError(null);
      for (const row of all) {
        const was = before.current.get(row.id);
        if (was && running(was) && !running(row.status)) say(`${row.title}: ${interviewStatus[row.status]}.`);
        before.current.set(row.id, row.status);
      }
      return all;
    } catch (e) {
      setError(e);
      throw e;
    }
  }
  const lost = usePoll(
    ask,
    (all) => (all.some((row) => running(row.status)) ? WATCH_MS : IDLE_MS),
    [context.id, nudge],
    {
      path: '/api/events',
      about: (event) => event.type.startsWith('import.') && event.data.data.projectId === context.id,
    },
  );
  const arrived = useStore(imported);
  const voices = useLoad((signal) => speakers({ project_id: `eq.${context.id}` }, signal), [context.id]);
  const nameOf = useMemo(() => nameIn(voices.data), [voices.data]);
  useEffect(() => {
    if (arrived === 0) return;
    setNudge((n) => n + 1);
    voices.reload();
  }, [arrived]);

  async function start(imports, hypothesisIds, refresh) {
    try {
      await startAll(imports, hypothesisIds, refresh);
    } finally {
      setNudge((n) => n + 1);
    }
  }
  async function stop(row) {
    setAsked((now) => new Set(now).add(row.id));
    try {
      await cancel(row.id);
      toast(`Cancelling “${row.title}”.`);
    } catch (e) {
      problem(e);
      setAsked((now) => new Set([...now].filter((id) => id !== row.id)));
    }
    setNudge((n) => n + 1);
  }

  function change(row, now) {
    setRows((all) => all.flatMap((one) => (one.id === row.id ? now : [one])));
    setNudge((n) => n + 1); // an answer that is under way may have the row as it was before
  }

  const ready = rows?.filter((row) => row.status === 'uploaded') ?? [];
  const peopleOf = useCallback(
    (id) => (overview.get(id)?.speakers ?? []).map((label) => nameOf(id, label)),
    [overview, nameOf],
  );
  const { shown, controls } = useFind(context, query, rows, peopleOf);
  const ids = useMemo(() => shown.map(({ id }) => id), [shown]);
  const byId = new Map(shown.map((row) => [row.id, row]));
  const persona = new Map(context.personas.map((p) => [p.id, p.name]));
  const item = (row) => html`
    <div class="what">
      <a class="statement" href=${`/imports/${row.id}`} dir="auto">${row.title}</a>
      <${About} row=${row} overview=${overview.get(row.id)} nameOf=${nameOf} />
      ${
        row.persona_id &&
        html`
          <p class="meta"><span dir="auto">${persona.get(row.persona_id)}</span></p>
        `
      }
      <${Outcome} row=${row} />
    </div>
    <div class="state">
      ${
        running(row.status)
          ? html`
              <${Progress}
                done=${row.progress_done}
                total=${row.progress_total}
                label=${`Analysing ${row.title}`}
              />
              <span class="faint">
                ${progress(row, asked.has(row.id))}${' '}
                <${Elapsed} since=${row.started_at} />
              </span>
            `
          : html`
              <${StatusTag} row=${row} />
            `
      }
    </div>
    <div class="verdict">
      ${
        context.canEdit &&
        running(row.status) &&
        html`
          <button
            disabled=${asked.has(row.id)}
            aria-label=${`Cancel ${row.title}`}
            onClick=${() => stop(row)}
          >
            Cancel
          </button>
        `
      }
      ${
        context.canEdit &&
        startable(row.status) &&
        html`
          <button aria-label=${`${verb(row)}: ${row.title}`} onClick=${() => setChoosing([row])}>
            ${row.status === 'uploaded' ? 'Find evidence' : 'Try again'}
          </button>
        `
      }
      ${
        row.status === 'parsed' &&
        row.evidence_count > 0 &&
        html`
          <a
            class="button"
            href=${`/projects/${context.id}/evidence?import=${row.id}`}
            aria-label=${`Evidence in ${row.title}`}
          >
            Evidence
          </a>
        `
      }
      ${
        context.canEdit &&
        html`
          <${Manage}
            context=${context}
            row=${row}
            onSaved=${(saved) => change(row, [saved])}
            onSpeakers=${voices.reload}
            onAnalyse=${(ids, refresh) => {
              setAsked((now) => new Set([...now].filter((id) => id !== row.id)));
              return start([row], ids, refresh);
            }}
            onDeleted=${() => {
              change(row, []);
              // when the dialog is closed
              requestAnimationFrame(() => document.querySelector('main h1')?.focus());
            }}
          />
        `
      }
    </div>
  `;
  return html`
    <main id="main" class="page">
      <header class="head">
        <${Title}>Interviews<//>
        ${
          rows?.length > 0 &&
          html`
            <p class="faint">${count(rows.length, 'interview')}</p>
          `
        }
        ${
          context.canEdit &&
          ready.length > 0 &&
          html`
            <button class="primary" onClick=${() => setChoosing(ready)}>
              ${ready.length === 1 ? 'Find evidence' : `Find evidence in ${number(ready.length)}`}
            </button>
          `
        }
      </header>
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
              <${Problem} error=${error} retry=${() => setNudge((n) => n + 1)} />
            `
          : html`
              <${Loading} />
            `)
      }
      ${
        rows?.length === 0 &&
        html`
          <${Empty} title="No interviews yet">
            <p>
              Drop the transcript of an interview above. Its format, speakers and times are detected
              automatically.
            </p>
            <p>
              Then choose hypotheses, and see which quotes support or contradict them, each at its place in
              the transcript.
            </p>
          <//>
        `
      }
      ${controls}
      ${
        rows?.length > 0 &&
        html`
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
            rowClass=${(id) => byId.get(id).status}
            row=${(id) => item(byId.get(id))}
          />
        `
      }
      ${
        choosing &&
        html`
          <${ChooseHypotheses}
            context=${context}
            title=${choosing.length === 1 ? choosing[0].title : count(choosing.length, 'interview')}
            ids=${choosing.map((row) => row.id)}
            submit="Find evidence"
            onStart=${(ids) => {
              const chosen = choosing;
              setAsked((now) => new Set([...now].filter((id) => !chosen.some((row) => row.id === id))));
              return start(chosen, ids);
            }}
            onClose=${() => setChoosing(null)}
          />
        `
      }
    </main>
  `;
}
