// Removals of what may be gone already.
import { statusOf } from '../../client/http.js';

// unlessGone waits for a removal. What another tab has removed before is removed as well.
/** @param {Promise<unknown>} removal */
export const unlessGone = (removal) =>
  removal.catch((error) => {
    if (statusOf(error) !== 404) throw error;
  });
