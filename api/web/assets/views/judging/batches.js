// Saves the judgements of a selection of quotes, with few requests.
import { call, list } from '../../client/api.js';
import { session } from '../../client/session.js';
import { count } from '../../page/words.js';
import { reviews } from '../shared/evidencewords.js';

// BATCH is the most judgements in one request, whose address has about a hundred letters for each.
export const BATCH = 50;

/** @typedef {'saved' | 'same' | 'theirs' | 'gone' | 'refused'} What */
/** @typedef {{ item: Judgement, what: What, state: JudgedState }} Outcome */

// seenOf returns the filter of the quotes that are still in the state in which they were judged.
/** @param {Judgement[]} items */
function seenOf(items) {
  const ids = /** @type {Map<string, string[]>} */ (new Map());
  for (const { evidenceId, from } of items) {
    const at = from.reviewed_at ? `eq."${from.reviewed_at}"` : 'is.null';
    const state = `review.eq.${from.review},reviewed_at.${at}`;
    ids.set(state, [...(ids.get(state) ?? []), evidenceId]);
  }
  const groups = [...ids].map(([state, of]) => `and(${state},id.in.(${of.join()}))`);
  return `or=${encodeURIComponent(`(${groups.join()})`)}`;
}

// saveBatch stores judgements that say the same, in one transaction, where the quotes are as their author saw
// them, and returns what became of each.
/** @param {Judgement[]} items @returns {Promise<Outcome[]>} */
export async function saveBatch(items) {
  const { review } = items[0].to;
  const answer = await call(`/rest/v1/evidence?${seenOf(items)}&select=id,review,reviewed_at`, {
    method: 'PATCH',
    json: { review },
    headers: { Prefer: 'return=representation' },
  });
  /** @type {Map<string, JudgedState>} */
  const saved = new Map(answer.body.map((/** @type {{ id: string }} */ { id, ...state }) => [id, state]));
  const missing = items.filter(({ evidenceId }) => !saved.has(evidenceId));
  const now = await statesOf(missing);
  return items.map((item) => {
    const state = saved.get(item.evidenceId);
    return state ? { item, what: 'saved', state } : outcomeOf(item, now.get(item.evidenceId));
  });
}

/** @typedef {Pick<EvidenceRow, 'id' | 'review' | 'reviewed_at'> & { reviewed_by: string | null }} Now */

// statesOf returns the states of quotes that were not judged.
/** @param {Judgement[]} items */
async function statesOf(items) {
  if (items.length === 0) return new Map();
  const rows = await list('evidence', {
    id: `in.(${items.map(({ evidenceId }) => evidenceId).join()})`,
    select: 'id,review,reviewed_at,reviewed_by,profiles:profiles!evidence_reviewed_by_fkey(display_name)',
    order: 'id',
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * @param {Judgement} item
 * @param {(Now & { profiles?: Reviewer | null }) | undefined} now
 * @returns {Outcome}
 */
function outcomeOf(item, now) {
  if (!now) return { item, what: 'gone', state: item.from };
  const { review, reviewed_at: at } = now;
  const mine = now.reviewed_by === session.get().user?.id;
  const by = now.profiles?.display_name ?? '';
  const state = { review, reviewed_at: at, ...(!mine && { newer: { by, at: at ?? '', stance: false } }) };
  // Both say the same, or the answer of an earlier attempt was lost.
  if (review === item.to.review) return { item, what: mine ? 'saved' : 'same', state };
  if (review === item.from.review && at === item.from.reviewed_at)
    return { item, what: 'refused', state: { review, reviewed_at: at, ...(!mine && { by }) } };
  return { item, what: 'theirs', state };
}

// sentenceOf says what became of the judgements of a selection.
/** @param {Tally} tally */
export function sentenceOf({ saved, same, theirs, gone, refused, failed, reviews: all }) {
  const them = theirs.length === 1 ? 'it' : 'them';
  const done = all.length === 1 && all[0] !== 'suggested' ? reviews[all[0]] : 'put back';
  return [
    `${count(saved.length, 'quote')} ${done}.`,
    same.length > 0 && `${same.length} had been ${done} by somebody else.`,
    theirs.length > 0 && `${theirs.length} stayed as somebody else judged ${them} in the meantime.`,
    gone.length > 0 && `${gone.length} had been deleted.`,
    refused.length > 0 &&
      `${refused.length} stayed as they were: your role in this workspace does not allow this.`,
    failed.length > 0 && `${failed.length} could not be judged.`,
  ]
    .filter(Boolean)
    .join(' ');
}
