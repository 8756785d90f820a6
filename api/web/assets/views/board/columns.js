// The quotes of a board: for and against side by side, and the neutral ones; in narrow windows, but not on
// paper, one of the three.
import { html, memo, useEffect, useRef, useState } from '../../page/html.js';
import { usePrinting } from '../shared/printing.js';
import { stanceMarks, stanceOrder, stances } from '../shared/evidencewords.js';
import { focusOn } from '../../page/keys.js';
import { Windowed } from '../shared/windowed.js';
import { Card } from '../shared/card.js';

/** @type {Record<Stance, string>} */
const explain = {
  supports: 'No supporting evidence yet.',
  contradicts:
    'No contradicting evidence yet. Look for some: a hypothesis that nobody challenged is not tested.',
  neutral: 'No neutral evidence yet.',
};

// A line has about 58 letters on a laptop, and 44 in narrow windows.
const narrow = matchMedia('(max-width: 820px)');
/** @param {string} quote */
const estimate = (quote) => 52 + 23 * Math.max(1, Math.ceil(quote.length / (narrow.matches ? 44 : 58)));

// useNarrow reports whether the window is narrow.
function useNarrow() {
  const [is, setIs] = useState(narrow.matches);
  useEffect(() => {
    const change = () => setIs(narrow.matches);
    narrow.addEventListener('change', change);
    return () => narrow.removeEventListener('change', change);
  }, []);
  return is;
}

/**
 * @typedef {object} Acts what happens to the quotes of a board
 * @property {(row: Quote) => void} select
 * @property {(row: Quote, review: ReviewState) => void} review
 * @property {(row: Quote, to: Opinion) => void} undo takes back a change of its history
 * @property {(row: Quote) => void} edit
 * @property {(row: Quote) => void} confirm
 * @property {(row: Quote, values: Partial<Quote>) => void} show shows its themes and notes
 * @property {(row: Quote) => void} choose
 * @property {(row: Quote, upTo: boolean) => void} pick
 * @property {(stance: Stance) => void} tab
 */

/**
 * @typedef {object} QuoteProps
 * @property {Quote} row
 * @property {boolean} selected
 * @property {boolean} canEdit
 * @property {string} [source]
 * @property {boolean} chosen
 * @property {boolean} picked
 * @property {Ref<Acts & { ref: (id: string, card: HTMLElement | null) => void }>} act
 */

// QuoteCard is a card that is rendered only when it changes. act.current has what it does.
const QuoteCard = memo(
  /** @param {QuoteProps} props */
  ({ row, selected, canEdit, source, chosen, picked, act }) => html`
    <${Card}
      e=${row}
      strength=${row.strength}
      selected=${selected}
      canEdit=${canEdit}
      source=${source}
      cardRef=${(card) => act.current.ref(row.id, card)}
      onSelect=${() => act.current.select(row)}
      onReview=${(verdict) => act.current.review(row, verdict)}
      onUndo=${(to) => act.current.undo(row, to)}
      onEdit=${() => act.current.edit(row)}
      onConfirm=${() => act.current.confirm(row)}
      onThemes=${(/** @type {QuoteTheme[]} */ links) => act.current.show(row, { evidence_themes: links })}
      onNoted=${(/** @type {Noted} */ { memo, comments }) =>
        act.current.show(row, { memo, comments: [{ count: comments }] })}
      chosen=${chosen}
      onChoose=${() => act.current.choose(row)}
      picked=${picked}
      onPick=${canEdit && ((upTo) => act.current.pick(row, upTo))}
    />
  `,
);

const HEAD_PX = 44; // the height of the headings of the columns, which stay at the top
const FRAMES = 30; // in which a quote that is scrolled to is drawn

/** @typedef {Record<Stance, Ref<WindowedControl | undefined>>} Lists */

// useLists returns the controls of the three lists.
/** @returns {Lists} */
const useLists = () => ({
  supports: useRef(/** @type {WindowedControl | undefined} */ (undefined)),
  contradicts: useRef(/** @type {WindowedControl | undefined} */ (undefined)),
  neutral: useRef(/** @type {WindowedControl | undefined} */ (undefined)),
});

// controlOf returns the control of the quotes. cards are those that are drawn, and shown the stances whose
// lists are; before a row of another stance is focused, onOther shows it.
/**
 * @param {Lists} lists
 * @param {Map<string, HTMLElement>} cards
 * @param {Stance[]} shown
 * @param {(stance: Stance) => void} onOther
 * @returns {ColumnsControl}
 */
