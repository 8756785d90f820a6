// Dragging quotes and themes on the board.
import { useRef } from '../../page/html.js';
import { itemOf, loose, quoteIn, themeIn } from './layout.js';

// What is dragged: quotes, or a theme; and whether the quotes stay where they were as well.
/** @typedef {(items: string[], theme: string, also: boolean) => void} OnDrop */

/** @param {EventTarget | null} target */
const itemAt = (target) =>
  target instanceof Element ? target.closest('[data-item]')?.getAttribute('data-item') : null;

// themeAt returns the theme at a place: that of the quote or head there, or of the column.
/** @param {EventTarget | null} target */
function themeAt(target) {
  const item = itemAt(target);
  if (item) return themeIn(item);
  return target instanceof Element ? target.closest('[data-theme]')?.getAttribute('data-theme') : null;
}

// useDragging returns the listeners of the element that has the columns. Who drags one of the picked quotes
// drags all of them. With Ctrl or Alt, quotes get a further theme.
/** @param {ReadonlySet<string>} picked @param {OnDrop} onDrop */
export function useDragging(picked, onDrop) {
  const dragged = useRef(/** @type {string[]} */ ([]));
  const over = useRef(/** @type {Element | null} */ (null));
  /** @param {Element | null} column */
  const mark = (column) => {
    if (column === over.current) return;
    over.current?.classList.remove('over');
    column?.classList.add('over');
    over.current = column;
  };
  const end = () => {
    dragged.current = [];
    mark(null);
  };
  return {
    /** @param {DragEvent} event */
    onDragStart(event) {
      const item = itemAt(event.target);
      if (!item || item === loose) return;
      const quotes = [...picked].filter(quoteIn);
      dragged.current = quoteIn(item) && picked.has(item) ? quotes : [item];
      event.dataTransfer?.setData('text/plain', item);
      if (event.dataTransfer) event.dataTransfer.effectAllowed = 'copyMove';
    },
    /** @param {DragEvent} event */
    onDragOver(event) {
      const theme = dragged.current.length > 0 && themeAt(event.target);
      if (!theme) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = event.ctrlKey || event.altKey ? 'copy' : 'move';
      mark(/** @type {Element} */ (event.target).closest('[data-theme]'));
    },
    /** @param {DragEvent} event */
    onDrop(event) {
      const theme = themeAt(event.target);
      const items = dragged.current;
      end();
      if (!theme || items.length === 0) return;
      event.preventDefault();
      const moving = items.filter((item) =>
        quoteIn(item) ? item !== itemOf(theme, quoteIn(item)) : item !== theme,
      );
      if (moving.length > 0) onDrop(moving, theme, event.ctrlKey || event.altKey);
    },
    onDragEnd: end,
  };
}
