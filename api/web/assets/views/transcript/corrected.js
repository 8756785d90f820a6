// What a turn of a transcript was before somebody corrected it.
import { html } from '../../page/html.js';
import { dateTime } from '../../page/words.js';

// Corrected says what a turn was, who corrected it, and when, the newest first. onBack, if any, puts back
// what it was before the newest correction.
/**
 * @param {object} props
 * @param {Correction[]} props.was
 * @param {(label: string) => string} props.nameOf
 * @param {((was: Correction) => void) | null} props.onBack
 */
export function Corrected({ was, nameOf, onBack }) {
  const newest = was[was.length - 1];
  return html`
    <details class="corrected">
      <summary>corrected${newest.correctedBy && ` by ${newest.correctedBy}`}</summary>
      <ol>
        ${[...was].reverse().map(
          (c, i) => html`
            <li key=${i}>
              <span class="faint">
                ${dateTime(c.correctedAt)}${c.correctedBy && `, ${c.correctedBy}`}; it was:
              </span>
              ${' '}
              <q dir="auto">${c.wasSpeaker && `${nameOf(c.wasSpeaker)}: `}${c.wasText}</q>
            </li>
          `,
        )}
      </ol>
      ${
        onBack &&
        html`
          <button class="small" onClick=${() => onBack(newest)}>Put back what it was</button>
        `
      }
    </details>
  `;
}
