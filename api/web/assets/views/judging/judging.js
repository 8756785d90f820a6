// Judging quotes in a view, with undo.
import { useLayoutEffect, useRef, useState } from '../../page/html.js';
import { toast } from '../../page/messages.js';
import { sentenceOf } from './batches.js';
import { asJudged, asks, differs, follow, judge, judgeAll, moment, withdraw } from './unsaved.js';

// A judgement, with what was before.
/** @typedef {{ id: string, hypothesisId: string | null, before: Opinion }} Done */
/** @typedef {{ key: string, to: ReviewState, of: Done[] }} Step what undo takes back at once */

/** @param {Judgeable} row @returns {Opinion} */
const opinionOf = ({ review, stance }) => ({ review, stance });

// putBack undoes a judgement. It returns the id of the quote, null if the page asks first, and undefined if
// there is nothing to undo.
/** @param {Done & { row: Judgeable }} judgement */
function putBack({ row, before, hypothesisId }) {
  if (withdraw(row.id)) return row.id;
  if (!differs(before, row)) return undefined;
  const asked = asks(row, before);
  judge(row, before, hypothesisId);
  return asked ? null : row.id;
}

// putBackAll undoes the judgements of a selection. What was judged otherwise since stays.
/** @param {(Done & { row: Judgeable })[]} judgements @param {ReviewState} to */
function putBackAll(judgements, to) {
  const left = judgements.filter(({ row }) => row.review === to && !row.newer);
  if (left.length === 0) return undefined;
  judgeAll(
    left.map(({ row, before }) => ({ row, review: before.review })),
    (tally) => toast(sentenceOf({ ...tally, reviews: ['suggested'] })),
  );
  return left[0].row.id;
}

/**
 * @typedef {object} View
 * @property {(id: string, values: JudgedValues, hypothesisId: string | null) => void} apply shows a judgement
 * @property {() => void} [saved] runs when the server has judgements
 */

// useJudging returns {review, reviewAll, undo, judged}: review(row, {review, stance}) judges a quote,
// reviewAll(rows, review) a selection of them, undo takes the latest of both back, and judged is the number
// of what can be undone. review and undo return the id of the (first) quote, or null where nothing is taken
// back, or the page asks first, because somebody else has judged the quote since it was loaded.
/**
 * @template {Judgeable & { hypothesis_id?: string }} R
 * @param {View & { rows: R[] }} of
 */
export function useJudging({ rows, apply, saved }) {
  const [done, setDone] = useState(/** @type {Step[]} */ ([]));
  const state = { rows, since: moment(), done, apply, saved };
  const latest = useRef(state);
  latest.current = state;
  useLayoutEffect(
    () =>
      follow((news) => {
        const now = latest.current;
        for (const { evidenceId, hypothesisId: of, values } of news) {
          const { review, reviewed_at: at, stance, newer, by = newer?.by } = values;
          const reviewer = by === undefined ? null : { display_name: by }; // null: the user
          now.apply(
            evidenceId,
            {
              review,
              ...(!newer?.stance && { reviewer }),
              newer,
              ...(at !== undefined && { reviewed_at: at }),
              ...(of && now.rows.some((row) => row.hypothesis_id === of) && { stance }),
            },
            of,
          );
        }
        if (news.some(({ values }) => values.reviewed_at !== undefined)) now.saved?.();
      }),
    [],
  );
  /** @param {R} row */
  const ofRow = (row) => row.hypothesis_id ?? null;
  /** @param {Step} step */
  const add = (step) => setDone((all) => [...all, step]);
  // found returns judgements with their rows, as they are known, also after the view has gone.
  /** @param {Done[]} judgements */
  const found = (judgements) =>
    judgements.flatMap((one) => {
      const { rows: all, since } = latest.current;
      const of = one.hypothesisId;
      const row = all.find(({ id, hypothesis_id: h }) => id === one.id && (!h || !of || h === of));
      return row ? [{ ...one, row: asJudged(row, row.hypothesis_id, since) }] : [];
    });

  /** @param {R} row @param {Opinion} to */
  function review(row, to) {
    if (!differs(to, row)) return row.id;
    const of = ofRow(row);
    const asked = asks(row, to);
    add({ key: '', to: to.review, of: [{ id: row.id, hypothesisId: of, before: opinionOf(row) }] });
    judge(row, to, of);
    return asked ? null : row.id;
  }

  // What somebody else has judged since is not undone.
  /** @param {R[]} some @param {ReviewState} to */
  function reviewAll(some, to) {
    const changed = [...new Map(some.map((row) => [row.id, row])).values()].filter(
      (row) => row.review !== to,
    );
    if (changed.length === 0) return;
    if (changed.length === 1 && changed[0].newer) {
      review(changed[0], { review: to });
      return;
    }
    const of = changed
      .filter((row) => !row.newer)
      .map((row) => ({ id: row.id, hypothesisId: ofRow(row), before: opinionOf(row) }));
    const key = judgeAll(
      changed.map((row) => ({ row, review: to })),
      (tally) => {
        const kept = new Set(tally.saved);
        // What was not saved cannot be undone.
        setDone((all) =>
          all
            .map((step) =>
              step.key === key ? { ...step, of: step.of.filter(({ id }) => kept.has(id)) } : step,
            )
            .filter((step) => step.of.length > 0),
        );
        toast(sentenceOf(tally), { ...(kept.size > 0 && { undo: () => takeBack(key) }) });
      },
    );
    if (of.length > 0) add({ key, to, of });
  }

  // takeBack undoes the step with a key or, without one, the latest in which something is left to undo. Those
  // of another hypothesis wait until it is shown.
  /** @param {string} [key] */
  function takeBack(key) {
    for (const step of latest.current.done.filter((one) => !key || one.key === key).reverse()) {
      const all = found(step.of);
      if (all.length === 0) continue;
      setDone((steps) => steps.filter((one) => one !== step));
      const id = step.key ? putBackAll(all, step.to) : putBack(all[0]);
      if (id !== undefined) return id;
    }
    return null;
  }
  return { review, reviewAll, undo: () => takeBack(), judged: done.length };
}
