// Judging quotes in a view, with undo.
import { useLayoutEffect, useRef, useState } from '../../page/html.js';
import { toast } from '../../page/messages.js';
import { sentenceOf } from './batches.js';
import { asks, follow, judge, judgeAll } from './unsaved.js';

// A judgement, with what was before.
/** @typedef {{ id: string, hypothesisId: string | null, before: Opinion }} Done */
/** @typedef {{ key: string, to: ReviewState, of: Done[] }} Step what undo takes back at once */

/** @param {Judgeable} row @returns {Opinion} */
const opinionOf = ({ review, stance }) => ({ review, stance });

/**
 * @typedef {object} View
 * @property {(id: string, values: JudgedValues, hypothesisId: string | null) => void} apply shows a judgement
 * @property {() => void} [saved] runs when the server has judgements
 */

// useJudging returns {review, reviewAll, undo, judged}: review(row, {review, stance}) judges a quote,
// reviewAll(rows, review) a selection of them, undo takes the latest of both back, and judged is the number of
// what can be undone. review and undo return the id of the (first) quote, or null where nothing is taken back,
// or the page asks first, because somebody else has judged the quote since it was loaded.
/**
 * @template {Judgeable & { hypothesis_id?: string }} R
 * @param {View & { rows: R[] }} of
 */
export function useJudging({ rows, apply, saved }) {
  const [done, setDone] = useState(/** @type {Step[]} */ ([]));
  const latest = useRef({ rows, done, apply, saved });
  latest.current = { rows, done, apply, saved };
  useLayoutEffect(
    () =>
      follow((news) => {
        const now = latest.current;
        for (const { evidenceId, hypothesisId: of, values } of news) {
          const { review, reviewed_at: at, stance, newer, by = newer?.by } = values;
          now.apply(
            evidenceId,
            {
              review,
              ...(!newer?.stance && { reviewer: by === undefined ? null : { display_name: by } }), // null: the user
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
  /** @param {string} id @param {string | null} of */
  const rowOf = (id, of) =>
    latest.current.rows.find(
      (row) => row.id === id && (!row.hypothesis_id || !of || row.hypothesis_id === of),
    );

  /** @param {R} row @param {Opinion} to */
  function review(row, to) {
    if (row.review === to.review && (to.stance ?? row.stance) === row.stance) return row.id;
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

  // takeBack undoes the step with a key or, without one, the latest. Of a selection, what was judged
  // otherwise since stays.
  /** @param {string} [key] */
  function takeBack(key) {
    const step = latest.current.done.findLast((one) => !key || one.key === key);
    const found = (step?.of ?? []).flatMap((one) => {
      const row = rowOf(one.id, one.hypothesisId);
      return row && (!step?.key || (row.review === step.to && !row.newer)) ? [{ row, ...one }] : [];
    });
    if (!step || found.length === 0) return null;
    setDone((all) => all.filter((one) => one !== step));
    if (step.key)
      judgeAll(
        found.map(({ row, before }) => ({ row, review: before.review })),
        (tally) => toast(sentenceOf({ ...tally, reviews: ['suggested'] })),
      );
    else {
      const [{ row, before, hypothesisId }] = found;
      const asked = asks(row, before);
      judge(row, before, hypothesisId);
      if (asked) return null;
    }
    return found[0].row.id;
  }
  return { review, reviewAll, undo: () => takeBack(), judged: done.length };
}
