// The history of a quote: who judged it, and who changed its stances.
import { html, useState } from '../../page/html.js';
import { list } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { Waiting } from '../../page/ui.js';
import { dateTime } from '../../page/words.js';
import { reviews, stanceVerbs } from './evidencewords.js';

/** @typedef {(to: { review: ReviewState, stance?: Stance }) => void} UndoTo */

/** @param {ReviewState | Stance | null} value */
const wordOf = (value) =>
  value === null
    ? 'not linked'
    : value in reviews
      ? reviews[/** @type {ReviewState} */ (value)]
      : stanceVerbs[/** @type {Stance} */ (value)].toLowerCase();

/** @param {Activity} one */
const aboutStance = (one) => one.verb === 'stance_changed';

// undoOf returns the judgement that undoes a change, if it is the latest of its kind and still holds.
/** @param {Activity} one @param {Activity[]} all newest first @param {Judged} row */
function undoOf(one, all, row) {
  const latest = all.find((other) => aboutStance(other) === aboutStance(one)) === one;
  const { from, to } = one.detail;
  if (!latest || !from || !to || from === to) return null;
  if (!aboutStance(one))
    return row.review === to ? { review: /** @type {ReviewState} */ (from), stance: row.stance } : null;
  return row.stance === to ? { review: row.review, stance: /** @type {Stance} */ (from) } : null;
}

/** @typedef {{ id: string, review: ReviewState, reviewed_at: string | null, stance?: Stance }} Judged */

// Entries are the changes of a quote, newest first. Those of stances are of one hypothesis.
/** @param {{ row: Judged, hypothesisId?: string, onUndo?: UndoTo }} props */
function Entries({ row, hypothesisId, onUndo }) {
  const loaded = useLoad(
    (signal) =>
      list(
        'activity_events',
        {
          entity_id: `eq.${row.id}`,
          entity_type: 'eq.evidence',
          verb: 'in.(accepted,rejected,suggested,stance_changed)',
          select: 'id,verb,occurred_at,detail,profiles(display_name)',
          order: 'occurred_at.desc,id',
        },
        { signal },
      ),
    [row.id, row.review, row.reviewed_at, row.stance],
  );
  const all = loaded.data?.filter((one) => !aboutStance(one) || one.detail.hypothesis_id === hypothesisId);
  if (!all)
    return html`
      <${Waiting} for=${loaded} />
    `;
  if (all.length === 0)
    return html`
      <p class="faint">Nobody has judged it yet.</p>
    `;
  return html`
    <ol class="changes">
      ${all.map((one) => {
        const back = onUndo && undoOf(one, all, row);
        return html`
          <li key=${one.id}>
            <b dir="auto">${one.profiles?.display_name ?? 'Somebody who has left'}</b>
            ${`: ${wordOf(one.detail.from)} → ${wordOf(one.detail.to)}, `}
            <time datetime=${one.occurred_at}>${dateTime(one.occurred_at)}</time>
            ${' '}
            ${
              back &&
              html`
                <button class="link" onClick=${() => onUndo(back)}>Undo</button>
              `
            }
          </li>
        `;
      })}
    </ol>
  `;
}

// History shows who judged a quote and who changed its stance for a hypothesis, when asked to.
/** @param {{ row: Judged, hypothesisId?: string, onUndo?: UndoTo }} props */
export function History({ row, hypothesisId, onUndo }) {
  const [open, setOpen] = useState(false);
  return html`
    <details class="history" onToggle=${(/** @type {any} */ e) => setOpen(e.currentTarget.open)}>
      <summary>History</summary>
      ${
        open &&
        html`
          <${Entries} ...${{ row, hypothesisId, onUndo }} />
        `
      }
    </details>
  `;
}
