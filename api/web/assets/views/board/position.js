// The position on a board. It is part of the address, so that Back and a reload restore it.
import { useEffect, useRef } from '../../page/html.js';
import { note, withQuery } from '../../page/router.js';

const NOTE_MS = 250; // after scrolling, before the position is noted
const HEAD_PX = 44; // the headings of the columns stay at the top

// The parameters of a position: the selected quote, the quote at the top and its place, and the tab.
const names = ['q', 'at', 'y', 'tab'];
const nowhere = Object.fromEntries(names.map((name) => [name, null]));

// The positions on the boards of other hypotheses, by their ids.
/** @type {Map<string, Record<string, string | null>>} */
const left = new Map();

// usePosition restores the position with show(id, y) once the data is ready. first returns {id, offset} of
// the quote at the top. onChange runs when the hypothesis changes.
/**
 * @param {object} of
 * @param {URLSearchParams} of.query
 * @param {Hypothesis} of.hypothesis
 * @param {boolean} of.ready
 * @param {(id: string, y: number) => void} of.show
 * @param {() => { id: string, offset: number } | null | undefined} of.first
 * @param {() => void} of.onChange
 */
export function usePosition({ query, hypothesis, ready, show, first, onChange }) {
  const restored = useRef(/** @type {string | null} */ (null));
  const before = useRef(hypothesis.id);
  const latest = useRef({ first });
  latest.current = { first };
  function noteNow() {
    const top = scrollY > 0 ? latest.current.first() : null;
    note({ at: top?.id ?? null, y: top ? String(top.offset) : null });
  }
  useEffect(() => {
    if (before.current === hypothesis.id) return;
    before.current = hypothesis.id;
    onChange();
    if (!query.get('at')) window.scrollTo(0, 0);
  }, [hypothesis.id]);
  useEffect(() => {
    if (!ready || restored.current === hypothesis.id) return;
    restored.current = hypothesis.id;
    const at = query.get('at') ?? query.get('q');
    if (at) requestAnimationFrame(() => show(at, Number(query.get('y') ?? HEAD_PX)));
  }, [ready, hypothesis.id]);
  useEffect(() => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const onScroll = () => {
      clearTimeout(timer);
      timer = setTimeout(noteNow, NOTE_MS);
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    document.addEventListener('click', noteNow, { capture: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener('scroll', onScroll);
      document.removeEventListener('click', noteNow, { capture: true });
    };
  }, []);
  return {
    note: noteNow,
    // leave remembers the position for the next visit to this board.
    leave() {
      noteNow();
      const now = new URLSearchParams(location.search);
      left.set(hypothesis.id, Object.fromEntries(names.map((name) => [name, now.get(name)])));
    },
    // hrefOf returns the address of the board of another hypothesis, where it was left.
    /** @param {{ id: string }} h */
    hrefOf: (h) => withQuery({ ...nowhere, ...left.get(h.id), h: h.id, since: null }),
  };
}
