// Finding words in a transcript.
import { html, useMemo, useState } from '../../page/html.js';
import { MOST, occurrencesOf } from './marks.js';

// useFinding returns the occurrences of the words that somebody types, and the one that is shown.
/** @param {Utterance[]} utterances */
export function useFinding(utterances) {
  const [wanted, setWanted] = useState('');
  const [hit, setHit] = useState(0);
  const found = useMemo(() => occurrencesOf(utterances, wanted), [utterances, wanted]);
  return {
    wanted,
    hit,
    total: found.length,
    now: found.at(Math.min(hit, found.length - 1)),
    /** @param {string} text */
    find(text) {
      setWanted(text);
      setHit(0);
    },
    /** @param {1 | -1} by */
    step: (by) => setHit((n) => (n + by + found.length) % found.length),
  };
}

// Finding asks for words, and steps through their occurrences. input is the ref of its field.
/** @param {ReturnType<typeof useFinding> & { input: Ref<HTMLInputElement> }} props */
export function Finding({ wanted, hit, total, find, step, input }) {
  /** @param {KeyboardEvent & { currentTarget: HTMLInputElement }} event */
  function onKeyDown(event) {
    if (event.key === 'Enter' && total) {
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    }
    if (event.key === 'Escape') {
      find('');
      event.currentTarget.blur();
    }
  }
  return html`
    <input
      ref=${input}
      type="search"
      placeholder="Find in the transcript"
      aria-label="Find in the transcript"
      value=${wanted}
      onInput=${(e) => find(e.currentTarget.value)}
      onKeyDown=${onKeyDown}
    />
    ${
      wanted.trim().length > 1 &&
      html`
        <span class="faint" role="status">
          ${total === 0 ? 'not found' : `${hit + 1} of ${total < MOST ? total : `${MOST}+`}`}
        </span>
        <button class="quiet icon" aria-label="Previous" disabled=${!total} onClick=${() => step(-1)}>
          ↑
        </button>
        <button class="quiet icon" aria-label="Next" disabled=${!total} onClick=${() => step(1)}>↓</button>
      `
    }
  `;
}
