// The data behind an answer: it is followed while it arrives, asked again, changed and deleted.
import { useRef, useState } from '../../page/html.js';
import { update } from '../../client/api.js';
import { askAgain, cancelAnswer, readAnswer } from './requests.js';
import { asError, statusOf } from '../../client/http.js';
import { usePoll } from '../../page/load.js';
import { problem, say } from '../../page/messages.js';
import { outcomeOf, running, usable } from './words.js';

const WATCH_MS = 1000; // while it is answered, without a stream of events

// useAnswer follows an answer: undefined until it is there, and null if there is none that the user may see.
/** @param {string} id */
export function useAnswer(id) {
  const [answer, setAnswer] = useState(/** @type {AskedAnswer | null | undefined} */ (undefined));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const [nudge, setNudge] = useState(0);
  const [cancelling, setCancelling] = useState(false);
  const was = useRef(false); // whether it was being answered when it was last read

  /** @param {AbortSignal} signal */
  async function read(signal) {
    try {
      const now = await readAnswer(id, { signal });
      setAnswer(now);
      setError(null);
      const is = running(now.status);
      if (was.current && !is) {
        say(`The question: ${outcomeOf(now)}.`);
        setCancelling(false);
      }
      was.current = is;
      return now;
    } catch (e) {
      if (statusOf(e) === 404) {
        setAnswer(null);
        return null;
      }
      if (!signal.aborted) setError(asError(e));
      throw e;
    }
  }
  const lost = usePoll(read, (now) => (now && running(now.status) ? WATCH_MS : 0), [id, nudge], {
    path: `/api/answer/${id}/events`,
    about: (event) => event.type.startsWith('answer.'),
  });
  const reload = () => setNudge((n) => n + 1);

  /** @param {Partial<AskedAnswer>} values */
  const show = (values) => setAnswer((now) => now && { ...now, ...values });

  /** @param {AnswerMode} wanted */
  async function again(wanted) {
    const mode = usable(wanted);
    try {
      const { status } = await askAgain(id, mode);
      was.current = true;
      show({ status, mode, result: null, errorCode: null, waitingReason: null, staleSince: null });
      reload();
    } catch (e) {
      problem(e);
    }
  }
  async function stop() {
    setCancelling(true);
    try {
      await cancelAnswer(id);
    } catch (e) {
      setCancelling(false);
      problem(e);
    }
    reload();
  }
  /** @param {Pick<AskedAnswer, 'title'> | Pick<AskedAnswer, 'kept'>} values */
  async function change(values) {
    await update('answers', { id: `eq.${id}` }, values, 'id');
    show(values);
  }
  return { answer, error, lost, cancelling, reload, again, stop, change };
}
