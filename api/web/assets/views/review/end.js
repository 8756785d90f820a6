// What a review says when there is no quote to judge.
import { html } from '../../page/html.js';
import { Icon } from '../../page/icons.js';
import { setQuery } from '../../page/router.js';
import { Empty } from '../../page/ui.js';
import { count, number } from '../../page/words.js';

/** @param {number} all @param {number} open @param {number} rest */
const titleOf = (all, open, rest) =>
  all > 0 && open === 0 && rest === 0
    ? 'Everything is reviewed'
    : all > 0
      ? 'That was the last one'
      : 'Nothing to review';

// noneText says why there is nothing to review: any reports whether there are quotes that are not rejected.
/** @param {boolean} any @param {boolean} only whether the review is of one hypothesis */
export function noneText(any, only) {
  const of = only ? ' for this hypothesis' : '';
  return (
    (any ? `Every quote${of} is accepted or rejected.` : `There are no quotes to judge${of}.`) +
    ' New quotes appear here when an interview is analysed.'
  );
}

// End is shown after the last quote.
/**
 * @param {object} props
 * @param {{ all: unknown[], open: number, moveToOpen: () => void }} props.pass
 * @param {number} props.rest the quotes to review outside the limits
 * @param {string} props.none why there is nothing to review
 * @param {number} props.judged
 * @param {string} props.back
 * @param {() => void} props.takeBack
 */
export function End({ pass: { all, open, moveToOpen }, rest, none, judged, back, takeBack }) {
  return html`
    <div class="stage">
      <${Empty} title=${titleOf(all.length, open, rest)}>
        <p>
          ${
            all.length === 0 && rest > 0
              ? 'No quote to review is within these limits.'
              : all.length === 0
                ? none
                : `${count(all.length - open, 'quote')} reviewed, ${open} left.` +
                  (rest > 0 ? ` ${number(rest)} outside these limits.` : '')
          }
        </p>
        <p class="do">
          ${
            open > 0 &&
            html`
              <button class="primary" onClick=${moveToOpen}>Review the rest</button>
            `
          }
          ${
            rest > 0 &&
            html`
              <button onClick=${() => setQuery({ import: null, persona: null, stance: null, q: null })}>
                Review the others
              </button>
            `
          }
          ${
            judged > 0 &&
            html`
              <button onClick=${takeBack}>
                <kbd aria-hidden="true">u</kbd>
                Undo
              </button>
            `
          }
          <a class="button" href=${back}>
            <${Icon} name="scales" />
            To the evidence
          </a>
        </p>
      <//>
    </div>
  `;
}
