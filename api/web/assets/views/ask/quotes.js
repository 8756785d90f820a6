// The quotes of an answer: numbers behind its sentences, and the words themselves.
import { html, useEffect, useId, useRef, useState } from '../../page/html.js';
import { Tag } from '../../page/ui.js';
import { matches, unconfirmed } from '../shared/evidencewords.js';
import { clock } from '../shared/interviewwords.js';
import { pressTheme } from '../shared/themechips.js';
import { QuoteChips, QuoteTheme } from './theming.js';
import { placeOf } from './words.js';

const LINGER_MS = 200; // in which the pointer may move from a number to its quote

/** @param {AnswerQuote} q */
const sourceOf = ({ speaker, importTitle, startMs }) =>
  [speaker, importTitle, clock(startMs)].filter(Boolean).join(' · ');

// Number stands behind a sentence for one of its quotes, and opens it at its place. While it has the pointer
// or the focus, the quote is shown; Escape hides it.
/** @param {{ n: number, quote: AnswerQuote }} props */
export function Number({ n, quote }) {
  const [shown, setShown] = useState(false);
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const id = useId();
  const show = () => {
    clearTimeout(timer.current);
    setShown(true);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return html`
    <span
      class="cited"
      onMouseEnter=${show}
      onMouseLeave=${() => (timer.current = setTimeout(() => setShown(false), LINGER_MS))}
      onFocusIn=${show}
      onFocusOut=${() => setShown(false)}
      onKeyDown=${(/** @type {KeyboardEvent} */ e) => e.key === 'Escape' && setShown(false)}
    >
      <a
        class="number"
        href=${placeOf(quote)}
        aria-label=${`Quote ${n}: ${quote.speaker || quote.importTitle}`}
        aria-describedby=${id}
      >
        ${n}
      </a>
      <span class="peek" role="tooltip" id=${id} hidden=${!shown}>
        <q dir="auto">${quote.quote}</q>
        <span class="faint" dir="auto">${sourceOf(quote)}</span>
      </span>
    </span>
  `;
}

// Quotes lists quotes with who said them where. keeping keeps one as evidence, or gives it a theme.
/**
 * @param {object} props
 * @param {AnswerQuote[]} props.quotes
 * @param {number} [props.first] the number of the first one
 * @param {import('./theming.js').Keeping} props.keeping
 */
export const Quotes = ({ quotes, first, keeping }) => html`
  <ol class="quotes" start=${first}>
    ${quotes.map(
      (q) => html`
        <li
          key=${q.id}
          onKeyDown=${(/** @type {KeyboardEvent & { currentTarget: Element }} */ event) => {
            if (event.key.toLowerCase() !== 't' || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            pressTheme(event.currentTarget);
          }}
        >
          <blockquote dir="auto">${q.quote}</blockquote>
          <p class="meta">
            ${
              q.speaker &&
              html`
                <b dir="auto">${q.speaker}</b>
              `
            }
            <a href=${placeOf(q)} dir="auto">${q.importTitle}</a>
            ${
              q.startMs !== null &&
              html`
                <span class="time">${clock(q.startMs)}</span>
              `
            }
            ${
              !q.speakerConfirmed &&
              html`
                <${Tag} kind="warn" title=${unconfirmed.long}>${unconfirmed.short}<//>
              `
            }
            ${
              q.match === 'repaired' &&
              html`
                <${Tag} kind="match repaired" title=${matches.repaired.long}>${matches.repaired.short}<//>
              `
            }
            ${
              q.evidenceId
                ? html`
                    <${Tag} title="It was kept as a quote.">evidence<//>
                  `
                : keeping.canEdit &&
                  html`
                    <button
                      class="small"
                      aria-label=${`Keep as evidence: ${q.quote.slice(0, 80)}`}
                      onClick=${() => keeping.keep(q)}
                    >
                      Keep as evidence
                    </button>
                  `
            }
            ${
              keeping.canEdit &&
              html`
                <${QuoteTheme} q=${q} keeping=${keeping} />
              `
            }
          </p>
          <${QuoteChips} q=${q} keeping=${keeping} />
        </li>
      `,
    )}
  </ol>
`;
