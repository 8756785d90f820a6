// A list of any length, of which only the visible rows are in the document. The height of a row is estimated
// until the row is shown, and then measured. When a height changes, the row at the top keeps its position.
// On paper, all rows are drawn, one after the other.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { usePrinting } from '../shared/printing.js';

const AHEAD_PX = 600; // rendered above and below the visible part
const SETTLE_FRAMES = 8; // frames in which the position is corrected after scrolling to a row

/**
 * @typedef {object} Heights
 * @property {number} count
 * @property {Float64Array} heights
 * @property {Float64Array} tops
 * @property {{ index: number, offset: number }} anchor the row at the top
 * @property {Map<number, HTMLElement>} elements the rows in the document
 * @property {number} goal the number of the latest row that was scrolled to
 */

// Virtual renders count rows. It sets control.current.show(index, find), which scrolls to a row, or to the
// element that find(row element) returns.
/**
 * @param {object} props
 * @param {number} props.count
 * @param {(index: number) => number} props.estimate
 * @param {(index: number) => Children} props.row
 * @param {string} props.label
 * @param {Ref<VirtualControl | null>} props.control
 */
export function Virtual({ count, estimate, row, label, control }) {
  /** @type {Ref<HTMLElement>} */
  const scroller = useRef();
  /** @type {Ref<HTMLElement>} */
  const list = useRef();
  const state = useRef(/** @type {Heights | null} */ (null));
  const [range, setRange] = useState([0, Math.min(count, 40)]);
  const printing = usePrinting();
  const onPaper = useRef(printing);
  onPaper.current = printing;
  if (!state.current || state.current.count !== count) {
    state.current = {
      count,
      heights: Float64Array.from({ length: count }, (_, i) => estimate(i)),
      tops: new Float64Array(count + 1),
      anchor: { index: 0, offset: 0 },
      elements: new Map(),
      goal: 0,
    };
    sum(state.current);
  }
  const s = state.current;

  /** @param {Heights} of */
  function sum(of) {
    for (let i = 0; i < of.count; i++) of.tops[i + 1] = of.tops[i] + of.heights[i];
  }
  // at returns the index of the row at this height.
  /** @param {number} y */
  function at(y) {
    let low = 0;
    let high = s.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (s.tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  function look() {
    const box = scroller.current;
    if (!box || s.count === 0) return;
    const first = at(box.scrollTop - AHEAD_PX);
    const last = at(box.scrollTop + box.clientHeight + AHEAD_PX) + 1;
    setRange((now) => (now[0] === first && now[1] === last ? now : [first, last]));
  }
  function remember() {
    const y = scroller.current.scrollTop;
    const index = at(y);
    s.anchor = { index, offset: y - s.tops[index] };
  }
  // measure measures the rows in the document. It returns whether a height differs from the estimate.
  function measure() {
    let differs = false;
    for (const [index, element] of s.elements) {
      const height = element.getBoundingClientRect().height;
      if (height > 0 && Math.abs(height - s.heights[index]) > 0.5) {
        s.heights[index] = height;
        differs = true;
      }
    }
    if (differs) {
      sum(s);
      place();
      scroller.current.scrollTop = s.tops[s.anchor.index] + s.anchor.offset;
      look();
    }
    return differs;
  }
  function place() {
    for (const [index, element] of s.elements) element.style.transform = `translateY(${s.tops[index]}px)`;
    list.current.style.height = `${s.tops[s.count]}px`;
  }

  useLayoutEffect(() => {
    if (printing) return;
    place();
    measure();
  });
  useLayoutEffect(() => {
    if (!printing) scroller.current.scrollTop = s.tops[s.anchor.index] + s.anchor.offset;
  }, [printing]);
  useEffect(() => {
    const box = scroller.current;
    const onScroll = () => {
      if (onPaper.current) return; // the list scrolls no more, and is back afterwards
      remember();
      look();
    };
    box.addEventListener('scroll', onScroll, { passive: true });
    const resize = new ResizeObserver(() => {
      if (onPaper.current) return;
      measure();
      look();
    });
    resize.observe(box);
    look();
    box.addEventListener('toggle', measure, true); // a detail of a row is opened or closed
    return () => {
      box.removeEventListener('scroll', onScroll);
      box.removeEventListener('toggle', measure, true);
      resize.disconnect();
    };
  }, [count]);

  /** @type {VirtualControl} */
  const shown = {
    show(index, find) {
      const goal = ++s.goal;
      const box = scroller.current;
      s.anchor = { index, offset: -box.clientHeight / 3 };
      box.scrollTop = s.tops[index] - box.clientHeight / 3;
      look();
      let frames = 0;
      const settle = () => {
        if (goal !== s.goal || !scroller.current) return;
        const element = s.elements.get(index);
        const target = (element && find?.(element)) || element;
        if (target) {
          const off =
            target.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
          if (Math.abs(off) > 1) box.scrollTop += off;
          remember();
        }
        if (++frames < SETTLE_FRAMES) requestAnimationFrame(settle);
      };
      requestAnimationFrame(settle);
    },
  };
  control.current = shown;

  // onKeyDown handles Home and End: the animation of the browser stops early when heights change.
  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    if (
      !['Home', 'End'].includes(event.key) ||
      event.shiftKey ||
      event.altKey ||
      event.metaKey ||
      count === 0
    )
      return;
    event.preventDefault();
    shown.show(event.key === 'Home' ? 0 : count - 1);
  }

  const rows = [];
  const [from, to] = printing ? [0, count] : [range[0], Math.min(range[1], count)];
  for (let i = from; i < to; i++) {
    rows.push(html`
      <div
        key=${i}
        class="utterance"
        role="listitem"
        aria-setsize=${count}
        aria-posinset=${i + 1}
        data-at=${i}
        ref=${(element) => (element ? s.elements.set(i, element) : s.elements.delete(i))}
      >
        ${row(i)}
      </div>
    `);
  }
  return html`
    <div
      class="scroller"
      ref=${scroller}
      tabindex="0"
      role="region"
      aria-label=${label}
      onKeyDown=${onKeyDown}
    >
      <div class="rows" role="list" ref=${list}>${rows}</div>
    </div>
  `;
}
