// The keyboard of a board.
import { html } from '../../page/html.js';
import { go } from '../../page/router.js';
import { place } from '../shared/card.js';
import { KeysList } from '../shared/keyslist.js';
import { pressNotes, pressTheme } from '../shared/themechips.js';
import { useKeys } from '../../page/keys.js';

/** @typedef {ReturnType<typeof import('./bulk.js').useBulk>} Selected */

// Keys lists the keyboard shortcuts.
/** @param {{ onClose: () => void }} props */
export function Keys({ onClose }) {
  const keys = {
    'j, k': 'next and previous quote',
    '← →': 'for, against, neutral',
    a: 'accept',
    r: 'reject',
    Enter: 'open the transcript at the quote',
    'x, X': 'select a quote, or all up to it; a and r judge the selected ones',
    u: 'undo',
    e: 'edit',
    f: 'put in the findings, or take out',
    t: 'give a theme',
    n: 'memo and comments',
    '[ ]': 'previous and next hypothesis',
    '/': 'ask the interviews',
    '?': 'show this list',
  };
  return html`
    <${KeysList} keys=${keys} onClose=${onClose} />
  `;
}

/** @param {Quote | undefined} row */
const cardOf = (row) => row && document.querySelector(`[data-evidence-card="${CSS.escape(row.id)}"]`);

// useShortcuts has keys move between quotes and hypotheses, judge the selected quote and open dialogs.
/**
 * @param {object} of
 * @param {Context} of.context
 * @param {Hypothesis} of.hypothesis
 * @param {ReturnType<typeof import('./selection.js').useSelection>} of.selection
 * @param {ReturnType<typeof import('./position.js').usePosition>} of.position
 * @param {ReturnType<typeof import('./changes.js').useChanges>} of.changes
 * @param {Selected} of.picked the quotes that are judged at once
 * @param {(dialog: 'keys' | Quote) => void} of.onOpen
 */
export function useShortcuts({ context, hypothesis, selection, position, changes, picked, onOpen }) {
  const { hypotheses, canEdit } = context;
  const { current, step, sideways, onward } = selection;
  const { review, undo, chosen } = changes;
  /** @param {ReviewState} verdict */
  function judge(verdict) {
    if (picked.ids.size > 0) return picked.judge(verdict);
    if (!current || !canEdit) return undefined;
    return review(current, { review: verdict }) && onward(); // else the page asks first
  }
  /** @param {1 | -1} by */
  function hop(by) {
    const index = hypotheses.indexOf(hypothesis) + by;
    if (index < 0 || index >= hypotheses.length) return;
    position.leave();
    go(position.hrefOf(hypotheses[index]), { replace: true });
  }
  const theme = () => canEdit && pressTheme(cardOf(current));
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowRight: () => sideways(1),
    ArrowLeft: () => sideways(-1),
    a: () => judge('accepted'),
    r: () => judge('rejected'),
    x: () => current && canEdit && picked.toggle(current.id),
    X: () => current && canEdit && picked.toggle(current.id, true),
    Escape: picked.clear,
    u: undo,
    f: () => current && canEdit && chosen.toggle(current),
    e: () => current && canEdit && onOpen(current),
    t: theme,
    T: theme,
    n: () => pressNotes(cardOf(current)),
    Enter: () => {
      const address = current && place(current);
      if (!address) return;
      position.note();
      go(address);
    },
    '[': () => hop(-1),
    ']': () => hop(1),
    '?': () => onOpen('keys'),
  });
}
