// The quotes that a board shows: those that match the filters, by stance.
import { useEffect, useMemo, useRef } from '../../page/html.js';
import { stanceOrder } from '../shared/evidencewords.js';
import { filtersOf, matches } from './filters.js';

// columnsOf sorts rows by interview and place, and returns their ids by stance, and the rows by id.
/** @param {Quote[]} rows @param {BoardImports} importOf @returns {Columns} */
function columnsOf(rows, importOf) {
  /** @param {Quote} row */
  const key = (row) => importOf.get(row.import_id)?.created_at ?? row.created_at;
  const sorted = rows
    .map((row) => ({ row, key: key(row) }))
    .sort((a, b) =>
      a.key === b.key ? (a.row.byte_start ?? 0) - (b.row.byte_start ?? 0) : a.key < b.key ? -1 : 1,
    )
    .map(({ row }) => row);
  /** @param {Stance} stance */
  const of = (stance) => sorted.filter((row) => row.stance === stance).map((row) => row.id);
  return {
    supports: of('supports'),
    contradicts: of('contradicts'),
    neutral: of('neutral'),
    byId: new Map(sorted.map((row) => [row.id, row])),
  };
}

// useShown returns the filters, the columns of the quotes that match them, the ids of these quotes in their
// order, and the number of rejected quotes that are not shown. A quote stays when its judgement no longer
// matches: touch keeps it until forget runs or the hypothesis changes.
/**
 * @param {object} of
 * @param {Quote[]} of.rows
 * @param {BoardImports} of.importOf
 * @param {URLSearchParams} of.query
 * @param {string} of.hypothesisId
 * @param {import('./filters.js').PersonOf} of.personOf
 * @param {string[]} [of.since] the ids of what was said against the decision since it was made
 */
export function useShown({ rows, importOf, query, hypothesisId, personOf, since }) {
  const touched = useRef(/** @type {Set<string>} */ (new Set()));
  const want = filtersOf(query);
  const columns = useMemo(() => {
    const against = new Set(since);
    return columnsOf(
      rows.filter((row) => matches(row, want, touched.current, personOf, against)),
      importOf,
    );
  }, [rows, importOf, personOf, since, JSON.stringify(want)]);
  const inOrder = useMemo(() => stanceOrder.flatMap((stance) => columns[stance]), [columns]);
  const hidden = useMemo(
    () => rows.filter((row) => row.review === 'rejected' && !touched.current.has(row.id)).length,
    [rows],
  );
  const forget = () => {
    touched.current = new Set();
  };
  useEffect(forget, [hypothesisId]);
  return {
    want,
    columns,
    inOrder,
    hidden,
    forget,
    /** @param {string} id */
    touch: (id) => touched.current.add(id),
  };
}
