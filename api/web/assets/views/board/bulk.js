// The quotes of a board that are judged at once.
import { usePicked } from '../judging/picking.js';

// useBulk returns what usePicked does, and judge, which judges the picked quotes. ids are those that the
// board shows.
/**
 * @param {readonly string[]} ids
 * @param {Map<string, Quote>} of
 * @param {(rows: Quote[], review: ReviewState) => void} reviewAll
 */
export function useBulk(ids, of, reviewAll) {
  const open = new Set(ids.filter((id) => of.get(id)?.review === 'suggested'));
  const picked = usePicked(ids, open);
  return {
    ...picked,
    /** @param {ReviewState} review */
    judge(review) {
      reviewAll(
        [...picked.ids].flatMap((id) => of.get(id) ?? []),
        review,
      );
      picked.clear();
    },
  };
}
