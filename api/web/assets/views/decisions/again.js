// The dialog in which a person decides again, after people have spoken against a decision.
import { html, useState } from '../../page/html.js';
import { rpc } from '../../client/api.js';
import { Field, Options } from '../../page/form.js';
import { hypothesisStatus } from '../../page/words.js';
import { Decide } from '../judging/decide.js';
import { decideOn } from '../hypotheses/verdict.js';

const { validated, invalidated, inconclusive, testing } = hypothesisStatus;
const verdicts = { validated, invalidated, inconclusive, testing: `${testing}: it is open` };

// DecideAgain proposes the present verdict. onDone runs after it was saved.
/** @param {{ context: Context, hypothesis: Hypothesis, onDone: () => void, onClose: () => void }} props */
export function DecideAgain({ context, hypothesis: h, onDone, onClose }) {
  const [status, setStatus] = useState(h.status);
  /** @param {string} reason */
  async function decide(reason) {
    // A confirmed verdict keeps its reason; another one is that of the confirmation.
    if (status === h.status) await rpc('confirm_decision', { hypothesis: h.id });
    await decideOn(context, h, status, reason);
    onDone();
    onClose();
  }
  return html`
    <${Decide}
      title="Decide again"
      context=${context}
      hypothesis=${h}
      status=${status}
      decide=${decide}
      onClose=${onClose}
    >
      <${Field} label="Verdict">
        ${(p) => html`
          <select ...${p} name="status" onChange=${(e) => setStatus(e.currentTarget.value)}>
            <${Options} of=${verdicts} value=${h.status} />
          </select>
        `}
      <//>
    <//>
  `;
}
