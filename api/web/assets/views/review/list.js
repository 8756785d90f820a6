// The quotes of a review as a list, in which several are judged at once.
import { html, useMemo, useRef, useState } from '../../page/html.js';
import { setQuery } from '../../page/router.js';
import { Picked, usePicked } from '../judging/picking.js';
import { clock } from '../shared/interviewwords.js';
import { askedOf, capped, reviews, stanceMarks, stanceVerbs, strengths } from '../shared/evidencewords.js';
import { focusOn, useKeys } from '../../page/keys.js';
import { Newer } from '../shared/newer.js';
import { Windowed } from '../shared/windowed.js';

const LINE = 24; // the height of a line in pixels
const LETTERS = 90; // in a line of a wide window

/** @param {Quote} row */
const estimate = (row) => 3 * LINE + LINE * Math.ceil(row.quote.length / LETTERS);

// List shows rows, the quotes of a review. onReview judges several; onBack leaves the review.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Quote[]} props.rows
 * @param {import('./limits.js').Sources} props.sources
 * @param {(rows: Quote[], review: ReviewState) => void} props.onReview
 * @param {() => void} props.onUndo
 * @param {() => void} props.onBack
 */
export function List({ context, rows, sources, onReview, onUndo, onBack }) {
  const ids = useMemo(() => rows.map(({ id }) => id), [rows]);
  const of = new Map(rows.map((row) => [row.id, row]));
  const open = useMemo(
    () => new Set(rows.filter(({ review }) => review === 'suggested').map(({ id }) => id)),
    [rows],
  );
  const picked = usePicked(ids, open);
  const [at, setAt] = useState(/** @type {string | null} */ (null));
  const control = useRef(/** @type {WindowedControl | undefined} */ (undefined));
  const words = useRef(/** @type {Map<string, HTMLElement>} */ (new Map()));
  const statements = new Map(context.hypotheses.map((h) => [h.id, h.statement]));

  /** @param {1 | -1} by */
  function step(by) {
    const from = at ? ids.indexOf(at) : -1;
    const id = ids.at(Math.max(0, Math.min(ids.length - 1, from + by)));
    if (!id) return;
    setAt(id);
    const shown = words.current.get(id)?.closest('li')?.getBoundingClientRect();
    if (!shown || shown.top < innerHeight / 4 || shown.bottom > (innerHeight * 3) / 4)
      control.current?.show(id, innerHeight / 3);
    requestAnimationFrame(() => focusOn(words.current.get(id)));
  }
  /** @param {ReviewState} review */
  function judge(review) {
    const some = picked.ids.size > 0 ? [...picked.ids] : at ? [at] : [];
    if (!context.canEdit || some.length === 0) return;
    onReview(
      some.flatMap((id) => of.get(id) ?? []),
      review,
    );
    if (picked.ids.size > 0) picked.clear();
    else if (!(at && of.get(at)?.newer)) step(1); // else the page asks first
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    x: () => at && context.canEdit && picked.toggle(at),
    X: () => at && context.canEdit && picked.toggle(at, true),
    a: () => judge('accepted'),
    r: () => judge('rejected'),
    u: onUndo,
    Enter: () => at && setQuery({ list: null, q: at }),
    Escape: () => (picked.ids.size > 0 ? picked.clear() : onBack()),
  });
  /** @param {string} id */
  const row = (id) => {
    const one = of.get(id);
    return (
      one &&
      html`
        <${Line}
          row=${one}
          statement=${statements.get(one.hypothesis_id)}
          title=${sources.get(one.import_id)?.title}
          picked=${picked.ids.has(id)}
          wordsRef=${(/** @type {HTMLElement | null} */ box) =>
            box ? words.current.set(id, box) : words.current.delete(id)}
          onPick=${
            context.canEdit &&
            ((/** @type {boolean} */ upTo) => {
              setAt(id);
              picked.toggle(id, upTo);
            })
          }
        />
      `
    );
  };
  return html`
    <div class="review-list">
      <${Windowed}
        ids=${ids}
        estimate=${(/** @type {string} */ id) => estimate(/** @type {Quote} */ (of.get(id)))}
        control=${control}
        row=${row}
        rowClass=${(/** @type {string} */ id) =>
          [of.get(id)?.review, id === at && 'selected'].filter(Boolean).join(' ')}
      />
      <${Picked}
        n=${picked.ids.size}
        more=${picked.more}
        onReview=${judge}
        onAll=${picked.pickAll}
        onClear=${picked.clear}
      />
    </div>
  `;
}

// Line is one quote: its words lead to it in the review.
/**
 * @param {object} props
 * @param {Quote} props.row
 * @param {string | undefined} props.statement
 * @param {string | undefined} props.title
 * @param {boolean} props.picked
 * @param {(box: HTMLElement | null) => void} props.wordsRef
 * @param {false | ((upTo: boolean) => void)} props.onPick
 */
function Line({ row, statement, title, picked, wordsRef, onPick }) {
  const question = askedOf(row);
  return html`
    <label class="pick">
      <input
        type="checkbox"
        checked=${picked}
        disabled=${!onPick}
        aria-label=${`Select “${row.quote.slice(0, 80)}”`}
        onClick=${(/** @type {MouseEvent} */ event) => onPick && onPick(event.shiftKey)}
      />
    </label>
    <div class="words">
      <button ref=${wordsRef} class="said" dir="auto" onClick=${() => setQuery({ list: null, q: row.id })}>
        ${row.quote}
      </button>
      <p class="meta">
        <span class=${'stance ' + row.stance}>
          <span aria-hidden="true">${stanceMarks[row.stance]}</span>
          ${` ${stanceVerbs[row.stance]}`}
        </span>
        <span title=${capped(row)}>${strengths[row.strength]}</span>
        ${
          question &&
          html`
            <span title=${question.long}>${question.short}</span>
          `
        }
        ${
          row.speaker &&
          html`
            <b dir="auto">${row.speaker}</b>
          `
        }
        <span dir="auto">
          ${[row.start_ms === null ? '' : clock(row.start_ms), title].filter(Boolean).join(' · ')}
        </span>
        ${
          row.newer
            ? html`
                <span class="judged"><${Newer} of=${row} /></span>
              `
            : row.review !== 'suggested' &&
              html`
                <span class="judged">
                  ${reviews[row.review]}${row.reviewer?.display_name && ` by ${row.reviewer.display_name}`}
                </span>
              `
        }
        <span class="faint" dir="auto">${statement}</span>
      </p>
    </div>
  `;
}
