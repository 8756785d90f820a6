// The quotes of a board: for and against side by side, and the neutral ones; in narrow windows one of the
// three.
import { html, memo, useEffect, useRef, useState } from '../../page/html.js';
import { stanceMarks, stanceOrder, stances } from '../shared/evidencewords.js';
import { focusOn } from '../shared/keys.js';
import { Windowed } from '../shared/windowed.js';
import { Card } from '../shared/card.js';

const explain = {
  supports: 'No supporting evidence yet.',
  contradicts:
    'No contradicting evidence yet. Look for some: a hypothesis that nobody challenged is not tested.',
  neutral: 'No neutral evidence yet.',
};

// A line has about 58 letters on a laptop, and 44 in narrow windows.
const narrow = matchMedia('(max-width: 820px)');
const estimate = (row) => 52 + 23 * Math.max(1, Math.ceil(row.quote.length / (narrow.matches ? 44 : 58)));

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

// Quote is a card that is rendered only when it changes. act.current has what it does.
const Quote = memo(
  ({ row, selected, canEdit, source, chosen, act }) => html`
    <${Card}
      e=${row}
      strength=${row.strength}
      selected=${selected}
      canEdit=${canEdit}
      source=${source}
      cardRef=${(card) => act.current.ref(row.id, card)}
      onSelect=${() => act.current.select(row)}
      onReview=${(verdict) => act.current.review(row, verdict)}
      onEdit=${() => act.current.edit(row)}
      chosen=${chosen}
      onChoose=${() => act.current.choose(row)}
    />
  `,
);

// Quotes shows rows, which columns has by stance. It sets control.current to {show(row, offset), focus(row),
// first()}: show scrolls to a row, focus also focuses it, and first returns the row at the top.
export function Quotes({ columns, tab, current, control, filtered, canEdit, chosen, titleOf, on }) {
  const lists = { supports: useRef(), contradicts: useRef(), neutral: useRef() };
  const cards = useRef(new Map());
  const tabs = useNarrow();
  const rows = useRef(new Map());
  rows.current = columns.byId;
  const shown = tabs ? [tab] : stanceOrder;

  control.current = {
    show(row, offset) {
      if (row) lists[row.stance].current?.show(row.id, offset);
    },
    focus(row) {
      const visible = () => {
        const box = cards.current.get(row.id)?.getBoundingClientRect();
        return box && box.top >= HEAD_PX && box.bottom <= innerHeight;
      };
      if (tabs && row.stance !== tab) on.tab(row.stance);
      requestAnimationFrame(() => {
        if (!visible()) lists[row.stance].current?.show(row.id, innerHeight / 3);
        let frames = 0;
        const focus = () => {
          const card = cards.current.get(row.id);
          if (card) focusOn(card);
          else if (++frames < 30) requestAnimationFrame(focus);
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
  };
  const act = useRef();
  act.current = {
    ...on,
    ref: (id, card) => (card ? cards.current.set(id, card) : cards.current.delete(id)),
  };
  return html`
    ${
      tabs &&
      html`
        <div class="stance-tabs" role="tablist" aria-label="Stance">
          ${stanceOrder.map(
            (stance) => html`
              <button
                key=${stance}
                role="tab"
                class=${stance}
                id=${'tab-' + stance}
                aria-selected=${stance === tab}
                onClick=${() => on.tab(stance)}
              >
                <span aria-hidden="true">${stanceMarks[stance]}</span>
                ${` ${stances[stance]} `}
                <span class="faint">${columns[stance].length}</span>
              </button>
            `,
          )}
        </div>
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
                  <span aria-hidden="true">${stanceMarks[stance]}</span>
                  ${` ${stances[stance]} `}
                  <span class="faint">${columns[stance].length}</span>
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
              estimate=${(id) => estimate(rows.current.get(id))}
              control=${lists[stance]}
              row=${(id) => {
                const row = rows.current.get(id);
                return html`
                  <${Quote}
                    row=${row}
                    selected=${row === current}
                    canEdit=${canEdit}
                    source=${titleOf(row)}
                    chosen=${chosen.has(row.id)}
                    act=${act}
                  />
                `;
              }}
            />
          </section>
        `,
      )}
    </div>
  `;
}

const HEAD_PX = 44; // the height of the headings of the columns, which stay at the top
