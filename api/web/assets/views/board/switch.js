// The list of the hypotheses beside a board; in narrow windows, a choice.
import { html } from '../../page/html.js';
import { go } from '../../page/router.js';
import { Choice } from '../../page/form.js';
import { Summary } from '../hypotheses/summary.js';
import { LooseLink } from './loose.js';

// Switch leads to the boards of the other hypotheses, with the same filters, and to the loose quotes.
/**
 * @param {object} props
 * @param {string} props.projectId
 * @param {Hypothesis[]} props.hypotheses
 * @param {Hypothesis} props.current
 * @param {Map<string, People> | undefined} props.people
 * @param {boolean} props.filtered
 * @param {(h: Hypothesis) => number} props.toReview
 * @param {(h: { id: string }) => string} props.hrefOf
 */
export function Switch({ projectId, hypotheses, current, people, filtered, toReview, hrefOf }) {
  return html`
    <nav class="switch" aria-label="Hypotheses">
      <h2>Hypotheses</h2>
      <ul>
        ${hypotheses.map((h) => {
          const n = toReview(h);
          return html`
            <li key=${h.id}>
              <a href=${hrefOf(h)} aria-current=${h === current ? 'true' : undefined}>
                <span class="statement" dir="auto">${h.statement}</span>
                <${Summary} people=${people?.get(h.id)} filtered=${filtered} />
                ${
                  n > 0 &&
                  html`
                    <span class="dot" title=${`${n} to review`}>
                      <span class="unseen">${n} to review</span>
                    </span>
                  `
                }
              </a>
            </li>
          `;
        })}
      </ul>
      <${Choice}
        label="Hypothesis"
        value=${current.id}
        options=${Object.fromEntries(hypotheses.map((h) => [h.id, h.statement]))}
        onChange=${(h) => go(hrefOf({ id: h }), { replace: true })}
      />
      <${LooseLink} projectId=${projectId} />
    </nav>
  `;
}
