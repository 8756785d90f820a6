// The question that a quote answers, where that makes the quote say less.
import { html } from '../../page/html.js';
import { one } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { Waiting } from '../../page/ui.js';
import { wordsAt } from '../transcript/bytes.js';
import { askedOf, capped } from './evidencewords.js';

// Asked shows the words of a hypothetical or leading question that a quote answers, and what follows for its
// strength. It shows nothing for other quotes.
/** @param {{ e: EvidenceRow & Partial<EvidenceLink & LinkedEvidence> }} props */
export function Asked({ e }) {
  const mark = askedOf(e);
  if (!mark || !e.import_id || e.asked_start === null || e.asked_end === null) return null;
  const links = e.evidence_hypotheses ?? [e];
  return html`
    <p>
      ${mark.long}
      ${[...new Set(links.map((link) => capped({ ...link, asked_kind: e.asked_kind })))].map(
        (why) => why && ` ${why}`,
      )}
    </p>
    <${Question} importId=${e.import_id} start=${e.asked_start} end=${e.asked_end} />
  `;
}

/** @param {{ importId: string, start: number, end: number }} props bytes of the transcript */
function Question({ importId, start, end }) {
  const turn = useLoad(
    (signal) =>
      one(
        'utterances',
        {
          import_id: `eq.${importId}`,
          byte_start: `lte.${start}`,
          select: 'ordinal,text,byte_start',
          order: 'ordinal.desc',
        },
        { signal },
      ),
    [importId, start],
  );
  if (!turn.data)
    return html`
      <${Waiting} for=${turn} what="Loading the question" />
    `;
  return html`
    <p class="question">
      Asked:${' '}
      <q dir="auto">${wordsAt(turn.data, { byte_start: start, byte_end: end })}</q>
      ${' '}
      <a href=${`/imports/${importId}?u=${turn.data.ordinal}`}>Open</a>
    </p>
  `;
}
