// The same done to several interviews.
import { asError, sentence } from '../../client/http.js';
import { toast } from '../../page/messages.js';
import { count, names, number } from '../../page/words.js';

// each does something to interviews, one after the other, and says what failed. It returns those that failed.
/**
 * @template {Pick<Interview, 'title'>} T
 * @param {T[]} rows
 * @param {(row: T) => Promise<unknown>} act
 * @param {(done: number) => void} progress
 */
export async function each(rows, act, progress) {
  /** @type {T[]} */
  const failed = [];
  /** @type {Error | null} */
  let first = null;
  for (const [i, row] of rows.entries()) {
    progress(i);
    try {
      await act(row);
    } catch (error) {
      failed.push(row);
      first ??= asError(error);
    }
  }
  if (first) {
    const which = names(
      failed.map(({ title }) => title),
      3,
    );
    toast(
      `${number(failed.length)} of ${count(rows.length, 'interview')} failed: ${which}. ${sentence(first)}`,
      {
        bad: true,
      },
    );
  }
  return failed;
}
