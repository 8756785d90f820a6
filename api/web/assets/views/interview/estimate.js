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
 * @param {string[]} ids
 * @param {string[]} hypothesisIds
 * @param {boolean} refresh
 * @param {AbortSignal} signal
 */
async function estimateOf(ids, hypothesisIds, refresh, signal) {
  const sum = { calls: 0, tokens: 0, amount: 0, currency: '' };
  const asked = ids.slice(0, MOST);
  for (const id of asked) {
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
  const times = ids.length / asked.length;
  return {
    ...sum,
    calls: Math.ceil(sum.calls * times),
    tokens: sum.tokens * times,
    amount: sum.amount * times,
  };
}

// Estimate says what the analysis of interviews for hypotheses is expected to cost. It shows nothing where
// the server has no estimates.
/** @param {{ ids: string[], hypothesisIds: string[], refresh?: boolean }} props */
export function Estimate({ ids, hypothesisIds, refresh = false }) {
  const [found, setFound] = useState(/** @type {Parameters<typeof cost>[0] | null} */ (null));
  useEffect(() => {
    setFound(null);
    if (ids.length === 0 || hypothesisIds.length === 0) return undefined;
    const control = new AbortController();
    const timer = setTimeout(
      () =>
        estimateOf(ids, hypothesisIds, refresh, control.signal).then(
          (sum) => !control.signal.aborted && setFound(sum),
          () => {}, // aborted
        ),
      AFTER_MS,
    );
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [ids.join(), hypothesisIds.join(), refresh]);
  return html`
    <p class="faint estimate" role="status">${found && cost(found)}</p>
  `;
}
