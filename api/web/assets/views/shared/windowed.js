// A list in the flow of the page, or in a part of it that scrolls by itself, of which only the rows near
// the visible part are in the document. Spacers stand for the others. The height of a row is estimated until
// the row is shown, and then measured. On paper, all rows are drawn.
import { html, useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { usePrinting } from './printing.js';

const AHEAD_PX = 100; // rendered above and below the visible part
const SETTLE_FRAMES = 10; // frames in which the position is corrected after scrolling to a row

// Windowed renders the rows that belong to ids. rowClass returns the class of one. It sets control.current to
// {show(id, offset), first()}: show scrolls until the row is offset pixels below the top of the window, and
// first returns the id of the first visible row and its offset. In a pane, it is the pane that scrolls.
/**
 * @param {object} props
 * @param {readonly string[]} props.ids
 * @param {(id: string) => number} props.estimate the height of a row in pixels
 * @param {(id: string) => Children} props.row
 * @param {Ref<WindowedControl | undefined>} props.control
 * @param {boolean} [props.hidden]
 * @param {string} [props.class]
 * @param {(id: string) => string} [props.rowClass]
 * @param {Ref<HTMLElement>} [props.pane]
 */
export function Windowed({ ids, estimate, row, control, hidden, class: className = '', rowClass, pane }) {
  const box = useRef(/** @type {HTMLOListElement | null} */ (null));
  const heights = useRef(/** @type {Map<string, number>} */ (new Map()));
  const elements = useRef(/** @type {Map<string, Element>} */ (new Map()));
  const [range, setRange] = useState([0, 12]);
  const [version, setVersion] = useState(0);
  const printing = usePrinting();
  const onPaper = useRef(printing);
  onPaper.current = printing;
  const tops = useMemo(() => {
    const all = new Float64Array(ids.length + 1);
    for (let i = 0; i < ids.length; i++)
      all[i + 1] = all[i] + (heights.current.get(ids[i]) ?? estimate(ids[i]));
    return all;
  }, [ids, version]);
  const latest = useRef({ ids, tops });
  latest.current = { ids, tops };

  /** @param {number} y */
  const at = (y) => indexAt(latest.current.tops, y);
  /** @param {Element} element */
  const topOf = (element) =>
    element.getBoundingClientRect().top - (pane?.current.getBoundingClientRect().top ?? 0);
  function look() {
    if (!box.current) return;
    const top = topOf(box.current);
    const height = pane?.current.clientHeight ?? innerHeight;
    const next = [at(-top - AHEAD_PX), at(-top + height + AHEAD_PX) + 1];
    setRange((now) => (now[0] === next[0] && now[1] === next[1] ? now : next));
  }
  const measured = useRef(/** @type {ReturnType<typeof measuring> | null} */ (null));
  const rows = (measured.current ??= measuring((id, height) => {
    if (onPaper.current || height === 0 || Math.abs(height - (heights.current.get(id) ?? -1)) <= 0.5) return;
    heights.current.set(id, height);
    setVersion((n) => n + 1);
  }, elements.current));
  useEffect(() => () => rows.stop(), []);
  useEffect(look, [ids, version, hidden]);
  useEffect(() => {
    const resized = () => {
      heights.current.clear(); // lines break elsewhere
      setVersion((n) => n + 1);
    };
    let width = innerWidth;
    const onResize = () => {
      if (innerWidth !== width) resized();
      width = innerWidth;
      look();
    };
    const scrolled = pane?.current ?? window;
    scrolled.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', onResize);
    return () => {
      scrolled.removeEventListener('scroll', look);
      window.removeEventListener('resize', onResize);
    };
  }, []);

  control.current = {
    show(id, offset) {
      const index = latest.current.ids.indexOf(id);
      if (index < 0) return;
      let frames = 0;
      const settle = () => {
        if (!box.current) return;
        const element = elements.current.get(id);
        const now = element
          ? topOf(element)
          : topOf(box.current) + latest.current.tops[latest.current.ids.indexOf(id)];
        if (Math.abs(now - offset) > 1) (pane?.current ?? window).scrollBy(0, now - offset);
        look();
        if (++frames < SETTLE_FRAMES) requestAnimationFrame(settle);
      };
      settle();
    },
    first() {
      if (!box.current || ids.length === 0) return null;
      const top = topOf(box.current);
      const index = at(Math.max(0, -top));
      return { id: latest.current.ids[index], offset: Math.round(top + latest.current.tops[index]) };
    },
  };

  const [from, to] = printing
    ? [0, ids.length]
    : [Math.min(range[0], ids.length), Math.min(range[1], ids.length)];
  /** @param {string} key @param {number} height */
  const space = (key, height) =>
    height > 0 &&
    html`
      <li key=${key} class="space" aria-hidden="true" style=${{ height: `${height}px` }}></li>
    `;
  return html`
    <ol ref=${box} class=${className}>
      ${space('before', tops[from])}
      ${ids.slice(from, to).map(
        (id, i) => html`
          <li
            key=${id}
            class=${rowClass?.(id)}
            aria-setsize=${ids.length}
            aria-posinset=${from + i + 1}
            ref=${rows.refOf(id)}
          >
            ${row(id)}
          </li>
        `,
      )}
      ${space('after', tops[ids.length] - tops[to])}
    </ol>
  `;
}

// indexAt returns the index of the row at this height. tops are those of the rows, and the end of the last.
/** @param {Float64Array} tops @param {number} y */
function indexAt(tops, y) {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle] <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

// measuring calls onHeight(id, height) when a row has a height, or another one. The browser tells it after it
// has laid the page out, so that no key waits for a layout. refOf returns the ref of a row, always the same
// one.
/** @param {(id: string, height: number) => void} onHeight @param {Map<string, Element>} elements */
function measuring(onHeight, elements) {
  const ids = /** @type {WeakMap<Element, string>} */ (new WeakMap());
  const refs = /** @type {Map<string, (element: Element | null) => void>} */ (new Map());
  const observer = new ResizeObserver((entries) => {
    for (const { target, borderBoxSize } of entries) {
      const id = ids.get(target);
      if (id !== undefined) onHeight(id, borderBoxSize[0].blockSize);
    }
  });
  return {
    stop: () => observer.disconnect(),
    /** @param {string} id */
    refOf(id) {
      if (!refs.has(id))
        refs.set(id, (element) => {
          if (element) {
            elements.set(id, element);
            ids.set(element, id);
            observer.observe(element);
            return;
          }
          const gone = elements.get(id);
          if (gone) observer.unobserve(gone);
          elements.delete(id);
          refs.delete(id);
        });
      return refs.get(id);
    },
  };
}
