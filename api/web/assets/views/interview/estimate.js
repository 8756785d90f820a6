// What an analysis is expected to cost.
import { html, useEffect, useState } from '../../page/html.js';
import { estimate } from '../../client/api.js';
import { codeOf } from '../../client/http.js';
import { cost } from '../shared/interviewwords.js';

const AFTER_MS = 300; // so that a choice of several hypotheses asks once
const MOST = 10; // interviews that are asked about; the others are taken to be like them

// estimateOf adds the estimates of several interviews, or returns null where the server has none. An
// interview in which nothing is missing costs nothing.
/**
 * @param {AnalysisRequest[]} requests
 * @param {boolean} refresh
 * @param {AbortSignal} signal
 */
async function estimateOf(requests, refresh, signal) {
  const sum = { calls: 0, tokens: 0, amount: 0, currency: '' };
  const asked = requests.slice(0, MOST);
  for (const { id, hypothesisIds } of asked) {
    try {
      const one = await estimate(id, hypothesisIds, { refresh, signal });
      sum.calls += one.calls;
      sum.tokens += one.tokens;
      sum.amount += one.cost?.amount ?? 0;
      sum.currency = one.cost?.currency ?? sum.currency;
    } catch (error) {
      if (codeOf(error) !== 'import_already_parsed') return null;
    }
  }
  const times = requests.length / asked.length;
  return {
    ...sum,
    calls: Math.ceil(sum.calls * times),
    tokens: sum.tokens * times,
    amount: sum.amount * times,
  };
}

// Estimate says what the analysis of interviews for hypotheses is expected to cost. It shows nothing where
// the server has no estimates.
/** @param {{ requests: AnalysisRequest[], refresh?: boolean }} props */
export function Estimate({ requests, refresh = false }) {
  const [found, setFound] = useState(/** @type {Parameters<typeof cost>[0] | null} */ (null));
  useEffect(() => {
    setFound(null);
    if (requests.every(({ hypothesisIds }) => hypothesisIds.length === 0)) return undefined;
    const control = new AbortController();
    const timer = setTimeout(
      () =>
        estimateOf(requests, refresh, control.signal).then(
          (sum) => !control.signal.aborted && setFound(sum),
          () => {}, // aborted
        ),
      AFTER_MS,
    );
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [JSON.stringify(requests), refresh]);
  return html`
    <p class="faint estimate" role="status">${found && cost(found)}</p>
  `;
}
