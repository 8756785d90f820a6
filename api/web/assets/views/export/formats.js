// Writes evidence as CSV and JSON.
import { clock } from '../shared/interviewwords.js';
import { csv } from './csv.js';

/** @typedef {import('./csv.js').Cell} Cell */
/** @typedef {LinkedEvidence & { imports?: Interview & { sha256: string } | null }} Exported */

// A hypothesis with how many quotes were reviewed.
/** @typedef {Hypothesis & { evidence: Reviewed }} Described */

// A quote with one of its hypotheses.
/**
 * @typedef {EvidenceRow & {
 *   evidence_id: string,
 *   participant: string,
 *   interview: string | null,
 *   interviewed_on: string | null,
 *   file: string | null,
 *   sha256: string | null,
 *   hypothesis_id: string | null,
 *   stance: Stance | null,
 *   strength: Strength | null,
 *   given_strength?: Strength | null,
 *   hypothesis: string | null,
 *   verdict: Described | undefined,
 * }} Link
 */

// The columns of the CSV in order: the name, and the function that reads the value from a link.
/** @type {[string, (link: Link) => Cell][]} */
const columns = [
  ['hypothesis', (l) => l.hypothesis],
  ['stance', (l) => l.stance],
  ['strength', (l) => l.strength],
  ['review', (l) => l.review],
  ['quote', (l) => l.quote],
  ['summary', (l) => l.summary],
  ['speaker', (l) => l.speaker],
  ['time', (l) => clock(l.start_ms)],
  ['start_ms', (l) => l.start_ms],
  ['end_ms', (l) => l.end_ms],
  ['interview', (l) => l.interview],
  ['file', (l) => l.file],
  ['byte_start', (l) => l.byte_start],
  ['byte_end', (l) => l.byte_end],
  ['transcript_sha256', (l) => l.sha256],
  ['match', (l) => l.match],
  ['origin', (l) => l.origin],
  ['model', (l) => l.model],
  ['prompt_version', (l) => l.prompt_version],
  ['confidence', (l) => l.confidence],
  ['rationale', (l) => l.rationale],
  ['created_at', (l) => l.created_at],
  ['edited_at', (l) => l.edited_at],
  ['original_quote', (l) => l.original_quote],
  ['original_speaker', (l) => l.original_speaker],
  ['evidence_id', (l) => l.evidence_id],
  ['hypothesis_id', (l) => l.hypothesis_id],
  ['participant', (l) => l.participant],
  ['interviewed_on', (l) => l.interviewed_on],
  ['verdict', (l) => l.verdict?.status],
  ['verdict_reason', (l) => l.verdict?.decision_reason],
  ['verdict_at', (l) => l.verdict?.decided_at],
  ['wrong_if', (l) => l.verdict?.falsified_if],
  ['speaker_confirmed', (l) => (l.speaker_confirmed ? 'yes' : 'no')],
  ['place_lost', (l) => (l.place_lost ? 'yes' : 'no')],
  ['hypothesis_quotes', (l) => l.verdict?.evidence.quotes],
  ['hypothesis_quotes_accepted', (l) => l.verdict?.evidence.accepted],
  ['asked_kind', (l) => l.asked_kind],
  ['asked_start', (l) => l.asked_start],
  ['asked_end', (l) => l.asked_end],
  ['given_strength', (l) => l.given_strength],
];

// linksOf flattens evidence to one entry per linked hypothesis, with the verdict on it. Evidence without a
// hypothesis has one entry. nameOf returns the name of the person who speaks.
/**
 * @param {Exported[]} evidence
 * @param {Described[]} hypotheses
 * @param {(e: EvidenceRow) => string} nameOf
 * @returns {Link[]}
 */
export function linksOf(evidence, hypotheses, nameOf) {
  const byId = new Map(hypotheses.map((h) => [h.id, h]));
  return evidence.flatMap((e) => {
    const { evidence_hypotheses: links, imports: from, ...rest } = e;
    const base = {
      ...rest,
      evidence_id: e.id,
      participant: nameOf(e),
      interview: from?.title ?? null,
      interviewed_on: from?.interviewed_on ?? null,
      file: from?.filename ?? null,
      sha256: from?.sha256 ?? null,
    };
    return (links.length > 0 ? links : [{ hypothesis_id: null, stance: null, strength: null }]).map((l) => ({
      ...base,
      ...l,
      hypothesis: byId.get(l.hypothesis_id ?? '')?.statement ?? null,
      verdict: byId.get(l.hypothesis_id ?? ''),
    }));
  });
}

/** @param {Link[]} links */
export const toCSV = (links) => csv(columns, links);

/**
 * @param {object} project
 * @param {Hypothesis[]} hypotheses
 * @param {Exported[]} evidence
 * @param {string} at
 */
export const toJSON = (project, hypotheses, evidence, at) =>
  JSON.stringify(
    {
      exported_at: at,
      project,
      hypotheses,
      evidence: evidence.map(({ imports: from, ...e }) => ({ ...e, import: from })),
    },
    null,
    2,
  ) + '\n';