const controlOf = (lists, cards, shown, onOther) => ({
  show(row, offset) {
    if (row) lists[row.stance].current?.show(row.id, offset);
  },
  focus(row) {
    const visible = () => {
      const box = cards.get(row.id)?.getBoundingClientRect();
      return box && box.top >= HEAD_PX && box.bottom <= innerHeight;
    };
    if (!shown.includes(row.stance)) onOther(row.stance);
    requestAnimationFrame(() => {
      if (!visible()) lists[row.stance].current?.show(row.id, innerHeight / 3);
      let frames = 0;
      const focus = () => {
        const card = cards.get(row.id);
        if (card) focusOn(card);
        else if (++frames < FRAMES) requestAnimationFrame(focus);
      };
      focus();
    });
  },
  first() {
    for (const stance of shown) {
      const at = lists[stance].current?.first();
      if (at) return at;
    }
    return null;
  },
});

/** @param {{ stance: Stance, n: number }} props */
const Name = ({ stance, n }) => html`
  <span aria-hidden="true">${stanceMarks[stance]}</span>
  ${` ${stances[stance]} `}
  <span class="faint">${n}</span>
`;

/** @param {{ columns: Columns, tab: Stance, onTab: (stance: Stance) => void }} props */
const Tabs = ({ columns, tab, onTab }) => html`
  <div class="stance-tabs" role="tablist" aria-label="Stance">
    ${stanceOrder.map(
      (stance) => html`
        <button
          key=${stance}
          role="tab"
          class=${stance}
          id=${'tab-' + stance}
          aria-selected=${stance === tab}
          onClick=${() => onTab(stance)}
        >
          <${Name} stance=${stance} n=${columns[stance].length} />
        </button>
      `,
    )}
  </div>
`;

// Quotes shows the quotes of columns, in narrow windows those of one stance, which tab is. chosen are the ids
// of the quotes in the findings. It sets control.current.
/**
 * @param {object} props
 * @param {Columns} props.columns
 * @param {Stance} props.tab
 * @param {Quote | undefined} props.current
 * @param {Ref<ColumnsControl | null>} props.control
 * @param {boolean} props.filtered
 * @param {boolean} props.canEdit
 * @param {Set<string>} props.chosen
 * @param {ReadonlySet<string>} props.picked the ids of the quotes that are selected, to be judged at once
 * @param {(row: Quote) => string | undefined} props.titleOf
 * @param {Acts} props.on
 */
export function Quotes({ columns, tab, current, control, filtered, canEdit, chosen, picked, titleOf, on }) {
  const lists = useLists();
  const cards = useRef(/** @type {Map<string, HTMLElement>} */ (new Map()));
  const inNarrow = useNarrow();
  const tabs = !usePrinting() && inNarrow;
  const shown = tabs ? [tab] : stanceOrder;
  control.current = controlOf(lists, cards.current, shown, on.tab);
  const acts = {
    ...on,
    /** @param {string} id @param {HTMLElement | null} card */
    ref: (id, card) => (card ? cards.current.set(id, card) : cards.current.delete(id)),
  };
  const act = useRef(acts);
  act.current = acts;
  /** @param {string} id */
  const card = (id) => {
    const row = columns.byId.get(id);
    return (
      row &&
      html`
        <${QuoteCard}
          row=${row}
          selected=${row === current}
          canEdit=${canEdit}
          source=${titleOf(row)}
          chosen=${chosen.has(row.id)}
          picked=${picked.has(row.id)}
          act=${act}
        />
      `
    );
  };
  return html`
    ${
      tabs &&
      html`
        <${Tabs} columns=${columns} tab=${tab} onTab=${on.tab} />
      `
    }
    <div class="columns">
      ${shown.map(
        (stance) => html`
          <section
            key=${stance}
            class=${'column ' + stance}
            aria-labelledby=${(tabs ? 'tab-' : 'column-') + stance}
          >
            ${
              !tabs &&
              html`
                <h2 id=${'column-' + stance}>
                  <${Name} stance=${stance} n=${columns[stance].length} />
                </h2>
              `
            }
            ${
              columns[stance].length === 0 &&
              html`
                <p class="faint none">${filtered ? 'Nothing matches the filter.' : explain[stance]}</p>
              `
            }
            <${Windowed}
              ids=${columns[stance]}
              estimate=${(/** @type {string} */ id) => estimate(columns.byId.get(id)?.quote ?? '')}
              control=${lists[stance]}
              row=${card}
            />
          </section>
        `,
      )}
    </div>
  `;
}
