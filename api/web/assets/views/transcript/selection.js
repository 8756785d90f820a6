// The words that somebody chooses in a transcript.
import { useEffect, useRef, useState } from '../../page/html.js';
import { spanOf } from './bytes.js';
import { boxOf, elementOf, nodeAt, pointIn } from './places.js';
import { wholeWords } from './wholewords.js';

const SETTLED_MS = 200; // without a change of the selection

/** @param {Span | null} a @param {Span | null} b */
const sameWords = (a, b) => a?.byteStart === b?.byteStart && a?.byteEnd === b?.byteEnd;

// useSelection returns {span, quote, theme, close}: the chosen words or null, a function that chooses the
// whole turn with a list index, one that asks for a theme of the words, and one that chooses nothing. box is
// the element of the transcript.
/** @param {Utterance[]} utterances @param {boolean} canEdit @param {Ref<HTMLElement>} box */
export function useSelection(utterances, canEdit, box) {
  const [span, setSpan] = useState(/** @type {ChosenSpan | null} */ (null));
  const ask = useRef(() => /** @type {boolean} */ (false)); // asks for a theme of the words that are selected
  /** @param {Omit<ChosenSpan, 'box'>} chosen @returns {ChosenSpan | null} */
  function placed(chosen) {
    const where = boxOf(box.current, chosen);
    return where && { ...chosen, box: where };
  }

  useEffect(() => {
    if (!canEdit) return undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let pressed = false;
    /** @param {Node} node */
    const inWords = (node) => box.current?.contains(node) && elementOf(node)?.closest('.rows');
    // settle extends the selection to whole words, once it no longer changes.
    /** @param {boolean} [theme] whether the words are to get a theme */
    function settle(theme = false) {
      const selection = document.getSelection();
      const { anchorNode, focusNode } = selection ?? {};
      if (pressed || !selection || !anchorNode || !focusNode || !inWords(anchorNode)) return;
      if (selection.isCollapsed) {
        setSpan((now) => (now?.focus ? now : null));
        return;
      }
      const a = pointIn(anchorNode, selection.anchorOffset);
      const b = pointIn(focusNode, selection.focusOffset);
      if (!a || !b) return;
      const [from, to] = wholeWords(utterances, a, b);
      const next = spanOf(utterances, from, to);
      const [start, end] = [nodeAt(box.current, from), nodeAt(box.current, to)];
      if (next && start && end) selection.setBaseAndExtent(...start, ...end);
      /** @param {ChosenSpan | null} chosen */
      const wanting = (chosen) => chosen && { ...chosen, ...(theme && { theme: (chosen.theme ?? 0) + 1 }) };
      setSpan((now) => (sameWords(now, next) ? (theme ? wanting(now) : now) : next && wanting(placed(next))));
    }
    ask.current = () => {
      const selection = document.getSelection();
      const node = selection?.anchorNode;
      if (!node || selection.isCollapsed || !inWords(node)) return false;
      clearTimeout(timer);
      pressed = false;
      settle(true);
      return true;
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(() => settle(), SETTLED_MS);
    };
    /** @param {Event} event */
    const onPress = ({ type }) => {
      pressed = type === 'pointerdown';
      later();
    };
    const presses = ['pointerdown', 'pointerup', 'pointercancel'];
    later(); // words may be selected already, while the names of the speakers are loaded
    document.addEventListener('selectionchange', later);
    presses.forEach((type) => document.addEventListener(type, onPress));
    return () => {
      clearTimeout(timer);
      document.removeEventListener('selectionchange', later);
      presses.forEach((type) => document.removeEventListener(type, onPress));
    };
  }, [utterances, canEdit]);

  // What is beside the words stays there when the transcript or the page is scrolled, or sizes change.
  useEffect(() => {
    if (!span) return undefined;
    const follow = () => setSpan((now) => now && (placed(now) ?? now));
    const sizes = new ResizeObserver(follow);
    sizes.observe(box.current);
    document.addEventListener('scroll', follow, { capture: true, passive: true });
    window.addEventListener('resize', follow);
    return () => {
      sizes.disconnect();
      document.removeEventListener('scroll', follow, { capture: true });
      window.removeEventListener('resize', follow);
    };
  }, [span?.byteStart, span?.byteEnd]);

  return {
    span,
    /** @param {number} at @param {boolean} [theme] */
    quote(at, theme = false) {
      const turn = spanOf(utterances, { at, index: 0 }, { at, index: utterances[at].text.length });
      if (turn) setSpan(placed({ ...turn, focus: true, ...(theme && { theme: 1 }) }));
    },
    // theme asks for a theme of the chosen words. It returns whether there are any.
    theme() {
      if (!span) return ask.current();
      setSpan({ ...span, theme: (span.theme ?? 0) + 1 });
      return true;
    },
    close() {
      setSpan(null);
      document.getSelection()?.removeAllRanges();
      if (!span?.focus) return;
      /** @type {HTMLElement | null} */
      const button = box.current.querySelector(`[data-at="${span.from}"] .quote-turn`);
      button?.focus();
    },
  };
}
