// What the keys and buttons of the board act on: the selected quotes and themes, or else what has the focus.
import { useMemo } from '../../page/html.js';
import { usePicked } from '../judging/picking.js';
import { familyOf, loose, quoteIn, themeIn } from './layout.js';

/** @type {string[]} */
const nothing = [];

// usePickedItems returns the items that are picked, as usePicked does.
/** @param {ThemeLayout | undefined} layout */
export function usePickedItems(layout) {
  const all = useMemo(() => layout?.columns.flatMap(({ id, items }) => [id, ...items]) ?? nothing, [layout]);
  const quotes = useMemo(() => new Set(all.filter(quoteIn)), [all]);
  return usePicked(all, quotes);
}

// belowOf returns a theme and all below it.
/** @param {Map<string, Theme>} themes @param {string} id @returns {string[]} */
export function belowOf(themes, id) {
  const { below } = familyOf(themes);
  /** @param {string} one @returns {string[]} */
  const all = (one) => [one, ...below(one).flatMap((child) => all(child.id))];
  return all(id);
}

// partsOf returns the quotes of items by the theme that each is in.
/** @param {string[]} items @returns {import('./acts.js').Part[]} */
const partsOf = (items) =>
  [...Map.groupBy(items, themeIn)].map(([source, same]) => [source, same.map(quoteIn)]);

// useChosenItems returns the quotes and themes to act on, what can be done with them, and what does it.
/**
 * @param {object} of
 * @param {ThemesData | undefined} of.data
 * @param {ReadonlySet<string>} of.picked
 * @param {ThemeFocus} of.focus
 * @param {ThemeActs} of.acts
 * @param {boolean} of.canEdit
 * @param {() => void} of.clear takes the selection back
 */
export function useChosenItems({ data, picked, focus, acts, canEdit, clear }) {
  const items = picked.size > 0 ? [...picked] : [focus.at];
  const quoteItems = items.filter(quoteIn);
  const themes = items
    .filter((item) => !quoteIn(item) && item !== loose)
    .flatMap((id) => data?.themes.get(id) ?? []);
  const here = themeIn(focus.at) === loose ? undefined : data?.themes.get(themeIn(focus.at));
  const from = new Set(quoteItems.map(themeIn));
  const only = from.size === 1 ? [...from][0] : undefined; // the theme that all the quotes are taken from
  const theme = themes.length > 0 ? themes[0] : picked.size === 0 ? here : undefined;
  const ids = [...new Set(quoteItems.map(quoteIn))];
  const quote = quoteItems.length > 0 ? data?.quotes.find(({ id }) => id === ids[0]) : undefined;

  // leaving moves the focus on before the quotes leave their columns.
  /** @param {string[]} gone */
  const leaving = (gone) => {
    const next = focus.after(new Set(gone));
    clear();
    focus.jump(next);
  };
  // move moves quotes to a theme, which may still be made; the focus goes on at once.
  /** @param {Theme | null | Promise<Theme>} theme @param {string[]} [some] */
  async function move(theme, some = quoteItems) {
    leaving(some);
    const to = await theme;
    const parts = partsOf(some).filter(([source]) => to || source !== loose);
    if (parts.length > 0) await acts.move(parts, to);
  }
  // merge merges themes; the focus goes on to where their quotes are.
  /** @param {string[]} from @param {Theme} into */
  function merge(from, into) {
    clear();
    focus.arrive(into.id);
    return acts.merge(from, into);
  }
  return {
    items,
    quotes: ids,
    quoteItems,
    themes,
    theme,
    quote,
    only: only === loose ? undefined : only,
    address: quote?.importId ? `/imports/${quote.importId}?e=${quote.id}` : null,
    can: {
      move: canEdit && ids.length > 0,
      add: canEdit && ids.length > 0,
      split: canEdit && ids.length > 0 && only !== undefined && only !== loose,
      take: canEdit && ids.length > 0 && [...from].some((one) => one !== loose),
      merge: canEdit && (themes.length > 0 || !!theme),
      nest: canEdit && !!theme,
      edit: canEdit && !!theme,
    },
    move,
    merge,
    take() {
      const some = quoteItems.filter((item) => themeIn(item) !== loose);
      leaving(some);
      return acts.take(partsOf(some));
    },
    leaving,
  };
}
