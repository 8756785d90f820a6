// The item of the board that has the focus: a quote, or the head of a theme.
import { useEffect, useRef, useState } from '../../page/html.js';
import { landing } from '../../client/themes.js';
import { note } from '../../page/router.js';
import { loose, themeIn } from './layout.js';

// wantedIn returns the item that an address names: at any item, or theme, which may be merged into another.
/** @param {URLSearchParams} query @param {Map<string, Theme>} themes */
export function wantedIn(query, themes) {
  const item = query.get('at') ?? query.get('theme');
  const theme = item && themes.get(item);
  return theme ? landing(theme, [...themes.values()]).id : item;
}

// useFocus returns the item that has the focus and what moves it. show() scrolls to an item and focuses it.
/**
 * @param {ThemeLayout | undefined} layout
 * @param {string | null} wanted the item that the address names
 * @param {{ current: ((column: ThemeColumn, item: string) => void) | null }} show
 */
export function useFocus(layout, wanted, show) {
  const [at, setAt] = useState(wanted ?? loose);
  const waiting = useRef(wanted); // an item that the board has not drawn yet
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
    note({ at: item, theme: null });
  }
  /** @param {string} item */
  function jump(item) {
    select(item);
    const of = layout?.columnOf.get(themeIn(item));
    waiting.current = of && isThere(item) ? null : item;
    if (of && !waiting.current) show.current?.(of, item);
  }
  useEffect(() => {
    const item = waiting.current;
    if (!item || !isThere(item)) return;
    waiting.current = null;
    jump(item);
  }, [layout]);
  // arrive focuses an item once the board is drawn with what changes now.
  /** @param {string} item */
  function arrive(item) {
    select(item);
    waiting.current = item;
  }
  const items = column ? [column.id, ...column.items] : [loose];
  const index = Math.max(0, items.indexOf(at));
  return {
    at: isThere(at) ? at : (column?.id ?? loose),
    column,
    select,
    jump,
    arrive,
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
    // after returns the item to go on with if these ones leave their column, themes with their quotes.
    /** @param {ReadonlySet<string>} leaving */
    after(leaving) {
      /** @param {string} item */
      const stays = (item) => !leaving.has(item) && !leaving.has(themeIn(item));
      return items.slice(index).find(stays) ?? items.slice(0, index).findLast(stays) ?? loose;
    },
  };
}
