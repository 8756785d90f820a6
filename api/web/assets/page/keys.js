// The keyboard: the keys of a view, and the focus.
import { useLayoutEffect, useRef } from './html.js';
import { dialogOpen } from './dialog.js';

// Boxes are ticked, not typed into: all they use themselves is Space and, in a group of radios, the arrows.
const fields = 'input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]';
/** @param {Element} target @param {string} key */
const isOwn = (target, key) =>
  (key === ' ' && target.matches?.('input')) || (key.startsWith('Arrow') && target.matches?.('[type=radio]'));

// focusOn focuses the element that was just selected, unless the user is typing or a dialog is open.
/** @param {HTMLElement | undefined} element */
export function focusOn(element) {
  if (element && !dialogOpen() && !document.activeElement?.matches(fields))
    element.focus({ preventScroll: true });
}

// useKeys calls the handler of a key, unless the user is typing, a dialog is open or a modifier is pressed.
// The keys work as soon as the view is drawn, and after a box was ticked.
/** @param {Record<string, (event: KeyboardEvent) => unknown>} keys */
export function useKeys(keys) {
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    /** @param {KeyboardEvent} event */
    function onKey(event) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialogOpen()) return;
      const target = /** @type {Element} */ (event.target);
      if (target.closest?.(fields)) return;
      if (isOwn(target, event.key)) return;
      if (event.key === 'Enter' && target.closest?.('a, button, summary')) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act(event);
    }
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
