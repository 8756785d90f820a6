// The columns of the board of themes. Only the columns and the quotes near the visible part are drawn.
import { html, memo, useEffect, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { dialogOpen } from '../../page/dialog.js';
import { focusOn } from '../../page/keys.js';
import { Windowed } from '../shared/windowed.js';
import { ThemeCard } from './card.js';
import { useDragging } from './dragging.js';
import { Head } from './head.js';
import { loose, quoteIn, themeIn } from './layout.js';

const COLUMN_PX = 296; // with the space after it
const PEEK_PX = 44; // of the next column, in narrow windows
const LETTERS = 38; // in a line of a card
const LINE_PX = 22;
const MOST_LINES = 6;
const HEAD_PX = 62;
const FRAMES = 30; // in which an item that is scrolled to is drawn

/**
 * @typedef {object} Shown what the columns show
 * @property {ThemeLayout} layout
 * @property {ThemesData} data
 * @property {string} at the item that has the focus
 * @property {ReadonlySet<string>} picked
 * @property {boolean} filtered
 * @property {boolean} canEdit
 */

// useWidth returns the width of a column, with the space after it, in a pane.
/** @param {Ref<HTMLElement>} pane */
function useWidth(pane) {
  const [width, setWidth] = useState(COLUMN_PX);
  useLayoutEffect(() => {
    const look = () => setWidth(Math.min(COLUMN_PX, pane.current.clientWidth - PEEK_PX));
    look();
    window.addEventListener('resize', look);
    return () => window.removeEventListener('resize', look);
  }, []);
  return width;
}

// useRange returns the columns that are near the visible part of a pane: from, and to without it.
/** @param {Ref<HTMLElement>} pane @param {number} width */
function useRange(pane, width) {
  const [range, setRange] = useState([0, 6]);
  const look = () => {
    const { scrollLeft, clientWidth } = pane.current;
    const from = Math.max(0, Math.floor(scrollLeft / width) - 1);
    const to = Math.ceil((scrollLeft + clientWidth) / width) + 1;
    setRange((now) => (now[0] === from && now[1] === to ? now : [from, to]));
  };
  const latest = useRef(look);
  latest.current = look;
  useLayoutEffect(look, [width]);
  useEffect(() => {
    const scrolled = () => latest.current();
    const box = pane.current;
    box.addEventListener('scroll', scrolled, { passive: true });
    window.addEventListener('resize', scrolled);
    return () => {
      box.removeEventListener('scroll', scrolled);
      window.removeEventListener('resize', scrolled);
    };
  }, []);
  return range;
}

// ThemeColumns shows the columns. It sets show.current, which scrolls to an item and focuses it. onDrop puts
// what was dragged into a theme; children come after the last column.
/**
 * @param {Shown & {
 *   on: Pick<ThemeBoardActs, 'select' | 'pick'>,
 *   show: { current: ((column: ThemeColumn, item: string) => void) | null },
 *   onDrop: import('./dragging.js').OnDrop,
 *   children: Children,
 * }} props
 */
export function ThemeColumns({ on, show, onDrop, children, ...shown }) {
  const { layout, at, picked, canEdit } = shown;
  const pane = useRef(/** @type {any} */ (null));
  const boxes = useRef(/** @type {Map<string, HTMLElement>} */ (new Map()));
  const lists = useRef(/** @type {Map<string, Ref<WindowedControl | undefined>>} */ (new Map()));
  const width = useWidth(pane);
  const [from, to] = useRange(pane, width);
  const acts = {
    ...on,
    /** @param {string} item @param {HTMLElement | null} box */
    ref: (item, box) => (box ? boxes.current.set(item, box) : boxes.current.delete(item)),
  };
  const act = useRef(acts);
  act.current = acts;
  show.current = (column, item) => {
    const i = layout.columns.findIndex(({ id }) => id === column.id); // as it is drawn now
    bring(pane.current, i, width);
    let frames = 0;
    let scrolled = false;
    const focus = () => {
      const box = boxes.current.get(item);
      const list = lists.current.get(column.id)?.current;
      if (dialogOpen() && ++frames < FRAMES) return requestAnimationFrame(focus); // it closes in a moment
      if (box?.isConnected && (item === column.id || isWithin(box))) return focusOn(box);
      if (!scrolled && item !== column.id && list) {
        const inside = pane.current.querySelector(`[data-list="${column.id}"]`);
        scrolled = true;
        list.show(item, (inside?.clientHeight ?? innerHeight) / 3);
      }
      if (++frames < FRAMES) requestAnimationFrame(focus);
      return undefined;
    };
    if (boxes.current.get(item)?.isConnected) focus();
    else requestAnimationFrame(focus);
  };
  const drag = useDragging(picked, onDrop);
  const columns = layout.columns;
  const first = Math.min(from, columns.length);
  const last = Math.min(to, columns.length);
  // The quotes without a theme stay in sight, so that they can be dragged to any theme.
  const drawn = columns
    .map((column, i) => ({ column, i }))
    .filter(({ i }) => i === 0 || (i >= first && i < last));
  return html`
    <div class="theme-columns" ref=${pane} style=${{ '--column': `${width}px` }} ...${canEdit ? drag : {}}>
      ${drawn.map(
        ({ column, i }) => html`
          ${
            i > 0 &&
            i === Math.max(1, first) &&
            html`
              <div key="before" class="space" style=${{ width: `${(i - 1) * width}px` }}></div>
            `
          }
          <${Column}
            key=${column.id}
            column=${column}
            ...${shown}
            at=${layout.columnOf.get(themeIn(at)) === column ? at : ''}
            lists=${lists.current}
            act=${act}
          />
        `,
      )}
      <div
        key="after"
        class="space"
        style=${{ width: `${Math.max(0, columns.length - Math.max(1, last)) * width}px` }}
      ></div>
      ${children}
    </div>
  `;
}

// isWithin reports whether an item is in the visible part of its list.
/** @param {HTMLElement} box */
function isWithin(box) {
  const pane = box.closest('[data-list]')?.getBoundingClientRect();
  const { top, bottom } = box.getBoundingClientRect();
  return !pane || (top >= pane.top - 1 && (bottom <= pane.bottom + 1 || top <= pane.top + 1));
}

// bring scrolls a pane until a column is in sight, beside the first one, which stays where it is.
/** @param {HTMLElement} pane @param {number} i @param {number} width */
function bring(pane, i, width) {
  if (i <= 0) return;
  const stays = getComputedStyle(pane).getPropertyValue('--stays').trim() === '1' ? width : 0;
  const left = i * width;
  if (left < pane.scrollLeft + stays) pane.scrollLeft = left - stays;
  else if (left + width > pane.scrollLeft + pane.clientWidth)
    pane.scrollLeft = left + width - pane.clientWidth;
}

// Column is a theme with its quotes, and the themes below it with theirs.
const Column = memo(
  /**
   * @param {Shown & {
   *   column: ThemeColumn,
   *   lists: Map<string, Ref<WindowedControl | undefined>>,
   *   act: { current: ThemeBoardActs },
   * }} props
   */
  ({ column, layout, data, at, picked, filtered, canEdit, lists, act }) => {
    const pane = useRef(/** @type {any} */ (null));
    const control = useRef(/** @type {WindowedControl | undefined} */ (undefined));
    useLayoutEffect(() => {
      lists.set(column.id, control);
      return () => {
        if (lists.get(column.id) === control) lists.delete(column.id);
      };
    }, [column.id]);
    const quotes = quotesOf(data);
    /** @param {string} item */
    const head = (item) => html`
      <${Head}
        head=${layout.heads.get(item)}
        selected=${item === at}
        picked=${picked.has(item)}
        canEdit=${canEdit}
        act=${act}
      />
    `;
    /** @param {string} item */
    const row = (item) => {
      if (!quoteIn(item)) return head(item);
      const quote = quotes.get(quoteIn(item));
      if (!quote) return null;
      const links = data.links.get(quote.id) ?? [];
      const theme = themeIn(item);
      return html`
        <${ThemeCard}
          quote=${quote}
          item=${item}
          depth=${layout.heads.get(theme)?.depth ?? 0}
          selected=${item === at}
          picked=${picked.has(item)}
          suggested=${links.some((l) => l.theme_id === theme && l.review === 'suggested')}
          also=${alsoOf(links, theme, data.themes)}
          canEdit=${canEdit}
          act=${act}
        />
      `;
    };
    return html`
      <section
        class=${`theme-column${column.id === loose ? ' stays' : ''}`}
        data-theme=${column.id}
        aria-labelledby=${`theme-${column.id}`}
      >
        ${head(column.id)}
        <div class="theme-list" data-list=${column.id} ref=${pane}>
          ${
            column.items.length === 0 &&
            html`
              <p class="faint none">${emptyText(column.id, filtered, data)}</p>
            `
          }
          <${Windowed}
            ids=${column.items}
            estimate=${(/** @type {string} */ item) => estimate(quotes.get(quoteIn(item))?.quote)}
            control=${control}
            pane=${pane}
            row=${row}
            rowClass=${(/** @type {string} */ item) => (quoteIn(item) ? '' : 'nested')}
          />
        </div>
      </section>
    `;
  },
);

/** @type {WeakMap<Themed[], Map<string, Themed>>} */
const byId = new WeakMap();

// quotesOf returns the quotes by their ids, which all columns share.
/** @param {ThemesData} data */
function quotesOf({ quotes }) {
  const known = byId.get(quotes) ?? new Map(quotes.map((quote) => [quote.id, quote]));
  byId.set(quotes, known);
  return known;
}

/** @param {string | undefined} quote undefined for the head of a theme */
const estimate = (quote) =>
  quote === undefined
    ? HEAD_PX
    : 52 + LINE_PX * Math.min(MOST_LINES, Math.max(1, Math.ceil(quote.length / LETTERS)));

/** @param {ThemeLink[]} links @param {string} theme @param {Map<string, Theme>} themes */
const alsoOf = (links, theme, themes) =>
  links
    .filter((l) => l.theme_id !== theme && l.review !== 'rejected')
    .map((l) => themes.get(l.theme_id))
    .flatMap((one) => (one?.status === 'active' ? one.name : []))
    .join(', ');

/** @param {string} id @param {boolean} filtered @param {ThemesData} data */
const emptyText = (id, filtered, data) => {
  if (filtered) return 'Nothing matches the filter.';
  if (id !== loose) return 'No quotes yet.';
  return data.quotes.length > 0
    ? 'Every quote has a theme.'
    : 'No quotes yet. Select words in an interview, and press t.';
};
