// What a search finds: hits, and their groups.

/** @typedef {TurnHit | QuoteHit} Selectable what can become evidence */
/**
 * @typedef {object} Group
 * @property {string} id
 * @property {string} title
 * @property {number} found the turns that have the words
 * @property {number} turns those of them that are among the hits
 * @property {Hit[]} hits
 */

/** @param {Hit} hit */
export const keyOf = (hit) => [hit.kind, hit.import_id, hit.ordinal, hit.id].join(' ');

/** @param {Hit} hit @returns {hit is Selectable} */
export const selectable = (hit) => hit.kind === 'utterance' || hit.kind === 'quote';

// addressOf returns the address of a hit; a turn is opened with the words of the query, and their forms,
// marked.
/** @param {Hit} hit @param {string} projectId @param {string} query */
export function addressOf(hit, projectId, query) {
  if (hit.kind === 'hypothesis') return `/projects/${projectId}/evidence?h=${hit.id}`;
  if (hit.kind === 'answer') return `/projects/${projectId}/ask?a=${hit.id}`;
  if (!hit.import_id) return `/projects/${projectId}/evidence`;
  if (hit.kind === 'utterance')
    return `/imports/${hit.import_id}?${new URLSearchParams({
      u: String(hit.ordinal),
      q: query,
      ...(hit.forms.length > 0 && { f: hit.forms.join(' ') }),
    })}`;
  return `/imports/${hit.import_id}${hit.kind === 'quote' ? `?e=${hit.id}` : ''}`;
}

/** @param {Hit} hit */
function groupOf(hit) {
  if (hit.kind === 'hypothesis') return { id: 'hypotheses', title: 'Hypotheses' };
  if (hit.kind === 'answer') return { id: 'answers', title: 'Answers' };
  if (hit.import_id === null) return { id: 'elsewhere', title: 'Quotes without an interview' };
  return { id: hit.import_id, title: hit.title };
}

/** @param {Hit} hit */
const placeOf = (hit) => `${hit.import_id} ${hit.ordinal}`;

// withoutDoubles returns hits without the turns whose words are quoted at the same place, and without quotes
// of the same words.
/** @param {Hit[]} hits */
function withoutDoubles(hits) {
  const quotes = /** @type {Map<string, Hit>} */ (new Map());
  for (const hit of hits)
    if (hit.kind === 'quote' && !quotes.has(placeOf(hit) + hit.text))
      quotes.set(placeOf(hit) + hit.text, hit);
  const quoted = new Set([...quotes.values()].map(placeOf));
  return hits.filter((hit) =>
    hit.kind === 'quote'
      ? hit.ordinal === null || quotes.get(placeOf(hit) + hit.text) === hit
      : hit.kind !== 'utterance' || !quoted.has(placeOf(hit)),
  );
}

// groupsOf groups hits by interview, in their order, each place once. Hypotheses are the first group.
/** @param {Hit[]} hits @returns {Group[]} */
export function groupsOf(hits) {
  const groups = /** @type {Map<string, Group>} */ (new Map());
  for (const hit of hits) {
    const of = groupOf(hit);
    const group = groups.get(of.id) ?? { ...of, found: 0, turns: 0, hits: [] };
    groups.set(of.id, group);
    group.found = Math.max(group.found, hit.found ?? 0);
    if (hit.kind === 'utterance') group.turns++;
    group.hits.push(hit);
  }
  return [...groups.values()].map((group) => ({ ...group, hits: withoutDoubles(group.hits) }));
}

// withAll returns hits with all turns and quotes of an interview, which more has, at the place of those that
// were there.
/** @param {Hit[]} hits @param {string} importId @param {Hit[]} more */
export function withAll(hits, importId, more) {
  const at = hits.findIndex((hit) => hit.import_id === importId);
  const rest = hits.slice(at);
  return [
    ...hits.slice(0, at),
    ...rest.filter((hit) => hit.import_id === importId && !selectable(hit)),
    ...more,
    ...rest.filter((hit) => hit.import_id !== importId),
  ];
}
