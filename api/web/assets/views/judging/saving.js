// Says whether the judgements are saved, and asks about conflicts.
import { html, useEffect, useRef } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { isConflict, resolve, stuck, unsaved } from './unsaved.js';
import { Icon } from '../../page/icons.js';
import { count } from '../../page/words.js';
import { reviews, stanceVerbs } from '../shared/evidencewords.js';
import { Newer } from '../shared/newer.js';

// Saving shows the state of the judgements. Before the first one it shows nothing.
/** @param {{ judged: number }} props the number of judgements in this view */
export function Saving({ judged }) {
  const waiting = useStore(unsaved).filter((item) => !isConflict(item)).length;
  const lost = useStore(stuck);
  if (waiting === 0)
    return (
      judged > 0 &&
      html`
        <span class="saving" role="status">
          <${Icon} name="check" />
          Saved
        </span>
      `
    );
  if (!lost)
    return html`
      <span class="saving" role="status">Saving…</span>
    `;
  return html`
    <span class="saving unsaved" role="status">
      <${Icon} name="alert" />
      ${`${count(waiting, 'judgement')} not saved yet. Sent when the server answers again.`}
    </span>
  `;
}

// Conflicts asks about the quotes that somebody else judged differently in the meantime.
/** @param {{ rows: Pick<EvidenceRow, 'id' | 'quote'>[] }} props */
export function Conflicts({ rows }) {
  return useStore(unsaved)
    .filter(isConflict)
    .map((item) => {
      const row = rows.find(({ id }) => id === item.evidenceId);
      return (
        row &&
        html`
          <${Question} key=${item.key} item=${item} quote=${row.quote} />
        `
      );
    });
}

// Question asks about one conflict. Where the user has just judged the quote, it gets the focus.
/** @param {{ item: Conflict, quote: string }} props */
function Question({ item, quote }) {
  const keep = useRef(/** @type {HTMLButtonElement | null} */ (null));
  useEffect(() => {
    if (item.from.newer) keep.current?.focus();
  }, []);
  return html`
    <section class="conflict" role="alert" aria-label="Conflict">
      <blockquote dir="auto">${quote}</blockquote>
      <p>
        <${Newer} of=${item.theirs} />
        ${` You: ${said(item.to)}. Replace it?`}
      </p>
      <p class="do">
        <button ref=${keep} onClick=${() => resolve(item, false)}>Keep theirs</button>
        <button onClick=${() => resolve(item, true)}>Use mine</button>
      </p>
    </section>
  `;
}

/** @param {Opinion} opinion */
const said = ({ review, stance }) =>
  stance && review !== 'rejected'
    ? `${stanceVerbs[stance].toLowerCase()}, ${reviews[review]}`
    : reviews[review];
