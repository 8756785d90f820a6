// The keyboard: the keys of a view, and the focus.
import { useLayoutEffect, useRef } from '../../page/html.js';
import { dialogOpen } from '../../page/dialog.js';

// focusOn focuses the element that was just selected, unless the user is typing or a dialog is open.
/** @param {HTMLElement | undefined} element */
export function focusOn(element) {
  if (element && !dialogOpen() && !document.activeElement?.matches('input, select, textarea'))
    element.focus({ preventScroll: true });
}

// useKeys calls the handler of a key, unless the user is typing, a dialog is open or a modifier is pressed.
// The keys work as soon as the view is drawn.
/** @param {Record<string, (event: KeyboardEvent) => unknown>} keys */
export function useKeys(keys) {
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    /** @param {KeyboardEvent} event */
    function onKey(event) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialogOpen()) return;
      const target = /** @type {Element} */ (event.target);
      if (target.closest?.('input, select, textarea, [contenteditable]')) return;
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
