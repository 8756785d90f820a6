// Judging quotes in a view, with undo.
import { useLayoutEffect, useRef, useState } from '../../page/html.js';
import { follow, judge } from './unsaved.js';

// useJudging returns {review, undo, judged}: review(row, {review, stance}) judges a quote, undo takes the
// latest judgement back and returns its id, and judged is the number of judgements. apply(id, values) shows a
// judgement, and saved(id) runs when the server has it.
/**
 * @template {Judgeable} R
 * @param {object} of
 * @param {R[]} of.rows
 * @param {string} [of.hypothesisId]
 * @param {(id: string, values: JudgedValues) => void} of.apply
 * @param {(id: string) => void} [of.saved]
 */
export function useJudging({ rows, hypothesisId, apply, saved }) {
  const [done, setDone] = useState(/** @type {(Opinion & { id: string })[]} */ ([]));
  const latest = useRef({ hypothesisId, apply, saved });
  latest.current = { hypothesisId, apply, saved };
  useLayoutEffect(
    () =>
      follow((id, { review, reviewed_at: at, stance, by }, judgedFor) => {
        const now = latest.current;
        const known = at !== undefined; // by the server
        now.apply(id, {
          review,
          reviewer: by ? { display_name: by } : null, // null: the user
          ...(known && { reviewed_at: at }),
          ...(judgedFor && judgedFor === now.hypothesisId && { stance }),
        });
        if (known) now.saved?.(id);
      }),
    [],
  );
  /** @param {R} row @param {Opinion} to */
  function review(row, to) {
    if (row.review === to.review && (to.stance ?? row.stance) === row.stance) return;
    setDone((all) => [...all, { id: row.id, review: row.review, stance: row.stance }]);
    judge(row, to, hypothesisId);
  }
  function undo() {
    const last = done.at(-1);
    const row = last && rows.find((one) => one.id === last.id);
    if (!row) return null;
    setDone((all) => all.slice(0, -1));
    judge(row, last, hypothesisId);
    return row.id;
  }
  return { review, undo, judged: done.length };
}
