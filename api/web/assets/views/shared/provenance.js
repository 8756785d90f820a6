// Where a quote comes from, how it was checked, and who changed it.
import { html } from '../../page/html.js';
import { askedOf, editedBy, matches, origin, placeLost, stillReading, unconfirmed } from './evidencewords.js';
import { Tag } from '../../page/ui.js';

// Provenance shows the origin of a quote and how it was checked.
/** @param {{ evidence: EvidenceRow }} props */
export function Provenance({ evidence: e }) {
  const from = origin(e);
  const edit = editedBy(e);
  const question = askedOf(e);
  const match = e.place_lost
    ? placeLost
    : matches[e.origin === 'human' && e.match !== 'manual' ? 'verbatim' : e.match];
  return html`
    <${Tag} kind=${'origin ' + e.origin} title=${from.long}>${from.short}<//>
    <${Tag} kind=${'match ' + e.match} title=${match.long}>${match.short}<//>
    ${
      !e.speaker_confirmed &&
      html`
        <${Tag} kind="unconfirmed" title=${unconfirmed.long}>${unconfirmed.short}<//>
      `
    }
    ${
      question &&
      html`
        <${Tag} kind="asked" title=${question.long}>${question.short}<//>
      `
    }
    ${
      edit &&
      html`
        <${Tag} kind="edited" title=${edit.long}>${edit.short}<//>
      `
    }
    ${
      e.in_progress &&
      html`
        <${Tag} kind="reading" title=${stillReading.long}>${stillReading.short}<//>
      `
    }
  `;
}

// Exceptions shows what is unusual about a quote. Most quotes come from a model, word for word.
/** @param {{ evidence: EvidenceRow }} props */
export function Exceptions({ evidence: e }) {
  const edit = editedBy(e);
  const question = askedOf(e);
  const all = [
    e.origin !== 'ai' && { ...origin(e), kind: `origin ${e.origin}` },
    !e.speaker_confirmed && { ...unconfirmed, kind: 'unconfirmed' },
    question && { ...question, kind: 'asked' },
    e.place_lost
      ? { ...placeLost, kind: 'match manual' }
      : e.match !== 'verbatim' && { ...matches[e.match], kind: `match ${e.match}` },
    edit && { ...edit, kind: 'edited' },
    e.in_progress && { ...stillReading, kind: 'reading' },
  ].filter((one) => !!one);
  return all.map(
    ({ short, long, kind }) => html`
      <${Tag} key=${short} kind=${kind} title=${long}>${short}<//>
    `,
  );
}
