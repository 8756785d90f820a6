// Deletions that can be undone.
import { remove, removeOnTheWayOut } from '../../client/api.js';
import { problem, toast } from '../../page/messages.js';

// removeLater deletes rows as soon as the deletion can no longer be undone. The view has removed them
// already; back() shows them again. It returns the message, which can be closed with or without undo.
/**
 * @param {keyof Tables} table
 * @param {Filter} filter
 * @param {string} text
 * @param {{ back: () => void, done?: () => void }} options
 */
export function removeLater(table, filter, text, { back, done }) {
  return toast(text, {
    undo: back,
    done: (leaving) => {
      if (leaving) return removeOnTheWayOut(table, filter);
      return remove(table, filter).then(done, (error) => {
        back();
        problem(error);
      });
    },
  });
}
