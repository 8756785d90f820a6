// Starts the analysis of interviews.
import { parse } from '../../client/api.js';
import { asError, retryAfter, sentence, statusOf } from '../../client/http.js';
import { say, toast } from '../../page/messages.js';
import { count, number } from '../../page/words.js';

const PATIENCE_S = 10; // a server that is busy for longer is left alone
const ATTEMPTS = 3;

/** @param {unknown} error */
const isBusy = (error) => statusOf(error) === 429 || statusOf(error) === 503;

// begin starts one analysis, again where the server is busy for a moment.
/** @param {AnalysisRequest} request @param {boolean} [refresh] */
async function begin({ id, hypothesisIds }, refresh) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await parse(id, hypothesisIds, refresh);
    } catch (error) {
      const seconds = retryAfter(error);
      if (!isBusy(error) || seconds === 0 || seconds > PATIENCE_S || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
}

// startAll starts analyses one after the other, and says how many. Once the queue is full it asks no further.
// It fails if none could be started.
/** @param {AnalysisRequest[]} requests @param {boolean} [refresh] */
export async function startAll(requests, refresh) {
  let started = 0;
  /** @type {Error | null} */
  let failed = null;
  for (const request of requests) {
    try {
      await begin(request, refresh);
      started++;
    } catch (error) {
      failed ??= asError(error);
      if (isBusy(error)) break;
    }
  }
  if (!failed) say(`Finding evidence in ${count(started, 'interview')}.`);
  else if (started === 0) throw failed;
  else
    toast(
      `Started ${number(started)} of ${count(requests.length, 'analysis', 'analyses')}. ${sentence(failed)}`,
      {
        bad: true,
      },
    );
}
