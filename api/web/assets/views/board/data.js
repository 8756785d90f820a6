// The data of a board.
import { list } from '../../client/api.js';
import { asJudged, moment } from '../judging/unsaved.js';
import { useLoad } from '../../page/load.js';
import { interviewers } from '../../client/people.js';
import { evidenceColumns } from '../shared/card.js';
import { stanceOrder } from '../shared/evidencewords.js';

// useBoard loads the evidence and the answers for one hypothesis. What interviewers say is no evidence, so
// their quotes are not among the rows, but in asked.
export function useBoard(hypothesisId, projectId) {
  return useLoad(
    async (signal) => {
      if (!hypothesisId) return null;
      const since = moment();
      const of = { hypothesis_id: `eq.${hypothesisId}` };
      const [links, answers, asks] = await Promise.all([
        list(
          'evidence_hypotheses',
          {
            ...of,
            select: `stance,strength,linked_at:updated_at,evidence!inner(${evidenceColumns})`,
            order: 'evidence_id',
          },
          { signal },
        ),
        list(
          'import_hypotheses',
          { ...of, select: 'import_id,statement,result,coverage', order: 'import_id' },
          { signal },
        ),
        interviewers(projectId, signal),
      ]);
      const all = links.map(({ evidence, ...link }) =>
        asJudged({ ...evidence, ...link, hypothesis_id: hypothesisId }, hypothesisId, since),
      );
      return { hypothesisId, rows: all.filter((e) => !asks(e)), asked: all.filter(asks), answers };
    },
    [hypothesisId],
  );
}

// stepsOf counts the quotes for and against of each interview, in chronological order.
export function stepsOf(rows, importOf) {
  const of = new Map();
  for (const row of rows) {
    if (row.review === 'rejected') continue;
    const key = row.import_id ?? row.created_at.slice(0, 10);
    const i = importOf.get(row.import_id);
    const step = of.get(key) ?? {
      at: i?.created_at ?? row.created_at,
      title: i?.title ?? 'Added by hand',
      supports: 0,
      contradicts: 0,
    };
    if (row.stance !== 'neutral') step[row.stance]++;
    of.set(key, step);
  }
  return [...of.values()].sort((a, b) => a.at.localeCompare(b.at));
}

// columnsOf sorts rows by interview and place, and returns their ids by stance, and the rows by id.
export function columnsOf(rows, importOf) {
  const key = (row) => importOf.get(row.import_id)?.created_at ?? row.created_at;
  const sorted = rows
    .map((row) => ({ row, key: key(row) }))
    .sort((a, b) =>
      a.key === b.key ? (a.row.byte_start ?? 0) - (b.row.byte_start ?? 0) : a.key < b.key ? -1 : 1,
    )
    .map(({ row }) => row);
  const columns = Object.fromEntries(
    stanceOrder.map((stance) => [stance, sorted.filter((row) => row.stance === stance).map((row) => row.id)]),
  );
  return { ...columns, byId: new Map(sorted.map((row) => [row.id, row])) };
}
