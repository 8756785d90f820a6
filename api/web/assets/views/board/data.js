// The data of a board.
import { useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { list } from '../../client/api.js';
import { asJudged, moment } from '../judging/unsaved.js';
import { useLoad, usePoll } from '../../page/load.js';
import { balances, interviewers, noBalance, people as loadPeople } from '../../client/people.js';
import { evidenceColumns, linkColumns } from '../shared/evidencecolumns.js';
import { startAll } from '../interview/starting.js';
import { running } from '../shared/interviewwords.js';
import { answerColumns } from '../shared/readings.js';

const WATCH_MS = 2000; // while an interview is being analysed, without a stream of events
const IDLE_MS = 20_000; // shows interviews that other members upload

/** @type {Quote[]} */
const none = [];

// useRows loads the evidence and the answers for one hypothesis. What interviewers say is no evidence, so
// their quotes are not among the rows, but in asked.
/** @param {string} hypothesisId @param {string} projectId @returns {Loaded<BoardRows>} */
function useRows(hypothesisId, projectId) {
  return useLoad(
    async (signal) => {
      const since = moment();
      const of = { hypothesis_id: `eq.${hypothesisId}` };
      const [links, answers, asks] = await Promise.all([
        list(
          'evidence_hypotheses',
          {
            ...of,
            select: `${linkColumns},evidence!inner(${evidenceColumns})`,
            order: 'evidence_id',
          },
          { signal },
        ),
        list(
          'import_hypotheses',
          { ...of, select: `import_id,${answerColumns}`, order: 'import_id' },
          { signal },
        ),
        interviewers(projectId, signal),
      ]);
      const all = links.map(({ evidence, ...link }) =>
        asJudged({ ...evidence, ...link, hypothesis_id: hypothesisId }, hypothesisId, since),
      );
      return { hypothesisId, rows: all.filter((e) => !asks(e)), asked: all.filter(asks), answers };
    },
    [hypothesisId],
  );
}

// useImports follows the interviews of a project: all is undefined until they are loaded, and lost reports
// whether the last request failed. look asks at once.
/** @param {string} projectId */
function useImports(projectId) {
  const [all, setAll] = useState(/** @type {BoardImport[] | undefined} */ (undefined));
  const [nudge, setNudge] = useState(0);
  const lost = usePoll(
    async (signal) => {
      const rows = await list(
        'imports',
        {
          project_id: `eq.${projectId}`,
          select:
            'id,title,language,persona_id,status,progress_done,progress_total,started_at,created_at,' +
            'finished_at,interviewed_on',
          order: 'created_at,id',
        },
        { signal },
      );
      setAll(rows);
      return rows;
    },
    (rows) => (rows.some((i) => running(i.status)) ? WATCH_MS : IDLE_MS),
    [projectId, nudge],
    {
      path: '/api/events',
      about: (event) => event.type.startsWith('import.') && event.data.data.projectId === projectId,
    },
  );
  const of = useMemo(() => /** @type {BoardImports} */ (new Map((all ?? []).map((i) => [i.id, i]))), [all]);
  return { all, of, lost, look: () => setNudge((n) => n + 1) };
}

// useReadings runs onProgress when more of an interview was read, and onEnd when an analysis begins or ends.
/** @param {BoardImport[] | undefined} imports @param {() => void} onProgress @param {() => void} onEnd */
function useReadings(imports, onProgress, onEnd) {
  const state = imports?.map((i) => `${i.status} ${i.finished_at}`).join();
  const progress = imports?.map((i) => i.progress_done).join();
  const before = useRef(/** @type {string | undefined} */ (undefined));
  useEffect(() => {
    if (before.current !== undefined) {
      if (state !== before.current) onEnd();
      onProgress();
    }
    before.current = state;
  }, [state, progress]);
}

// useBoard loads the board of a hypothesis: its data, undefined until it is loaded, its rows with the names
// of their speakers, the interviews, the people, and the numbers of quotes of all hypotheses. begun reports
// whether all parts were there, which appear together, so that nothing jumps.
/** @param {Context} context @param {Hypothesis} hypothesis */
export function useBoard(context, hypothesis) {
  const { hypotheses } = context;
  const totals = useLoad((signal) => balances(context.id, signal), [context.id]);
  const people = useLoad((signal) => loadPeople(context.id, hypotheses, signal), [context.id, hypotheses]);
  const imports = useImports(context.id);
  const loaded = useRows(hypothesis.id, context.id);
  // Until the board of another hypothesis is loaded, there is still the data of the one before.
  const data = loaded.data?.hypothesisId === hypothesis.id ? loaded.data : undefined;
  const begun = useRef(false);
  begun.current ||= Boolean(
    (data || loaded.error) &&
    (imports.all || imports.lost) &&
    !totals.loading &&
    (people.data || people.error),
  );
  const nameOf = people.data?.nameOf;
  const rows = useMemo(
    () =>
      (data?.rows ?? none).map((row) =>
        nameOf && nameOf(row) !== row.speaker ? { ...row, speaker: nameOf(row) } : row,
      ),
    [data?.rows, nameOf],
  );
  // By id, since rows have the name of the speaker instead of the label.
  const speaking = people.data?.personOf;
  const personOf = useMemo(() => {
    const byId = new Map((data?.rows ?? none).map((row) => [row.id, speaking?.(row)]));
    return (/** @type {Quote} */ row) => byId.get(row.id);
  }, [data?.rows, speaking]);
  const reloadSums = () => {
    totals.reload();
    people.reload();
  };
  // The answers and the evidence; quotes appear as an interview is read.
  useReadings(imports.all, loaded.reload, reloadSums);
  return {
    data,
    rows,
    nameOf,
    imports,
    begun: begun.current,
    people: people.data?.of,
    personOf,
    totals: totals.data,
    error: loaded.error,
    reload: loaded.reload,
    reloadSums,
    // start begins the analysis of interviews for the hypothesis.
    /** @param {InterviewName[]} interviews */
    async start(interviews) {
      try {
        await startAll(interviews.map(({ id }) => ({ id, hypothesisIds: [hypothesis.id] })));
      } finally {
        loaded.reload();
        imports.look();
      }
    },
    // change changes the rows, unless those of another hypothesis are loaded by then.
    /** @param {(rows: Quote[]) => Quote[]} next */
    change: (next) =>
      loaded.set((d) => (d.hypothesisId === hypothesis.id ? { ...d, rows: next(d.rows) } : d)),
  };
}

// balanceOf counts quotes as hypothesis_balances does.
/** @param {Quote[]} rows @returns {Balance} */
export function balanceOf(rows) {
  const balance = { ...noBalance };
  for (const { review, stance, in_progress: reading } of rows) {
    if (reading) continue;
    balance[review]++;
    if (review !== 'rejected') balance[stance]++;
  }
  return balance;
}

const calendar = new Intl.DateTimeFormat('sv'); // writes 2031-04-12

// dayOf returns the day of an interview, and whether it is known: otherwise it is the day of the upload.
/** @param {BoardImport | undefined} i @param {string} made when the quote was added, if by hand */
const dayOf = (i, made) => ({
  at: i?.interviewed_on ?? calendar.format(new Date(i?.created_at ?? made)),
  known: !!i?.interviewed_on,
});

// stepsOf counts the quotes for and against of each interview, in chronological order.
/** @param {Quote[]} rows @param {BoardImports} importOf @returns {Step[]} */
export function stepsOf(rows, importOf) {
  const of = /** @type {Map<string, Step>} */ (new Map());
  for (const row of rows) {
    if (row.review === 'rejected') continue;
    const i = importOf.get(row.import_id);
    const day = dayOf(i, row.created_at);
    const key = row.import_id ?? day.at;
    const step = of.get(key) ?? {
      ...day,
      title: i?.title ?? 'Added by hand',
      supports: 0,
      contradicts: 0,
    };
    if (row.stance !== 'neutral') step[row.stance]++;
    of.set(key, step);
  }
  return [...of.values()].sort((a, b) => a.at.localeCompare(b.at));
}
