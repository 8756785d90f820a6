// The quote of an interview that is selected, in the list of its evidence and in its transcript.
import { useEffect, useState } from '../../page/html.js';
import { setQuery } from '../../page/router.js';
import { focusOn } from '../../page/keys.js';

// useSelected keeps the id of the selected quote, and shows it: in the panel, which has the cards of the
// listed evidence, or in the transcript before the panel. The transcript scrolls to the quote of each new
// selection. wanted is the id in the address.
/** @param {LinkedEvidence[]} listed @param {string | null} wanted @param {Ref<HTMLElement>} panel */
export function useSelected(listed, wanted, panel) {
  const [selected, setSelected] = useState(
    /** @type {{ id: string | null, still?: boolean }} */ ({ id: wanted }),
  );
  useEffect(() => {
    if (wanted) setSelected((s) => (s.id === wanted ? s : { id: wanted }));
  }, [wanted]);
  const current = listed.find((e) => e.id === selected.id) ?? null;

  /** @param {string} id @returns {HTMLElement | null} */
  const cardOf = (id) => panel.current?.querySelector(`[data-evidence-card="${CSS.escape(id)}"]`);
  // On a phone the panel is below the transcript, so selecting a quote scrolls to its words.
  const beside = () => !!panel.current && getComputedStyle(panel.current).overflowY === 'auto';
  useEffect(() => {
    if (selected.id && beside()) cardOf(selected.id)?.scrollIntoView({ block: 'nearest' });
  }, []);

  // select selects a quote whose words are in sight.
  /** @param {string} id */
  function select(id) {
    setSelected({ id, still: true });
    requestAnimationFrame(() => beside() && cardOf(id)?.scrollIntoView({ block: 'nearest' }));
  }
  // choose selects a quote, and scrolls to its words unless told otherwise.
  /** @param {LinkedEvidence} e @param {{ scroll?: boolean }} [options] */
  function choose(e, { scroll = true } = {}) {
    setSelected((s) => (!scroll && s.id === e.id ? s : { id: e.id }));
    setQuery({ e: e.id });
  }
  /** @param {LinkedEvidence} e */
  function showCard(e) {
    choose(e);
    requestAnimationFrame(() => {
      const card = cardOf(e.id);
      card?.scrollIntoView({ block: 'nearest' });
      if (card) focusOn(card);
    });
  }
  /** @param {LinkedEvidence} e */
  function showWords(e) {
    choose(e);
    if (!beside()) panel.current.previousElementSibling?.scrollIntoView({ block: 'start' });
  }
  // step shows the card of the quote that is so many places further, or of the first quote.
  /** @param {number} by */
  function step(by) {
    const at = current ? listed.indexOf(current) + by : 0;
    const next = listed.at(Math.max(0, Math.min(listed.length - 1, at)));
    if (next) showCard(next);
  }
  return { selected, current, select, choose, showCard, showWords, step };
}
