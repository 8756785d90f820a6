// The request of a search.
import { useEffect, useState } from '../../page/html.js';
import { list, rpc } from '../../client/api.js';
import { asError } from '../../client/http.js';
import { wordsOf } from '../transcript/highlight.js';
import { withAll } from './hits.js';

/** @typedef {{ query: string, hits: Hit[] }} Found */

const SOON_MS = 150; // after the last key

// The last search of each project, so that the results are there when the search is opened again.
const last = /** @type {Map<string, Found>} */ (new Map());

/** @type {Found} */
const nothing = { query: '', hits: [] };

/** @param {string} projectId */
export const lastQuery = (projectId) => last.get(projectId)?.query ?? '';

// withSpeakers marks the quotes among hits whose speakers are not confirmed.
/** @param {Hit[]} hits @param {AbortSignal} [signal] @returns {Promise<Hit[]>} */
async function withSpeakers(hits, signal) {
  const ids = hits.flatMap((hit) => (hit.kind === 'quote' ? [hit.id] : []));
  if (ids.length === 0) return hits;
  const doubtful = await list(
    'evidence',
    { id: `in.(${ids.join()})`, speaker_confirmed: 'is.false', select: 'id', order: 'id' },
    { signal },
  );
  const all = new Set(doubtful.map(({ id }) => id));
  return hits.map((hit) => (hit.kind === 'quote' && all.has(hit.id) ? { ...hit, unconfirmed: true } : hit));
}

// useFound returns what was found last, and for which query: before the first answer, what the last search
// found. retry asks again after an error; showAll adds the other hits in an interview.
/** @param {string} projectId @param {string} query */
export function useFound(projectId, query) {
  const [found, setFound] = useState(last.get(projectId) ?? nothing);
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const [again, setAgain] = useState(0);
  useEffect(() => {
    if (query === found.query && !error) return undefined;
    const control = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const hits =
          wordsOf(query).length === 0
            ? []
            : await withSpeakers(
                await rpc('search_project', { project: projectId, query }, { signal: control.signal }),
                control.signal,
              );
        const answer = { query, hits };
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
  }, [query, again]);

  /** @param {string} importId */
  async function showAll(importId) {
    try {
      const more = await withSpeakers(
        await rpc('search_project', { project: projectId, query: found.query, import: importId }),
      );
      setFound((now) =>
        now.query === found.query ? { ...now, hits: withAll(now.hits, importId, more) } : now,
      );
    } catch (e) {
      setError(asError(e));
    }
  }
  return { found, error, retry: () => setAgain((n) => n + 1), showAll };
}
