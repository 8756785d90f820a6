// The data behind an answer: it is followed while it arrives, asked again, changed and deleted.
import { useRef, useState } from '../../page/html.js';
import { update } from '../../client/api.js';
import { askAgain, cancelAnswer, readAnswer } from './requests.js';
import { asError, statusOf } from '../../client/http.js';
import { speakers } from '../../client/people.js';
import { useLoad, usePoll } from '../../page/load.js';
import { problem, say } from '../../page/messages.js';
import { nameIn } from '../interview/facts.js';
import { outcomeOf, running, usable } from './words.js';

const WATCH_MS = 1000; // while it is answered, without a stream of events
const IDLE_MS = 20_000; // shows what others do with it, and that interviews changed

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
  const open = !answer || running(answer.status);
  /** @param {AskedAnswer | null} now */
  function wait(now) {
    if (now && running(now.status)) return WATCH_MS;
    return now && !open ? IDLE_MS : 0; // it begins again, without the stream, which has ended
  }
  const lost = usePoll(
    read,
    wait,
    [id, nudge, open],
    open
      ? { path: `/api/answer/${id}/events`, about: (event) => event.type.startsWith('answer.') }
      : undefined,
  );
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

// useNamed returns a function that returns an answer whose quotes have the names of people instead of the
// labels of the files.
/** @param {string} projectId */
export function useNamed(projectId) {
  const { data } = useLoad((signal) => speakers({ project_id: `eq.${projectId}` }, signal), [projectId]);
  const nameOf = nameIn(data);
  /** @param {AnswerQuote} q @returns {AnswerQuote} */
  const named = (q) => ({ ...q, speaker: nameOf(q.importId, q.speaker) });
  return (/** @type {AskedAnswer} */ answer) => ({
    ...answer,
    sentences: answer.sentences.map((s) => ({ ...s, quotes: s.quotes.map(named) })),
    passages: answer.passages.map(named),
  });
}
