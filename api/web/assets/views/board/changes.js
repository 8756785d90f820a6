// What changes the quotes of a board: the judgements of the user and of others, edits, and the choice for the
// findings.
import { useChosen } from '../findings/chosen.js';
import { useJudging } from '../judging/judging.js';
import { useLive } from '../judging/live.js';

/**
 * @typedef {object} Edits what happens to the quote that is edited
 * @property {(row: Quote, values: Partial<Quote>) => void} save
 * @property {(row: Quote, values: Partial<Quote>) => void} show shows what does not change the counts
 * @property {(row: Quote) => void} take it will be unlinked or deleted, unless that is undone
 * @property {(row: Quote) => void} putBack
 */

// useChanges returns what judges, edits and chooses quotes. What is judged or edited stays on the board:
// touch gets its id.
/**
 * @param {object} of
 * @param {Context} of.context
 * @param {Hypothesis} of.hypothesis
 * @param {ReturnType<typeof import('./data.js').useBoard>} of.board
 * @param {(id: string) => void} of.touch
 */
export function useChanges({ context, hypothesis, board, touch }) {
  const { data, rows, change, reloadSums } = board;
  /** @param {string} id @param {Partial<Quote>} values */
  function show(id, values) {
    touch(id);
    change((all) => all.map((row) => (row.id === id ? { ...row, ...values } : row)));
  }
  useLive({
    projectId: context.id,
    rows: data?.rows,
    filter: { hypothesis_id: `eq.${hypothesis.id}` },
    onRows(changed, replace) {
      changed.forEach((row) => touch(row.id));
      change(replace);
      reloadSums();
    },
  });
  const judging = useJudging({ rows, apply: show, saved: reloadSums });
  const chosen = useChosen(hypothesis.id, (/** @type {Quote} */ row) =>
    judging.review(row, { review: 'accepted' }),
  );
  /** @type {Edits} */
  const edits = {
    save(row, values) {
      show(row.id, values);
      reloadSums();
    },
    show: ({ id }, values) => show(id, values),
    take: ({ id }) => change((all) => all.filter((row) => row.id !== id)),
    putBack: (row) => change((all) => (all.some(({ id }) => id === row.id) ? all : [...all, row])),
  };
  return { ...judging, chosen, edits };
}
