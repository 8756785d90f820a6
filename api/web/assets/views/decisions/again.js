// The dialog in which a person decides again, after people have spoken against a decision.
import { html, useRef, useState } from '../../page/html.js';
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
  const confirmed = useRef(false); // and only the reason is to be sent, if that failed
  /** @param {string} reason */
  async function decide(reason) {
    // The earlier decision keeps its reason; the new text is the reason of this one.
    if (status === h.status && !confirmed.current) {
      await rpc('confirm_decision', { hypothesis: h.id });
      confirmed.current = true;
    }
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
