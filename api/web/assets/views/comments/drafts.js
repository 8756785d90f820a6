// What was typed about a quote or a theme and not sent or saved yet. It lasts as long as the page, so that
// closing a dialog loses nothing.
import { session } from '../../client/session.js';

/**
 * @template T
 * @typedef {object} Drafts
 * @property {(id: string) => T | undefined} get
 * @property {(id: string, draft: T | undefined) => void} keep undefined forgets it
 */

// drafts keeps those of whoever is signed in, by the id of what they are about.
/** @template T @returns {Drafts<T>} */
function drafts() {
  /** @type {Map<string, T>} */
  const all = new Map();
  /** @param {string} id */
  const keyOf = (id) => `${session.get().user?.id} ${id}`;
  return {
    get: (id) => all.get(keyOf(id)),
    keep(id, draft) {
      if (draft === undefined) all.delete(keyOf(id));
      else all.set(keyOf(id), draft);
    },
  };
}

// A comment, with the members who were chosen for it. A comment that is being changed is kept by its own id.
/** @typedef {{ text: string, chosen: string[] }} CommentDraft */
export const comments = /** @type {Drafts<CommentDraft>} */ (drafts());

// A memo, and what it was before.
/** @typedef {{ text: string, before: string }} MemoDraft */
export const memos = /** @type {Drafts<MemoDraft>} */ (drafts());
