// The quotes of the AI that did not become evidence, with the reasons.
import { html } from '../../page/html.js';
import { runs } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { count, number } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Waiting } from '../../page/ui.js';

/** @type {Record<string, string>} */
const reasons = {
  not_found: 'The transcript does not say this.',
  meaning_differs:
    'The transcript says something else: a negation, a number, a unit, a day or a name differs.',
  too_short: 'Too few words to say where they are.',
  interviewer: 'Only an interviewer says this.',
  unknown_hypothesis: 'It answers no hypothesis that was asked about.',
};

// discardedIn returns what the analyses discarded that the number of an interview counts: those since
// everything was read again.
/** @param {Run[]} all newest first */
function discardedIn(all) {
  const again = all.findIndex((run) => run.refresh && run.status === 'parsed');
  return all.slice(0, again < 0 ? all.length : again + 1).flatMap((run) => run.discarded);
}

// DiscardedQuotes lists the discarded quotes of an interview. The statements are by the ids of hypotheses.
/** @param {{ row: Interview, statement: Map<string, string>, onClose: () => void }} props */
export function DiscardedQuotes({ row, statement, onClose }) {
  const loaded = useLoad((signal) => runs(row.id, { signal }), [row.id]);
  const quotes = discardedIn(loaded.data ?? []);
  return html`
    <${Dialog} title=${count(row.rejected_count, 'discarded quote')} onClose=${onClose} wide>
      <p>The AI gave these as quotes. They could not be proven, so they are no evidence and count nowhere.</p>
      <${Waiting} for=${loaded} />
      <ul class="discarded-quotes" aria-label="Discarded quotes" tabindex="0">
        ${quotes.map(
          (one) => html`
            <li>
              <blockquote dir="auto">${one.quote || 'No words'}</blockquote>
              <p class="meta">
                <b>${reasons[one.reason] ?? one.reason}</b>
                <span dir="auto">${statement.get(one.hypothesisId ?? '')}</span>
                <a href=${`/imports/${row.id}?u=${one.utterance}`} onClick=${onClose}>
                  Look near turn ${number(one.utterance + 1)}
                </a>
              </p>
            </li>
          `,
        )}
      </ul>
      ${
        loaded.data &&
        quotes.length < row.rejected_count &&
        html`
          <p class="faint">
            ${number(row.rejected_count - quotes.length)} more not kept: an analysis keeps the first 200, and
            a redaction removes them.
          </p>
        `
      }
    <//>
  `;
}
