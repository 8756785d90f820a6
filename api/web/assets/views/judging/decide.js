// The dialog in which a person gives the reason of a verdict, sees what it rests on, and is asked about
// quotes that nobody reviewed.
import { html } from '../../page/html.js';
import { balances, noBalance } from '../../client/people.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { Waiting } from '../../page/ui.js';
import { hypothesisStatus } from '../../page/words.js';
import { restFacts, restOf } from '../decisions/rest.js';
import { reviewedOf } from '../shared/evidencewords.js';

// unreviewedText says how many quotes nobody has reviewed; '' if there are none.
/** @param {Reviewed} of */
function unreviewedText({ quotes, accepted }) {
  const open = quotes - accepted;
  if (open <= 0) return '';
  if (quotes === 1) return 'Its quote was not reviewed.';
  return `${open} of ${quotes} quotes ${open === 1 ? 'was' : 'were'} not reviewed.`;
}

// Decide asks for the reason of a verdict; the children stand above that.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Hypothesis} props.hypothesis
 * @param {Verdict} props.status
 * @param {string} [props.title]
 * @param {(reason: string) => Promise<void>} props.decide
 * @param {() => void} props.onClose
 * @param {Children} [props.children]
 */
export function Decide({ context, hypothesis: h, status, title, decide, onClose, children }) {
  const name = title ?? `Verdict: ${hypothesisStatus[status]}`;
  const loaded = useLoad(
    async (signal) => {
      const quotes = await balances(context.id, signal);
      const quote = quotes.get(h.id) ?? noBalance;
      return { quote, rest: await restOf(h, quote, signal) };
    },
    [context.id],
  );
  if (!loaded.data)
    return (
      loaded.error &&
      html`
        <${Dialog} title=${name} onClose=${onClose}><${Waiting} for=${loaded} /><//>
      `
    );
  const { quote, rest } = loaded.data;
  const open = status === 'inconclusive' ? '' : unreviewedText(reviewedOf(quote));
  return html`
    <${Dialog} title=${name} onClose=${onClose}>
      <${Form}
        send=${(/** @type {HTMLFormElement} */ form) => decide(valuesOf(form).reason)}
        submit=${open ? 'Decide anyway' : 'Save verdict'}
        onCancel=${onClose}
      >
        <p class="quote-like" dir="auto">${h.statement}</p>
        <${RestsOn} hypothesis=${h} status=${status} rest=${rest} />
        ${
          open &&
          html`
            <p class="note">
              ${open}${' '}
              <a href=${`/projects/${context.id}/review?h=${h.id}`}>Review them</a>
            </p>
          `
        }
        ${children}
        <${Field} label="Reason" hint="Which evidence decided it? Your colleagues can read this.">
          ${(p) => html`
            <textarea ...${p} name="reason" rows="3" defaultValue=${h.decision_reason}></textarea>
          `}
        <//>
      <//>
    <//>
  `;
}

// opensText says when a verdict opens again; '' for those against which nobody speaks.
/** @param {Verdict} status @param {number} after */
function opensText(status, after) {
  if (status !== 'validated' && status !== 'invalidated') return '';
  return `It opens again when ${
    after === 1 ? 'one more person speaks' : `${after} more people speak`
  } against it.`;
}

// RestsOn is what a verdict rests on, which is kept with it.
/** @param {{ hypothesis: Hypothesis, status: Verdict, rest: Rest }} props */
const RestsOn = ({ hypothesis: h, status, rest }) => html`
  <section class="rests-upon" aria-label="What it rests on">
    <dl>
      ${restFacts(rest).map(
        ([word, text]) => html`
          <div key=${word}>
            <dt>${word}</dt>
            <dd>${text}</dd>
          </div>
        `,
      )}
      <div>
        <dt>Wrong if</dt>
        <dd dir="auto">${h.falsified_if || 'nothing was written down'}</dd>
      </div>
    </dl>
    <p class="hint">${`This is kept with the verdict. ${opensText(status, h.reopen_after)}`.trim()}</p>
  </section>
`;
