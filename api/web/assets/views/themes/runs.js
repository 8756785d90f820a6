// The runs that propose themes: they are started, followed and cancelled.
import { useRef, useState } from '../../page/html.js';
import { call, one } from '../../client/api.js';
import { usePoll } from '../../page/load.js';
import { problem, say } from '../../page/messages.js';
import { count, number } from '../../page/words.js';
import { reasons } from '../interview/failure.js';
import { newId } from '../shared/ids.js';
import { waits } from '../shared/interviewwords.js';

const WATCH_MS = 2000; // while a run reads, without a stream of events
const IDLE_MS = 60_000; // shows runs that others start, without it

const columns =
  'id,status,waiting_reason,progress_done,progress_total,imports_total,coverage,proposed_count,' +
  'quotes_count,unused_count,rejected_count,model,error_code,error_message,created_at,finished_at';

/** @param {ThemeRun | null | undefined} run */
export const isOpen = (run) => run?.status === 'queued' || run?.status === 'reading';

// useRun follows the latest run of a project: undefined until it is loaded, and null if there was none. onEnd
// runs when one ends.
/** @param {string} project @param {() => void} onEnd */
export function useRun(project, onEnd) {
  const [run, setRun] = useState(/** @type {ThemeRun | null | undefined} */ (undefined));
  const seen = useRef(/** @type {ThemeRun | null | undefined} */ (undefined));
  const [nudge, setNudge] = useState(0);
  const [cancelling, setCancelling] = useState(false);
  usePoll(
    async (signal) => {
      const now = await one(
        'theme_runs',
        { project_id: `eq.${project}`, select: columns, order: 'created_at.desc,id' },
        { signal },
      );
      const was = seen.current;
      seen.current = now;
      setRun(now);
      // A short run has ended before it is seen.
      if (now && was !== undefined && !isOpen(now) && (isOpen(was) || was?.id !== now.id)) {
        say(outcomeOf(now));
        onEnd();
      }
      if (!isOpen(now)) setCancelling(false);
      return now;
    },
    (now) => (isOpen(now) ? WATCH_MS : IDLE_MS),
    [project, nudge],
    {
      path: '/api/events',
      about: ({ type, data }) => type.startsWith('theme_run.') && data.data.projectId === project,
    },
  );
  const look = () => setNudge((n) => n + 1);
  return {
    run,
    cancelling,
    async start() {
      await call(`/api/project/${project}/themes/propose`, {
        method: 'POST',
        json: {},
        headers: { 'Idempotency-Key': newId() },
      });
      look();
    },
    async cancel() {
      setCancelling(true);
      try {
        await call(`/api/project/${project}/themes/cancel`, { method: 'POST' });
      } catch (error) {
        setCancelling(false);
        problem(error);
      }
      look();
    },
  };
}

// estimateOf returns what a run is expected to take.
/** @param {string} project @param {AbortSignal} signal @returns {Promise<ThemesEstimate>} */
export const estimateOf = async (project, signal) =>
  (await call(`/api/project/${project}/themes/estimate`, { method: 'POST', json: {}, signal })).body;

// progressOf says how far a run is, and what it waits for.
/** @param {ThemeRun} run @param {boolean} cancelling */
export function progressOf({ status, waiting_reason: waiting, progress_done, progress_total }, cancelling) {
  if (cancelling) return 'Cancelling…';
  const why = waits[waiting ?? ''];
  if (why) return `${why[0].toUpperCase()}${why.slice(1)}.`;
  if (status === 'queued') return 'Waiting for a free worker.';
  if (progress_total === 0) return 'Reading what no hypothesis is about.';
  const parts = progress_total - 1; // the last step is the grouping
  return progress_done < parts
    ? `${number(progress_done)} of ${count(parts, 'part')} read.`
    : 'Grouping what was found.';
}

/** @type {Record<string, string>} */
const ended = {
  ...reasons,
  model_refused: 'The AI model declined to read these interviews.',
  token_limit:
    'It would need more tokens than one run may use, or than are left today. Try again tomorrow, or ask ' +
    'the operator.',
  canceled: 'It was cancelled. What was read is not paid for again.',
  timed_out: 'It took longer than the operator allows. Try again. What was read is not paid for again.',
  terminated: 'An operator stopped it. Try again.',
  internal: 'Something went wrong in this service. Try again. If it happens again, tell the operator.',
};

// outcomeOf says what a run found, or why it found nothing.
/** @param {ThemeRun} run */
export function outcomeOf(run) {
  if (run.status !== 'done')
    return ended[run.error_code ?? ''] ?? (run.error_message || ended[run.status] || ended.internal);
  const found = [
    run.proposed_count === 0
      ? 'No themes were found'
      : `${count(run.proposed_count, 'theme')} with ${count(run.quotes_count - run.unused_count, 'quote')}`,
    run.unused_count > 0 && `${count(run.unused_count, 'quote')} not grouped`,
    run.rejected_count > 0 && `${count(run.rejected_count, 'quote')} left out, not proven`,
  ];
  return `${found.filter(Boolean).join('; ')}.`;
}
