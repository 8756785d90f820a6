// The request of a search.
import { useEffect, useState } from '../../page/html.js';
import { list, rpc } from '../../client/api.js';
import { asError } from '../../client/http.js';
import { hitsIn, wordsOf } from '../transcript/highlight.js';
import { withAll } from './hits.js';

/** @typedef {import('./filters.js').Wanted} Wanted */
/** @typedef {{ wanted: Wanted, hits: Hit[] }} Found what was searched, and found */

const SOON_MS = 150; // after the last key

// The last search of each project, so that the results are there when the search is opened again.
const last = /** @type {Map<string, Found>} */ (new Map());

/** @type {Found} */
const nothing = { wanted: { query: '', kind: '', persona: '', speaker: '' }, hits: [] };

/** @param {string} projectId */
export const lastWanted = (projectId) => (last.get(projectId) ?? nothing).wanted;

// isSame reports whether two searches have the same answer of the server, which has all kinds.
/** @param {Wanted} a @param {Wanted} b */
export const isSame = (a, b) => a.query === b.query && a.persona === b.persona && a.speaker === b.speaker;

// ask returns the hits of a search, or of one in an interview. Of the forms of the words, it keeps those that
// the query itself does not mark.
/**
 * @param {string} projectId
 * @param {Wanted} wanted
 * @param {{ importId?: string, signal?: AbortSignal }} [of]
 */
async function ask(projectId, { query, persona, speaker }, { importId, signal } = {}) {
  if (wordsOf(query).length === 0) return [];
  const hits = await rpc(
    'search_project',
    {
      project: projectId,
      query,
      import: importId,
      personas: persona ? [persona] : undefined,
      speakers: speaker ? [speaker] : undefined,
    },
    { signal },
  );
  const unmarked = hits.map((hit) => ({
    ...hit,
    forms: hit.forms.filter((form) => hitsIn(form, query).length === 0),
  }));
  return withDoubts(unmarked, signal);
}

// withDoubts marks the quotes among hits whose speakers are not confirmed, and those that answer a question
// which makes them say less. Each has its themes.
/** @param {Hit[]} hits @param {AbortSignal} [signal] @returns {Promise<Hit[]>} */
async function withDoubts(hits, signal) {
  const ids = hits.flatMap((hit) => (hit.kind === 'quote' ? [hit.id] : []));
  if (ids.length === 0) return hits;
  const quotes = await list(
    'evidence',
    {
      id: `in.(${ids.join()})`,
      select: 'id,project_id,speaker_confirmed,asked_kind,evidence_themes(theme_id,origin,review)',
      order: 'id',
    },
    { signal },
  );
  const all = new Map(quotes.map((e) => [e.id, e]));
  return hits.map((hit) => {
    const of = hit.kind === 'quote' && all.get(hit.id);
    return of ? { ...hit, unconfirmed: !of.speaker_confirmed, asked_kind: of.asked_kind, coded: of } : hit;
  });
}

// useFound returns what was found last, and for which search: before the first answer, what the last search
// found. retry asks again after an error; showAll adds the other hits in an interview.
/** @param {string} projectId @param {Wanted} wanted */
export function useFound(projectId, wanted) {
  const [found, setFound] = useState(last.get(projectId) ?? nothing);
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const [again, setAgain] = useState(0);
  useEffect(() => {
    if (isSame(wanted, found.wanted) && !error) {
      if (last.has(projectId)) last.set(projectId, { wanted, hits: found.hits });
      return undefined;
    }
    const control = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const answer = { wanted, hits: await ask(projectId, wanted, { signal: control.signal }) };
        last.set(projectId, answer);
        setFound(answer);
        setError(null);
      } catch (e) {
        if (!control.signal.aborted) setError(asError(e));
      }
    }, SOON_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [wanted, again]);

  /** @param {string} importId */
  async function showAll(importId) {
    try {
      const more = await ask(projectId, found.wanted, { importId });
      setFound((now) =>
        isSame(now.wanted, found.wanted) ? { ...now, hits: withAll(now.hits, importId, more) } : now,
      );
    } catch (e) {
      setError(asError(e));
    }
  }
  // change changes hits, also for the next time that the search is opened.
  /** @param {(hits: Hit[]) => Hit[]} next */
  const change = (next) =>
    setFound((now) => {
      const then = { ...now, hits: next(now.hits) };
      if (last.has(projectId)) last.set(projectId, then);
      return then;
    });
  return { found, error, retry: () => setAgain((n) => n + 1), showAll, change };
}
