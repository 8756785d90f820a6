// The data behind the list of interviews: its rows, and the analyses that the list starts and cancels.
import { useCallback, useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { cancel, list } from '../../client/api.js';
import { asError } from '../../client/http.js';
import { useLoad, usePoll } from '../../page/load.js';
import { speakers } from '../../client/people.js';
import { useStore } from '../../page/store.js';
import { imported } from '../upload/files.js';
import { interviewStatus, running } from '../shared/interviewwords.js';
import { problem, say, toast } from '../../page/messages.js';
import { restored } from './deleted.js';
import { interviewColumns, nameIn, overviews, overviewsOf } from './facts.js';
import { startAll } from './starting.js';

const WATCH_MS = 1000; // while an analysis runs
const IDLE_MS = 20_000; // shows the changes of other members

// useRows follows the interviews of a project. again asks for them at once, and change shows other rows in
// the place of one.
/** @param {Context} context */
function useRows(context) {
  const [rows, setRows] = useState(/** @type {Interview[] | null} */ (null));
  const [overview, setOverview] = useState(overviews);
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const [nudge, setNudge] = useState(0);
  const before = useRef(/** @type {Map<string, InterviewStatus>} */ (new Map()));
  const again = useCallback(() => setNudge((n) => n + 1), []);

  /** @param {AbortSignal} signal */
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
      setError(asError(e));
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
  /** @param {Interview} row @param {Interview[]} now */
  function change(row, now) {
    setRows((all) => all && all.flatMap((one) => (one.id === row.id ? now : [one])));
    again(); // an answer that is under way may have the row as it was before
  }
  return { rows, overview, error, lost, again, change };
}

// useInterviews returns the interviews of a project, and the names of their speakers.
/** @param {Context} context */
export function useInterviews(context) {
  const all = useRows(context);
  const arrived = useStore(imported) + useStore(restored);
  const voices = useLoad((signal) => speakers({ project_id: `eq.${context.id}` }, signal), [context.id]);
  const nameOf = useMemo(() => nameIn(voices.data), [voices.data]);
  useEffect(() => {
    if (arrived === 0) return;
    all.again();
    voices.reload();
  }, [arrived]);
  return { ...all, nameOf, reloadNames: voices.reload };
}

// useAnalyses starts and cancels analyses. stopping has the ids of the interviews whose analysis is being
// cancelled. again runs when an interview has another state.
/** @param {() => void} again */
export function useAnalyses(again) {
  const [stopping, setStopping] = useState(/** @type {Set<string>} */ (new Set()));
  /** @param {Interview[]} rows */
  const forget = (rows) =>
    setStopping((now) => new Set([...now].filter((id) => !rows.some((row) => row.id === id))));
  /** @param {Interview[]} rows @param {string[]} hypothesisIds @param {boolean} [refresh] */
  async function start(rows, hypothesisIds, refresh) {
    forget(rows);
    try {
      await startAll(
        rows.map(({ id }) => ({ id, hypothesisIds })),
        refresh,
      );
    } finally {
      again();
    }
  }
  /** @param {Interview} row */
  async function stop(row) {
    setStopping((now) => new Set(now).add(row.id));
    try {
      await cancel(row.id);
      toast(`Cancelling “${row.title}”.`);
    } catch (e) {
      problem(e);
      forget([row]);
    }
    again();
  }
  return { stopping, start, stop };
}
