// The data of the board of themes: the quotes of a project, its themes, and which quotes they have.
import { useEffect, useMemo, useRef } from '../../page/html.js';
import { list } from '../../client/api.js';
import { everyone } from '../../client/people.js';
import { follow } from '../../client/subscriptions.js';
import { themesOf } from '../../client/themes.js';
import { useLoad } from '../../page/load.js';

const SOON_MS = 300; // so that one request answers several events
const LATER_MS = 2000; // quotes are many, and come in groups

const quoteColumns =
  'id,import_id,quote,summary,speaker,start_ms,byte_start,origin,review,in_progress,speaker_confirmed,' +
  'memo,created_at,evidence_hypotheses(hypothesis_id),comments(count)';

/** @typedef {{ themes: Theme[], links: ThemeLink[] }} Groups */

// loadQuotes returns the quotes of a project that nobody rejected, by interview and place.
/** @param {string} project @param {AbortSignal} signal @returns {Promise<Themed[]>} */
async function loadQuotes(project, signal) {
  const of = { project_id: `eq.${project}` };
  const [rows, imports, who] = await Promise.all([
    list('evidence', { ...of, review: 'neq.rejected', select: quoteColumns, order: 'id' }, { signal }),
    list('imports', { ...of, select: 'id,title,created_at', order: 'created_at,id' }, { signal }),
    everyone(project, signal),
  ]);
  const place = new Map(imports.map(({ id, title }, i) => [id, { title, i }]));
  /** @param {Tables['evidence']} row */
  const at = (row) => place.get(row.import_id ?? '')?.i ?? imports.length;
  return rows
    .sort((a, b) => at(a) - at(b) || (a.byte_start ?? 0) - (b.byte_start ?? 0))
    .map((row) => {
      const person = who.personOf(row);
      const speaker = who.nameOf(row);
      return {
        id: row.id,
        importId: row.import_id,
        quote: row.quote,
        speaker,
        person: person?.key ?? null,
        who: person,
        ready: !row.in_progress,
        counts: !row.in_progress && row.speaker_confirmed && !!person,
        title: place.get(row.import_id ?? '')?.title ?? '',
        startMs: row.start_ms,
        origin: row.origin,
        review: row.review,
        confirmed: row.speaker_confirmed,
        loose: row.evidence_hypotheses.length === 0,
        noted: !!row.memo || (row.comments?.at(0)?.count ?? 0) > 0,
        text: `${row.quote}\n${speaker}\n${row.summary}`.toLowerCase(),
      };
    });
}

// loadGroups returns the themes of a project and which quotes they have.
/** @param {string} project @param {AbortSignal} signal @returns {Promise<Groups>} */
async function loadGroups(project, signal) {
  const [themes, links] = await Promise.all([
    themesOf(project, signal),
    list(
      'evidence_themes',
      {
        project_id: `eq.${project}`,
        select: 'evidence_id,theme_id,origin,review',
        order: 'evidence_id,theme_id',
      },
      { signal },
    ),
  ]);
  return { themes, links };
}

// useThemes loads what the board shows, and follows what others do. change shows a change before the server
// has stored it, which save() does, one change after the other: meanwhile nothing is loaded that the change
// is not part of.
/** @param {string} project */
export function useThemes(project) {
  const storing = useRef({
    turn: /** @type {Promise<unknown>} */ (Promise.resolve()), // ends with the last change
    held: 0, // changes that are not stored yet
    changes: 0, // how often a change began or ended
  }).current;
  const quotes = useLoad((signal) => loadQuotes(project, signal), [project]);
  const groups = useLoad(
    async (signal) => {
      for (;;) {
        await storing.turn;
        const began = storing.changes;
        const loaded = await loadGroups(project, signal);
        // What was loaded while a change was stored may be from before it.
        if (storing.held === 0 && storing.changes === began) return loaded;
      }
    },
    [project],
  );
  const data = useMemo(
    () =>
      quotes.data &&
      groups.data && {
        quotes: quotes.data,
        themes: new Map(groups.data.themes.map((theme) => [theme.id, theme])),
        links: Map.groupBy(groups.data.links, ({ evidence_id: id }) => id),
      },
    [quotes.data, groups.data],
  );
  const fresh = useFresh(project, storing, groups.reload, quotes.reload);
  // A quote that was added elsewhere and has a theme at once.
  useEffect(() => {
    if (!quotes.data || !groups.data) return;
    const known = new Set(quotes.data.map(({ id }) => id));
    if (groups.data.links.some((l) => l.review !== 'rejected' && !known.has(l.evidence_id))) fresh.quotes();
  }, [groups.data]);
  return {
    data,
    error: quotes.error ?? groups.error,
    reload() {
      quotes.reload();
      groups.reload();
    },
    /** @param {(groups: Groups) => Groups} next */
    change: groups.set,
    /** @template T @param {() => Promise<T>} send */
    save(send) {
      fresh.hold();
      const mine = storing.turn.then(send).finally(fresh.release);
      storing.turn = mine.catch(() => {});
      return mine;
    },
    /** @param {string} id @param {Partial<Themed>} values */
    changeQuote: (id, values) =>
      quotes.set((all) => all.map((quote) => (quote.id === id ? { ...quote, ...values } : quote))),
  };
}

// useFresh loads the groups again after a change of themes, and the quotes after one of evidence, but not
// while a change is being stored.
/**
 * @param {string} project
 * @param {{ held: number, changes: number }} storing
 * @param {() => void} reloadGroups
 * @param {() => void} reloadQuotes
 */
function useFresh(project, storing, reloadGroups, reloadQuotes) {
  const state = useRef({
    groups: /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined),
    quotes: /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined),
  });
  const now = state.current;
  const groups = () => {
    clearTimeout(now.groups);
    if (storing.held === 0) now.groups = setTimeout(reloadGroups, SOON_MS);
  };
  const quotes = () => {
    now.quotes ??= setTimeout(() => {
      now.quotes = undefined;
      reloadQuotes();
    }, LATER_MS);
  };
  useEffect(() => {
    let lost = false;
    const stop = follow('/api/events', {
      onEvent({ type, data }) {
        if (type !== 'reset' && data.data.projectId !== project) return;
        if (type === 'reset' || type.startsWith('theme.') || type.startsWith('comment.')) groups();
        if (type === 'reset' || type.startsWith('evidence.') || type === 'import.parsed') quotes();
      },
      onState(to) {
        if (to === 'lost') lost = true;
        if (to !== 'open' || !lost) return;
        lost = false;
        groups(); // what happened meanwhile
        quotes();
      },
    });
    return () => {
      stop();
      clearTimeout(now.groups);
      clearTimeout(now.quotes);
    };
  }, [project]);
  return {
    quotes,
    hold() {
      storing.held++;
      storing.changes++;
      clearTimeout(now.groups);
    },
    release() {
      storing.held--;
      storing.changes++;
      groups();
    },
  };
}
