// Selecting several quotes, to judge them at once.
import { html, useMemo, useRef, useState } from '../../page/html.js';
import { number } from '../../page/words.js';
import { Icon } from '../../page/icons.js';

// usePicked returns the ids that are picked of those that are shown, in their order, and what picks them:
// toggle(id, true) picks all from the one that was picked last, and pickAll all. Of those that somebody has
// judged, which open are not, each is only picked by itself. more is the number of open ones, if not all are
// picked.
/** @param {readonly string[]} shown @param {ReadonlySet<string>} open */
export function usePicked(shown, open) {
  const [all, setAll] = useState(/** @type {ReadonlySet<string>} */ (new Set()));
  const last = useRef(/** @type {string | null} */ (null));
  const ids = useMemo(() => new Set(shown.filter((id) => all.has(id))), [shown, all]);
  /** @param {string} id @param {boolean} [upTo] */
  function toggle(id, upTo = false) {
    const next = new Set(ids);
    const [from, to] = [shown.indexOf(last.current ?? id), shown.indexOf(id)].sort((a, b) => a - b);
    if (upTo && from >= 0) {
      for (const one of shown.slice(from, to + 1)) if (one === id || open.has(one)) next.add(one);
    } else if (!next.delete(id)) next.add(id);
    last.current = id;
    setAll(next);
  }
  return {
    ids,
    toggle,
    pickAll: () => setAll(new Set([...ids, ...open])),
    more: [...open].some((id) => !ids.has(id)) ? open.size : 0,
    clear: () => setAll(new Set()),
  };
}

// Picked says how many quotes are selected, and what can be done with them.
/**
 * @param {object} props
 * @param {number} props.n
 * @param {number} props.more the number of quotes to review, if not all are selected
 * @param {(review: ReviewState) => void} props.onReview
 * @param {() => void} props.onAll
 * @param {() => void} props.onClear
 */
export const Picked = ({ n, more, onReview, onAll, onClear }) =>
  n > 0 &&
  html`
    <section class="picked-bar" aria-label="Selection">
      <span role="status">${number(n)} selected</span>
      ${
        more > 0 &&
        html`
          <button class="link" onClick=${onAll}>Select all ${number(more)} to review</button>
        `
      }
      <button class="link" onClick=${onClear}>Clear</button>
      <span class="grow"></span>
      <button onClick=${() => onReview('accepted')}>
        <${Icon} name="check" />
        Accept
      </button>
      <button onClick=${() => onReview('rejected')}>
        <${Icon} name="close" />
        Reject
      </button>
    </section>
  `;
