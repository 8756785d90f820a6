// The dialog in which a person gives the reason of a verdict, and is asked about quotes that nobody reviewed.
import { html } from '../../page/html.js';
import { balances, noBalance } from '../../client/people.js';
import { Dialog } from '../../page/dialog.js';
import { Field, Form, valuesOf } from '../../page/form.js';
import { useLoad } from '../../page/load.js';
import { Waiting } from '../../page/ui.js';
import { hypothesisStatus } from '../../page/words.js';
import { reviewedOf } from '../shared/evidencewords.js';

// unreviewedText says how many quotes nobody has reviewed; '' if there are none.
/** @param {Reviewed} of */
function unreviewedText({ quotes, accepted }) {
  const open = quotes - accepted;
  if (open <= 0) return '';
  if (quotes === 1) return 'Its quote was not reviewed.';
  return `${open} of ${quotes} quotes ${open === 1 ? 'was' : 'were'} not reviewed.`;
}

/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Hypothesis} props.hypothesis
 * @param {Verdict} props.status
 * @param {(reason: string) => Promise<void>} props.decide
 * @param {() => void} props.onClose
 */
export function Decide({ context, hypothesis: h, status, decide, onClose }) {
  const loaded = useLoad((signal) => balances(context.id, signal), [context.id]);
  const title = `Verdict: ${hypothesisStatus[status]}`;
  if (!loaded.data)
    return (
      loaded.error &&
      html`
        <${Dialog} title=${title} onClose=${onClose}><${Waiting} for=${loaded} /><//>
      `
    );
  const open =
    status === 'inconclusive' ? '' : unreviewedText(reviewedOf(loaded.data.get(h.id) ?? noBalance));
  return html`
    <${Dialog} title=${title} onClose=${onClose}>
      <${Form}
        send=${(/** @type {HTMLFormElement} */ form) => decide(valuesOf(form).reason)}
        submit=${open ? 'Decide anyway' : 'Save verdict'}
        onCancel=${onClose}
      >
        <p class="quote-like" dir="auto">${h.statement}</p>
        ${
          open &&
          html`
            <p class="note">
              ${open}${' '}
              <a href=${`/projects/${context.id}/review?h=${h.id}`}>Review them</a>
            </p>
          `
        }
        <${Field} label="Reason" hint="Which evidence decided it? Your colleagues can read this.">
          ${(p) => html`
            <textarea ...${p} name="reason" rows="3" defaultValue=${h.decision_reason}></textarea>
          `}
        <//>
      <//>
    <//>
  `;
}
