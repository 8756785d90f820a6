// Several files that need a look: they are asked about one after the other.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { count } from '../../page/words.js';
import { change, spread } from './files.js';

/** @typedef {UploadItem} Item */
/** @typedef {{ current: number | null, begin: () => void, done: (item: Item) => void }} Asking */

/** @returns {HTMLElement | null} */
export const importButton = () => document.querySelector('dialog[open] .actions button:last-child');

// useAsking leads through the files that need a look. current is the one that is asked about. After one is
// done, its answers are those of the others with the same labels; the next is the first that is still not
// certain then.
/** @param {Item[]} items @param {Item[]} waiting @returns {Asking} */
export function useAsking(items, waiting) {
  const [wanted, setWanted] = useState(false);
  const [chosen, setChosen] = useState(/** @type {number | null} */ (null));
  const current = items.some(({ id }) => id === chosen) ? chosen : null;
  const busy = items.some((item) => item.again);
  const next = waiting.at(0)?.id ?? null;
  useEffect(() => {
    if (!wanted || current !== null || busy) return;
    setChosen(next);
    if (next !== null) return;
    setWanted(false);
    importButton()?.focus();
  }, [wanted, current, busy, next]);
  return {
    current,
    begin: () => setWanted(true),
    done(item) {
      if (item.again) return;
      change(item.id, { looked: true });
      spread(item);
      setChosen(null);
    },
  };
}

// Waiting says how many files need a look, and begins to ask about them.
/** @param {{ waiting: Item[], asking: Asking }} props */
export function Waiting({ waiting, asking }) {
  /** @type {Ref<HTMLButtonElement | null>} */
  const button = useRef(null);
  useLayoutEffect(() => {
    if (document.activeElement?.matches('body, dialog, dialog header *')) button.current?.focus();
  }, []);
  return html`
    <div class="note asks">
      <p role="status">
        <b>${count(waiting.length, 'file needs', 'files need')} a look.</b>
        ${' '}Some speakers are not certain. An answer also holds for the other files with the same label.
      </p>
      ${
        asking.current === null &&
        html`
          <button ref=${button} onClick=${asking.begin}>
            ${waiting.length === 1 ? 'Look at it' : 'Look at the first'}
          </button>
        `
      }
    </div>
  `;
}
