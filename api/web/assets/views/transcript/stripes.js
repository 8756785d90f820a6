// Stripes in the margin of a transcript: the themes of the quotes beside them.
import { html } from '../../page/html.js';
import { count, isolated } from '../../page/words.js';

// stripesOf returns the themes of the quotes that a turn has words of. Rejected quotes have none.
/** @param {LocatedEvidence[] | undefined} marks @param {Pick<EvidenceMarks, 'themesOf'>} labels */
export function stripesOf(marks = [], { themesOf }) {
  /** @type {Map<string, Stripe>} */
  const stripes = new Map();
  for (const e of marks.filter(({ review }) => review !== 'rejected'))
    for (const theme of themesOf(e)) {
      const stripe = stripes.get(theme.id) ?? { theme, quotes: [] };
      stripe.quotes.push(e);
      stripes.set(theme.id, stripe);
    }
  return [...stripes.values()].sort((a, b) => a.theme.position - b.theme.position);
}

// Stripes leads to the quotes of the themes: each press to the next quote. The cards of the quotes have the
// same themes, so stripes are no stops of the Tab key.
/**
 * @param {object} props
 * @param {Stripe[]} props.of
 * @param {string | null} props.selected the id of a quote
 * @param {(e: LinkedEvidence) => void} props.onQuote
 */
export const Stripes = ({ of, selected, onQuote }) => html`
  <div class="stripes">
    ${of.map(
      ({ theme, quotes }) => html`
        <button
          key=${theme.id}
          type="button"
          tabindex="-1"
          style=${{ '--theme': theme.color }}
          title=${theme.name}
          aria-label=${
            `Theme ${isolated(theme.name)}` + (quotes.length > 1 ? `, ${count(quotes.length, 'quote')}` : '')
          }
          onClick=${() => {
            const at = quotes.findIndex(({ id }) => id === selected);
            onQuote(quotes[(at + 1) % quotes.length]);
          }}
        ></button>
      `,
    )}
  </div>
`;
