// The hits of a search, by interview.
import { html } from '../../page/html.js';
import { count } from '../../page/words.js';
import { askedOf, unconfirmed } from '../shared/evidencewords.js';
import { clock } from '../shared/interviewwords.js';
import { ThemeChips } from '../shared/themechips.js';
import { hitsIn } from '../transcript/highlight.js';
import { addressOf, keyOf, selectable } from './hits.js';

const EXCERPT = 400; // letters of a longer text

const kinds = {
  interview: 'Interview',
  speaker: 'Speaker',
  quote: 'Quote',
  hypothesis: 'Hypothesis',
  answer: 'Answer',
};

/** @param {{ text: string, query: string, forms: string[] }} props */
function Marked({ text, query, forms }) {
  /** @type {Children[]} */
  const parts = [];
  let at = 0;
  for (const { from, to } of hitsIn(text, query, forms)) {
    parts.push(text.slice(at, from));
    parts.push(html`
      <mark class="hit">${text.slice(from, to)}</mark>
    `);
    at = to;
  }
  return [...parts, text.slice(at)];
}

// Place is a hit. onToggle, if any, selects it.
/**
 * @param {object} props
 * @param {Hit} props.hit
 * @param {string} props.href
 * @param {string} props.query
 * @param {boolean} props.chosen
 * @param {false | (() => void)} props.onToggle
 * @param {(event: MouseEvent) => void} props.onOpen
 * @param {false | ((links: QuoteTheme[]) => void)} props.onThemes
 */
const Place = ({ hit, href, query, chosen, onToggle, onOpen, onThemes }) => html`
  <li class=${hit.kind} data-key=${keyOf(hit)}>
    ${
      onToggle &&
      html`
        <input
          type="checkbox"
          tabindex="-1"
          checked=${chosen}
          aria-label=${`Select “${hit.text.slice(0, 80)}”`}
          onChange=${onToggle}
        />
      `
    }
    <a data-hit href=${href} onClick=${onOpen}>
      <span class="faint">
        ${
          hit.kind === 'utterance'
            ? [hit.speaker, clock(hit.start_ms)].filter(Boolean).join(' · ')
            : kinds[hit.kind]
        }
        ${hit.kind === 'quote' && hit.unconfirmed && ` · ${unconfirmed.short}`}
        ${hit.kind === 'quote' && hit.asked_kind && ` · ${askedOf(hit)?.short}`}
      </span>
      ${' '}
      <span class="said" dir="auto">
        <${Marked} text=${hit.text} query=${query} forms=${hit.forms} />
        ${hit.text.length >= EXCERPT && '…'}
      </span>
    </a>
    ${
      hit.coded &&
      html`
        <${ThemeChips} e=${hit.coded} canEdit=${!!onThemes} onThemes=${onThemes} />
      `
    }
  </li>
`;

// Results shows groups of hits. chosen has the keys of those that are selected. onToggle, if any, selects
// one, onOpen opens its address, and onAll shows all of an interview.
/**
 * @param {object} props
 * @param {import('./hits.js').Group[]} props.groups
 * @param {string} props.projectId
 * @param {string} props.query
 * @param {ReadonlyMap<string, unknown>} props.chosen
 * @param {false | ((hit: import('./hits.js').Selectable) => void)} props.onToggle
 * @param {(event: MouseEvent, href: string) => void} props.onOpen
 * @param {(importId: string) => void} props.onAll
 * @param {false | ((hit: Hit, links: QuoteTheme[]) => void)} props.onThemes shows the themes of one
 */
export function Results({ groups, projectId, query, chosen, onToggle, onOpen, onAll, onThemes }) {
  /** @param {Hit} hit */
  const place = (hit) => {
    const href = addressOf(hit, projectId, query);
    return html`
      <${Place}
        key=${keyOf(hit)}
        hit=${hit}
        href=${href}
        query=${query}
        chosen=${chosen.has(keyOf(hit))}
        onToggle=${onToggle && selectable(hit) && (() => onToggle(hit))}
        onOpen=${(/** @type {MouseEvent} */ event) => onOpen(event, href)}
        onThemes=${onThemes && ((/** @type {QuoteTheme[]} */ links) => onThemes(hit, links))}
      />
    `;
  };
  return groups.map(
    ({ id, title, found, turns, hits }) => html`
      <section key=${id} aria-label=${title}>
        <h3 dir="auto">${title}</h3>
        <ul>
          ${hits.map(place)}
        </ul>
        ${
          found > turns &&
          html`
            <button class="link" onClick=${() => onAll(id)}>Show all ${count(found, 'turn')}</button>
          `
        }
      </section>
    `,
  );
}
