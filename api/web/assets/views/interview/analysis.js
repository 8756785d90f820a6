// The analysis of an interview: starting it, following it and cancelling it.
import { useRef, useState } from '../../page/html.js';
import { cancel, mirror, one, parse } from '../../client/api.js';
import { usePoll } from '../../page/load.js';
import { problem, say, toast } from '../../page/messages.js';
import { atLeast } from '../../page/words.js';
import { interviewSentence, running, startable } from '../shared/interviewwords.js';
import { interviewColumns } from './facts.js';

// useAnalysis follows the row of an interview, which initial is at first. onProgress runs when there may be
// new evidence: with whole at the first progress, when speakers in doubt have been decided about, and at the
// end, since others may have said meanwhile who speaks.
/** @param {Context} context @param {Interview} initial @param {(whole: boolean) => void} onProgress */
export function useAnalysis(context, initial, onProgress) {
  const { id } = initial;
  const [row, setRow] = useState(initial);
  const [workflowUrl, setWorkflowUrl] = useState(/** @type {string | null} */ (null));
  const [nudge, setNudge] = useState(0);
  const [cancelling, setCancelling] = useState(false);
  const last = useRef(initial);

  /** @param {AbortSignal} signal */
  async function ask(signal) {
    const now = await one(
      'imports',
      { id: `eq.${id}`, select: `project_id,${interviewColumns}` },
      { signal },
    );
    if (!now) return initial;
    setRow(now);
    if (now.workflow_id && atLeast(context.workspace.role, 'admin'))
      setWorkflowUrl((await mirror(id, { signal })).workflowUrl ?? null);
    // A short analysis may have begun and ended since the last call.
    const before = last.current;
    const ended = running(before.status) || now.finished_at !== before.finished_at;
    if (ended && !running(now.status)) {
      say(`${now.title}: ${interviewSentence[now.status]}`);
      setCancelling(false);
      onProgress(true);
    } else if (running(now.status) && now.progress_done !== before.progress_done) {
      onProgress(before.progress_done === 0); // quotes appear as the interview is read
    }
    last.current = now;
    return now;
  }
  const lost = usePoll(
    ask,
    (now) => (running(now.status) ? 1000 : startable(now.status) ? 20_000 : 0),
    [id, nudge],
    { path: `/api/import/${id}/events`, about: (event) => event.type.startsWith('import.') },
  );

  /** @type {StartAnalysis} */
  const start = async (hypothesisIds, refresh) => {
    await parse(id, hypothesisIds, refresh);
    /** @param {Interview} r @returns {Interview} */
    const queued = (r) => ({
      ...r,
      status: 'queued',
      progress_done: 0,
      progress_total: 0,
      waiting_reason: 'worker',
    });
    last.current = queued(last.current);
    setRow(queued);
    setNudge((n) => n + 1);
  };
  /** @param {Partial<Interview>} values */
  function edited(values) {
    setRow((r) => ({ ...r, ...values }));
    setNudge((n) => n + 1); // an answer that is under way may have the row as it was before
  }
  async function stop() {
    setCancelling(true);
    try {
      await cancel(id);
      toast('Cancelling.');
    } catch (e) {
      setCancelling(false);
      problem(e);
    }
    setNudge((n) => n + 1);
  }
  return { row, edited, workflowUrl, lost, cancelling, start, stop };
}
