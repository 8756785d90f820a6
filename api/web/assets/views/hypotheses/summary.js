import { html } from '../../page/html.js';
import { nobodyText, unmatchedText } from '../../page/words.js';

// Summary is the answer in one line of a list; with filtered, of the people whom a filter asks for.
/** @param {{ people: People | undefined, filtered?: boolean }} props */
export function Summary({ people, filtered }) {
  if (!people) return null;
  const { asked, supporting, contradicting, mixed, unmatched, unread } = people;
  if (asked === 0)
    return html`
      <p class="count">
        ${filtered && people.everyone.length === 0 ? 'Nobody of the filter' : nobodyText(unread)}
      </p>
    `;
  if (asked === unmatched)
    return html`
      <p class="count">${unmatchedText}</p>
    `;
  const parts = [
    { kind: 'for', n: supporting },
    { kind: 'mixed', n: mixed },
    { kind: 'against', n: contradicting },
    { kind: 'rest', n: asked - supporting - mixed - contradicting },
  ];
  return html`
    <p class="count">
      <b>${supporting}</b>
      ${` of ${asked} ${supporting === 1 ? 'supports' : 'support'}`}
      ${
        contradicting > 0 &&
        html`
          ${' · '}
          <b>${contradicting}</b>
          ${contradicting === 1 ? ' contradicts' : ' contradict'}
        `
      }
    </p>
    <span class="balance" aria-hidden="true">
      ${parts.map(
        ({ kind, n }) =>
          n > 0 &&
          html`
            <i key=${kind} class=${kind} style=${{ flexGrow: n }}></i>
          `,
      )}
    </span>
  `;
}
