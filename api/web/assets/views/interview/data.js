// The data behind the view of an interview: its transcript, its speakers and its evidence.
import { useMemo } from '../../page/html.js';
import { call, list } from '../../client/api.js';
import { asJudged, moment } from '../judging/unsaved.js';
import { useLoad } from '../../page/load.js';
import { speakers as loadSpeakers } from '../../client/people.js';
import { linkedColumns } from '../shared/evidencecolumns.js';
import { answerColumns } from '../shared/readings.js';
import { useAnalysis } from './analysis.js';
import { overviewsOf } from './facts.js';

// useFound loads the evidence of an interview, and its answers in the order of the hypotheses.
/** @param {Context} context @param {string} id @returns {Loaded<Found>} */
function useFound(context, id) {
  return useLoad(
    async (signal) => {
      const since = moment();
      const [evidence, answers] = await Promise.all([
        list(
          'evidence',
          {
            import_id: `eq.${id}`,
            select: linkedColumns,
            order: 'byte_start,id',
          },
          { signal },
        ),
        list(
          'import_hypotheses',
          {
            import_id: `eq.${id}`,
            select: `hypothesis_id,${answerColumns}`,
            order: 'created_at,hypothesis_id',
          },
          { signal },
        ),
      ]);
      const order = new Map(context.hypotheses.map((h, i) => [h.id, i]));
      return {
        evidence: evidence.map((e) => asJudged(e, undefined, since)),
        answers: answers.sort(
          (a, b) => (order.get(a.hypothesis_id) ?? Infinity) - (order.get(b.hypothesis_id) ?? Infinity),
        ),
      };
    },
    [id],
  );
}

// useInterview loads what the view of an interview shows, and follows the analysis of the interview. initial
// is its row.
/** @param {Context} context @param {Interview} initial */
export function useInterview(context, initial) {
  const { id } = initial;
  const overview = useLoad((signal) => overviewsOf([id], signal), [id]);
  const text = useLoad(
    (signal) =>
      list(
        'utterances',
        {
          import_id: `eq.${id}`,
          select: 'ordinal,speaker,start_ms,text,byte_start,byte_end,confidence',
          order: 'ordinal',
        },
        { signal },
      ),
    [id],
  );
  const speakers = useLoad((signal) => loadSpeakers({ import_id: `eq.${id}` }, signal), [id]);
  const found = useFound(context, id);
  const craft = useLoad(
    async (signal) =>
      /** @type {InterviewCraft} */ ((await call(`/api/import/${id}/craft`, { signal })).body),
    [id],
  );
  const analysis = useAnalysis(context, initial, (whole) => {
    found.reload();
    if (whole) for (const loaded of [text, speakers, craft]) loaded.reload();
  });
  const named = useMemo(() => {
    const names = new Map(speakers.data?.map((s) => [s.speaker, s.name]));
    /** @template {{ speaker: string }} T @param {T} one */
    const rename = (one) => ({ ...one, speaker: names.get(one.speaker) ?? one.speaker });
    return { utterances: text.data?.map(rename), evidence: found.data?.evidence.map(rename) };
  }, [speakers.data, text.data, found.data]);
  return { ...analysis, overview, text, speakers, found, craft, named };
}
