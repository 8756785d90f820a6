// The judgements of other people, seconds after they were made.
import { useEffect, useRef } from '../../page/html.js';
import { list } from '../../client/api.js';
import { session } from '../../client/session.js';
import { asJudged, moment } from './unsaved.js';
import { usePoll } from '../../page/load.js';
import { evidenceColumns, linkColumns } from '../shared/evidencecolumns.js';

const columns = `${evidenceColumns},editor:profiles!evidence_edited_by_fkey(id,display_name)`;
const LIVE_MS = 4000; // without a stream of events
const OVERLAP_MS = 10_000; // a judgement may become visible later than one with a later time

/** @param {Quote} row */
const keyOf = (row) => `${row.id} ${row.hypothesis_id}`;
/** @param {Quote[]} rows @param {'reviewed_at' | 'linked_at'} name */
const latestOf = (rows, name) =>
  rows.map((row) => row[name] ?? '').reduce((latest, at) => (at > latest ? at : latest), '');

// before returns a moment before another one, with the same precision as those of the server.
/** @param {string} at */
const before = (at) => new Date(Date.parse(at) - OVERLAP_MS).toISOString().replace('Z', '000+00:00');

// newerOf returns what somebody else said of a quote, by which a row differs from the one that is shown.
/** @param {Quote} row @param {Quote} was @returns {NewerJudgement | undefined} */
function newerOf(row, was) {
  const stance = row.reviewed_at === was.reviewed_at;
  if (stance && row.stance === was.stance) return was.newer;
  const by = stance ? row.editor : row.reviewer;
  const at = stance ? row.edited_at : row.reviewed_at;
  if (!at || by?.id === session.get().user?.id) return undefined;
  return { by: by?.display_name ?? '', at, stance };
}

// useLive calls onRows with the rows that somebody judged, or whose stance or strength somebody changed,
// after they were loaded, and replace, which replaces them in a list. filter selects the links of a
// hypothesis or a project.
/**
 * @param {object} of
 * @param {string} of.projectId
 * @param {Quote[] | undefined} of.rows undefined until they are loaded
 * @param {Filter} of.filter
 * @param {(changed: Quote[], replace: (all: Quote[]) => Quote[]) => void} of.onRows
 */
export function useLive({ projectId, rows, filter, onRows }) {
  const latest = useRef({ rows, onRows });
  latest.current = { rows, onRows };
  const loaded = useRef(''); // when the newest of the links was written that were there at first
  useEffect(() => {
    loaded.current = '';
  }, [JSON.stringify(filter)]);
  usePoll(
    async (signal) => {
      if (!latest.current.rows?.length) return;
      const judged = latestOf(latest.current.rows, 'reviewed_at');
      const linked = latestOf(latest.current.rows, 'linked_at');
      loaded.current ||= linked;
      const since = moment();
      /** @param {Filter} changes */
      const ask = (changes) =>
        list(
          'evidence_hypotheses',
          {
            ...filter,
            ...changes,
            select: `hypothesis_id,${linkColumns},evidence!inner(${columns})`,
            order: 'hypothesis_id,evidence_id',
          },
          { signal },
        );
      const links = (
        await Promise.all([
          ask({ 'evidence.reviewed_at': judged ? `gt.${before(judged)}` : 'not.is.null' }),
          // An analysis writes many links at the same time, which are not read again.
          loaded.current
            ? ask({ updated_at: `gt.${before(linked) > loaded.current ? before(linked) : loaded.current}` })
            : [],
        ])
      ).flat();
      const known = new Map(latest.current.rows.map((row) => [keyOf(row), row]));
      const compared = /** @type {const} */ (['review', 'reviewed_at', 'stance', 'strength']);
      const changed = links
        .map(({ evidence, ...link }) => asJudged({ ...evidence, ...link }, link.hypothesis_id, since))
        .flatMap((row) => {
          const was = known.get(keyOf(row));
          return was && compared.some((name) => was[name] !== row[name])
            ? [{ ...row, newer: newerOf(row, was) }]
            : [];
        });
      if (changed.length === 0) return;
      const of = new Map(changed.map((row) => [keyOf(row), row]));
      latest.current.onRows(changed, (all) => all.map((row) => of.get(keyOf(row)) ?? row));
    },
    () => LIVE_MS,
    [JSON.stringify(filter)],
    {
      path: '/api/events',
      about: ({ type, data }) => type.startsWith('evidence.') && data.data.projectId === projectId,
    },
  );
}
