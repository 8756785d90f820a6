// Keeps quotes of an answer as evidence for a hypothesis, or makes the whole answer a finding.
import { html, useMemo } from '../../page/html.js';
import { insertAll, list, update } from '../../client/api.js';
import { Dialog } from '../../page/dialog.js';
import { problem, toast } from '../../page/messages.js';
import { CollectForm } from '../shared/collecting.js';
import { newId } from '../shared/ids.js';

/** @param {AnswerQuote} q */
const keyOf = (q) => `${q.importId} ${q.byteStart} ${q.byteEnd}`;

// evidenceOf returns the evidence that quotes become, each place once, those that are evidence already, and
// the quotes by the id of their new evidence.
/** @param {AnswerQuote[]} quotes */
function evidenceOf(quotes) {
  const fresh = Object.values(
    Object.groupBy(
      quotes.filter((q) => !q.evidenceId),
      keyOf,
    ),
  ).map((same = []) => ({ id: newId(), same }));
  return {
    fresh,
    rows: fresh.map(({ id, same: [q] }) => ({
      id,
      import_id: q.importId,
      quote: q.quote,
      byte_start: q.byteStart,
      byte_end: q.byteEnd,
    })),
    existing: [...new Map(quotes.map((q) => [q.evidenceId, q.quote]))].flatMap(([id, text]) =>
      id ? [{ id, text }] : [],
    ),
  };
}

// putInFindings adds evidence to the findings of a hypothesis, after what they have.
/** @param {string} hypothesisId @param {string[]} ids */
async function putInFindings(hypothesisId, ids) {
  const there = await list('finding_quotes', {
    hypothesis_id: `eq.${hypothesisId}`,
    select: 'evidence_id,position',
    order: 'position,evidence_id',
  });
  const known = new Set(there.map((q) => q.evidence_id));
  const last = Math.max(0, ...there.map((q) => q.position));
  const rows = ids
    .filter((id) => !known.has(id))
    .map((id, i) => ({ hypothesis_id: hypothesisId, evidence_id: id, position: last + i + 1 }));
  if (rows.length > 0) await insertAll('finding_quotes', rows, 'evidence_id');
}

// What is kept: quotes and, if they become the findings of a hypothesis, the statement that is proposed.
/** @typedef {{ quotes: AnswerQuote[], finding?: string }} Kept */

// Keep asks for the hypothesis. onKept runs when the quotes know their evidence.
/** @param {{ context: Context, kept: Kept, onKept: () => void, onClose: () => void }} props */
export function Keep({ context, kept, onKept, onClose }) {
  const { quotes, finding } = kept;
  const { fresh, rows, existing } = useMemo(() => evidenceOf(quotes), [quotes]);
  /** @param {string} hypothesisId */
  async function added(hypothesisId) {
    onClose();
    try {
      for (const { id, same } of fresh)
        await update(
          'answer_quotes',
          { id: `in.(${same.map((q) => q.id).join()})` },
          { evidence_id: id },
          'id',
        );
      if (finding === undefined) return;
      await putInFindings(
        hypothesisId,
        [...rows, ...existing].map(({ id }) => id),
      );
      toast('The answer is a finding.', {
        link: { href: `/projects/${context.id}/findings?h=${hypothesisId}`, text: 'Open the findings' },
      });
    } catch (error) {
      problem(error);
    } finally {
      onKept();
    }
  }
  return html`
    <${Dialog}
      title=${finding === undefined ? 'Keep as evidence' : 'Make it a finding'}
      onClose=${onClose}
      wide
    >
      <${CollectForm}
        context=${context}
        hypotheses=${context.hypotheses}
        quotes=${rows}
        existing=${existing}
        statement=${finding}
        submit=${finding === undefined ? 'Keep as evidence' : 'Make it a finding'}
        onAdded=${added}
        onClose=${onClose}
      />
    <//>
  `;
}
