// The item of the board that has the focus: a quote, or the head of a theme.
import { useEffect, useRef, useState } from '../../page/html.js';
import { note } from '../../page/router.js';
import { loose, themeIn } from './layout.js';

// useFocus returns the item that has the focus and what moves it. show() scrolls to an item and focuses it.
/**
 * @param {ThemeLayout | undefined} layout
 * @param {URLSearchParams} query
 * @param {{ current: ((column: ThemeColumn, item: string) => void) | null }} show
 */
export function useFocus(layout, query, show) {
  const [at, setAt] = useState(query.get('at') ?? loose);
  const waiting = useRef(/** @type {string | null} */ (null)); // an item that the board has not drawn yet
  const column = layout?.columnOf.get(themeIn(at));
  /** @param {string} item */
  const isThere = (item) => {
    const of = layout?.columnOf.get(themeIn(item));
    return !!of && (item === of.id || of.items.includes(item));
  };
  /** @param {string} item */
  function select(item) {
    if (item === at) return;
    setAt(item);
    note({ at: item });
  }
  /** @param {string} item */
  function jump(item) {
    select(item);
    const of = layout?.columnOf.get(themeIn(item));
    if (of && isThere(item)) show.current?.(of, item);
    else waiting.current = item;
  }
  useEffect(() => {
    const item = waiting.current;
    if (!item || !isThere(item)) return;
    waiting.current = null;
    jump(item);
  }, [layout]);
  const items = column ? [column.id, ...column.items] : [loose];
  const index = Math.max(0, items.indexOf(at));
  return {
    at: isThere(at) ? at : (column?.id ?? loose),
    column,
    select,
    jump,
    // step moves within a column.
    /** @param {number} by */
    step: (by) => jump(items[Math.max(0, Math.min(items.length - 1, index + by))]),
    // sideways moves to the same place of another column.
    /** @param {1 | -1} by */
    sideways(by) {
      const all = layout?.columns ?? [];
      const next = all[all.findIndex(({ id }) => id === (column?.id ?? loose)) + by];
      if (!next) return;
      const last = next.items.length;
      jump(index === 0 || last === 0 ? next.id : next.items[Math.min(index, last) - 1]);
    },
    // after returns the item to go on with if these ones leave their column.
    /** @param {ReadonlySet<string>} leaving */
    after(leaving) {
      const rest = items.slice(index).find((item) => !leaving.has(item));
      return rest ?? items.slice(0, index).findLast((item) => !leaving.has(item)) ?? loose;
    },
  };
}
