// The verdict on a hypothesis, which people decide.
import { html, useState } from '../../page/html.js';
import { update } from '../../client/api.js';
import { hypothesisStatus } from '../../page/words.js';
import { Decision } from '../../page/form.js';
import { later } from '../../page/later.js';
import { problem } from '../../page/messages.js';
import { Tag } from '../../page/ui.js';

const Decide = later(async () => (await import('../judging/decide.js')).Decide);

// The columns of a hypothesis that the views of a project share.
export const hypothesisColumns =
  'id,persona_id,statement,category,importance,status,falsified_if,' +
  'decided_by,decided_at,decision_reason,reopen_after,created_at';

// decideOn stores a verdict, and what it rests on with it.
/** @param {Context} context @param {{ id: string }} h @param {Verdict} status @param {string} reason */
export async function decideOn(context, { id }, status, reason) {
  const values = { status, decision_reason: reason };
  const row = await update('hypotheses', { id: `eq.${id}` }, values, hypothesisColumns);
  context.set((d) => ({ ...d, hypotheses: d.hypotheses.map((one) => (one.id === id ? row : one)) }));
}

// Verdict lets a person decide on a hypothesis, with a reason.
/** @param {{ context: Context, hypothesis: Hypothesis }} props */
export function Verdict({ context, hypothesis: h }) {
  const [wanted, setWanted] = useState(/** @type {Verdict | null} */ (null)); // until it is saved
  const settle = (/** @type {Verdict} */ status) => setWanted((now) => (now === status ? null : now));
  /** @param {Verdict} status @param {string} reason */
  async function decide(status, reason) {
    await decideOn(context, h, status, reason);
    settle(status);
  }
  /** @param {Verdict} status */
  const final = (status) => status === 'validated' || status === 'invalidated' || status === 'inconclusive';
  /** @param {Verdict} status */
  function want(status) {
    setWanted(status);
    if (final(status)) return;
    decide(status, '').catch((e) => {
      settle(status);
      problem(e);
    });
  }
  if (!context.canEdit)
    return html`
      <${Tag} kind=${'status ' + h.status}>${hypothesisStatus[h.status]}<//>
    `;
  return html`
    <${Decision}
      plain
      label="Verdict"
      value=${wanted ?? h.status}
      options=${hypothesisStatus}
      onChange=${want}
    />
    ${
      wanted &&
      final(wanted) &&
      html`
        <${Decide}
          context=${context}
          hypothesis=${h}
          status=${wanted}
          decide=${(/** @type {string} */ reason) => decide(wanted, reason)}
          onClose=${() => setWanted(null)}
        />
      `
    }
  `;
}
