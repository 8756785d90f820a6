// The quotes that people choose for the findings of a hypothesis.
import { useEffect, useMemo, useRef } from '../../page/html.js';
import { insert, list, remove } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { problem, say } from '../../page/messages.js';

// useChosen returns {ids, toggle}: the ids of the chosen quotes, and a function that puts a quote into the
// findings or takes it out. accept(row) judges a quote that nobody has judged: what is shown to others is.
/**
 * @template {{ id: string, review: ReviewState }} R
 * @param {string | undefined} hypothesisId
 * @param {(row: R) => void} accept
 */
export function useChosen(hypothesisId, accept) {
  const { data, set } = useLoad(
    async (signal) =>
      hypothesisId
        ? list(
            'finding_quotes',
            {
              hypothesis_id: `eq.${hypothesisId}`,
              select: 'evidence_id,position',
              order: 'position,evidence_id',
            },
            { signal },
          )
        : [],
    [hypothesisId],
  );
  const ids = useMemo(() => new Set((data ?? []).map((q) => q.evidence_id)), [data]);
  const asked = useRef(/** @type {R | null} */ (null)); // what to toggle when the quotes are there
  const sent = useRef(Promise.resolve()); // the changes so far: each waits for the answer to the one before
  useEffect(() => {
    const row = asked.current;
    asked.current = null;
    if (data && row) toggle(row);
  }, [data]);
  /** @param {R} row */
  function toggle(row) {
    if (!data || !hypothesisId) {
      asked.current = row;
      return;
    }
    const link = { hypothesis_id: hypothesisId, evidence_id: row.id };
    const was = data.find((q) => q.evidence_id === row.id);
    const chosen = Boolean(was);
    const position = was?.position ?? Math.max(0, ...data.map((q) => q.position)) + 1;
    /** @param {boolean} isChosen */
    const show = (isChosen) =>
      set((all) => [
        ...all.filter((q) => q.evidence_id !== row.id),
        ...(isChosen ? [{ ...link, position }] : []),
      ]);
    show(!chosen);
    say(chosen ? 'Taken out of the findings.' : 'Put in the findings.');
    sent.current = sent.current.then(async () => {
      try {
        if (chosen) await remove('finding_quotes', eachEquals(link));
        else await insert('finding_quotes', { ...link, position });
        if (!chosen && row.review === 'suggested') accept(row);
      } catch (error) {
        show(chosen);
        problem(error);
      }
    });
  }
  return { ids, toggle };
}

/** @param {Record<string, string>} values */
export const eachEquals = (values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, `eq.${value}`]));
