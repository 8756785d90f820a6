// Choosing the words of turns with the keyboard. The button "Quote" of a turn is where the focus is.
import { useRef } from '../../page/html.js';
import { paneOf } from './places.js';

const FRAMES = 20; // in which a turn that is scrolled to is drawn

// useTurnKeys has the arrow keys move between the buttons of turns. enter moves the focus to the first turn
// in sight, or to the last one that had it, and theme asks for a theme of the turn that has the focus.
/**
 * @param {object} of
 * @param {Ref<HTMLElement>} of.box
 * @param {number} of.count
 * @param {boolean} of.canEdit
 * @param {(at: number, theme: boolean) => void} of.quote
 * @param {(at: number) => void} of.scrollTo
 */
export function useTurnKeys({ box, count, canEdit, quote, scrollTo }) {
  const last = useRef(-1);
  /** @param {number} at @returns {HTMLElement | null} */
  const buttonOf = (at) => box.current.querySelector(`[data-at="${at}"] .quote-turn`);
  /** @param {Element | null} [of] */
  const turnOf = (of) => {
    /** @type {HTMLElement | null | undefined} */
    const row = of?.closest('.utterance');
    return row && box.current.contains(row) ? Number(row.dataset.at) : -1;
  };
  /** @param {Element | null | undefined} button */
  const inSight = (button) => {
    const row = button?.closest('.utterance')?.getBoundingClientRect();
    const pane = paneOf(box.current);
    return !!row && row.top >= pane.top && row.top < pane.bottom;
  };
  // focus moves the focus to a turn, in the direction of step if that has no words.
  /** @param {number} at @param {number} step */
  function focus(at, step) {
    if (at < 0 || at >= count) return;
    if (!inSight(buttonOf(at))) scrollTo(at);
    let frames = 0;
    const attempt = () => {
      const button = buttonOf(at);
      if (button) {
        last.current = at;
        button.focus({ preventScroll: true });
      } else if (box.current?.querySelector(`[data-at="${at}"]`)) focus(at + step, step);
      else if (++frames < FRAMES) requestAnimationFrame(attempt);
    };
    attempt();
  }
  return {
    theme() {
      const at = turnOf(document.activeElement);
      if (!canEdit || at < 0 || !buttonOf(at)) return false;
      last.current = at;
      quote(at, true);
      return true;
    },
    enter() {
      if (!canEdit || count === 0) return false;
      const there = buttonOf(last.current);
      const first = [...box.current.querySelectorAll('.quote-turn')].find(inSight);
      const at = inSight(there) ? last.current : turnOf(first);
      focus(Math.max(0, at), 1);
      return true;
    },
    /** @param {KeyboardEvent} event */
    onKeyDown(event) {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      const target = /** @type {Element} */ (event.target);
      if (!step || !target.matches('.quote-turn') || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      focus(turnOf(target) + step, step);
    },
  };
}
